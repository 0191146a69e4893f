# ruff: noqa: E501  # a kind of line is a line here, as in a script
"""What kipwatch is measured against: a careful single-process script with `re`, for these logs and no others.

It reads each file once as bytes, joins continuation lines, skips what can't be Kafka's by a substring test before
decoding, dispatches on the logger, tests a literal before a regex, checks for secrets, makes the same ids, and writes
the typed events as one Parquet file a log. It knows no other layout, no damaged input, no resuming and no settings.

python -m lab.benchmarks.baseline LOGS OUT
"""

import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

FIELDS = (
    "event_id", "record_id", "kind", "message_id", "service", "instance", "source_id", "offset", "line", "happened_at", "level",
    "client_kind", "client_id", "group_id", "member_id", "generation", "task_id", "thread", "topic", "partition", "node_id",
    "correlation_id", "api", "error_class", "elapsed_ms", "limit_ms", "remaining_ms", "attempts_left",
)  # fmt: skip
NUMBERS = frozenset({
    "offset", "line", "happened_at", "generation", "partition", "node_id", "correlation_id", "elapsed_ms", "limit_ms",
    "remaining_ms", "attempts_left",
})  # fmt: skip
SCHEMA = pa.schema([(name, pa.int64() if name in NUMBERS else pa.string()) for name in FIELDS])
OF_LINE = tuple(name for name in FIELDS if name not in ("source_id", "service", "instance"))
BATCH = 65536

Values = dict[str, str | int | None]
EventOf = Callable[[str], Values | None]
MAY_BE_KAFKAS = (b"org.apache.kafka", b"record(s) for ")


@dataclass(frozen=True, slots=True)
class Kind:
    """A line to know: `literal` excludes, `regex` (matched after the prefix) confirms and names the fields."""

    message_id: str
    kind: str
    literal: str
    regex: re.Pattern[str]
    always: tuple[tuple[str, str], ...] = ()


def _kind(message_id: str, kind: str, literal: str, regex: str = "", **always: str) -> Kind:
    return Kind(message_id, kind, literal, re.compile(regex or re.escape(literal)), tuple(always.items()))


