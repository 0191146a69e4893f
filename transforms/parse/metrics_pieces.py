"""Cuts a source of metrics into pieces that a reader takes whole: lines, or JSON documents.

Pieces follow each other without a gap, so that the books balance in bytes whatever a reader makes of them. At most
LONGEST_PIECE bytes are held: a list of JSON documents, or Prometheus' answer to a range query, is cut into its elements,
however long it is.
"""

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from transforms.parse.streams import ByteSource

BLOCK = 1 << 20
# What is longer is not held to be read as one: it comes in parts, which are no JSON.
LONGEST_PIECE = 64 << 20
# A line longer than this is looked at as JSON of many elements before its end is known.
_LONG_LINE = 8 << 20

_DECODER = json.JSONDecoder()
_GAP = re.compile(rb"[\s,]*")
_CLOSING = re.compile(rb"[\s\]}]*")
# Before the first of a range query's series: each of them is a document of its own.
_RANGE = re.compile(
    rb'\s*\{\s*"status"\s*:\s*"success"\s*,\s*(?:"isPartial"\s*:\s*\w+\s*,\s*)?"data"\s*:\s*\{'
    rb'\s*"resultType"\s*:\s*"(?:matrix|vector)"\s*,\s*"result"\s*:\s*\['
)
_ARRAY = re.compile(rb"\s*\[")
# The JSON decoder's complaints at a place so near the end of what is held may be due to what is still to come.
_NEAR_END = 12


class _NotJson:
    """Marks a piece that is no JSON."""


NOT_JSON = _NotJson()


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of the source from `offset` on.

    document: its JSON; NOT_JSON where it is none. is_structure: brackets and blanks around documents.
    """

    offset: int
    data: bytes
    document: Any = NOT_JSON
    is_structure: bool = False


def line_pieces(source: ByteSource) -> Iterator[Piece]:
    """Lines with their newlines; what is longer than LONGEST_PIECE comes in parts."""
    offset, held = 0, b""
    while block := source.read(BLOCK):
        held += block
        *whole, held = held.split(b"\n")
        for line in whole:
            yield Piece(offset, line + b"\n")
            offset += len(line) + 1
        if len(held) > LONGEST_PIECE:
            yield Piece(offset, held)
            offset, held = offset + len(held), b""
    if held:
        yield Piece(offset, held)


def json_pieces(source: ByteSource) -> Iterator[Piece]:
    """JSON documents: one a line, several of a line, one over many lines, or the elements of a list.

    A line that is one document stays one, a list too; a list over many lines, or in a line of many MiB, is taken apart.
    """
    return _JsonCutter(source).pieces()


class _JsonCutter:
    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._held = b""
        self._at = 0  # in _held: what is before has been given
        self._offset = 0  # of _held in the source
        self._is_over = False
        self._in_array = False

    def pieces(self) -> Iterator[Piece]:
        while self._ensure():
            yield self._array_piece() if self._in_array else self._line_piece()

    def _ensure(self) -> bool:
        return self._at < len(self._held) or self._fill()

    def _fill(self) -> bool:
        """Hold more: as much again as is held, so that a long document is not tried over and over."""
        if self._is_over:
            return False
        rest = self._held[self._at :]
        more = [rest]
        wanted = max(BLOCK, len(rest))
        while wanted > 0 and (block := self._source.read(min(wanted, BLOCK))):
            more.append(block)
            wanted -= len(block)
        self._is_over = wanted > 0
        self._offset += self._at
        self._held, self._at = b"".join(more), 0
        return len(self._held) > len(rest)

    def _take(self, end: int, document: Any = NOT_JSON, *, is_structure: bool = False) -> Piece:
        piece = Piece(self._offset + self._at, self._held[self._at : end], document, is_structure)
        self._at = end
        return piece

    def _end_of_line(self, most: int) -> int | None:
        """Where the line ends, its newline included; None where it is longer than `most`."""
        seen = self._at
        while (found := self._held.find(b"\n", seen)) < 0:
            held = len(self._held) - self._at
            if held >= most:
                return None
            if not self._fill():
                return len(self._held)
            seen = self._at + held
        return found + 1

    def _line_piece(self) -> Piece:
        end = self._end_of_line(_LONG_LINE)
        if end is not None:
            line = self._held[self._at : end]
            if not line.strip() or _CLOSING.fullmatch(line):
                return self._take(end, is_structure=True)
            document = _loaded(line)
            if document is not NOT_JSON:
                return self._take(end, document)
        return self._longer_piece()

    def _longer_piece(self) -> Piece:
        """At a line that is no document: one over several lines, the beginning of a list, or no JSON at all."""
        begin = _RANGE.match(self._held, self._at) or _ARRAY.match(self._held, self._at)
        if begin is not None:
            self._in_array = True
            return self._take(begin.end(), is_structure=True)
        return self._document(self._at + len(_BLANK.match(self._held, self._at)[0]))  # type: ignore[index]

    def _array_piece(self) -> Piece:
        begin = self._after_gap()
        if begin == len(self._held):
            return self._take(begin, is_structure=True)
        if self._held[begin : begin + 1] == b"]":
            self._in_array = False
            closing = _CLOSING.match(self._held, begin)
            return self._take(closing.end() if closing else begin + 1, is_structure=True)
        return self._document(begin)

    def _after_gap(self) -> int:
        while True:
            gap = _GAP.match(self._held, self._at)
            begin = gap.end() if gap else self._at
            if begin < len(self._held) or not self._fill():
                return begin

    def _document(self, begin: int) -> Piece:
        """The document at `begin`; the line there as no JSON where there is none."""
        ahead = begin - self._at
        found = None
        while found is None:
            begin = self._at + ahead
            if self._held[begin : begin + 1] != b"{":
                return self._no_document()
            # Latin-1 has a character a byte, and what JSON is made of is ASCII: an index there is one here.
            text = self._held[begin:].decode("latin-1")
            try:
                found = _DECODER.raw_decode(text)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or error.pos >= len(text) - _NEAR_END
                if not (is_cut and len(text) < LONGEST_PIECE and self._fill()):
                    return self._no_document()
            except RecursionError:
                return self._no_document()
        document, length = found
        raw = self._held[begin : begin + length]
        if not raw.isascii():
            document = _loaded(raw)
        return self._take(self._with_line_end(begin + length), document)

    def _with_line_end(self, end: int) -> int:
        """A newline behind a document, or a comma between two, belongs to it."""
        rest = _LINE_END.match(self._held, end)
        return rest.end() if rest else end

    def _no_document(self) -> Piece:
        self._in_array = False
        end = self._end_of_line(LONGEST_PIECE)
        return self._take(len(self._held) if end is None else end)


_BLANK = re.compile(rb"\s*")
_LINE_END = re.compile(rb"[ \t\r,]*\n?")


def _loaded(raw: bytes) -> Any:
    try:
        document = json.loads(raw.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return NOT_JSON
    return document if isinstance(document, dict | list) else NOT_JSON
