"""KIP-572, Proposed Changes: the global thread's start-up retries until task.timeout.ms, then fails."""

from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.global_timers import GlobalTimer
from transforms.timers.profile import Setting

# The deadline counts from a clock read near the first line, which takes a stack trace's time to write.
LATE_SLACK_MS = 200


def _limit(timer: GlobalTimer) -> Setting | None:
    """`task.timeout.ms` where it was logged or declared."""
    limit = timer.profile.whole("task.timeout.ms") if timer.profile else None
    return limit if limit is not None and limit.is_proven else None


UNKNOWN = unjudged("task.timeout.ms unknown", "the StreamsConfig dump of the application's start (INFO)")


@rule(
    "kip572.global_thread_early",
    judges=GlobalTimer,
    severity="critical",
    gives=("broken_semantics",),
    says="the global thread gave up after {observed_ms} ms, but task.timeout.ms allows {limit_ms} ms",
    runbook=(
        "Compare the first 'The broker may be transiently unavailable' with the exception that ended the "
        "start-up.",
        "Usual cause: the StreamsConfig dump belongs to another start; else report it with both lines.",
    ),
    advice="Raise task.timeout.ms above the longest outage that a start should survive.",
)
def global_thread_early(timer: GlobalTimer) -> Verdict:
    """Find a global thread that failed before task.timeout.ms.

    Source: KIP-572, Proposed Changes; GlobalStateManagerImpl.retryUntilSuccessOrThrowOnTaskTimeout (now >=
    deadline).
    Silent when: the limit is not proven, or is 0 (no retry: fails at once).
    """
    if timer.outcome != "expired" or timer.stalled_ms is None:
        return NOT_APPLICABLE
    limit = _limit(timer)
    if limit is None:
        return UNKNOWN
    if timer.stalled_ms >= limit.ms:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=[timer.event_ids[0], timer.event_ids[-1]],
        happened_at=timer.ended_at,
        observed_ms=timer.stalled_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
    )


@rule(
    "kip572.global_thread_late",
    judges=GlobalTimer,
    severity="error",
    gives=("broken_semantics",),
    says="the global thread still retried {observed_ms} ms after its first timeout; task.timeout.ms is "
    "{limit_ms} ms",
    runbook=(
        "Each failure after the deadline must end the start-up. Count the WARN lines of the same call.",
        "The application is not up meanwhile: see whether the brokers of the global topic's partitions answer.",
    ),
    advice="Upgrade Kafka Streams; until then bound the start-up from outside.",
)
def global_thread_late(timer: GlobalTimer) -> Verdict:
    """Find a retry of the same call that was announced after the deadline.

    Source: KIP-572, Proposed Changes; GlobalStateManagerImpl.retryUntilSuccessOrThrowOnTaskTimeout.
    Silent when: the limit is not proven. A call that takes long may end the start-up late: only a retry is
    no longer due.
    """
    if timer.attempts < 2 or timer.started_at is None or timer.last_attempt_at is None:
        return NOT_APPLICABLE
    limit = _limit(timer)
    if limit is None:
        return UNKNOWN
    observed_ms = timer.last_attempt_at - timer.started_at
    if observed_ms <= limit.ms + LATE_SLACK_MS:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=[timer.event_ids[0], timer.last_event_id or timer.event_ids[-1]],
        happened_at=timer.last_attempt_at,
        observed_ms=observed_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
    )
