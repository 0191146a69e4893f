"""Writes log records in each layout and envelope the reader knows, the way the library of that name does.

Independent of the reader: it takes records apart nowhere, and shares no pattern with it.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from lab.layouts.records import Entry


def stamp(at: int, pattern: str, *, mark: str = ",", hours: int = 0) -> str:
    return f"{_second(at // 1000, pattern, hours)}{mark}{at % 1000:03d}"


@lru_cache(1 << 12)
def _second(at: int, pattern: str, hours: int) -> str:
    """A log has many lines of one second."""
    return datetime.fromtimestamp(at, tz=timezone(timedelta(hours=hours))).strftime(pattern)


ISO = "%Y-%m-%dT%H:%M:%S"
SPACE = "%Y-%m-%d %H:%M:%S"


def kafka(e: Entry) -> str:
    message, trace = e.parts
    return f"[{stamp(e.at, SPACE)}] {e.level} {message} ({e.logger})\n" + (f"{trace}\n" if trace else "")


def strimzi(e: Entry) -> str:
    message, trace = e.parts
    head = f"{stamp(e.at, SPACE)} {e.level:<5} {message} ({e.logger}) [{e.thread}]\n"
    return head + (f"{trace}\n" if trace else "")


def logback_default(e: Entry) -> str:
    return f"{stamp(e.at, '%H:%M:%S', mark='.')} [{e.thread}] {e.level:<5} {e.logger} -- {e.message}\n"


def logback_dated(e: Entry) -> str:
    return f"{stamp(e.at, SPACE)} [{e.thread}] {e.level:<5} {e.logger} - {e.message}\n"


def log4j2_level_first(e: Entry) -> str:
    return f"{stamp(e.at, SPACE)} {e.level:<5} [{e.thread}] {e.logger}: {e.message}\n"


def log4j1(e: Entry) -> str:
    return f"{stamp(e.at, SPACE)} {e.level:<5} {e.logger}:123 - {e.message}\n"


def dropwizard(e: Entry) -> str:
    return f"{e.level:<5} [{stamp(e.at, SPACE)}] {e.logger}: {e.message}\n"


def abbreviated(logger: str, target: int = 39) -> str:
    """Logback's TargetLengthBasedClassNameAbbreviator, and the `%-40.40` around it that Spring Boot uses."""
    parts = logger.split(".")
    for number in range(len(parts) - 1):
        if len(".".join(parts)) <= target:
            break
        parts[number] = parts[number][:1]
    return ".".join(parts)[-40:]


def spring_boot_2(e: Entry) -> str:
    return (
        f"{stamp(e.at, SPACE, mark='.')} {e.level:>5} 4711 --- [{e.thread[-15:]:>15}] "
        f"{abbreviated(e.logger):<40} : {e.message}\n"
    )


def spring_boot_3(e: Entry) -> str:
    return (
        f"{stamp(e.at, ISO, mark='.', hours=2)}+02:00 {e.level:>5} 1 --- [orders] [{e.thread[-15:]:>15}] "
        f"{abbreviated(e.logger):<40} : {e.message}\n"
    )


def spring_boot_colour(e: Entry) -> str:
    colour = {"ERROR": "31", "WARN": "33"}.get(e.level, "32")
    return (
        f"\x1b[2m{stamp(e.at, ISO, mark='.')}Z\x1b[0;39m \x1b[{colour}m{e.level:>5}\x1b[0;39m \x1b[35m1\x1b[0;39m "
        f"\x1b[2m--- [orders] [{e.thread[-15:]:>15}] \x1b[0;39m\x1b[36m{abbreviated(e.logger):<40}\x1b[0;39m "
        f"\x1b[2m:\x1b[0;39m {e.message}\n"
    )


def quarkus(e: Entry) -> str:
    return f"{stamp(e.at, SPACE)} {e.level:<5} [{e.logger}] ({e.thread}) {e.message}\n"


def slf4j_simple(e: Entry) -> str:
    return f"[{e.thread}] {e.level} {e.logger} - {e.message}\n"


