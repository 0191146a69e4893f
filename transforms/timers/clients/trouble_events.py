"""What one line tells of trouble, by itself: whether it is any, and whether it shows that its client had got on.

Nothing is judged here: what a line means stands in transforms/diagnose/troubles.yaml.
"""

from functools import cache

from transforms.events import APPLICATION_EXCEPTION, JAVA, LIBRDKAFKA, ClientEvent
from transforms.parse.catalogue.forms import PYTHONS_CLIENTS, families
from transforms.timers.clients.own_ends import is_own_end

LOUD = frozenset({"WARN", "ERROR", "FATAL"})
QUIET = frozenset({"DEBUG", "TRACE"})
# Kinds that tell of trouble at whatever level but DEBUG.
TROUBLE = frozenset({
    "task_timeout_expired", "batch_expired", "produce_retry", "produce_failed", "request_timeout", "disconnect",
    "connect_failed", "poll_interval_expired", "heartbeat_failed", "session_expired", "coordinator_lost", "fenced",
    "commit_failed", "partitions_lost", "broker_member_failed", "streams_error",
})  # fmt: skip
# Kinds that end a membership, or may: told with it, per group, where the line names one.
OF_GROUP = frozenset({
    "poll_interval_expired", "session_expired", "heartbeat_failed", "partitions_lost", "fenced", "broker_member_failed",
})  # fmt: skip
# Errors of a client whose level what prints them left out.
LEVELLED = frozenset({JAVA, *PYTHONS_CLIENTS})  # each family at the levels at which its library logs it
WITHOUT_LEVEL = frozenset({"rdkafka-error"})
REBALANCING = "group is already rebalancing"
POLL_EXPIRY_REASON = "poll timeout has expired"  # why a member left
HEARTBEAT_EXPIRY_REASON = "on heartbeat expiration"  # why one was removed
# What a member says of its own end, behind the answer that ended it.
ENDS_MEMBERSHIP = frozenset({"c848-fatal"})
TASK_CLOSED, DIRTY = "streams-task-closed", "dirty"
STREAMS_STATE, ERRORS = "streams-client-state", ("PENDING_ERROR", "ERROR")
# What the loggers of brokers and controllers alone begin with.
SERVERS = (
    "kafka.Kafka", "kafka.cluster.", "kafka.controller.", "kafka.coordinator.", "kafka.log.", "kafka.network.",
    "kafka.raft.", "kafka.server.", "org.apache.kafka.controller.", "org.apache.kafka.coordinator.",
    "org.apache.kafka.image.", "org.apache.kafka.network.", "org.apache.kafka.raft.", "org.apache.kafka.server.",
    "org.apache.kafka.storage.", "io.streamnative.pulsar.handlers.kop.", "state.change.logger",
    "io.confluent.support.metrics.",
)  # fmt: skip
BEFORE_UP = frozenset({"rdkafka-error", "rdkafka-disconnected", "rdkafka-connect-failed"})
CLOSED = "rdkafka-disconnected"
VERSIONS = frozenset({"API_VERSIONS", "ApiVersions"})
FIRST = frozenset({"METADATA", "Metadata"}) | VERSIONS
# What a client can only say once its broker answers it again.
PROGRESS = frozenset({"coordinator_found", "joined", "sync", "partitions_assigned", "task_timeout_clear"})
ASSIGNED = frozenset({"RECONCILING", "ACKNOWLEDGING", "STABLE"})
LEAST_COORDINATOR = 2**31 - 1_000_000  # a connection to a coordinator has 2**31 - 1 less the broker's id
# What is lost or late where a client had got on: only who was told of its leader or coordinator asks that, and only a member
# loses its membership.
OF_A_TOLD_BROKER = frozenset({
    "produce", "fetch", "listoffsets", "offsetforleaderepoch", "joingroup", "syncgroup", "heartbeat", "leavegroup",
    "offsetcommit", "offsetfetch", "addpartitionstotxn", "addoffsetstotxn", "endtxn", "txnoffsetcommit",
    "consumergroupheartbeat", "sharegroupheartbeat", "sharefetch", "shareacknowledge", "streamsgroupheartbeat",
})  # fmt: skip
OF_A_MEMBER = frozenset({"poll_interval_expired", "session_expired", "heartbeat_failed", "partitions_lost"})
PROTOCOL_DOUBTED = "security.protocol"
# Said again with each heartbeat until the member joins. Python's clients do so at WARN, and say at INFO that they join: what
# comes later than a session lasts (45 s; a heartbeat is due each third of it) may be another rebalance's.
OF_PYTHONS_HEARTBEAT, BETWEEN_HEARTBEATS_MS = "python-heartbeat-rebalancing", 45_000
# Two heartbeats more were due by then (heartbeat.interval.ms is 3 s by default).
HEARTBEATS_LATE_MS = 6_000
JOIN_AWAITED = frozenset({"rejoin-reason", OF_PYTHONS_HEARTBEAT})


