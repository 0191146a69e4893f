"""A Kafka message -> the log lines it carries, with the origin whose lines they are and their place in it.

The place is the shipper's own where it sends path and byte offset (Filebeat's log.file.path and log.offset; Fluent Bit's
path_key and offset_key; Vector's file and offset): then lines are put in order, and told from copies, however they came.
Else it is the message's place in its partition, which no copy shares.

Sources: Filebeat reference, Exported fields (Log file content fields); Fluent Bit manual, Tail (offset_key, path_key);
Vector reference, file source (file_key, offset_key, host_key).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from transforms.parse.layouts.wrappers import OF_RUNTIMES, Wrapped, unwrapped
from transforms.parse.lines.jsonlines import SHIPPED, Json, is_log, load, lookup, text_of
from transforms.parse.secrets.redact import REDACTED, redact
from transforms.when_used import when_used

# Envelopes that a message's text may have one inside the other, outermost first.
ENVELOPES = (*(("envelope", *one) for one in OF_RUNTIMES), *OF_RUNTIMES)
# A message's bytes have room behind its offset, so that several records of one message are apart.
MESSAGE_BITS = 20

# A line of a private key: apart from its first line nothing says so, and lines come apart.
KEY_BODY = when_used(r"(?=[A-Za-z]*[\d+/=])[A-Za-z0-9+/]{24,}={0,2}")

SHIPPER, TOPIC = "shipper", "topic_offset"


@dataclass(frozen=True, slots=True)
class ShippedSource:
    """Whose lines they are. origin_id: sha2 of what tells it from others; path: of its file, where a shipper says so."""

    origin_id: str
    identity: str
    path: str
    service: str | None
    instance: str | None
    container: str | None


@dataclass(slots=True)
class Line:
    """One line in its origin. position: its first byte's; end: where the next one begins, if nothing is missing.

    text: redacted, cut to what is kept of a record. size: bytes of the message that are its own; lines: how many it stands
    for. number: the message's offset, 0 where the shipper's place is the line's. at: the envelope's time. goes_on: a runtime
    cut it, and the next one is its rest. is_open: it ends without a newline.
    """

    position: int
    end: int
    text: str
    size: int
    number: int = 0
    at: str | None = None
    lines: int = 1
    is_cut: bool = False
    goes_on: bool = False
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message. topic_id: the broker's own id of the topic, or its name: a topic made anew is another."""

    topic: str
    topic_id: str
    partition: int
    offset: int
    value: bytes | None


def lines_of(message: Message, longest: int) -> Iterator[tuple[ShippedSource, Line]]:
    """The lines of one message, in order. longest: characters kept of a line."""
    value = message.value or b""
    text = value.decode("utf-8", "replace")
    envelope = load(text) if text.startswith("{") else None
    if envelope is not None and is_log(envelope):
        wrapped = Wrapped(text.rstrip("\r\n"))
    else:
        found = unwrapped(text.rstrip("\r\n"), ENVELOPES)
        wrapped = found or Wrapped(text.removesuffix("\n").removesuffix("\r"))
    path, begin = _shipped(envelope) if envelope is not None else (None, None)
    if path is not None and begin is not None and envelope is not None:
        origin, number = _of_shipper(message, envelope, path, wrapped), 0
    else:
        origin, number, begin = _of_topic(message, wrapped), message.offset, message.offset << MESSAGE_BITS
    left = len(value)
    parts = wrapped.payload.split("\n")
    last = (message.offset + 1) << MESSAGE_BITS
    for count, part in enumerate(parts, 1):
        length = len(part.encode("utf-8", "replace")) + 1
        size = left if count == len(parts) else min(left, length)
        left -= size
        end = begin + length
        if origin.identity == TOPIC:
            begin, end = min(begin, last - 1), last if count == len(parts) else min(end, last)
        clean = REDACTED if KEY_BODY.fullmatch(part.strip()) else redact(part.rstrip("\r"))
        yield origin, Line(begin, end, clean[:longest], size, number, wrapped.at, is_cut=len(clean) > longest)
        begin = end


def _shipped(envelope: Json) -> tuple[str | None, int | None]:
    path, offset = lookup(envelope, SHIPPED["path"]), lookup(envelope, SHIPPED["offset"])
    is_place = isinstance(path, str) and type(offset) is int and offset >= 0  # a truth value is none
    return (path, offset) if is_place else (None, None)


def _of_shipper(message: Message, envelope: Json, path: str, wrapped: Wrapped) -> ShippedSource:
    host, file = text_of(lookup(envelope, SHIPPED["host"])), text_of(lookup(envelope, SHIPPED["file"]))
    named = (wrapped.container or "") if wrapped.container != path else ""
    key = (SHIPPER, message.topic, host or "", path, file or "", named)
    container = wrapped.container if named and wrapped.instance is None else None
    instance = wrapped.instance
    if instance is None and host is not None:
        instance = f"{host}/{path.replace(chr(92), '/').rsplit('/', 1)[-1]}"
    place = f"{host}:{path}" if host else path
    return ShippedSource(_id(key), SHIPPER, place, wrapped.service, instance, container)


def _of_topic(message: Message, wrapped: Wrapped) -> ShippedSource:
    names = (wrapped.service, wrapped.instance, wrapped.container)
    told = (name or "" for name in (*names, wrapped.stream))
    key = (TOPIC, message.topic_id, str(message.partition), *told)
    return ShippedSource(_id(key), TOPIC, f"{message.topic}/{message.partition}", *names)


def _id(parts: tuple[str, ...]) -> str:
    return sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()
