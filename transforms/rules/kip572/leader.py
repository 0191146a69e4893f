"""KIP-572, Proposed Changes: the group leader's loop over internal topics stops at half of max.poll.interval.ms."""

from transforms.rules.clocks import PAUSE
from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.streams.leader_loops import LeaderLoop

# The first line comes after its remaining time was computed: as late as a busy core makes it.
EARLY_SLACK_MS = 100
# One round asks which topics exist, then creates the missing ones: two calls may time out before the clock
# is looked at.
CALLS_PER_ROUND = 2
# What a loaded process adds to calls that end by their timeout.
LATE_SLACK_MS = 1000


@rule(
    "kip572.leader_loop_early",
    judges=LeaderLoop,
    severity="error",
    gives=("broken_semantics",),
    says="the leader gave up its internal topics after {observed_ms} ms; half of max.poll.interval.ms is {limit_ms} ms",
    runbook=(
        "Compare 'Remaining time in milliseconds' of the first round with the time of 'Could not create topics within'.",
        "Usual cause: max.poll.interval.ms was set for another client than the main consumer; compare their dumps.",
    ),
    advice="Raise max.poll.interval.ms: the leader's limit is half of it.",
)
def leader_loop_early(loop: LeaderLoop) -> Verdict:
    """Find a leader's loop that ended before its limit, or that had a limit below half of max.poll.interval.ms.

    Source: KIP-572, Proposed Changes (rebalancing); InternalTopicManager.makeReady, retryTimeoutMs.
    Silent when: no round was announced (its start is unknown) and the main consumer's dump was not seen; a single
    round was, whose line a pause may have delayed.
    """
    if loop.outcome != "expired" or loop.limit_ms is None or loop.ended_at is None:
        return NOT_APPLICABLE
    if loop.max_poll_interval_ms is not None and loop.limit_ms < loop.max_poll_interval_ms // 2:
        return violated(
            "broken_semantics",
            events=[loop.event_ids[-1]],
            happened_at=loop.ended_at,
            observed_ms=loop.limit_ms,
            limit_ms=loop.max_poll_interval_ms // 2,
            limit_origin="logged",
        )
    took_ms = loop.took_ms
    if took_ms is None:
        return unjudged("start of the loop unknown", "INFO of InternalTopicManager from its first round on")
    if took_ms >= loop.limit_ms - EARLY_SLACK_MS:
        return CONFORMS
    if loop.rounds < 2:
        return unjudged(PAUSE, "a second round's line, or the GC log")
    return violated(
        "broken_semantics",
        events=[loop.event_ids[0], loop.event_ids[-1]],
        happened_at=loop.ended_at,
        observed_ms=took_ms,
        limit_ms=loop.limit_ms,
        limit_origin="logged",
    )


@rule(
    "kip572.leader_loop_late",
    judges=LeaderLoop,
    severity="error",
    gives=("broken_semantics",),
    says="the leader went on with its internal topics for {observed_ms} ms; {limit_ms} ms is the latest it may take",
    runbook=(
        "The clock is looked at after each round: up to two admin timeouts late is as released.",
        "Look at the admin's default.api.timeout.ms: it should be well below half of max.poll.interval.ms.",
    ),
    advice="Lower admin.default.api.timeout.ms, so that one round fits into half of max.poll.interval.ms.",
)
def leader_loop_late(loop: LeaderLoop) -> Verdict:
    """Find a loop that announced another round after its limit.

    Source: KIP-572, Proposed Changes (rebalancing); InternalTopicManager.makeReady.
    Silent when: it ended late, and the embedded admin's default.api.timeout.ms is not in the log; or later than its last
    round can explain, since a process that stood still can't be told from a late one.
    """
    if loop.overdue_round is not None:
        event_id, remaining_ms = loop.overdue_round
        limit_ms = _had_ms(loop)
        return violated(
            "broken_semantics",
            events=[loop.event_ids[0], event_id],
            happened_at=loop.last_at,
            observed_ms=limit_ms - remaining_ms,
            limit_ms=limit_ms,
            limit_origin="logged",
        )
    took_ms = loop.took_ms
    if loop.outcome != "expired" or took_ms is None or loop.limit_ms is None:
        return NOT_APPLICABLE
    if took_ms <= loop.limit_ms + EARLY_SLACK_MS:
        return CONFORMS
    if loop.admin_timeout_ms is None:
        return unjudged("admin's timeout unknown", "the AdminClientConfig dump of this start (INFO)")
    round_ms = CALLS_PER_ROUND * loop.admin_timeout_ms + (loop.backoff_ms or 0)
    latest_ms = loop.limit_ms + round_ms + LATE_SLACK_MS
    if took_ms <= latest_ms:
        return CONFORMS
    return unjudged("the process may have stood still", "a GC log, or JMX samples of every second")


def _had_ms(loop: LeaderLoop) -> int:
    """The loop's limit; where it is not known, what its first line says that was left."""
    if loop.max_poll_interval_ms is not None:
        return loop.max_poll_interval_ms // 2
    return max(0, loop.first_remaining_ms or 0)
