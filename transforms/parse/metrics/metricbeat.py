"""Metricbeat's JSON -> metric samples.

Source: Metricbeat, module jolokia (metricset jmx: fields as `jmx.mappings` names them, `mbean` where the mapping is a
pattern), module kafka (metricsets consumer and producer, manifest.yml: names of fields and their attributes), module
prometheus (metricset collector: `prometheus.metrics`, `prometheus.labels`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from transforms.parse.lines.timestamps import Clock
from transforms.parse.metrics.names import KNOWN, Named, known_attribute, mapped, named, spelled
from transforms.parse.metrics.samples import (
    MBean,
    MetricBooks,
    MetricSample,
    inside,
    leaves,
    mbean_of,
    value_of,
)

_CLOCK = Clock()

Placed = tuple[MBean, str, Mapping[str, str]]


def read_event(document: Mapping[str, Any], books: MetricBooks) -> Iterator[MetricSample]:
    """One event. Reasons: `no_timestamp`, `not_jmx` (another module's), `bad_mbean`, `no_value`."""
    books.responses += 1
    instant = _CLOCK.read(str(document.get("@timestamp", "")))
    nested = _nested(document)
    if instant.at is None:
        books.skipped["no_timestamp"] += 1
        return
    labels = _labels(nested)
    placed = list(_prometheus(nested)) or list(_jmx(nested))
    if not placed:
        books.skipped["not_jmx"] += 1
    for place, raw in placed:
        if place is None:
            books.skipped["bad_mbean"] += 1
            continue
        mbean, attribute, rest = place
        yield books.sample(instant.at, 0, mbean, attribute, value_of(raw), {**labels, **rest})


def _prometheus(document: Mapping[str, Any]) -> Iterator[tuple[Placed | None, Any]]:
    holder = inside(document, "prometheus")
    labels = {".".join(path): str(value) for path, value in leaves(holder.get("labels"))}
    for path, raw in leaves(holder.get("metrics")):
        yield mapped(".".join(path), labels), raw


def _jmx(document: Mapping[str, Any]) -> Iterator[tuple[Placed | None, Any]]:
    """Fields of every namespace under `jolokia`, and of the module kafka's two."""
    kafka = inside(document, "kafka")
    of_kafka = {f"kafka.{kind}": kafka.get(kind) for kind in ("consumer", "producer")}
    for space, fields in (*inside(document, "jolokia").items(), *of_kafka.items()):
        if not isinstance(fields, dict):
            continue
        mbean_text = fields.get("mbean")
        for path, raw in leaves(fields):
            if path != ("mbean",):
                yield _place(space, path, mbean_text), raw


def _place(space: str, path: tuple[str, ...], mbean_text: Any) -> Placed | None:
    if not isinstance(mbean_text, str):
        written = f"{space}_{'_'.join(path)}"
        meant: Named | None = named(written, {}) or named("_".join(path), {})
        return mapped(space, {}, ".".join(path), meant)
    try:
        mbean = mbean_of(mbean_text)
    except ValueError:
        return None
    return mbean, _attribute(mbean.tags.get("type", ""), path, mbean.name.startswith("kafka.")), {}


def _attribute(kind: str, path: tuple[str, ...], is_kafka: bool) -> str:
    """The attribute that a field is named after: the longest end of its path that the type is known to have."""
    if renamed := KNOWN["metricbeat"].get(kind, {}).get(".".join(path)):
        return str(renamed)
    for begin in range(len(path)):
        if known := known_attribute(kind, "_".join(path[begin:])):
            return known
    return spelled(kind, path[-1]) if is_kafka else "/".join(path)


def _labels(document: Mapping[str, Any]) -> dict[str, str]:
    service, host = inside(document, "service"), inside(document, "host")
    told = {
        "service.name": service.get("name"),
        "instance": service.get("address"),
        "host.name": host.get("name"),
    }
    return {label: value for label, value in told.items() if isinstance(value, str) and value}


def _nested(document: Mapping[str, Any]) -> dict[str, Any]:
    """The event with dotted keys (`service.address`) taken apart, as some outputs write them; of names, not of metrics."""
    if not any("." in key for key in document):
        return dict(document)
    found: dict[str, Any] = {}
    for key, value in document.items():
        *outer, last = key.split(".")
        place = found
        for name in outer:
            inner = place.setdefault(name, {})
            if not isinstance(inner, dict):
                break
            place = inner
        else:
            if isinstance(value, dict) and isinstance(place.get(last), dict):
                place[last] |= value
            else:
                place[last] = value
    return found
