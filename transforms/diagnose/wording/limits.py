"""The limit that decided, in words: what the log shows or its arithmetic gives; a default is never said to have decided.

A logged dump prints every value, so where none was seen a default may have been overridden: it stands in no title.
"""

from dataclasses import dataclass

from transforms.diagnose.wording.defaults import default_ms
from transforms.diagnose.wording.words import exact, origin_words, span
from transforms.timers.profile import PROVEN_ORIGINS


@dataclass(frozen=True, slots=True)
class Limit:
    """A setting's value as an incident may say it. ms: proven, or as a line counts it down; at_most_ms: it can't be longer.

    origin: where `ms` came from; of a default, which is not in `ms`, default_ms and its origin.
    """

    name: str
    ms: int | None = None
    origin: str | None = None
    at_most_ms: int | None = None
    default_ms: int | None = None

    @property
    def words(self) -> str:
        """For a title: `task.timeout.ms = 10 s`, `.. (at most 10.1 s)` where that is less than the default, or its name."""
        if self.ms is not None:
            return f"{self.name} = {exact(self.ms)}"
        return f"{self.name} (at most {span(self.at_most_ms)})" if self._is_telling else self.name

    @property
    def in_cause(self) -> str:
        """The same for a cause, where the sentence behind it says what it can be at most."""
        return self.name if self.ms is None else self.words

    @property
    def known(self) -> str:
        """`, limit ...` for a title; nothing where nothing is known."""
        return f", limit {self.words}" if self.ms is not None or self._is_telling else ""

    @property
    def _is_telling(self) -> bool:
        """Whether that it can't be longer is news: no more than the default may be expected anyway."""
        if self.at_most_ms is None:
            return False
        default = default_ms(self.name)
        return default is None or self.at_most_ms < default

    @property
    def sentence(self) -> str:
        """How it is known, for a cause."""
        if self.ms is not None:
            return f"The limit is {origin_words(self.origin)}."
        if self.at_most_ms is not None:
            return f"The value is not in this log; by its own times it is at most {span(self.at_most_ms)}."
        if self.default_ms is not None:
            return f"The value is not in this log; {span(self.default_ms)} if the default holds."
        return "The value is not in this log."


def limit_from(
    name: str,
    ms: int | None,
    origin: str | None,
    *,
    counted_down_ms: int | None = None,
    at_most_ms: int | None = None,
) -> Limit:
    """The limit of a timer that ran out, or runs.

    ms, origin: of the setting, as known. counted_down_ms: what the first line of the timer gives as the time left.
    at_most_ms: how long it had run when it ran out: nothing may run out before its limit.
    """
    if ms is not None and origin in PROVEN_ORIGINS:
        return Limit(name, ms, origin)
    if counted_down_ms is not None and counted_down_ms > 0:
        return Limit(name, counted_down_ms, "logged")
    is_refuted = ms is not None and at_most_ms is not None and ms > at_most_ms
    return Limit(name, None, None, at_most_ms, None if is_refuted else ms)
