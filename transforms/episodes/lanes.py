"""Lanes on one axis of time, as plain data, for a story and for the pages of one kind alike.

A lane is whatever its maker puts in one: a client's memberships, a task's timers, a broker's lines. Instants are ms since
the epoch, UTC.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

# A row of a table; instants in ms since the epoch, UTC.
Row = Mapping[str, Any]
# What a thing's colour means: within its limit, near it, beyond it, the limit, a remark, a second kind, unknown.
Tone = Literal["calm", "warn", "broken", "limit", "note", "other", "quiet"]
MOST_LANES = 30  # that can be read, one below the other
MOST_ROWS = 6  # of one lane: so many bars lie over each other at one time
MOST_BARS = 60  # of one lane: more are joined to stretches


@dataclass(frozen=True, slots=True)
class Window:
    """What part of time is drawn."""

    since: int
    until: int

    def holds(self, start: int, end: int) -> bool:
        """Whether something of a stretch lies inside."""
        return start <= self.until and end >= self.since


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of time. limit_at: when its limit was or will be reached; limit: the limit in words.

    end: its last instant known; of an open one the data's own clock. hover_lines: for who points at it. tone, pattern
    (hatching, so that a kind is told without its colour), thin: how it looks up to its limit.
    """

    start: int
    end: int
    hover_lines: tuple[str, ...]
    subject_id: str | None = None
    limit_at: int | None = None
    limit: str | None = None
    is_open: bool = False
    is_bad: bool = False
    count: int = 1
    tone: Tone = "calm"
    pattern: str = ""
    is_thin: bool = False

    def looking(self, tone: Tone, limit_at: int | None) -> "Bar":
        """In another tone, and with a limit or without."""
        return replace(self, tone=tone, limit_at=limit_at)

    @property
    def over_ms(self) -> int:
        """By how much it went beyond its limit; 0 within."""
        return max(0, self.end - self.limit_at) if self.limit_at is not None else 0

    @property
    def left_ms(self) -> int | None:
        """What is left of the limit of an open one, as of the data's clock."""
        return self.limit_at - self.end if self.is_open and self.limit_at is not None else None


@dataclass(frozen=True, slots=True)
class Mark:
    """An instant. hover_lines: for who points at it; words: what stands under it; subject_id: of its episode.

    symbol: its shape, by Plotly's name."""

    at: int
    hover_lines: tuple[str, ...]
    symbol: str = "x-thin"
    tone: Tone = "broken"
    size: int = 9
    subject_id: str | None = None
    words: str = ""

    @classmethod
    def benign(cls, at: int, hover_lines: tuple[str, ...]) -> "Mark":
        """What looks like trouble, and is normal."""
        return cls(at, hover_lines, "diamond-open", "quiet")


@dataclass(frozen=True, slots=True)
class Lane:
    """One line of the picture: rows of bars that don't overlap, and marks. kind: empty where the name says all.

    joined: bars that are drawn as a stretch of many. service: whose it is, where another one has its kind and name.
    """

    kind: str
    name: str
    rows: tuple[tuple[Bar, ...], ...] = ()
    marks: tuple[Mark, ...] = ()
    joined: int = 0
    service: str = ""

    @property
    def bars(self) -> Iterator[Bar]:
        """All bars, row by row."""
        for row in self.rows:
            yield from row

    def has(self, subject_id: str | None) -> bool:
        """Whether an episode is in it."""
        return any(bar.subject_id == subject_id for bar in self.bars)


def lane(
    kind: str, name: str, bars: Sequence[Bar], marks: Iterable[Mark], focus: frozenset[str | None]
) -> Lane:
    """A lane of these bars; of too many those of `focus` and the worst by themselves, the rest joined."""
    rows = packed(bars)
    if len(bars) <= MOST_BARS and len(rows) <= MOST_ROWS:
        return Lane(kind, name, tuple(rows), tuple(marks))
    telling = sorted(
        bars, key=lambda bar: (bar.subject_id not in focus, -bar.over_ms, not bar.is_bad, bar.start)
    )
    worst = telling[: MOST_ROWS - 1]
    rest = sorted((bar for bar in bars if bar not in worst), key=lambda bar: bar.start)
    together = joined(rest, MOST_BARS)
    return Lane(kind, name, (*packed(worst), *packed(together)[:1]), tuple(marks), len(rest))


def near_of(lanes: Iterable[Lane], subject_ids: Iterable[str]) -> list[Lane]:
    """The lanes that one of these episodes is in."""
    wanted = frozenset(subject_ids)
    return [lane for lane in lanes if any(bar.subject_id in wanted for bar in lane.bars)]


def readable(lanes: Sequence[Lane], selected: str | None) -> list[Lane]:
    """As many lanes as can be read, the selected episode's among them."""
    later = [lane for lane in lanes[MOST_LANES:] if selected and lane.has(selected)]
    return [*lanes[: MOST_LANES - len(later)], *later]


def reaching(rows: Iterable[Row], clocks: Mapping[str, int], since: int) -> list[Row]:
    """Episodes without those that are open in a log whose newest line is older than that.

    rows: of a table of episodes. clocks: unit_id -> its largest happened_at. since: ms.
    """
    return [row for row in rows if row.get("outcome") != "open" or clocks.get(row["unit_id"], since) >= since]


def padded(start: int, end: int) -> Window:
    """A stretch with room at both sides."""
    room = max((end - start) // 8, 50)
    return Window(start - room, end + 2 * room)


def packed(bars: Iterable[Bar]) -> list[tuple[Bar, ...]]:
    """As few rows as hold the bars without one over another."""
    rows: list[list[Bar]] = []
    for bar in sorted(bars, key=lambda bar: (bar.start, bar.end)):
        row = next((row for row in rows if row[-1].end <= bar.start), None)
        if row is None:
            rows.append([bar])
        else:
            row.append(bar)
    return [tuple(row) for row in rows]


def joined(bars: Sequence[Bar], most: int) -> list[Bar]:
    """Bars in order of their start as stretches: what overlaps, and what lies nearest, until there are at most `most`."""
    if not bars:
        return []
    length = max(bar.end for bar in bars) - bars[0].start
    gap = 0
    while True:
        made: list[Bar] = []
        for bar in bars:
            if made and bar.start <= made[-1].end + gap:
                made[-1] = _both(made[-1], bar)
            else:
                made.append(bar)
        if len(made) <= most:
            return made
        gap = max(gap * 2, length // (most * 8), 1)


def _both(one: Bar, other: Bar) -> Bar:
    count = one.count + other.count
    return Bar(
        one.start,
        max(one.end, other.end),
        (f"{count} together", *(one.hover_lines[1:2] if one.count == 1 else one.hover_lines[1:])),
        is_open=one.is_open or other.is_open,
        is_bad=one.is_bad or other.is_bad,
        count=count,
        tone="quiet",
    )
