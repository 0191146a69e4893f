"""Batches: where the time of a producer's batch went, against delivery.timeout.ms (KIP-91)."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import plotly.graph_objects as go

from dashboards.figures.drawing import HOVER, clock, hover, of_marks
from dashboards.figures.drawing import at as instant
from dashboards.figures.drawing import text as plain
from dashboards.figures.episode_bars import client_of, limit_words
from dashboards.figures.lanes import Window
from dashboards.figures.limits import Length, beside_limits
from dashboards.queries import Row
from dashboards.theme import BROKEN, CALM, OTHER, QUIET, SERIES, new_figure
from transforms.diagnose.words import counted, span

LIMIT = "delivery.timeout.ms"
MOST_BARS = 16
MOST_NAMES = 8  # in a legend; hovering tells the others
MOST_POINTS = 2_000
# Column, name, colour and hatching of a stage; `rest` and `unknown` are what the two columns leave.
STAGES = (
    ("waiting_ms", "waiting in the accumulator", CALM, ""),
    ("in_flight_ms", "in flight", OTHER, "/"),
    ("rest_ms", "between, not told", QUIET, "."),
    ("unknown_ms", "stage not told", QUIET, ""),
)


def stages(row: Row) -> dict[str, int]:
    """The age of a batch by stage, in ms; the parts sum to `age_ms`, and there are none where that is not known.

    Where neither stage is known all of it is `unknown_ms`; a clock that was set back can leave no negative rest.
    """
    if row["age_ms"] is None:
        return {}
    waiting, in_flight = row["waiting_ms"], row["in_flight_ms"]
    if waiting is None and in_flight is None:
        return {"unknown_ms": row["age_ms"]}
    known = {"waiting_ms": waiting or 0, "in_flight_ms": min(in_flight or 0, row["age_ms"])}
    known["waiting_ms"] = min(known["waiting_ms"], row["age_ms"] - known["in_flight_ms"])
    return known | {"rest_ms": row["age_ms"] - sum(known.values())}


def drawable(rows: Sequence[Row], selected: str | None = None) -> list[Row]:
    """The batches that the waterfall shows: those of known age, the longest first, and the selected one."""
    known = sorted(
        (row for row in rows if row["age_ms"] is not None),
        key=lambda row: (-row["age_ms"], row["created_at"] or 0, row["batch_id"]),
    )
    first = known[:MOST_BARS]
    return first + [row for row in known[MOST_BARS:] if row["batch_id"] == selected]


def waterfall(rows: Sequence[Row], selected: str | None = None, revision: str = "") -> go.Figure:
    """Draw each lifetime by stage from its creation on, with its delivery.timeout.ms; the oldest on top.

    rows: of silver.batch_lifetimes. The lengths are sums: a batch that is sent again waits and flies by turns.
    """
    looks = {name: (colour, pattern) for _, name, colour, pattern in STAGES}
    drawn = [_length(row) for row in drawable(rows, selected)]
    return beside_limits(drawn, looks, LIMIT, "ms since the batch was created", selected, revision)


def _length(row: Row) -> Length:
    """What its bar shows, then whose it is."""
    records = "? records" if row["records"] is None else counted(row["records"], "record")
    where = f"{row['topic']}-{row['partition']} · {records} · created {clock(row['created_at'])}"
    name = f"{ending(row)} · {where} · {row['service'] or 'service unknown'}"
    parts = stages(row)
    named = {name: parts[column] for column, name, _, _ in STAGES if parts.get(column)}
    return Length(
        row["batch_id"],
        name,
        named,
        row["delivery_timeout_ms"],
        hover_text(row),
        row["created_at"] or row["ended_at"],
    )


def expiry_order(
    rows: Sequence[Row], window: Window, selected: str | None = None, revision: str = ""
) -> go.Figure:
    """Draw when batches of a partition ended against when they were created: a line that falls is out of order.

    Those of unknown creation or end, or that ended outside the window, are not drawn; of more than 2,000 only the latest.
    """
    figure = new_figure(revision)
    known = in_window(rows, window)
    late = set(overtaken(rows))
    partitions = [list(batches) for _, batches in groupby(known, key=partition_of)]
    for n, batches in enumerate(partitions):
        figure.add_scatter(
            x=[instant(row["ended_at"]) for row in batches],
            y=[instant(row["created_at"]) for row in batches],
            mode="lines+markers",
            name=plain(partition_of(batches[0])),
            line={"width": 1.5, "color": SERIES[n % len(SERIES)]},
            marker={
                "size": [13 if row["batch_id"] in (selected, *late) else 8 for row in batches],
                "symbol": ["x" if row["batch_id"] in late else "circle" for row in batches],
                "color": [BROKEN if row["batch_id"] in late else SERIES[n % len(SERIES)] for row in batches],
                "line": {
                    "width": [3 if row["batch_id"] == selected else 0 for row in batches],
                    "color": QUIET,
                },
            },
            customdata=of_marks(*((row["batch_id"], hover_text(row)) for row in batches)),
            hovertemplate=HOVER,
        )
    return figure.update_layout(
        height=340,
        showlegend=len(partitions) <= MOST_NAMES,
        xaxis={"type": "date", "title": {"text": "ended, UTC"}, "nticks": 4, "tickangle": 0},
        yaxis={"type": "date", "title": {"text": "created, UTC"}, "nticks": 5, "fixedrange": True},
    )


def is_timed(row: Row) -> bool:
    """Whether both its creation and its end are known."""
    return row["created_at"] is not None and row["ended_at"] is not None


def in_window(rows: Sequence[Row], window: Window) -> list[Row]:
    """The batches that the order is drawn of."""
    return _in_order([row for row in rows if window.holds(row["ended_at"] or 0, row["ended_at"] or 0)])


def overtaken(rows: Sequence[Row]) -> list[str]:
    """Ids of batches that ended after one of their partition that was created later; equal instants prove nothing."""
    late = []
    for _, batches in groupby(_in_order(rows), key=partition_of):
        newest_before, newest, at = None, None, None
        for row in batches:
            if row["ended_at"] != at:
                newest_before, at = newest, row["ended_at"]
            if newest_before is not None and row["created_at"] < newest_before:
                late.append(row["batch_id"])
            newest = max(newest or 0, row["created_at"])
    return late


def partition_of(row: Row) -> str:
    """A partition as its producer knows it."""
    return f"{row['topic']}-{row['partition']} · {row['client_id'] or 'unknown'} · {row['service'] or ''}"


def hover_text(row: Row) -> str:
    """What hovering says."""
    parts = stages(row)
    return hover(
        f"{row['topic']}-{row['partition']}: {row['outcome']}"
        + (f", {row['error_class']}" if row["error_class"] else ""),
        "records unknown" if row["records"] is None else counted(row["records"], "record"),
        "age unknown" if row["age_ms"] is None else f"{row['age_ms']} ms old",
        limit_words(LIMIT, row["delivery_timeout_ms"], row["timeout_origin"]) or f"{LIMIT} unknown",
        *(f"{name}: {parts[column]} ms" for column, name, _, _ in STAGES if parts.get(column)),
        "" if row["attempts"] is None else counted(row["attempts"], "attempt"),
        f"created {clock(row['created_at'])}" + (" (end less age)" if row["is_inferred"] else ""),
        f"ended {clock(row['ended_at'])} UTC",
        client_of(row),
    )


def over_ms(row: Row) -> int | None:
    """How far beyond its limit it lived; None where one of the two is unknown."""
    if row["age_ms"] is None or row["delivery_timeout_ms"] is None:
        return None
    return int(row["age_ms"] - row["delivery_timeout_ms"])


def _in_order(rows: Sequence[Row]) -> list[Row]:
    latest = sorted(filter(is_timed, rows), key=lambda row: -row["ended_at"])[:MOST_POINTS]
    return sorted(latest, key=lambda row: (partition_of(row), row["ended_at"], row["created_at"]))


def ending(row: Row) -> str:
    """How it ended, in words."""
    over = over_ms(row)
    beyond = f", {span(over)} over" if over is not None and over > 0 else ""
    return f"{row['outcome']} at {span(row['age_ms'])}{beyond}"


def shown_of(rows: Sequence[Row], total: int) -> Iterator[str]:
    """What the waterfall leaves out, in sentences."""
    timed = sum(row["age_ms"] is not None for row in rows)
    if timed > MOST_BARS:
        yield f"The {MOST_BARS} oldest of {timed} batches are drawn; the list below has all of them."
    if total > len(rows):
        yield f"The list has the oldest {len(rows)} of {total}: narrow the time or the client to see the others."
    if len(rows) > timed:
        yield f"{counted(len(rows) - timed, 'batch')} of unknown creation can only be listed."
