"""KIP-572, Proposed Changes: the global thread's start-up retries until task.timeout.ms, then fails."""

from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.profile import ClientProfile, Setting
from transforms.timers.streams.global_timers import GlobalTimer, Try

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
        "Compare the first 'The broker may be transiently unavailable' with the exception that ended the start-up.",
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
    says="the global thread still retried {observed_ms} ms after its first timeout; task.timeout.ms is {limit_ms} ms",
    runbook=(
        "Each failure after the deadline must end the start-up. Count the WARN lines of the same call.",
        "The application is not up meanwhile: see whether the brokers of the global topic's partitions answer.",
    ),
    advice="Upgrade Kafka Streams; until then bound the start-up from outside.",
)
def global_thread_late(timer: GlobalTimer) -> Verdict:
    """Find a retry of the same call that was announced after the deadline.

    Source: KIP-572, Proposed Changes; GlobalStateManagerImpl.retryUntilSuccessOrThrowOnTaskTimeout.
    Silent when: the limit is not proven; a pause may have delayed the line of the last retry, after its clock was read.
    A call that takes long may end the start-up late: only a retry is no longer due.
    """
    if timer.attempts < 2 or timer.started_at is None or timer.last_attempt_at is None:
        return NOT_APPLICABLE
    limit = _limit(timer)
    if limit is None:
        return UNKNOWN
    observed_ms = timer.last_attempt_at - timer.started_at
    if observed_ms <= limit.ms + LATE_SLACK_MS:
        return CONFORMS
    if (timer.last_began_at or 0) + timer.last_call_ms - timer.started_at <= limit.ms + LATE_SLACK_MS:
        return unjudged("a pause may have delayed the line of its last retry", "the GC log")
    return violated(
        "broken_semantics",
        events=[timer.event_ids[0], timer.last_event_id or timer.event_ids[-1]],
        happened_at=timer.last_attempt_at,
        observed_ms=observed_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
    )


# What a try's two lines and the call's own clock may differ by on a busy core.
CALL_SLACK_MS = 5
API_TIMEOUT = "global.consumer.default.api.timeout.ms"


@rule(
    "kip572.global_thread_no_backoff",
    judges=GlobalTimer,
    severity="info",
    gives=("departs_from_kip", "broken_semantics"),
    says="the global thread tried again {observed_ms} ms after a failed call; retry.backoff.ms is {limit_ms} ms",
    runbook=(
        "Compare the times of two 'The broker may be transiently unavailable' lines with what the call between "
        "them took (its exception says so).",
        "As released the thread tries again at once: each call takes default.api.timeout.ms, which spaces the "
        "tries. Let it be then.",
        "Tries that follow each other faster than that timeout hammer the broker: replace the client.",
    ),
    advice="Keep default.api.timeout.ms of the global consumer at seconds: it alone spaces the tries; a longer one "
    "notices the end of an outage later.",
)
def global_thread_no_backoff(timer: GlobalTimer) -> Verdict:
    """Find a global thread that does not wait retry.backoff.ms between its tries.

    Source: KIP-572, Proposed Changes (global thread); GlobalStateManagerImpl
    .retryUntilSuccessOrThrowOnTaskTimeout has no wait of its own, in every release.
    Silent when: fewer than two failed tries; retry.backoff.ms is not proven, or 0; what the call took is not known.
    """
    if not timer.tries:
        return NOT_APPLICABLE
    backoff = _proven(timer.profile, "retry.backoff.ms")
    if backoff is None:
        return unjudged(
            "retry.backoff.ms unknown", "the StreamsConfig dump of the application's start (INFO)"
        )
    api = _proven(timer.profile, API_TIMEOUT)
    waits = [(wait, one) for one in timer.tries if (wait := _waited_ms(one, api)) is not None]
    if not waits:
        return unjudged(
            "what the call took is not known",
            "the exception under the warning, or the global consumer's ConsumerConfig dump (INFO)",
        )
    short = [(wait, one) for wait, one in waits if wait < backoff.ms - CALL_SLACK_MS]
    if not short:
        return CONFORMS
    hammered = [found for found in short if api is not None and _is_faster(found[1], backoff, api)]
    wait_ms, shown = (hammered or short)[0]
    return violated(
        "broken_semantics" if hammered else "departs_from_kip",
        events=shown.event_ids,
        happened_at=shown.at,
        observed_ms=wait_ms,
        limit_ms=backoff.ms,
        limit_origin=backoff.origin,
    )


def _waited_ms(one: Try, api: Setting | None) -> int | None:
    """The longest that the thread can have waited between a failure and its next try."""
    call_ms = one.call_ms
    if call_ms is None and api is not None:
        call_ms = api.ms if one.gap_ms >= api.ms else 0  # a failed call takes its whole timeout, as released
    if call_ms is None:
        return None
    return max(0, one.gap_ms - call_ms) if one.gap_ms >= 0 else one.gap_ms  # below 0 its clock stepped


def _is_faster(one: Try, backoff: Setting, api: Setting) -> bool:
    """Whether neither the call's own timeout nor the backoff can have passed between two failures."""
    return one.gap_ms < min(backoff.ms, api.ms) - CALL_SLACK_MS


def _proven(profile: ClientProfile | None, name: str) -> Setting | None:
    found = profile.whole(name) if profile else None
    return found if found is not None and found.is_proven else None
