"""Lines that a mail, a page or a terminal broke at its width: told by the width itself, which each of them reaches."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from transforms.parse.anchors import CONTEXT_BEGINS
from transforms.parse.starts import ENTRY, GOES_ON, OTHER_CLIENTS
from transforms.parse.timestamps import STAMP
from transforms.parse.tokens import LEVEL

NARROWEST, WIDEST = 60, 240  # characters
NEAR = 16  # characters that most lines lack at most: words are short
ALIKE = 2  # words
MOST_UNFOLDED = 0.2  # share of the lines behind another that its width doesn't explain: a writer's own lines
# A head without a time, as SLF4J's simple logger has it, or a client's own context.
_UNDATED = rf"\[[^\]\n]{{1,100}}\] (?:{LEVEL})\b|\W{{0,4}}(?:{CONTEXT_BEGINS})"
# What begins a line of its own, wherever the line before ends: heads, also of other clients, traces, dumps, JSON.
_FENCE = r"[ \t]*(?:`{3}|~{3})"  # around code in Markdown: no line of it
_OWN = re.compile(
    rf"(?:\d{{1,7}}[:\-])?\W{{0,8}}(?:{STAMP.pattern})|\W{{0,4}}(?:{LEVEL})\b|{_UNDATED}|{'|'.join(OTHER_CLIENTS)}|\{{ ?\""
    rf"|{GOES_ON.pattern}|{ENTRY}|\s+at$|\s*[{{}}\[\]()]?\s*$|{_FENCE}"
)


@dataclass(frozen=True, slots=True)
class Fold:
    """How lines were broken. width: of the page, in characters. is_within: in the middle of words, too."""

    width: int
    is_within: bool

    def joined(self, text: str) -> str:
        """A record's text with its broken lines whole again."""
        whole: list[str] = []
        last = ""
        for line in text.split("\n"):
            if whole and not _OWN.match(line) and self._is_broken(last, line):
                whole[-1] += line if self.is_within else f"{self._gap(last)}{line.lstrip()}"
            else:
                whole.append(line)
            last = line
        return "\n".join(whole)

    @staticmethod
    def _gap(line: str) -> str:
        is_parted = line.endswith((" ", "\t")) or (line.endswith("-") and line[-2:-1].isalnum())
        return "" if is_parted else " "

    def _is_broken(self, line: str, below: str) -> bool:
        if self.is_within:
            return len(line) == self.width
        word = below.split(None, 1)[0]
        fits = len(line) <= self.width or " " not in line.strip()  # but for a word longer than the page
        return fits and len(line) + 1 + len(word) > self.width

    def explains(self, lines: Sequence[str]) -> bool:
        """Whether the width is why most of the lines that begin nothing stand on a line of their own."""
        pairs = [
            (line, below)
            for line, below in pairwise(lines)
            if not (re.match(_FENCE, line) or _OWN.match(below) or _begin_alike(line, below))
        ]
        broken = sum(self._is_broken(line, below) for line, below in pairs)
        # What a long word was left no room for says nothing of the width.
        told = [line for line, below in pairs if self.is_within or len(below.split(None, 1)[0]) <= NEAR]
        near = sum(self.width - NEAR <= len(line) <= self.width for line in told)
        longer = sum(len(line) > self.width and " " in line.strip() for line in lines)
        is_most = broken > 1 and broken >= (1 - MOST_UNFOLDED) * len(pairs)
        return is_most and near > 1 and near * 2 > len(told) and not longer


def _begin_alike(line: str, below: str) -> bool:
    """Whether two lines begin with the same words, as the lines of one writer do, and no rest of a broken one."""
    return line.split(None, ALIKE)[:ALIKE] == below.split(None, ALIKE)[:ALIKE]


def fold_of(lines: Sequence[str]) -> Fold | None:
    """How a source's lines were broken; None where they were not."""
    longest = max((len(line) for line in lines if " " in line.strip()), default=0)
    if not NARROWEST <= longest <= WIDEST:
        return None
    folds = (Fold(longest, is_within) for is_within in (True, False))
    return next((fold for fold in folds if fold.explains(lines)), None)
