"""KIP-62, liveness of classic consumers: what the coordinator promises about removing members and about rebalances."""

from transforms.rules.clocks import CLOCK_STEP
from transforms.rules.kip62 import LOG_CLOCK_GRAIN_MS, LOOK_AT_BROKER, NO_LIMIT, POLL, SESSION, proven
from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.groups.clock_pairs import Offset
from transforms.timers.groups.evictions import Eviction
from transforms.timers.groups.group_rebalances import Rebalance
from transforms.timers.groups.membership import Membership, Proof
from transforms.timers.profile import Setting

# A coordinator's timer fires within milliseconds; recorded lateness is below 20 ms, and a second is a standstill.
BROKER_TIMER_SLACK_MS = 1_000
UNANNOUNCED = (
    "when and why the broker removed it is not logged",
    "the broker's log (INFO of GroupCoordinator)",
)
ASLEEP = (
    "the coordinator may have stood still",
    "lines of the coordinator on this group between its limit and its end",
)


@rule(
    "kip62.evicted_early",
    judges=Eviction,
    severity="error",
    gives=("broken_semantics",),
    says="its session expired {observed_ms} ms after its last request at most; due after {limit_ms} ms",
    runbook=LOOK_AT_BROKER,
    advice="None of the member's settings explains it: report it with both logs.",
)
def evicted_early(eviction: Eviction) -> Verdict:
    """Find a session expiry sooner than session.timeout.ms after a request that the broker answered.

    Source: KIP-62, Proposed Changes; GroupCoordinator.completeAndScheduleNextHeartbeatExpiration.
    Silent when: the two clocks are not paired both before and after that request (the member never comes back), the limit is
    unknown; a rebalance was under way, in which older coordinators use the same line for members that did not rejoin.
    """
    if eviction.cause == "untold":
        return unjudged(*UNANNOUNCED)
    if eviction.cause != "session":
        return NOT_APPLICABLE
    member, spoke = eviction.membership, eviction.member_answered
    if member is None or spoke is None:
        return unjudged("the member's requests unknown", "the member's log at DEBUG of ConsumerCoordinator")
    bound = _session_of(eviction, member, spoke)
    if isinstance(bound, Verdict):
        return bound
    limit, offset = bound
    waited_ms = eviction.evicted.at - spoke.at - offset.low
    if eviction.rebalance is not None or waited_ms < 0:
        return unjudged("not clearly a session expiry", "DEBUG of GroupCoordinator in the broker's log")
    if waited_ms < limit.ms - 2 * LOG_CLOCK_GRAIN_MS:
        return violated(
            "broken_semantics",
            events=(spoke.event_id, eviction.evicted.event_id),
            happened_at=eviction.evicted.at,
            observed_ms=waited_ms,
            limit_ms=limit.ms,
            limit_origin=limit.origin,
            subject_id=member.membership_id,
        )
    if member.sees_heartbeats:
        return CONFORMS
    return unjudged(
        "last request not seen", "DEBUG of ConsumerCoordinator, or JMX last-heartbeat-seconds-ago"
    )


@rule(
    "kip62.evicted_late",
    judges=Eviction,
    severity="error",
    gives=("broken_semantics",),
    says="its session expired {observed_ms} ms after its last request at least; due after {limit_ms} ms",
    runbook=LOOK_AT_BROKER,
    advice="Its partitions stood still for longer than session.timeout.ms: look at the coordinator.",
)
def evicted_late(eviction: Eviction) -> Verdict:
    """Find a session expiry much later than session.timeout.ms after the member's last request.

    Source: KIP-62, Proposed Changes; GroupCoordinator.onExpireHeartbeat.
    Silent when: not every request of the member is seen and answered, the clocks are not paired, the limit is unknown;
    the coordinator says nothing of the group from the limit to the removal, as where its whole process stood still.
    Acquitted also where no later request is needed to explain it: it came in time after the last one that was accepted.
    """
    if eviction.cause == "untold":
        return unjudged(*UNANNOUNCED)
    if eviction.cause != "session":
        return NOT_APPLICABLE
    member, heard = eviction.membership, eviction.member_heard_last
    if member is None or heard is None:
        if (
            member is not None
            and not member.is_848
            and not eviction.clock_stepped
            and _is_explained(eviction)
        ):
            return CONFORMS
        return unjudged("last request not seen", "DEBUG of NetworkClient, or JMX last-heartbeat-seconds-ago")
    bound = _session_of(eviction, member, heard)
    if isinstance(bound, Verdict):
        return bound
    limit, offset = bound
    waited_ms = eviction.evicted.at - heard.at - offset.high
    if waited_ms <= limit.ms + BROKER_TIMER_SLACK_MS:
        return CONFORMS
    due_at = heard.at + offset.high + limit.ms + BROKER_TIMER_SLACK_MS
    awake = eviction.coordinator_awake
    if awake is None or awake.at <= due_at:
        return unjudged(*ASLEEP)
    return violated(
        "broken_semantics",
        events=(heard.event_id, awake.event_id, eviction.evicted.event_id),
        happened_at=eviction.evicted.at,
        observed_ms=waited_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
        subject_id=member.membership_id,
    )


