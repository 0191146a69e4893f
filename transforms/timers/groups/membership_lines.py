"""What one line says about a membership: the signals LivenessSessions is driven by.

Texts move between levels, loggers and families from version to version; the few things they mean for a
membership do not.
Sources: AbstractCoordinator, ConsumerCoordinator (classic); AbstractMembershipManager,
AbstractHeartbeatRequestManager (KIP-848).
"""

from enum import StrEnum

from transforms.events import ClientEvent
from transforms.when_used import when_used


class MembershipSignal(StrEnum):
    """What a client's line means for its membership."""

    JOIN_SENT = "join_sent"
    JOINED = "joined"
    SYNCED = "synced"
    ASSIGNED = "assigned"
    LEADS = "leads"
    MEMBER_KNOWN = "member_known"
    JOIN_ANSWERED = "join_answered"
    MUST_REJOIN = "must_rejoin"
    POLL_EXPIRED = "poll_expired"
    POLLED_LATE = "polled_late"
    LEFT = "left"
    LEAVE_NOT_SENT = "leave_not_sent"
    LET_GO = "let_go"
    UNKNOWN_MEMBER = "unknown_member"
    FENCED = "fenced"
    SESSION_LOST = "session_lost"
    SESSION_ENDED = "session_ended"
    COORDINATOR_LOST = "coordinator_lost"
    COORDINATOR_FOUND = "coordinator_found"
    PARTITIONS_LOST = "partitions_lost"
    HEARTBEAT_SENT = "heartbeat_sent"
    HEARTBEAT_OK = "heartbeat_ok"
    REQUEST_SENT = "request_sent"
    REQUEST_ANSWERED = "request_answered"
    COMMITTED = "committed"
    TIMED_OUT = "timed_out"
    TRANSITION = "transition"
    INTERVAL_TOLD = "interval_told"


_PLAIN = {
    "rdkafka-join": MembershipSignal.JOIN_SENT,
    "rdkafka-joined": MembershipSignal.JOINED,
    "rdkafka-synced": MembershipSignal.SYNCED,
    "rdkafka-assigned": MembershipSignal.ASSIGNED,
    "rdkafka-heartbeat-848-ok": MembershipSignal.MEMBER_KNOWN,
    "rdkafka-session-timeout": MembershipSignal.SESSION_ENDED,
    "rdkafka-member-fenced": MembershipSignal.UNKNOWN_MEMBER,
    "rejoin": MembershipSignal.JOIN_SENT,
    "join-answered": MembershipSignal.JOIN_ANSWERED,
    "joined": MembershipSignal.JOINED,
    "synced": MembershipSignal.SYNCED,
    "leader-assignment": MembershipSignal.LEADS,
    "onjoincomplete": MembershipSignal.MEMBER_KNOWN,
    "partitions-added": MembershipSignal.ASSIGNED,
    "poll-timeout-expired": MembershipSignal.POLL_EXPIRED,
    "c848-poll-timeout": MembershipSignal.POLL_EXPIRED,
    "c848-poll-exceeded-by": MembershipSignal.POLLED_LATE,
    "c848-leave-not-sent": MembershipSignal.LEAVE_NOT_SENT,
    "c848-stale": MembershipSignal.LEFT,
    "heartbeat-fenced": MembershipSignal.FENCED,
    "coordinator-found": MembershipSignal.COORDINATOR_FOUND,
    "coordinator-disconnect": MembershipSignal.COORDINATOR_LOST,
    "c848-coordinator-unknown": MembershipSignal.COORDINATOR_LOST,
    "partitions-lost": MembershipSignal.PARTITIONS_LOST,
    "heartbeat-send": MembershipSignal.HEARTBEAT_SENT,
    "heartbeat-ok": MembershipSignal.HEARTBEAT_OK,
    "c848-heartbeat-ok": MembershipSignal.HEARTBEAT_OK,
    "c848-transition": MembershipSignal.TRANSITION,
    "c848-heartbeat-interval": MembershipSignal.INTERVAL_TOLD,
    "streams-group-configured": MembershipSignal.INTERVAL_TOLD,
    "offset-committed": MembershipSignal.COMMITTED,
    "net-send": MembershipSignal.REQUEST_SENT,
    "net-received": MembershipSignal.REQUEST_ANSWERED,
}

