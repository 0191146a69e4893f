"""Lanes drawn on one axis of time, with what metrics said beneath.

The vertical axis counts pixels, so that a lane is as high on a phone as on a wall; its name stands above it and begins with
what matters. What the marks mean is told by the page, as text.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dashboards.figures.drawing import at, at_left, hover, of_marks, text
from dashboards.theme import BROKEN, COLOURS, LIMIT, QUIET, SERIES, new_figure
from transforms.diagnose.wording.words import span
from transforms.episodes.lanes import Bar, Lane, Mark, Window
from transforms.episodes.series import Series
from transforms.episodes.words import clock

NAME_PX, SAID_PX, ROW_PX, BAR_PX, GAP_PX = 16, 16, 15, 12, 5
WORDS_PX = 12  # under marks that have some
SERIES_PX, SERIES_GAP_PX = 50, 40
TOP_PX, BOTTOM_PX = 4, 44
LEAST_PX = 170  # of all lanes: Plotly shows no hover that is higher than the figure
# Words begin at the left edge and fit a phone's 340 px: the figure does not know how wide it is.
NAME_CHARS, SERVICE_CHARS, LIMIT_CHARS, CLIENT_CHARS, MOST_CLIENTS = 34, 20, 52, 14, 3
WHOLE_NAME_CHARS = 110  # of a lane whose name says all, what matters first: the rest may be cut by the edge
DAY_MS = 24 * 3600 * 1000


def lanes_figure(
    lanes: Sequence[Lane],
    window: Window,
    focus: Iterable[str] = (),
    series: Sequence[Series] = (),
    *,
    selected: str | None = None,
    revision: str = "kept",
) -> go.Figure:
    """Draw bars calm up to their limit and red beyond, what is left of open ones, marks, and metrics beneath.

    focus: ids of the episodes that the page is about: their limits are named in the figure, the others are paler. selected:
    the episode with a frame around it. revision: while it is the same, a zoom outlives a refresh.
    """
    focused = frozenset(focus)
    figure = new_figure(revision)
    stretches: dict[tuple[str, str, float, int], list[tuple[int, int, float, Bar]]] = {}
    top, limits = 0.0, []
    words: list[dict[str, Any]] = []
    marks: dict[tuple[str, str, int], list[tuple[float, Mark]]] = {}
    for lane in lanes:
        middle = _add_heading(words, lane, top, focused)
        for number, row in enumerate(lane.rows):
            for bar in row:
                y = middle + number * ROW_PX
                _add_stretches(stretches, bar, y, not focused or bar.subject_id in focused)
                if bar.limit_at is not None and window.holds(bar.limit_at, bar.limit_at):
                    limits.append((y, bar))
                if selected and bar.subject_id == selected and not bar.is_thin:
                    _outline(figure, bar, y, window)
        for mark in lane.marks:
            marks.setdefault((mark.symbol, COLOURS[mark.tone], mark.size), []).append((middle, mark))
        top += _height(lane, focused)
    _add_marks(figure, marks)
    _add_bars(figure, stretches, window)
    _add_limits(figure, limits, focused)
    figure.layout.annotations = words  # at once: each that is added alone has Plotly look at all before it
    return _with_series(figure, max(top, LEAST_PX) if lanes else top, series, window)


def _height(lane: Lane, focus: frozenset[str]) -> int:
    said = SAID_PX if _said(lane, focus) else 0
    words = WORDS_PX if any(mark.words for mark in lane.marks) else 0
    return NAME_PX + said + max(1, len(lane.rows)) * ROW_PX + words + GAP_PX


def _add_heading(words: list[dict[str, Any]], lane: Lane, top: float, focus: frozenset[str]) -> float:
    """The name, and the limit of what the page is about; where the middle of the first row is."""
    more = f", {lane.joined} joined" if lane.joined else ""
    whose = f" · {text(_shortened(lane.service, SERVICE_CHARS))}" if lane.service else ""
    name = f"<b>{text(_shortened(lane.name))}</b>{whose}  {lane.kind}{more}"
    whole = name if lane.kind else text(f"{lane.name}{more}", WHOLE_NAME_CHARS)
    words.append(at_left(whole, top + NAME_PX / 2, "middle"))
    begin = top + NAME_PX
    if said := _said(lane, focus):
        words.append(at_left(_limit_words(said), begin + SAID_PX / 2, "middle", LIMIT))
        begin += SAID_PX
    return begin + ROW_PX / 2


def _said(lane: Lane, focus: frozenset[str]) -> Bar | None:
    """The bar whose limit is said in words: the worst of those that the page is about."""
    bars = [bar for bar in lane.bars if bar.subject_id in focus and bar.limit_at is not None and bar.limit]
    return max(bars, key=lambda bar: (bar.over_ms, -bar.start)) if bars else None


def _limit_words(bar: Bar) -> str:
    """What is over or left, then the limit."""
    beyond = f"{span(bar.over_ms)} over" if bar.over_ms else ""
    if bar.left_ms is not None and bar.left_ms > 0:
        beyond = f"{span(bar.left_ms)} left"
    words = [*([f"<b>{beyond}</b>"] if beyond else []), f"limit: {text(bar.limit or '', LIMIT_CHARS)}"]
    return " · ".join(words)


def _shortened(name: str, most: int = NAME_CHARS) -> str:
    """A name of at most so many characters; of a long one begin and end, which tell threads and clients apart."""
    head = most // 3
    return name if len(name) <= most else f"{name[:head]}…{name[head + 1 - most :]}"


def _add_stretches(
    stretches: dict[tuple[str, str, float, int], list[tuple[int, int, float, Bar]]],
    bar: Bar,
    middle: float,
    is_near: bool,
) -> None:
    """A bar by how its parts look: up to its limit, beyond, and what is left."""
    height, limit = BAR_PX // 4 if bar.is_thin else BAR_PX, bar.limit_at
    calm_end = bar.end if limit is None else max(bar.start, min(bar.end, limit))
    parts = [(bar.start, calm_end, (COLOURS[bar.tone], bar.pattern, 0.9 if is_near else 0.5, height))]
    if limit is not None and bar.end > limit:
        parts.append((max(limit, bar.start), bar.end, (BROKEN, "", 1.0 if is_near else 0.7, height)))
    if limit is not None and bar.is_open and limit > bar.end:
        parts.append((bar.end, limit, (QUIET, "", 0.3, height)))
    for start, end, look in parts:
        stretches.setdefault(look, []).append((start, end, middle, bar))


def _add_bars(
    figure: go.Figure,
    stretches: dict[tuple[str, str, float, int], list[tuple[int, int, float, Bar]]],
    window: Window,
) -> None:
    """One trace for all that look alike. So much is drawn of an instant at least, or nobody sees it."""
    least = max((window.until - window.since) // 400, 1)
    for (colour, pattern, opacity, height), parts in stretches.items():
        figure.add_bar(
            orientation="h",
            base=[at(start) for start, *_ in parts],
            x=[max(end - start, least) for start, end, *_ in parts],
            y=[middle for _, _, middle, _ in parts],
            width=height,
            opacity=opacity,
            marker={
                "color": colour,
                "pattern": {"shape": pattern, "fillmode": "replace", "fgcolor": colour, "size": 6},
            },
            customdata=of_marks(*((bar.subject_id, _hover_of(bar)) for *_, bar in parts)),
        )


def _add_limits(figure: go.Figure, limits: Sequence[tuple[float, Bar]], focus: frozenset[str]) -> None:
    """A stroke over the height of its row, where each limit is."""
    if limits:
        widths = [3 if not focus or bar.subject_id in focus else 1 for _, bar in limits]
        figure.add_scatter(
            x=[at(bar.limit_at or 0) for _, bar in limits],
            y=[middle for middle, _ in limits],
            mode="markers",
            name="limit",
            marker={"symbol": "line-ns", "size": ROW_PX, "line": {"width": widths, "color": LIMIT}},
            customdata=of_marks(*((bar.subject_id, _hover_of(bar)) for _, bar in limits)),
        )


def _add_marks(figure: go.Figure, marks: Mapping[tuple[str, str, int], Sequence[tuple[float, Mark]]]) -> None:
    """Each in its lane's first row, one trace for all that look alike."""
    for (symbol, colour, size), alike in marks.items():
        figure.add_scatter(
            x=[at(mark.at) for _, mark in alike],
            y=[middle for middle, _ in alike],
            mode="markers+text" if any(mark.words for _, mark in alike) else "markers",
            text=[text(mark.words) for _, mark in alike],
            textposition="bottom center",
            textfont={"size": 12, "color": QUIET},
            marker={"symbol": symbol, "size": size, "color": colour, "line": {"width": 2, "color": colour}},
            customdata=of_marks(
                *((mark.subject_id, hover(*mark.hover_lines, f"{clock(mark.at)} UTC")) for _, mark in alike)
            ),
        )