GENERATION = (
    r"Generation\{generationId=(?P<generation>-?\d+), memberId='(?P<member_id>[^']*)', protocol='[^']*'\}"
)
COORDINATOR = r"\S+ \(id: (?P<node_id>-?\d+) rack: [^)]*\)"
PARTITIONS = r"\[?(?P<topic>[\w.\-]+)-(?P<partition>\d+)"
OF_COORDINATOR = (
    _kind("offset-committed", "other_kafka", "Committed offset ", r"Committed offset -?\d+ for partition (?P<topic>[\w.\-]+)-(?P<partition>\d+)"),
    _kind(
        "heartbeat-send", "heartbeat", "Sending Heartbeat request",
        rf"Sending Heartbeat request with generation (?P<generation>-?\d+) and member id (?P<member_id>\S+) to coordinator {COORDINATOR}",
        api="HEARTBEAT",
    ),
    _kind("heartbeat-ok", "heartbeat", "Received successful Heartbeat response", api="HEARTBEAT"),
    _kind("heartbeat-failed", "heartbeat_failed", "Attempt to heartbeat failed since group is rebalancing", api="HEARTBEAT"),
    _kind("rejoin-reason", "other_kafka", "Request joining group due to: "),
    _kind("rejoin", "join", "(Re-)joining group", api="JOIN_GROUP"),
    _kind("joined", "joined", "Successfully joined group", rf"Successfully joined group with generation {GENERATION}"),
    _kind("synced", "sync", "Successfully synced group", rf"Successfully synced group in generation {GENERATION}"),
    _kind("coordinator-found", "coordinator_found", "Discovered group coordinator", rf"Discovered group coordinator {COORDINATOR}"),
    _kind("coordinator-unknown", "coordinator_lost", " is unavailable or invalid", rf"Group coordinator {COORDINATOR} is unavailable or invalid due to cause: "),
    _kind("poll-timeout-expired", "poll_interval_expired", "consumer poll timeout has expired. This means"),
    _kind("leave-group", "leave_group", " sending LeaveGroup request", rf"Member (?P<member_id>\S+) sending LeaveGroup request to coordinator {COORDINATOR}"),
    _kind("generation-reset", "generation_reset", "Resetting generation and member id due to: "),
    _kind("partitions-lost-reason", "partitions_lost", "Giving away all assigned partitions as lost since "),
    _kind(
        "commit-failed", "commit_failed", "Offset commit failed on partition ",
        r"Offset commit failed on partition (?P<topic>[\w.\-]+)-(?P<partition>\d+) at offset -?\d+: ", api="OFFSET_COMMIT",
    ),
)  # fmt: skip
OF_NETWORK = (
    _kind("net-node-disconnected", "disconnect", " disconnected.", r"Node (?P<node_id>-?\d+) disconnected\."),
    _kind("net-request-timeout", "request_timeout", " due to request timeout.", r"Disconnecting from node (?P<node_id>-?\d+) due to request timeout\."),
    _kind(
        "net-inflight-cancelled", "request_cancelled", "Cancelled in-flight ",
        r"Cancelled in-flight (?P<api>\w+) request with correlation id (?P<correlation_id>\d+) due to node (?P<node_id>-?\d+) being disconnected "
        r"\(elapsed time since creation: \d+ms, elapsed time since send: (?P<elapsed_ms>\d+)ms, throttle time: \d+ms, request timeout: (?P<limit_ms>\d+)ms\)",
    ),
    _kind(
        "net-metadata-error", "other_kafka", "The metadata response from the cluster",
        r"The metadata response from the cluster reported a recoverable issue with correlation id (?P<correlation_id>\d+) : "
        r"(?:\{(?P<topic>[\w.\-]+)=)?", api="METADATA",
    ),
    _kind("net-not-established", "connect_failed", " could not be established.", r"Connection to node (?P<node_id>-?\d+) \([^)]*\) could not be established\."),
    _kind("net-bootstrap-disconnected", "disconnect", "Bootstrap broker ", r"Bootstrap broker \S+ \(id: (?P<node_id>-?\d+) rack: [^)]*\) disconnected"),
)  # fmt: skip
OF_APP_INFO = (
    _kind("client-version", "lifecycle", "Kafka version: ", r"Kafka version: \S+"),
    _kind("client-commit-id", "lifecycle", "Kafka commitId: "),
    _kind("client-start-time", "lifecycle", "Kafka startTimeMs: "),
)
BY_LOGGER: dict[str, tuple[Kind, ...]] = {
    "ConsumerCoordinator": OF_COORDINATOR,
    "NetworkClient": OF_NETWORK,
    "AppInfoParser": OF_APP_INFO,
    "ConsumerRebalanceListenerInvoker": (
        _kind("partitions-added", "partitions_assigned", "Adding newly assigned partitions: ", rf"Adding newly assigned partitions: {PARTITIONS}"),
        _kind("partitions-revoked", "partitions_revoked", "Revoke previously assigned partitions ", rf"Revoke previously assigned partitions {PARTITIONS}"),
        _kind("partitions-lost", "partitions_lost", "Lost previously assigned partitions ", rf"Lost previously assigned partitions {PARTITIONS}"),
    ),
    "Sender": (
        _kind(
            "producer-batch-retry", "produce_retry", "Got error produce response ",
            r"Got error produce response with correlation id (?P<correlation_id>\d+) on topic-partition (?P<topic>[\w.\-]+)-(?P<partition>\d+), "
            r"retrying \((?P<attempts_left>-?\d+) attempts left\)\. Error: (?P<error_class>\w+)",
            api="PRODUCE",
        ),
    ),
    "StreamTask": (
        _kind("task-timeout-armed", "task_timeout_continue", "Task did not make progress.", r"Task did not make progress\. Remaining time to deadline (?P<remaining_ms>\d+); retrying\."),
        _kind("task-timeout-cleared", "task_timeout_clear", "Clearing task timeout."),
    ),
    "TaskExecutor": (
        _kind("task-process-timeout", "task_timeout_start", "Could not complete processing records", r"Could not complete processing records for (?P<task_id>\d+_\d+) due to"),
    ),
    "StreamThread": (
        _kind("streams-thread-state", "streams_state", "State transition from "),
        _kind("streams-thread-created", "lifecycle", "Creating ", r"Creating (?:restore consumer client|thread producer client|consumer client)"),
    ),
    "KafkaStreams": (
        _kind("streams-started", "lifecycle", "Kafka Streams version: "),
        _kind("streams-commit-id", "lifecycle", "Kafka Streams commit ID: "),
    ),
    "KafkaProducer": (_kind("producer-idempotent", "lifecycle", "Instantiated an idempotent producer."),),
}  # fmt: skip
UNUSED = _kind(
    "config-unused",
    "config_warning",
    "These configurations '",
    r"These configurations '.*' were supplied but are not used yet",
)
EXPIRED = re.compile(
    r"Expiring \d+ record\(s\) for (?P<topic>[\w.\-]+)-(?P<partition>\d+):(?P<elapsed_ms>\d+) ms has passed since batch creation"
)

