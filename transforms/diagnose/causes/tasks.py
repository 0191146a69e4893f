"""Streams tasks that made no progress: did they recover, did the thread die, how long is left."""

from collections import defaultdict
from collections.abc import Iterator

from transforms.diagnose.incident import Incident, of_episodes
from transforms.diagnose.wording.limits import limit_from
from transforms.diagnose.wording.words import counted, listed, span
from transforms.timers.episodes import Episode, TaskTimer
from transforms.timers.profile import PROVEN_ORIGINS


def task_incidents(timers: list[TaskTimer], scope_id: str) -> Iterator[Incident]:
    """One incident per stretch of time in which timers of one Streams client ran, overlapping."""
    clients: dict[tuple[int, str | None], list[TaskTimer]] = defaultdict(list)
    for timer in timers:
        if timer.started_at is not None:
            clients[timer.incarnation, timer.client_id].append(timer)
    for of_client in clients.values():
        for stretch in _stretches(of_client):
            yield _stalled(stretch, scope_id)


def _stretches(timers: list[TaskTimer]) -> Iterator[list[TaskTimer]]:
    """Timers that ran at the same time belong to one trouble; a gap starts another."""
    stretch: list[TaskTimer] = []
    until = 0
    for timer in sorted(timers, key=lambda timer: (timer.started_at or 0, timer.timer_id)):
        if stretch and (timer.started_at or 0) > until:
            yield stretch
            stretch = []
        stretch.append(timer)
        until = max(until if len(stretch) > 1 else 0, _last_seen(timer))
    if stretch:
        yield stretch


def _stalled(stretch: list[TaskTimer], scope_id: str) -> Incident:
    worst = min(stretch, key=lambda timer: (_rank(timer), -(timer.stalled_ms or 0), timer.timer_id))
    tasks = listed(sorted({timer.task_id for timer in stretch}), most=6)
    is_one = len({timer.task_id for timer in stretch}) == 1
    noun, were = ("task", "was") if is_one else ("tasks", "were")
    limit = limit_from(
        "task.timeout.ms",
        worst.task_timeout_ms,
        worst.timeout_origin,
        counted_down_ms=worst.counted_down_ms,
        at_most_ms=worst.stalled_ms if worst.outcome == "expired" else None,
    )
    stalled = f"{span(worst.stalled_ms)} without progress"
    title, impact = {
        "expired": (
            f"Streams {noun} {tasks} gave up after {stalled}{limit.known}: the thread died",
            "delayed",
        ),
        "cleared": (
            f"Streams {noun} {tasks} recovered after {stalled}, {_within(worst)} {limit.words}",
            "delayed",
        ),
        "open": (f"Streams {noun} {tasks}: {stalled} so far, {_left(worst)} of {limit.words}", "delayed"),
        "closed": (
            f"Streams {noun} {tasks} {were} closed after {stalled}, before {limit.words} had passed",
            "delayed",
        ),
    }.get(
        worst.outcome,
        (f"{_timed_out(worst, f'Streams {noun} {tasks}')}; how it ended is not in this log", "unknown"),
    )
    began = (
        f"A client timeout ({worst.started_by}) started the timer"
        if worst.started_by
        else "A client timeout started the timer"
    )
    inferred = f"; the start is computed, {_instead(worst)}" if worst.is_inferred else ""
    episodes: list[Episode] = [worst, *(timer for timer in stretch if timer is not worst)]
    ends = [timer.ended_at for timer in stretch]
    return of_episodes(
        "task_stalled",
        scope_id,
        sorted(episodes, key=lambda episode: getattr(episode, "started_at", 0) or 0),
        started_at=min(timer.started_at for timer in stretch if timer.started_at is not None),
        ended_at=None if None in ends else max(end for end in ends if end is not None),
        title=title,
        cause=f"{began}{inferred}; {counted(worst.attempts, 'attempt')} failed. {limit.sentence}",
        cause_confidence="inferred" if worst.is_inferred else "proven",
        impact=impact,
        advice=_advice(worst),
        subject_ids=[timer.timer_id for timer in stretch],
        observed_ms=worst.stalled_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
    )


def _timed_out(timer: TaskTimer, whose: str) -> str:
    """What is known where no line tells of progress: it may lie between two timeouts."""
    what = "commit" if timer.started_by == "commit" else "client call"
    if timer.attempts < 2:
        return f"A {what} of {whose} timed out"
    return f"{counted(timer.attempts, what)} of {whose} timed out within {span(timer.stalled_ms)}"


def _instead(timer: TaskTimer) -> str:
    """What it is computed from."""
    if timer.counted_down_ms is None:
        return "the timer's own DEBUG line is not there"
    return f"from its first line here, with {span(timer.counted_down_ms)} left"


def _advice(timer: TaskTimer) -> str:
    if timer.outcome == "expired":
        return (
            "Find what the task waited for (a missing topic, a silent broker) and mend that first. "
            "A longer task.timeout.ms rides out longer outages, and shows a lasting one later."
        )
    if timer.outcome == "open":
        return (
            "It is tried again until the deadline, then its thread dies. Mend what it waits for before that."
        )
    return "Nothing to do if the outage was known: the timer did what it is for."


def _within(timer: TaskTimer) -> str:
    """The limit ends nothing by itself: it is looked at when a call times out again."""
    is_past = timer.task_timeout_ms is not None and (timer.stalled_ms or 0) > timer.task_timeout_ms
    return "beyond" if is_past else "within"


def _left(timer: TaskTimer) -> str:
    is_proven = timer.timeout_origin in PROVEN_ORIGINS or timer.counted_down_ms is not None
    if timer.deadline_at is None or timer.last_attempt_at is None or not is_proven:
        return "an unknown rest"
    left_ms = timer.deadline_at - timer.last_attempt_at
    return f"{span(left_ms)} left" if left_ms >= 0 else f"{span(-left_ms)} past the end"


def _last_seen(timer: TaskTimer) -> int:
    return timer.ended_at or timer.last_attempt_at or timer.started_at or 0


def _rank(timer: TaskTimer) -> int:
    order = ("expired", "open", "unknown", "closed", "cleared")
    return order.index(timer.outcome) if timer.outcome in order else len(order)
