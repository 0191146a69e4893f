"""Batches: was the record lost, which stage ate the time, and in which order did they expire (KIP-91)."""

from typing import Any

from dashboards.figures.batches import (
    STAGES,
    expiry_order,
    in_window,
    over_ms,
    overtaken,
    shown_of,
    stages,
    waterfall,
)
from dashboards.pages.chosen import Chosen, window_of
from dashboards.pages.episode_parts import Drawing, Grid, View, client_cells, ms_cells
from dashboards.pages.episodes import EpisodePage
from dashboards.pages.selected import selected_part
from dashboards.parts import instants, shown
from dashboards.queries import LakeReader, Row, episodes
from dashboards.queries.base import at_once
from dashboards.summaries import lifetimes
from dashboards.theme import BROKEN, CALM, LIMIT, OTHER, QUIET
from transforms.diagnose.words import counted, origin_words

_MS: dict[str, Any] = {"type": "rightAligned", "cellRenderer": "Words", "width": 108}
_COLUMNS: list[dict[str, Any]] = [
    {"field": "partition", "headerName": "Partition", "width": 130, "tooltipField": "partition"},
    {"field": "outcome", "headerName": "Outcome", "width": 105},
    {"field": "age", "headerName": "Age", **_MS},
    {"field": "limit", "headerName": "Limit", **_MS},
    {"field": "over", "headerName": "Over", **_MS},
    {"field": "waiting", "headerName": "Waiting", **_MS},
    {"field": "in_flight", "headerName": "In flight", **_MS},
    {"field": "rest", "headerName": "Between", **_MS},
    {"field": "records", "headerName": "Records", "type": "rightAligned", "width": 100},
    {"field": "attempts", "headerName": "Attempts", "type": "rightAligned", "width": 100},
    {"field": "ended_at", "headerName": "Ended", "width": 240, "cellRenderer": "Instant"},
    {"field": "error", "headerName": "Error", "minWidth": 170, "flex": 1, "tooltipField": "error"},
    {"field": "client", "headerName": "Client", "minWidth": 150, "flex": 1, "tooltipField": "client"},
    {"field": "service", "headerName": "Service", "minWidth": 150, "flex": 1, "tooltipField": "service"},
]
_KEY = (
    ("▬", CALM, "waiting in the accumulator"),
    ("▨", OTHER, "in flight"),
    ("▒", QUIET, "between: retry backoff, or not told"),
    ("▬", QUIET, "stage not told"),
    ("┃", LIMIT, "delivery.timeout.ms"),
)
_ORDER_KEY = (("●", QUIET, "ended in order"), ("✖", BROKEN, "ended after one that was created later"))


def load(lake: LakeReader, chosen: Chosen) -> View:
    """What the page shows of what was chosen."""
    found, outcomes = at_once(
        lambda: episodes.batches(lake, chosen.scope), lambda: episodes.batch_outcomes(lake, chosen.scope)
    )
    if not found.rows:
        return View(found)
    summary, tone = lifetimes(found.rows, outcomes)
    selected = next((row for row in found.rows if row["batch_id"] == chosen.selected), None)
    rows = found.rows
    window, gone_to = window_of(
        chosen,
        [
            (row["batch_id"], row["created_at"], row["ended_at"])
            for row in rows
            if row["created_at"] is not None and row["ended_at"] is not None
        ],
        next((row["batch_id"] for row in rows if row["created_at"] is not None), None),
    )
    return View(
        found,
        summary,
        tone,
        (
            waterfall(rows, chosen.selected, f"{chosen.scope}"),
            expiry_order(rows, window, chosen.selected, f"{window}"),
        ),
        (
            (_ended(outcomes), *shown_of(found.rows, found.total)),
            tuple(_order_notes(rows, in_window(rows, window), gone_to)),
        ),
        ([_cells(row) for row in rows],),
        chosen.selected,
        _detail(lake, selected),
    )


def _ended(outcomes: list[Row]) -> str:
    return "; ".join(
        f"{counted(row['batches'], 'batch')} {row['outcome']}"
        + (f" ({counted(row['records'], 'record')})" if row["records"] is not None else "")
        for row in outcomes
    )


