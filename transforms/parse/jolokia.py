"""Jolokia read responses -> metric samples.

Source: Jolokia 2.1, BackendManager (response envelope), JSONWriter (NaN and infinities become null),
ConfigKey canonicalNaming (key properties sorted by default, else in registration order: both are taken here).
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_UNESCAPED_WILDCARD = re.compile(r"(?<!\\)(?:\\\\)*[*?]")
_QUOTED_ESCAPE = re.compile(r'\\(["*?\\n])')
_STREAMS_THREAD = re.compile(r"-(?:Global)?StreamThread(?:-\d+)?$|-StateUpdater-\d+$")

# Seconds of the year 3000: a larger timestamp is in another unit; a guess would put samples on a wrong day.
_LATEST_TIMESTAMP_S = 32_503_680_000


@dataclass(slots=True)
class MetricSample:
    """One attribute of one MBean at one time. sampled_at: ms since the epoch, UTC (Jolokia gives whole s).

    item: number of the response in its document. value: None for NaN, an infinity, and where it is a text.
    """

    sampled_at: int
    item: int
    mbean: str
    attribute: str
    value: float | None
    text_value: str | None
    tags: dict[str, str]
    client_id: str | None


@dataclass(slots=True)
class MetricBooks:
    """What became of the responses: read = of them with samples + all in `skipped` by reason."""

    responses: int = 0
    samples: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


class _SkippedError(Exception):
    """A response that gives no samples, with the reason that goes into the books."""


def read_document(text: str, books: MetricBooks) -> Iterator[MetricSample]:
    """Read one line or one whole document: a response, or a list of them as a bulk request gives.

    What gives no sample is counted in `books.skipped`: `not_json`, `not_jolokia`, `not_a_read`, `status_N`,
    `no_timestamp`, `bad_mbean`, `no_value`.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        books.responses += 1
        books.skipped["not_json"] += 1
        return
    for item, response in enumerate(document if isinstance(document, list) else [document]):
        books.responses += 1
        try:
            samples = _samples_of(response, item)
        except _SkippedError as skipped:
            books.skipped[str(skipped)] += 1
            continue
        books.samples += len(samples)
        yield from samples


def canonical_mbean(name: str) -> tuple[str, dict[str, str]]:
    """The name as `domain:type=...` with the other keys sorted, and its keys with quotes taken off.

    Raises: ValueError where it is no object name.
    """
    domain, colon, properties = name.partition(":")
    if not colon or not domain:
        raise ValueError(f"{name!r} is no MBean name; it has the form domain:key=value,...")
    written = dict(_properties(properties))
    if not written:
        raise ValueError(f"{name!r} names no key=value")
    keys = sorted(written, key=lambda key: (key != "type", key))
    canonical = ",".join(f"{key}={written[key]}" for key in keys)
    return f"{domain}:{canonical}", {key: _unquoted(written[key]) for key in keys}


def client_of(tags: dict[str, str]) -> str | None:
    """The client.id an MBean speaks of; of a Streams thread's MBean, that of its Streams client."""
    if "client-id" in tags:
        return tags["client-id"]
    if tags.get("type") == "app-info":
        return tags.get("id")
    thread = tags.get("thread-id")
    return _STREAMS_THREAD.sub("", thread) if thread else None


def _samples_of(response: Any, item: int) -> list[MetricSample]:
    if not isinstance(response, dict) or not isinstance(response.get("status"), int):
        raise _SkippedError("not_jolokia")
    if response["status"] != 200:
        raise _SkippedError(f"status_{response['status']}")
    request = response.get("request")
    if (
        not isinstance(request, dict)
        or request.get("type") != "read"
        or not isinstance(request.get("mbean"), str)
    ):
        raise _SkippedError("not_a_read")
    sampled_at = _sampled_at(response.get("timestamp"))
    samples: list[MetricSample] = []
    for mbean, values in _by_mbean(request, response.get("value")):
        try:
            canonical, tags = canonical_mbean(mbean)
        except ValueError:
            raise _SkippedError("bad_mbean") from None
        for attribute, raw in values:
            value, text_value = _value(raw)
            samples.append(
                MetricSample(sampled_at, item, canonical, attribute, value, text_value, tags, client_of(tags))
            )
    if not samples:
        raise _SkippedError("no_value")
    return samples


def _sampled_at(timestamp: Any) -> int:
    if isinstance(timestamp, bool) or not isinstance(timestamp, int | float):
        raise _SkippedError("no_timestamp")
    if not 0 < timestamp < _LATEST_TIMESTAMP_S:
        raise _SkippedError("no_timestamp")
    return round(timestamp * 1000)


def _by_mbean(request: dict[str, Any], value: Any) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """The response's value as MBean -> attributes, whichever of its three shapes it has."""
    mbean, attribute = request["mbean"], request.get("attribute")
    if _UNESCAPED_WILDCARD.search(mbean):
        for name, attributes in value.items() if isinstance(value, dict) else ():
            yield name, _flat(attributes)
    elif isinstance(attribute, str):
        yield mbean, _flat({attribute: value})
    else:
        yield mbean, _flat(value)


def _flat(attributes: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """Attributes, composite values taken apart: `HeapMemoryUsage/used`, as Jolokia's own paths have it."""
    if not isinstance(attributes, dict):
        return []
    found: list[tuple[str, Any]] = []
    for name, value in attributes.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{name}/")
        else:
            found.append((prefix + name, value))
    return found


def _value(raw: Any) -> tuple[float | None, str | None]:
    """The number, or the text, of an attribute; a list is kept as the text of its JSON."""
    if raw is None:
        return None, None
    if isinstance(raw, bool | int | float):
        try:
            number = float(raw)
        except OverflowError:
            return None, str(raw)
        return (number if math.isfinite(number) else None), None
    return None, raw if isinstance(raw, str) else json.dumps(raw, sort_keys=True)


def _properties(text: str) -> Iterator[tuple[str, str]]:
    """key=value pairs; a comma inside a quoted value does not end it."""
    at = 0
    while at < len(text):
        key, equals, rest = text[at:].partition("=")
        if not equals or not key:
            raise ValueError(f"{text!r} is no list of key=value")
        end = _end_of_value(rest)
        yield key, rest[:end]
        at += len(key) + 1 + end + 1


def _end_of_value(text: str) -> int:
    if not text.startswith('"'):
        return text.find(",") if "," in text else len(text)
    at = 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    if at >= len(text):
        raise ValueError(f"{text!r} has no closing quote")
    return at + 1


def _unquoted(value: str) -> str:
    if not (len(value) >= 2 and value[0] == value[-1] == '"'):
        return value
    return _QUOTED_ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1], value[1:-1])
