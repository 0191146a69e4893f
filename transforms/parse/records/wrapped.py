"""Sources whose lines stand in envelopes: records are put together per container and stream, over interleaved lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import chain

from transforms.parse.layouts.folded import Fold
from transforms.parse.layouts.layout import SourceLayout, begins_of
from transforms.parse.layouts.wrappers import Wrapped, unwrap
from transforms.parse.lines.timestamps import STAMP
from transforms.parse.records.books import Books, ChunkBooks, book_all
from transforms.parse.records.build import Envelope, Place, RecordBuilder, Unparsed
from transforms.parse.records.spans import ReadSettings
from transforms.parse.records.streams import ByteSource
from transforms.records import LogRecord

Key = tuple[str | None, str | None]  # container, stream


@dataclass(slots=True)
class Line:
    """One physical line; kept is at most what is kept of a record. size: with its newline. found: what its envelopes say.

    lines: how many it was broken into. last: the end of these.
    """

    offset: int
    number: int
    kept: bytes = b""
    size: int = 0
    has_newline: bool = False
    found: Wrapped | None = None
    lines: int = 1
    last: str = ""


@dataclass(slots=True)
class Open:
    """A record being put together. blanks: size and lines of the blank lines at its end so far."""

    first: Line
    envelope: Envelope
    parts: list[str] = field(default_factory=list)
    begins: list[int] = field(
        default_factory=list
    )  # the physical line that each line of the parts begins with
    chars: int = 0
    size: int = 0
    lines: int = 0
    blank_size: int = 0
    blank_lines: int = 0
    is_cut: bool = False  # the runtime cut its last line: the next one of the stream goes on
    is_truncated: bool = False
    is_unfinished: bool = False


def physical_lines(stream: ByteSource, start: int, first_line: int, bounds: ReadSettings) -> Iterator[Line]:
    """Lines from `start` on, which is a line's first byte; of a long one only the beginning is held."""
    stream.seek(start)
    line = Line(start, first_line)
    while piece := stream.read(bounds.block_bytes):
        for part in BytesIO(piece):
            line.kept = (line.kept + part)[: bounds.max_record_bytes]
            line.size += len(part)
            if part.endswith(b"\n"):
                line.has_newline = True
                yield line
                line = Line(line.offset + line.size, line.number + 1)
    if line.size:
        yield line


class Unwrapper:
    """Takes the envelopes off a source's lines, and puts together those that were broken. open: those that may go on."""

    def __init__(self, layout: SourceLayout, bounds: ReadSettings) -> None:
        self.fold = Fold(*layout.fold) if layout.fold else None
        depth = self.fold.depth if self.fold else len(layout.wrappers)
        self.outer, self.inner = layout.wrappers[:depth], layout.wrappers[depth:]
        self.lead = re.compile(rf"\A{layout.lead}") if layout.lead else None
        self.longest = bounds.max_record_bytes
        self.open: dict[Key, Line] = {}

    def whole(self, line: Line) -> Iterator[Line]:
        """The lines that are whole by now."""
        text = line.kept.decode("utf-8", "replace").rstrip("\r\n")
        at = None
        if self.lead is not None and (lead := self.lead.match(text)) is not None:
            stamp = STAMP.search(lead[0]) if self.fold else None
            text, at = text[lead.end() :], stamp[0] if stamp else None
        line.found = unwrap(text, self.outer) if self.outer and text.strip() else Wrapped(text, at=at)
        line.last = text
        if self.fold is None:
            yield line
            return
        found = line.found or Wrapped(text)
        parts = found.payload.split("\n")
        line.found, line.last = replace(found, payload="\n".join(self.fold.joined(parts))), parts[-1]
        key = (found.container, found.stream)
        before = self.open.get(key)
        if before is not None and before.found is not None and before.size <= self.longest:
            grown = self.fold.grown(before.found.payload, before.last, line.found.payload)
            if grown is not None:
                before.found, before.last = replace(before.found, payload=grown), line.last
                before.size, before.lines = before.size + line.size, before.lines + 1
                before.has_newline = line.has_newline
                return
        self.open[key] = line
        if before is not None:
            yield self._unwrapped(before)

    def rest(self) -> Iterator[Line]:
        """Those that go on no more, as the source is over."""
        for line in sorted(self.open.values(), key=lambda line: line.offset):
            yield self._unwrapped(line)
        self.open.clear()

    def _unwrapped(self, line: Line) -> Line:
        if line.found is not None:
            line.found = unwrap(line.found.payload, self.inner, line.found)
        return line


