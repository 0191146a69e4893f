"""Backoff: how long a client waited before each retry, beside what it was allowed to draw (KIP-580)."""

from collections.abc import Sequence

from transforms.episodes.lanes import Row
from transforms.episodes.words import clock

GRAIN_MS = 1  # a wait is a difference of two clocks cut to whole ms
EDGE = 3  # waits longer than this many times the longest legal one are far too long


def is_short(row: Row) -> bool:
    """Whether it waited less than its shortest legal wait. A fact, not a verdict: a new leader excuses it."""
    waited, shortest = row["waited_ms"], row["shortest_ms"]
    return waited is not None and shortest is not None and waited < shortest - GRAIN_MS


def edge_of(rows: Sequence[Row]) -> float:
    """The wait beyond which one is far too long, in ms."""
    longest = max((row["longest_ms"] for row in rows if row["longest_ms"] is not None), default=None)
    return float("inf") if longest is None else longest * EDGE


def legal_band(rows: Sequence[Row]) -> dict[int, tuple[int, int]]:
    """The shortest and the longest legal wait by the failures before it; of several settings the widest."""
    band: dict[int, tuple[int, int]] = {}
    for row in rows:
        if row["shortest_ms"] is not None and row["longest_ms"] is not None:
            least, most = band.get(row["failures"], (row["shortest_ms"], row["longest_ms"]))
            band[row["failures"]] = (min(least, row["shortest_ms"]), max(most, row["longest_ms"]))
    return dict(sorted(band.items()))


def kind(row: Row) -> str:
    """What backoff is legal for a sequence."""
    if not row["bounded"]:
        return "unknown"
    return "static" if row["is_static"] else "exponential"


def legal(row: Row) -> str:
    """The legal waits over all failures of a sequence."""
    least, most = row["least_ms"], row["most_ms"]
    return "unknown" if least is None else f"{least} ms" if least == most else f"{least} to {most} ms"


def per_second(row: Row) -> float:
    """The pace of a sequence from its first failure to its last; 0 where it is no more than one."""
    length = (row["last_at"] or 0) - (row["first_at"] or 0)
    return 1000 * (row["retries"] - 1) / length if length > 0 and row["retries"] > 1 else 0.0


def hover_lines(row: Row) -> list[str]:
    """What is said of one wait."""
    least, most = row["shortest_ms"], row["longest_ms"]
    at_most = "at most " if row["is_lower_bound"] else ""
    return [
        f"{row['api'] or 'call'} {row['subject'] or ''}".rstrip(),
        f"wait {row['failures']}: {at_most}{row['waited_ms']} ms",
        "legal wait unknown" if least is None or most is None else f"legal: {least} to {most} ms",
        f"retry.backoff.ms = {row['retry_backoff_ms']}, retry.backoff.max.ms = {row['retry_backoff_max_ms']}"
        if row["retry_backoff_ms"] is not None
        else "retry.backoff.ms unknown",
        f"failed {clock(row['failed_at'])}, sent again {clock(row['sent_at'])} UTC",
    ]
