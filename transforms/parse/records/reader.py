"""A chunk of a source -> log records, pieces that no reader understood, and balanced books."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from transforms.parse.catalogue.anchors import may_be_kafka
from transforms.parse.layouts.layout import FAULT, SourceLayout
from transforms.parse.lines.signs import ODD_BYTES
from transforms.parse.records.books import Books, ChunkBooks, book_all
from transforms.parse.records.build import Pieces, Place, RecordBuilder, Unparsed
from transforms.parse.records.certain import CertainReader, Sifted
from transforms.parse.records.record_columns import RecordColumns
from transforms.parse.records.spanfilter import Numbers, SpanFilter
from transforms.parse.records.spans import Batch, Cutter, ReadSettings, Tail, places_of
from transforms.parse.records.streams import ByteSource
from transforms.parse.records.wrapped import WrappedReader
from transforms.records import LogRecord
from transforms.when_used import when_used

BLANK_LINE = when_used(rb"\n[ \t\r]*\n")  # before the source's first byte, spans hold a newline
BLANK_END = r"\A\s*\z|\n[ \t\r]*\n\s*\z"
# A JSON line that isn't whole, or has other lines below it: to be said, though nothing in it be Kafka's.
ODD_JSON = r"\A(?:\xef\xbb\xbf)?\{(?:[^\n]*[^}\r\n]\r?\n?|[^\n]*\n(?s:.+))\z"
JSON_BEGINS = (b"{", b"\xef\xbb\xbf{")
CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


class ChunkReader:
    """Reads one chunk [start, end) of a source's decompressed bytes; `end` None is the end of the source.

    The chunk owns the records that begin in it. `start` is 0, a chunk's border anywhere, or a former run's
    resume_offset; first_line is the number of the line that holds the byte at `start`.
    Rows of records and pieces at or after books.resume_offset are provisional: a later run gives them again.
    """

    def __init__(
        self,
        layout: SourceLayout,
        source_id: str,
        start: int = 0,
        end: int | None = None,
        first_line: int = 1,
        settings: ReadSettings | None = None,
    ) -> None:
        if end is not None and not layout.is_splittable:
            raise ValueError(f"a source of layout {layout.name} is read as one chunk, without an end")
        self.layout, self.source_id = layout, source_id
        self.start, self.end, self.first_line = start, end, first_line
        self.settings = settings or ReadSettings()
        self.books = ChunkBooks()
        self._builder = RecordBuilder(layout, source_id, self.settings.keep == "kafka")
        self.certain = CertainReader(layout, source_id, self._builder.clock, self.settings.keep == "kafka")
        self._may_be_kafka = may_be_kafka(has_full_loggers=layout.has_full_loggers)
        self._looks_at_bytes = self.settings.keep == "kafka"

    def read(self, stream: ByteSource) -> Iterator[LogRecord | Unparsed]:
        """The records of the chunk, each as an object."""
        for piece in self.columns(stream):
            if isinstance(piece, RecordColumns):
                yield from piece
            else:
                yield piece

    def columns(self, stream: ByteSource) -> Iterator[RecordColumns | LogRecord | Unparsed]:
        """Yield records and unparsed pieces in file order. `stream` is read from `start` on, once.

        Once this is exhausted, `books` hold. A stream that ends early (`problem`) leaves a piece of no bytes
        that says so.
        """
        if self.layout.layout == "binary":
            yield from self._binary(stream)
        elif self.layout.wrappers or self.layout.fold:
            yield from WrappedReader(self.layout, self.settings, self._builder, self.books).read(
                stream, self.start, self.first_line
            )
        else:
            yield from self._spans(stream)
        problem = getattr(stream, "problem", None)
        if problem is not None:
            yield self._note(problem)

    def _note(self, reason: str) -> Unparsed:
        books = self.books
        books.tail.not_understood(0, 0)
        if books.resume_offset is None:
            books.resume_offset, books.resume_line = self.start, self.first_line
        return Unparsed(
            self.source_id,
            offset=books.resume_offset + books.tail.bytes_read,
            line=(books.resume_line or 1) + books.tail.lines_read,
            text=f"the source ends early, after {books.total.bytes_read} bytes of this read",
            reason=reason,
            bytes=0,
            lines=0,
        )

    def _binary(self, stream: ByteSource) -> Iterator[Unparsed]:
        """One row for the whole of it; it is all tail, as nothing in it can be resumed. Also of what ended its reader."""
        reason = FAULT if FAULT in self.layout.evidence else "binary"
        stream.seek(self.start)
        size = lines = 0
        last = b"\n"
        while piece := stream.read(self.settings.block_bytes):
            size += len(piece)
            lines += piece.count(b"\n")
            last = piece[-1:]
        lines += last != b"\n"
        self.books.resume_offset, self.books.resume_line = self.start, self.first_line
        self.books.tail.read(size, lines)
        self.books.tail.not_understood(size, lines)
        yield Unparsed(self.source_id, self.start, self.first_line, "", reason, size, lines)

    def _spans(self, stream: ByteSource) -> Iterator[RecordColumns | LogRecord | Unparsed]:
        books = self.books
        cutter = Cutter(stream, self.layout, self.start, self.end, self.first_line, self.settings)
        for piece in cutter.spans():
            if isinstance(piece, Tail):
                first = piece.spans[0]
                books.resume_offset, books.resume_line = first.place, first.line
                for span in piece.spans:
                    yield from self._batch(span, books.tail, is_last=span is piece.spans[-1])
            else:
                yield from self._batch(piece, books.settled, is_last=False)
                books.resume_offset = piece.place + piece.size
                books.resume_line = piece.line + piece.lines_ended

    def _batch(self, batch: Batch, books: Books, *, is_last: bool) -> Iterator[RecordColumns | Unparsed]:
        """Most spans are dropped, or records for certain, so all are sifted as bytes first.

        What becomes of a span depends on its own bytes and offset only, so that it is the same however
        the source is cut into chunks and blocks.
        """
        books.read(batch.size, batch.lines_ended + batch.is_open)
        spans = SpanFilter(batch.buffer, batch.bounds)
        wanted, special = self._sift(spans, batch, is_last=is_last)
        sifted = self.certain.sift(spans, batch.newlines, wanted, special)
        numbers, records = self.certain.records(spans, batch, sifted)
        books.record(sum(records.columns["text_bytes"]), sum(records.columns["line_count"]), len(records))
        chosen = np.union1d(wanted, sorted(special)) if special else wanted
        others = np.setdiff1d(chosen, numbers, assume_unique=True)
        yield from _in_order(numbers, records, self._others(batch, others, sifted, books))
        books.drop_rest("not_kafka")

    def _others(
        self, batch: Batch, numbers: Numbers, sifted: Sifted, books: Books
    ) -> Iterator[tuple[int, Pieces]]:
        """What becomes of each of these spans, which are no record for certain."""
        longest = self.settings.max_record_bytes
        for number, begin, end, lines_before, lines_until in places_of(batch, numbers):
            raw, size = batch.buffer[begin:end], end - begin + batch.gone
            lines = lines_until - lines_before + batch.gone_newlines
            place = Place(batch.offset + begin, batch.line + lines_before, size, lines)
            is_cut = batch.is_open and end == batch.end
            if size > longest:
                place.is_truncated = True
                place.lines += is_cut
                raw = raw[:longest]
                yield number, self._one(raw, place, books, is_wanted=self._wants_long(raw))
            elif number in sifted.special or raw.startswith(JSON_BEGINS):
                place.is_unfinished = is_cut
                place.lines += is_cut
                yield number, self._one(raw, place, books, is_wanted=number not in sifted.unwanted)
            else:
                text, may_hold_secrets = self._text(raw, place, books), number in sifted.with_secrets
                pieces = self._builder.build(text, place, may_hold_secrets=may_hold_secrets)
                if pieces:  # else it is dropped with the rest
                    book_all(pieces, size, lines, books)
                yield number, pieces

    def _sift(self, spans: SpanFilter, batch: Batch, *, is_last: bool) -> tuple[Numbers, set[int]]:
        """Numbers of the spans that are wanted, in order, and of those that need a closer look in any case."""
        last = len(batch.bounds) - 2
        may_be_blank = last == 0 or (batch.has_blank_before_newline and BLANK_LINE.search(batch.buffer))
        special = set(spans.matching(BLANK_END).tolist()) if may_be_blank else set()
        if is_last:
            special.add(last)
        special.update([0] if batch.gone else spans.longer_than(self.settings.max_record_bytes).tolist())
        if not self._looks_at_bytes:
            return spans.all(), special
        wanted = spans.matching_any(self._may_be_kafka)
        # Kafka's words may be parted by other blanks than ASCII's.
        if len(beyond_ascii := spans.beyond_ascii()):
            wanted = np.union1d(wanted, spans.matching(ODD_BYTES, beyond_ascii))
        like_json = [spans.beginning_with(begin) for begin in JSON_BEGINS]
        odd = spans.matching(ODD_JSON, np.concatenate(like_json))
        if batch.offset + batch.begin == 0:
            # What stands before a source's first record is not understood, whatever it is.
            odd = np.append(odd, 0)
        return (np.union1d(wanted, odd) if len(odd) else wanted), special

    def _wants_long(self, kept: bytes) -> bool:
        """Whether a span that is too long to be kept whole is looked at, by what is kept of it."""
        if not self._looks_at_bytes or kept.startswith(JSON_BEGINS):
            return True
        return bool(len(SpanFilter(kept, np.array([0, len(kept)])).matching_any(self._may_be_kafka)))

    def _one(self, raw: bytes, place: Place, books: Books, *, is_wanted: bool) -> list[LogRecord | Unparsed]:
        """Build one span's records, and book every byte of it once: blank lines and what follows JSON lines too."""
        blank_size, blank_lines = (0, 0) if place.is_truncated else _blank_end(raw)
        if blank_size:
            books.dropped("blank", blank_size, blank_lines)
            raw = raw[: len(raw) - blank_size]
            place = replace(place, size=place.size - blank_size, lines=place.lines - blank_lines)
            if not raw:
                return []
        if not is_wanted:
            books.dropped("not_kafka", place.size, place.lines)
            return []
        pieces = self._builder.build(self._text(raw, place, books), place)
        book_all(pieces, place.size, place.lines, books)
        return pieces

    @staticmethod
    def _text(raw: bytes, place: Place, books: Books) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            if place.is_truncated:  # the bound may cut a character in two, which is no error of the source
                raw = raw.rstrip(CONTINUATION_BYTES)
                raw = raw[:-1] if raw[-1:] >= b"\xc0" else raw
            text = raw.decode("utf-8", "replace")
            books.decode_errors += "\ufffd" in text
            return text


