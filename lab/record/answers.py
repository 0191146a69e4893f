"""Kafka's answers as far as a proxy must understand them: their errors, read and put there.

Source: Kafka's protocol guide and clients/src/main/resources/common/message/*Response.json, as of 4.3.
"""

import re
import struct
from collections.abc import Iterator
from functools import cache
from typing import Any

from lab.record.frames import Reader, Request, is_flexible

# fmt: off
ERRORS = {
    -1: "UNKNOWN_SERVER_ERROR", 0: "NONE", 1: "OFFSET_OUT_OF_RANGE", 2: "CORRUPT_MESSAGE", 3: "UNKNOWN_TOPIC_OR_PARTITION",
    5: "LEADER_NOT_AVAILABLE", 6: "NOT_LEADER_OR_FOLLOWER", 7: "REQUEST_TIMED_OUT", 10: "MESSAGE_TOO_LARGE",
    12: "OFFSET_METADATA_TOO_LARGE", 14: "COORDINATOR_LOAD_IN_PROGRESS", 15: "COORDINATOR_NOT_AVAILABLE",
    16: "NOT_COORDINATOR", 19: "NOT_ENOUGH_REPLICAS", 20: "NOT_ENOUGH_REPLICAS_AFTER_APPEND", 22: "ILLEGAL_GENERATION",
    25: "UNKNOWN_MEMBER_ID", 27: "REBALANCE_IN_PROGRESS", 29: "TOPIC_AUTHORIZATION_FAILED", 30: "GROUP_AUTHORIZATION_FAILED",
    47: "INVALID_PRODUCER_EPOCH", 48: "INVALID_TXN_STATE", 49: "INVALID_PRODUCER_ID_MAPPING", 51: "CONCURRENT_TRANSACTIONS",
    53: "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", 56: "KAFKA_STORAGE_ERROR", 59: "UNKNOWN_PRODUCER_ID",
    74: "FENCED_LEADER_EPOCH", 76: "UNKNOWN_LEADER_EPOCH", 78: "OFFSET_NOT_AVAILABLE", 79: "MEMBER_ID_REQUIRED",
    82: "FENCED_INSTANCE_ID", 87: "INVALID_RECORD", 88: "UNSTABLE_OFFSET_COMMIT", 90: "PRODUCER_FENCED",
    100: "UNKNOWN_TOPIC_ID", 110: "FENCED_MEMBER_EPOCH", 111: "UNRELEASED_INSTANCE_ID", 113: "STALE_MEMBER_EPOCH",
    122: "SHARE_SESSION_NOT_FOUND", 123: "INVALID_SHARE_SESSION_EPOCH",
}

# An answer's body up to its last error: struct codes, `text`, `bytes`, `uuid` and `error`, brackets around what an array
# repeats; after each the versions that have it, all where none are named.
_COMMITTED = "[i q i5+ text error]"
_SHAPES = {
    "Produce": "[text0-12 uuid13+ [i error q q2+ q5+ [i text]8+ text8+]]",
    "Fetch": "i1+ h7+ i7+ [text0-12 uuid13+ [i error q q4+ q5+ [q q]4+ i11+ bytes]]",
    "ListOffsets": "i2+ [text [i error [q]0-0 q1+ q1+ i4+]]",
    "Metadata": "i3+ [i text i text1+] text2+ i1+ [error text uuid10+ b1+ [h i i i7+ [i] [i] [i]5+] i8+]",
    "OffsetCommit": "i3+ [text0-9 uuid10+ [i error]]",
    "OffsetFetch": f"i3+ [text {_COMMITTED}]0-7 error2-7 [text [text0-9 uuid10+ {_COMMITTED}] error]8+",
    "FindCoordinator": "i1+ error0-3 [text i text i error text]4+",
    "JoinGroup": "i2+ error",
    **dict.fromkeys(("SyncGroup", "Heartbeat", "LeaveGroup"), "i1+ error"),
    **dict.fromkeys(("AddPartitionsToTxn", "TxnOffsetCommit"), "i [text [i error]]"),
    **dict.fromkeys(("InitProducerId", "EndTxn", "AddOffsetsToTxn", "ConsumerGroupHeartbeat", "ShareGroupHeartbeat",
                     "StreamsGroupHeartbeat", "ShareFetch", "ShareAcknowledge"), "i error"),
}
_PART = re.compile(r"(?P<kind>\[|\]|[a-z]+)(?:(?P<since>\d+)(?:\+|-(?P<until>\d+)))?")
# fmt: on


def answer_of(request: Request, frame: bytes) -> dict[str, Any]:
    """What an answer says of itself: its error by name, the first of several, and the partitions of a Produce."""
    if request.api not in _SHAPES:
        return {}
    places = list(_errors_at(request, frame))
    names = [_named(frame, at) for at in places]
    said: dict[str, Any] = {"error": next((name for name in names if name != "NONE"), "NONE")}
    if request.api == "Produce":  # a partition's number stands before its error
        numbers = [struct.unpack_from(">i", frame, at - 4)[0] for at in places]
        said["partitions"] = [list(pair) for pair in zip(numbers, names, strict=True)]
    if request.api == "JoinGroup" and said["error"] in ("NONE", "MEMBER_ID_REQUIRED"):
        said |= _joined(request, frame, places[0] + 2)
    return said


def failed(request: Request, frame: bytes, code: int) -> bytes:
    """A broker's answer with another error in it, wherever it has one; as it is where it has none."""
    changed = bytearray(frame)
    if request.api in _SHAPES:
        for at in _errors_at(request, frame):
            struct.pack_into(">h", changed, at, code)
    return bytes(changed)


def _named(frame: bytes, at: int) -> str:
    (code,) = struct.unpack_from(">h", frame, at)
    return ERRORS.get(code, str(code))


def _errors_at(request: Request, frame: bytes) -> Iterator[int]:
    """Where in an answer its errors stand."""
    reader, flexible = Reader(frame), is_flexible(request)
    reader.take("i")
    reader.tags(flexible)
    return _within(reader, _parts(request.api, request.version), flexible)


@cache
def _parts(api: str, version: int) -> list[Any]:
    """What an answer of that version consists of: a kind each, a list for an array of such."""
    open_arrays: list[list[Any]] = [[]]
    for part in _PART.finditer(_SHAPES[api]):
        if part["kind"] == "[":
            open_arrays.append([])
            continue
        kind = open_arrays.pop() if part["kind"] == "]" else part["kind"]
        if int(part["since"] or 0) <= version <= int(part["until"] or version):
            open_arrays[-1].append(kind)
    return open_arrays[0]


def _within(reader: Reader, parts: list[Any], flexible: bool) -> Iterator[int]:
    for kind in parts:
        if isinstance(kind, list):
            for _ in range(reader.count(flexible)):
                yield from _within(reader, kind, flexible)
                reader.tags(flexible and len(kind) > 1)  # what is a number alone has none
        elif kind == "error":
            yield reader.at
            reader.take("h")
        elif kind in ("text", "bytes"):
            reader.raw(flexible, wide=kind == "bytes")
        else:
            reader.take("16s" if kind == "uuid" else kind)


def _joined(request: Request, frame: bytes, at: int) -> dict[str, Any]:
    """The generation and the member's id, after the error of a JoinGroup's answer."""
    reader, flexible = Reader(frame), is_flexible(request)
    reader.at = at
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
    flexible = is_flexible(request)
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
