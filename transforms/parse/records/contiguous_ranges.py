"""Lines of one origin that come in any order -> records, put together in the origin's own order.

What has come without a gap is an island. Inside an island every record is whole, and needs no keeping; kept are its
lines before the first record's beginning (they may be the end of one that is still missing) and those from the last one's
beginning on (more may follow). Islands that touch are joined, and so a record is whole once its last gap is filled,
whatever the order.
"""

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from transforms.parse.records.shipped import Line

# Places [from, to).
Span = tuple[int, int]


@dataclass(slots=True)
class Part:
    """Lines of one record as far as they have come. chars: of their texts. is_given: whether it was told as it stood."""

    lines: list[Line] = field(default_factory=list)
    chars: int = 0
    is_given: bool = False

    @property
    def begin(self) -> int:
        """The first line's place; of an empty part there is none."""
        return self.lines[0].position

    @property
    def end(self) -> int:
        """Where the line after the last one begins."""
        return self.lines[-1].end

    def add(self, line: Line, longest: int) -> None:
        """One more line; beyond what is kept of a record only size and number of its lines are known."""
        room, last = longest - self.chars, self.lines[-1] if self.lines else None
        self.chars += len(line.text) + 1
        if last is None or (len(line.text) <= room and not last.goes_on):
            self.lines.append(line)
            return
        if room > 0:
            last.text += ("" if last.goes_on else "\n") + line.text[:room]
        last.size, last.lines, last.end = last.size + line.size, last.lines + line.lines, line.end
        last.is_cut |= line.is_cut or len(line.text) > room
        last.goes_on, last.is_open = line.goes_on, line.is_open


@dataclass(slots=True)
class Island:
    """begin, end: positions. head: lines before the first beginning of a record; tail: from the last one on, if any."""

    begin: int
    end: int
    head: Part = field(default_factory=Part)
    tail: Part = field(default_factory=Part)

    @property
    def open_parts(self) -> list[Part]:
        """What may still change: lines whose record's beginning or end isn't known."""
        return [part for part in (self.head, self.tail) if part.lines]


@dataclass(slots=True)
class Assembled:
    """islands: what there is now. closed: records that nothing can change any more. duplicates: lines whose place had been
    filled. given_up: gaps that are no longer waited for, in order. missed: lines whose place is in one of them."""

    islands: list[Island]
    closed: list[Part] = field(default_factory=list)
    duplicates: list[Line] = field(default_factory=list)
    given_up: list[Span] = field(default_factory=list)
    missed: list[Line] = field(default_factory=list)


def assemble(
    islands: Sequence[Island],
    lines: Iterable[Line],
    begins: Callable[[str], object],
    *,
    has_gaps: bool = True,
    slack: int = 0,
    longest: int = 1 << 20,
    most: int = 1000,
    given_up: Sequence[Span] = (),
) -> Assembled:
    """Put lines where they belong.

    given_up: the gaps that were, before. begins: whether a line begins a record.
    has_gaps: False where a line's place tells the order only, as in a partition.
    slack: bytes between two lines that touch: a carriage return, where the origin's lines have one.
    longest: characters kept of an open part. most: islands kept apart; of more the oldest gaps are given up. So many of
    these are remembered, too; of more the oldest two count as one, with the lines between them.
    """
    result = Assembled([], given_up=list(given_up))
    fresh = _fresh(islands, sorted(lines, key=lambda line: line.position), result)
    parts = sorted([*islands, *(_single(line, begins) for line in fresh)], key=lambda one: one.begin)
    for part in parts:
        last = result.islands[-1] if result.islands else None
        if last is not None and (not has_gaps or part.begin <= last.end + slack):
            _join(last, part, result.closed, longest)
        else:
            result.islands.append(part)
    while len(result.islands) > most:
        first, second, *rest = result.islands
        insort(result.given_up, (first.end, second.begin))
        _join(first, second, result.closed, longest)
        result.islands = [first, *rest]
    while len(result.given_up) > most:
        (begin, _), (_, end), *younger = result.given_up
        result.given_up = [(begin, end), *younger]
    return result


def _fresh(islands: Sequence[Island], lines: Iterable[Line], result: Assembled) -> list[Line]:
    """Lines whose place is free; of two for one place the first. The others go among the result's."""
    begins = [island.begin for island in islands]
    fresh: list[Line] = []
    for line in lines:
        before = bisect_right(begins, line.position) - 1
        is_known = before >= 0 and line.position < islands[before].end
        if is_known and is_within(line.position, result.given_up):
            result.missed.append(line)
        elif is_known or (fresh and fresh[-1].position == line.position):
            result.duplicates.append(line)
        else:
            fresh.append(line)
    return fresh


def is_within(position: int, spans: Sequence[Span]) -> bool:
    """Whether a place lies in one of some spans, which are in order and apart."""
    before = bisect_right(spans, position, key=lambda span: span[0]) - 1
    return before >= 0 and position < spans[before][1]


def _single(line: Line, begins: Callable[[str], object]) -> Island:
    island, part = Island(line.position, line.end), Part([line], len(line.text) + 1)
    if begins(line.text):
        island.tail = part
    else:
        island.head = part
    return island


def _join(left: Island, right: Island, closed: list[Part], longest: int) -> None:
    """Put the right island behind the left one: what stood open between them is one record."""
    between = left.tail if left.tail.lines else left.head
    for line in right.head.lines:
        between.add(line, longest)
    between.is_given |= right.head.is_given  # what was told stays told
    if right.tail.lines:
        if left.tail.lines:
            closed.append(left.tail)
        left.tail = right.tail
    left.end = max(left.end, right.end)