def is_of_server(logger: str) -> bool:
    """Whether a logger is one that brokers and controllers alone have."""
    return logger.startswith(SERVERS)


def is_trouble(event: ClientEvent) -> bool:
    """Whether a line tells of trouble: by its level, or in plain words at INFO; never what is known to be normal."""
    tells_at = _trouble_at(event.message_id)
    if tells_at == "DEBUG":
        return not is_own_end(event)
    if is_refused_at_first(event) or _broke_off(event) or _awaits_poll(event) or _is_in_error(event):
        return True
    if _removed_one(event) or _gave_up_task(event) or _waited_in_vain(event):
        return True
    if event.benign or event.level in QUIET or event.kind == "leave_group":
        return _left_too_late(event)  # another leave has its reason in another event
    # A stack trace without a head, or an error without its level.
    is_printed = event.level is None and (
        event.error_class is not None
        or event.message_id in WITHOUT_LEVEL
        or bool(own_level(event.message_id))
    )
    return is_printed or is_loud(event.level, event.message_id) or event.kind in TROUBLE or tells_at == "INFO"


def is_loud(level: str | None, message_id: str) -> bool:
    """Whether a line's level is one of trouble, and its own."""
    return level in LOUD and not has_printers_level(message_id)


@cache
def has_printers_level(message_id: str) -> bool:
    """Whether no release of Kafka writes a family's lines at WARN or louder: where they are, what prints them has chosen
    that (a shipper that takes all of stderr for errors)."""
    family = families().get(message_id)
    if family is None or family.library != JAVA or not family.levels:
        return False
    return LOUD.isdisjoint(family.levels)


def _trouble_at(message_id: str) -> str | None:
    """The quietest level at which lines of a family tell of trouble, where it is quieter than WARN."""
    family = families().get(message_id)
    return family.trouble if family is not None else "INFO" if message_id == APPLICATION_EXCEPTION else None


def shows_work(message_id: str) -> bool:
    """Whether a client of which this is said got on."""
    family = families().get(message_id)
    return family is not None and family.works


@cache
def own_level(message_id: str) -> str | None:
    """The quietest level that a family's lines are logged at, where that is loud: a paste may have cut it off."""
    family = families().get(message_id)
    levels = set(family.levels) if family is not None and family.library in LEVELLED else set()
    return (
        next((level for level in ("WARN", "ERROR", "FATAL") if level in levels), None)
        if levels <= LOUD
        else None
    )


def _left_too_late(event: ClientEvent) -> bool:
    """Whether a member left for its poll timeout, in a line without a time: no membership that is rebuilt tells of it."""
    is_leave = event.message_id == "leave-group" and event.happened_at is None
    return is_leave and event.details.get("reason", "").rstrip(". ").endswith(POLL_EXPIRY_REASON)


