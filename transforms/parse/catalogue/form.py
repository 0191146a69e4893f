"""A family of messages, and one of its texts as a pattern."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from transforms.parse.catalogue.patterns import pieces, word_of

WHOLE_NUMBERS = frozenset({
    "node_id", "correlation_id", "attempts_left", "generation", "partition", "tries", "attempt", "attempts",
    "retries", "retry", "records", "commit_offset", "epoch",
})  # fmt: skip
# Characters of plain text that a message has which is known without its logger: shorter ones other systems say, too.
LEAST_TOLD = 20
LEAST_TOLD_IN_ALL = 28  # of all its pieces together
OF_OTHERS = ("librdkafka", "python", "node", "go", "ruby", "erlang", "few")  # in this order they are asked


class Case(NamedTuple):
    """What a line of a family is where these patterns are found in these fields of its event, or in its `message`."""

    patterns: tuple[tuple[str, str], ...]
    told: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Family:
    """One entry of messages.yaml, without its texts and what only who reads it needs; its head tells what each field is."""

    id: str
    kind: str
    loggers: frozenset[str]
    levels: tuple[str, ...]
    ends_by: tuple[str, ...]
    cases: tuple[Case, ...]
    client: str | None = None
    api: str | None = None
    benign: str | None = None
    library: str = "java"
    trouble: str | None = None
    works: bool = False
    repeats_class: bool = False


@dataclass(frozen=True)
class Form:
    """One text of a family. `literal` must be in the line (it only excludes); `regex`, made of `pattern`, confirms.

    first_words: what the text can begin with; none where it begins with a field. is_exception: looked for anywhere in a
    record. telling: nobody but Kafka says it, short as it is.
    """

    family: Family
    text: str
    literal: str
    first_words: tuple[str, ...]
    pattern: str
    is_exception: bool = False
    telling: bool = False

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled when it is first asked for: of hundreds a log needs a few."""
        return compiled(self.pattern)

    @cached_property
    def lead(self) -> str:
        """The words that it begins with."""
        return "".join(takewhile(bool, map(word_of, pieces(self.pattern))))

    def found_in(self, text: str, *, is_begin: bool = False) -> re.Match[str] | None:
        """Where a text says it. is_begin: at the text's beginning only."""
        if self.literal not in text:
            return None
        return self.regex.match(text) if is_begin else self.regex.search(text)

    @property
    def is_telling(self) -> bool:
        """Whether nobody but Kafka says this: `Shutdown complete` many say. A dump is told by its class and its keys."""
        is_long = len(self.literal) >= LEAST_TOLD or "afka" in self.literal
        return is_long or self.telling or self.family.kind == "config_dump"


@lru_cache(1 << 14)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled once: that of a form, and beginnings of it that lines which were cut off are tried by."""
    return re.compile(pattern)
