"""A log as `explain` reads it: whole, or in pieces that are read and typed on their own and added up."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from transforms.diagnose.unexplained.raw_line import RawLine, unread_line
from transforms.diagnose.unexplained.raw_scan import RawScan
from transforms.diagnose.unexplained.source_read import ReadRecord, SourceRead
from transforms.events import LIBRDKAFKA, UNRECOGNIZED, ClientEvent
from transforms.parse.events.messages import events_of
from transforms.parse.layouts.detect import SourceHints, detect_layout
from transforms.parse.layouts.layout import SourceLayout
from transforms.parse.records.books import Books
from transforms.parse.records.build import Unparsed
from transforms.parse.records.placing import ProcessRef
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.spans import ReadSettings
from transforms.parse.records.streams import fingerprint, open_source, read_exactly
from transforms.records import LogRecord

BLOCK_BYTES = 4 << 20
PIECE_BYTES = 2 << 20


@dataclass(slots=True)
class LogRead:
    """What a log told, or a piece of it. records: those that became events, by record_id. unread: pieces that no reader
    understood; unparsed: how many, by reason. libraries: whose client_library its events are. is_known: whether any of
    them is of a known family.
    """

    path: str
    layout_name: str = ""
    records: dict[str, ReadRecord] = field(default_factory=dict)
    unparsed: dict[str, int] = field(default_factory=dict)
    unread: list[RawLine] = field(default_factory=list)
    libraries: set[str] = field(default_factory=set)
    is_known: bool = False
    books: Books = field(default_factory=Books)

    def add(self, piece: "LogRead") -> None:
        """Add what the next piece told."""
        self.layout_name = piece.layout_name
        self.books.add(piece.books)
        self.records |= piece.records
        self.unread += piece.unread
        self.libraries |= piece.libraries
        self.is_known |= piece.is_known
        for reason, pieces in piece.unparsed.items():
            self.unparsed[reason] = self.unparsed.get(reason, 0) + pieces

    def source(self, scan: RawScan) -> SourceRead:
        """What became of the log. scan: its lines as they stand."""
        # Where nothing is of a known family, and nothing has a level or a time, it is text about Kafka, and no log; but
        # what librdkafka puts before its texts nobody else writes.
        is_known = self.is_known or LIBRDKAFKA in self.libraries
        is_log = is_known or any(one.level or one.zone != "none" for one in self.records.values())
        kafka_lines = sum(record.line_count for record in self.records.values()) if is_log else 0
        return SourceRead(
            self.path, scan, self.layout_name, kafka_lines, frozenset(self.libraries), self.unread
        )


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
        """This piece with the log's layout and identity, by its first bytes."""
        if self.layout is not None:
            return self
        file.seek(0)
        head = read_exactly(open_source(file), self.head_bytes)
        file.seek(0)
        return replace(self, layout=detect_layout(head, self.hints), source_id=fingerprint(head))

    def cut(self, file: BinaryIO) -> Iterator["Piece"]:
        """This piece in others of about PIECE_BYTES, where the log can be read so."""
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

    def read(self, file: BinaryIO) -> tuple[list[ClientEvent], LogRead]:
        """Its events, in their order, and what else it tells.

        Raises: OSError where the file can't be read.
        """
        whole = self.looked_at(file)
        assert whole.layout is not None
        told, events = LogRead(self.origin.source, whole.layout.name), list[ClientEvent]()
        reader = ChunkReader(
            whole.layout, whole.source_id, self.start, self.end, self.first_line, self.settings
        )
        for piece in reader.read(open_source(file)):
            if isinstance(piece, Unparsed):
                _not_read(told, piece)
            else:
                events += self._typed(piece, told)
        told.is_known = any(event.message_id != UNRECOGNIZED for event in events)
        told.books = reader.books.total
        return events, told

    def _typed(self, record: LogRecord, told: LogRead) -> list[ClientEvent]:
        events = events_of(record, self.origin.of(record))
        if events:
            told.libraries.add(events[0].client_library)
            told.records[events[0].record_id] = ReadRecord(
                self.origin.source, record.line, record.line_count, record.level, record.thread,
                record.time_zone_origin, record.text,
            )  # fmt: skip
        return events


def _not_read(told: LogRead, piece: Unparsed) -> None:
    told.unparsed[piece.reason] = told.unparsed.get(piece.reason, 0) + 1
    if not piece.bytes:  # a note of the reader's own, such as of a cut gzip
        told.unread.append(RawLine(told.path, piece.line, piece.text, "warn"))
    elif piece.reason != "binary" and (line := unread_line(told.path, piece.line, piece.text)):
        told.unread.append(line)


def scanned(path: str, file: BinaryIO) -> RawScan:
    """A log's lines as they stand."""
    found = RawScan(path)
    stream = open_source(file)
    while block := stream.read(BLOCK_BYTES):
        found.feed(block)
    found.finish()
    return found