CLIENT = re.compile(
    r"\[(Consumer|Producer|AdminClient) clientId=([^,\]]+)(?:, (?:groupId|transactionalId)=([^\]]+))?\] "
)
STREAMS = re.compile(
    r"(stream-thread|stream-client|state-updater) \[([^\]]+)\] (?:(?:stream-)?task \[([^\]]+)\] )?"
)
THREAD = re.compile(r"(.+)-(?:StreamThread|StateUpdater)-\d+")
CLIENT_KINDS = {"Consumer": "consumer", "Producer": "producer", "AdminClient": "admin"}
DUMPS = {
    "ConsumerConfig": "consumer",
    "ProducerConfig": "producer",
    "AdminClientConfig": "admin",
    "StreamsConfig": "streams",
}
SETTING = re.compile(r"^\t(client\.id|group\.id) = (.+)$", re.MULTILINE)
TASK_TIMEOUT = re.compile(r"^\ttask\.timeout\.ms = (\d+)$", re.MULTILINE)
FIRST_EXCEPTION = re.compile(r"^(?:Caused by: )?(?:[a-z][\w$]*\.)+([A-Z][\w$]*)(?::|$)", re.MULTILINE)
SECRET = re.compile(
    r"(?i)(password|secret|token|jaas\.config|(?<!RequestHeader\()api[_.-]?key)(\s*[=:]\s*)(?!null|\[hidden\])\S+"
)
MAY_HOLD_SECRET = ("assword", "ecret", "oken", "jaas", "key", "BEGIN ", "AKIA", "eyJ", "://")


def records(file: Path) -> Iterator[tuple[int, int, bytes]]:
    """Offset, first line and bytes of each record; a record begins with `[20`."""
    offset = begin = number = first = 0
    gathered: list[bytes] = []
    with file.open("rb") as lines:
        for line in lines:
            number += 1
            if line[:3] == b"[20" and gathered:
                yield begin, first, b"".join(gathered)
                gathered = []
            if not gathered:
                begin, first = offset, number
            gathered.append(line)
            offset += len(line)
    if gathered:
        yield begin, first, b"".join(gathered)


