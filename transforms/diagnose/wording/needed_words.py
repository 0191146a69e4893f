"""A pattern that is looked for in many texts: after words that a match of it can't do without, as most have none of them."""

import re
from collections.abc import Iterable
from functools import cached_property

from transforms.sieve import PIECE, Regex
from transforms.when_used import when_used
from transforms.word_index import WordIndex

Words = tuple[str, ...]
LEAST = 4  # characters: shorter words are in too many lines
_WHOSE_WORDS_COUNT = when_used(r"\((?:\?(?:P<\w+>|[a-z]*:))?")  # no lookaround


class Pattern(Regex):
    """A regex, compiled when a text first has one of its words."""

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """See needed_words()."""
        return needed_words(self.text)

    def is_in(self, text: str, low: str | None = None) -> bool:
        """Whether a text holds a match. low: the text in lower case, where many patterns are looked for in it."""
        if low is None:
            low = text.lower()
        for word in self.needed:  # a loop: nearly all that is asked ends here, and any() takes twice as long
            if word in low:
                break
        else:
            if self.needed:
                return False
        return self.regex.search(text) is not None


class PatternIndex:
    """Patterns of several owners, to ask of a text whose may be in it: all their needed words are looked for at once."""

    def __init__(self, patterns: Iterable[tuple[int, Pattern]]) -> None:
        """patterns: with the number of their owner."""
        owned = list(patterns)
        self._always = frozenset(owner for owner, pattern in owned if not pattern.needed)
        self._words = WordIndex((word, owner) for owner, pattern in owned for word in pattern.needed)

    def owners(self, low: str) -> set[int]:
        """Those whose patterns may have a match in a text; no other has one. low: the text in lower case."""
        return self._words.owners(low) | self._always


def needed_words(pattern: str) -> tuple[str, ...]:
    """Words of which each match of a pattern holds one, in lower case; none where that can't be told.

    Of each branch the longest run of characters that stand there as they are, or the words of a group, if all are longer.
    In lower case, as a pattern may ignore it: they are looked for in a text's lower case.
    """
    groups: list[tuple[bool, list[Words]]] = [
        (True, [()])
    ]  # whether they count, and of each branch the best until now
    for piece in PIECE.finditer(pattern):
        branches = groups[-1][1]
        found: Words = ()
        if piece["open"]:
            groups.append((_WHOSE_WORDS_COUNT.fullmatch(piece["open"]) is not None, [()]))
        elif piece["sign"] == "|":
            branches.append(())
        elif piece["sign"] and len(groups) > 1:
            counts, inner = groups.pop()
            branches = groups[-1][1]
            found = _of_all(inner) if counts and pattern[piece.end() :][:1] not in ("?", "*", "{") else ()
        elif piece["plain"]:
            found = (re.sub(r"\\(\W)", r"\1", piece["plain"]).lower(),)
        branches[-1] = max(branches[-1], found, key=_shortest)
    words = _of_all(groups[0][1])
    return words if len(groups) == 1 and _shortest(words) >= LEAST else ()


def _of_all(branches: Iterable[Words]) -> Words:
    """The words of all branches; none where one has none."""
    some = list(branches)
    return tuple(dict.fromkeys(word for words in some for word in words)) if all(some) else ()


def _shortest(words: Words) -> int:
    return min(map(len, words), default=0)
