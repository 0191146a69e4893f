"""The lines of a block of a file: searched all at once, without a copy; and the stack traces below them."""

from collections import Counter
from collections.abc import Collection, Sequence, Set

import numpy as np

from transforms.diagnose.unexplained.traces import (
    goes_on,
    is_cause,
    is_exception,
    is_frame,
    is_of_python,
    stands_before,
    thrown_by_python,
)
from transforms.diagnose.wording.kafkas_words import BEFORE_IT, DOTTED, KAFKA
from transforms.diagnose.wording.loudness import loudness_of
from transforms.parse.lines.pasted import uncoloured
from transforms.parse.lines.timestamps import STAMP
from transforms.parse.records.spanfilter import FEW, SpanFilter, newlines_in
from transforms.when_used import when_used

MOST_CHARACTERS = 2_000  # of one line
MOST_WITHIN = 32_000  # characters of one line that has a stack trace within it
MOST_TRACE = 300  # lines of one stack trace
MOST_MESSAGE = 8  # lines of what an exception says, before its first frame
_WITHIN = r"\n\tat "  # a frame in a value of JSON's
CONTAINER = when_used(r"[\w.@/\-]{1,120} {1,80}\| ")  # as docker compose puts it before each line

BY_POWERSHELL = b"+ CategoryInfo"  # what it tells of the first line that a program writes to its error stream
_OWN = when_used(rb"\d{4}-\d\d-\d\d[ T]|\[?(?:FATAL|ERROR|WARN|INFO|DEBUG|TRACE)")  # begins a record
# Of the lines that end at a word no longer than its window; a few may be the program's own.
_MOST_WIDE = 0.98


def rejoined(block: bytes) -> bytes:
    """Lines that PowerShell broke at the width of its window, whole again: such as end with a blank, or at that width within
    a word. Each line below keeps its number, without what stood there."""
    lines = [line.rstrip(b"\r") for line in block.split(b"\n")]
    ends = sorted(len(line) for line in lines if line.endswith(b" ") and line.strip())
    if not ends:
        return block
    most = ends[min(int(_MOST_WIDE * len(ends)), len(ends) - 1)]
    widths = Counter(len(line) for line in lines if abs(len(line) - most) <= 1)
    width = max(widths, key=lambda one: widths[one])
    whole: list[bytes] = []
    at = 0
    for number, line in enumerate(lines):
        above = lines[number - 1] if number else b""
        is_broken = above[-1:] == b" " or (len(above) == width and _OWN.match(line) is None)
        if is_broken and above.strip() and line.strip():
            whole[at] += line
            whole.append(b"")
        else:
            at = number
            whole.append(line)
    return b"\n".join(whole)


def container_of(text: str) -> str:
    """The container's name with what follows it, where it stands before a line; else nothing."""
    whose = CONTAINER.match(text)
    return whose[0] if whose else ""


class BlockLines:
    """The lines of a block, searched all at once, without a copy."""

    def __init__(self, block: bytes) -> None:
        ends = newlines_in(block)
        self._block = block
        self._bounds = np.concatenate(([0], ends + 1, [len(block)])).astype(np.int64)
        self._spans = SpanFilter(block, self._bounds)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def matching(self, pattern: str) -> list[int]:
        """Numbers from 0 of the lines that hold a match. pattern: RE2, on bytes."""
        found: list[int] = self._spans.matching(pattern).tolist()
        return found

    def among(self, numbers: list[int], pattern: str) -> Collection[int]:
        """Which of these lines hold a match; all of them where they are so few that looking costs more."""
        return numbers if len(numbers) <= FEW else self.having(numbers, pattern)

    def having(self, numbers: Sequence[int], pattern: str) -> Set[int]:
        """Which of these lines hold a match."""
        return set(self._spans.matching(pattern, np.array(numbers, np.int64)).tolist())

    def about_kafka(self, numbers: list[int]) -> tuple[Set[int], Set[int]]:
        """Which of these lines are about Kafka, and which of them also without their names of classes, metrics and hosts."""
        about = self._spans.matching(KAFKA.sieve, np.array(numbers, np.int64))
        plainly = self._spans.matching(KAFKA.sieve, about, without=DOTTED.pattern, by=BEFORE_IT)
        return set(about.tolist()), set(plainly.tolist())

    def trace(self, number: int, most: int) -> list[str]:
        """The stack trace that stands below a line, as far as it is in this block: so many lines.

        Where a container's name stands before the line, it is taken off those below; another container's end the trace.
        """
        found: list[str] = []
        begin, said_to = number + 1, 0
        before = container_of(self.text(number))
        if begin + 1 < len(self) and stands_before(self.text(begin).removeprefix(before)):
            begin += 1
        for at in range(begin, min(len(self), begin + most)):
            line = self.text(at)
            if not line.startswith(before):
                return found
            line = line[len(before) :]
            # A page may have moved all of a trace in.
            is_first = at == begin and is_exception(line)
            is_code = bool(found) and is_of_python(found[-1]) and line.startswith("    ")
            if is_first or is_cause(line):
                said_to = self._frame_below(at, before)
            if not (is_first or is_code or goes_on(line) or at < said_to):
                is_end = any(map(is_of_python, found[-2:])) and bool(thrown_by_python(line))
                return [*found, line] if is_end else found
            found.append(line)
        return found

    def _frame_below(self, number: int, before: str) -> int:
        """The first frame of what is thrown at a line, where what it says has several lines, none of a time or level of its
        own; the line itself where there is none. before: a container's name."""
        for at in range(number + 1, min(len(self), number + 1 + MOST_MESSAGE)):
            line = self.text(at).removeprefix(before)
            if is_frame(line):
                return at
            if STAMP.search(line) or loudness_of(line):
                break
        return number

    def unfolded(self, number: int) -> str:
        """A line that has its stack trace within it, escaped as in JSON, as lines; nothing where it has none."""
        text = self.text(number, MOST_WITHIN)
        return text.replace("\\n", "\n").replace("\\t", "\t") if _WITHIN in text else ""

    def raised(self, number: int) -> str:
        """A line with the frames of Python that stand above it; nothing where there are none."""
        above = [self.text(at) for at in range(max(number - 2, 0), number)]
        return "\n".join([*above, self.text(number)]) if any(map(is_of_python, above)) else ""

    def text(self, number: int, most: int = MOST_CHARACTERS) -> str:
        """A line without its end and without colours, cut."""
        begin, end = int(self._bounds[number]), int(self._bounds[number + 1])
        line = self._block[begin : min(end, begin + 4 * most)].decode("utf-8", "replace")
        return (uncoloured(line) if "\x1b[" in line else line).rstrip("\r\n")[:most]
