"""KIP-848 members (group.protocol=consumer): the same poll limit, checked at each heartbeat, left by a heartbeat."""

from transforms.rules.clocks import CLOCK_STEP
from transforms.rules.heartbeats import INTERVALS_WITHOUT_BEAT, RUNBOOK
from transforms.rules.kip62 import (
    LOOK_AT_BROKER,
    LOOK_AT_POLL_LOOP,
    NO_LIMIT,
    POLL,
    SOON_MS,
    proven,
    works_on_outside,
)
from transforms.rules.rule import ABSENT, CONFORMS, NOT_APPLICABLE, SAID, Verdict, rule, unjudged, violated
from transforms.timers.groups.member_epochs import EpochStep
from transforms.timers.groups.membership import MEMBER_STATES_848, Membership


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
    Silent when: the excess, the limit or the broker's heartbeat interval is unknown, the process stood still, or a
        coordinator was lost or found meanwhile: without one nobody looks at the limit.
    """
    if not member.is_848 or member.poll_expired is None or member.woke_from_standstill:
        return NOT_APPLICABLE
    if proven(member, POLL) is None:
        return unjudged(*NO_LIMIT)
    if member.next_poll is None or member.exceeded_ms is None:
        return unjudged("next poll not seen", "the line of the next poll (3.8), or JMX last-poll-seconds-ago")
    due_at = member.next_poll.at - member.exceeded_ms
    late_ms = member.poll_expired.at - due_at
    if late_ms <= SOON_MS:
        return CONFORMS
    if any(due_at <= at <= member.poll_expired.at for at in member.disturbed):
        return NOT_APPLICABLE
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
    Silent when: no transition of it is seen, or they are not logged (TRACE before 3.9), the leave could not be
        sent, or the member is not seen to join again; one that joins from STALE had left. Where no line tells what it
        joins from, only a log that shows itself to be whole accuses.
    """
    if not member.is_848 or member.poll_expired is None or member.leave_not_sent:
        return NOT_APPLICABLE
    if member.left is not None:
        return CONFORMS
    logs_transitions = (
        member.profile is not None and member.profile.at_least(3, 9) and member.sees_transitions
    )
    back = member.asked_again or member.rejoined
    if not logs_transitions or member.next_poll is None or back is None:
        return unjudged("transitions not seen", "INFO of ConsumerMembershipManager (3.9; TRACE before)")
    return violated(
        "broken_semantics",
        rests_on=SAID if member.rejoined_from in MEMBER_STATES_848 else ABSENT,
        events=(member.poll_expired.event_id, member.next_poll.event_id, back.event_id),
        happened_at=member.next_poll.at,
    )


@rule(
    "kip848.not_rejoined",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    rests_on=ABSENT,
    says="polled and fetched again after its membership had ended, and did not rejoin",
    runbook=LOOK_AT_POLL_LOOP,
    advice="Restart the member; report it with the lines.",
)
def not_rejoined(member: Membership) -> Verdict:
    """Find a KIP-848 member that polls on after it lost its membership, without joining.

    Source: KIP-62, Proposed Changes; AbstractMembershipManager.maybeRejoinStaleMember.
    Silent when: no poll is seen after the end, the coordinator is unknown, the member was closed.
    """
    return works_on_outside(member) if member.is_848 else NOT_APPLICABLE


@rule(
    "kip848.heartbeat_starved",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="sent no heartbeat for {observed_ms} waking ms; its coordinator asked for one each {limit_ms} ms",
    runbook=RUNBOOK,
    advice="Free the consumer's background thread (consumer_background_thread): it sends the heartbeats.",
)
def heartbeat_starved(member: Membership) -> Verdict:
    """Find a KIP-848 member that was awake and sent no heartbeat when its coordinator wanted one.

    Source: KIP-848, Heartbeat; AbstractHeartbeatRequestManager.poll (the interval is the coordinator's last answer's).
    Silent when: requests or the interval are not logged, the coordinator is unknown, the answer to the last heartbeat
    is outstanding or was an error, or the whole client was silent, as a process that stands still is.
    """
    if not member.is_848:
        return NOT_APPLICABLE
    if not member.sees_heartbeats or not member.sees_requests:
        return unjudged("heartbeats not logged", "the client's log at DEBUG of NetworkClient")
    interval_ms = member.longest_interval_ms
    if interval_ms is None:
        return unjudged(
            "heartbeat interval unknown", "DEBUG of ConsumerHeartbeatRequestManager, or INFO of 4.4"
        )
    if member.clock_stepped:
        return CLOCK_STEP
    silence = member.longest_silence
    if silence is None or silence.awake_ms <= INTERVALS_WITHOUT_BEAT * interval_ms:
        return CONFORMS
    if member.log_has_hole:
        return unjudged(
            "lines are missing: correlation ids of its requests skip", "the client's log without gaps"
        )
    return violated(
        "broken_semantics",
        rests_on=ABSENT,
        events=(silence.before.event_id, silence.after.event_id),
        happened_at=silence.after.at,
        observed_ms=silence.awake_ms,
        limit_ms=interval_ms,
        limit_origin="logged",
    )


@rule(
    "kip848.epoch_went_back",
    judges=EpochStep,
    severity="error",
    gives=("broken_semantics",),
    says="member {member} went from epoch {before} back to {epoch} without joining anew",
    runbook=LOOK_AT_BROKER,
    advice="Look whether the group's coordinator lost what it had written (an unclean leader of __consumer_offsets); "
    "restart the member, and report it with both logs.",
)
def epoch_went_back(step: EpochStep) -> Verdict:
    """Find a member whose epoch fell while it was a member: partitions may then be owned twice.

    Source: KIP-848, Member Epoch; AbstractMembershipManager.onHeartbeatSuccess. A coordinator that is behind fences the
    member, which joins anew with epoch 0.
    Silent when: a line between them tells of its end. Rests on there being none: in a log that may have lost lines
    nothing is said.
    """
    if step.epoch >= step.before:
        return CONFORMS
    return violated(
        "broken_semantics",
        rests_on=ABSENT,
        events=step.event_ids,
        subject_id=step.step_id,
        happened_at=step.happened_at,
        member=step.member_id,
        before=step.before,
        epoch=step.epoch,
    )