def _in_order(
    numbers: Numbers, records: RecordColumns, others: Iterable[tuple[int, Pieces]]
) -> Iterator[RecordColumns | Unparsed]:
    """Records of the spans with these numbers, and what others became, as they stand in the source."""
    merged, begin = RecordColumns(), 0
    waiting: list[LogRecord] = []
    for number, pieces in others:
        end = int(np.searchsorted(numbers, number))
        if end > begin:
            merged.add(waiting)
            merged.extend(records, begin, end)
            waiting, begin = [], end
        for piece in pieces:
            if isinstance(piece, LogRecord):
                waiting.append(piece)
                continue
            merged.add(waiting)
            yield merged
            yield piece
            merged, waiting = RecordColumns(), []
    if begin == 0 and not (waiting or len(merged)):
        yield records
        return
    merged.add(waiting)
    merged.extend(records, begin)
    yield merged


def _blank_end(raw: bytes) -> tuple[int, int]:
    """Bytes and lines of the blank lines at a span's end."""
    content = len(raw.rstrip())
    if content == 0:
        return len(raw), raw.count(b"\n") + (not raw.endswith(b"\n"))
    newline = raw.find(b"\n", content)
    if newline < 0 or newline + 1 == len(raw):
        return 0, 0
    blank = raw[newline + 1 :]
    return len(blank), blank.count(b"\n") + (not blank.endswith(b"\n"))
