"""A piece of a log, read and typed on its own: here, or by a process that helps (jobs.explain.helpers)."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from jobs.inputs.places import open_input
from transforms.diagnose.ending import ReadRecord
from transforms.diagnose.raw_lines import RawLine, RawScan, unread_line
from transforms.events import ClientEvent
from transforms.parse.books import Books
from transforms.parse.event_columns import may_be_wordless
from transforms.parse.layout import SourceLayout
from transforms.parse.messages import ProcessRef, events_of
from transforms.parse.reader import (
    ChunkReader,
    ReadSettings,
    SourceHints,
    Unparsed,
    detect_layout,
    fingerprint,
    open_source,
)
from transforms.parse.spanfilter import FEW
from transforms.parse.streams import read_exactly
from transforms.records import LogRecord

BLOCK_BYTES = 4 << 20
PIECE_BYTES = 2 << 20
TYPED_TOGETHER = 4096  # records


@dataclass(slots=True)
class PieceRead:
    """What a piece told. records: those that became events, by record_id. unread: pieces that no reader understood."""

    layout_name: str
    events: list[ClientEvent] = field(default_factory=list)
    records: dict[str, ReadRecord] = field(default_factory=dict)
    unparsed: dict[str, int] = field(default_factory=dict)
    unread: list[RawLine] = field(default_factory=list)
    libraries: set[str] = field(default_factory=set)
    books: Books = field(default_factory=Books)


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes [start, end) of a log, as a ChunkReader takes them; layout: None where the log is still to be looked at."""

    origin: ProcessRef
    hints: SourceHints
    settings: ReadSettings
    head_bytes: int
    layout: SourceLayout | None = None
    source_id: str = ""
    start: int = 0
    end: int | None = None
    first_line: int = 1

    def looked_at(self, file: BinaryIO) -> "Piece":
        """The same with the log's layout and identity, by its first bytes."""
        if self.layout is not None:
            return self
        file.seek(0)
        head = read_exactly(open_source(file), self.head_bytes)
        file.seek(0)
        return replace(self, layout=detect_layout(head, self.hints), source_id=fingerprint(head))

    def cut(self, file: BinaryIO) -> Iterator["Piece"]:
        """The same log in pieces of about PIECE_BYTES, where it can be read so."""
        whole = self.looked_at(file)
        assert whole.layout is not None
        if not (whole.layout.is_splittable and open_source(file).is_splittable):
            yield whole
            return
        file.seek(0)
        start, first_line = 0, 1
        block = file.read(PIECE_BYTES)
        while following := file.read(PIECE_BYTES):
            yield replace(whole, start=start, end=start + len(block), first_line=first_line)
            start, first_line = start + len(block), first_line + block.count(b"\n")
            block = following
        yield replace(whole, start=start, first_line=first_line)

    def read(self, file: BinaryIO) -> PieceRead:
        """Its events, in their order.

        Raises: OSError where the file can't be read.
        """
        whole = self.looked_at(file)
        assert whole.layout is not None
        told = PieceRead(whole.layout.name)
        reader = ChunkReader(
            whole.layout, whole.source_id, self.start, self.end, self.first_line, self.settings
        )
        records: list[LogRecord] = []
        for piece in reader.read(open_source(file)):
            if isinstance(piece, Unparsed):
                _not_read(told, self.origin.source, piece)
                continue
            records.append(piece)
            if len(records) == TYPED_TOGETHER:
                self._type(records, told)
                records = []
        self._type(records, told)
        told.books = reader.books.total
        return told

    def _type(self, records: list[LogRecord], told: PieceRead) -> None:
        is_many = len(records) > FEW
        wordless = may_be_wordless(one.message for one in records) if is_many else [True] * len(records)
        for record, may_be in zip(records, wordless, strict=True):
            events = events_of(record, self.origin.of(record), may_be_wordless=may_be)
            if events:
                told.libraries.add(events[0].client_library)
                told.records[events[0].record_id] = ReadRecord(
                    self.origin.source, record.line, record.line_count, record.level, record.thread,
                    record.time_zone_origin, record.text,
                )  # fmt: skip
                told.events += events


def _not_read(told: PieceRead, path: str, piece: Unparsed) -> None:
    told.unparsed[piece.reason] = told.unparsed.get(piece.reason, 0) + 1
    if not piece.bytes:  # a note of the reader's own, such as of a cut gzip
        told.unread.append(RawLine(path, piece.line, piece.text, "error"))
    elif piece.reason != "binary" and (line := unread_line(path, piece.line, piece.text)):
        told.unread.append(line)


def scanned(path: str, file: BinaryIO) -> RawScan:
    """A log's lines as they stand."""
    found = RawScan(path)
    stream = open_source(file)
    while block := stream.read(BLOCK_BYTES):
        found.feed(block)
    found.finish()
    return found


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A call that any process can make: a piece of a file, read."""

    piece: Piece

    def __call__(self) -> PieceRead:
        """See Piece.read."""
        with open_input(self.piece.origin.source) as file:
            return self.piece.read(file)


@dataclass(frozen=True, slots=True)
class ScanFile:
    """A call that any process can make: a file's lines, looked at as they stand."""

    path: str

    def __call__(self) -> RawScan:
        """See scanned()."""
        with open_input(self.path) as file:
            return scanned(self.path, file)
