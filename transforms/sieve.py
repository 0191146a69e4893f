"""Patterns that most texts hold no match of: RE2 says so in the time of their length, where `re` tries each place."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import re2

from transforms.when_used import when_used

MOST_COMPILED = 64  # patterns: each may hold some megabytes of states
_LOOKS = when_used(r"\(\?<?[=!]")
# What a pattern is made of: characters that stand there as they are, and whatever else, piece by piece.
PIECE = when_used(
    r"(?s)(?P<plain>(?:(?:[^\\\[(){|.^$?*+]|\\\W)(?![?*+{]))+)|(?P<open>\((?:\?(?:P<\w+>|[a-z]*:|<?[=!]))?)|(?P<sign>[)|])"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|\\.|.",
)
_ENDS = {"$": r"\s*$", r"\Z": r"\z"}  # as RE2 writes them
_BYTES = re2.Options()
_BYTES.encoding = re2.Options.Encoding.LATIN1
_BYTES.log_errors = False


@lru_cache(MOST_COMPILED)
def holding(pattern: str) -> Callable[[bytes], object]:
    """Gives None where there is no match: a set of one, as what says where a match is takes up to three times as long."""
    one = re2.Set.SearchSet(_BYTES)
    one.Add(pattern.encode())
    one.Compile()
    found: Callable[[bytes], object] = one.Match
    return found


@dataclass(frozen=True)
class Regex:
    """A regex, compiled when it is first used."""

    text: str

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled."""
        return re.compile(self.text)


class Sieved(Regex):
    """A regex of which RE2 says first that a text has no match, and that is compiled when one may have."""

    @cached_property
    def sieve(self) -> str:
        """What matches wherever the regex does (RE2, on bytes of ASCII)."""
        return PIECE.sub(lambda piece: _ENDS.get(piece[0], piece[0]), without_lookaround(self.text))

    @cached_property
    def _may_be_in(self) -> Callable[[bytes], object]:
        return holding(self.sieve)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match in a text."""
        if text.isascii() and not self._may_be_in(text.encode()):
            return None
        return self.regex.search(text)


def without_lookaround(pattern: str) -> str:
    """A pattern without what it asks of the text before and behind it, for RE2: it matches wherever the other does."""
    kept: list[str] = []
    groups: list[bool] = []  # whether each that is open is lookaround, or within one
    for piece in PIECE.finditer(pattern):
        if piece["open"]:
            groups.append((bool(groups) and groups[-1]) or _LOOKS.fullmatch(piece["open"]) is not None)
            is_left_out = groups[-1]
        else:
            is_left_out = bool(groups) and groups[-1]
        if piece["sign"] == ")" and groups:
            groups.pop()
        if not is_left_out:
            kept.append(piece[0])
    return "".join(kept)
