"""A byte range of a source cut into spans, each from one record's first byte to the next one's.

A chunk [start, end) owns the spans that begin in it, and reads past `end` to finish the last. Blocks are
searched line by line, all lines at once; no more than one record (to a bound) and two blocks are ever held.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from transforms.parse.layouts.layout import SourceLayout
from transforms.parse.records.spanfilter import Numbers, SpanFilter, newlines_in
from transforms.parse.records.streams import ByteSource, read_exactly

HEAD_WINDOW = 4096  # bytes of a line that tell whether it begins a record
SPACE = 32  # and below it: tab, carriage return, newline


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How sources are read. keep: `kafka` or `all`. max_record_bytes: what is kept of one record; the rest is counted."""

    keep: str = "kafka"
    max_record_bytes: int = 1 << 20
    block_bytes: int = 4 << 20


@dataclass(slots=True)
class Batch:
    """Spans that follow each other in one buffer: bounds[i] to bounds[i + 1].

    offset: of buffer[0] in the source; line: of the first span's first byte; newlines: all in the buffer.
    gone, gone_newlines: of a span that is too long, which stands alone, the bytes that are not kept, and newlines in them.
    is_open: the source ends here, without a newline.
    """

    buffer: bytes
    offset: int
    bounds: Numbers
    line: int
    newlines: Numbers
    gone: int = 0
    gone_newlines: int = 0
    is_open: bool = False

    @property
    def place(self) -> int:
        """The offset of the first span's first byte in the source."""
        return self.offset + self.begin

    @property
    def size(self) -> int:
        """Bytes of all spans."""
        return self.end - self.begin + self.gone

    @property
    def lines_ended(self) -> int:
        """Newlines in all spans."""
        return int(self.newlines_before(self.bounds[-1:])[0]) + self.gone_newlines

    @property
    def begin(self) -> int:
        """Index of the first span's first byte."""
        return int(self.bounds[0])

    @property
    def end(self) -> int:
        """Index of the byte after the last span."""
        return int(self.bounds[-1])

    @property
    def has_blank_before_newline(self) -> bool:
        """Whether a line ends in white space, as those that hold nothing else do (but for the buffer's first)."""
        return bool((np.frombuffer(self.buffer, np.uint8)[self.newlines - 1] <= SPACE).any())

    def newlines_before(self, places: Numbers) -> Numbers:
        """How many newlines stand between the first span's first byte and each of these places."""
        return np.searchsorted(self.newlines, places) - np.searchsorted(self.newlines, self.begin)


def places_of(batch: Batch, numbers: Numbers) -> Iterator[tuple[int, int, int, int, int]]:
    """Of each of these spans: its number, its begin and end, and the newlines before these in the batch."""
    begins, ends = batch.bounds[numbers], batch.bounds[numbers + 1]
    columns = (numbers, begins, ends, batch.newlines_before(begins), batch.newlines_before(ends))
    return zip(*(column.tolist() for column in columns), strict=True)


@dataclass(slots=True)
class Tail:
    """What stands at the end of the source, and may still grow: the last span, and the one before it
    where the last line has no newline yet (what that line becomes may make it a part of the span before)."""

    spans: list[Batch]


