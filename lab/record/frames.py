"""Kafka's requests as far as a proxy must understand them: whose each is, its batches, its member. Answers: answers.py.

Source: Kafka's protocol guide and clients/src/main/resources/common/message/*.json (Produce 3 to 13, JoinGroup 0 to 9,
ConsumerGroupHeartbeat and its like).
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# fmt: off
APIS = {
    0: "Produce", 1: "Fetch", 2: "ListOffsets", 3: "Metadata", 8: "OffsetCommit", 9: "OffsetFetch", 10: "FindCoordinator",
    11: "JoinGroup", 12: "Heartbeat", 13: "LeaveGroup", 14: "SyncGroup", 15: "DescribeGroups", 17: "SaslHandshake",
    18: "ApiVersions", 19: "CreateTopics", 22: "InitProducerId", 23: "OffsetForLeaderEpoch", 24: "AddPartitionsToTxn",
    25: "AddOffsetsToTxn", 26: "EndTxn", 28: "TxnOffsetCommit", 32: "DescribeConfigs", 60: "DescribeCluster",
    68: "ConsumerGroupHeartbeat", 69: "ConsumerGroupDescribe", 71: "GetTelemetrySubscriptions", 72: "PushTelemetry",
    75: "DescribeTopicPartitions", 76: "ShareGroupHeartbeat", 78: "ShareFetch", 79: "ShareAcknowledge",
    88: "StreamsGroupHeartbeat",
}
_FLEXIBLE_SINCE = {
    "Produce": 9, "Fetch": 12, "ListOffsets": 6, "Metadata": 9, "OffsetCommit": 8, "OffsetFetch": 6, "FindCoordinator": 3,
    "JoinGroup": 6, "Heartbeat": 4, "LeaveGroup": 4, "SyncGroup": 4, "InitProducerId": 2, "AddPartitionsToTxn": 3,
    "AddOffsetsToTxn": 3, "EndTxn": 3, "TxnOffsetCommit": 3, "ConsumerGroupHeartbeat": 0, "ShareGroupHeartbeat": 0,
    "ShareFetch": 0, "ShareAcknowledge": 0, "StreamsGroupHeartbeat": 0,
}
# fmt: on


class Reader:
    """Takes Kafka's primitive types off the front of a frame."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, form: str) -> Any:
        """One number, by its struct code."""
        (value,) = struct.unpack_from(f">{form}", self.data, self.at)
        self.at += struct.calcsize(f">{form}")
        return value

    def varint(self) -> int:
        """An unsigned varint."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def raw(self, flexible: bool, *, wide: bool = False) -> bytes | None:
        """A string or bytes, None where null; wide: with four bytes of length where it is not compact."""
        size = self.varint() - 1 if flexible else self.take("i" if wide else "h")
        if size < 0:
            return None
        self.at += size
        return self.data[self.at - size : self.at]

    def text(self, flexible: bool) -> str | None:
        value = self.raw(flexible)
        return None if value is None else value.decode(errors="replace")

    def count(self, flexible: bool) -> int:
        """How many items an array has."""
        return self.varint() - 1 if flexible else int(self.take("i"))

    def tags(self, flexible: bool) -> None:
        """Pass over tagged fields."""
        if flexible:
            for _ in range(self.varint()):
                self.varint()
                size = self.varint()
                self.at += size


@dataclass(slots=True)
class Request:
    """One request's head, and of those that matter what their bodies say."""

    api: str
    key: int
    version: int
    correlation_id: int
    client_id: str
    says: dict[str, Any] = field(default_factory=dict)
    produced: list[tuple[bytes | str | None, int, dict[str, Any]]] = field(default_factory=list)
    acks: int = -1


def is_flexible(request: Request) -> bool:
    """Whether a request and its answer have compact lengths and tagged fields (KIP-482)."""
    return request.version >= _FLEXIBLE_SINCE[request.api]


def request_of(frame: bytes) -> Request:
    """A request, of the frame without its size."""
    reader = Reader(frame)
    key, version, correlation_id = reader.take("h"), reader.take("h"), reader.take("i")
    client_id = reader.text(False) or ""
    api = APIS.get(key, f"Api{key}")
    request = Request(api, key, version, correlation_id, client_id)
    body = _BODIES.get(api)
    if body is not None:
        flexible = is_flexible(request)
        reader.tags(flexible)
        body(reader, request, flexible)
    return request


def _produce(reader: Reader, request: Request, flexible: bool) -> None:
    reader.text(flexible)
    request.acks = reader.take("h")
    reader.take("i")
    for _ in range(reader.count(flexible)):
        topic: bytes | str | None
        if request.version >= 13:
            topic = reader.data[reader.at : reader.at + 16]
            reader.at += 16
        else:
            topic = reader.text(flexible)
        for _ in range(reader.count(flexible)):
            partition = reader.take("i")
            records = reader.raw(flexible, wide=True)
            reader.tags(flexible)
            request.produced.append((topic, partition, _batch(partition, records)))
        reader.tags(flexible)
    request.says["batches"] = [batch for _, _, batch in request.produced]


def _batch(partition: int, records: bytes | None) -> dict[str, Any]:
    if records is None or len(records) < 61 or records[16] != 2:
        return {"partition": partition}
    crc, _, _, created, _, _, _, sequence, count = struct.unpack_from(">IhiqqqhiI", records, 17)
    return {
        "partition": partition,
        "crc": crc,
        "created_ms": created,
        "base_seq": sequence,
        "records": count,
    }


def _join(reader: Reader, request: Request, flexible: bool) -> None:
    request.says["group"] = reader.text(flexible)
    request.says["session_timeout_ms"] = reader.take("i")
    if request.version >= 1:
        request.says["rebalance_timeout_ms"] = reader.take("i")
    request.says["member_id"] = reader.text(flexible)
    if request.version >= 5:
        request.says["group_instance_id"] = reader.text(flexible)


def _heartbeat848(reader: Reader, request: Request, flexible: bool) -> None:
    request.says |= {"group": reader.text(flexible), "member_id": reader.text(flexible)}
    request.says["member_epoch"] = reader.take("i")


_BODIES: dict[str, Callable[[Reader, Request, bool], None]] = {
    "Produce": _produce,
    "JoinGroup": _join,
    "ConsumerGroupHeartbeat": _heartbeat848,
    "ShareGroupHeartbeat": _heartbeat848,
    "StreamsGroupHeartbeat": _heartbeat848,
}
