"""Heartbeats while a member: one each heartbeat.interval.ms, in rebalances too (KIP-62, KIP-266)."""

from transforms.rules.clocks import CLOCK_STEP
from transforms.rules.kip62 import proven
from transforms.rules.rule import ABSENT, CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.groups.membership import Membership, Sampled, Silence

HEARTBEAT = "heartbeat.interval.ms"
# A beat may be due right after the one edge of the gap, and late by one round of the thread at the other:
# two intervals of waking silence hold at least one beat that was never sent.
INTERVALS_WITHOUT_BEAT = 2
NOT_LOGGED = ("heartbeats not logged", "DEBUG of ConsumerCoordinator, or JMX last-heartbeat-seconds-ago")
RUNBOOK = (
    "Look at the heartbeat thread (kafka-coordinator-heartbeat-thread) in a thread dump.",
    "Usually a callback or an interceptor holds the consumer's lock, or the machine has no CPU left.",
    "Let it be if the process stood still: those gaps are not counted.",
)


@rule(
    "timeouts.heartbeat_starved",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="sent no heartbeat for {observed_ms} waking ms; one is due each {limit_ms} ms",
    runbook=RUNBOOK,
    advice="Free the heartbeat thread; a longer session.timeout.ms hides gaps, and notices the dead later.",
)
def heartbeat_starved(member: Membership) -> Verdict:
    """Find a member that was awake and sent no heartbeat when one was due.

    Source: KIP-62, Proposed Changes; Heartbeat.shouldHeartbeat.
    Silent when: heartbeats are neither logged nor sampled, the interval is unknown, the coordinator unknown, an answer
    is outstanding, a join is under way, or the whole client was silent, as a process that stands still is; it was a
    member for two intervals or less. By samples: also where nobody looked for longer than an interval, or a line told of
    a rebalance meanwhile.
    """
    if _is_short(member):
        return NOT_APPLICABLE
    if not member.sees_heartbeats and not member.is_848 and member.sampled is not None:
        return _by_samples(member, member.sampled)
    return _judge(member, member.longest_silence, "broken_semantics")


@rule(
    "kip62.heartbeats_stopped_in_rebalance",
    judges=Membership,
    severity="error",
    gives=("broken_semantics", "older_semantics"),
    says="sent no heartbeat for {observed_ms} waking ms in a rebalance; one is due each {limit_ms} ms",
    runbook=RUNBOOK,
    advice="Upgrade clients below 2.6.1 (KAFKA-10134).",
)
def heartbeats_stopped_in_rebalance(member: Membership) -> Verdict:
    """Find a member that knows of a rebalance, still processes, and sends no heartbeat meanwhile.

    Source: KIP-62, Proposed Changes; KAFKA-10134 (2.5.1, 2.6.1) for older clients.
    Silent when: as timeouts.heartbeat_starved. Samples acquit; that a rebalance was under way only lines can prove, and
    where they tell of each notice (INFO since 3.0), one that was followed by a join within two intervals held no
    such silence.
    """
    if _is_short(member):
        return NOT_APPLICABLE
    if not member.sees_heartbeats and not member.is_848:
        if _beats_on(member, is_in_rebalance=True):
            return CONFORMS
        if member.profile is not None and member.profile.at_least(3, 0, 0) and not member.is_notice_open:
            if member.noticed_ms is None:
                return NOT_APPLICABLE
            if _is_within(member, member.noticed_ms):
                return CONFORMS
    silence = member.longest_silence_in_rebalance
    if silence is None and member.sees_heartbeats:
        return NOT_APPLICABLE
    is_fixed = member.profile.at_least(2, 6, 1) if member.profile is not None else None
    if is_fixed is None:
        return unjudged("version unknown", "the client's line 'Kafka version: ...' (INFO of AppInfoParser)")
    return _judge(member, silence, "broken_semantics" if is_fixed else "older_semantics")


def _by_samples(member: Membership, sampled: Sampled) -> Verdict:
    interval, silence = proven(member, HEARTBEAT), sampled.longest_silence
    if interval is None:
        return unjudged(f"{HEARTBEAT} unknown", f"the consumer's config dump ({HEARTBEAT})")
    if _beats_on(member):
        return CONFORMS
    is_open = silence is None or not sampled.beats_are_watched
    if is_open or silence is None or not (silence.is_steady and silence.is_answered):
        return unjudged(*NOT_LOGGED)
    if member.clock_stepped:
        return CLOCK_STEP
    if silence.awake_ms <= INTERVALS_WITHOUT_BEAT * interval.ms:
        return unjudged(*NOT_LOGGED)
    return violated(
        "broken_semantics",
        events=member.session.event_ids[:1],
        samples=silence.samples,
        happened_at=silence.until,
        observed_ms=silence.awake_ms,
        limit_ms=interval.ms,
        limit_origin=interval.origin,
    )


def _beats_on(member: Membership, *, is_in_rebalance: bool = False) -> bool:
    """Whether samples, taken more often than it beats, show no silence that two intervals can't explain.

    is_in_rebalance: nor one in a rebalance.
    """
    interval, sampled = proven(member, HEARTBEAT), member.sampled
    if interval is None or sampled is None or not sampled.beats_are_watched:
        return False
    silence = sampled.longest_silence
    if silence is None or _is_within(member, silence.ms):
        return True
    return not is_in_rebalance and _is_within(member, sampled.undisturbed_ms)


def _is_short(member: Membership) -> bool:
    """Whether it was a member for so short that no silence of it can be longer than two intervals."""
    joined, ended = member.session.joined_at, member.session.ended_at
    is_known = joined is not None and ended is not None and not member.clock_stepped
    return is_known and not member.is_848 and _is_within(member, (ended or 0) - (joined or 0))


def _is_within(member: Membership, ms: int) -> bool:
    """Whether two heartbeat intervals last as long, at least; not where the interval is unknown."""
    interval = proven(member, HEARTBEAT)
    return interval is not None and ms <= INTERVALS_WITHOUT_BEAT * interval.ms


def _judge(member: Membership, silence: Silence | None, category: str) -> Verdict:
    if member.is_848:
        return NOT_APPLICABLE  # the broker gives the interval, in a response that few logs show
    if not member.sees_heartbeats:
        return unjudged(*NOT_LOGGED)
    interval = proven(member, HEARTBEAT)
    if interval is None:
        return unjudged(f"{HEARTBEAT} unknown", f"the consumer's config dump ({HEARTBEAT})")
    if member.clock_stepped:
        return CLOCK_STEP
    if silence is None or silence.awake_ms <= INTERVALS_WITHOUT_BEAT * interval.ms:
        return CONFORMS
    if member.log_has_hole:
        return unjudged(
            "lines are missing: correlation ids of its requests skip", "the client's log without gaps"
        )
    return violated(
        category,
        rests_on=ABSENT,
        events=(silence.before.event_id, silence.after.event_id),
        happened_at=silence.after.at,
        observed_ms=silence.awake_ms,
        limit_ms=interval.ms,
        limit_origin=interval.origin,
    )
