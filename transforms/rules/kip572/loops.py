"""KIP-572, Proposed Changes: the thread's loops around a task that waits, and what may start its timer."""

from transforms.rules.rule import ABSENT, CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.streams.skipped_tasks import SkippedTask
from transforms.timers.streams.task_runs import Attempt, TimerStreak

# One loop may end, or lose a line, for reasons of its own; so many in a row are how the thread works.
LOOPS = 3
# Of a skip with nothing processed each takes a client's timeout: twice in a row no lost line explains.
BLOCKED_LOOPS = 2
# StoreChangelogReader hands these on as they come from the admin client; they stand for a call that failed.
OF_ADMIN_CALLS = frozenset({"InterruptedException", "ExecutionException"})
# A subclass of the client's TimeoutException (KafkaProducer.send without room in its buffer).
BUFFER_FULL = "BufferExhaustedException"
DEBUG_OF_LOOPS = "DEBUG of StreamTask and StreamThread"


@rule(
    "kip572.fired_without_timeout",
    judges=TimerStreak,
    severity="critical",
    gives=("broken_semantics",),
    says="the timer of task {task_id} ran for {observed_ms} ms, and no client's TimeoutException stands behind it: {cause}",
    runbook=(
        "Look at the exception under the timer's line, or under 'did not make progress within': a client's "
        "TimeoutException is due there.",
        "Slow processing is for max.poll.interval.ms to bound, never for task.timeout.ms; a patched client is the "
        "usual cause.",
        "Let it be where the layout cuts stack traces.",
    ),
    advice="Raise task.timeout.ms above the longest processing of a record until the client is replaced; a real "
    "outage is then noticed later.",
)
def fired_without_timeout(streak: TimerStreak) -> Verdict:
    """Find a timer that was started or kept for something else than a client's timeout.

    Source: KIP-572, Proposed Changes; AbstractTask.maybeInitTaskTimeoutOrThrow, whose callers hand it a
    TimeoutException (StoreChangelogReader also what the admin client's futures throw).
    Silent when: the line of the failed call is logged; neither a timer line nor the expiry's exception is.
    """
    if not streak.debug_lines and streak.reported_ms is None:
        return NOT_APPLICABLE
    with_cause = [attempt for attempt in streak.attempts if attempt.causes]
    other = next((attempt for attempt in with_cause if not _is_timeout(attempt)), None)
    if other is not None:
        return _without_timeout(streak, other, f"{(other.causes or ('?',))[-1]} does")
    calls_failed = any(attempt.call for attempt in streak.attempts)
    if streak.sees_timers and not (streak.debug_lines or with_cause or calls_failed):
        expiry = streak.attempts[-1]
        return _without_timeout(streak, expiry, "no call failed, and no timer line precedes it at DEBUG")
    blank = next((a for a in streak.attempts if a.call is None and a.causes == ()), None)
    if blank is None:
        return CONFORMS if with_cause or calls_failed else unjudged(*_NOT_PRINTED)
    is_expiry = blank.remaining_ms is None
    if with_cause and not is_expiry:
        return _without_timeout(streak, blank, "its line carries no exception, as others of it do")
    if is_expiry and _shows_failed_calls(streak) and not calls_failed:
        return _without_timeout(
            streak, blank, "its own expiry is the innermost exception, and no call failed"
        )
    return CONFORMS if calls_failed else unjudged(*_NOT_PRINTED)


_NOT_PRINTED = (
    "what failed is not printed",
    "a layout that prints stack traces whole, and DEBUG of StreamTask",
)


def _is_timeout(attempt: Attempt) -> bool:
    """Whether the exceptions behind an attempt are such as a failed client call leaves."""
    names = attempt.causes or ()
    return any("Timeout" in name or name == BUFFER_FULL or name in OF_ADMIN_CALLS for name in names)


def _shows_failed_calls(streak: TimerStreak) -> bool:
    """Whether this version logs each failed process() and commit of a task at ERROR (3.2 and later)."""
    return streak.profile is not None and streak.profile.at_least(3, 2) is True


