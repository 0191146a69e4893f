"""How many episodes each limit would have kept, and how many more nobody can tell of."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import plotly.graph_objects as go

from dashboards.theme import CALM, LIMIT, QUIET, new_figure
from transforms.diagnose.reports.margins import Margin
from transforms.diagnose.wording.words import span

MOST_STEPS = 200


def kept_by_limit(margins: Sequence[Margin], asked_ms: int | None) -> go.Figure:
    """Draw what is surely kept at each limit, and what may be: steps, the limit in ms on a logarithmic axis.

    margins: of one setting, each by itself. asked_ms: the limit that is asked about.
    """
    kept = sorted(one.kept_from_ms for one in margins if one.kept_from_ms is not None)
    lost = sorted(one.lost_to_ms for one in margins if one.lost_to_ms is not None)
    limits = _limits([*kept, *(ms + 1 for ms in lost), *([asked_ms] if asked_ms else [])])
    figure = new_figure(f"what-if-{len(margins)}")
    surely = [bisect_right(kept, ms) for ms in limits]
    perhaps = [len(margins) - (len(lost) - bisect_left(lost, ms)) for ms in limits]
    told = [
        f"{span(ms)}: {low} kept, at most {high}"
        for ms, low, high in zip(limits, surely, perhaps, strict=True)
    ]
    for name, counts, colour, dash in (
        ("may be kept", perhaps, QUIET, "dot"),
        ("kept", surely, CALM, "solid"),
    ):
        figure.add_scatter(
            x=limits, y=counts, name=name, mode="lines", line={"shape": "hv", "color": colour, "dash": dash},
            text=told, hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
    if asked_ms:
        figure.add_vline(x=asked_ms, line={"color": LIMIT, "dash": "dash"})
    figure.update_xaxes(type="log", title="limit, ms", dtick=1)
    figure.update_yaxes(title="episodes", rangemode="tozero")
    return figure.update_layout(height=280, showlegend=True)


def _limits(found: Sequence[int]) -> list[int]:
    """The limits at which something changes, with some room on both sides; of many every n-th."""
    known = sorted({ms for ms in found if ms > 0})
    if not known:
        return [1, 1_000_000]
    every = -(-len(known) // MOST_STEPS)
    return [max(known[0] // 2, 1), *known[::every], known[-1], known[-1] * 2]
