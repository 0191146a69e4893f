"""Batches: was the record lost, which stage ate the time, and in which order did they expire (KIP-91)."""

from dashboards.figures.batches import expiry_order
from dashboards.figures.limits import beside_limits
from dashboards.grids import count, instant, lasting, plain, text
from dashboards.pages.chosen import Chosen, window_of
from dashboards.pages.episode_parts import Drawing, Grid, Told, View
from dashboards.pages.episodes import EpisodePage
from dashboards.parts import exactly, instants, limit_of
from dashboards.queries import LakeReader, Row, episodes
from dashboards.queries.base import at_once
from dashboards.theme import BROKEN, CALM, LIMIT, OTHER, QUIET
from transforms.diagnose.wording.words import counted
from transforms.episodes import batches
from transforms.episodes.batches import STAGES, over_ms, stages
from transforms.episodes.summaries import lifetimes
from transforms.episodes.words import beyond, client_of, or_unknown, process_of, topic_partition

_KEY = (
    ("▬", CALM, "waiting in the accumulator"),
    ("▨", OTHER, "in flight"),
    ("▒", QUIET, "between: retry backoff, or not told"),
    ("▬", QUIET, "stage not told"),
    ("┃", LIMIT, "delivery.timeout.ms"),
    ("▶", LIMIT, "its limit is farther: at the edge"),
)
_ORDER_KEY = (("●", QUIET, "ended in order"), ("✖", BROKEN, "ended after one that was created later"))


def load(lake: LakeReader, chosen: Chosen) -> View:
    """What the page shows of what was chosen."""
    found, outcomes = at_once(
        lambda: episodes.batches(lake, chosen.scope), lambda: episodes.batch_outcomes(lake, chosen.scope)
    )
    if not found.rows:
        return View(found)
    rows = found.rows
    spans = [(row["batch_id"], row["created_at"], row["ended_at"]) for row in rows if batches.is_timed(row)]
    first = next((row["batch_id"] for row in rows if row["created_at"] is not None), None)
    window, gone_to = window_of(chosen, spans, first)
    drawn = [batches.length(row) for row in batches.drawable(rows, chosen.selected)]
    figures = (
        beside_limits(
            drawn, batches.LIMIT, "ms since the batch was created", chosen.selected, f"{chosen.scope}"
        ),
        expiry_order(rows, window, chosen.selected, f"{window}"),
    )
    notes = (
        (_ended(outcomes), *batches.shown_of(rows, found.total)),
        _order_notes(rows, len(spans), batches.in_window(rows, window), gone_to),
    )
    return View(found, *lifetimes(rows, outcomes), figures, notes, (rows,))


def _ended(outcomes: list[Row]) -> str:
    return "; ".join(
        f"{counted(row['batches'], 'batch')} {row['outcome']}"
        + (f" ({counted(row['records'], 'record')})" if row["records"] is not None else "")
        for row in outcomes
    )


def _order_notes(rows: list[Row], timed: int, drawn: list[Row], gone_to: str | None) -> list[str]:
    late = len(batches.overtaken(rows))
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


def _told(row: Row) -> Told:
    over, parts, bounds = over_ms(row), stages(row), (row["created_at"], row["ended_at"])
    facts = [
        ("Age at its end", exactly(row["age_ms"], "unknown: the log does not tell its creation")),
        ("delivery.timeout.ms", limit_of(row["delivery_timeout_ms"], row["timeout_origin"])),
        ("Difference", None if over is None else f"{over:+} ms"),
        *((name.capitalize(), f"{parts[column]} ms") for column, name in STAGES if parts.get(column)),
        ("Outcome", f"{row['outcome']}{': ' + row['error_class'] if row['error_class'] else ''}"),
        ("Records", or_unknown(row["records"])),
        ("Attempts", or_unknown(row["attempts"])),
        ("By metrics", _by_metrics(row)),
        (
            "From, to",
            [*instants(*bounds), ", the creation being the end less the age" if row["is_inferred"] else ""],
        ),
        ("Client", client_of(row)),
    ]
    return Told(f"Batch for {topic_partition(row)}", facts, bounds)


def _by_metrics(row: Row) -> str | None:
    """What samples of metrics say of the time it lived; None where there are none."""
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
    return "; ".join(told) or None


EPISODES = EpisodePage(
    path="batches",
    name="Batches",
    drawings=(
        Drawing("Where the time went", "One bar a batch: its age by stage, and its limit", _KEY),
        Drawing(
            "In which order they ended",
            "When batches of a partition were created, by when they ended",
            _ORDER_KEY,
            on_clock=True,
        ),
    ),
    grids=(
        Grid(
            "Batches that were retried, failed or expired",
            episodes.BATCHES,
            episodes.batches,
            (
                text("partition", "Partition", topic_partition, width=130, tooltipField="partition"),
                plain("outcome", "Outcome", width=105),
                lasting("age", "Age", "age_ms", width=108),
                lasting("limit", "Limit", "delivery_timeout_ms", width=108),
                lasting("over", "Over", over_ms, lambda row: beyond(over_ms(row)), width=132),
                lasting("waiting", "Waiting", "waiting_ms", width=108),
                lasting("in_flight", "In flight", "in_flight_ms", width=108),
                lasting("rest", "Between", lambda row: stages(row).get("rest_ms"), width=108),
                count("records", "Records", width=100),
                count("attempts", "Attempts", width=100),
                instant("ended_at", "Ended"),
                text("error", "Error", "error_class", unknown="", minWidth=170),
                text("client", "Client", "client_id"),
                text("service", "Service", process_of),
            ),
            _told,
        ),
    ),
    load=load,
    empty="No batch was retried, failed or expired in what was chosen. Those delivered at once are not listed.",
)
PAGE = EPISODES.page()
