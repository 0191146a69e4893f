"""Errors within answers, as DEBUG prints them: only what no later answer to the same request took back."""

from dataclasses import dataclass, field

from transforms.diagnose.unexplained.block_lines import BlockLines
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.parse.catalogue.errors import ANSWER, ERROR_IN_RESPONSE, answer_in

MOST_ANSWERS = 256  # clients and requests whose last answer was an error


@dataclass(slots=True)
class LastAnswers:
    """Of each client and request of a source the last answer, where it holds an error."""

    source: str
    _refused: dict[tuple[str, str], RawLine] = field(default_factory=dict)

    def take(self, lines: BlockLines, before: int) -> None:
        """The next lines, and how many stood before them."""
        if not self._refused and not lines.matching(ERROR_IN_RESPONSE):
            return
        for number in lines.matching(ANSWER):
            text = lines.text(number)
            found = answer_in(text)
            if found is None:
                continue
            whose, errors = found
            self._refused.pop(whose, None)
            if errors and len(self._refused) < MOST_ANSWERS:
                self._refused[whose] = RawLine(
                    self.source, before + number + 1, text, "words", errors=tuple(errors)
                )

    def refused(self) -> list[RawLine]:
        """Those that were the last of their kind."""
        return [*self._refused.values()]
