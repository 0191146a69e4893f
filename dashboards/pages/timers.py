"""Task timers: will this retry recover, how long is left, and what was the longest stall (KIP-572)."""

from dashboards.figures.lane_figure import lanes_figure
from dashboards.grids import count, instant, lasting, plain, text
from dashboards.pages.chosen import Chosen, window_of
from dashboards.pages.episode_parts import Drawing, Grid, Told, View
from dashboards.pages.episodes import EpisodePage
from dashboards.parts import exactly, instants, limit_of, shown
from dashboards.queries import LakeReader, Row, episodes
from dashboards.theme import BROKEN, CALM, LIMIT, NOTE, QUIET, WARN
from transforms.diagnose.wording.words import counted, span
from transforms.episodes.lanes import MOST_LANES, readable
from transforms.episodes.summaries import stalls
from transforms.episodes.task_timers import drawable, end_of, left_ms, task_lanes
from transforms.episodes.words import beyond, process_of

MOST_DRAWN = 150
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
    notes = _notes(found.total, rows, inside, len(lanes), gone_to)
    summary = stalls(rows, episodes.ended(lake, episodes.TIMERS, chosen.scope))
    return View(found, *summary, (figure,), (notes,), (rows,))


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


def _left_or_over(row: Row) -> int | None:
    """What is left of an open one; of another by how much it went over, or stayed under."""
    left, stalled, limit = left_ms(row), row["stalled_ms"], row["task_timeout_ms"]
    return left if left is not None else None if stalled is None or limit is None else int(stalled - limit)


def _left_words(row: Row) -> str:
    ms, is_open = _left_or_over(row), left_ms(row) is not None
    if ms is None:
        return ""
    return f"{span(abs(ms))} {'left' if ms >= 0 else 'past'}" if is_open else beyond(ms)


def _start_words(row: Row) -> str:
    return f"{'computed' if row['is_inferred'] else 'logged'}, {shown(row['started_by'] or 'timeout')}"


def _told(row: Row) -> Told:
    left, processed = left_ms(row), row["thread_processed"]
    facts = [
        ("Without progress", exactly(row["stalled_ms"])),
        ("task.timeout.ms", limit_of(row["task_timeout_ms"], row["timeout_origin"])),
        ("Left", None if left is None else f"{left} ms, as of the newest line of its process"),
        ("Outcome", f"{row['outcome']} after {counted(row['attempts'], 'attempt')}"),
        ("By metrics", None if processed is None else f"its thread processed {processed} records meanwhile"),
        ("From, to", instants(row["started_at"], row["ended_at"])),
        ("Deadline", instants(row["deadline_at"])),
        ("Thread", row["thread"] or "unknown"),
        ("Process", process_of(row)),
    ]
    end = end_of(row) if row["started_at"] is not None else row["ended_at"]
    return Told(f"Task {row['task_id']}", facts, (row["started_at"], end))


EPISODES = EpisodePage(
    path="timers",
    name="Task timers",
    drawings=(
        Drawing(
            "Tasks without progress",
            "One lane a task: start, attempts, end and deadline",
            _KEY,
            on_clock=True,
        ),
    ),
    grids=(
        Grid(
            "Timers",
            episodes.TIMERS,
            episodes.task_timers,
            (
                text("task", "Task", "task_id", width=80, cellClass="mono"),
                plain("outcome", "Outcome", width=100),
                lasting("stalled", "Stalled", "stalled_ms", width=112),
                lasting("limit", "Limit", "task_timeout_ms", width=84),
                lasting("left", "Left or over", _left_or_over, _left_words, width=132),
                text("origin", "Limit is", "timeout_origin", width=106),
                count("attempts", "Attempts", width=102),
                instant("started_at", "Started", width=232),
                plain("start", "Start is", _start_words, width=190),
                text("service", "Service", process_of, minWidth=170),
            ),
            _told,
        ),
    ),
    load=load,
    empty="No task failed to make progress: no TimeoutException started a timer in what was chosen.",
)
PAGE = EPISODES.page()
