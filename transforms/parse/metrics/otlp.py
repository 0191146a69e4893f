"""OTLP metrics as JSON (the collector's file exporter: one request a line) -> metric samples.

Source: OpenTelemetry protocol, metrics.proto, and its JSON mapping (64-bit numbers are texts, NaN is a text); KIP-714,
Metric naming and Client metrics and labels; OpenTelemetry Java instrumentation, kafka-clients (instrument names).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from transforms.parse.lines.jsonlines import Json, attributes_of, dicts_in
from transforms.parse.metrics.names import mapped, named
from transforms.parse.metrics.samples import MetricBooks, MetricSample, inside, instant_ms, value_of

_NUMBERS = ("gauge", "sum")
_OTHERS = ("histogram", "exponentialHistogram", "summary")
_NO_VALUE = 1  # DataPointFlags.FLAG_NO_RECORDED_VALUE


def read_request(document: Mapping[str, Any], books: MetricBooks) -> Iterator[MetricSample]:
    """One ExportMetricsServiceRequest, or MetricsData.

    Reasons: `not_otlp`, `no_name`, `no_value`, `no_timestamp`, `histogram` and the like (a distribution is no number).
    """
    item = -1
    for resource, metric in _metrics(document):
        name = metric.get("name")
        for point in _points(metric, books):
            item += 1
            books.responses += 1
            if not isinstance(name, str) or not name:
                books.skipped["no_name"] += 1
                continue
            yield from _sample(name, point, resource, item, books)
    if item < 0 and not books.skipped:
        books.skip("not_otlp")


def _metrics(document: Mapping[str, Any]) -> Iterator[tuple[dict[str, str], Mapping[str, Any]]]:
    for of_resource in _list(document, "resourceMetrics", "resource_metrics"):
        labels = attributes_of(inside(of_resource, "resource"))
        for of_scope in _list(of_resource, "scopeMetrics", "scope_metrics", "instrumentationLibraryMetrics"):
            for metric in _list(of_scope, "metrics"):
                yield labels, metric


def _points(metric: Mapping[str, Any], books: MetricBooks) -> list[Json]:
    for kind in _OTHERS:
        if isinstance(holder := metric.get(kind), dict):
            others = max(1, len(_points_in(holder)))
            books.responses += others
            books.skipped["summary" if kind == "summary" else "histogram"] += others
    return [point for kind in _NUMBERS for point in _points_in(inside(metric, kind))]


def _points_in(holder: Mapping[str, Any]) -> list[Json]:
    return _list(holder, "dataPoints", "data_points")


def _sample(
    name: str, point: Mapping[str, Any], resource: Mapping[str, str], item: int, books: MetricBooks
) -> Iterator[MetricSample]:
    at = instant_ms(point.get("timeUnixNano", point.get("time_unix_nano")))
    if at is None:
        books.skipped["no_timestamp"] += 1
        return
    number = _number(point)
    if number is _MISSING:
        books.skipped["no_value"] += 1
        return
    labels = attributes_of(point)
    if named(name, labels) and not {"client-id", "client_id", "thread-id", "thread_id"} & labels.keys():
        # A broker's receiver of KIP-714 puts the client's id to the resource.
        labels |= {key: resource[key] for key in ("client_id", "client-id") if key in resource}
    mbean, attribute, rest = mapped(name, labels)
    yield books.sample(at, item, mbean, attribute, value_of(number), {**resource, **rest})


_MISSING = object()


def _number(point: Mapping[str, Any]) -> Any:
    flags = point.get("flags", 0)
    if isinstance(flags, int) and flags & _NO_VALUE:
        return None
    for key in ("asDouble", "asInt", "as_double", "as_int"):
        if key in point:
            raw = point[key]
            try:
                return raw if raw is None or isinstance(raw, bool) else float(raw)
            except (TypeError, ValueError):
                return _MISSING
    return _MISSING


def _list(holder: Mapping[str, Any], *names: str) -> list[Json]:
    for name in names:
        if isinstance(found := holder.get(name), list):
            return dicts_in(found)
    return []
