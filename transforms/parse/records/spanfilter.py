"""Which spans of a buffer match a pattern, by RE2, which takes the time of their length: of many all at once, by Arrow."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from transforms.sieve import holding

# Places in a buffer, or numbers of its spans: in order.
Numbers = npt.NDArray[np.int64]
NONE = np.empty(0, np.int64)
NEWLINE = 10
FEW = 16  # spans: to look at each with care costs less than to compile a pattern
MANY = 4096  # spans: Arrow compiles a pattern for each call, for up to 6 ms, and then asks each in two thirds of the time


def newlines_in(buffer: bytes) -> Numbers:
    """Where the newlines are."""
    return np.flatnonzero(np.frombuffer(buffer, np.uint8) == NEWLINE)


class SpanFilter:
    """The spans of a buffer, bounds[i] to bounds[i + 1]."""

    def __init__(self, buffer: bytes, bounds: Numbers) -> None:
        self.buffer = buffer
        self._bytes, self._bounds = np.frombuffer(buffer, np.uint8), bounds
        self._column: Any = None  # these spans for Arrow

    def matching(
        self, pattern: str, among: Numbers | None = None, *, without: str = "", by: str = ""
    ) -> Numbers:
        """Numbers of the spans (of all, or of those in `among`) that hold a match. pattern: RE2, on bytes.

        without: pattern of what is replaced before, by: with what of its groups. Few spans are asked by `re`, where it must
        begin at what stands before a word, too: tried from within each, a long word takes the square of its length.
        """
        numbers = self.all() if among is None else among
        if len(numbers) < MANY:
            searched = map(self.span, numbers.tolist())
            if without:  # by `re`: google-re2 replaces in Python, for five times as long
                searched = map(partial(re.compile(without.encode()).sub, by.encode()), searched)
            holds = holding(pattern)
            some: Numbers = numbers[np.array([holds(span) is not None for span in searched], bool)]
            return some
        return numbers[self._matching_at_once(pattern, numbers, without, by)]

    def _matching_at_once(self, pattern: str, numbers: Numbers, without: str, by: str) -> Numbers:
        """Places in `numbers` of those that hold a match: RE2 looks at all as one Arrow array over the same bytes."""
        # It loads Arrow's kernels, for a fifth of a second: a short log doesn't need them.
        import pyarrow as pa
        import pyarrow.compute as pc

        # Through buffers: Array.to_numpy() and pa.array() load pandas where it is installed, for a third of a second.
        if self._column is None:
            offsets = pa.py_buffer(self._bounds.astype(np.int32))
            parts = [None, offsets, pa.py_buffer(self.buffer)]
            self._column = pa.BinaryArray.from_buffers(pa.binary(), len(self._bounds) - 1, parts)
        spans = self._column
        if len(numbers) != len(spans):
            indices = pa.py_buffer(np.ascontiguousarray(numbers, np.int64))
            spans = spans.take(pa.Array.from_buffers(pa.int64(), len(numbers), [None, indices]))
        if without:
            spans = pc.replace_substring_regex(spans, pattern=without, replacement=by)
        found = pc.indices_nonzero(pc.match_substring_regex(spans, pattern=pattern))
        return (
            np.frombuffer(found.buffers()[1], np.uint64, len(found)).astype(np.int64) if len(found) else NONE
        )

    def holds(self, pattern: str) -> bool:
        """Whether there is a match anywhere in the buffer."""
        return holding(pattern)(self.buffer) is not None

    def beyond_ascii(self) -> Numbers:
        """Numbers of the spans that hold other bytes than ASCII's."""
        if self.buffer.isascii():
            return NONE
        numbers = np.unique(np.searchsorted(self._bounds, np.flatnonzero(self._bytes >= 128), "right") - 1)
        return numbers[(numbers >= 0) & (numbers < len(self._bounds) - 1)]

    def over(self, buffer: bytes) -> "SpanFilter":
        """These spans of another buffer, as long."""
        return SpanFilter(buffer, self._bounds)

    def span(self, number: int) -> bytes:
        """One of them."""
        return self.buffer[self._bounds[number] : self._bounds[number + 1]]

    def matching_any(self, patterns: Sequence[str]) -> Numbers:
        """Numbers of the spans that hold a match of any of these, each looked for where none before it was."""
        left = self.all()
        parts: list[Numbers] = []
        for pattern in patterns:
            found = self.matching(pattern, left if parts else None)
            parts.append(found)
            left = np.setdiff1d(left, found, assume_unique=True)
            if not len(left):
                break
        return np.sort(np.concatenate(parts))

    def with_run(self, of: bytes, length: int) -> list[int]:
        """Numbers of the spans that hold so many of these bytes one after another."""
        is_of = self.buffer.translate(bytes(byte in of for byte in range(256)))
        run, found = b"\1" * length, []
        at = is_of.find(run)
        while at >= 0:
            number = int(np.searchsorted(self._bounds, at, "right")) - 1
            if number == len(self._bounds) - 1:
                break
            end = int(self._bounds[number + 1])
            if number >= 0 and at + length <= end:
                found.append(number)
            at = is_of.find(run, end)  # what begins later in this span ends behind it, too
        return found

    def of_several_lines(self, newlines: Numbers) -> list[int]:
        """Numbers of the spans with a newline before their last byte. newlines: where they stand in the buffer."""
        after = np.searchsorted(newlines, self._bounds[:-1])
        until = np.searchsorted(newlines, self._bounds[1:] - 1)
        several: list[int] = np.flatnonzero(until > after).tolist()
        return several

    def beginning_with(self, byte: bytes) -> Numbers:
        """Numbers of the spans whose first byte is this one. No span may be empty."""
        return np.flatnonzero(self._bytes[self._bounds[:-1]] == byte[0])

    def longer_than(self, size: int) -> Numbers:
        """Numbers of the spans of more bytes than that."""
        return np.flatnonzero(np.diff(self._bounds) > size)

    def all(self) -> Numbers:
        """The numbers of all spans."""
        return np.arange(len(self._bounds) - 1)
