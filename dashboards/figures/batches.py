"""Batches: in which order those of a partition ended."""

from collections.abc import Sequence
from itertools import groupby

import plotly.graph_objects as go

from dashboards.figures.drawing import at as instant
from dashboards.figures.drawing import hover, of_marks
from dashboards.figures.drawing import text as plain
from dashboards.theme import BROKEN, QUIET, SERIES, new_figure
from transforms.episodes.batches import hover_lines, in_window, overtaken, partition_of
from transforms.episodes.lanes import Row, Window

MOST_NAMES = 8  # in a legend; hovering tells the others


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
            customdata=of_marks(*((row["batch_id"], hover(*hover_lines(row))) for row in batches)),
        )
    return figure.update_layout(
        height=340,
        showlegend=len(partitions) <= MOST_NAMES,
        xaxis={"type": "date", "title": {"text": "ended, UTC"}, "nticks": 4},
        yaxis={"type": "date", "title": {"text": "created, UTC"}, "nticks": 5},
    )
