"""Which of many words a text holds, all looked for at once: one by one, hundreds would take most of a line's time."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import re2


class WordIndex:
    """Words of numbered owners, to ask of a text whose are in it."""

    def __init__(self, words: Iterable[tuple[str, int]]) -> None:
        """words: with the number of their owner."""
        owners: dict[str, set[int]] = defaultdict(set)
        for word, owner in words:
            owners[word].add(owner)
        self._words, self._owners = list(owners), list(owners.values())

    @cached_property
    def _compiled(self) -> Any:
        """All words; of hundreds it takes more than a millisecond, and a small log may ask none."""
        words = re2.Set.SearchSet()
        for word in self._words:
            words.Add(re2.escape(word))
        words.Compile()
        return words

    def owners(self, text: str) -> set[int]:
        """Those of whose words a text holds one."""
        # In bytes: half a surrogate, which a text may hold, is none of a word.
        places = self._compiled.Match(text.encode(errors="replace")) or ()
        return set().union(*(self._owners[place] for place in places))
