"""The books of one chunk: read = in records + unparsed + dropped, in bytes and in lines, always."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from transforms.records import LogRecord

# gap_given_up: its place is in a gap of its file that is no longer waited for, or between two of the oldest of these.
DROP_REASONS = ("blank", "not_kafka", "duplicate", "gap_given_up")


@dataclass(slots=True)
class Books:
    """What became of the bytes and lines that were read. Lines are newlines, and a last line without one."""

    records: int = 0
    bytes_in_records: int = 0
    lines_in_records: int = 0
    unparsed: int = 0
    bytes_unparsed: int = 0
    lines_unparsed: int = 0
    bytes_dropped: Counter[str] = field(default_factory=Counter)
    lines_dropped: Counter[str] = field(default_factory=Counter)
    bytes_read: int = 0
    lines_read: int = 0
    decode_errors: int = 0

    @property
    def is_balanced(self) -> bool:
        """Whether every byte and line read is accounted for exactly once."""
        return self._rest == (0, 0)

    @property
    def _rest(self) -> tuple[int, int]:
        """Bytes and lines that were read and are not accounted for."""
        return (
            self.bytes_read - self.bytes_in_records - self.bytes_unparsed - self.bytes_dropped.total(),
            self.lines_read - self.lines_in_records - self.lines_unparsed - self.lines_dropped.total(),
        )

    def read(self, size: int, lines: int) -> None:
        """Count input; each later call of the others says what became of a part of it."""
        self.bytes_read += size
        self.lines_read += lines

    def record(self, size: int, lines: int, number: int = 1) -> None:
        """Count records that are kept: how many bytes and lines they have together."""
        self.records += number
        self.bytes_in_records += size
        self.lines_in_records += lines

    def not_understood(self, size: int, lines: int) -> None:
        """Count a piece of input that no reader understood."""
        self.unparsed += 1
        self.bytes_unparsed += size
        self.lines_unparsed += lines

    def dropped(self, reason: str, size: int, lines: int) -> None:
        """Count what is left out on purpose; `reason` is one of DROP_REASONS."""
        self.bytes_dropped[reason] += size
        self.lines_dropped[reason] += lines

    def drop(self, reason: str, size: int, lines: int) -> None:
        """Count input that is left out as soon as it is read."""
        self.read(size, lines)
        self.dropped(reason, size, lines)

    def drop_rest(self, reason: str) -> None:
        """Count as dropped what was read and is not accounted for."""
        size, lines = self._rest
        if size:
            self.dropped(reason, size, lines)

    def add(self, other: "Books") -> None:
        """Add another chunk's, or the tail's, figures to these."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


@dataclass(slots=True)
class ChunkBooks:
    """A chunk's books in two parts.

    settled: what stands before resume_offset and will never change. tail: what stands after it (the source's last record,
    perhaps unfinished); a later run reads it again, so its rows are replaced by that run's. resume_offset, resume_line:
    where the next run starts, or the next chunk's first record; None where the chunk owns no record at all.
    """

    settled: Books = field(default_factory=Books)
    tail: Books = field(default_factory=Books)
    resume_offset: int | None = None
    resume_line: int | None = None

    @property
    def total(self) -> Books:
        """Both parts together."""
        both = Books()
        both.add(self.settled)
        both.add(self.tail)
        return both

    @property
    def is_balanced(self) -> bool:
        """Whether both parts balance."""
        return self.settled.is_balanced and self.tail.is_balanced


def book_all(pieces: Sequence[object], size: int, lines: int, books: Books) -> None:
    """Book what a span of input became: nothing (dropped), records, or a piece that no reader understood."""
    if not pieces:
        books.dropped("not_kafka", size, lines)
    elif len(pieces) == 1 and isinstance(pieces[0], LogRecord):
        books.record(size, lines)
    elif kept := sum(isinstance(piece, LogRecord) for piece in pieces):
        books.record(size, lines)
        books.records += kept - 1  # several pieces of one line share its bytes
        books.unparsed += len(pieces) - kept
    else:
        books.not_understood(size, lines)