def _without_timeout(streak: TimerStreak, shown: Attempt, cause: str) -> Verdict:
    return violated(
        "broken_semantics",
        events=list(dict.fromkeys([streak.event_ids[0], *shown.event_ids[-1:]])),
        happened_at=shown.at,
        observed_ms=streak.timer.stalled_ms,
        limit_ms=streak.timer.task_timeout_ms,
        limit_origin=streak.timer.timeout_origin,
        task_id=streak.timer.task_id,
        cause=cause,
    )


@rule(
    "kip572.others_blocked",
    judges=SkippedTask,
    severity="error",
    gives=("broken_semantics",),
    rests_on=ABSENT,
    says="task {task_id} was skipped {count} times in a row, and each time the thread processed no record of its "
    "other tasks, though they had some",
    runbook=(
        "Compare the records that each poll brought ('Main Consumer poll completed') with 'Processed 0 records' "
        "after the skip.",
        "One failed call blocks the thread for max.block.ms or default.api.timeout.ms: others wait that long, "
        "and are processed then.",
        "Let it be where all records of the others are dropped (a deserialization handler that continues).",
    ),
    advice="Lower max.block.ms and default.api.timeout.ms of the embedded clients, so that a failed call delays "
    "the others less; upgrade Kafka Streams where they starve.",
)
def others_blocked(skipped: SkippedTask) -> Verdict:
    """Find a thread that, while one of its tasks waits, does not process the others.

    Source: KIP-572, Proposed Changes ("we skip the task and move to the next"); TaskExecutor.process.
    Silent when: the thread has no other task, or no other has records; a task with several input topics,
    which may wait for the other topic; fewer than two skips in a row.
    """
    if skipped.blocked >= BLOCKED_LOOPS:
        return violated(
            "broken_semantics",
            events=skipped.blocked_ids,
            happened_at=skipped.started_at,
            task_id=skipped.task_id,
            count=skipped.blocked,
        )
    if skipped.progressed:
        return CONFORMS
    if skipped.has_others is False:
        return NOT_APPLICABLE
    if not skipped.sees_rounds:
        return unjudged("the thread's loops not logged", "DEBUG of StreamThread")
    if skipped.has_others is None:
        return unjudged(
            "the thread's partitions unknown",
            "'Adding newly assigned partitions' (INFO of ConsumerCoordinator)",
        )
    return CONFORMS


@rule(
    "kip572.task_not_retried",
    judges=SkippedTask,
    severity="error",
    gives=("broken_semantics",),
    rests_on=ABSENT,
    says="task {task_id} was skipped for a timeout and not tried again in the next {count} loops of its thread",
    runbook=(
        "After 'will move to next task and retry later' each loop of the thread must show the task again: "
        "'Clearing task timeout.' or its next timeout.",
        "Usual cause: lines lost between the loops; else the task stands still until it is moved: restart the thread.",
    ),
    advice="No setting helps; upgrade Kafka Streams, and alert on the task's lag until then.",
)
def task_not_retried(skipped: SkippedTask) -> Verdict:
    """Find a skipped task that its thread leaves out while it processes others.

    Source: KIP-572, Proposed Changes ("retry in the next iteration"); TaskExecutor.process, processTask.
    Silent when: the task was closed or its thread changed; nothing else was processed (the client may be
    paused); tasks of named topologies, which back off by themselves.
    """
    if "__" in skipped.task_id:
        return NOT_APPLICABLE  # TaskExecutionMetadata.canProcessTask
    if skipped.unretried >= LOOPS and skipped.sees_timer:
        return violated(
            "broken_semantics",
            events=skipped.unretried_ids,
            happened_at=skipped.started_at,
            task_id=skipped.task_id,
            count=skipped.unretried,
        )
    if skipped.skips > 1 or skipped.outcome == "cleared":
        return CONFORMS
    if skipped.outcome == "ended":
        return NOT_APPLICABLE
    if not (skipped.sees_rounds and skipped.sees_timer):
        return unjudged("a retry that goes through is not logged", DEBUG_OF_LOOPS)
    return CONFORMS
