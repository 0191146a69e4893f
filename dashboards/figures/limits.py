"""Lengths from 0 on beside the limit that each has: one bar a row, the longest on top, its name above it."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboards.figures.drawing import at_left, hover, text
from dashboards.theme import BROKEN, CALM, LIMIT, OTHER, QUIET, new_figure
from transforms.episodes.lengths import Length, edge_of
from transforms.episodes.memberships import TOO_LONG, WITHIN

LANE_PX, FRAME_PX = 56, 76  # the frame: the axis and its title
NAME_CHARS = 110


# Each part's colour and hatching, in the order that they are drawn in.
LOOKS = {
    "waiting in the accumulator": (CALM, ""),
    "in flight": (OTHER, "/"),
    "between, not told": (QUIET, "."),
    "stage not told": (QUIET, ""),
    WITHIN: (CALM, ""),
    TOO_LONG: (BROKEN, ""),
}


def beside_limits(
    rows: Sequence[Length], limit: str, unit: str, selected: str | None = None, revision: str = ""
) -> go.Figure:
    """Draw them. limit: the setting's name; unit: the axis's title."""
    figure, edge = new_figure(revision), edge_of(rows)
    hover_text = [[row.id, hover(*row.hover_lines), row.at] for row in rows]
    for part, (colour, pattern) in LOOKS.items():
        lengths = [row.parts.get(part, 0) for row in rows]
        if any(lengths):
            figure.add_bar(
                orientation="h",
                x=lengths,
                y=[-n for n in range(len(rows))],
                width=0.42,
                name=part,
                marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "overlay", "size": 5}},
                customdata=hover_text,
            )
    limits = [(n, row.limit_ms) for n, row in enumerate(rows) if row.limit_ms is not None]
    if limits:
        figure.add_scatter(
            x=[min(ms, edge) for _, ms in limits],
            y=[-n for n, _ in limits],
            mode="markers",
            name=limit,
            marker={
                "symbol": ["triangle-right" if ms > edge else "line-ns" for _, ms in limits],
                "size": [12 if ms > edge else 22 for _, ms in limits],
                "color": LIMIT,
                "opacity": 1,
                "line": {"width": 3, "color": LIMIT},
            },
            customdata=[hover_text[n] for n, _ in limits],
        )
    for n, row in enumerate(rows):
        if row.id == selected:
            figure.add_shape(
                type="rect", x0=0, x1=min(row.reach_ms, edge), y0=-n - 0.32, y1=-n + 0.32,
                line={"color": QUIET, "width": 2}, fillcolor=QUIET, opacity=0.3, layer="below",
            )  # fmt: skip
    return figure.update_layout(
        height=LANE_PX * max(len(rows), 1) + FRAME_PX,
        margin={"t": 4, "b": 64},
        barmode="stack",
        # At once: Plotly looks at all before each that is added.
        annotations=[
            at_left(text(row.name, NAME_CHARS), -n + 0.22, "bottom", QUIET) for n, row in enumerate(rows)
        ],
        meta={"at": [row.at for row in rows]},  # of each annotation
        xaxis={"title": {"text": unit}, "range": [0, edge * 1.08], "nticks": 6, "tickformat": ","},
        yaxis={"visible": False, "range": [-len(rows) + 0.4, 0.75]},
    )
