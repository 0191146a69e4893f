"""Bytes of a source as they were before gzip or UTF-16, and the source's fingerprint. Wraps given file objects only."""

import codecs
import zlib
from collections.abc import Callable
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
        return SourceStream(stream, _Gunzip, is_compressed=True)
    if (encoding := _utf_16_of(begin)) is not None:
        return SourceStream(stream, partial(_FromUtf16, encoding), is_compressed=False)
    return SourceStream(stream, None, is_compressed=False)


def _utf_16_of(begin: bytes) -> str | None:
    """The encoding of a file that begins so: told by its mark, or by the zeros beside all its signs of ASCII."""
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = begin[::2], begin[1::2]
    zeros, others = sorted((even.count(0), odd.count(0)), reverse=True)
    if others or zeros * 2 <= len(odd):
        return None
    return "utf-16-le" if odd.count(0) else "utf-16-be"


class _Gunzip:
    """Decompresses piece by piece, several members too; keeps what came before damage."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self._inflate = zlib.decompressobj(wbits=31)
        self._pending = b""

    def feed(self, piece: bytes) -> bytes:
        """At most _PIECE bytes at once, so that a bomb of zeros fills no memory; call with b"" for the rest."""
        data = self._pending + piece
        self._pending = b""
        while data and self.problem is None:
            before = self._inflate.copy()
            try:
                out = self._inflate.decompress(data, _PIECE)
            except zlib.error:
                self.problem = "broken_gzip"
                return _before_damage(before, data)
            data = self._inflate.unconsumed_tail or self._inflate.unused_data
            if self._inflate.eof:
                data = self._next_member(data)
            if out:
                self._pending = data
                return out
        return b""

    @property
    def is_hungry(self) -> bool:
        return not self._pending

    def _next_member(self, data: bytes) -> bytes:
        data = data.lstrip(b"\0")  # tapes and some writers pad with zeros
        if data:
            self._inflate = zlib.decompressobj(wbits=31)
        return data

    def end(self) -> bytes:
        if self.problem is None and not self._inflate.eof:
            rest = self._inflate.flush()
            self.problem = "broken_gzip"
            return rest
        return b""


def _before_damage(inflate: "zlib._Decompress", data: bytes) -> bytes:
    """What damaged data still give, up to the damage: of a piece that has it in it zlib gives nothing."""
    given = []
    with suppress(zlib.error):
        for at in range(len(data)):
            given.append(inflate.decompress(data[at : at + 1]))
    return b"".join(given)


class _FromUtf16:
    """UTF-16, as Windows shells write it, to UTF-8. Offsets count the UTF-8 bytes."""

    problem: str | None = None
    is_hungry = True

    def __init__(self, encoding: str) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def feed(self, piece: bytes) -> bytes:
        return self._decoder.decode(piece).encode("utf-8", "replace")

    def end(self) -> bytes:
        return self._decoder.decode(b"", True).encode("utf-8", "replace")


class SourceStream:
    """A readable stream of a source's decoded bytes.

    problem: `broken_gzip` once reading met the damage, or what the file itself says (its own `problem`); what came before it
    has been given.
    is_splittable: byte ranges may be read apart from each other (plain files only).
    """

    def __init__(
        self, stream: ByteSource, decoder: Callable[[], "_Gunzip | _FromUtf16"] | None, *, is_compressed: bool
    ) -> None:
        self._stream = stream
        self._made = decoder
        self._decoder = decoder() if decoder is not None else None
        self._at = 0
        self._buffer = b""
        self._is_over = False
        self.is_compressed = is_compressed
        self.is_splittable = decoder is None

    @property
    def problem(self) -> str | None:
        """Why the stream ended early, or None."""
        own = self._decoder.problem if self._decoder is not None else None
        return getattr(self._stream, "problem", None) or own  # damage may follow from a file that ended early

    def seek(self, offset: int, /) -> int:
        """Go to an absolute offset of the decoded bytes; backwards by reading anew where the source is encoded."""
        if self._decoder is None:
            self._at = self._stream.seek(offset)
            return self._at
        if offset < self._at:
            self._stream.seek(0)
            self._decoder = self._made() if self._made is not None else None
            self._at, self._buffer, self._is_over = 0, b"", False
        while self._at < offset and self.read(min(offset - self._at, _PIECE)):
            pass
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes (all there are if negative); b"" at the end. Never more than asked for is held."""
        if self._decoder is None:
            piece = self._stream.read(size) or b""
            self._at += len(piece)
            return piece
        parts: list[bytes] = []
        while size != 0 and (self._buffer or self._fill()):
            part = self._buffer if size < 0 else self._buffer[:size]
            self._buffer = self._buffer[len(part) :]
            parts.append(part)
            size = size - len(part) if size > 0 else size
        whole = b"".join(parts)
        self._at += len(whole)
        return whole

    def _fill(self) -> bool:
        decoder = self._decoder
        assert decoder is not None  # only encoded sources are filled
        while not self._buffer and not self._is_over:
            if decoder.problem is not None:
                self._is_over = True
            elif decoder.is_hungry:
                piece = self._stream.read(_PIECE)
                self._buffer = decoder.feed(piece) if piece else decoder.end()
                self._is_over = not piece
            else:
                self._buffer = decoder.feed(b"")
        return bool(self._buffer)
