"""Backoff: does a client wait before its retries as KIP-580 says, or does it hammer the broker?"""

from dataclasses import replace

from dashboards.figures.backoff import rates, waits
from dashboards.grids import count, instant, lasting, plain, text
from dashboards.pages.chosen import Chosen, window_of
from dashboards.pages.episode_parts import Drawing, Grid, Told, View
from dashboards.pages.episodes import EpisodePage
from dashboards.parts import instants
from dashboards.queries import Answer, LakeReader, Row, episodes
from dashboards.queries import waits as asked
from dashboards.queries.base import at_once
from dashboards.theme import BROKEN, CALM, LIMIT, NOTE
from transforms.diagnose.wording.words import counted, span
from transforms.episodes.backoff import EDGE, edge_of, kind, legal, per_second
from transforms.episodes.summaries import retries
from transforms.episodes.words import client_of, process_of

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
    shown_row = next((row for row in rows if row["sequence_id"] == chosen.selected), rows[0])
    spans = [
        (row["sequence_id"], row["first_at"], row["last_at"]) for row in rows if row["first_at"] is not None
    ]
    window, gone_to = window_of(chosen, spans, shown_row["sequence_id"])
    scope = replace(chosen.scope, client_id=None, from_at=window.since, to_at=window.until)
    drawn, (counts, bin_ms) = at_once(
        lambda: asked.of_client(lake, shown_row, chosen.scope), lambda: asked.rates(lake, scope)
    )
    figures = (
        waits(drawn.rows, chosen.selected, f"{shown_row['unit_id']} {shown_row['api']}"),
        rates(counts, bin_ms, f"{window}"),
    )
    notes = (_wait_notes(shown_row, drawn), _rate_notes(chosen.service, bin_ms, gone_to))
    return View(found, summary, tone, figures, notes, (rows,))


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


def _rate_notes(service: str | None, bin_ms: int, gone_to: str | None) -> list[str]:
    around = " Drawn is the time around one sequence: Whole time shows all." if gone_to else ""
    of_service = " of the service" if service else ""
    return [f"All clients{of_service}, counted in steps of {span(bin_ms)}.{around}"]


def _told(row: Row) -> Told:
    settings = (
        f"retry.backoff.ms = {row['retry_backoff_ms']}, "
        f"retry.backoff.max.ms = {row['retry_backoff_max_ms'] or 'none'}"
    )
    pace = f"{row['retries']}, {per_second(row):.1f} a second; the last after {row['failures']} failures"
    bounds = row["first_at"], row["last_at"]
    facts = [
        ("Retries", pace),
        ("Waited", f"{row['shortest_waited_ms']} to {row['longest_waited_ms']} ms"),
        ("Legal", f"{legal(row)} over all its failures ({kind(row)})" if row["bounded"] else "unknown"),
        ("Settings", settings if row["retry_backoff_ms"] is not None else "unknown"),
        ("Shorter than legal", f"{row['short']} of {row['bounded']} whose bounds are known"),
        ("Known only to be at most", f"{row['upper']} waits" if row["upper"] else None),
        ("From, to", instants(*bounds)),
        ("Client", client_of(row)),
    ]
    return Told(f"{row['api'] or 'Call'} {row['subject'] or ''}", facts, bounds)


EPISODES = EpisodePage(
    path="backoff",
    name="Backoff",
    drawings=(
        Drawing("Waits of one client", "Each wait by the failures before it, over the legal band", _KEY),
        Drawing("Retries a second, all clients", "Retries a second over time, by client", on_clock=True),
    ),
    grids=(
        Grid(
            "Sequences of retries",
            episodes.BACKOFF,
            asked.sequences,
            (
                text("client", "Client", "client_id"),
                text("api", "Request", width=160),
                text("subject", "Of", unknown="", minWidth=130),
                count("retries", "Retries", width=98),
                count("short", "Too short", width=98),
                count("pace", "A second", lambda row: round(per_second(row), 1), width=98),
                lasting("shortest", "Shortest wait", "shortest_waited_ms", width=112),
                lasting("longest", "Longest wait", "longest_waited_ms", width=112),
                plain("legal", "Legal", legal, width=140),
                plain("kind", "Backoff is", kind, width=120),
                instant("first_at", "First failure"),
                text("service", "Service", process_of),
            ),
            _told,
        ),
    ),
    load=load,
    empty="Nothing was retried in what was chosen, as far as the log tells.",
)
PAGE = EPISODES.page()
