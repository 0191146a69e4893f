"""The longest gap between two polls of a membership, against max.poll.interval.ms (KIP-62)."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboards.figures import swimlanes as lanes
from dashboards.figures.liveness import POLL, over_ms, told
from dashboards.queries import Row
from dashboards.theme import BROKEN, CALM, LIMIT, QUIET, new_figure
from transforms.diagnose.words import span

MOST_GAPS = 20


def poll_gaps(sessions: Sequence[Row], selected: str | None = None, revision: str = "") -> go.Figure:
    """Draw the gaps that are known as bars from 0, the longest on top, each with its limit.

    sessions: of silver.liveness_sessions. A gap is only known where the log has a line of it, mostly where it was too long.
    """
    drawn = with_gap(sessions)
    figure = new_figure(revision)
    told_of = [[one["session_id"], told(one)] for one in drawn]
    figure.add_bar(
        orientation="h",
        x=[one["max_poll_gap_ms"] for one in drawn],
        y=[-n for n in range(len(drawn))],
        width=0.36,
        name="longest gap between polls",
        marker={
            "color": [BROKEN if (over_ms(one) or 0) > 0 else CALM for one in drawn],
            "line": {"width": [3 if one["session_id"] == selected else 0 for one in drawn], "color": QUIET},
        },
        customdata=told_of,
        hovertemplate=lanes.HOVER,
    )
    figure.add_scatter(
        x=[one["max_poll_interval_ms"] for one in drawn],
        y=[-n for n in range(len(drawn))],
        mode="markers",
        name=POLL,
        marker={"symbol": "line-ns", "size": 22, "line": {"width": 3, "color": LIMIT}},
        customdata=told_of,
        hovertemplate=lanes.HOVER,
    )
    lanes.add_names(figure, [_named(one) for one in drawn])
    longest = max((max(one["max_poll_gap_ms"], one["max_poll_interval_ms"] or 0) for one in drawn), default=1)
    return figure.update_layout(
        height=lanes.height_of(len(drawn)),
        margin={"t": 4, "b": 64},
        showlegend=False,
        xaxis={"title": {"text": "ms between two polls"}, "range": [0, longest * 1.08], "nticks": 6},
        yaxis={"visible": False, "range": [-len(drawn) + 0.4, 0.75], "fixedrange": True},
    )


def with_gap(sessions: Sequence[Row]) -> list[Row]:
    """The memberships that are drawn."""
    known = [one for one in sessions if one["max_poll_gap_ms"] is not None]
    return sorted(known, key=lambda one: (-one["max_poll_gap_ms"], one["session_id"]))[:MOST_GAPS]


def _named(one: Row) -> str:
    limit, over = one["max_poll_interval_ms"], over_ms(one)
    of = "limit unknown" if limit is None else f"of {span(limit)}"
    beyond = f", {span(over)} over" if over is not None and over > 0 else ""
    who = one["client_id"] or one["member_id"] or "unknown"
    return f"{span(one['max_poll_gap_ms'])} {of}{beyond} · {who} · {one['service']}"
