"""Kafka's frames as far as a proxy must understand them: whose request it is, its batches, its error.

Source: Kafka's protocol guide and clients/src/main/resources/common/message/*.json (Produce 3 to 13, JoinGroup 0 to 9,
LeaveGroup, Heartbeat, SyncGroup, FindCoordinator, ConsumerGroupHeartbeat).
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
ERRORS = {
    -1: "UNKNOWN_SERVER_ERROR", 0: "NONE", 3: "UNKNOWN_TOPIC_OR_PARTITION", 6: "NOT_LEADER_OR_FOLLOWER",
    7: "REQUEST_TIMED_OUT", 10: "MESSAGE_TOO_LARGE",
    14: "COORDINATOR_LOAD_IN_PROGRESS", 15: "COORDINATOR_NOT_AVAILABLE", 16: "NOT_COORDINATOR",
    19: "NOT_ENOUGH_REPLICAS", 20: "NOT_ENOUGH_REPLICAS_AFTER_APPEND", 22: "ILLEGAL_GENERATION",
    25: "UNKNOWN_MEMBER_ID", 27: "REBALANCE_IN_PROGRESS", 29: "TOPIC_AUTHORIZATION_FAILED", 30: "GROUP_AUTHORIZATION_FAILED",
    47: "INVALID_PRODUCER_EPOCH", 51: "CONCURRENT_TRANSACTIONS", 53: "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
    56: "KAFKA_STORAGE_ERROR", 59: "UNKNOWN_PRODUCER_ID", 79: "MEMBER_ID_REQUIRED", 82: "FENCED_INSTANCE_ID",
    87: "INVALID_RECORD", 90: "PRODUCER_FENCED", 110: "FENCED_MEMBER_EPOCH", 111: "UNRELEASED_INSTANCE_ID",
    113: "STALE_MEMBER_EPOCH",
}
# Where an answer's own error stands: the first version whose body begins with throttle_time_ms, and the first flexible.
_ERROR_AT = {"JoinGroup": (2, 6), "SyncGroup": (1, 4), "Heartbeat": (1, 4), "LeaveGroup": (1, 4), "InitProducerId": (0, 2),
             "EndTxn": (0, 3), "AddOffsetsToTxn": (0, 3), "ConsumerGroupHeartbeat": (0, 0), "ShareGroupHeartbeat": (0, 0),
             "StreamsGroupHeartbeat": (0, 0)}
_FLEXIBLE = {"Produce": 9, "JoinGroup": 6, "FindCoordinator": 3, "Heartbeat": 4, "LeaveGroup": 4, "SyncGroup": 4,
             "InitProducerId": 2, "EndTxn": 3, "AddOffsetsToTxn": 3, "ConsumerGroupHeartbeat": 0,
             "ShareGroupHeartbeat": 0, "StreamsGroupHeartbeat": 0}
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


def request_of(frame: bytes) -> Request:
    """A request, of the frame without its size."""
    reader = Reader(frame)
    key, version, correlation_id = reader.take("h"), reader.take("h"), reader.take("i")
    client_id = reader.text(False) or ""
    api = APIS.get(key, f"Api{key}")
    request = Request(api, key, version, correlation_id, client_id)
    body = _BODIES.get(api)
    if body is not None:
        flexible = version >= _FLEXIBLE[api]
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


def answer_of(request: Request, frame: bytes) -> dict[str, Any]:
    """What an answer says of itself: its error by name, the partitions of a Produce; nothing of others."""
    reader = Reader(frame)
    reader.take("i")
    flexible = request.version >= _FLEXIBLE.get(request.api, 1 << 15)
    reader.tags(flexible)
    if request.api == "Produce":
        partitions = _produced(reader, request, flexible)
        worst = next((error for _, error in partitions if error != "NONE"), "NONE")
        return {"error": worst, "partitions": partitions}
    if request.api == "FindCoordinator":
        return {"error": _coordinator(reader, request, flexible)}
    if request.api not in _ERROR_AT:
        return {}
    reader.at = _error_at(request, frame)
    code = reader.take("h")
    said = {"error": ERRORS.get(code, str(code))}
    if request.api == "JoinGroup" and code in (0, 79):
        said |= _joined(reader, request, flexible)
    return said


def _error_at(request: Request, frame: bytes) -> int:
    """Where an answer's own error stands in its frame."""
    reader = Reader(frame)
    reader.take("i")
    throttled_since, flexible_since = _ERROR_AT[request.api]
    reader.tags(request.version >= flexible_since)
    return reader.at + (4 if request.version >= throttled_since else 0)


