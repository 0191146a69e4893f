"""An episode from left to right against its limits."""

import plotly.graph_objects as go

from dashboards.figures.drawing import at as _at
from dashboards.figures.drawing import text as _text
from transforms.diagnose.timeline import Mark, Timeline
from transforms.diagnose.words import span

WITHIN, BEYOND, LIMIT, NOTE = "#4c8dd6", "#e03131", "#e8590c", "#7048e8"
# Readable on white and on black; the style sheet takes words of this colour to the page's own.
GREY = "#868e96"
_SYMBOLS = {"start": "circle", "attempt": "line-ns-open", "note": "diamond-open", "end": "circle-x"}
_COLOURS = {"start": WITHIN, "attempt": GREY, "note": NOTE, "end": BEYOND}
_SIZES = {"start": 15, "attempt": 18, "note": 12, "end": 16}
_NAMES = {"start": "start", "attempt": "attempt", "note": "note", "limit": "limit", "end": "end"}


def timeline(told: Timeline) -> go.Figure:
    """Draw an episode from left to right: calm up to its limit, red beyond, each attempt a tick.

    Times are UTC by the writer's clock; hovering tells the distance from the start.
    """
    figure = go.Figure()
    limits = [mark.at for mark in told.marks if mark.role == "limit"]
    limit = max(limits) if limits else None
    for start, end, colour, name in _stretches(told, limit):
        figure.add_scatter(
            x=[_at(start), _at(end)],
            y=[0, 0],
            mode="lines",
            line={"color": colour, "width": 10},
            opacity=0.55,
            name=name,
            hoverinfo="skip",
            showlegend=False,
        )
    for role in ("attempt", "note", "start", "end"):
        marks = [mark for mark in told.marks if mark.role == role]
        if marks:
            figure.add_scatter(**_points(role, marks, told.starts_at))
    for level, mark in enumerate(mark for mark in told.marks if mark.role == "limit"):
        _add_limit(figure, mark, told, level)
    _label_ends(figure, told)
    return _laid_out(figure, told, len(limits))


def _stretches(told: Timeline, limit: int | None) -> list[tuple[int, int, str, str]]:
    """The line in its two colours; beyond the limit only what happened there."""
    happened = [mark.at for mark in told.marks if mark.role != "limit"]
    if not happened:
        return []
    start, end = min(happened), max(happened)
    if limit is None or end <= limit:
        return [(start, end, WITHIN, "within the limit")]
    if start >= limit:
        return [(start, end, BEYOND, "beyond the limit")]
    return [(start, limit, WITHIN, "within the limit"), (limit, end, BEYOND, "beyond the limit")]


def _points(role: str, marks: list[Mark], start: int) -> dict[str, object]:
    return {
        "x": [_at(mark.at) for mark in marks],
        "y": [0] * len(marks),
        "mode": "markers",
        "name": _NAMES[role],
        "marker": {
            "symbol": _SYMBOLS[role],
            "color": _COLOURS[role],
            "size": _SIZES[role],
            "line": {"width": 2.5, "color": _COLOURS[role]},
        },
        "customdata": [[_text(mark.label), _text(span(mark.at - start))] for mark in marks],
        "hovertemplate": "%{customdata[0]}<br>%{x|%H:%M:%S.%L} UTC, +%{customdata[1]}<extra></extra>",
    }


def _add_limit(figure: go.Figure, mark: Mark, told: Timeline, level: int) -> None:
    # A line over the whole height, its words above, one limit a row: several may lie close together.
    figure.add_shape(
        type="line",
        x0=_at(mark.at),
        x1=_at(mark.at),
        y0=-0.6,
        y1=0.75 + 0.45 * level,
        line={"color": LIMIT, "width": 2, "dash": "dash"},
    )
    figure.add_annotation(
        x=_at(mark.at),
        y=0.75 + 0.45 * level,
        text=f"limit: {_text(mark.label)}",
        showarrow=False,
        yanchor="bottom",
        xanchor=_anchor(mark.at, told),
        font={"color": LIMIT, "size": 13},
    )


def _label_ends(figure: go.Figure, told: Timeline) -> None:
    """Words under the first start and the last end; the rest is told by hovering and in the list below."""
    starts = [mark for mark in told.marks if mark.role == "start"][:1]
    ends = [mark for mark in told.marks if mark.role == "end"][-1:]
    for mark, row in [*((mark, 0) for mark in starts), *((mark, 1) for mark in ends)]:
        figure.add_annotation(
            x=_at(mark.at),
            y=-0.62 - 0.42 * row,
            text=f"{_text(mark.label)}, +{_text(span(mark.at - told.starts_at))}",
            showarrow=False,
            yanchor="top",
            xanchor=_anchor(mark.at, told),
            font={"color": GREY, "size": 13},
        )


def _laid_out(figure: go.Figure, told: Timeline, limits: int) -> go.Figure:
    length = max(told.ends_at - told.starts_at, 1)
    room = max(length // 20, 1)
    return figure.update_layout(
        height=250 + 28 * max(limits - 1, 0),
        margin={"l": 16, "r": 16, "t": 12, "b": 44},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "inherit", "size": 13},
        hoverlabel={"align": "left"},
        showlegend=False,
        xaxis={
            "range": [_at(told.starts_at - room), _at(told.ends_at + room)],
            "title": {"text": f"UTC, {_date(told.starts_at)}; {span(length)} in all"},
            "tickformat": "%H:%M:%S" if length >= 4_000 else "%H:%M:%S.%L",
            "nticks": 8,
            "showgrid": True,
            "zeroline": False,
        },
        yaxis={"visible": False, "range": [-1.6, 1.3 + 0.45 * max(limits - 1, 0)], "fixedrange": True},
    )


def _anchor(at: int, told: Timeline) -> str:
    """Keep words inside: to the right of the left third, to the left of the right third."""
    third = max(told.ends_at - told.starts_at, 1) / 3
    offset = at - told.starts_at
    return "left" if offset < third else "right" if offset > 2 * third else "center"


def _date(ms: int) -> str:
    return _at(ms).strftime("%Y-%m-%d")
