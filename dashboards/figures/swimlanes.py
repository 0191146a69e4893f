"""Swimlanes: what happened to several things, one below the other, on one axis of time.

A lane's name stands above its bar, inside the drawing, and begins with what matters: so a small screen has the same room
for time as a large one. Words beside marks would not fit there. What the marks mean is told by the page, as text.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import plotly.graph_objects as go

from dashboards.figures.drawing import at as instant
from dashboards.figures.drawing import text as plain
from dashboards.theme import LIMIT, QUIET, new_figure
from transforms.diagnose.words import span

LANE_PX = 56
FRAME_PX = 76  # the axis and its title
MOST_LANES = 30
NAME_CHARS = 110
HOVER_CHARS = 160
# customdata of every mark: the episode's id, and what hovering says (lines, escaped).
HOVER = "%{customdata[1]}<extra></extra>"


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Window:
    """What part of time is drawn. ms since the epoch, UTC."""

    from_at: int
    to_at: int

    def holds(self, start: int, end: int) -> bool:
        """Whether something of it lies inside."""
        return start <= self.to_at and end >= self.from_at


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a lane; an instant where `end` is `start`. words: what stands under an instant."""

    lane: int
    start: int
    end: int
    id: str
    hover: str
    words: str = ""


def hover(*lines: str) -> str:
    """Lines of a hover; log text in them stays text."""
    return "<br>".join(plain(line, HOVER_CHARS) for line in lines if line)


def clock(ms: int | None) -> str:
    """The time of day with its ms, UTC; lines are of one day mostly, and the axis has the date."""
    return "unknown" if ms is None else instant(ms).strftime("%H:%M:%S.%f")[:12]


def padded(start: int, end: int) -> Window:
    """A stretch with room at both sides."""
    room = max((end - start) // 8, 50)
    return Window(start - room, end + 2 * room)


def lanes_figure(names: Sequence[str], window: Window, revision: str) -> go.Figure:
    """Empty lanes, one a name, the first on top."""
    figure = new_figure(revision)
    add_names(figure, names)
    for lane in range(len(names)):
        figure.add_shape(
            type="line",
            x0=0,
            x1=1,
            xref="paper",
            y0=-lane,
            y1=-lane,
            line={"color": QUIET, "width": 1},
            opacity=0.25,
            layer="below",
        )
    length = window.to_at - window.from_at
    return figure.update_layout(
        height=height_of(len(names)),
        margin={"t": 4, "b": 64},
        barmode="overlay",
        showlegend=False,
        xaxis={
            "type": "date",
            "range": [instant(window.from_at), instant(window.to_at)],
            "title": {"text": f"UTC; {span(length)} shown"},
            "nticks": 5,
            "tickangle": 0,
        },
        yaxis={"visible": False, "range": [-len(names) + 0.4, 0.75], "fixedrange": True},
    )


def add_names(figure: go.Figure, names: Sequence[str]) -> None:
    """The name of each lane, above it."""
    for lane, name in enumerate(names):
        figure.add_annotation(
            x=0,
            xref="paper",
            y=-lane + 0.22,
            text=plain(name, NAME_CHARS),
            showarrow=False,
            xanchor="left",
            yanchor="bottom",
            font={"size": 12, "color": QUIET},
        )


def readable(lanes: Sequence[T], is_selected: Callable[[T], bool]) -> list[T]:
    """As many lanes as can be read, the selected one among them."""
    later = [lane for lane in lanes[MOST_LANES:] if is_selected(lane)]
    return [*lanes[: MOST_LANES - len(later)], *later]


def height_of(lanes: int) -> int:
    """The height of so many lanes, in px."""
    return LANE_PX * max(lanes, 1) + FRAME_PX


def add_bars(
    figure: go.Figure, bars: Iterable[Mark], name: str, colour: str, width: float = 0.3, pattern: str = ""
) -> None:
    """Stretches of one kind. pattern: hatching, so that a kind is told without its colour."""
    drawn = list(bars)
    if not drawn:
        return
    figure.add_bar(
        orientation="h",
        base=[instant(bar.start) for bar in drawn],
        x=[bar.end - bar.start for bar in drawn],
        y=[-bar.lane for bar in drawn],
        width=width,
        name=name,
        legendgroup=name,
        marker={
            "color": colour,
            "line": {"width": 0},
            "pattern": {"shape": pattern, "fillmode": "replace", "fgcolor": colour, "size": 6},
        },
        customdata=[[bar.id, bar.hover] for bar in drawn],
        hovertemplate=HOVER,
    )


def add_points(
    figure: go.Figure, points: Iterable[Mark], name: str, symbol: str, colour: str, size: int = 11
) -> None:
    """Instants of one kind, with words under them where they have some."""
    drawn = list(points)
    if not drawn:
        return
    figure.add_scatter(
        x=[instant(point.start) for point in drawn],
        y=[-point.lane for point in drawn],
        mode="markers+text" if any(point.words for point in drawn) else "markers",
        text=[plain(point.words) for point in drawn],
        textposition="bottom center",
        textfont={"size": 12, "color": QUIET},
        name=name,
        legendgroup=name,
        marker={"symbol": symbol, "size": size, "color": colour, "line": {"width": 2, "color": colour}},
        customdata=[[point.id, point.hover] for point in drawn],
        hovertemplate=HOVER,
        cliponaxis=True,
    )


def add_limits(figure: go.Figure, points: Iterable[Mark], name: str) -> None:
    """Limits: a stroke over the height of its lane."""
    add_points(figure, points, name, "line-ns", LIMIT, 26)


def outline(figure: go.Figure, lane: int, start: int, end: int, window: Window) -> None:
    """A frame around what is selected."""
    room = (window.to_at - window.from_at) // 120
    figure.add_shape(
        type="rect",
        x0=instant(start - room),
        x1=instant(end + room),
        y0=-lane - 0.3,
        y1=-lane + 0.3,
        line={"color": QUIET, "width": 2},
        fillcolor=QUIET,
        opacity=0.3,
        layer="below",
    )