def _order_notes(rows: list[Row], drawn: list[Row], gone_to: str | None) -> list[str]:
    timed = sum(row["created_at"] is not None and row["ended_at"] is not None for row in rows)
    late = len(overtaken(rows))
    notes = [
        f"{late} of {timed} ended after one of their partition that was created later. "
        "Kafka promises the order only with max.in.flight.requests.per.connection=1."
        if late
        else f"None of {counted(timed, 'batch')} ended after one of its partition that was created later."
    ]
    if gone_to is not None:
        notes.append(f"Drawn is the time around one of them, {len(drawn)} of {timed}: Whole time shows all.")
    elif len(drawn) < timed:
        notes.append(f"Drawn are {len(drawn)} of {timed}, the latest.")
    return notes


def _cells(row: Row) -> dict[str, Any]:
    parts = stages(row) if row["age_ms"] is not None else {}
    return {
        "id": row["batch_id"],
        "partition": shown(f"{row['topic']}-{row['partition']}"),
        "outcome": row["outcome"],
        "records": row["records"],
        "attempts": row["attempts"],
        "ended_at": row["ended_at"],
        "error": shown(row["error_class"] or ""),
        **ms_cells(
            age=row["age_ms"],
            limit=row["delivery_timeout_ms"],
            over=over_ms(row),
            waiting=row["waiting_ms"],
            in_flight=row["in_flight_ms"],
            rest=parts.get("rest_ms"),
        ),
        **client_cells(row),
    }


def _detail(lake: LakeReader, row: Row | None) -> list[Any]:
    if row is None:
        return []
    age, limit, over = row["age_ms"], row["delivery_timeout_ms"], over_ms(row)
    parts = stages(row) if age is not None else {}
    facts = [
        ("Age at its end", "unknown: the log does not tell its creation" if age is None else f"{age} ms"),
        (
            "delivery.timeout.ms",
            "unknown" if limit is None else f"{limit} ms, {origin_words(row['timeout_origin'])}",
        ),
        *([("Difference", f"{over:+} ms")] if over is not None else []),
        *((name.capitalize(), f"{parts[column]} ms") for column, name, _, _ in STAGES if parts.get(column)),
        ("Outcome", f"{row['outcome']}{': ' + row['error_class'] if row['error_class'] else ''}"),
        ("Records", "unknown" if row["records"] is None else str(row["records"])),
        ("Attempts", "unknown" if row["attempts"] is None else str(row["attempts"])),
        *_by_metrics(row),
        (
            "From, to",
            [
                *instants(row["created_at"], row["ended_at"]),
                ", the creation being the end less the age" if row["is_inferred"] else "",
            ],
        ),
        ("Client", f"{row['client_id'] or 'unknown'}, {row['service']}/{row['instance']}"),
    ]
    title = f"Batch for {row['topic']}-{row['partition']}"
    return selected_part(lake, episodes.BATCHES, row, title, facts, (row["created_at"], row["ended_at"]))


def _by_metrics(row: Row) -> list[tuple[str, str]]:
    """What samples of metrics say of the time it lived; nothing where there are none."""
    told = [
        f"{words} {row[column]}{unit}"
        for column, words, unit in (
            ("queued_at_most_ms", "no batch sent meanwhile was queued longer than", " ms"),
            ("answered_within_ms", "no request was answered later than after", " ms"),
            ("throttled_at_most_ms", "throttled by a broker at most", " ms"),
            ("buffer_wait_ms", "send() waited for memory", " ms"),
            ("requests_in_flight", "requests on their way at its end:", ""),
        )
        if row[column] is not None
    ]
    return [("By metrics", "; ".join(told))] if told else []


EPISODES = EpisodePage(
    path="batches",
    name="Batches",
    table=episodes.BATCHES,
    drawings=(
        Drawing("Where the time went", "One bar a batch: its age by stage, and its limit", _KEY),
        Drawing(
            "In which order they ended",
            "When batches of a partition were created, by when they ended",
            _ORDER_KEY,
            on_clock=True,
        ),
    ),
    grids=(Grid("Batches that were retried, failed or expired", _COLUMNS),),
    load=load,
    empty="No batch was retried, failed or expired in what was chosen. Those delivered at once are not listed.",
)
PAGE = EPISODES.page()
