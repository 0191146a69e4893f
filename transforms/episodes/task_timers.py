"""Task timers: how long each task made no progress, against the task.timeout.ms it was given (KIP-572)."""

from collections.abc import Mapping, Sequence

from transforms.diagnose.wording.words import span
from transforms.episodes.bars import bars_of
from transforms.episodes.lanes import Bar, Lane, Mark, Row, Tone, Window, lane
from transforms.episodes.words import own_part

TABLE = "silver.task_timers"
# The mark that ends a bar.
_ENDS: dict[str, tuple[str, Tone]] = {
    "cleared": ("circle", "calm"),
    "expired": ("x", "broken"),
    "closed": ("square", "quiet"),
    "unknown": ("circle-open", "quiet"),
    "open": ("triangle-right", "warn"),
}


def task_lanes(
    rows: Sequence[Row], attempts: Mapping[str, Sequence[int]], window: Window, selected: str | None = None
) -> list[Lane]:
    """A lane for each task of a thread of a process; those of one thread together, the first to stall on top.

    rows: of silver.task_timers, with `seen_until` (ms, newest line of the process: where an open timer stands). attempts:
    timer_id -> ms of each timeout, where looked up. Those without a start, or outside the window, are not drawn.
    """
    first: dict[tuple[str, str], int] = {}
    drawn = drawable(rows, window)
    for row in drawn:
        first.setdefault((row["unit_id"], row["thread"] or ""), row["started_at"])
    by_task: dict[tuple[str, str, str], list[Row]] = {}
    for row in sorted(drawn, key=lambda one: (first[one["unit_id"], one["thread"] or ""], one["task_id"])):
        by_task.setdefault((row["unit_id"], row["thread"] or "", row["task_id"]), []).append(row)
    made = []
    for timers in by_task.values():
        bars = [(row, bar) for row in timers for _, bar in bars_of(TABLE, row, row.get("seen_until"))]
        marks = [mark for row, bar in bars for mark in _marks(row, attempts.get(row["timer_id"], ()), bar)]
        made.append(lane("", _named(timers), [bar for _, bar in bars], marks, frozenset({selected})))
    return made


def drawable(rows: Sequence[Row], window: Window) -> list[Row]:
    """The rows that have something to draw in the window, in order of time."""
    known = [row for row in rows if row["started_at"] is not None]
    return sorted(
        (row for row in known if window.holds(row["started_at"], end_of(row))),
        key=lambda row: (row["started_at"], row["task_id"], row["timer_id"]),
    )


def end_of(row: Row) -> int:
    """Where its bar ends: its end, what the data knows of an open one, or its last attempt."""
    if row["ended_at"] is not None:
        return int(row["ended_at"])
    known = [row["started_at"], row["last_attempt_at"], row.get("seen_until")]
    if row["outcome"] != "open":
        known.pop()
    return max(int(at) for at in known if at is not None)


def left_ms(row: Row) -> int | None:
    """How long an open timer may go on, as of its process's newest line; negative once past."""
    if row["outcome"] != "open" or row["deadline_at"] is None:
        return None
    return int(row["deadline_at"]) - end_of(row)


def _marks(row: Row, attempts: Sequence[int], bar: Bar) -> list[Mark]:
    """Its start (hollow where computed), each timeout, and how it ended; who points at one is told of all of it."""
    whose, computed = row["timer_id"], bool(row["is_inferred"])
    tried = (f"a call of task {row['task_id']} timed out",)
    begun = (f"start, {'computed' if computed else 'logged'}", *bar.hover_lines)
    symbol, tone = _ENDS.get(row["outcome"], _ENDS["unknown"])
    return [
        *(Mark(at, tried, "line-ns", "note", 14, whose) for at in attempts),
        Mark(row["started_at"], begun, "circle-open" if computed else "circle", "calm", 9, whose),
        Mark(end_of(row), (ending(row), *bar.hover_lines), symbol, tone, 11, whose),
    ]


def ending(row: Row) -> str:
    """How it stands, in words."""
    left = left_ms(row)
    if left is not None:
        return f"{span(left)} left" if left >= 0 else f"{span(-left)} past its deadline"
    of = f" of {span(row['task_timeout_ms'])}" if row["task_timeout_ms"] is not None else ""
    return f"{row['outcome']} after {span(row['stalled_ms'])}{of}"


def _named(timers: Sequence[Row]) -> str:
    """A lane's name: its longest stall first."""
    row = max(timers, key=lambda one: one["stalled_ms"] or 0)
    more = f" ({len(timers)} stalls)" if len(timers) > 1 else ""
    where = f"{own_part(row['thread'] or 'thread unknown')} · {row['service'] or 'service unknown'}"
    return f"task {row['task_id']}: {ending(row)}{more} · {where}"
