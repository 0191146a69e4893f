"""Instants of links and forms, in ms since the epoch: read, written, and said to be none where they are none."""

from collections.abc import Mapping
from datetime import UTC, datetime

from transforms.diagnose.reports.report import iso

# What every reader, figure and margin around it can hold.
FIRST_YEAR, LAST_YEAR = 1970, 2261
LAST_MS = round(datetime(LAST_YEAR, 12, 31, tzinfo=UTC).timestamp() * 1000)
NOT_A_TIME = f"no time of the years {FIRST_YEAR} to {LAST_YEAR}; write 2026-11-21 02:50:26 (UTC), or ms since the epoch"
BOUNDS = ("from", "to")


def instant_of(written: str | None) -> int | None:
    """An instant as people, links and Plotly write it; UTC where no zone stands. None where it is none, or too far away."""
    text = (written or "").strip()
    if text.isascii() and text.isdecimal():
        at = int(text[:15])
    else:
        try:
            read = datetime.fromisoformat(text)
            at = round((read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp() * 1000)
        except (ValueError, OverflowError):
            return None
    return at if 0 <= at <= LAST_MS else None


def misread(query: Mapping[str, str]) -> str | None:
    """The bound of an address that is no time, in a sentence."""
    for name in BOUNDS:
        if query.get(name) and instant_of(query[name]) is None:
            return f"{name} is {query[name][:60]!r}: {NOT_A_TIME}"
    return None


def stamp(at: int | None) -> str | None:
    """As an address has it; of what a log says of other centuries the nearest that can be asked for."""
    return iso(None if at is None else min(max(at, 0), LAST_MS))