# Errors of a member's own requests, as their enum name, their exception class or Errors.message() says it.
_ENDED = (
    (
        MembershipSignal.UNKNOWN_MEMBER,
        when_used(
            r"UNKNOWN_MEMBER_ID|UnknownMemberId|coordinator is not aware of this member"
            r"|member id .{0,200}is not valid|member .{0,200}is unknown"
        ),
    ),
    (
        MembershipSignal.FENCED,
        when_used(
            r"FENCED_INSTANCE_ID|FencedInstanceId|FENCED_MEMBER_EPOCH|FencedMemberEpoch"
            r"|rejected this static consumer|group instance id .{0,200}fenced|is fenced|fenced instance id"
        ),
    ),
)
_TELLS_ERRORS = frozenset(
    {
        "heartbeat-failed",
        "commit-failed",
        "commit-failed-generation",
        "join-failed",
        "sync-failed",
        "generation-reset",
        "c848-heartbeat-retry",
        "c848-heartbeat-error",
        "c848-heartbeat-fenced",
    }
)
_CALL_TIMEOUT = when_used(r"REQUEST_TIMED_OUT|TimeoutException|timed out")
SESSION_TIMED_OUT = "session timed out without receiving"
LEAVING = "pro-actively leaving"
REBALANCING = "already rebalancing"
# How the answer to a heartbeat tells of a rebalance: the line of 3.0 and later, and the one before.
HEARTBEAT_ANSWERS = frozenset({"group is already rebalancing", "group is rebalancing"})
_KINDS = {
    "poll_interval_expired": MembershipSignal.POLL_EXPIRED,
    "leave_group": MembershipSignal.LEFT,
    "fenced": MembershipSignal.FENCED,
    "session_expired": MembershipSignal.SESSION_LOST,
    "coordinator_lost": MembershipSignal.COORDINATOR_LOST,
    "coordinator_found": MembershipSignal.COORDINATOR_FOUND,
    "partitions_lost": MembershipSignal.PARTITIONS_LOST,
}


def signal_of(event: ClientEvent) -> MembershipSignal | None:
    """The meaning of a consumer's line for its membership; None where it has none."""
    if event.kind in ("leave_group", "poll_interval_expired"):
        # One record of 2.4 to 2.8 says both, as two events with one text: only the kind tells them apart.
        return _PLAIN.get(event.message_id) if is_of_848(event) else _KINDS[event.kind]
    if event.message_id == "coordinator-unknown":
        return (
            MembershipSignal.SESSION_LOST
            if SESSION_TIMED_OUT in text_of(event)
            else MembershipSignal.COORDINATOR_LOST
        )
    if event.message_id in _TELLS_ERRORS:
        return _error_signal(event)
    if event.message_id == "rejoin-reason":
        return MembershipSignal.MUST_REJOIN
    return _PLAIN.get(event.message_id) or _KINDS.get(event.kind)


def text_of(event: ClientEvent) -> str:
    """All that the line says of why: error, reason and message in one text."""
    parts = [event.error_class or ""]
    parts.extend(
        event.details.get(name, "") for name in ("error", "reason", "cause", "error_message", "message")
    )
    return " ".join(part for part in parts if part)


def is_of_848(event: ClientEvent) -> bool:
    """Whether only a member of KIP-848 writes such a line."""
    return event.message_id.startswith("c848-")


def _error_signal(event: ClientEvent) -> MembershipSignal | None:
    text = text_of(event)
    if "ignoring the error" in text:  # the answer to a request of an earlier generation
        return None
    for signal, pattern in _ENDED:
        if pattern.search(text):
            return signal
    if event.message_id == "heartbeat-failed" and event.details.get("reason") in HEARTBEAT_ANSWERS:
        return MembershipSignal.MUST_REJOIN
    if event.message_id == "generation-reset" and LEAVING in text:
        return MembershipSignal.LET_GO
    if event.message_id == "generation-reset" and _CALL_TIMEOUT.search(text):
        return MembershipSignal.TIMED_OUT
    return MembershipSignal.FENCED if event.kind == "fenced" else None
