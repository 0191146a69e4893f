"""What a family's line says beyond its text: a kind that depends on a field, and why it is normal."""

import re
from collections.abc import Callable, Iterator

from transforms.events import ClientEvent
from transforms.parse.catalogue.exceptions import proof_in
from transforms.parse.catalogue.form import Family
from transforms.parse.events.dumps import dumped
from transforms.parse.events.fields import fill
from transforms.parse.lines.prefixes import streams_client_of
from transforms.records import LogRecord
from transforms.whole import whole_number

Refine = Callable[[ClientEvent, LogRecord], None]
SESSION_TIMED_OUT = "session timed out without receiving"
IDLE = "An idle connection was closed (connections.max.idle.ms); the next request opens a new one."
BOOTSTRAP = (
    "A connection to a bootstrap address (negative node id) closes once it is idle. "
    "It is a failed start only with `Bootstrap broker ... disconnected` beside it."
)
# Another producer, or the broker, has taken this one's epoch or id.
FENCING = frozenset({
    "ProducerFencedException", "InvalidProducerEpochException", "InvalidPidMappingException", "FencedInstanceIdException",
    "TransactionCoordinatorFencedException",
})  # fmt: skip
# A member id that a coordinator made: the client's id, or the static one, and a UUID.
_MADE_MEMBER = re.compile(
    r"(?:ember |eader |\()([^,(]*?-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w.\-])"
)
# A request as it is printed: `header={.., client_id=consumer-2}, body={.., topics=[{topic=t,partitions=[{partition=0,`.
_SENT_BY = re.compile(r"\bclient_?[iI]d=([^,})\s]+)")
_OF_PARTITION = re.compile(r"\btopic=([\w.\-]+), ?partitions= ?\[\{partition=(\d{1,9})\b")
# As who writes it again from memory has it: the exception without its package.
_DISCONNECTED_BELOW = re.compile(r"\n\s*(?:Caused by: )?(?:[\w.]{1,80}\.)?(DisconnectException)\b")
# Source: NetworkClientUtils.awaitReady, sendAndReceive; BrokerBlockingSender, ControllerChannelManager.
LOST = " was disconnected before the response was read"
_NEVER_MADE = re.compile(
    r"\bSocketTimeoutException: Failed to connect within (?P<limit_ms>\d{1,9}) ms"
    r"|\bIOException: Connection to [^\n]{1,300} failed\b"
)
# Errors that refuse a transaction as such, and of no record.
NO_RECORDS = ("UnsupportedVersionException", "AuthorizationException", "AuthenticationException")
TOO_LARGE = "bytes when serialized which is larger than"  # Source: KafkaProducer.ensureValidRecordSize
NEW_MEMBER = "The broker hands a new member its id first (KIP-394); the client joins again at once."


# In these protocols the coordinator tells the interval of heartbeats.
HEARTBEATS_848 = frozenset({"CONSUMER_GROUP_HEARTBEAT", "STREAMS_GROUP_HEARTBEAT", "SHARE_GROUP_HEARTBEAT"})
# What answers a request that a batch or a membership hangs on. Others, such as FETCH, are long, and nobody asks.
TELLING = frozenset({"PRODUCE", "HEARTBEAT", "JOIN_GROUP", "SYNC_GROUP", "OFFSET_COMMIT", *HEARTBEATS_848})
_ERROR_CODE = re.compile(r"\berror_?[cC]ode=(-?\d+)")
# `{topic=o,partition_responses=[{partition=0,error_code=0` to 2.6; `name='o', partitionResponses=[..(index=0, errorCode=0`;
# from 4.1 on the name is empty, and an id stands beside it.
_PRODUCED = re.compile(
    r"\b(?:name='(?P<name>[^']*)'|topic=(?P<topic>[^,}]+))"
    r"|\b(?:index|partition)=(?P<index>\d+), ?error_?[cC]ode=(?P<code>-?\d+)"
)
_INTERVAL = re.compile(r"\bheartbeatIntervalMs=([0-9]{1,9})\b")


def _answered(event: ClientEvent, record: LogRecord) -> None:
    """What a response says: `response_error`, its first error code, or 0; of a heartbeat of KIP-848 also when the next is
    due; of a produce response also which of its partitions failed: `orders-0=19`, or `-0=19` where it names no topic."""
    if event.api not in TELLING:
        return
    body = record.message.partition("): ")[2]
    codes = _ERROR_CODE.findall(body)
    if codes:
        event.details["response_error"] = next((code for code in codes if code != "0"), "0")
    interval = _INTERVAL.search(body) if event.api in HEARTBEATS_848 else None
    if interval:
        event.details["heartbeat_interval_ms"] = interval[1]
    if event.api == "PRODUCE" and event.details.get("response_error", "0") != "0":
        event.details["failed_partitions"] = ",".join(_failed_partitions(body))