def bare(e: Entry) -> str:
    return f"{e.level} {e.message}\n"


def ecs(e: Entry) -> str:
    message, trace = e.parts
    value = {
        "@timestamp": stamp(e.at, ISO, mark=".") + "Z", "log.level": e.level, "message": message,
        "ecs.version": "1.2.0", "service.name": "orders", "process.thread.name": e.thread, "log.logger": e.logger,
    }  # fmt: skip
    return json.dumps(value | ({"error.stack_trace": trace} if trace else {})) + "\n"


def logstash(e: Entry) -> str:
    message, trace = e.parts
    value = {
        "@timestamp": stamp(e.at, ISO, mark=".", hours=1) + "+01:00", "@version": "1", "message": message,
        "logger_name": e.logger, "thread_name": e.thread, "level": e.level, "level_value": 20000,
    }  # fmt: skip
    return json.dumps(value | ({"stack_trace": trace + "\n"} if trace else {})) + "\n"


def log4j2_json(e: Entry) -> str:
    message, trace = e.parts
    value = {
        "instant": {"epochSecond": e.at // 1000, "nanoOfSecond": e.at % 1000 * 1_000_000 + 123_456},
        "thread": e.thread, "level": e.level, "loggerName": e.logger, "message": message, "endOfBatch": False,
        "loggerFqcn": "org.apache.logging.slf4j.Log4jLogger", "threadId": 1, "threadPriority": 5,
    }  # fmt: skip
    return json.dumps(value | ({"thrown": {"extendedStackTrace": trace}} if trace else {})) + "\n"


def quarkus_json(e: Entry) -> str:
    message, trace = e.parts
    value = {
        "timestamp": stamp(e.at, ISO, mark=".") + "456Z", "sequence": 7, "loggerClassName": "org.slf4j.impl.Slf4jLogger",
        "loggerName": e.logger, "level": e.level, "message": message, "threadName": e.thread, "threadId": 1,
        "mdc": {}, "ndc": "", "hostName": "orders-1", "processName": "orders.jar", "processId": 1,
    }  # fmt: skip
    return json.dumps(value | ({"stackTrace": trace} if trace else {})) + "\n"


def otlp(e: Entry) -> str:
    message, trace = e.parts
    attributes = [{"key": "thread.name", "value": {"stringValue": e.thread}}]
    if trace:
        attributes.append({"key": "exception.stacktrace", "value": {"stringValue": trace}})
    record = {
        "timeUnixNano": f"{e.at}123456", "severityNumber": 9, "severityText": e.level,
        "body": {"stringValue": message}, "attributes": attributes,
    }  # fmt: skip
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "orders"}}]}
    scopes = [{"scope": {"name": e.logger}, "logRecords": [record]}]
    return json.dumps({"resourceLogs": [{"resource": resource, "scopeLogs": scopes}]}) + "\n"


@dataclass(frozen=True)
class Layout:
    """What of an entry a layout shows: its logger as written, its instant or none."""

    name: str
    write: Callable[[Entry], str]
    detected: str
    has_date: bool = True
    has_logger: bool = True
    logger: Callable[[str], str] = str


LAYOUTS = (
    Layout("kafka", kafka, "kafka"),
    Layout("strimzi", strimzi, "kafka_thread"),
    Layout("logback default", logback_default, "logback", has_date=False),
    Layout("logback dated", logback_dated, "logback"),
    Layout("log4j2 level first", log4j2_level_first, "log4j2"),
    Layout("log4j1", log4j1, "log4j"),
    Layout("dropwizard", dropwizard, "level_first"),
    Layout("Spring Boot 2", spring_boot_2, "spring_boot", logger=abbreviated),
    Layout("Spring Boot 3", spring_boot_3, "spring_boot", logger=abbreviated),
    Layout("Spring Boot, coloured", spring_boot_colour, "spring_boot", logger=abbreviated),
    Layout("Quarkus", quarkus, "jboss"),
    Layout("slf4j-simple", slf4j_simple, "slf4j_simple", has_date=False),
    Layout("bare level", bare, "level", has_date=False, has_logger=False),
    Layout("ECS", ecs, "json"),
    Layout("Logstash", logstash, "json"),
    Layout("log4j2 JSON", log4j2_json, "json"),
    Layout("Quarkus JSON", quarkus_json, "json"),
    Layout("OTLP", otlp, "json"),
)


