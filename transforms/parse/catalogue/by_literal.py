"""Which of many forms a text may say, by their literals: of most texts none, which one search of RE2 tells."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import re2

from transforms.parse.catalogue.form import Form
from transforms.word_index import WordIndex

# Characters of a literal that are enough to exclude a line. Of whole literals RE2 makes more states than it keeps,
# and is then forty times as slow.
LITERAL_CHARS = 20


def any_of(forms: Iterable[Form], *words: str) -> str:
    """A pattern (RE2) with a match in each text that holds the literal of one of these, or a word, and in few others."""
    literals = (*(form.literal for form in forms), *words)
    return "|".join(sorted({re.escape(literal[:LITERAL_CHARS]) for literal in literals}))


def encoded(text: str) -> bytes:
    """A text for RE2, a fifth of the time of `re`; half a surrogate is none of a pattern's signs."""
    return text.encode(errors="replace")


class FormsByLiteral:
    """Forms, to ask of a text which of them may be in it."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._forms = forms
        self._which = WordIndex((form.literal[:LITERAL_CHARS], at) for at, form in enumerate(forms))

    @cached_property
    def _any(self) -> Any:
        return re2.compile(any_of(self._forms))

    def may_be_in(self, text: str) -> list[Form]:
        """Those whose literal a text holds, in their order."""
        if self._any.search(encoded(text)) is None:
            return []
        # One of them is there: where RE2 names none, it ran out of states, and all are asked.
        some = map(self._forms.__getitem__, sorted(self._which.owners(text)) or range(len(self._forms)))
        return [form for form in some if form.literal in text]
