"""Cuts a source of metrics into pieces that a reader takes whole: lines, or JSON documents.

Pieces follow each other without a gap, so that the books balance in bytes whatever a reader makes of them. Little is
held (Limits): a list of JSON documents is cut into its elements, and a long document is taken apart (metrics_long).
"""

from collections.abc import Iterator
from typing import Any

from transforms.parse.metrics.long import long_pieces
from transforms.parse.records.json_window import (
    LIMITS,
    NOT_JSON,
    JsonWindow,
    Limits,
    NotJsonError,
    Piece,
    TooLongError,
    loaded,
)
from transforms.parse.records.streams import ByteSource
from transforms.when_used import when_used

_CLOSING = when_used(rb"[\s\]}]*")
# A newline behind a document, or a comma between two, belongs to it.
_LINE_END = when_used(rb"[ \t\r,]*\n?")
# Before the first of a range query's series: each of them is a document of its own.
_RANGE = when_used(
    rb'\s*\{\s*"status"\s*:\s*"success"\s*,\s*(?:"isPartial"\s*:\s*\w+\s*,\s*)?"data"\s*:\s*\{'
    rb'\s*"resultType"\s*:\s*"(?:matrix|vector)"\s*,\s*"result"\s*:\s*\['
)
_ARRAY = when_used(rb"\s*\[")
# What a logger puts before an object that an application is told: `2026-05-01 12:00:00 INFO [main] stats: `.
BEFORE = when_used(rb'\A\s*+(?:\[[^\]{]*\]|[^\[{"])[^{]*(?=\{\s*")')


def line_pieces(source: ByteSource, limits: Limits = LIMITS, offset: int = 0) -> Iterator[Piece]:
    """Lines with their newlines; what is longer than limits.longest comes in parts. offset: where the source stands."""
    held = b""
    while block := source.read(limits.block):
        held += block
        *whole, held = held.split(b"\n")
        for line in whole:
            yield Piece(offset, line + b"\n", is_end=True)
            offset += len(line) + 1
        if len(held) > limits.longest:
            yield Piece(offset, held)
            offset, held = offset + len(held), b""
    if held:
        yield Piece(offset, held)


def json_pieces(source: ByteSource, limits: Limits = LIMITS, offset: int = 0) -> Iterator[Piece]:
    """JSON documents: one a line (behind a logger's head, too), several of it, one over many, or the elements of a list.

    A line that is one document stays one, a list too; a list over many lines, or in a long line, is taken apart, and so is a
    long document. offset: where the source stands.
    """
    return _JsonCutter(JsonWindow(source, limits, offset)).pieces()


class _JsonCutter:
    def __init__(self, window: JsonWindow) -> None:
        self._window = window
        self._in_array = False

    def pieces(self) -> Iterator[Piece]:
        window = self._window
        while window.at < len(window.held) or window.fill():
            yield from self._array_piece() if self._in_array else self._line_piece()

    def _end_of_line(self, most: int) -> int | None:
        """Where the line ends, its newline included; None where it is longer than `most`."""
        window = self._window
        seen = window.at
        while (found := window.held.find(b"\n", seen)) < 0:
            held = len(window.held) - window.at
            if held >= most:
                return None
            if not window.fill():
                return len(window.held)
            seen = window.at + held
        return found + 1

    def _line_piece(self) -> Iterator[Piece]:
        window = self._window
        end = self._end_of_line(window.limits.long)
        if end is not None:
            line = window.held[window.at : end]
            if not line.strip() or _CLOSING.fullmatch(line):
                yield window.take(end, is_structure=True, may_end=True)
                return
            if (document := _document(BEFORE.sub(b"", line))) is not NOT_JSON:
                yield window.take(end, document, may_end=True)
                return
        yield from self._longer_piece()

    def _longer_piece(self) -> Iterator[Piece]:
        """At a line that is no document: one over several lines, the beginning of a list, or no JSON at all."""
        window = self._window
        begin = _RANGE.match(window.held, window.at) or _ARRAY.match(window.held, window.at)
        if begin is not None:
            self._in_array = True
            yield window.take(begin.end(), is_structure=True)
            return
        window.next()
        yield from self._document()

    def _array_piece(self) -> Iterator[Piece]:
        window = self._window
        sign = window.next()
        if not sign:
            yield window.take(window.here, is_structure=True)
        elif sign == b"]":
            self._in_array = False
            yield window.take(_CLOSING.match(window.held, window.here).end(), is_structure=True)  # type: ignore[union-attr]
        else:
            yield from self._document()

    def _document(self) -> Iterator[Piece]:
        """The document here; the line as no JSON where there is none."""
        window = self._window
        if window.held[window.here : window.here + 1] != b"{":
            yield self._no_document()
            return
        try:
            document = window.value(window.limits.long)
        except NotJsonError:
            yield self._no_document()
            return
        except TooLongError:
            if window.ahead:
                yield window.take(window.here, is_structure=True)
            long = long_pieces(window)
            try:
                if long is not None:
                    yield from long  # what its first reading held whole may be too long in its second
                    return
                document = window.value(window.limits.longest)
            except (NotJsonError, TooLongError):
                yield self._no_document()
                return
        end = _LINE_END.match(window.held, window.here).end()  # type: ignore[union-attr]  # it matches nothing, too
        yield window.take(end, document, may_end=not self._in_array)

    def _no_document(self) -> Piece:
        window = self._window
        self._in_array, window.ahead = False, 0
        end = self._end_of_line(window.limits.longest)
        return window.take(len(window.held) if end is None else end, may_end=True)


def _document(line: bytes) -> Any:
    document = loaded(line)
    return document if isinstance(document, dict | list) else NOT_JSON
