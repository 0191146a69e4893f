"""Which of many forms a text may say: the literals of all are looked for at once.

One by one they would take most of the time that a line takes which no layout reads: there are hundreds.
"""

from collections import defaultdict
from collections.abc import Sequence

import re2

from transforms.parse.catalogue.form import Form


class FormsByLiteral:
    """Forms, to ask of a text which of them may be in it."""

    def __init__(self, forms: Sequence[Form]) -> None:
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, form in enumerate(forms):
            numbers[form.literal].append(number)
        self._forms, self._numbers = forms, list(numbers.values())
        self._literals = re2.Set.SearchSet()
        for literal in numbers:
            self._literals.Add(re2.escape(literal))
        self._literals.Compile()

    def may_be_in(self, text: str) -> list[Form]:
        """Those whose literal a text holds, in their order."""
        # In bytes: half a surrogate, which a text may hold, is none of a literal.
        places = self._literals.Match(text.encode(errors="replace")) or ()
        return [
            self._forms[number]
            for number in sorted(number for place in places for number in self._numbers[place])
        ]
