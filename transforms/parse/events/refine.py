"""What a family's line says beyond its text: what it ends by, its family's cases, and what code alone tells."""

import re
from collections.abc import Callable, Iterator, Sequence

from transforms.events import ClientEvent
from transforms.parse.catalogue.anchors import CLASSES
from transforms.parse.catalogue.exceptions import proof_in
from transforms.parse.catalogue.form import Case, Family, compiled
from transforms.parse.events.dumps import dumped
from transforms.parse.events.fields import fill
from transforms.parse.lines.prefixes import streams_client_of
from transforms.records import LogRecord
from transforms.when_used import when_used
from transforms.whole import whole_number

Refine = Callable[[ClientEvent, LogRecord], None]
FENCING = frozenset(CLASSES["exceptions"]["fenced"])
# A member id that a coordinator made: the client's id, or the static one, and a UUID.
_MADE_MEMBER = when_used(
    r"(?:ember |eader |\()([^,(]*?-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w.\-])"
)
# A request as it is printed: `header={.., client_id=consumer-2}, body={.., topics=[{topic=t,partitions=[{partition=0,`.
_SENT_BY = when_used(r"\bclient_?[iI]d=([^,})\s]+)")
_OF_PARTITION = when_used(r"\btopic=([\w.\-]+), ?partitions= ?\[\{partition=(\d{1,9})\b")
# As who writes it again from memory has it: the exception without its package.
_DISCONNECTED_BELOW = when_used(r"\n\s*(?:Caused by: )?(?:[\w.]{1,80}\.)?(DisconnectException)\b")
# Source: NetworkClientUtils.awaitReady, sendAndReceive; BrokerBlockingSender, ControllerChannelManager.
LOST = " was disconnected before the response was read"
_NEVER_MADE = when_used(
    r"\bSocketTimeoutException: Failed to connect within (?P<limit_ms>\d{1,9}) ms"
    r"|\bIOException: Connection to [^\n]{1,300} failed\b"
)
# Errors that refuse a transaction as such, and of no record.
NO_RECORDS = ("UnsupportedVersionException", "AuthorizationException", "AuthenticationException")
# In these protocols the coordinator tells the interval of heartbeats.
HEARTBEATS_848 = frozenset({"CONSUMER_GROUP_HEARTBEAT", "STREAMS_GROUP_HEARTBEAT", "SHARE_GROUP_HEARTBEAT"})
# What answers a request that a batch or a membership hangs on. Others, such as FETCH, are long, and nobody asks.
TELLING = frozenset({"PRODUCE", "HEARTBEAT", "JOIN_GROUP", "SYNC_GROUP", "OFFSET_COMMIT", *HEARTBEATS_848})
_ERROR_CODE = when_used(r"\berror_?[cC]ode=(-?\d+)")
# `{topic=o,partition_responses=[{partition=0,error_code=0` to 2.6; `name='o', partitionResponses=[..(index=0, errorCode=0`;
# from 4.1 on the name is empty, and an id stands beside it.
_PRODUCED = when_used(
    r"\b(?:name='(?P<name>[^']*)'|topic=(?P<topic>[^,}]+))"
    r"|\b(?:index|partition)=(?P<index>\d+), ?error_?[cC]ode=(?P<code>-?\d+)"
)
_INTERVAL = when_used(r"\bheartbeatIntervalMs=([0-9]{1,9})\b")


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


def _thrown(event: ClientEvent) -> set[str]:
    """The exceptions that a record names, in its line or in its trace."""
    return {event.error_class or "", *event.details.get("exceptions", "").split("|")}


def _fenced(event: ClientEvent, record: LogRecord) -> None:
    """What a producer says as it ends: fenced where the exception is one of fencing."""
    if _thrown(event) & FENCING:
        event.kind = "fenced"


def _transaction_failed(event: ClientEvent, record: LogRecord) -> None:
    """A transaction fails by its batch, by fencing, or by the offsets that it should commit."""
    _fenced(event, record)
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


def _reset(event: ClientEvent, record: LogRecord) -> None:
    event.details["member_reset"] = str("member id" in record.message[:400]).lower()


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


REFINED: dict[str, Refine] = {
    "config-dump": dumped,
    "streams-send-error": _fenced,
    "producer-txn-error": _transaction_failed,
    "producer-aborting-batches": _fenced,
    "producer-error-state": _fenced,
    "fetch-session-error": _fetch_failed,
    "fetch-failed": _fetch_failed,
    "broker-request-failed": _lost_or_refused,
    "net-received": _answered,
    "net-cancelled-old": _of_request,
    "generation-reset": _reset,
    "broker-prepare-rebalance": _prepared,
    "client-unregistered": _closed,
    "streams-thread-created": _started,
}


SAYS_MORE = frozenset((*REFINED, "leave-group"))  # which may tell of an expired poll, too (events.messages)


def is_refined(family: Family, match: re.Match[str]) -> bool:
    """Whether a text of this family may say more than its fields."""
    if family.ends_by or family.id in SAYS_MORE:
        return family.id != "net-received" or match["api"] in TELLING
    return bool(family.cases) and any(_may_be(case, match) for case in family.cases)


def _may_be(case: Case, match: re.Match[str]) -> bool:
    """Whether a text may be of a case, as far as its own fields tell."""
    of_text = [(match[name] or "", one) for name, one in case.patterns if name in match.re.groupindex]
    return all(compiled(one).search(said) for said, one in of_text)


def refine(event: ClientEvent, record: LogRecord, family: Family) -> None:
    """Tell what a line of a family says beyond its fields."""
    if family.ends_by:
        _end_by(event, record, family.ends_by)
    if (told := REFINED.get(family.id)) is not None:
        told(event, record)
    put_case(event, record, family)


def put_case(event: ClientEvent, record: LogRecord, family: Family) -> None:
    """The first of its family's cases that an event is."""
    for patterns, told in family.cases:
        if all(compiled(one).search(_said_in(event, record, name)) for name, one in patterns):
            for name, value in told:
                setattr(event, name, value)
            return


def _said_in(event: ClientEvent, record: LogRecord, name: str) -> str:
    """What a field of an event, or its message, says; nothing where it is not told."""
    said = record.message if name == "message" else event.details.get(name) or getattr(event, name, None)
    return "" if said is None else str(said)


def _end_by(event: ClientEvent, record: LogRecord, kinds: Sequence[str]) -> None:
    """What ends by a failure of such a kind is that failure: one failure, one event."""
    proof = proof_in(record.message)
    if proof is not None and proof.kind in kinds and not proof.family.repeats_class:
        event.kind = proof.kind
        fill(event, proof.fields)
        event.error_class = "TimeoutException"
