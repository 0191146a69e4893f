"""Which failed calls belong to one timer, where the timer's own lines (DEBUG) are not logged.

A failure that the thread survived after the deadline proves that the timer had been cleared, not when: the
failures before it are split at the deadline, unless an expiry says when its timer started.
"""

from collections.abc import Iterator
from dataclasses import replace

from transforms.timers.episodes import Episode
from transforms.timers.streams.task_runs import ATTEMPTS_KEPT, TWIN_MS, Attempt, Run


def pieces(run: Run) -> list[Run]:
    """The timers that the failures of this run were of, the last one still running."""
    limit_ms = run.limit_ms
    if run.debug_lines or limit_ms is None or not run.attempts:
        return [run]
    groups: list[list[Attempt]] = []
    for attempt in run.attempts:
        known = run.known_start
        is_of_known = known is not None and attempt.at >= known - TWIN_MS
        begins_known = is_of_known and groups and groups[-1][0].at < (known or 0) - TWIN_MS
        is_over = bool(groups) and not is_of_known and attempt.at > groups[-1][0].at + limit_ms + TWIN_MS
        if not groups or begins_known or is_over:
            groups.append([])
        groups[-1].append(attempt)
    return [_part(run, group, limit_ms) for group in groups]


def over(run: Run) -> Iterator[Episode]:
    """Ends what is certainly over in a run that goes on: it must not grow for as long as the process lives."""
    limit_ms = run.limit_ms
    if run.debug_lines or limit_ms is None or len(run.attempts) < 2:
        return
    # The timer of all but the last failure would have expired at the last one, and the thread would be dead.
    is_last_alone = run.last.at - run.attempts[-2].at > limit_ms + TWIN_MS
    if not is_last_alone and len(run.attempts) < ATTEMPTS_KEPT:
        return
    kept = [run.last] if is_last_alone else pieces(run)[-1].attempts
    earlier = run.attempts[: len(run.attempts) - len(kept)]
    if not earlier:
        return
    yield from cleared(pieces(replace(run, attempts=earlier, count=len(earlier))))
    run.attempts, run.count = kept, len(kept)
    run.started_at = kept[0].at
    run.deadline_at = run.started_at + limit_ms


def cleared(runs: list[Run]) -> Iterator[Episode]:
    """Timers that were cleared, unseen, after their last failure."""
    for run in runs:
        yield from run.end("cleared", run.last.at)


def _part(run: Run, group: list[Attempt], limit_ms: int) -> Run:
    if len(group) == len(run.attempts):
        return run
    start = group[0].at
    return replace(run, attempts=group, count=len(group), started_at=start, deadline_at=start + limit_ms)
