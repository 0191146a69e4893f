"""KIP-848 members (group.protocol=consumer): the same poll limit, checked at each heartbeat, left by a heartbeat."""

from transforms.rules.kip62 import LOOK_AT_POLL_LOOP, NO_LIMIT, POLL, SOON_MS, proven
from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.groups.membership import Membership


@rule(
    "kip848.left_late",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="left {observed_ms} ms after its poll limit passed; due within a heartbeat interval, {limit_ms} ms",
    runbook=LOOK_AT_POLL_LOOP,
    advice="Look at the consumer's background thread: it could not run.",
)
def left_late(member: Membership) -> Verdict:
    """Find a KIP-848 member that noticed its poll limit more than a heartbeat interval late.

    Source: KIP-62, Proposed Changes; AbstractHeartbeatRequestManager.poll; the next poll's line tells the
    excess (3.8).
    Silent when: the excess, the limit or the broker's heartbeat interval is unknown, or the
    process stood still.
    """
    if not member.is_848 or member.poll_expired is None or member.woke_from_standstill:
        return NOT_APPLICABLE
    if proven(member, POLL) is None:
        return unjudged(*NO_LIMIT)
    if member.next_poll is None or member.exceeded_ms is None:
        return unjudged("next poll not seen", "the line of the next poll (3.8), or JMX last-poll-seconds-ago")
    late_ms = member.poll_expired.at - (member.next_poll.at - member.exceeded_ms)
    if late_ms <= SOON_MS:
        return CONFORMS
    if member.heartbeat_interval_ms is None:
        return unjudged("heartbeat interval unknown", "DEBUG of ConsumerHeartbeatRequestManager")
    if late_ms <= member.heartbeat_interval_ms + SOON_MS:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=(member.poll_expired.event_id, member.next_poll.event_id),
        happened_at=member.poll_expired.at,
        observed_ms=late_ms,
        limit_ms=member.heartbeat_interval_ms,
        limit_origin="logged",
    )


@rule(
    "kip848.not_left",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="passed its poll limit, polled again, and had not left the group between",
    runbook=LOOK_AT_POLL_LOOP,
    advice="The group waits for its session timeout before it gives the partitions to others.",
)
def not_left(member: Membership) -> Verdict:
    """Find a poll expiry of a KIP-848 member that no leaving heartbeat followed.

    Source: KIP-62, Proposed Changes; AbstractMembershipManager.transitionToSendingLeaveGroup,
    transitionToStale.
    Silent when: transitions are not logged (TRACE before 3.9), the leave could not be sent, or the member is
        not seen to join again; one that joins from STALE had left.
    """
    if not member.is_848 or member.poll_expired is None or member.leave_not_sent:
        return NOT_APPLICABLE
    if member.left is not None:
        return CONFORMS
    sees_transitions = member.profile is not None and member.profile.at_least(3, 9)
    back = member.asked_again or member.rejoined
    if not sees_transitions or member.next_poll is None or back is None:
        return unjudged("transitions not seen", "INFO of ConsumerMembershipManager (3.9; TRACE before)")
    return violated(
        "broken_semantics",
        events=(member.poll_expired.event_id, member.next_poll.event_id, back.event_id),
        happened_at=member.next_poll.at,
    )


@rule(
    "kip848.not_rejoined",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="polled and fetched again after its membership had ended, and did not rejoin",
    runbook=LOOK_AT_POLL_LOOP,
    advice="Restart the member; report it with the lines.",
)
def not_rejoined(member: Membership) -> Verdict:
    """Find a KIP-848 member that polls on after it lost its membership, without joining.

    Source: KIP-62, Proposed Changes; AbstractMembershipManager.maybeRejoinStaleMember.
    Silent when: no poll is seen after the end, the coordinator is unknown, the member was closed.
    """
    has_learned = member.learned is not None or member.poll_expired is not None
    if not member.is_848 or not has_learned or member.session.outcome in ("open", "closed", "fenced"):
        return NOT_APPLICABLE
    if member.rejoined is not None or member.asked_again is not None:
        return CONFORMS
    worked, polled = member.worked_without_joining, member.next_poll
    if worked is None or polled is None:
        return unjudged("no later poll seen", "JMX last-poll-seconds-ago, or the log that follows")
    return violated(
        "broken_semantics",
        events=(*member.session.event_ids[-1:], polled.event_id, worked.event_id),
        happened_at=worked.at,
        observed_ms=worked.at - polled.at,
    )
