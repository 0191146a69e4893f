"""One story on one time axis: the lanes of all who took part, and what their metrics said beneath.

The vertical axis counts pixels, so that a lane is as high on a phone as on a wall; its name stands above it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from dashboards.figures.drawing import at, text
from dashboards.figures.lanes import Bar, Lane
from dashboards.figures.series import Series
from dashboards.theme import BROKEN, CALM, LIMIT, QUIET, SERIES, new_figure
from transforms.diagnose.words import span

NAME_PX, SAID_PX, ROW_PX, BAR_PX, GAP_PX = 16, 16, 15, 12, 5
SERIES_PX, SERIES_GAP_PX = 50, 40
TOP_PX, BOTTOM_PX = 4, 24
# Words begin at the left edge and fit a phone's 340 px: the figure does not know how wide it is.
NAME_CHARS, LIMIT_CHARS, CLIENT_CHARS, MOST_CLIENTS = 34, 52, 14, 3
MOST_LANES = 14


def story(
    lanes: Sequence[Lane], series: Sequence[Series], since: int, until: int, focus: Iterable[str] = ()
) -> go.Figure:
    """Draw bars calm up to their limit and red beyond, what is left of open ones, signs, and metrics beneath.

    focus: ids of the episodes that the page is about: their limits are named in the figure.
    """
    drawn, focused = lanes[:MOST_LANES], frozenset(focus)
    attributes = list(dict.fromkeys(one.attribute for one in series))
    lanes_px = sum(_height(lane, focused) for lane in drawn)
    series_px = len(attributes) * (SERIES_PX + SERIES_GAP_PX)
    figure = new_figure()
    top = 0.0
    for lane in drawn:
        _add_lane(figure, lane, top, focused, (since, until))
        top += _height(lane, focused)
    total = lanes_px + series_px
    layout: dict[str, Any] = {
        "yaxis": {
            "range": [max(lanes_px, 1), 0],
            "domain": [series_px / total if total else 0, 1],
            "visible": False,
            "fixedrange": True,
        }
    }
    for number, attribute in enumerate(attributes):
        of_it = [one for one in series if one.attribute == attribute]
        begin = lanes_px + number * (SERIES_PX + SERIES_GAP_PX) + SERIES_GAP_PX
        domain = [max(0.0, 1 - (begin + SERIES_PX) / total), 1 - begin / total]
        layout[f"yaxis{number + 2}"] = {
            "domain": domain,
            "rangemode": "tozero",
            "nticks": 3,
            "fixedrange": True,
            "side": "right",
        }
        _add_series(figure, of_it, number + 2, domain[1], (since, until))
    return figure.update_layout(
        height=int(total + TOP_PX + BOTTOM_PX),
        margin={"l": 8, "r": 44 if attributes else 8, "t": TOP_PX, "b": BOTTOM_PX},
        barmode="overlay",
        showlegend=False,
        dragmode="zoom",
        xaxis={
            "range": [at(since), at(until)],
            "type": "date",
            "anchor": f"y{len(attributes) + 1}" if attributes else "y",
            "tickformat": "%H:%M:%S" if until - since >= 4_000 else "%H:%M:%S.%L",
            "nticks": 8,
        },
        **layout,
    )


def _height(lane: Lane, focus: frozenset[str]) -> int:
    return NAME_PX + (SAID_PX if _said(lane, focus) else 0) + max(1, len(lane.rows)) * ROW_PX + GAP_PX


def _add_lane(
    figure: go.Figure, lane: Lane, top: float, focus: frozenset[str], window: tuple[int, int]
) -> None:
    more = f", {lane.joined} joined" if lane.joined else ""
    figure.add_annotation(
        x=0, xref="paper", y=top + NAME_PX / 2, xanchor="left", yanchor="middle", showarrow=False,
        text=f"<b>{text(_shortened(lane.name))}</b>  {lane.kind}{more}", font={"size": 12},
    )  # fmt: skip
    begin = top + NAME_PX
    if said := _said(lane, focus):
        _say(figure, said, begin + SAID_PX / 2)
        begin += SAID_PX
    for number, row in enumerate(lane.rows):
        middle = begin + (number + 0.5) * ROW_PX
        for bar in row:
            _add_bar(figure, bar, middle, bar.subject_id in focus, window)
    if lane.signs:
        _add_signs(figure, lane, begin + ROW_PX / 2)


def _said(lane: Lane, focus: frozenset[str]) -> Bar | None:
    """The bar whose limit is said in words: the worst of those that the page is about."""
    bars = [bar for bar in lane.bars if bar.subject_id in focus and bar.limit_at is not None and bar.limit]
    return max(bars, key=lambda bar: (bar.over_ms, -bar.start)) if bars else None


def _shortened(name: str, most: int = NAME_CHARS) -> str:
    """A name of at most so many characters; of a long one begin and end, which tell threads and clients apart."""
    head = most // 3
    return name if len(name) <= most else f"{name[:head]}…{name[head + 1 - most :]}"


def _add_bar(figure: go.Figure, bar: Bar, middle: float, is_focus: bool, window: tuple[int, int]) -> None:
    limit = bar.limit_at
    calm_end = bar.end if limit is None else max(bar.start, min(bar.end, limit))
    colour = QUIET if bar.count > 1 else CALM
    stretches = [(bar.start, calm_end, colour, 0.9 if is_focus else 0.5)]
    if limit is not None and bar.end > limit:
        stretches.append((max(limit, bar.start), bar.end, BROKEN, 1.0 if is_focus else 0.7))
    if limit is not None and bar.is_open and limit > bar.end:
        stretches.append((bar.end, limit, QUIET, 0.3))
    for start, end, paint, opacity in stretches:
        figure.add_bar(
            x=[max(end - start, _least(window))], base=[at(start)], y=[middle], width=BAR_PX, orientation="h",
            marker={"color": paint, "line": {"width": 0}}, opacity=opacity,
            customdata=[[bar.subject_id]], hovertemplate=f"{_hover(bar)}<extra></extra>",
        )  # fmt: skip
    if limit is not None and window[0] <= limit <= window[1]:
        figure.add_shape(
            type="line", x0=at(limit), x1=at(limit), y0=middle - ROW_PX / 2, y1=middle + ROW_PX / 2,
            line={"color": LIMIT, "width": 3 if is_focus else 1},
        )  # fmt: skip


def _say(figure: go.Figure, bar: Bar, middle: float) -> None:
    """What is over or left, then the limit in words, in its colour."""
    beyond = f"{span(bar.over_ms)} over" if bar.over_ms else ""
    if bar.left_ms is not None and bar.left_ms > 0:
        beyond = f"{span(bar.left_ms)} left"
    words = [*([f"<b>{beyond}</b>"] if beyond else []), f"limit: {text(bar.limit or '', LIMIT_CHARS)}"]
    figure.add_annotation(
        x=0, xref="paper", y=middle, text=" · ".join(words), showarrow=False, yanchor="middle", xanchor="left",
        font={"color": LIMIT, "size": 12},
    )  # fmt: skip


def _add_signs(figure: go.Figure, lane: Lane, middle: float) -> None:
    for is_benign, colour, symbol in ((True, QUIET, "diamond-open"), (False, BROKEN, "x-thin")):
        signs = [sign for sign in lane.signs if sign.is_benign is is_benign]
        if signs:
            figure.add_scatter(
                x=[at(sign.at) for sign in signs], y=[middle] * len(signs), mode="markers",
                marker={"symbol": symbol, "size": 9, "color": colour, "line": {"width": 2, "color": colour}},
                customdata=[["<br>".join(text(one, 90) for one in sign.told)] for sign in signs],
                hovertemplate="%{customdata[0]}<br>%{x|%H:%M:%S.%L} UTC<extra></extra>",
            )  # fmt: skip


def _add_series(
    figure: go.Figure, of_it: Sequence[Series], number: int, top: float, window: tuple[int, int]
) -> None:
    axis = f"y{number}"
    instant = "%{x|%H:%M:%S.%L} UTC"
    for place, one in enumerate(of_it):
        colour = SERIES[place % len(SERIES)]
        figure.add_scatter(
            x=[at(instant) for instant, _ in one.points], y=[value for _, value in one.points], mode="lines+markers",
            line={"color": colour, "width": 1.6, "shape": "hv"}, marker={"size": 3}, yaxis=axis,
            hovertemplate=f"{text(one.client, 60)}<br>{text(one.attribute)} = %{{y}}<br>{instant}<extra></extra>",
        )  # fmt: skip
    limits = {(one.limit, one.limit_name) for one in of_it if one.limit is not None}
    for limit, _name in sorted(limits, key=str):
        figure.add_shape(
            type="line", xref="paper", x0=0, x1=1, y0=limit, y1=limit, yref=axis,
            line={"color": LIMIT, "width": 1.5, "dash": "dash"},
        )  # fmt: skip
    unit = " s" if of_it[0].attribute.endswith("seconds-ago") else ""
    named = ", ".join(f"limit {text(str(name))} = {limit:g}{unit}" for limit, name in sorted(limits, key=str))
    clients = " ".join(
        f'<span style="color:{SERIES[place % len(SERIES)]}">● {text(_shortened(one.client, CLIENT_CHARS))}</span>'
        for place, one in enumerate(of_it[:MOST_CLIENTS])
    )
    more = f" +{len(of_it) - MOST_CLIENTS}" if len(of_it) > MOST_CLIENTS else ""
    figure.add_annotation(
        x=0, xref="paper", y=top, yref="paper", xanchor="left", yanchor="bottom", showarrow=False,
        text=f"{' · '.join([text(of_it[0].attribute, 60), *([named] if named else [])])}<br>{clients}{more}",
        align="left", font={"size": 12},
    )  # fmt: skip


def _hover(bar: Bar) -> str:
    told = "<br>".join(text(one, 110) for one in bar.told)
    return f"{told}<br>{at(bar.start):%H:%M:%S.%f}"[:-3] + f" to {at(bar.end):%H:%M:%S.%f}"[:-3] + " UTC"


def _least(window: tuple[int, int]) -> int:
    """So much is drawn of an instant, or nobody sees it."""
    return max((window[1] - window[0]) // 400, 1)
