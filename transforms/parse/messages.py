"""Typed events of a log record: which family of messages.yaml it is, and what its fields say."""

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from transforms.events import ClientEvent
from transforms.parse.dumps import CLIENT_KINDS, class_by_keys, values_of
from transforms.parse.exceptions import Proof, Thrown, chain_of, proof_in, simple_name
from transforms.parse.forms import WHOLE_NUMBERS, Family, families, finder, known_loggers
from transforms.parse.prefixes import NO_PREFIX, Prefix, prefix_of, streams_client_of
from transforms.records import LogRecord

UNRECOGNIZED = "unrecognized"
APPLICATION_EXCEPTION = "application-exception"
_COLUMNS = frozenset({
    "member_id", "generation", "task_id", "topic", "partition", "node_id", "correlation_id", "api", "error_class",
    "elapsed_ms", "limit_ms", "remaining_ms", "attempts_left", "client_version", "group_id",
})  # fmt: skip
# As it is, or with its packages shortened by the layout (`o.a.k.clients.NetworkClient`, `org.apa.kaf.cli.NetworkClient`).
_KAFKA_PACKAGE = re.compile(r"(?:o\w*\.a\w*\.k\w*|kafka|k)\.")
# 2.4 to 2.8 have no line of its own for the poll timeout: the leave line gives its long text as the reason, and says both.
POLL_EXPIRED_TOO = "consumer poll timeout has expired. This means"
SESSION_TIMED_OUT = "session timed out without receiving"
_PARTITION = re.compile(r"([\w.\-]+)-(\d+)")
_TASK = re.compile(r"(?:[\w.\-]+?__)?\d+_\d+")
# One exception class of Kafka in an application's line -> what happened (else other_kafka).
_BY_EXCEPTION = {
    "CommitFailedException": "commit_failed",
    "RetriableCommitFailedException": "commit_failed",
    "FencedInstanceIdException": "fenced",
    "ProducerFencedException": "fenced",
    "InvalidProducerEpochException": "fenced",
    "TaskMigratedException": "fenced",
    "StreamsException": "streams_error",
    "TaskCorruptedException": "streams_error",
    "NotEnoughReplicasException": "produce_failed",
    "NotEnoughReplicasAfterAppendException": "produce_failed",
    "NotLeaderOrFollowerException": "produce_failed",
    "NetworkException": "produce_failed",
    "RecordTooLargeException": "produce_failed",
    "OutOfOrderSequenceException": "produce_failed",
    "UnknownProducerIdException": "produce_failed",
    "BufferExhaustedException": "produce_failed",
    "ConfigException": "config_warning",
}
_HINTS = ("org.apache.kafka.", "record(s) for ", "did not make progress within", "Commit cannot be completed")


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose process a record is of."""

    unit_id: str
    source: str
    service: str | None = None
    instance: str | None = None


def record_id(source_id: str, offset: int) -> str:
    """Identity of a record: its source and its place in it."""
    return sha256(f"{source_id}\x1f{offset}".encode()).hexdigest()


def events_of(record: LogRecord, origin: Origin) -> list[ClientEvent]:
    """The events that a record tells; none where it is neither Kafka's nor carries a Kafka exception."""
    message = record.message
    prefix = prefix_of(message)
    logger = record.logger
    simple, is_kafka_logger = _known_logger(logger) if logger is not None else (None, False)
    is_kafka = is_kafka_logger or prefix is not NO_PREFIX
    if is_kafka or logger is None:
        found = finder().find(message[prefix.length :] if prefix.length else message, simple)
        if found is not None:
            form, match = found
            return _of_family(record, origin, prefix, form.family, match.groupdict())
    if not is_kafka and any(hint in message for hint in _HINTS):
        events = _of_application(record, origin, prefix)
        if events:
            return events
    headless = _of_headless_dump(record, origin) if "\n" in message and " = " in message else []
    if headless:
        return headless
    if not is_kafka:
        return []
    event = _event(record, origin, prefix, "other_kafka", UNRECOGNIZED)
    _explain(event, message)
    return [event]


