"""Patterns that are compiled when they are first used: a small log needs a few of hundreds, at half a millisecond each."""

import re
from typing import Any, cast

_USES = (
    "search",
    "match",
    "fullmatch",
    "finditer",
    "findall",
    "sub",
    "subn",
    "split",
    "groupindex",
    "groups",
    "flags",
)


class WhenUsed:
    """Has what a compiled pattern has, from the first time on that something of it is asked for."""

    __slots__ = (*_USES, "_given", "pattern")

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._given)
        for use in _USES:
            setattr(self, use, getattr(compiled, use))
        return getattr(compiled, name)


def when_used(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled when it is first used."""
    return cast("re.Pattern[str]", WhenUsed(text, flags))