def failed(request: Request, frame: bytes, code: int) -> bytes:
    """A broker's answer with another error in it; as it is where the answer has none of its own."""
    if request.api not in _ERROR_AT:
        return frame
    at = _error_at(request, frame)
    return frame[:at] + struct.pack(">h", code) + frame[at + 2 :]


def _produced(reader: Reader, request: Request, flexible: bool) -> list[list[Any]]:
    found: list[list[Any]] = []
    for _ in range(reader.count(flexible)):
        if request.version >= 13:
            reader.at += 16
        else:
            reader.text(flexible)
        for _ in range(reader.count(flexible)):
            partition, code = reader.take("i"), reader.take("h")
            reader.at += 8 + (8 if request.version >= 2 else 0) + (8 if request.version >= 5 else 0)
            if request.version >= 8:
                for _ in range(reader.count(flexible)):
                    reader.take("i")
                    reader.text(flexible)
                    reader.tags(flexible)
                reader.text(flexible)
            reader.tags(flexible)
            found.append([partition, ERRORS.get(code, str(code))])
        reader.tags(flexible)
    return found


def _coordinator(reader: Reader, request: Request, flexible: bool) -> str:
    if request.version >= 1:
        reader.take("i")
    if request.version >= 4:
        if reader.count(flexible) < 1:
            return "NONE"
        reader.text(flexible)
        reader.take("i")
        reader.text(flexible)
        reader.take("i")
    code = reader.take("h")
    return ERRORS.get(code, str(code))


def _joined(reader: Reader, request: Request, flexible: bool) -> dict[str, Any]:
    generation = reader.take("i")
    if request.version >= 7:
        reader.text(flexible)
    reader.text(flexible)
    reader.text(flexible)
    if request.version >= 9:
        reader.take("b")
    return {"generation": generation, "member_id": reader.text(flexible)}


def refused(request: Request, code: int) -> bytes:
    """The answer of a broker that refuses a Produce or a JoinGroup; the frame without its size."""
    flexible = request.version >= _FLEXIBLE[request.api]
    if request.api == "Produce":
        return _refused_batches(request, code, flexible)
    none = b"\0" if flexible else struct.pack(">h", -1)
    return b"".join((
        struct.pack(">i", request.correlation_id),
        b"\0" if flexible else b"",
        struct.pack(">i", 0) if request.version >= 2 else b"",
        struct.pack(">hi", code, -1),
        none if request.version >= 7 else b"",  # protocol_type
        none if request.version >= 7 else _string("", flexible),  # protocol_name
        _string("", flexible),  # leader
        b"\0" if request.version >= 9 else b"",
        _string(request.says["member_id"] or "", flexible),
        _many(0, flexible),
        b"\0" if flexible else b"",
    ))  # fmt: skip


def _refused_batches(request: Request, code: int, flexible: bool) -> bytes:
    topics: dict[bytes | str | None, list[int]] = {}
    for topic, partition, _ in request.produced:
        topics.setdefault(topic, []).append(partition)
    parts = [
        struct.pack(">i", request.correlation_id),
        b"\0" if flexible else b"",
        _many(len(topics), flexible),
    ]
    for topic, partitions in topics.items():
        parts.append(topic if isinstance(topic, bytes) else _string(topic or "", flexible))
        parts.append(_many(len(partitions), flexible))
        for partition in partitions:
            parts.append(struct.pack(">ihq", partition, code, -1))
            parts.append(struct.pack(">q", -1) if request.version >= 2 else b"")
            parts.append(struct.pack(">q", -1) if request.version >= 5 else b"")
            if request.version >= 8:
                parts.append(_many(0, flexible) + (b"\0" if flexible else struct.pack(">h", -1)))
            parts.append(b"\0" if flexible else b"")
        parts.append(b"\0" if flexible else b"")
    parts.append(struct.pack(">i", 0) + (b"\0" if flexible else b""))
    return b"".join(parts)


def _many(number: int, flexible: bool) -> bytes:
    return bytes([number + 1]) if flexible else struct.pack(">i", number)


def _string(text: str, flexible: bool) -> bytes:
    encoded = text.encode()
    return (bytes([len(encoded) + 1]) if flexible else struct.pack(">h", len(encoded))) + encoded