def clock() -> Callable[[str], int]:
    """`2026-03-01 00:00:00,123` as ms UTC, one conversion a second."""
    seconds: dict[str, int] = {}

    def at(text: str) -> int:
        second = text[:19]
        known = seconds.get(second)
        if known is None:
            known = int(datetime.strptime(second, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp()) * 1000
            seconds.clear()
            seconds[second] = known
        return known + int(text[20:23])

    return at


def event_of(text: str) -> Values | None:
    """The fields that a record's text tells; None where it is not Kafka's."""
    head = text.find(" ", 26)
    end = text.find("\n")
    values: Values = {"level": text[26:head]}
    at = text.rfind(" (", 0, end) if end >= 0 else text.rfind(" (")
    if end >= 0 and (at < 0 or text[end - 1] != ")"):
        at, end = text.rfind(" ("), len(text)  # a dump: the logger stands after its last line
    logger = text[at + 2 : (end if end >= 0 else len(text)) - 1].rstrip(")")
    if not logger.startswith("org.apache.kafka."):
        return _of_application(text, values)
    message = text[head + 1 : at]
    body = _prefix(message, values)
    simple = logger[logger.rfind(".") + 1 :]
    for kind in BY_LOGGER.get(simple, ()):
        if kind.literal in body and (match := kind.regex.match(body)):
            return _fill(values, kind, match, text, end)
    if " values: \n" in body:
        return _of_dump(values, body)
    if UNUSED.literal in body and (match := UNUSED.regex.match(body)):
        return _fill(values, UNUSED, match, text, end)
    values["kind"], values["message_id"] = "other_kafka", "unrecognized"
    return values


def _fill(values: Values, kind: Kind, match: re.Match[str], text: str, end: int) -> Values:
    values["kind"], values["message_id"] = kind.kind, kind.message_id
    values.update(kind.always)
    values.update(match.groupdict())
    if (
        0 <= end < len(text) - 1
        and "error_class" not in values
        and (thrown := FIRST_EXCEPTION.search(text, end + 1))
    ):
        values["error_class"] = thrown.group(1)
    return values


def _prefix(message: str, values: Values) -> str:
    """Take the client's or the thread's name off."""
    if message.startswith("[") and (match := CLIENT.match(message)):
        values["client_kind"], values["client_id"] = CLIENT_KINDS[match.group(1)], match.group(2)
        if match.group(1) == "Consumer":
            values["group_id"] = match.group(3)
        return message[match.end() :]
    if message.startswith(("stream-", "state-updater [")) and (match := STREAMS.match(message)):
        values["client_kind"] = "streams"
        thread = THREAD.match(match.group(2))
        values["thread"] = thread.group(0) if thread else None
        values["client_id"] = thread.group(1) if thread else match.group(2)
        values["task_id"] = match.group(3)
        return message[match.end() :]
    return message


def _of_application(text: str, values: Values) -> Values | None:
    match = EXPIRED.search(text)
    if match is None:
        return None
    values["kind"], values["message_id"], values["error_class"] = (
        "batch_expired",
        "producer-batch-expired",
        "TimeoutException",
    )
    values.update(match.groupdict())
    return values


def _of_dump(values: Values, body: str) -> Values:
    values["kind"], values["message_id"] = "config_dump", "config-dump"
    values["client_kind"] = DUMPS.get(body[: body.find(" ")])
    for name, value in SETTING.findall(body):
        if value != "null":
            values["client_id" if name == "client.id" else "group_id"] = value
    return values


def _complete(values: Values, limit: int) -> None:
    """How far a task's timer is: its first line has all of task.timeout.ms left."""
    elapsed = limit - int(values["remaining_ms"] or 0)
    values["limit_ms"], values["elapsed_ms"] = limit, elapsed
    if elapsed == 0:
        values["kind"] = "task_timeout_start"


def type_events(
    file: Path, out: Path, event_of: EventOf = event_of, literals: tuple[bytes, ...] = MAY_BE_KAFKAS
) -> int:
    """Write the events of one log; gives their number. literals: a record without any of them is no one's."""
    task_timeout: int | None = None
    with file.open("rb") as begin:
        source_id = sha256(begin.read(1024)).hexdigest()
    at = clock()
    rows: list[tuple[str | int | None, ...]] = []
    written = 0
    with pq.ParquetWriter(out, SCHEMA) as writer:
        for offset, line, raw in records(file):
            if not any(map(raw.__contains__, literals)):
                continue
            text = raw.decode("utf-8", "replace").rstrip("\n")
            if any(map(text.__contains__, MAY_HOLD_SECRET)):
                text = SECRET.sub(r"\1\2[redacted]", text)
            values = event_of(text)
            if values is None:
                continue
            if values["message_id"] == "config-dump" and (found := TASK_TIMEOUT.search(text)):
                task_timeout = int(found.group(1))
            elif values["kind"] == "task_timeout_continue" and task_timeout is not None:
                _complete(values, task_timeout)
            record_id = sha256(f"{source_id}\x1f{offset}".encode()).hexdigest()
            values["record_id"] = record_id
            values["offset"], values["line"], values["happened_at"] = offset, line, at(text[1:24])
            for number, event in enumerate(_told(values)):
                event["event_id"] = sha256(f"{record_id}\x1f{number}".encode()).hexdigest()
                rows.append(tuple(map(event.get, OF_LINE)))
            if len(rows) >= BATCH:
                writer.write_batch(_batch(rows, source_id, file))
                written, rows = written + len(rows), []
        if rows:
            writer.write_batch(_batch(rows, source_id, file))
    return written + len(rows)


def _told(values: Values) -> Iterator[Values]:
    """One event, or two where a record says that its client leaves because its poll timed out."""
    if values.get("before"):
        kept = (
            "level",
            "client_kind",
            "client_id",
            "group_id",
            "member_id",
            "record_id",
            "offset",
            "line",
            "happened_at",
        )
        told = {name: values.get(name) for name in kept}
        yield told | {"kind": "poll_interval_expired", "message_id": values["before"]}
    yield values


def _batch(rows: list[tuple[str | int | None, ...]], source_id: str, file: Path) -> pa.RecordBatch:
    columns: dict[str, Sequence[str | int | None]] = dict(zip(OF_LINE, zip(*rows, strict=True), strict=True))
    for name in NUMBERS:
        columns[name] = [None if value is None else int(value) for value in columns[name]]
    always = {"source_id": source_id, "service": file.parent.name, "instance": file.name}
    for name, value in always.items():
        columns[name] = [value] * len(rows)
    return pa.RecordBatch.from_arrays(
        [pa.array(columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA
    )


def main(
    logs: Path, out: Path, event_of: EventOf = event_of, literals: tuple[bytes, ...] = MAY_BE_KAFKAS
) -> None:
    """Type every `.log` under `logs`; says how long it took."""
    out.mkdir(parents=True, exist_ok=True)
    files = sorted(logs.rglob("*.log"))
    began = time.perf_counter()
    events = sum(
        type_events(file, out / f"{file.parent.name}-{file.stem}.parquet", event_of, literals)
        for file in files
    )
    seconds = time.perf_counter() - began
    print(
        f'{{"events": {events}, "seconds": {seconds:.3f}, "bytes": {sum(file.stat().st_size for file in files)}}}'
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