@lru_cache(maxsize=4096)
def _known_logger(logger: str) -> tuple[str, bool]:
    """Its simple name, and whether it is Kafka's: by its package, or by a class that is known to log."""
    simple = logger[logger.rfind(".") + 1 :]
    if logger == simple:
        return simple, simple in known_loggers()
    return simple, _KAFKA_PACKAGE.match(logger) is not None


def _of_family(
    record: LogRecord, origin: Origin, prefix: Prefix, family: Family, fields: dict[str, str | None]
) -> list[ClientEvent]:
    event = _event(record, origin, prefix, family.kind, family.id)
    event.benign = family.benign
    event.api = family.api
    event.client_kind = event.client_kind or family.client
    _fill(event, fields)
    _explain(event, record.message)
    refine = _REFINED.get(family.id)
    if refine is not None:
        refine(event, record)
    if event.message_id == "leave-group" and POLL_EXPIRED_TOO in event.details.get("reason", ""):
        poll = _event(record, origin, prefix, "poll_interval_expired", "poll-timeout-expired")
        poll.member_id = event.member_id
        return _numbered([poll, event])
    return [event]


def _event(record: LogRecord, origin: Origin, prefix: Prefix, kind: str, message_id: str) -> ClientEvent:
    of_record = record_id(record.source_id, record.offset)
    return ClientEvent(
        kind,
        message_id,
        sha256(f"{of_record}\x1f0".encode()).hexdigest(),
        of_record,
        origin.unit_id,
        source_id=record.source_id,
        source=origin.source,
        offset=record.offset,
        line=record.line,
        position=record.position,
        ordered_at=record.logged_at,
        happened_at=record.logged_at,
        time_origin=record.time_origin,
        level=record.level,
        client_kind=prefix.client_kind,
        client_id=prefix.client_id,
        group_id=prefix.group_id,
        group_instance_id=prefix.group_instance_id,
        transactional_id=prefix.transactional_id,
        task_id=prefix.task_id,
        thread=prefix.thread or record.thread,
        service=record.service or origin.service,
        instance=record.instance or origin.instance,
    )


def _numbered(events: list[ClientEvent]) -> list[ClientEvent]:
    for number, event in enumerate(events[1:], start=1):
        event.event_id = sha256(f"{event.record_id}\x1f{number}".encode()).hexdigest()
    return events


def _fill(event: ClientEvent, fields: dict[str, str | None]) -> None:
    """Put what the text names into the event's columns, the rest into details."""
    for name, value in fields.items():
        if value is None:
            continue
        if name == "tp":
            _put_partition(event, value)
        elif name == "gen":
            continue
        elif name == "exception":
            _put_exception(event, value)
        elif name == "instance_id":
            event.group_instance_id = value.removeprefix("Optional[").removesuffix("]")
        elif name in _COLUMNS:
            setattr(event, name, int(value) if name.endswith("_ms") or name in WHOLE_NUMBERS else value)
        else:
            event.details[name] = value
    if "partitions" in event.details:
        _put_partitions(event, event.details["partitions"])
    if "tasks" in event.details:
        tasks = _TASK.findall(event.details["tasks"])
        event.details["tasks"] = ",".join(tasks)
        event.task_id = event.task_id or (tasks[0] if tasks else None)


def _put_partition(event: ClientEvent, text: str) -> None:
    event.topic, _, number = text.rpartition("-")
    event.partition = int(number)


def _put_partitions(event: ClientEvent, text: str) -> None:
    """All in details, the first in topic and partition (`[]` and an empty list name none)."""
    named = [f"{topic}-{number}" for topic, number in _PARTITION.findall(text)]
    event.details["partitions"] = ",".join(named)
    if named:
        _put_partition(event, named[0])


