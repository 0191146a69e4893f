"""What is held of a source of JSON while it is cut into pieces."""

import codecs
import json
from dataclasses import dataclass
from typing import Any

from transforms.parse.records.streams import ByteSource
from transforms.well_formed import well_formed_json
from transforms.when_used import when_used

_DECODER = json.JSONDecoder()
_HALVES = when_used(rb"\\u[dD]")  # of characters, as literals write them
_BETWEEN = when_used(rb"[\s,:]*")
# The JSON decoder's complaints at a place so near the end of what is held may be due to what is still to come.
_NEAR_END = 12


@dataclass(frozen=True, slots=True)
class Limits:
    """In bytes. block: read at once. long: longer documents, and lines, are taken apart where they can be.

    longest: what is longer still, and can't be taken apart, is not held to be read as one.
    """

    block: int = 1 << 20
    long: int = 8 << 20
    longest: int = 64 << 20


LIMITS = Limits()


class _NotJson:
    """Marks a piece that is no JSON."""


NOT_JSON = _NotJson()


class NotJsonError(Exception):
    """There is no JSON here."""


class TooLongError(Exception):
    """What stands here is longer than may be held."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of the source from `offset` on.

    document: its JSON; NOT_JSON where it is none. is_structure: brackets and blanks around documents. is_end: what comes
    behind it is read as it would be without it, and this piece stays as it is, whatever comes.
    """

    offset: int
    data: bytes
    document: Any = NOT_JSON
    is_structure: bool = False
    is_end: bool = False


class JsonWindow:
    """Some bytes of a source: those from the piece that is not yet given on.

    at: in `held`, where that piece begins. ahead: how far behind `at` it is read. was_cut: something broke off at the
    source's end, and may be read otherwise when there is more.
    """

    def __init__(self, source: ByteSource, limits: Limits, offset: int = 0) -> None:
        """offset: where the source stands."""
        self.held = b""
        self.at = 0
        self.ahead = 0
        self.limits = limits
        self.was_cut = False
        self._source = source
        self._offset = offset  # of `held` in the source
        self._is_over = False
        self._text: str | None = None

    @property
    def here(self) -> int:
        """In `held`, where it is read."""
        return self.at + self.ahead

    @property
    def place(self) -> int:
        """Where it is read, in the source."""
        return self._offset + self.here

    def go_back(self, place: int) -> None:
        """Begin a piece at a place of the source that was read before."""
        self._source.seek(place)
        self.held, self.at, self.ahead, self._offset = b"", 0, 0, place
        self._text, self._is_over = None, False

    def fill(self) -> bool:
        """Hold more: as much again as is held, so that a long document is not tried over and over."""
        if self._is_over:
            return False
        rest = self.held[self.at :]
        more = [rest]
        wanted = max(self.limits.block, len(rest))
        while wanted > 0 and (block := self._source.read(min(wanted, self.limits.block))):
            more.append(block)
            wanted -= len(block)
        self._is_over = wanted > 0
        self._offset += self.at
        self.held, self.at, self._text = b"".join(more), 0, None
        return len(self.held) > len(rest)

    def take(
        self, end: int, document: Any = NOT_JSON, *, is_structure: bool = False, may_end: bool = False
    ) -> Piece:
        """The piece that ends there, in `held`. may_end: it stands for itself, and is an end where its line is over."""
        data = self.held[self.at : end]
        is_end = may_end and not self.was_cut and data.endswith(b"\n")
        piece = Piece(self._offset + self.at, data, document, is_structure, is_end)
        self.at, self.ahead = end, 0
        return piece

    def next(self) -> bytes:
        """Go over blanks, commas and colons; gives the byte behind them, none at the end."""
        while True:
            between = _BETWEEN.match(self.held, self.here)
            self.ahead += len(between[0]) if between else 0
            if self.here < len(self.held) or not self.fill():
                return self.held[self.here : self.here + 1]

    def value(self, most: int) -> Any:
        """Read the value that stands here, and go behind it.

        Raises: NotJsonError where there is none; TooLongError where it is not over within `most` bytes.
        """
        while True:
            begin = self.here
            try:
                document, end = _DECODER.raw_decode(self._latin, begin)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or error.pos >= len(self.held) - _NEAR_END
                if not is_cut:
                    raise NotJsonError from None
                if len(self.held) - begin >= most:
                    raise TooLongError from None
                if not self.fill():
                    self.was_cut = True
                    raise NotJsonError from None
                continue
            except RecursionError:
                raise NotJsonError from None
            if end == len(self.held) and self.fill():  # a number may go on
                continue
            raw = self.held[begin:end]
            self.ahead += end - begin
            return document if raw.isascii() and not _HALVES.search(raw) else loaded(raw)

    @property
    def _latin(self) -> str:
        """What is held as Latin-1: it has a character a byte, and what JSON is made of is ASCII, so places are the same."""
        if self._text is None:
            self._text = self.held.decode("latin-1")
        return self._text


def loaded(raw: bytes) -> Any:
    """A value by its bytes; NOT_JSON where it is none."""
    try:
        text = raw.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
        return well_formed_json(json.loads(text), text)
    except (ValueError, RecursionError):
        return NOT_JSON
