"""Jolokia read responses -> metric samples.

Source: Jolokia 2.1, BackendManager (response envelope), JSONWriter (NaN and infinities become null),
ConfigKey canonicalNaming (key properties sorted by default, else in registration order: both are taken here).
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from transforms.parse.lines.timestamps import LATEST_MS
from transforms.parse.metrics.samples import MetricBooks, MetricSample, SkippedError, mbean_of, value_of
from transforms.well_formed import well_formed_json

_UNESCAPED_WILDCARD = re.compile(r"(?<!\\)(?:\\\\)*[*?]")

# A larger timestamp is in another unit; a guess would put samples on a wrong day.
_LATEST_TIMESTAMP_S = LATEST_MS // 1000


def read_document(text: str, books: MetricBooks) -> Iterator[MetricSample]:
    """Read one line or one whole document: a response, or a list of them as a bulk request gives.

    What gives no sample is counted in `books.skipped`: `not_json`, and the reasons of read_responses.
    """
    try:
        document = well_formed_json(json.loads(text), text)
    except (ValueError, RecursionError):
        books.responses += 1
        books.skipped["not_json"] += 1
        return
    yield from read_responses(document, books)


def read_responses(document: Any, books: MetricBooks) -> Iterator[MetricSample]:
    """Read a response, or a list of them.

    What gives no sample is counted in `books.skipped`: `not_jolokia`, `not_a_read`, `status_N`, `no_timestamp`,
    `bad_mbean`, `no_value`.
    """
    for item, response in enumerate(document if isinstance(document, list) else [document]):
        books.responses += 1
        try:
            samples = _samples_of(response, item)
        except SkippedError as skipped:
            books.skipped[str(skipped)] += 1
            continue
        books.samples += len(samples)
        yield from samples


def _samples_of(response: Any, item: int) -> list[MetricSample]:
    status = response.get("status") if isinstance(response, dict) else None
    if not isinstance(status, int) or isinstance(status, bool):
        raise SkippedError("not_jolokia")
    if status != 200:
        raise SkippedError(f"status_{status}")
    request = response.get("request")
    if (
        not isinstance(request, dict)
        or request.get("type") != "read"
        or not isinstance(request.get("mbean"), str)
    ):
        raise SkippedError("not_a_read")
    sampled_at = _sampled_at(response.get("timestamp"))
    samples: list[MetricSample] = []
    for name, values in _by_mbean(request, response.get("value")):
        try:
            mbean, tags, client_id = mbean_of(name)
        except ValueError:
            raise SkippedError("bad_mbean") from None
        for attribute, raw in values:
            value, text_value = value_of(raw)
            samples.append(
                MetricSample(sampled_at, item, mbean, attribute, value, text_value, tags, client_id)
            )
    if not samples:
        raise SkippedError("no_value")
    return samples


def _sampled_at(timestamp: Any) -> int:
    if isinstance(timestamp, bool) or not isinstance(timestamp, int | float):
        raise SkippedError("no_timestamp")
    if not 0 < timestamp < _LATEST_TIMESTAMP_S:
        raise SkippedError("no_timestamp")
    return round(timestamp * 1000)


def _by_mbean(request: dict[str, Any], value: Any) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """The response's value as MBean -> attributes, whichever of its three shapes it has."""
    mbean, attribute = request["mbean"], request.get("attribute")
    if _UNESCAPED_WILDCARD.search(mbean):
        for name, attributes in value.items() if isinstance(value, dict) else ():
            yield name, flat(attributes)
    elif isinstance(attribute, str):
        yield mbean, flat({attribute: value})
    else:
        yield mbean, flat(value)


def flat(attributes: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """Attributes, composite values taken apart: `HeapMemoryUsage/used`, as Jolokia's own paths have it."""
    if not isinstance(attributes, dict):
        return []
    found: list[tuple[str, Any]] = []
    for name, value in attributes.items():
        if isinstance(value, dict):
            found += flat(value, f"{prefix}{name}/")
        else:
            found.append((prefix + name, value))
    return found
