"""Backoff: how long a client waited before each retry, inside what it was allowed to draw (KIP-580)."""

from collections.abc import Sequence
from itertools import groupby
from math import log10
from typing import Any

import plotly.graph_objects as go

from dashboards.figures.drawing import HOVER, clock, hover, of_marks
from dashboards.figures.drawing import at as instant
from dashboards.figures.drawing import text as plain
from dashboards.queries import Row
from dashboards.queries.waits import GRAIN_MS, OTHERS
from dashboards.theme import BROKEN, CALM, LIMIT, NOTE, QUIET, SERIES, new_figure

MANY_ATTEMPTS = (
    20  # from here on the attempts are drawn on a logarithmic axis: what grows, grows at the beginning
)
EDGE = 3  # waits longer than this many times the longest legal one are drawn at the edge


def is_short(row: Row) -> bool:
    """Whether it waited less than its shortest legal wait. A fact, not a verdict: a new leader excuses it."""
    waited, shortest = row["waited_ms"], row["shortest_ms"]
    return waited is not None and shortest is not None and waited < shortest - GRAIN_MS


def waits(rows: Sequence[Row], selected: str | None = None, revision: str = "") -> go.Figure:
    """Draw each wait by the failures before it, over the band from the shortest to the longest legal one.

    rows: of silver.backoff_attempts, of one client and request. Those of the selected sequence are joined by a line. Waits
    that are only known to be at most so long point down; those far beyond the band stand at the upper edge.
    """
    timed = sorted(
        (row for row in rows if row["waited_ms"] is not None),
        key=lambda row: (row["sequence_id"], row["failures"]),
    )
    figure = new_figure(revision)
    _add_band(figure, rows)
    edge = edge_of(timed)
    chosen = [row for row in timed if row["sequence_id"] == selected]
    if chosen:
        figure.add_scatter(
            x=[row["failures"] for row in chosen],
            y=[min(row["waited_ms"], edge) for row in chosen],
            mode="lines",
            name="selected sequence",
            line={"color": NOTE, "width": 2},
            hoverinfo="skip",
        )
    for name, symbol, colour, size, kind in (
        ("waited", "circle", CALM, 7, (False, False)),
        ("waited at most", "triangle-down-open", CALM, 8, (False, True)),
        ("shorter than legal", "x", BROKEN, 9, (True, False)),
        ("at most, and shorter than legal", "triangle-down", BROKEN, 10, (True, True)),
    ):
        points = [row for row in timed if (is_short(row), bool(row["is_lower_bound"])) == kind]
        if points:
            figure.add_scatter(
                x=[row["failures"] for row in points],
                y=[min(row["waited_ms"], edge) for row in points],
                mode="markers",
                name=name,
                marker={
                    "symbol": ["triangle-up" if row["waited_ms"] > edge else symbol for row in points],
                    "color": colour,
                    "size": size,
                },
                customdata=of_marks(
                    *((row["sequence_id"], hover_text(row), row["failed_at"]) for row in points)
                ),
                hovertemplate=HOVER,
            )
    most = max((row["failures"] for row in rows), default=1)
    heights = [min(row["waited_ms"], edge) for row in timed] + [row["longest_ms"] or 0 for row in rows]
    top = max(heights, default=1) or 1
    return figure.update_layout(
        height=360,
        margin={"t": 8},
        showlegend=False,
        xaxis={
            "title": {"text": "failures before the wait"},
            **(_log_axis(most) if most > MANY_ATTEMPTS else _linear_axis(most)),
        },
        yaxis={"title": {"text": "waited, ms"}, "range": [-0.03 * top, 1.05 * top], "fixedrange": True},
    )


def _linear_axis(most: int) -> dict[str, Any]:
    return {"dtick": 1 if most <= 10 else 2, "range": [0.5, most + 0.5]}