def _outline(figure: go.Figure, bar: Bar, middle: float, window: Window) -> None:
    """A frame around what is selected."""
    room = (window.until - window.since) // 120
    figure.add_shape(
        type="rect", x0=at(bar.start - room), x1=at(bar.end + room), y0=middle - ROW_PX / 2, y1=middle + ROW_PX / 2,
        line={"color": QUIET, "width": 2}, fillcolor=QUIET, opacity=0.3, layer="below",
    )  # fmt: skip


def _hover_of(bar: Bar) -> str:
    return hover(*bar.hover_lines, f"{clock(bar.start)} to {clock(bar.end)} UTC")


def _with_series(figure: go.Figure, lanes_px: float, series: Sequence[Series], window: Window) -> go.Figure:
    """The axes, and a small drawing for each attribute beneath the lanes."""
    attributes = list(dict.fromkeys(one.attribute for one in series))
    series_px = len(attributes) * (SERIES_PX + SERIES_GAP_PX)
    total = lanes_px + series_px
    layout: dict[str, Any] = {
        "yaxis": {
            "range": [max(lanes_px, 1), 0],
            "domain": [series_px / total if total else 0, 1],
            "visible": False,
        }
    }
    for number, attribute in enumerate(attributes):
        begin = lanes_px + number * (SERIES_PX + SERIES_GAP_PX) + SERIES_GAP_PX
        domain = [max(0.0, 1 - (begin + SERIES_PX) / total), 1 - begin / total]
        layout[f"yaxis{number + 2}"] = {
            "domain": domain, "rangemode": "tozero", "nticks": 3, "side": "right",
        }  # fmt: skip
        _add_series(figure, [one for one in series if one.attribute == attribute], number + 2, domain[1])
    length = window.until - window.since
    times = "%H:%M:%S.%L" if length < 4_000 else "%H:%M:%S" if length < DAY_MS else "%d %b %H:%M"
    return figure.update_layout(
        height=int(total + TOP_PX + BOTTOM_PX),
        margin={"l": 8, "r": 44 if attributes else 8, "t": TOP_PX, "b": BOTTOM_PX},
        barmode="overlay",
        dragmode="zoom",
        xaxis={
            "range": [at(window.since), at(window.until)],
            "type": "date",
            "anchor": f"y{len(attributes) + 1}" if attributes else "y",
            "tickformat": times,
            "nticks": 6,
            "title": {
                "text": f"UTC, {at(window.since):%Y-%m-%d}; {span(length)} shown",
                "font": {"size": 12},
            },
        },
        **layout,
    )


