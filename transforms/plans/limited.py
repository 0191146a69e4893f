"""A file up to the size that it was listed with."""

from typing import BinaryIO

# Why a source ended early.
TRUNCATED, UNREADABLE = "truncated", "unreadable"


class Limited:
    """A file up to the size it was listed with: what is appended meanwhile belongs to the next run.

    problem: `truncated` once it turned out to be shorter by now, `unreadable` once reading failed: it ends there.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size
        self.problem: str | None = None

    def read(self, wanted: int = -1, /) -> bytes:
        """Bytes, never past the limit."""
        left = max(0, self._size - self._file.tell())
        wanted = left if wanted < 0 else min(wanted, left)
        try:
            found = self._file.read(wanted)
        except OSError:  # a disk's or network's; a store that doesn't answer is none
            self.problem = UNREADABLE
            return b""
        if wanted and not found:
            self.problem = self.problem or TRUNCATED
        return found

    def seek(self, offset: int, /) -> int:
        """Go to an absolute offset."""
        return self._file.seek(offset)