class WrappedReader:
    """Reads one source of enveloped lines, from its beginning or from a former run's resume_offset.

    Other containers' records may lie behind resume_offset, so books are kept per stretch between the beginnings of open
    records: a stretch is settled once nothing open begins before it.
    """

    def __init__(
        self, layout: SourceLayout, settings: ReadSettings, builder: RecordBuilder, books: ChunkBooks
    ) -> None:
        self.settings, self.builder, self.books = settings, builder, books
        self.begins, self.lines = begins_of(layout), Unwrapper(layout, settings)
        self.open: dict[Key, Open] = {}
        self.stretches: dict[int, Books] = {}  # by the offset of the open record at their beginning
        self.sink = books.settled
        self.is_resumed = False

    def read(self, stream: ByteSource, start: int, first_line: int) -> Iterator[LogRecord | Unparsed]:
        """Yield records as they close (per container in order) and pieces that no reader understood."""
        self.is_resumed = start > 0
        offset, number, last = start, first_line, None
        for line in physical_lines(stream, start, first_line, self.settings):
            if not line.has_newline:
                last = line
                break
            offset, number = line.offset + line.size, line.number + 1
            for whole in self.lines.whole(line):
                yield from self._line(whole)
        self._settle(offset, number)
        for whole in chain(self.lines.whole(last) if last is not None else (), self.lines.rest()):
            yield from self._line(whole)
        for key in sorted(self.open, key=lambda key: self.open[key].first.offset):
            yield from self._close(key)

    def _settle(self, offset: int, number: int) -> None:
        """At the source's end: what comes from here on is tail, as the next run reads it again."""
        begun = [*(record.first for record in self.open.values()), *self.lines.open.values()]
        oldest = min(begun, key=lambda line: line.offset, default=None)
        self.books.resume_offset = oldest.offset if oldest else offset
        self.books.resume_line = oldest.number if oldest else number
        self.sink = self.books.tail

    def _line(self, line: Line) -> Iterator[LogRecord | Unparsed]:
        text, found = line.last, line.found
        if found is None and text.startswith("{"):
            whole = line.size <= self.settings.max_record_bytes
            reason = "too_long" if not whole else "bad_json" if line.has_newline else "unfinished"
            books = self._books_at(line.offset)
            books.read(line.size, line.lines)
            books.not_understood(line.size, line.lines)
            place = Place(line.offset, line.number, line.size, 1)
            yield self.builder.unparsed(text, reason, place)
            return
        found = found or Wrapped(text)  # a shell's or a shipper's own line among the others
        key = (found.container, found.stream)
        record = self.open.get(key)
        goes_on = record is not None and record.is_cut
        if not found.payload.strip() and not goes_on:
            self._blank(line, record)
            return
        if not goes_on and self.begins(found.payload):
            if record is not None:
                yield from self._close(key)
            record = self._begin(key, line, found)
        elif record is None:
            if self.is_resumed:
                return  # the end of a record that the former run has read
            record = self._begin(key, line, found)
        self._add(record, line, found, goes_on=goes_on)
        if "\ufffd" in found.payload:
            self._books_at(line.offset).decode_errors += 1

    def _blank(self, line: Line, record: Open | None) -> None:
        if record is not None:  # it may stand inside a stack trace
            record.blank_size += line.size
            record.blank_lines += line.lines
            return
        if self.is_resumed:
            return
        books = self._books_at(line.offset)
        books.read(line.size, line.lines)
        books.dropped("blank", line.size, line.lines)

    def _begin(self, key: Key, line: Line, found: Wrapped) -> Open:
        record = Open(line, Envelope(found.at, found.container, found.service, found.instance))
        self.open[key] = record
        self.stretches[line.offset] = Books()
        return record

    def _add(self, record: Open, line: Line, found: Wrapped, *, goes_on: bool) -> None:
        if record.blank_lines:
            record.parts.extend([""] * record.blank_lines)
            record.begins.extend(range(record.lines, record.lines + record.blank_lines))
            record.size, record.lines = record.size + record.blank_size, record.lines + record.blank_lines
            record.blank_size = record.blank_lines = 0
        room = self.settings.max_record_bytes - record.chars
        payload = found.payload[: max(room, 0)]
        record.is_truncated |= len(payload) < len(found.payload) or line.size > self.settings.max_record_bytes
        if goes_on and record.parts:
            record.parts[-1] += payload
        elif payload or not record.is_truncated:
            record.parts.append(payload)
            record.begins.extend([record.lines] * (payload.count("\n") + 1))
        record.chars += len(payload) + 1
        record.size += line.size
        record.lines += line.lines
        record.is_cut = found.is_partial
        record.is_unfinished = not line.has_newline

    def _close(self, key: Key) -> Iterator[LogRecord | Unparsed]:
        record = self.open.pop(key)
        books = self.stretches.pop(record.first.offset)
        size, lines = record.size + record.blank_size, record.lines + record.blank_lines
        books.read(size, lines)
        if record.blank_lines:
            books.dropped("blank", record.blank_size, record.blank_lines)
        yield from self._build(record, books)
        self._books_at(record.first.offset).add(books)

    def _build(self, record: Open, books: Books) -> Iterator[LogRecord | Unparsed]:
        place = Place(
            record.first.offset, record.first.number, record.size, record.lines,
            is_truncated=record.is_truncated, is_unfinished=record.is_unfinished, begins=tuple(record.begins),
        )  # fmt: skip
        pieces = self.builder.build("\n".join(record.parts), place, record.envelope)
        book_all(pieces, place.size, place.lines, books)
        yield from pieces

    def _books_at(self, offset: int) -> Books:
        """The books of the stretch that holds an offset: of the last open record beginning before it, or the sink."""
        before = [begin for begin in self.stretches if begin < offset]
        return self.stretches[max(before)] if before else self.sink