def _add_series(figure: go.Figure, of_it: Sequence[Series], number: int, top: float) -> None:
    axis = f"y{number}"
    instant = "%{x|%H:%M:%S.%L} UTC"
    for place, one in enumerate(of_it):
        colour = SERIES[place % len(SERIES)]
        figure.add_scatter(
            x=[at(instant) for instant, _ in one.points], y=[value for _, value in one.points], mode="lines+markers",
            line={"color": colour, "width": 1.6, "shape": "hv"}, marker={"size": 3}, yaxis=axis,
            hovertemplate=f"{text(one.client, 60)}<br>{text(one.attribute)} = %{{y}}<br>{instant}<extra></extra>",
        )  # fmt: skip
    limits = sorted({(one.limit, one.limit_name) for one in of_it if one.limit is not None}, key=str)
    for limit, _name in limits:
        figure.add_shape(
            type="line", xref="paper", x0=0, x1=1, y0=limit, y1=limit, yref=axis,
            line={"color": LIMIT, "width": 1.5, "dash": "dash"},
        )  # fmt: skip
    unit = " s" if of_it[0].attribute.endswith("seconds-ago") else ""
    named = ", ".join(f"limit {text(str(name))} = {limit:g}{unit}" for limit, name in limits)
    clients = " ".join(
        f'<span style="color:{SERIES[place % len(SERIES)]}">● {text(_shortened(one.client, CLIENT_CHARS))}</span>'
        for place, one in enumerate(of_it[:MOST_CLIENTS])
    )
    more = f" +{len(of_it) - MOST_CLIENTS}" if len(of_it) > MOST_CLIENTS else ""
    said = " · ".join([text(of_it[0].attribute, 60), *([named] if named else [])])
    words = at_left(f"{said}<br>{clients}{more}", top, "bottom")
    figure.add_annotation(words | {"yref": "paper", "align": "left"})
