"""Task timers: will this retry recover, how long is left, and what was the longest stall (KIP-572)."""

from typing import Any

from dashboards.figures.lane_figure import lanes_figure
from dashboards.figures.lanes import MOST_LANES, readable
from dashboards.figures.task_timers import drawable, end_of, left_ms, task_lanes
from dashboards.pages.chosen import Chosen, window_of
from dashboards.pages.episode_parts import Drawing, Grid, View, client_cells, ms_cells
from dashboards.pages.episodes import EpisodePage
from dashboards.pages.selected import selected_part
from dashboards.parts import instants, shown
from dashboards.queries import LakeReader, Row, episodes
from dashboards.summaries import stalls
from dashboards.theme import BROKEN, CALM, LIMIT, NOTE, QUIET, WARN
from transforms.diagnose.words import counted, origin_words, span

MOST_DRAWN = 150
_MS: dict[str, Any] = {"type": "rightAligned", "cellRenderer": "Words"}
_COLUMNS: list[dict[str, Any]] = [
    {"field": "task", "headerName": "Task", "width": 80, "cellClass": "mono"},
    {"field": "outcome", "headerName": "Outcome", "width": 100},
    {"field": "stalled", "headerName": "Stalled", "width": 92, **_MS},
    {"field": "limit", "headerName": "Limit", "width": 84, **_MS},
    {"field": "left", "headerName": "Left or over", "width": 112, **_MS},
    {"field": "origin", "headerName": "Limit is", "width": 92},
    {"field": "attempts", "headerName": "Attempts", "width": 112, "type": "rightAligned"},
    {"field": "started_at", "headerName": "Started", "width": 232, "cellRenderer": "Instant"},
    {"field": "start", "headerName": "Start is", "width": 140},
    {"field": "service", "headerName": "Service", "minWidth": 170, "flex": 1, "tooltipField": "service"},
]
_KEY = (
    ("▬", CALM, "failing, within its limit"),
    ("▨", WARN, "still failing at the newest line"),
    ("▬", BROKEN, "beyond its deadline"),
    ("●", CALM, "start, logged"),
    ("○", CALM, "start, computed"),
    ("|", NOTE, "timeout logged"),
    ("┃", LIMIT, "deadline"),
    ("⬤", CALM, "cleared by progress"),
    ("✖", BROKEN, "given up"),
    ("■", QUIET, "task closed"),
)


def load(lake: LakeReader, chosen: Chosen) -> View:
    """What the page shows of what was chosen."""
    found = episodes.task_timers(lake, chosen.scope)
    if not found.rows:
        return View(found)
    rows = found.rows
    summary, tone = stalls(rows, episodes.ended(lake, episodes.TIMERS, chosen.scope))
    spans = [
        (row["timer_id"], row["started_at"], max(end_of(row), row["deadline_at"] or 0))
        for row in rows
        if row["started_at"] is not None
    ]
    is_open = sorted((left, row["timer_id"]) for row in rows if (left := left_ms(row)) is not None)
    first = is_open[0][1] if is_open else next((one[0] for one in spans), None)
    window, gone_to = window_of(chosen, spans, first)
    inside = drawable(rows, window)
    selected = chosen.selected or gone_to
    drawn = inside[:MOST_DRAWN] + [row for row in inside[MOST_DRAWN:] if row["timer_id"] == selected]
    tried = episodes.attempts(lake, drawn) if drawn else {}
    lanes = task_lanes(drawn, tried, window, selected)
    figure = lanes_figure(readable(lanes, selected), window, selected=selected, revision=f"{window}")
    return View(
        found,
        summary,
        tone,
        (figure,),
        (tuple(_notes(found.total, rows, inside, len(lanes), gone_to)),),
        ([_cells(row) for row in rows],),
        chosen.selected,
        _detail(lake, next((row for row in rows if row["timer_id"] == chosen.selected), None)),
    )


def _notes(total: int, rows: list[Row], inside: list[Row], lanes: int, gone_to: str | None) -> list[str]:
    drawn = inside[:MOST_DRAWN]
    notes = []
    if gone_to is not None:
        notes.append(f"Drawn is the time around one timer, {len(drawn)} of {total}: Whole time shows all.")
    if len(inside) > len(drawn):
        notes.append(f"The first {len(drawn)} of {len(inside)} timers of this time are drawn.")
    if lanes > MOST_LANES:
        notes.append(
            f"{MOST_LANES} of {counted(lanes, 'task')} have a lane; choose a service or a shorter time."
        )
    if total > len(rows):
        notes.append(f"The list has the longest {len(rows)} of {total} timers.")
    return notes


def _cells(row: Row) -> dict[str, Any]:
    left, limit = left_ms(row), row["task_timeout_ms"]
    over = row["stalled_ms"] - limit if None not in (row["stalled_ms"], limit) else None
    cells = ms_cells(stalled=row["stalled_ms"], limit=limit, left=left if left is not None else over)
    if left is not None:
        cells["left_words"] = f"{span(left)} left" if left >= 0 else f"{span(-left)} past"
    elif over is not None:
        cells["left_words"] = f"{span(over)} over" if over > 0 else f"{span(-over)} under"
    return {
        "id": row["timer_id"],
        "task": shown(row["task_id"]),
        "outcome": row["outcome"],
        "origin": shown(row["timeout_origin"] or "unknown"),
        "attempts": row["attempts"],
        "started_at": row["started_at"],
        "start": f"{'computed' if row['is_inferred'] else 'logged'}, {shown(row['started_by'] or 'timeout')}",
        **cells,
        **client_cells(row),
    }


def _detail(lake: LakeReader, row: Row | None) -> list[Any]:
    if row is None:
        return []
    limit = row["task_timeout_ms"]
    left = left_ms(row)
    facts = [
        ("Without progress", "unknown" if row["stalled_ms"] is None else f"{row['stalled_ms']} ms"),
        (
            "task.timeout.ms",
            "unknown" if limit is None else f"{limit} ms, {origin_words(row['timeout_origin'])}",
        ),
        *([("Left", f"{left} ms, as of the newest line of its process")] if left is not None else []),
        ("Outcome", f"{row['outcome']} after {counted(row['attempts'], 'attempt')}"),
        *(
            [("By metrics", f"its thread processed {row['thread_processed']} records meanwhile")]
            if row["thread_processed"] is not None
            else []
        ),
        ("From, to", instants(row["started_at"], row["ended_at"])),
        ("Deadline", instants(row["deadline_at"])),
        ("Thread", row["thread"] or "unknown"),
        ("Process", f"{row['service']}/{row['instance']}"),
    ]
    bounds = (row["started_at"], end_of(row) if row["started_at"] is not None else row["ended_at"])
    return selected_part(lake, episodes.TIMERS, row, f"Task {row['task_id']}", facts, bounds)


EPISODES = EpisodePage(
    path="timers",
    name="Task timers",
    table=episodes.TIMERS,
    drawings=(
        Drawing(
            "Tasks without progress",
            "One lane a task: start, attempts, end and deadline",
            _KEY,
            on_clock=True,
        ),
    ),
    grids=(Grid("Timers", _COLUMNS),),
    load=load,
    empty="No task failed to make progress: no TimeoutException started a timer in what was chosen.",
)
PAGE = EPISODES.page()
