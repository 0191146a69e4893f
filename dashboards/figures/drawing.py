"""What all figures share: instants, durations and log text as Plotly takes them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any

import numpy as np

from transforms.whole import within_years

LABEL_CHARS = 48
HOVER_CHARS = 160


def at(ms: int) -> datetime:
    """An instant, UTC. Plotly draws a naive one as it stands; an aware one it would move to the browser's zone."""
    # A log may say any year, and room is left around it.
    return datetime.fromtimestamp(within_years(ms) / 1000, UTC).replace(tzinfo=None)


def text(label: str, most: int = LABEL_CHARS) -> str:
    """Log text inside a figure: Plotly reads tags in words and in hovers, so there are none; long ones are cut."""
    cut = label if len(label) <= most else label[: most - 1] + "…"
    if not cut.isprintable():
        cut = "".join(character if character.isprintable() else "·" for character in cut)
    return escape(cut, quote=False)  # Plotly knows no &quot;


def hover(*lines: str | None) -> str:
    """Lines of a hover; log text in them stays text."""
    return "<br>".join(text(line, HOVER_CHARS) for line in lines if line)


def of_marks(*told: Sequence[Any]) -> np.ndarray:
    """customdata, one row a mark: Plotly takes an array as it is, and looks at and copies each part of a list."""
    return np.array(told, dtype=object)


def at_left(words: str, y: float, anchor: str, colour: str | None = None) -> dict[str, Any]:
    """Words at the left edge, as an annotation. y: where they are; anchor: which part of them, `middle` or `bottom`."""
    font = {"size": 12} | ({"color": colour} if colour else {})
    return {
        "x": 0, "xref": "paper", "y": y, "xanchor": "left", "yanchor": anchor, "showarrow": False, "text": words,
        "font": font,
    }  # fmt: skip
