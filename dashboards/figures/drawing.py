"""What all figures share: instants, durations and log text as Plotly takes them."""

from datetime import UTC, datetime
from html import escape

LABEL_CHARS = 48


def at(ms: int) -> datetime:
    """An instant, UTC. Plotly draws a naive one as it stands; an aware one it would move to the browser's zone."""
    return datetime.fromtimestamp(ms / 1000, UTC).replace(tzinfo=None)


def text(label: str, most: int = LABEL_CHARS) -> str:
    """Log text inside a figure: Plotly reads tags in words and in hovers, so there are none; long ones are cut."""
    cut = label if len(label) <= most else label[: most - 1] + "…"
    shown = "".join(character if character.isprintable() else "·" for character in cut)
    return escape(shown, quote=False)  # Plotly knows no &quot;


def instants(*found: int | None) -> str:
    """Instants in words: date and time to the ms, UTC."""
    return (
        ", ".join("unknown" if ms is None else f"{at(ms):%Y-%m-%d %H:%M:%S.%f}"[:23] for ms in found) + " UTC"
    )
