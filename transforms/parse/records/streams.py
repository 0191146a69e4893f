"""Bytes of a source as they were before gzip or UTF-16, and the source's fingerprint. Wraps given file objects only."""

import codecs
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Protocol

GZIP_MAGIC = b"\x1f\x8b"
FINGERPRINT_BYTES = 1024
_PIECE = 256 * 1024
_LOOKED_AT = 64  # bytes that tell an encoding


class ByteSource(Protocol):
    """What is asked of a file: an opened one, or one that is read up to a limit."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""
        ...

    def seek(self, offset: int, /) -> int:
        """Go to an absolute offset."""
        ...


Decoder = Callable[[ByteSource], Iterator[bytes]]


def fingerprint(head: bytes) -> str:
    """source_id: sha2-256 (hex) of the first KiB, decompressed, so that renaming and rotation make no new source."""
    return sha256(head[:FINGERPRINT_BYTES]).hexdigest()


def read_exactly(stream: ByteSource, wanted: int) -> bytes:
    """So many bytes, or as many as there are."""
    pieces = []
    while wanted > 0 and (piece := stream.read(wanted)):
        pieces.append(piece)
        wanted -= len(piece)
    return b"".join(pieces)


def open_source(stream: ByteSource) -> "SourceStream":
    """Look at a binary file's first bytes, and read it as what it is: gzip (whatever its name), UTF-16, or as it stands."""
    begin = read_exactly(stream, _LOOKED_AT)
    stream.seek(0)
    if begin.startswith(GZIP_MAGIC):
        return SourceStream(stream, _gunzipped, is_compressed=True)
    encoding = _utf_16_of(begin)
    return SourceStream(stream, partial(_from_utf_16, encoding) if encoding is not None else None)


def _utf_16_of(begin: bytes) -> str | None:
    """The encoding of a file that begins so: told by its mark, or by the zeros beside all its signs of ASCII."""
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = begin[::2], begin[1::2]
    zeros, others = sorted((even.count(0), odd.count(0)), reverse=True)
    if others or zeros * 2 <= len(odd):
        return None
    return "utf-16-le" if odd.count(0) else "utf-16-be"


class _BrokenGzipError(Exception):
    """What comes next is damaged, or is not there."""


def _gunzipped(stream: ByteSource) -> Iterator[bytes]:
    """What is compressed, several members too, and what came before damage; at most _PIECE bytes at once, so that a bomb
    of zeros fills no memory.

    Raises: _BrokenGzipError.
    """
    inflate = zlib.decompressobj(wbits=31)
    while data := stream.read(_PIECE):
        while data:
            if inflate.eof:
                if not (data := data.lstrip(b"\0")):  # tapes and some writers pad with zeros
                    break
                inflate = zlib.decompressobj(wbits=31)
            before = inflate.copy()
            try:
                yield inflate.decompress(data, _PIECE)
            except zlib.error:
                yield _before_damage(before, data)
                raise _BrokenGzipError from None
            data = inflate.unconsumed_tail or inflate.unused_data
    if not inflate.eof:
        yield inflate.flush()
        raise _BrokenGzipError


def _before_damage(inflate: "zlib._Decompress", data: bytes) -> bytes:
    """What damaged data still give, up to the damage: of a piece that has it in it zlib gives nothing."""
    given = []
    with suppress(zlib.error):
        for at in range(len(data)):
            given.append(inflate.decompress(data[at : at + 1]))
    return b"".join(given)


def _from_utf_16(encoding: str, stream: ByteSource) -> Iterator[bytes]:
    """UTF-16, as Windows shells write it, as UTF-8. Offsets count the UTF-8 bytes."""
    decode = codecs.getincrementaldecoder(encoding)("replace").decode
    while piece := stream.read(_PIECE):
        yield decode(piece).encode("utf-8", "replace")
    yield decode(b"", True).encode("utf-8", "replace")


class SourceStream:
    """A readable stream of a source's decoded bytes.

    problem: `broken_gzip` once reading met the damage, or what the file itself says (its own `problem`); what came before it
    has been given.
    is_splittable: byte ranges may be read apart from each other (plain files only).
    """

    def __init__(
        self, stream: ByteSource, decoded: Decoder | None = None, *, is_compressed: bool = False
    ) -> None:
        self._stream, self._decoded = stream, decoded
        self._pieces = decoded(stream) if decoded is not None else None
        self._at = 0
        self._buffer = b""
        self._damage: str | None = None
        self.is_compressed = is_compressed
        self.is_splittable = decoded is None

    @property
    def problem(self) -> str | None:
        """Why the stream ended early, or None."""
        return (
            getattr(self._stream, "problem", None) or self._damage
        )  # which may follow from a file that ended early

    def seek(self, offset: int, /) -> int:
        """Go to an absolute offset of the decoded bytes; backwards by reading anew where the source is encoded."""
        if self._decoded is None:
            self._at = self._stream.seek(offset)
            return self._at
        if offset < self._at:
            self._stream.seek(0)
            self._pieces, self._damage = self._decoded(self._stream), None
            self._at, self._buffer = 0, b""
        while self._at < offset and self.read(min(offset - self._at, _PIECE)):
            pass
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes (all there are if negative); b"" at the end. Never more than asked for is held."""
        if self._pieces is None:
            piece = self._stream.read(size) or b""
            self._at += len(piece)
            return piece
        parts: list[bytes] = []
        while size != 0 and (self._buffer or self._fill(self._pieces)):
            part = self._buffer if size < 0 else self._buffer[:size]
            self._buffer = self._buffer[len(part) :]
            parts.append(part)
            size = size - len(part) if size > 0 else size
        whole = b"".join(parts)
        self._at += len(whole)
        return whole

    def _fill(self, pieces: Iterator[bytes]) -> bool:
        try:
            self._buffer = next(filter(None, pieces), b"")
        except _BrokenGzipError:
            self._damage = "broken_gzip"
        return bool(self._buffer)
