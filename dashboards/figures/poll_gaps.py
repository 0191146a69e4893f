"""The longest gap between two polls of a membership, against max.poll.interval.ms (KIP-62)."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboards.figures.drawing import hover
from dashboards.figures.episode_bars import POLL, Row, bars_of
from dashboards.figures.limits import Length, beside_limits
from dashboards.figures.liveness import TABLE, over_ms
from dashboards.theme import BROKEN, CALM
from transforms.diagnose.words import span

MOST_GAPS = 20
_LOOKS = {"within its limit": (CALM, ""), "longer than its limit": (BROKEN, "")}


def poll_gaps(sessions: Sequence[Row], selected: str | None = None, revision: str = "") -> go.Figure:
    """Draw the gaps that are known as bars from 0, the longest on top, each with its limit.

    sessions: of silver.liveness_sessions. A gap is only known where the log has a line of it, mostly where it was too long.
    """
    rows = [_length(one) for one in with_gap(sessions)]
    return beside_limits(rows, _LOOKS, POLL, "ms between two polls", selected, revision)


def with_gap(sessions: Sequence[Row]) -> list[Row]:
    """The memberships that are drawn."""
    known = [one for one in sessions if one["max_poll_gap_ms"] is not None]
    return sorted(known, key=lambda one: (-one["max_poll_gap_ms"], one["session_id"]))[:MOST_GAPS]


def _length(one: Row) -> Length:
    limit, over, gap = one["max_poll_interval_ms"], over_ms(one) or 0, one["max_poll_gap_ms"]
    of = "limit unknown" if limit is None else f"of {span(limit)}"
    beyond = f", {span(over)} over" if over > 0 else ""
    who = one["client_id"] or one["member_id"] or "unknown"
    hover_lines = next((bar.hover_lines for _, bar in bars_of(TABLE, one, None)), ())
    part = "longer than its limit" if over > 0 else "within its limit"
    name = f"{span(gap)} {of}{beyond} · {who} · {one['service']}"
    return Length(
        one["session_id"], name, {part: gap}, limit, hover(*hover_lines), one["joined_at"] or one["ended_at"]
    )
