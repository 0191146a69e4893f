"""Backoff: does a client wait before its retries as KIP-580 says, or does it hammer the broker?"""

from dataclasses import replace
from typing import Any

from dashboards.figures.backoff import EDGE, edge_of, rates, waits
from dashboards.pages.chosen import Chosen, window_of
from dashboards.pages.episode_parts import Drawing, Grid, View, client_cells, ms_cells
from dashboards.pages.episodes import EpisodePage
from dashboards.pages.selected import selected_part
from dashboards.parts import instants, shown
from dashboards.queries import Answer, LakeReader, Row, episodes
from dashboards.queries import waits as asked
from dashboards.queries.base import at_once
from dashboards.summaries import per_second, retries
from dashboards.theme import BROKEN, CALM, LIMIT, NOTE
from transforms.diagnose.words import counted, span

_MS: dict[str, Any] = {"type": "rightAligned", "cellRenderer": "Words", "width": 112}
_COUNT: dict[str, Any] = {"type": "rightAligned", "width": 98}
_COLUMNS: list[dict[str, Any]] = [
    {"field": "client", "headerName": "Client", "minWidth": 150, "flex": 1, "tooltipField": "client"},
    {"field": "api", "headerName": "Request", "width": 160},
    {"field": "subject", "headerName": "Of", "minWidth": 130, "flex": 1, "tooltipField": "subject"},
    {"field": "retries", "headerName": "Retries", **_COUNT},
    {"field": "short", "headerName": "Too short", **_COUNT},
    {"field": "pace", "headerName": "A second", **_COUNT},
    {"field": "shortest", "headerName": "Shortest wait", **_MS},
    {"field": "longest", "headerName": "Longest wait", **_MS},
    {"field": "legal", "headerName": "Legal", "width": 140},
    {"field": "kind", "headerName": "Backoff is", "width": 120},
    {"field": "first_at", "headerName": "First failure", "width": 240, "cellRenderer": "Instant"},
    {"field": "service", "headerName": "Service", "minWidth": 150, "flex": 1, "tooltipField": "service"},
]
_KEY = (
    ("●", CALM, "waited"),
    ("▽", CALM, "waited at most so long"),
    ("✖", BROKEN, "shorter than legal"),
    ("▲", CALM, f"over {EDGE} times the longest legal wait: at the edge"),
    ("┄", LIMIT, "shortest and longest legal wait"),
    ("─", NOTE, "selected sequence"),
)


def load(lake: LakeReader, chosen: Chosen) -> View:
    """What the page shows of what was chosen."""
    found = asked.sequences(lake, chosen.scope)
    if not found.rows:
        return View(found)
    rows = found.rows
    summary, tone = retries(rows, found.total, episodes.findings_of(lake, rows[0]["sequence_id"]))
    chosen_row = next((row for row in rows if row["sequence_id"] == chosen.selected), None)
    shown_row = chosen_row or rows[0]
    window, gone_to = window_of(
        chosen,
        [
            (row["sequence_id"], row["first_at"], row["last_at"])
            for row in rows
            if row["first_at"] is not None
        ],
        shown_row["sequence_id"],
    )
    scope = replace(chosen.scope, client_id=None, from_at=window.since, to_at=window.until)
    drawn, (counts, bin_ms) = at_once(
        lambda: asked.of_client(lake, shown_row, chosen.scope), lambda: asked.rates(lake, scope)
    )
    return View(
        found,
        summary,
        tone,
        (
            waits(drawn.rows, chosen.selected, f"{shown_row['unit_id']} {shown_row['api']}"),
            rates(counts, bin_ms, f"{window}"),
        ),
        (tuple(_wait_notes(shown_row, drawn)), tuple(_rate_notes(bin_ms, gone_to))),
        ([_cells(row) for row in rows],),
        chosen.selected,
        _detail(lake, chosen_row),
    )


def kind(row: Row) -> str:
    """What backoff is legal for a sequence."""
    if not row["bounded"]:
        return "unknown"
    return "static" if row["is_static"] else "exponential"


def _wait_notes(row: Row, drawn: Answer) -> list[str]:
    notes = [
        f"{row['client_id'] or 'A client'}, {row['api'] or 'all calls'} ({row['service']}/{row['instance']}): "
        f"its legal backoff is {kind(row)}. Choose a row of the list for another client."
    ]
    if drawn.total > len(drawn.rows):
        notes.append(
            f"{drawn.total} waits; drawn are {len(drawn.rows)}, the shortest and the longest of each step of failures."
        )
    edge = edge_of(drawn.rows)
    far = sum(one["waited_ms"] > edge for one in drawn.rows if one["waited_ms"] is not None)
    if far:
        notes.append(
            f"{counted(far, 'wait')} far longer than legal at the upper edge; hovering says how long."
        )
    return notes


def _rate_notes(bin_ms: int, gone_to: str | None) -> list[str]:
    around = " Drawn is the time around one sequence: Whole time shows all." if gone_to else ""
    return [f"All clients of the service, counted in steps of {span(bin_ms)}.{around}"]


def _cells(row: Row) -> dict[str, Any]:
    least, most = row["least_ms"], row["most_ms"]
    return {
        "id": row["sequence_id"],
        "api": shown(row["api"] or "unknown"),
        "subject": shown(row["subject"] or ""),
        "retries": row["retries"],
        "short": row["short"],
        "pace": round(per_second(row), 1),
        "legal": "unknown" if least is None else f"{least} ms" if least == most else f"{least} to {most} ms",
        "kind": kind(row),
        "first_at": row["first_at"],
        **ms_cells(shortest=row["shortest_waited_ms"], longest=row["longest_waited_ms"]),
        **client_cells(row),
    }


def _detail(lake: LakeReader, row: Row | None) -> list[Any]:
    if row is None:
        return []
    settings = (
        f"retry.backoff.ms = {row['retry_backoff_ms']}, "
        f"retry.backoff.max.ms = {row['retry_backoff_max_ms'] or 'none'}"
    )
    facts = [
        (
            "Retries",
            f"{row['retries']}, {per_second(row):.1f} a second; the last after {row['failures']} failures",
        ),
        ("Waited", f"{row['shortest_waited_ms']} to {row['longest_waited_ms']} ms"),
        (
            "Legal",
            f"{row['least_ms']} to {row['most_ms']} ms over all its failures ({kind(row)})"
            if row["bounded"]
            else "unknown",
        ),
        ("Settings", settings if row["retry_backoff_ms"] is not None else "unknown"),
        ("Shorter than legal", f"{row['short']} of {row['bounded']} whose bounds are known"),
        *([("Known only to be at most", f"{row['upper']} waits")] if row["upper"] else []),
        ("From, to", instants(row["first_at"], row["last_at"])),
        ("Client", f"{row['client_id'] or 'unknown'}, {row['service']}/{row['instance']}"),
    ]
    title = f"{row['api'] or 'Call'} {row['subject'] or ''}"
    return selected_part(lake, episodes.BACKOFF, row, title, facts, (row["first_at"], row["last_at"]))


EPISODES = EpisodePage(
    path="backoff",
    name="Backoff",
    table=episodes.BACKOFF,
    drawings=(
        Drawing("Waits of one client", "Each wait by the failures before it, over the legal band", _KEY),
        Drawing("Retries a second, all clients", "Retries a second over time, by client", on_clock=True),
    ),
    grids=(Grid("Sequences of retries", _COLUMNS),),
    load=load,
    empty="Nothing was retried in what was chosen, as far as the log tells.",
)
PAGE = EPISODES.page()