def _later(number: int) -> str:
    """The runtime's clock: a second of its own, far from any application's."""
    return stamp(4_000_000_000_000 + number, ISO, mark=".") + "000000Z"


def docker(text: str) -> str:
    """json-file: lines longer than 16 KiB come in pieces, only the last with a newline."""
    lines = []
    for number, line in enumerate(text.splitlines(keepends=True)):
        for begin in range(0, len(line), 16384):
            piece = {"log": line[begin : begin + 16384], "stream": "stdout", "time": _later(number)}
            lines.append(json.dumps(piece) + "\n")
    return "".join(lines)


def cri(text: str) -> str:
    lines = []
    for number, line in enumerate(text.splitlines()):
        pieces = [line[begin : begin + 8192] for begin in range(0, len(line), 8192)] or [""]
        for piece in pieces[:-1]:
            lines.append(f"{_later(number)} stdout P {piece}\n")
        lines.append(f"{_later(number)} stdout F {pieces[-1]}\n")
    return "".join(lines)


def compose(text: str) -> str:
    """Another container's lines stand between any two."""
    other = "[2026-01-01 00:00:00,000] INFO checkpoint (org.postgres.Checkpointer)"
    return "".join(
        f"orders-1    | {line}\n" + (f"postgres-1  | {other}\n" if number % 3 == 0 else "")
        for number, line in enumerate(text.splitlines())
    )


def filebeat(text: str) -> str:
    return _enveloped(
        text,
        lambda number, line: {
            "@timestamp": stamp(4_000_000_000_000 + number, ISO, mark=".") + "Z",
            "@metadata": {"beat": "filebeat", "type": "_doc", "version": "8.13.0"},
            "log": {"offset": number * 100, "file": {"path": "/var/log/orders/app.log"}},
            "message": line, "input": {"type": "filestream"}, "ecs": {"version": "8.0.0"},
            "host": {"name": "orders-1"}, "agent": {"type": "filebeat", "version": "8.13.0"},
        },
    )  # fmt: skip


def fluent_bit(text: str) -> str:
    return _enveloped(
        text,
        lambda number, line: {
            "date": 4_000_000_000.5 + number, "stream": "stdout", "log": line,
            "kubernetes": {"pod_name": "orders-7d9f", "namespace_name": "shop", "container_name": "app"},
        },
    )  # fmt: skip


def vector(text: str) -> str:
    return _enveloped(
        text,
        lambda number, line: {
            "file": "/var/log/orders/app.log", "host": "orders-1", "message": line, "source_type": "file",
            "timestamp": _later(number),
        },
    )  # fmt: skip


def _enveloped(text: str, envelope: Callable[[int, str], dict[str, object]]) -> str:
    return "".join(json.dumps(envelope(number, line)) + "\n" for number, line in enumerate(text.splitlines()))


def cloudwatch(text: str) -> str:
    return "".join(
        stamp(4_000_000_000_000 + number, ISO, mark=".") + f"Z {line}\n"
        for number, line in enumerate(text.splitlines())
    )


def kubectl(text: str) -> str:
    return "".join(f"[pod/orders-7d9f/app] {line}\n" for line in text.splitlines())


WRAPPERS: dict[str, Callable[[str], str]] = {
    "docker_json": docker,
    "cri": cri,
    "compose": compose,
    "envelope filebeat": filebeat,
    "envelope fluent bit": fluent_bit,
    "envelope vector": vector,
    "export": cloudwatch,
    "kubectl": kubectl,
}


def write(entries: Iterable[Entry], layout: Layout) -> str:
    return "".join(layout.write(entry) for entry in entries)
