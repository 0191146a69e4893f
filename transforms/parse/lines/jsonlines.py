"""JSON log lines: one object (OTLP: many records in one) -> the parts of a record.

They differ in their fields' names only, which are fields.yaml's; dotted names may be nested. OTLP JSON lines are read, too.
"""

import binascii
import json
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from transforms import yaml_text
from transforms.parse.catalogue.anchors import CONTEXT, is_kafka_logger
from transforms.parse.catalogue.exceptions import is_thrown_text
from transforms.parse.catalogue.other_clients import SYSLOG
from transforms.parse.lines.tokens import Head, normal_level
from transforms.well_formed import well_formed_json
from transforms.when_used import when_used

Json = dict[str, Any]

_NAMES = yaml_text.of_package("transforms.parse", "fields.yaml")
FIELDS, SHIPPED, LOGFMT = (
    {what: tuple(names) for what, names in _NAMES[notation].items()}
    for notation in ("json", "shipped", "logfmt")
)
KAFKAJS: dict[str, str] = _NAMES["kafkajs"]
PINO = {10: "TRACE", 20: "DEBUG", 30: "INFO", 40: "WARN", 50: "ERROR", 60: "FATAL"}  # bunyan's, too
BEGINS_OBJECT = when_used(r"[\[ \t`]{0,4}\{(?:\s*\"|\s*$)")
# What an author left out of an object, behind a whole field.
_ELIDED = when_used(r"(?<=[\"}\]]),?[ \t]*(?:\.{3}|\u2026)[ \t]*(?=[,}]|$)")
_FIELD_ENDS = when_used(r',(?=")')
_MEMBER = when_used(r'"[\w@.\-]{1,40}" ?: ?"')
_NEXT = when_used(r"[\[,\s]*\{")
_DECODER = json.JSONDecoder(strict=False)
MOST_CUT = 12  # fields before the cut that may be broken by it, or hold what looks like one
DEEPEST = 3  # members of members that may hold the record


@dataclass(slots=True)
class JsonRecord(Head):
    """What one JSON log record says, its stack trace at the message's end. text: where its line holds several."""

    service: str | None = None
    instance: str | None = None
    text: str | None = None


