"""What is counted: one fact of the truth, or one row that no truth stands behind."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]

# The proxy's, the wrapper's and the log's times are of one clock. Between the moment that truth notes and
# the line lie a thread switch and, on a busy machine, a pause of either: the longest were above 100 ms.
SAME_MOMENT_MS = 250

FOUND, MISSED, FALSE, HIDDEN = "found", "missed", "false", "hidden"


@dataclass(frozen=True)
class Fact:
    """A counted fact.

    status: found; missed (in the truth, shown by the log, not rebuilt); false (rebuilt, not in the truth);
    hidden (the log's level cannot show it). at: ms UTC. why: hidden: the reason, missed: what stood nearest.
    """

    kind: str
    status: str
    scenario: str
    client: str
    says: str
    at: int | None = None
    why: str = ""


def pair(
    truths: Sequence[Row],
    rows: Sequence[Row],
    *,
    truth_at: str,
    row_at: str,
    fits: Callable[[Row, Row], bool],
    within_ms: int = SAME_MOMENT_MS,
) -> list[Row | None]:
    """For each truth the nearest row in time that fits it and no other truth has, or None."""
    timed = sorted((row for row in rows if row.get(row_at) is not None), key=lambda row: row[row_at])
    times = [row[row_at] for row in timed]
    taken: set[int] = set()
    found: list[Row | None] = []
    for truth in truths:
        at = truth[truth_at]
        best: int | None = None
        place = bisect_left(times, at - within_ms)
        while place < len(times) and times[place] <= at + within_ms:
            nearer = best is None or abs(times[place] - at) < abs(times[best] - at)
            if place not in taken and nearer and fits(truth, timed[place]):
                best = place
            place += 1
        if best is not None:
            taken.add(best)
        found.append(None if best is None else timed[best])
    return found


def near(rows: Sequence[Row], name: str, at: int | None, within_ms: int = SAME_MOMENT_MS) -> bool:
    """Whether some row's instant `name` is that moment."""
    return at is not None and any(
        row.get(name) is not None and abs(row[name] - at) <= within_ms for row in rows
    )


def without(rows: Sequence[Row], used: Sequence[Row | None]) -> list[Row]:
    """The rows that no truth was paired with."""
    taken = {id(row) for row in used if row is not None}
    return [row for row in rows if id(row) not in taken]