def _log_axis(most: int) -> dict[str, Any]:
    """With numbers that are read at once: Plotly's own have only their last digit."""
    ticks = [digit * 10**power for power in range(len(str(most))) for digit in (1, 2, 5)]
    words = [f"{one:,}" for one in ticks]
    return {"type": "log", "tickvals": ticks, "ticktext": words, "range": [log10(0.8), log10(most * 1.25)]}


def edge_of(rows: Sequence[Row]) -> float:
    """The wait at which those that are far too long are drawn, in ms."""
    longest = max((row["longest_ms"] for row in rows if row["longest_ms"] is not None), default=None)
    return float("inf") if longest is None else longest * EDGE


def rates(counts: Sequence[Row], bin_ms: int, revision: str = "") -> go.Figure:
    """Draw the fleet's retries per second over time, by client.

    counts: at (ms, where the bin begins), who, retries; bin_ms: how long a bin is.
    """
    figure = new_figure(revision)
    by_client = sorted(counts, key=lambda row: (row["who"] == OTHERS, row["who"], row["at"]))
    for n, (who, bins) in enumerate(groupby(by_client, key=lambda row: row["who"])):
        rows = list(bins)
        figure.add_bar(
            x=[instant(row["at"]) for row in rows],
            y=[row["retries"] * 1000 / bin_ms for row in rows],
            width=bin_ms,
            offset=0,
            name=plain(who),
            marker={"color": QUIET if who == OTHERS else SERIES[n % (len(SERIES) - 1)], "line": {"width": 0}},
            customdata=[
                [
                    "",
                    hover(
                        who,
                        f"{row['retries'] * 1000 / bin_ms:.1f} retries a second",
                        f"{row['retries']} in {bin_ms} ms from {clock(row['at'])} UTC",
                    ),
                ]
                for row in rows
            ],
            hovertemplate=HOVER,
        )
    return figure.update_layout(
        height=300,
        barmode="stack",
        showlegend=True,
        xaxis={"type": "date", "title": {"text": "UTC"}, "nticks": 5, "tickangle": 0},
        yaxis={"title": {"text": "retries a second"}, "rangemode": "tozero", "fixedrange": True},
    )


def hover_text(row: Row) -> str:
    """What hovering says."""
    least, most = row["shortest_ms"], row["longest_ms"]
    at_most = "at most " if row["is_lower_bound"] else ""
    return hover(
        f"{row['api'] or 'call'} {row['subject'] or ''}".rstrip(),
        f"wait {row['failures']}: {at_most}{row['waited_ms']} ms",
        "legal wait unknown" if least is None or most is None else f"legal: {least} to {most} ms",
        f"retry.backoff.ms = {row['retry_backoff_ms']}, retry.backoff.max.ms = {row['retry_backoff_max_ms']}"
        if row["retry_backoff_ms"] is not None
        else "retry.backoff.ms unknown",
        row.get("origin") or "",
        f"failed {clock(row['failed_at'])}, sent again {clock(row['sent_at'])} UTC",
    )


def _add_band(figure: go.Figure, rows: Sequence[Row]) -> None:
    """The legal envelope; of several settings in one drawing the widest."""
    band: dict[int, tuple[int, int]] = {}
    for row in rows:
        if row["shortest_ms"] is not None and row["longest_ms"] is not None:
            least, most = band.get(row["failures"], (row["shortest_ms"], row["longest_ms"]))
            band[row["failures"]] = (min(least, row["shortest_ms"]), max(most, row["longest_ms"]))
    if not band:
        return
    steps = sorted(band)
    for name, side, fill in (("longest legal wait", 1, None), ("shortest legal wait", 0, "tonexty")):
        figure.add_scatter(
            x=steps,
            y=[band[step][side] for step in steps],
            mode="lines+markers" if len(steps) == 1 else "lines",
            name=name,
            line={"color": LIMIT, "width": 2, "dash": "dash" if side == 0 else "dot", "shape": "hvh"},
            fill=fill,
            fillcolor="rgba(43,131,186,0.12)",
            hovertemplate=f"{name}: %{{y}} ms after %{{x}}<extra></extra>",
        )
