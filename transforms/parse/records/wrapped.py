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
from transforms.parse.records.books import Books, ChunkBooks
from transforms.parse.records.build import Place, RecordBuilder, Unparsed
from transforms.parse.records.contiguous_ranges import Part
from transforms.parse.records.shipped import Line
from transforms.parse.records.spans import ReadSettings
from transforms.parse.records.streams import ByteSource
from transforms.records import LogRecord

Key = tuple[str | None, str | None]  # container, stream


@dataclass(slots=True)
class PhysicalLine:
    """One line of the file; kept is at most what is kept of a record. size: with its newline. found: what its envelopes say.

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
    """A record being put together. envelope: of its first line."""

    envelope: Wrapped
    part: Part = field(default_factory=Part)


def physical_lines(
    stream: ByteSource, start: int, first_line: int, bounds: ReadSettings
) -> Iterator[PhysicalLine]:
    """Lines from `start` on, which is a line's first byte; of a long one only the beginning is held."""
    stream.seek(start)
    line = PhysicalLine(start, first_line)
    while piece := stream.read(bounds.block_bytes):
        for part in BytesIO(piece):
            line.kept = (line.kept + part)[: bounds.max_record_bytes]
            line.size += len(part)
            if part.endswith(b"\n"):
                line.has_newline = True
                yield line
                line = PhysicalLine(line.offset + line.size, line.number + 1)
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
        self.open: dict[Key, PhysicalLine] = {}

    def whole(self, line: PhysicalLine) -> Iterator[PhysicalLine]:
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

    def rest(self) -> Iterator[PhysicalLine]:
        """Those that go on no more, as the source is over."""
        for line in sorted(self.open.values(), key=lambda line: line.offset):
            yield self._unwrapped(line)
        self.open.clear()

    def _unwrapped(self, line: PhysicalLine) -> PhysicalLine:
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
        for key in sorted(self.open, key=lambda key: self.open[key].part.begin):
            yield from self._close(key)

    def _settle(self, offset: int, number: int) -> None:
        """At the source's end: what comes from here on is tail, as the next run reads it again."""
        begun = [(record.part.begin, record.part.lines[0].number) for record in self.open.values()]
        begun += [(line.offset, line.number) for line in self.lines.open.values()]
        self.books.resume_offset, self.books.resume_line = min(begun, default=(offset, number))
        self.sink = self.books.tail

    def _line(self, line: PhysicalLine) -> Iterator[LogRecord | Unparsed]:
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
        goes_on = record is not None and record.part.lines[-1].goes_on
        is_blank = not goes_on and not found.payload.strip()  # it may stand inside a stack trace
        begins = not (goes_on or is_blank) and self.begins(found.payload)
        if record is None and not begins and self.is_resumed:
            return  # the end of a record that the former run has read
        if record is None and is_blank:
            self._books_at(line.offset).drop("blank", line.size, line.lines)
            return
        if begins and record is not None:
            yield from self._close(key)
        if begins or record is None:
            record = Open(found)
            self.open[key], self.stretches[line.offset] = record, Books()
        record.part.add(self._added(line, found, is_blank=is_blank), self.settings.max_record_bytes)
        if "\ufffd" in found.payload:
            self._books_at(line.offset).decode_errors += 1

    def _added(self, line: PhysicalLine, found: Wrapped, *, is_blank: bool) -> Line:
        longest, text = self.settings.max_record_bytes, "" if is_blank else found.payload
        is_cut, goes_on = max(line.size, len(text)) > longest, found.is_partial and not is_blank
        # By position: it is made of each line.
        return Line(
            line.offset, line.offset + line.size, text[:longest], line.size, line.number, None, line.lines,
            is_cut, goes_on, not line.has_newline,
        )  # fmt: skip

    def _close(self, key: Key) -> Iterator[LogRecord | Unparsed]:
        record = self.open.pop(key)
        books = self.stretches.pop(record.part.begin)
        yield from self.builder.build_lines(record.part.lines, record.envelope, books)
        self._books_at(record.part.begin).add(books)

    def _books_at(self, offset: int) -> Books:
        """The books of the stretch that holds an offset: of the last open record beginning before it, or the sink."""
        before = [begin for begin in self.stretches if begin < offset]
        return self.stretches[max(before)] if before else self.sink