class Cutter:
    """Cuts [start, end) into spans, in order; `end` None is the end of the stream.

    layout: says where records begin. What stands before the first one is a span of its own at the source's beginning; later
    it is the end of a record that another chunk owns, and left out.
    """

    def __init__(
        self,
        stream: ByteSource,
        layout: SourceLayout,
        start: int,
        end: int | None,
        first_line: int,
        settings: ReadSettings,
    ) -> None:
        self.begins = rf"\A(?:{layout.start})"
        self.goes_on = rf"\A(?:{layout.goes_on})" if layout.goes_on else None
        self.stream, self.start = stream, start
        self.block, self.longest = settings.block_bytes, settings.max_record_bytes
        self.end = end if end is not None else 1 << 62
        # A newline before the first byte: so every line has one before it.
        self.buffer = b"\n" if start == 0 else b""
        self.newlines = newlines_in(self.buffer)
        self.base = start - 1
        self.first_line = first_line
        self.line = 0  # of buffer[0]; 0 until it has been read
        self.begun = 1 if start == 0 else -1  # index of the open span's first byte, -1 while none is
        self.long: Batch | None = None  # the open span, once it outgrew `longest`
        self.held: Batch | None = None  # one span back, as the tail may need it
        self.searched = 0
        self.is_over = False
        self.ends_in_newline = False
        self.is_one_left = False  # all is read, and the open span alone is the source's tail

    def spans(self) -> Iterator[Batch | Tail]:
        """All spans; the last item is a Tail where the chunk reaches the end of the source and owns what stands there."""
        self.stream.seek(max(self.start - 1, 0))
        while not self.is_over:
            piece = read_exactly(self.stream, self.block)
            at_end = len(piece) < self.block
            if piece:
                self.ends_in_newline = piece.endswith(b"\n")
            is_first = self.line == 0
            self.buffer += piece
            self.newlines = newlines_in(self.buffer)
            if is_first:  # buffer[0] is the byte before the chunk: a newline is of the line before
                self.line = self.first_line - self.buffer.startswith(b"\n")
            yield from self._search(at_end=at_end)
            if at_end:
                break
        yield from self._let_go() if self.is_over else self._finish()

    def _search(self, *, at_end: bool) -> Iterator[Batch]:
        """Close all spans whose successor is found. A beginning counts once HEAD_WINDOW bytes of its line are there."""
        safe = len(self.buffer) if at_end else len(self.buffer) - HEAD_WINDOW
        if safe <= self.searched:
            return
        begins = self._begins_until(safe)
        self.searched = safe
        self.is_one_left = at_end and self.ends_in_newline
        last_owned = int(np.searchsorted(begins, self.end - self.base))
        if last_owned < len(begins):
            begins = begins[: last_owned + 1]
            self.is_over = True
        elif self.begun < 0 and not len(begins) and self.base + safe >= self.end:
            self.is_over = True  # no record begins in this chunk: what follows is others' to read
        if len(begins) and begins[0] == self.begun:  # the source's first byte
            begins = begins[1:]
        if len(begins):
            yield from self._close(begins)
            self.begun = int(begins[-1])
        if not self.is_over:
            self._forget()

    def _begins_until(self, safe: int) -> Numbers:
        """Where records begin behind the newlines from `searched` on, up to `safe`."""
        first, last = np.searchsorted(self.newlines, (self.searched, safe))
        ends = self.newlines[first : last + 1] + 1
        bounds = ends if last < len(self.newlines) else np.append(ends, len(self.buffer))
        if len(bounds) < 2:
            return bounds[:0]
        lines = SpanFilter(self.buffer, bounds)
        found = lines.matching(self.begins)
        if self.goes_on is not None:
            found = np.setdiff1d(found, lines.matching(self.goes_on, found), assume_unique=True)
        return bounds[found]

    def _close(self, begins: Numbers) -> Iterator[Batch]:
        """Close the open span at the first of these beginnings, and those between them."""
        if self.long is not None:
            yield from self._close_long(int(begins[0]))
            yield from self._emit(begins)
        else:
            yield from self._emit(np.insert(begins, 0, self.begun) if self.begun >= 0 else begins)

    def _emit(self, bounds: Numbers) -> Iterator[Batch]:
        """All but the newest span go out now; that one waits where the end of the source may need it."""
        if len(bounds) < 2:
            return
        yield from self._let_go()
        if self.is_over or self.is_one_left:
            yield self._batch(bounds)
            return
        if len(bounds) > 2:
            yield self._batch(bounds[:-1])
        begin, finish = (int(bound) for bound in bounds[-2:])
        self.held = self._single(begin, finish)

    def _batch(self, bounds: Numbers) -> Batch:
        return Batch(self.buffer, self.base, bounds, self._line_at(int(bounds[0])), self.newlines)

    def _single(self, begin: int, finish: int) -> Batch:
        """One span in a buffer of its own, so that a block isn't kept for its sake."""
        kept = self.buffer[begin:finish]
        bounds = np.array([0, len(kept)])
        return Batch(kept, self.base + begin, bounds, self._line_at(begin), newlines_in(kept))

    def _line_at(self, index: int) -> int:
        return self.line + self._newlines_until(index)

    def _newlines_until(self, index: int) -> int:
        return int(np.searchsorted(self.newlines, index))

    def _forget(self) -> None:
        """Drop what is done with; of a span that is too long, count what isn't kept."""
        if self.long is not None:
            gone = self.searched
            self._grow(self.long, gone)
        elif self.begun >= 0 and self.searched - self.begun > self.longest:
            gone = self.searched
            kept = self.begun + self.longest
            self.long = self._single(self.begun, kept)
            self._grow(self.long, gone, kept)
            self.begun = 0
        else:
            gone = self.begun if self.begun >= 0 else self.searched
            gone = min(gone, self.searched)
            self.begun = 0 if self.begun >= 0 else -1
        newlines = self._newlines_until(gone)
        self.line += newlines
        self.buffer, self.newlines = self.buffer[gone:], self.newlines[newlines:] - gone
        self.base += gone
        self.searched -= gone

    def _grow(self, long: Batch, until: int, begin: int = 0) -> None:
        """Count what isn't kept of a span that is too long."""
        long.gone += until - begin
        long.gone_newlines += self._newlines_until(until) - self._newlines_until(begin)

    def _close_long(self, begin: int) -> Iterator[Batch]:
        assert self.long is not None  # the caller looked
        self._grow(self.long, begin)
        yield from self._let_go()
        self.held, self.long = self.long, None

    def _let_go(self) -> Iterator[Batch]:
        """The span that was held, which the tail doesn't need."""
        if self.held is not None:
            yield self.held
        self.held = None

    def _finish(self) -> Iterator[Batch | Tail]:
        """The end of the source: its last span, and the one before if the last line isn't finished."""
        last: Batch | None = None
        if self.long is not None:
            self._grow(self.long, len(self.buffer))
            last = self.long
        elif self.begun >= 0 and self.begun < len(self.buffer):
            last = self._single(self.begun, len(self.buffer))
        if last is None or self.ends_in_newline:
            yield from self._let_go()
        if last is not None:
            last.is_open = not self.ends_in_newline
            yield Tail([last] if self.held is None else [self.held, last])
