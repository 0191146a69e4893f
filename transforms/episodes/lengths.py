"""A length beside the limit that it has, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass

EDGE = 3  # times the longest length: limits beyond that would leave all lengths too short to be seen


@dataclass(frozen=True, slots=True)
class Length:
    """One row. parts: ms by name, in the order that they are drawn in; hover_lines: for who points at it.

    at: an instant of it, ms: the clocks in its words are near it.
    """

    id: str
    name: str
    parts: dict[str, int]
    limit_ms: int | None
    hover_lines: Sequence[str]
    at: int | None = None

    @property
    def reach_ms(self) -> int:
        """How far to the right anything of it is drawn."""
        return max(sum(self.parts.values()), self.limit_ms or 0)


def edge_of(rows: Sequence[Length]) -> int:
    """How far to the right lengths and limits are drawn, ms: what lies beyond stands at the edge."""
    longest = max((sum(row.parts.values()) for row in rows), default=0)
    reach = max((row.reach_ms for row in rows), default=1)
    return min(reach, longest * EDGE) or reach
