"""Which of many forms a text may say, by their literals."""

from collections.abc import Sequence

from transforms.parse.catalogue.form import Form
from transforms.word_index import WordIndex


class FormsByLiteral:
    """Forms, to ask of a text which of them may be in it."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._forms = forms
        self._literals = WordIndex((form.literal, number) for number, form in enumerate(forms))

    def may_be_in(self, text: str) -> list[Form]:
        """Those whose literal a text holds, in their order."""
        return [self._forms[number] for number in sorted(self._literals.owners(text))]
