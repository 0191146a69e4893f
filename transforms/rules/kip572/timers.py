"""KIP-572, Proposed Changes: the timer of one task, from its first timeout to its end."""

from transforms.rules.rule import ABSENT, CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.streams.shared_calls import SharedCall
from transforms.timers.streams.task_runs import TimerStreak
from transforms.timers.streams.topology_limits import task_timeout_of, why_unknown

# Instants are cut to whole ms at both ends of a difference.
CLOCK_GRAIN_MS = 1


def proven_limit_ms(streak: TimerStreak) -> int | None:
    """`task.timeout.ms` where it was logged or declared, else None: a default accuses nobody."""
    limit = task_timeout_of(streak.profile, streak.timer.task_id)
    return limit.ms if limit is not None and limit.is_proven else None


@rule(
    "kip572.died_early",
    judges=TimerStreak,
    severity="critical",
    gives=("broken_semantics",),
    says="task {task_id} was given up after {observed_ms} ms without progress, but task.timeout.ms allows {limit_ms} ms",
    runbook=(
        "Look at the expiry's exception and the first timeout of the task before it: the time between is the finding.",
        "Usual cause: a task.timeout.ms other than the one dumped (a topology's own override), or a changed client.",
        "Let it be where the log of this start is not complete.",
    ),
    advice="Raise task.timeout.ms above the longest outage you want to survive; a dead broker is then noticed later.",
)
def died_early(streak: TimerStreak) -> Verdict:
    """Find an expired timer that had not run for task.timeout.ms, or that saw one attempt only.

    Source: KIP-572, Proposed Changes; AbstractTask.maybeInitTaskTimeoutOrThrow (strictly after the deadline).
    Silent when: the limit is not proven; the timer did not expire; the exception says that it was due, and only the
    timer's first line, which a pause may have delayed, says that it was not.
    """
    timer = streak.timer
    if timer.outcome != "expired" or streak.reported_ms is None:
        return NOT_APPLICABLE
    limit_ms = proven_limit_ms(streak)
    if limit_ms is None:
        return unjudged(*why_unknown(streak.profile))
    observed_ms = streak.reported_ms
    failed_at = streak.attempts[0].call_at if streak.attempts else None
    if timer.started_by == "commit" and failed_at is not None and timer.ended_at is not None:
        # A failed commit is told first, and reads the clock then, so line times count; process() reads it
        # before the call.
        is_exact = not timer.is_inferred
        took_ms = timer.ended_at - failed_at + CLOCK_GRAIN_MS
        observed_ms = min(observed_ms, took_ms) if is_exact else observed_ms
    if observed_ms > limit_ms:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=[streak.event_ids[0], streak.event_ids[-1]],
        happened_at=timer.ended_at,
        observed_ms=observed_ms,
        limit_ms=limit_ms,
        limit_origin=timer.timeout_origin,
        task_id=timer.task_id,
    )


@rule(
    "kip572.deadline_moved",
    judges=TimerStreak,
    severity="error",
    gives=("broken_semantics",),
    rests_on=ABSENT,
    says="the deadline of task {task_id} moved by {observed_ms} ms within one streak of timeouts",
    runbook=(
        "Compare the lines 'Remaining time to deadline' of the task: line time plus remaining time must stay the same.",
        "Usual cause: a clear that the log does not show (lines lost), or a timer that is armed anew at each timeout.",
        "A task that never reaches its deadline never gives up: look at how long it has stood still.",
    ),
    advice="No setting helps; upgrade Kafka Streams, and watch the task's progress until then.",
)
def deadline_moved(streak: TimerStreak) -> Verdict:
    """Find a timer line that leaves as much time as the one before it, or more, with no clear between.

    Source: KIP-572, Proposed Changes; AbstractTask.maybeInitTaskTimeoutOrThrow, deadlineMs.
    Silent when: the timer's own lines (DEBUG) are not logged.
    """
    if streak.debug_lines < 2 or streak.timer.deadline_at is None:
        return NOT_APPLICABLE
    if streak.moved_to is None:
        return CONFORMS
    attempt, deadline_at = streak.moved_to
    return violated(
        "broken_semantics",
        events=[streak.event_ids[0], attempt.event_ids[-1]],
        happened_at=attempt.at,
        observed_ms=abs(deadline_at - streak.timer.deadline_at),
        limit_ms=0,
        limit_origin=streak.timer.timeout_origin,
        task_id=streak.timer.task_id,
    )