def _failed_partitions(body: str) -> Iterator[str]:
    topic = ""
    for found in _PRODUCED.finditer(body):
        if found["index"] is None:
            topic = found["name"] or found["topic"] or ""
        elif found["code"] != "0":
            yield f"{topic}-{found['index']}={found['code']}"


def _has_below(text: str) -> bool:
    """Whether something stands below a message, or, where a paste joined the lines, an exception behind it."""
    return "\n" in text or "Exception: " in text


def _ended_by(*kinds: str, is_below: bool = True) -> Refine:
    """What ends by a failure of such a kind is that failure: one failure, one event. is_below: told below its head."""

    def refine(event: ClientEvent, record: LogRecord) -> None:
        proof = proof_in(record.message) if not is_below or _has_below(record.message) else None
        if proof is not None and proof.kind in kinds and not proof.repeats_class:
            event.kind = proof.kind
            fill(event, proof.fields)
            event.error_class = "TimeoutException"

    return refine


# A thread or client of Streams; and a connector or a worker, by a call of its admin client: no other line tells of it.
_expired_too, _asked_in_vain = _ended_by("task_timeout_expired"), _ended_by("request_timeout")
_not_sent = _ended_by("batch_expired", "produce_failed", is_below=False)


def _lost_coordinator(event: ClientEvent, record: LogRecord) -> None:
    """The client's own session timer (2.7 and later) is told as a cause for losing the coordinator."""
    if SESSION_TIMED_OUT in event.details.get("cause", ""):
        event.kind = "session_expired"


def _commit_echo(event: ClientEvent, record: LogRecord) -> None:
    """`OffsetCommit failed with Generation..` repeats the line before; a request never sent stands alone."""
    if "OffsetCommit failed with " in record.message:
        event.kind = "other_kafka"


def _rejoins(event: ClientEvent, record: LogRecord) -> None:
    reason = event.details.get("reason", "")
    if "given member-id" in reason or "valid member id" in reason:
        event.benign = NEW_MEMBER


def _heartbeat_failed(event: ClientEvent, record: LogRecord) -> None:
    if event.details.get("reason") == "group is rebalancing":
        event.benign = "A heartbeat is how a member learns that the group rebalances."
    elif "DisconnectException" in event.details.get("exceptions", ""):
        event.benign = "A plain disconnect, told at ERROR; the heartbeat is sent again."


def _sent_error(event: ClientEvent, record: LogRecord) -> None:
    """A callback of Kafka's own prints the exception of the batch: its expiry, or another failure."""
    if event.error_class is None and TOO_LARGE in record.message:
        event.error_class = "RecordTooLargeException"  # Streams before 2.1 prints its message alone
    _not_sent(event, record)


def _thrown(event: ClientEvent) -> set[str]:
    """The exceptions that a record names, in its line or in its trace."""
    return {event.error_class or "", *event.details.get("exceptions", "").split("|")}


def _fenced(event: ClientEvent, record: LogRecord) -> None:
    """What a producer says as it ends: fenced where the exception is one of fencing."""
    if _thrown(event) & FENCING:
        event.kind = "fenced"


def _send_failed(event: ClientEvent, record: LogRecord) -> None:
    """What the producer of a thread of Streams could not send: by its batch's expiry, or by fencing."""
    _sent_error(event, record)
    _fenced(event, record)


def _transaction_failed(event: ClientEvent, record: LogRecord) -> None:
    """A transaction fails by its batch, by fencing, or by the offsets that it should commit."""
    _send_failed(event, record)
    if "CommitFailedException" in _thrown(event):
        event.kind = "commit_failed"
    elif (event.error_class or "").endswith(NO_RECORDS):
        event.kind = "other_kafka"


def _lost_or_refused(event: ClientEvent, record: LogRecord) -> None:
    """What a broker asks and waits for fails with its connection, which was lost, or never made."""
    refused = _NEVER_MADE.search(record.message)
    if LOST in record.message:
        event.kind = "disconnect"
    elif refused is not None or "connection to broker" in record.message:
        event.kind = "connect_failed"
        fill(event, refused.groupdict() if refused else {})


def _fetch_failed(event: ClientEvent, record: LogRecord) -> None:
    _lost_or_refused(event, record)
    below = _DISCONNECTED_BELOW.search(record.message)
    if "DisconnectException" in _thrown(event) or below is not None:
        event.kind = "disconnect"
    if below is not None:
        event.error_class = event.error_class or below[1]


