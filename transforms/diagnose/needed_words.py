"""A pattern that is looked for in many texts: after words that a match of it can't do without, as most have none of them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

LEAST = 4  # characters: shorter words are in too many lines
_IGNORES_CASE = re.compile(r"\(\?[a-z]*i")
# What a pattern is made of: characters that stand there as they are, and whatever else, piece by piece.
_PIECE = re.compile(
    r"(?P<plain>(?:(?:[^\\\[(){|.^$?*+]|\\\W)(?![?*+{]))+)|(?P<sign>[()|])"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|\\.|.",
    re.S,
)


@dataclass(frozen=True)
class Pattern:
    """A regex, compiled when a text first has one of its words."""

    text: str

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled."""
        return re.compile(self.text)

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """See needed_words()."""
        return needed_words(self.text)

    def is_in(self, text: str) -> bool:
        """Whether a text holds a match."""
        for word in self.needed:  # a loop: nearly all that is asked ends here, and any() takes twice as long
            if word in text:
                break
        else:
            if self.needed:
                return False
        return self.regex.search(text) is not None


class PatternIndex:
    """Patterns of several owners, to ask of a text whose may be in it: by a few letters of each needed word."""

    def __init__(self, patterns: Iterable[tuple[int, Pattern]]) -> None:
        """patterns: with the number of their owner."""
        owned = list(patterns)
        self._always = frozenset(owner for owner, pattern in owned if not pattern.needed)
        words = [(owner, word) for owner, pattern in owned for word in pattern.needed]
        often = Counter(letters for _, word in words for letters in _runs_of(word))
        self._by_letters: dict[str, set[int]] = defaultdict(set)
        for owner, word in words:
            self._by_letters[min(_runs_of(word), key=lambda letters: (often[letters], letters))].add(owner)

    def owners(self, text: str) -> set[int]:
        """Those whose patterns may have a match in the text; no other has one."""
        found = set(self._always)
        for letters in self._by_letters.keys() & _runs_of(text):
            found |= self._by_letters[letters]
        return found


def _runs_of(text: str) -> set[str]:
    """All that stands in a text in LEAST characters."""
    return {text[at : at + LEAST] for at in range(len(text) - LEAST + 1)}


def needed_words(pattern: str) -> tuple[str, ...]:
    """Words of which each match of a pattern holds one; none where that can't be told.

    Of each branch the longest run of characters that stand there as they are, outside of groups.
    """
    if _IGNORES_CASE.search(pattern):
        return ()
    longest, depth = [""], 0
    for piece in _PIECE.finditer(pattern):
        sign = piece["sign"]
        if sign == "|" and depth == 0:
            longest.append("")
        elif sign:
            depth += {"(": 1, ")": -1}.get(sign, 0)
        elif piece["plain"] and depth == 0:
            longest[-1] = max(longest[-1], re.sub(r"\\(\W)", r"\1", piece["plain"]), key=len)
    return tuple(dict.fromkeys(longest)) if all(len(word) >= LEAST for word in longest) else ()