@rule(
    "kip572.timer_not_reset",
    judges=TimerStreak,
    severity="error",
    gives=("broken_semantics",),
    says="task {task_id} made progress, but its next timeout went on with the old deadline: {observed_ms} ms left, not "
    "{limit_ms} ms",
    runbook=(
        "Look at 'Clearing task timeout.' and the next 'Remaining time to deadline' of the task.",
        "The task will die before it stood still for task.timeout.ms.",
    ),
    advice="Raise task.timeout.ms to buy time; upgrade Kafka Streams.",
)
def timer_not_reset(streak: TimerStreak) -> Verdict:
    """Find a run that goes on with the deadline that a clear had taken away.

    Source: KIP-572, Proposed Changes; AbstractTask.clearTaskTimeout.
    Silent when: the clear was not seen, or the limit is not proven.
    """
    if streak.cleared_event_id is None:
        return NOT_APPLICABLE
    if streak.continues_deadline_at is None:
        return CONFORMS
    limit_ms = proven_limit_ms(streak)
    if limit_ms is None:
        return unjudged(*why_unknown(streak.profile))
    first_at = streak.timer.deadline_at or 0
    line_at = _first_line_at(streak)
    return violated(
        "broken_semantics",
        events=[streak.cleared_event_id, streak.event_ids[0]],
        happened_at=line_at,
        observed_ms=first_at - line_at,
        limit_ms=limit_ms,
        limit_origin=streak.timer.timeout_origin,
        task_id=streak.timer.task_id,
    )


def _first_line_at(streak: TimerStreak) -> int:
    """When the run's first line was written: its start may have been computed."""
    return streak.first_line_at if streak.first_line_at is not None else streak.timer.started_at or 0


@rule(
    "kip572.zero_timeout_retried",
    judges=TimerStreak,
    severity="warning",
    gives=("departs_from_kip", "broken_semantics"),
    says="task.timeout.ms is 0, which means no retry, but task {task_id} was tried {attempts} times in {observed_ms} ms",
    runbook=(
        "With task.timeout.ms=0 the first timeout only arms the timer; the second one kills the thread (as released).",
        "Count on one more attempt, of up to max.block.ms or default.api.timeout.ms, before the thread dies.",
    ),
    advice="Shorten max.block.ms or default.api.timeout.ms where failing fast matters; task.timeout.ms=0 alone does not.",
)
def zero_timeout_retried(streak: TimerStreak) -> Verdict:
    """Find a second attempt of a task although task.timeout.ms is 0.

    Source: KIP-572, Public Interfaces ("0: no retry"); AbstractTask arms the timer first, in every release.
    Silent when: the limit is not proven to be 0.
    """
    if proven_limit_ms(streak) != 0:
        return NOT_APPLICABLE
    timer = streak.timer
    # Only a second timeout expires a timer, and says how long the first one was ago.
    had_two = timer.outcome == "expired" and (streak.reported_ms or 0) > 0
    attempts = max(timer.attempts, 2 if had_two else 0)
    if attempts < 2:
        return CONFORMS
    return violated(
        "departs_from_kip",
        events=[streak.event_ids[0], streak.event_ids[-1]],
        happened_at=timer.last_attempt_at,
        observed_ms=timer.stalled_ms,
        limit_ms=0,
        limit_origin=timer.timeout_origin,
        task_id=timer.task_id,
        attempts=attempts,
    )


