"""Jolokia read responses -> metric samples.

Source: Jolokia 2.1, BackendManager (response envelope), JSONWriter (NaN and infinities become null),
ConfigKey canonicalNaming (key properties sorted by default, else in registration order: both are taken here).
"""

from collections.abc import Iterator
from typing import Any

from transforms.parse.lines.timestamps import LATEST_MS
from transforms.parse.metrics.samples import MBean, MetricBooks, MetricSample, leaves, mbean_of, value_of
from transforms.when_used import when_used

_UNESCAPED_WILDCARD = when_used(r"(?<!\\)(?:\\\\)*[*?]")

# A larger timestamp is in another unit; a guess would put samples on a wrong day.
_LATEST_TIMESTAMP_S = LATEST_MS // 1000
# An attribute of an MBean, and its value.
Read = tuple[MBean, str, Any]


class SkippedError(Exception):
    """A response that gives no samples, with the reason that goes into the books."""


def read_responses(document: Any, books: MetricBooks) -> Iterator[MetricSample]:
    """Read a response, or a list of them.

    What gives no sample is counted in `books.skipped`: `not_jolokia`, `not_a_read`, `status_N`, `no_timestamp`,
    `bad_mbean`, `no_value`.
    """
    for item, response in enumerate(document if isinstance(document, list) else [document]):
        books.responses += 1
        try:
            sampled_at, found = _read_of(response)
        except SkippedError as skipped:
            books.skipped[str(skipped)] += 1
            continue
        for mbean, attribute, raw in found:
            yield books.sample(sampled_at, item, mbean, attribute, value_of(raw))


def _read_of(response: Any) -> tuple[int, list[Read]]:
    """When it was, ms, and all that was read: nothing of a response in which one MBean has no name."""
    status = response.get("status") if isinstance(response, dict) else None
    if not isinstance(status, int) or isinstance(status, bool):
        raise SkippedError("not_jolokia")
    if status != 200:
        raise SkippedError(f"status_{status}")
    request = response.get("request")
    is_read = isinstance(request, dict) and request.get("type") == "read"
    if not is_read or not isinstance(request.get("mbean"), str):
        raise SkippedError("not_a_read")
    at = response.get("timestamp")
    is_number = isinstance(at, int | float) and not isinstance(at, bool)
    if not is_number or not 0 < at < _LATEST_TIMESTAMP_S:
        raise SkippedError("no_timestamp")
    found: list[Read] = []
    try:
        for name, values in _by_mbean(request, response.get("value")):
            mbean = mbean_of(name)
            found += [(mbean, attribute, raw) for attribute, raw in values]
    except ValueError:
        raise SkippedError("bad_mbean") from None
    if not found:
        raise SkippedError("no_value")
    return round(at * 1000), found


def _by_mbean(request: dict[str, Any], value: Any) -> Iterator[tuple[str, Iterator[tuple[str, Any]]]]:
    """The response's value as MBean -> attributes, whichever of its three shapes it has."""
    mbean, attribute = request["mbean"], request.get("attribute")
    if _UNESCAPED_WILDCARD.search(mbean):
        for name, attributes in value.items() if isinstance(value, dict) else ():
            yield name, _flat(attributes)
    elif isinstance(attribute, str):
        yield mbean, _flat({attribute: value})
    else:
        yield mbean, _flat(value)


def _flat(attributes: Any) -> Iterator[tuple[str, Any]]:
    """Attributes, composite values taken apart: `HeapMemoryUsage/used`, as Jolokia's own paths have it."""
    return (("/".join(path), value) for path, value in leaves(attributes))