def _put_exception(event: ClientEvent, text: str) -> None:
    """`org.apache...TimeoutException: text` as error_class and error_message."""
    name, _, message = text.partition(": ")
    if re.fullmatch(r"[\w.$]+", name):
        event.error_class = simple_name(name)
        if message:
            event.details["error_message"] = message
    else:
        event.details["error_message"] = text


def _explain(event: ClientEvent, message: str) -> None:
    """Add the exceptions of the stack trace: all, the outermost as error_class, the innermost as the cause."""
    if "\n" not in message:
        return
    chain = chain_of(message)
    if chain:
        _put_chain(event, chain)


def _put_chain(event: ClientEvent, chain: list[Thrown]) -> None:
    event.details["exceptions"] = "|".join(thrown.name for thrown in chain)
    event.error_class = event.error_class or chain[0].name
    event.details["cause_class"] = chain[-1].name
    if chain[0].message:
        event.details.setdefault("error_message", chain[0].message)
    if chain[-1].message:
        event.details["cause_message"] = chain[-1].message


def _of_application(record: LogRecord, origin: Origin, prefix: Prefix) -> list[ClientEvent]:
    """An exception printed by the application is the event it evidences, at its record's time."""
    chain = chain_of(record.message)
    proof = proof_in(record.message)
    if proof is not None and (
        chain or record.logger is None or proof.kind in ("batch_expired", "task_timeout_expired")
    ):
        event = _event(record, origin, prefix, proof.kind, proof.message_id)
        _put_chain_of_proof(event, chain)
        _fill(event, dict(proof.fields))
        return [event]
    kafka = [thrown for thrown in chain if thrown.is_kafka]
    if not kafka:
        return []
    kind = next(
        (_BY_EXCEPTION[thrown.name] for thrown in kafka if thrown.name in _BY_EXCEPTION), "other_kafka"
    )
    event = _event(record, origin, prefix, kind, APPLICATION_EXCEPTION)
    _put_chain(event, chain)
    event.error_class = kafka[0].name
    return [event]


def _put_chain_of_proof(event: ClientEvent, chain: list[Thrown]) -> None:
    if not chain:
        return
    _put_chain(event, chain)
    telling = [thrown for thrown in chain if thrown.message and proof_in(f"{thrown.message}")]
    event.error_class = (telling or chain)[-1].name


def _of_headless_dump(record: LogRecord, origin: Origin) -> list[ClientEvent]:
    values = values_of(record.message)
    config_class = class_by_keys(values) if len(values) > 5 else None
    if config_class is None:
        return []
    event = _event(record, origin, NO_PREFIX, "config_dump", "config-dump")
    event.details.update(config_class=config_class, headless="true")
    _dumped(event, record)
    return [event]


def _dumped(event: ClientEvent, record: LogRecord) -> None:
    """Whose settings a dump shows stands inside it (client.id is blank where the client makes one up)."""
    values = values_of(record.message)
    event.details.update((f"config.{key}", value) for key, value in values.items())
    event.client_kind = CLIENT_KINDS.get(event.details["config_class"])
    event.client_id = _set(values.get("client.id"))
    event.group_id = _set(values.get("group.id"))
    event.group_instance_id = _set(values.get("group.instance.id"))
    event.transactional_id = _set(values.get("transactional.id"))


def _set(value: str | None) -> str | None:
    return None if value in (None, "", "null") else value


def _expired_too(event: ClientEvent, record: LogRecord) -> None:
    """The end of a thread or client by a task's timeout is the expiry of its timer: one failure, one event."""
    proof = proof_in(record.message) if "\n" in record.message else None
    if proof is not None and proof.kind == "task_timeout_expired":
        event.kind = proof.kind
        _fill(event, dict(proof.fields))
        event.error_class = "TimeoutException"


def _lost_coordinator(event: ClientEvent, record: LogRecord) -> None:
    """The client's own session timer (2.7 and later) is told as a cause for losing the coordinator."""
    if SESSION_TIMED_OUT in event.details.get("cause", ""):
        event.kind = "session_expired"