@rule(
    "kip572.retried_after_deadline",
    judges=TimerStreak,
    severity="error",
    gives=("broken_semantics",),
    says="task {task_id} timed out {observed_ms} ms after its timer started and went on, although task.timeout.ms is "
    "{limit_ms} ms",
    runbook=(
        "The first timeout after the deadline must kill the thread. Look for the timer line after the deadline.",
        "Usual cause: a handler that swallows the exception, or a lost clear.",
    ),
    advice="Upgrade Kafka Streams; until then alert on the task's own progress.",
)
def retried_after_deadline(streak: TimerStreak) -> Verdict:
    """Find a timer line written after the deadline: the task failed again, and was not given up.

    Source: KIP-572, Proposed Changes; AbstractTask.maybeInitTaskTimeoutOrThrow (now > deadline throws).
    Silent when: the timer's own lines are not logged; the deadline is not proven by them and the setting.
    """
    attempt = streak.armed_after_deadline
    if streak.debug_lines < 2:
        return NOT_APPLICABLE
    if attempt is None:
        return CONFORMS
    limit_ms = proven_limit_ms(streak)
    if limit_ms is None:
        return unjudged(*why_unknown(streak.profile))
    return violated(
        "broken_semantics",
        events=[streak.event_ids[0], attempt.event_ids[-1]],
        happened_at=attempt.at,
        observed_ms=attempt.at - (streak.timer.started_at or attempt.at),
        limit_ms=limit_ms,
        limit_origin=streak.timer.timeout_origin,
        task_id=streak.timer.task_id,
    )


@rule(
    "kip572.skip_not_warned",
    judges=TimerStreak,
    severity="info",
    gives=("departs_from_kip",),
    says="task {task_id} was skipped for a timeout; the line is {level}, the KIP promises WARN",
    runbook=(
        "Nothing is wrong with the task. An alert on WARN lines does not see its skips: watch ERROR or DEBUG lines.",
        "Every release does so: let it be, once alerts watch the right level.",
    ),
    advice="Log TaskExecutor at ERROR (3.2 and later), TaskManager at DEBUG (before), to see skipped tasks at all.",
)
def skip_not_warned(streak: TimerStreak) -> Verdict:
    """Find a skipped task that was logged at another level than WARN.

    Source: KIP-572, Proposed Changes ("we log a WARN"); TaskExecutor: ERROR, before 3.2 DEBUG.
    Silent when: no line tells of a skip.
    """
    if streak.skipped is None:
        return NOT_APPLICABLE
    event_id, level = streak.skipped
    if level == "WARN":
        return CONFORMS
    return violated(
        "departs_from_kip",
        events=[event_id],
        happened_at=streak.timer.started_at,
        task_id=streak.timer.task_id,
        level=level,
    )


@rule(
    "kip572.timer_not_shared",
    judges=SharedCall,
    severity="error",
    gives=("broken_semantics",),
    rests_on=ABSENT,
    says="a commit of tasks {tasks} timed out, but no timer was started for {missing_tasks}",
    runbook=(
        "Look at 'Committing task(s) ... failed' and the timer lines right after it: one for each task is due.",
        "Usual cause: lines lost between them.",
    ),
    advice="No setting helps; upgrade Kafka Streams.",
)
def timer_not_shared(call: SharedCall) -> Verdict:
    """Find a failed commit that armed the timers of some of its tasks only.

    Source: KIP-572, Proposed Changes ("for all those tasks"); TaskManager (commit of all tasks).
    Silent when: no timer line follows the commit (their DEBUG is off); its tasks are closed or corrupted
    instead; it is the first of its thread, as one line that was lost would explain it.
    """
    if not call.armed:
        return unjudged("timer lines not logged", "DEBUG of StreamTask")
    if not call.missing:
        return CONFORMS
    if not call.lacked_before:
        return unjudged("one lost line would explain it", "the timer lines of another failed commit")
    return violated(
        "broken_semantics",
        events=call.event_ids,
        happened_at=call.happened_at,
        tasks=", ".join(call.tasks),
        missing_tasks=", ".join(call.missing),
    )