def load(line: str) -> Json | None:
    """The object of a line, or of several, in an array or not; None where there is none."""
    try:
        # What a list, a table or a program put behind it.
        whole = line if line.endswith("}") else line.rstrip(",;]|`'\"\\ \t\r\n")
        value = well_formed_json(_DECODER.decode(whole), line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def glued(line: str) -> list[str]:
    """The objects that stand right behind each other, as shippers write them that end no line, or on several lines each."""
    parts, at = [], 0
    while (begin := _NEXT.match(line, at)) is not None:
        try:
            at = _DECODER.raw_decode(line, begin.end() - 1)[1]
        except (ValueError, RecursionError):
            break
        parts.append(line[begin.end() - 1 : at])
    return parts


def cut_off(line: str) -> Json | None:
    """The log record of a line that was cut, with its fields up to the last whole one, or its message as far as it goes;
    None where it is none. Fields that an author left out are not there."""
    line = _ELIDED.sub("", line)
    if (rest := load(line)) is not None and is_log(rest):
        return rest
    ends = [found.start() for found in _FIELD_ENDS.finditer(line)][-MOST_CUT:]
    wholes = (load(line[:end] + "}") or load(line[:end] + "}}") for end in reversed(ends))
    value, closed, trace = next(filter(None, wholes), None), _closed(line), FIELDS["trace"]
    is_cut_in_trace = closed is not None and lookup(value or {}, trace) != lookup(closed, trace)
    return value if value is not None and is_log(value) and not is_cut_in_trace else closed


def _closed(line: str) -> Json | None:
    """The log record of a line that was cut within its message or its trace, which so is the last of its fields."""
    value = load(line.rstrip("\\") + '"}') or load(line.rstrip("\\") + '"}}')
    if value is not None and CONTEXT.match(text_of(lookup(value, FIELDS["message"])) or ""):
        value = {"level": "", **value}  # its level and its logger may stand behind the cut
    return value if value is not None and is_log(value) else None


def behind(text: str) -> str | None:
    """The object at the end of a line that is a record with a logger of Kafka's, cut or not, whatever stands before: on the
    line, or above it."""
    text = " {" + text if _MEMBER.match(text) else text  # a paste that lost its first brace
    at = text.find('{"')
    end = text.find("\n", at)
    is_last = end < 0 or text.find('{"', end) < 0  # of several each is one of its own
    if at <= 0 or not is_last or not (text.endswith("}") or '"message"' in text):
        return None
    inner = text[at:] if end < 0 else text[at:end]
    value = load(inner) or cut_off(inner)
    found = _record_in(value) if value is not None else None
    logger = lookup(found, FIELDS["logger"]) if found is not None else None
    return inner if isinstance(logger, str) and is_kafka_logger(logger) else None


def lookup(value: Json, names: tuple[str, ...]) -> Any:
    """The first of these fields that is there and not null; a dotted name is one key or a path."""
    for name in names:
        found = value.get(name)
        if found is None and "." in name:
            holder, _, rest = name.partition(".")
            within = value.get(holder)
            found = lookup(within, (rest,)) if isinstance(within, dict) else None
        if found is not None:
            return found
    return None


def is_log(value: Json) -> bool:
    """Whether an object is a log record itself, not an envelope around a line."""
    return "resourceLogs" in value or _record_in(value) is not None


def _record_in(value: Json, depth: int = 0) -> Json | None:
    """The object that is the record: this one, its names with a word of their own before them all or not (`log_message`,
    `log_level`), or the member of it that an exporter put the record into."""
    leads = (key[: -len("message")] for key in value if key.endswith("_message"))
    led = ({key.removeprefix(lead): value[key] for key in value if key.startswith(lead)} for lead in leads)
    for one in chain([value], led):
        # An exporter's member may have its level and logger in one of its own.
        for held in objects_in(one, depth > 0) if lookup(one, FIELDS["message"]) is not None else ():
            level = lookup(held, FIELDS["level"])
            if isinstance(level, str | int) or isinstance(lookup(held, FIELDS["logger"]), str):
                return value if held is value else {**held, **value, **one}
    if depth == DEEPEST:
        return None
    for member in value.values():
        if isinstance(member, dict) and (found := _record_in(member, depth + 1)) is not None:
            return {**value, **found}
    return None


def records_of(value: Json) -> Iterator[JsonRecord]:
    """The log records of one line's object. Empty where it holds none."""
    if "resourceLogs" in value:
        yield from _otlp(value)
    elif (found := _record_in(value)) is not None:
        yield _record(found)


def _record(value: Json) -> JsonRecord:
    message = lookup(value, FIELDS["message"])
    if isinstance(message, dict):  # by a name of its own, or alone in it
        message = lookup(message, FIELDS["message"]) or next(iter(message.values()), None)
    message = text_of(message) or ""
    trace = _trace(lookup(value, FIELDS["trace"]))
    if trace is None and isinstance(value.get("error"), dict):
        trace = _throwable(value["error"])  # ECS without stack traces: type and message
    trace = _thrown_in(value) if trace is None else trace
    if trace is None and "full_message" in value:
        trace = (text_of(value["full_message"]) or "").removeprefix(message).strip("\n") or None
    message = message.rstrip()
    if trace and trace.strip() and trace not in message:
        message = f"{message}\n{trace.rstrip()}" if message else trace.rstrip()
    return JsonRecord(
        message=message,
        at=time_of(lookup(value, FIELDS["time"])),
        level=_level(lookup(value, FIELDS["level"])),
        logger=text_of(lookup(value, FIELDS["logger"]) or ("levelname" in value and value.get("name"))),
        thread=text_of(lookup(value, FIELDS["thread"])),
        service=text_of(lookup(value, FIELDS["service"])),
        instance=text_of(lookup(value, FIELDS["instance"])),
    )


def objects_in(value: Json, deepest: int) -> Iterator[Json]:
    """An object, and those that are members of it, or of its members as far as that."""
    yield value
    for member in value.values() if deepest else ():
        if isinstance(member, dict):
            yield from objects_in(member, deepest - 1)


def _thrown_in(value: Json) -> str | None:
    """The first text of an object, or of its members, that is what was thrown, whatever it is called."""
    texts = (one for held in objects_in(value, DEEPEST) for one in held.values() if isinstance(one, str))
    return next(filter(is_thrown_text, texts), None)


def _level(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return SYSLOG[value] if 0 <= value < len(SYSLOG) else PINO.get(value)
    return normal_level(value) if isinstance(value, str) and value else None


def time_of(value: Any) -> str | None:
    """A time as written, a number or log4j2's instant as digits of an epoch."""
    if isinstance(value, dict) and isinstance(value.get("epochSecond"), int):
        return f"{value['epochSecond']:010d}.{int(value.get('nanoOfSecond') or 0):09d}"
    if isinstance(value, float):
        return f"{value:.3f}"
    return text_of(value)


def time_in(value: Json, deepest: int) -> str | None:
    """The time of a shipper's object, or of the first member that has one."""
    times = (lookup(one, SHIPPED["time"]) for one in objects_in(value, deepest))
    return time_of(next(filter(None, times), None))


def text_of(value: Any) -> str | None:
    """A field's text, or its number as text; None where it holds neither, or nothing."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value or None if isinstance(value, str) else None


def _trace(value: Any) -> str | None:
    if isinstance(value, list):
        return "\n".join(str(line) for line in value)
    return _throwable(value) if isinstance(value, dict) else text_of(value)


def _throwable(value: Json, depth: int = 0) -> str | None:
    """A throwable written as an object, as Java prints it: class, message, frames, causes."""
    text = text_of(lookup(value, ("stacktrace", "stack_trace", "extendedStackTrace", "stackTrace")))
    if text:
        return text
    name = text_of(lookup(value, ("name", "className", "exceptionType", "exception_class", "type", "class")))
    if name is None or depth > 20:
        return None
    message = text_of(lookup(value, ("message", "exception_message", "localizedMessage", "msg", "value")))
    lines = [f"{name}: {message}" if message else name]
    frames = lookup(value, ("extendedStackTrace", "stepArray", "frames", "stackTrace"))
    for frame in frames if isinstance(frames, list) else ():
        if isinstance(frame, dict):
            parts = lookup(frame, ("file", "fileName")), lookup(frame, ("line", "lineNumber"))
            place = ":".join(str(part) for part in parts if part is not None)
            where = lookup(frame, ("class", "className"))
            lines.append(f"\tat {where}.{lookup(frame, ('method', 'methodName'))}({place})")
        else:
            lines.append(f"\tat {frame}")
    cause = lookup(value, ("cause", "causedBy.exception", "causedBy"))
    below = _throwable(cause, depth + 1) if isinstance(cause, dict) else None
    if below:
        lines.append(f"Caused by: {below}")
    return "\n".join(lines)


def dicts_in(value: Any) -> list[Json]:
    """The objects of a list; none of what is no list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def attributes_of(holder: Any) -> dict[str, str]:
    """OTLP's attributes of a resource, a scope, a record or a point, as texts."""
    found: dict[str, str] = {}
    for entry in dicts_in(holder.get("attributes")) if isinstance(holder, dict) else ():
        key, value = entry.get("key"), entry.get("value")
        if isinstance(key, str) and isinstance(value, dict) and value:
            found[key] = _attribute(*next(iter(value.items())))
    return found


def _attribute(kind: str, raw: Any) -> str:
    if kind == "bytesValue" and isinstance(raw, str):
        try:
            return b64decode(raw).decode("utf-8", "replace")
        except binascii.Error:
            return raw
    return str(raw).lower() if isinstance(raw, bool) else str(raw)


def _otlp(value: Json) -> Iterator[JsonRecord]:
    """OTLP JSON: logger = scope name, thread and exception from the semantic conventions' attributes."""
    for resource_logs in dicts_in(value["resourceLogs"]):
        resource = attributes_of(resource_logs.get("resource"))
        for scope_logs in dicts_in(resource_logs.get("scopeLogs")):
            scope = scope_logs.get("scope")
            logger = text_of(scope.get("name")) if isinstance(scope, dict) else None
            for log in dicts_in(scope_logs.get("logRecords")):
                yield _otlp_record(log, logger, resource)


def _otlp_record(log: Json, logger: str | None, resource: dict[str, str]) -> JsonRecord:
    attributes, body, at = attributes_of(log), log.get("body"), log.get("timeUnixNano")
    record = _record(
        {
            "message": next(iter(body.values()), None) if isinstance(body, dict) else body,
            "time": log.get("observedTimeUnixNano") if at in (None, "0") else at,
            "level": log.get("severityText") or _otlp_severity(log.get("severityNumber")),
            "logger": attributes.get("log.logger") or logger or None,
            "thread": attributes.get("thread.name"),
            "error": {
                name: attributes.get(f"exception.{name}") for name in ("stacktrace", "type", "message")
            },
            "service.name": resource.get("service.name"),
            "service.node.name": resource.get("service.instance.id") or resource.get("k8s.pod.name"),
        }
    )
    record.text = json.dumps(log, ensure_ascii=False)
    return record


def _otlp_severity(number: Any) -> str | None:
    """Severity numbers come in fours: 1 to 4 is TRACE, ..., 21 to 24 FATAL."""
    names = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
    return names[(number - 1) // 4] if isinstance(number, int) and 1 <= number <= 24 else None
