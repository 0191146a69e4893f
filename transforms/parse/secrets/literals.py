"""What is written with escapes: each string of JSON is a text of its own, whose lines and quotes are as those of a file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

# In quotes, which open where a value may begin; to the end where the text is cut off.
LITERAL = re.compile(r'(?<![^\s:,\[{(=])"(?P<inside>[^"\\\n]*(?:\\.[^"\\\n]*)*)(?:"|\\?\Z)')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_MEANT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


@dataclass(frozen=True)
class Literal:
    """What stands between two quotes. text: what it means; escaped: as it is written."""

    escaped: str

    @cached_property
    def text(self) -> str:
        """What it means."""
        return _ESCAPE.sub(_meant, self.escaped)

    @cached_property
    def _escapes(self) -> list[tuple[int, int]]:
        """Of each escape its place in the text, and how far what follows has moved."""
        moved, found = 0, []
        for escape in _ESCAPE.finditer(self.escaped):
            at = escape.start() - moved
            moved += len(escape[0]) - 1
            found.append((at, moved))
        return found

    def place(self, at: int) -> int:
        """Where a place of the text stands in what is written."""
        low, high = 0, len(self._escapes)
        while low < high:
            middle = (low + high) // 2
            if self._escapes[middle][0] < at:
                low = middle + 1
            else:
                high = middle
        return at + (self._escapes[low - 1][1] if low else 0)


def _meant(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _MEANT.get(escape[2], escape[2])


def literals(text: str) -> Iterator[tuple[int, Literal]]:
    """The strings with escapes in a text, and its lines with escapes outside of strings, each with where it begins."""
    for found in LITERAL.finditer(text):
        if "\\" in found["inside"]:
            yield found.start("inside"), Literal(found["inside"])
    if "\\n" not in text:
        return
    begin = 0
    for line in text.split("\n"):
        if "\\n" in line and "\\n" in LITERAL.sub("", line):
            yield begin, Literal(line)
        begin += len(line) + 1
