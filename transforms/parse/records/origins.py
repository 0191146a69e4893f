"""One origin's lines, as they came -> log records, pieces that no reader understood, and balanced books.

What a file's reader is to a file (transforms.parse.records.reader), for lines that come as messages: in any order, some
twice, and a record in several parts. What stands open is given with every read, as far as it has come, or waited for; a
later read gives it again.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from transforms.parse.layouts.layout import SourceLayout, begins_of
from transforms.parse.layouts.wrappers import Wrapped
from transforms.parse.records.books import Books, ChunkBooks
from transforms.parse.records.build import Pieces, RecordBuilder, Unparsed
from transforms.parse.records.contiguous_ranges import Island, Part, Span, assemble
from transforms.parse.records.shipped import TOPIC, Line, ShippedSource
from transforms.parse.records.spans import ReadSettings

MOST_ISLANDS = 1000
# One byte between two lines may be a blank line that is missing; between so many, and never none, it is none.
ENOUGH_PAIRS = 10


@dataclass(slots=True)
class OriginState:
    """What is kept of an origin between reads: plain data. touching: pairs of lines with 0 and with 1 byte between them;
    shippers take a carriage return off, and so only the places of other lines tell that there was one. given_up: gaps
    that are no longer waited for."""

    islands: list[Island] = field(default_factory=list)
    touching: list[int] = field(default_factory=lambda: [0, 0])
    given_up: list[Span] = field(default_factory=list)

    def count(self, lines: Iterable[Line]) -> int:
        """Look how the lines of this origin end; gives the bytes between two that touch."""
        for one, other in pairwise(sorted(lines, key=lambda line: line.position)):
            if other.position - one.end in (0, 1):
                self.touching[other.position - one.end] += 1
        return int(not self.touching[0] and self.touching[1] >= ENOUGH_PAIRS)

    def dump(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    @classmethod
    def load(cls, raw: dict[str, Any]) -> "OriginState":
        """From what dump() gave."""

        def part(values: dict[str, Any]) -> Part:
            # A state without the mark is of before there was a wait: all was given.
            return Part(
                [Line(**line) for line in values["lines"]], values["chars"], values.get("is_given", True)
            )

        return cls(
            [
                Island(one["begin"], one["end"], part(one["head"]), part(one["tail"]))
                for one in raw.get("islands", ())
            ],
            list(raw.get("touching", (0, 0))),
            [(begin, end) for begin, end in raw.get("given_up", ())],
        )


@dataclass(slots=True)
class OriginRead:
    """What a read gives. pieces: in the origin's order, all of what changed and of what stands open behind it.

    begin: from this place on the origin's rows are other ones now; None where nothing changed. gone: places [from, to)
    of former open parts: what stood there isn't any more, other rows from `begin` on are as they were. stood: places
    [from, to) that had been read before; rows elsewhere are of a read that nobody knows of any more.
    reasons: of the pieces that nobody understood, settled and open. is_waiting: something stands open that isn't given, and
    in no books, yet.
    """

    pieces: Pieces
    books: ChunkBooks
    state: OriginState
    begin: int | None
    gone: list[Span]
    stood: list[Span]
    reasons: tuple[Counter[str], Counter[str]]
    is_waiting: bool

    @property
    def is_late(self) -> bool:
        """Whether rows that stay stand behind `begin`: lines came that belong before others that had come."""
        return self.begin is not None and any(first > self.begin for first, _ in self.gone)


class OriginReader:
    """Reads one origin on. source_id: of its rows."""

    def __init__(
        self,
        layout: SourceLayout,
        source_id: str,
        origin: ShippedSource,
        settings: ReadSettings | None = None,
    ) -> None:
        self.settings = settings or ReadSettings()
        self.origin = origin
        self._builder = RecordBuilder(layout, source_id, self.settings.keep == "kafka")
        self._begins = begins_of(layout)

    def read(self, state: OriginState, lines: Iterable[Line], *, waits: bool = False) -> OriginRead:
        """Take lines in; `state` is used up, and its successor given. waits: what stands open is not given before a read
        that doesn't wait; from then on it is, as it grows."""
        lines = list(lines)
        slack = state.count(lines)
        stood = [(island.begin, island.end) for island in state.islands]
        open_before = [part for island in state.islands for part in island.open_parts]
        before = [(part.begin, part.end) for part in open_before]
        given = [(part.begin, part.end) for part in open_before if part.is_given]
        assembled = assemble(
            state.islands,
            lines,
            self._begins,
            has_gaps=self.origin.identity != TOPIC,
            slack=slack,
            longest=self.settings.max_record_bytes,
            most=MOST_ISLANDS,
            given_up=state.given_up,
        )
        books = ChunkBooks()
        for reason, some in (("duplicate", assembled.duplicates), ("gap_given_up", assembled.missed)):
            for line in some:
                books.settled.drop(reason, line.size, line.lines)
        opened = [part for island in assembled.islands for part in island.open_parts]
        for part in opened:
            part.is_given |= not waits
        told = [part for part in opened if part.is_given]
        begin = self._first_change(given, assembled.closed, told)
        settled = [(part.begin, self._build(part, books.settled)) for part in assembled.closed]
        tail = [(part.begin, self._build(part, books.tail)) for part in told]
        pieces = [
            piece
            for at, made in sorted(settled + tail, key=lambda pair: pair[0])
            if begin is not None and at >= begin
            for piece in made
        ]
        books.resume_offset = opened[-1].begin if opened else None
        books.resume_line = max(1, opened[-1].lines[0].number) if opened else None
        return OriginRead(
            pieces,
            books,
            OriginState(assembled.islands, state.touching, assembled.given_up),
            begin,
            before,
            stood,
            (_reasons(settled), _reasons(tail)),
            len(told) < len(opened),
        )

    @staticmethod
    def _first_change(
        before: Sequence[tuple[int, int]], closed: Sequence[Part], opened: Sequence[Part]
    ) -> int | None:
        now = {(part.begin, part.end) for part in opened}
        changed = [part.begin for part in closed]
        changed += [begin for begin, _ in now.symmetric_difference(before)]
        return min(changed, default=None)

    def _build(self, part: Part, books: Books) -> Pieces:
        origin = self.origin
        envelope = Wrapped(
            "", origin.container, None, part.lines[0].at, service=origin.service, instance=origin.instance
        )
        return self._builder.build_lines(part.lines, envelope, books)


def _reasons(built: Iterable[tuple[int, Pieces]]) -> Counter[str]:
    return Counter(piece.reason for _, pieces in built for piece in pieces if isinstance(piece, Unparsed))
