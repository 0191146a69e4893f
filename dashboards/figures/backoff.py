"""Backoff: how long a client waited before each retry, inside what it was allowed to draw (KIP-580)."""

from collections.abc import Sequence
from itertools import groupby
from math import log10
from typing import Any

import plotly.graph_objects as go

from dashboards.figures.drawing import at as instant
from dashboards.figures.drawing import hover, of_marks
from dashboards.figures.drawing import text as plain
from dashboards.queries.waits import OTHERS
from dashboards.theme import BROKEN, CALM, LIMIT, NOTE, QUIET, SERIES, new_figure
from transforms.episodes.backoff import edge_of, hover_lines, is_short, legal_band
from transforms.episodes.lanes import Row
from transforms.episodes.words import clock

MANY_ATTEMPTS = (
    20  # from here on the attempts are drawn on a logarithmic axis: what grows, grows at the beginning
)


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
                    *((row["sequence_id"], hover(*hover_lines(row)), row["failed_at"]) for row in points)
                ),
            )
    most = max((row["failures"] for row in rows), default=1)
    heights = [min(row["waited_ms"], edge) for row in timed] + [row["longest_ms"] or 0 for row in rows]
    top = max(heights, default=1) or 1
    return figure.update_layout(
        height=360,
        margin={"t": 8},
        xaxis={
            "title": {"text": "failures before the wait"},
            **(_log_axis(most) if most > MANY_ATTEMPTS else _linear_axis(most)),
        },
        yaxis={"title": {"text": "waited, ms"}, "range": [-0.03 * top, 1.05 * top]},
    )


def _linear_axis(most: int) -> dict[str, Any]:
    return {"dtick": 1 if most <= 10 else 2, "range": [0.5, most + 0.5]}


def _log_axis(most: int) -> dict[str, Any]:
    """With numbers that are read at once: Plotly's own have only their last digit."""
    ticks = [digit * 10**power for power in range(len(str(most))) for digit in (1, 2, 5)]
    words = [f"{one:,}" for one in ticks]
    return {"type": "log", "tickvals": ticks, "ticktext": words, "range": [log10(0.8), log10(most * 1.25)]}


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
            marker={"color": QUIET if who == OTHERS else SERIES[n % (len(SERIES) - 1)]},
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
        )
    return figure.update_layout(
        height=300,
        barmode="stack",
        showlegend=True,
        xaxis={"type": "date", "title": {"text": "UTC"}, "nticks": 5},
        yaxis={"title": {"text": "retries a second"}, "rangemode": "tozero"},
    )


def _add_band(figure: go.Figure, rows: Sequence[Row]) -> None:
    """The legal envelope."""
    band = legal_band(rows)
    if not band:
        return
    steps = list(band)
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
