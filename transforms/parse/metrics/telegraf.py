"""Telegraf's JSON -> metric samples.

Source: Telegraf, JSON serializer (`name`, `tags`, `fields`, `timestamp` in json_timestamp_units; batches as `metrics`),
inputs.jolokia2_agent (fields are attributes, tag_keys are keys of the MBean) and inputs.prometheus (metric_version 1: the
name is the metric's; 2: the fields are).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from transforms.parse.metrics.names import Named, mapped, named
from transforms.parse.metrics.samples import MetricBooks, MetricSample, inside, instant_ms, value_of

# Fields under which a plugin puts the value of a metric that has but one.
_ONLY_VALUE = frozenset({"value", "gauge", "counter", "untyped"})


def read_metrics(document: Mapping[str, Any], books: MetricBooks) -> Iterator[MetricSample]:
    """One metric, or a batch of them. Reasons: `not_telegraf`, `no_timestamp`, `no_value`."""
    batch = document.get("metrics")
    metrics = batch if isinstance(batch, list) else [document]
    for item, metric in enumerate(metrics):
        books.responses += 1
        yield from _metric(metric, item, books)


def _metric(metric: Any, item: int, books: MetricBooks) -> Iterator[MetricSample]:
    name = metric.get("name") if isinstance(metric, dict) else None
    fields = metric.get("fields") if isinstance(metric, dict) else None
    if not isinstance(name, str) or not isinstance(fields, dict):
        books.skipped["not_telegraf"] += 1
        return
    at = instant_ms(metric.get("timestamp"))
    if at is None or not fields:
        books.skipped["no_timestamp" if at is None else "no_value"] += max(1, len(fields))
        return
    tags = {str(key): str(value) for key, value in inside(metric, "tags").items()}
    for field, raw in fields.items():
        given, attribute = _named(name, field, tags)
        mbean, attribute, labels = mapped(name, tags, attribute, given)
        yield books.sample(at, item, mbean, attribute, value_of(raw), labels)


def _named(name: str, field: str, tags: Mapping[str, str]) -> tuple[Named | None, str | None]:
    """What the metric is, by its field alone, its name alone, or both."""
    if field in _ONLY_VALUE:
        return named(name, tags), None
    if name == "prometheus":
        return named(field, tags), field
    return named(name, tags, field), field.replace(".", "/")