def _session_of(eviction: Eviction, member: Membership, spoke: Proof) -> tuple[Setting, Offset] | Verdict:
    """The member's session timeout and how far the clocks are apart, or why its session can't be measured by them.

    spoke: from when on it is measured. The clocks are paired before the removal and again behind that, so that a step shows.
    """
    limit = proven(eviction, SESSION)
    if limit is None or member.is_848:
        return unjudged(f"{SESSION} unknown", f"the consumer's config dump ({SESSION}), or the broker's")
    if eviction.clock_stepped:
        return CLOCK_STEP
    offset = eviction.offset
    if offset is None or offset.since > eviction.evicted.at or offset.until <= spoke.at:
        return unjudged(
            "clocks not paired",
            "the member's log and the broker's, both from the member's join until it has joined again",
        )
    return limit, offset


def _is_explained(eviction: Eviction) -> bool:
    """Whether it is not late even if the broker heard nothing after the last request that was accepted."""
    limit, offset, sent_at = proven(eviction, SESSION), eviction.offset, eviction.member_surely_heard
    if limit is None or offset is None or sent_at is None:
        return False
    return eviction.evicted.at - sent_at - offset.low <= limit.ms + BROKER_TIMER_SLACK_MS


@rule(
    "kip62.evicted_in_rebalance_early",
    judges=Eviction,
    severity="error",
    gives=("broken_semantics",),
    says="removed {observed_ms} ms into a rebalance; its own limit to join is {limit_ms} ms",
    runbook=LOOK_AT_BROKER,
    advice="None of the member's settings explains it: report it with both logs.",
)
def evicted_in_rebalance_early(eviction: Eviction) -> Verdict:
    """Find a member that was removed from a rebalance before its own rebalance timeout.

    Source: KIP-62, Proposed Changes; GroupCoordinator.onCompleteJoin, DelayedJoin.
    Silent when: the rebalance's begin or the member's max.poll.interval.ms is unknown.
    """
    return _out_of_rebalance(eviction, is_own=True)


@rule(
    "kip62.rebalance_limit_not_largest",
    judges=Eviction,
    severity="error",
    gives=("broken_semantics",),
    says="removed {observed_ms} ms into a rebalance; the largest limit of its members is {limit_ms} ms",
    runbook=LOOK_AT_BROKER,
    advice="Set the same max.poll.interval.ms on all members, and report it with the logs.",
)
def rebalance_limit_not_largest(eviction: Eviction) -> Verdict:
    """Find a member removed at its own limit, where another member's was larger.

    Source: KIP-62, Proposed Changes; GroupMetadata.rebalanceTimeoutMs (the largest of the members).
    Silent when: no other member is proven to have been there with a larger limit.
    """
    return _out_of_rebalance(eviction, is_own=False)


def _out_of_rebalance(eviction: Eviction, *, is_own: bool) -> Verdict:
    if eviction.cause != "rebalance":
        return NOT_APPLICABLE
    limits, rebalance = eviction.limits, eviction.rebalance
    if rebalance is None or rebalance.started is None:
        return unjudged(
            "the rebalance's begin not seen",
            "the broker's log (INFO of GroupCoordinator) from the rebalance on",
        )
    limit = None if limits is None else (limits.own if is_own else limits.at_start)
    own_ms = 0 if limits is None or limits.own is None else limits.own.ms
    if limit is None:
        return unjudged(*NO_LIMIT)
    waited_ms = eviction.evicted.at - rebalance.started.at
    is_early = waited_ms < limit.ms - LOG_CLOCK_GRAIN_MS
    # Sooner than the member's own limit is the other rule's finding.
    is_other_rules = not is_own and waited_ms < own_ms - LOG_CLOCK_GRAIN_MS
    if not is_early or is_other_rules:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=(rebalance.started.event_id, eviction.evicted.event_id),
        happened_at=eviction.evicted.at,
        observed_ms=waited_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
        subject_id=None if eviction.membership is None else eviction.membership.membership_id,
    )


@rule(
    "kip62.rebalance_overran",
    judges=Rebalance,
    severity="error",
    gives=("broken_semantics",),
    says="the rebalance took {observed_ms} ms; the largest limit of its members is {limit_ms} ms",
    runbook=LOOK_AT_BROKER,
    advice="The group stood still for longer than any member allows: look at the coordinator.",
)
def rebalance_overran(rebalance: Rebalance) -> Verdict:
    """Find a rebalance that waited longer for its members than the largest of their limits.

    Source: KIP-62, Proposed Changes; DelayedJoin (rebalanceTimeoutMs).
    Silent when: it is not over, a member's limit is unknown, or lines of members and coordinator show that a clock stepped;
    the coordinator says nothing of the group from its limit to its end, as where its whole process stood still.
    """
    started, ended, largest = rebalance.started, rebalance.ended, rebalance.limits.largest
    if started is None or ended is None:
        return NOT_APPLICABLE
    took_ms = ended.at - started.at
    if largest is not None and took_ms <= largest.ms + BROKER_TIMER_SLACK_MS:
        return CONFORMS
    if largest is None or not rebalance.limits.is_complete:
        return unjudged("a member's limit unknown", f"the config dumps of all members ({POLL})")
    if rebalance.clock_stepped:
        return CLOCK_STEP
    due_at = started.at + largest.ms + BROKER_TIMER_SLACK_MS
    awake = [said for said in rebalance.said if due_at < said.at < ended.at - BROKER_TIMER_SLACK_MS]
    if not awake:
        return unjudged(*ASLEEP)
    return violated(
        "broken_semantics",
        events=(started.event_id, awake[-1].event_id, ended.event_id),
        happened_at=ended.at,
        observed_ms=took_ms,
        limit_ms=largest.ms,
        limit_origin=largest.origin,
        subject_id=rebalance.rebalance_id,
    )