def _commit_echo(event: ClientEvent, record: LogRecord) -> None:
    """`OffsetCommit failed with Generation..` repeats the line before it; only a request never sent stands alone."""
    if "error_message" in event.details:
        event.kind = "other_kafka"


def _rejoins(event: ClientEvent, record: LogRecord) -> None:
    if "member-id" in event.details.get("reason", "") or "valid member id" in event.details.get("reason", ""):
        event.benign = "The broker hands a new member its id first (KIP-394); the client joins again at once."


def _heartbeat_failed(event: ClientEvent, record: LogRecord) -> None:
    if event.details.get("reason") == "group is rebalancing":
        event.benign = "A heartbeat is how a member learns that the group rebalances."
    elif "DisconnectException" in event.details.get("exceptions", ""):
        event.benign = "A plain disconnect, told at ERROR; the heartbeat is sent again."


def _sent_error(event: ClientEvent, record: LogRecord) -> None:
    """Streams' and the console producer's callbacks print the exception of the batch: its expiry, or another failure."""
    proof = proof_in(record.message)
    if proof is not None and proof.kind == "batch_expired":
        event.kind = "batch_expired"
        _fill(event, dict(proof.fields))
        event.error_class = "TimeoutException"


def _queued(event: ClientEvent, record: LogRecord) -> None:
    """A call that is queued with tries behind it failed before: that is a retry."""
    if event.details.get("tries", "0") != "0":
        event.kind = "admin_retry"


def _bootstrap(event: ClientEvent, record: LogRecord) -> None:
    """Connections to bootstrap addresses (negative ids) are closed once the brokers are known."""
    if event.node_id is not None and event.node_id < 0 and event.level in ("INFO", "DEBUG"):
        event.benign = "A bootstrap connection (negative node id) is closed once the brokers are known."


def _left(event: ClientEvent, record: LogRecord) -> None:
    reason = event.details.get("reason", "")
    if "is being closed" in reason or "was unsubscribed" in reason or "unsubscribed from" in reason:
        event.benign = "The consumer was closed or unsubscribed."


def _reset(event: ClientEvent, record: LogRecord) -> None:
    reason = event.details.get("reason", "")
    event.details["member_reset"] = str("member id" in record.message[:400]).lower()
    if "pro-actively leaving" in reason:
        event.benign = "A member that leaves forgets its generation."


def _from_admin(event: ClientEvent, record: LogRecord) -> None:
    event.client_kind = event.client_kind or "admin"


def _closed(event: ClientEvent, record: LogRecord) -> None:
    """`App info kafka.consumer for X unregistered`: the last word of a client."""
    event.client_id = event.details.pop("closed_client_id")
    event.client_kind = event.details["what"].split(".")[0]


def _started(event: ClientEvent, record: LogRecord) -> None:
    event.client_id = event.client_id or streams_client_of(event.thread)


_REFINED = {
    "config-dump": _dumped,
    "streams-send-error": _sent_error,
    "producer-error-callback": _sent_error,
    "producer-txn-error": _sent_error,
    "admin-queued": _queued,
    "net-node-disconnected": _bootstrap,
    "leave-group": _left,
    "streams-client-dies": _expired_too,
    "streams-thread-dies-26": _expired_too,
    "streams-thread-replaced": _expired_too,
    "streams-process-failed": _expired_too,
    "global-thread-init-failed": _expired_too,
    "global-thread-died": _expired_too,
    "coordinator-unknown": _lost_coordinator,
    "c848-coordinator-unknown": _lost_coordinator,
    "commit-failed-generation": _commit_echo,
    "rejoin-reason": _rejoins,
    "heartbeat-failed": _heartbeat_failed,
    "c848-heartbeat-error": _heartbeat_failed,
    "generation-reset": _reset,
    "client-unregistered": _closed,
    "streams-thread-created": _started,
}


def is_recognised(message_id: str) -> bool:
    """Whether an event's message_id is a family of the catalogue."""
    return message_id in families()


__all__ = ["Origin", "Proof", "events_of", "is_recognised", "record_id", "streams_client_of"]
