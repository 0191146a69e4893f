"""Task timers: how long each task made no progress, against the task.timeout.ms it was given (KIP-572)."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboards.figures import swimlanes as lanes
from dashboards.figures.swimlanes import Mark, Window, clock, hover
from dashboards.queries import Row
from dashboards.theme import BROKEN, CALM, NOTE, QUIET, WARN
from transforms.diagnose.words import counted, origin_words, span

# What a bar up to its deadline is called and looks like.
_BARS = {
    "within": ("failing, within its limit", CALM, ""),
    "open": ("still failing", WARN, "/"),
    "unknown": ("end unknown", QUIET, "x"),
}
_ENDS = {
    "cleared": ("progress: timer cleared", "circle", CALM),
    "expired": ("given up", "x", BROKEN),
    "closed": ("task closed", "square", QUIET),
    "unknown": ("end unknown", "circle-open", QUIET),
    "open": ("still failing", "triangle-right", WARN),
}


Lane = tuple[str, str, str]


def task_timers(
    rows: Sequence[Row], window: Window, selected: str | None = None, revision: str = ""
) -> go.Figure:
    """Draw each run of a timer in its task's lane: start, attempts, end, and the deadline.

    rows: of silver.task_timers, with `seen_until` (ms, newest line of the process: where an open timer stands) and
    `attempts_at` (ms of each timeout, where looked up). Those without a start, or outside the window, are not drawn.
    """
    drawn = drawable(rows, window)
    of_lane = lanes.readable(
        list(lanes_of(drawn).values()), lambda timers: any(one["timer_id"] == selected for one in timers)
    )
    figure = lanes.lanes_figure([_named(timers) for timers in of_lane], window, revision)
    placed = [(lane, row) for lane, timers in enumerate(of_lane) for row in timers]
    _add_spans(figure, placed)
    attempts = [
        Mark(lane, at, at, row["timer_id"], hover(f"a call of task {row['task_id']} timed out", clock(at)))
        for lane, row in placed
        for at in row.get("attempts_at") or ()
    ]
    lanes.add_points(figure, attempts, "attempt", "line-ns", NOTE, 14)
    _add_starts(figure, placed)
    deadlines = [
        Mark(lane, row["deadline_at"], row["deadline_at"], row["timer_id"], told(row))
        for lane, row in placed
        if row["deadline_at"] is not None
    ]
    lanes.add_limits(figure, deadlines, "deadline")
    _add_ends(figure, placed)
    for lane, row in placed:
        if row["timer_id"] == selected:
            lanes.outline(figure, lane, row["started_at"], end_of(row), window)
    return figure


def drawable(rows: Sequence[Row], window: Window) -> list[Row]:
    """The rows that have something to draw in the window, in order of time."""
    known = [row for row in rows if row["started_at"] is not None]
    return sorted(
        (row for row in known if window.holds(row["started_at"], end_of(row))),
        key=lambda row: (row["started_at"], row["task_id"], row["timer_id"]),
    )


def lanes_of(rows: Sequence[Row]) -> dict[Lane, list[Row]]:
    """The rows by task of a thread of a process; those of one thread together, the first to stall on top."""
    first: dict[tuple[str, str], int] = {}
    for row in rows:
        first.setdefault((row["unit_id"], row["thread"] or ""), row["started_at"])
    by_lane: dict[Lane, list[Row]] = {}
    for row in sorted(rows, key=lambda one: (first[one["unit_id"], one["thread"] or ""], one["task_id"])):
        by_lane.setdefault((row["unit_id"], row["thread"] or "", row["task_id"]), []).append(row)
    return by_lane


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


def told(row: Row) -> str:
    """What hovering says."""
    stalled = "unknown" if row["stalled_ms"] is None else f"{row['stalled_ms']} ms"
    limit = (
        f"task.timeout.ms = {row['task_timeout_ms']} ms, {origin_words(row['timeout_origin'])}"
        if row["task_timeout_ms"] is not None
        else "task.timeout.ms unknown"
    )
    left = left_ms(row)
    return hover(
        f"Task {row['task_id']}: {row['outcome']}",
        f"without progress for {stalled}",
        limit,
        f"{left} ms left as of the newest line" if left is not None else "",
        f"started {clock(row['started_at'])} by {row['started_by'] or 'a timeout'}"
        + (", computed" if row["is_inferred"] else ""),
        f"deadline {clock(row['deadline_at'])}, end {clock(row['ended_at'])} UTC",
        counted(row["attempts"], "attempt"),
        f"{row['service']}/{row['instance']}",
    )


def _add_spans(figure: go.Figure, placed: Sequence[tuple[int, Row]]) -> None:
    for kind, (name, colour, pattern) in _BARS.items():
        bars = [
            Mark(lane, row["started_at"], _calm_until(row), row["timer_id"], told(row))
            for lane, row in placed
            if (row["outcome"] if row["outcome"] in _BARS else "within") == kind
        ]
        lanes.add_bars(figure, bars, name, colour, 0.3, pattern)
    over = [
        Mark(lane, _calm_until(row), end_of(row), row["timer_id"], told(row))
        for lane, row in placed
        if end_of(row) > _calm_until(row)
    ]
    lanes.add_bars(figure, over, "beyond its deadline", BROKEN)


def _calm_until(row: Row) -> int:
    end = end_of(row)
    return end if row["deadline_at"] is None else int(max(row["started_at"], min(end, row["deadline_at"])))


def _add_starts(figure: go.Figure, placed: Sequence[tuple[int, Row]]) -> None:
    for name, symbol, is_inferred in (
        ("start, logged", "circle", False),
        ("start, computed", "circle-open", True),
    ):
        starts = [
            Mark(lane, row["started_at"], row["started_at"], row["timer_id"], told(row))
            for lane, row in placed
            if bool(row["is_inferred"]) is is_inferred
        ]
        lanes.add_points(figure, starts, name, symbol, CALM, 9)


def _add_ends(figure: go.Figure, placed: Sequence[tuple[int, Row]]) -> None:
    for outcome, (name, symbol, colour) in _ENDS.items():
        ends = [
            Mark(lane, end_of(row), end_of(row), row["timer_id"], told(row))
            for lane, row in placed
            if row["outcome"] == outcome
        ]
        lanes.add_points(figure, ends, name, symbol, colour, 11)


def ending(row: Row) -> str:
    """How it stands, in words."""
    left = left_ms(row)
    if left is not None:
        return f"{span(left)} left" if left >= 0 else f"{span(-left)} past its deadline"
    of = f" of {span(row['task_timeout_ms'])}" if row["task_timeout_ms"] is not None else ""
    return f"{row['outcome']} after {span(row['stalled_ms'])}{of}"


def _named(timers: Sequence[Row]) -> str:
    """A lane's name: its longest stall first."""
    row = max(timers, key=_stall)
    more = f" ({len(timers)} stalls)" if len(timers) > 1 else ""
    where = f"{_short(row['thread'] or 'thread unknown')} · {row['service'] or 'service unknown'}"
    return f"task {row['task_id']}: {ending(row)}{more} · {where}"


def _stall(row: Row) -> int:
    return row["stalled_ms"] or 0


def _short(thread: str) -> str:
    """A thread's own part of its name: `...-StreamThread-1`."""
    at = thread.rfind("StreamThread-")
    return thread[at:] if at >= 0 else thread
