"""librdkafka's statistics (`statistics.interval.ms`), one JSON object a line -> metric samples.

There are no MBeans: what stands for one is `librdkafka:type=client|broker|group|topic|partition,client-id=NAME,..`, where
NAME is the handle that its log lines name too (`pay#producer-1`). Attributes are as STATISTICS.md spells them; those of a
window are `int_latency/p99`. Latencies are microseconds, as written: `int_latency` (in the client's queue), `outbuf_latency`
(before the socket) and `rtt` are the stages of a produce request that Java does not tell apart (KIP-91).

Source: librdkafka, STATISTICS.md; rd_kafka_stats_emit_all.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from transforms.parse.metrics.samples import (
    MetricBooks,
    MetricSample,
    inside,
    instant_ms,
    mbean_from,
    value_of,
)

DOMAIN = "librdkafka"
# Of a window's twelve values; the others are its make.
OF_WINDOW = ("min", "avg", "max", "p50", "p99", "cnt")
WINDOWS = frozenset({"int_latency", "outbuf_latency", "rtt", "throttle", "batchsize", "batchcnt"})
# The internal partition of messages that have none yet.
UNASSIGNED = "-1"


def is_statistics(document: Mapping[str, Any]) -> bool:
    """Whether a JSON object is one."""
    return document.get("type") in ("producer", "consumer") and "replyq" in document and "ts" in document


def read_statistics(document: Mapping[str, Any], books: MetricBooks) -> Iterator[MetricSample]:
    """The samples of one emission. Reasons: `no_timestamp`, `no_value`."""
    books.responses += 1
    at, name = instant_ms(document.get("time")), document.get("name")
    if at is None or not isinstance(name, str):
        books.skipped["no_timestamp"] += 1
        return
    client = {"client-id": name}
    yield from _samples(at, client | {"type": "client"}, document, books)
    for node, broker in _objects(document, "brokers"):
        yield from _samples(at, client | {"type": "broker", "node": node}, broker, books)
    yield from _samples(at, client | {"type": "group"}, inside(document, "cgrp"), books)
    for topic, told in _objects(document, "topics"):
        yield from _samples(at, client | {"type": "topic", "topic": topic}, told, books)
        for number, partition in _objects(told, "partitions"):
            if number != UNASSIGNED:
                tags = client | {"type": "partition", "topic": topic, "partition": number}
                yield from _samples(at, tags, partition, books)


def _objects(holder: Mapping[str, Any], name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    return ((str(key), one) for key, one in inside(holder, name).items() if isinstance(one, dict))


def _samples(
    at: int, tags: Mapping[str, str], told: Mapping[str, Any], books: MetricBooks
) -> Iterator[MetricSample]:
    """The plain values of an object, and of its windows those that tell something."""
    mbean = mbean_from(DOMAIN, tags)
    for name, raw in told.items():
        is_window = name in WINDOWS and isinstance(raw, dict)
        values = {f"{name}/{one}": raw.get(one) for one in OF_WINDOW} if is_window else {name: raw}
        for attribute, found in values.items():
            if isinstance(found, dict | list):
                continue  # read on their own, or of no use: requests by API
            if found is None:
                books.skipped["no_value"] += 1
                continue
            yield books.sample(at, 0, mbean, attribute, value_of(found))