def _removed_one(event: ClientEvent) -> bool:
    """Whether a coordinator removed a member without heartbeats, in a line without a time: as _left_too_late."""
    is_rebalance = event.message_id == "broker-prepare-rebalance" and event.happened_at is None
    return is_rebalance and event.details.get("reason", "").rstrip(". ").endswith(HEARTBEAT_EXPIRY_REASON)


def _awaits_poll(event: ClientEvent) -> bool:
    """Whether a heartbeat told a member that its group rebalances: it joins in its next poll()."""
    return event.message_id in JOIN_AWAITED and event.details.get("reason", REBALANCING) == REBALANCING


def _broke_off(event: ClientEvent) -> bool:
    """Whether a connection ended before it was good for requests: librdkafka says a failure again at DEBUG."""
    state = event.details.get("state", "UP") if event.client_library == LIBRDKAFKA else "UP"
    return not state.startswith("UP") and event.message_id in BEFORE_UP and not is_own_end(event)


def _waited_in_vain(event: ClientEvent) -> bool:
    """Whether a heartbeat was given up that had waited while others were due: a coordinator answers each at once."""
    is_late = event.elapsed_ms is not None and event.elapsed_ms >= HEARTBEATS_LATE_MS
    return is_late and event.message_id == "net-inflight-cancelled" and event.api == "HEARTBEAT"


def is_member_now(event: ClientEvent) -> bool:
    """Whether a member by heartbeats (KIP-848, 1071) was answered one: only so it is given an assignment."""
    return event.message_id == "c848-transition" and event.details.get("state_to") in ASSIGNED


def is_refused_at_first(event: ClientEvent) -> bool:
    """A first connection closed with a request in flight: nothing was learned of that broker. Of one that is known by its
    number, or a coordinator, only its versions are asked for before anything else.
    """
    is_new = event.api in VERSIONS or (event.api in FIRST and (event.node_id or 0) < 0)
    return event.message_id == "net-inflight-cancelled" and is_new


def _is_in_error(event: ClientEvent) -> bool:
    """Whether a Streams client says that it came to its end by an error: at INFO, as all of its states."""
    return event.message_id == STREAMS_STATE and event.details.get("state_to") in ERRORS


def _gave_up_task(event: ClientEvent) -> bool:
    """Whether Streams closed a task without committing it: its thread failed, was fenced or lost its partitions."""
    return event.message_id == TASK_CLOSED and event.details.get("how") == DIRTY


def is_of_group(event: ClientEvent) -> bool:
    """Whether a line is told with the memberships of its group."""
    return (event.kind in OF_GROUP or event.message_id in ENDS_MEMBERSHIP) and bool(event.group_id)


def had_worked(event: ClientEvent) -> bool:
    """Whether a line of trouble shows that its client had got on: it lost a membership, or a connection that was good.

    Source: librdkafka, rd_kafka_broker_set_error: a connection that was good for less than two seconds without SASL may be
    of the wrong protocol, and the line says so.
    """
    is_consuming = event.message_id == "sarama-connect-failed" and event.partition is not None  # had a leader
    api = (event.api or "").replace("_", "").casefold()
    if event.kind in OF_A_MEMBER or is_consuming or api in OF_A_TOLD_BROKER:
        return True
    # Java's asks a broker that the cluster named for anything else only once its ApiVersions were answered.
    is_named = event.node_id is not None and event.node_id >= 0
    if event.kind == "request_cancelled" and api not in ("", "apiversions") and is_named:
        return True
    # Its number a broker had told, where it is closed without a word; so had one that was up.
    was_told_of = is_named and event.message_id == CLOSED
    was_up = was_told_of or event.details.get("state", "").startswith("UP")
    is_of_librdkafka = event.client_library == LIBRDKAFKA
    return (
        is_of_librdkafka and was_up and not any(PROTOCOL_DOUBTED in said for said in event.details.values())
    )