def _disconnected(event: ClientEvent, record: LogRecord) -> None:
    if "Idle connection to node" in record.message:
        event.benign = IDLE
    elif event.node_id is not None and event.node_id < 0:
        event.benign = BOOTSTRAP


def _left(event: ClientEvent, record: LogRecord) -> None:
    reason = event.details.get("reason", "")
    if "is being closed" in reason or "was unsubscribed" in reason or "unsubscribed from" in reason:
        event.benign = "The consumer was closed or unsubscribed."
    elif event.client_kind == "connect" and event.message_id != "leave-group":
        event.benign = "A Connect worker that stops gives its leave no time to be answered."


def _reset(event: ClientEvent, record: LogRecord) -> None:
    reason = event.details.get("reason", "")
    event.details["member_reset"] = str("member id" in record.message[:400]).lower()
    if "pro-actively leaving" in reason:
        event.benign = "A member that leaves forgets its generation."


def _of_request(event: ClientEvent, record: LogRecord) -> None:
    """Whose request it was, and of which partition where it is of one: to 0.11 no prefix says it."""
    if event.client_id is None and (client := _SENT_BY.search(record.message)) is not None:
        event.client_id = client[1]
    of = set(_OF_PARTITION.findall(record.message)) if event.topic is None else set()
    if len(of) == 1:
        topic, number = of.pop()
        event.topic, event.partition = topic, whole_number(number)


def _prepared(event: ClientEvent, record: LogRecord) -> None:
    """The member that a coordinator's reason for a rebalance names; what the client said itself is left out."""
    named = _MADE_MEMBER.search(event.details.get("reason", "").partition("; client reason:")[0])
    event.member_id = event.member_id or (named[1] if named else None)


def _closed(event: ClientEvent, record: LogRecord) -> None:
    """`App info kafka.consumer for X unregistered`: the last word of a client."""
    event.client_id = event.details.pop("closed_client_id", None)
    event.client_kind = event.details.get("what", "").split(".")[0] or None


def _started(event: ClientEvent, record: LogRecord) -> None:
    event.client_id = event.client_id or streams_client_of(event.thread)


def _whose_state(event: ClientEvent, record: LogRecord) -> None:
    """Thread, client and global thread tell their states in one text: without a logger, the prefix tells."""
    if record.message.startswith("stream-client "):
        event.message_id = "streams-client-state"
    elif record.message.startswith("global-stream-thread "):
        event.message_id = "global-thread-state"


def _refused_in_io(event: ClientEvent, record: LogRecord) -> None:
    """A connection that was refused never was one."""
    if event.error_class in ("ConnectException", "UnresolvedAddressException", "NoRouteToHostException"):
        event.kind = "connect_failed"


REFINED: dict[str, Refine] = {
    "net-io-old": _refused_in_io,
    "config-dump": dumped,
    "streams-send-error": _send_failed,
    "producer-error-callback": _sent_error,
    "producer-txn-error": _transaction_failed,
    "producer-aborting-batches": _fenced,
    "producer-error-state": _fenced,
    "streams-producer-error": _sent_error,
    "connect-send-failed": _sent_error,
    "admin-metadata-failed": _asked_in_vain,
    "connect-connector-failed": _asked_in_vain,
    "connect-herder-failed": _asked_in_vain,
    "connect-worker-stopped": _asked_in_vain,
    "fetch-session-error": _fetch_failed,
    "fetch-failed": _fetch_failed,
    "broker-request-failed": _lost_or_refused,
    "net-node-disconnected": _disconnected,
    "net-received": _answered,
    "net-cancelled-old": _of_request,
    "leave-group": _left,
    "coordinator-close-timeout": _left,
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
    "rebalance-failed": _rejoins,
    "heartbeat-failed": _heartbeat_failed,
    "c848-heartbeat-error": _heartbeat_failed,
    "generation-reset": _reset,
    "broker-prepare-rebalance": _prepared,
    "client-unregistered": _closed,
    "streams-thread-created": _started,
    "streams-thread-state": _whose_state,
}


def kind_of(family: Family, match: re.Match[str]) -> str:
    """A line's kind: its family's, but that a call queued with tries behind it failed before, which is a retry."""
    return "admin_retry" if family.id == "admin-queued" and (match["tries"] or "0") != "0" else family.kind


# These look at what stands below a line.
_BELOW = (_expired_too, _asked_in_vain)


def is_refined(family: str, match: re.Match[str]) -> bool:
    """Whether a text of this family may say more than its fields."""
    refine = REFINED.get(family)
    if refine is None or (refine in _BELOW and not _has_below(match.string)):
        return False
    return family != "net-received" or match["api"] in TELLING
