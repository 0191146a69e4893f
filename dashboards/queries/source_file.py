"""Lines of the file that a record was read from, while it is still there, redacted as reading does.

A lake names paths, and says what their first KiB was: a file with another one is not opened further, so that a
lake from elsewhere can't have files of this machine shown.
"""

from dataclasses import dataclass
from pathlib import Path

from transforms.parse.records.streams import FINGERPRINT_BYTES, fingerprint, open_source, read_exactly
from transforms.parse.secrets.redact import redact

MOST_BYTES = 64 * 1024 * 1024  # decompressed before the place: a gzip is read from its beginning
# Read and redacted before the first line shown, so that a secret's begin is seen too.
BEFORE_BYTES = 64 * 1024
AFTER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a file, in its order. here: index of the line that was asked for; problem: why there are none."""

    lines: tuple[str, ...] = ()
    here: int = 0
    problem: str | None = None


def lines_of_file(path: str, source_id: str, offset: int, around: int = 10) -> Piece:
    """The line that begins at `offset` bytes of the decompressed file, and so many before and after it."""
    if "://" in path:
        return Piece(problem="what was read from a topic or an object store is not read again")
    try:
        if not Path(path).is_file():
            return Piece(problem="the file is no longer where it was read")
        with Path(path).open("rb") as file:
            stream = open_source(file)
            if fingerprint(read_exactly(stream, FINGERPRINT_BYTES)) != source_id:
                return Piece(problem="another file stands where it was read")
            if stream.is_compressed and offset > MOST_BYTES:
                return Piece(problem="the place lies too deep in a compressed file")
            start = max(0, offset - BEFORE_BYTES)
            stream.seek(start)
            before = read_exactly(stream, offset - start)
            after = read_exactly(stream, AFTER_BYTES)
    except OSError as failure:
        return Piece(problem=f"the file can't be read ({failure.strerror or failure})")
    if len(before) < offset - start or not after:
        return Piece(problem="the file is shorter than it was")
    return _piece(before, after, around, is_cut=start > 0)


def _piece(before: bytes, after: bytes, around: int, *, is_cut: bool) -> Piece:
    """Redacted together, as a secret may begin before the place and end behind it; the first line may be torn."""
    here = _clean(before).count("\n")
    lines = _clean(before + after).split("\n")
    first = max(here - around, 1 if is_cut else 0)
    return Piece(tuple(line.rstrip("\r") for line in lines[first : here + around + 1]), max(here - first, 0))


def _clean(text: bytes) -> str:
    return redact(text.decode("utf-8", "replace"))
