"""Colours and the Plotly template of all figures: readable in light and dark, and without telling red from green.

One drawing serves both schemes: its ground is transparent, its marks have colours of middle lightness (Okabe and Ito's, a
little darker), and words, axes and grid take the page's own colours from the style sheet.
"""

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from transforms.episodes.lanes import Tone

# What a colour means, everywhere the same. Meaning never hangs on colour alone: a word, a symbol or a dash goes with it.
CALM = "#2b83ba"  # within the limit, as it should be
WARN = "#cc8000"  # near the limit, at risk
BROKEN = "#d1382c"  # beyond the limit
LIMIT = "#e8590c"  # the limit itself, always dashed
NOTE = "#8a63d2"  # a remark
OTHER = "#0f9d7e"  # a second kind of the same thing
QUIET = "#868e96"  # unknown, inferred, in the background
COLOURS: Mapping[Tone, str] = {
    "calm": CALM, "warn": WARN, "broken": BROKEN, "limit": LIMIT, "note": NOTE, "other": OTHER, "quiet": QUIET,
}  # fmt: skip
SERIES = (CALM, WARN, OTHER, NOTE, "#b5651d", "#c05590", QUIET)

FONT = "system-ui, 'Segoe UI', Roboto, sans-serif"
# No mode bar over the drawing; double click zooms out. No WebGL traces: they compile code, which the policy forbids.
GRAPH_CONFIG: Any = {"displayModeBar": False, "scrollZoom": False, "responsive": True}

_AXIS = {
    "gridcolor": QUIET,
    "linecolor": QUIET,
    "zeroline": False,
    "automargin": True,
    "title": {"standoff": 8},
    "tickangle": 0,
}
# customdata of every mark: the episode's id, and what hovering says (lines, escaped). The browser tells the clocks in it in
# the viewer's zone (assets/figures.js); where x is no instant, a third value is one that they are near.
HOVER = "%{customdata[1]}<extra></extra>"
TEMPLATE = go.layout.Template(
    layout={
        "colorway": SERIES,
        "font": {"family": FONT, "size": 13, "color": QUIET},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 16, "r": 16, "t": 16, "b": 40},
        "hoverlabel": {"align": "left", "font": {"family": FONT, "size": 13}},
        "hovermode": "closest",
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "xaxis": _AXIS,
        "yaxis": _AXIS | {"fixedrange": True},
        "showlegend": False,
    },
    data={
        "bar": [go.Bar(hovertemplate=HOVER, marker={"line": {"width": 0}})],
        "scatter": [go.Scatter(hovertemplate=HOVER)],
    },
)


def new_figure(revision: str = "kept") -> go.Figure:
    """An empty figure in the house's style. revision: while it is the same, zoom and pan outlive a refresh."""
    return go.Figure(layout={"template": TEMPLATE, "uirevision": revision})
