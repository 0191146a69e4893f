"""Patterns that are compiled when they are first used: a small log needs a few of hundreds, at half a millisecond each."""

import re
from typing import Any, AnyStr, cast

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

    __slots__ = (*_USES, "pattern")

    def __init__(self, pattern: str | bytes) -> None:
        self.pattern = pattern

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern)
        for use in _USES:
            setattr(self, use, getattr(compiled, use))
        return getattr(compiled, name)


def when_used(text: AnyStr) -> re.Pattern[AnyStr]:
    """A pattern that is compiled when it is first used; its flags stand at its beginning: (?i)."""
    return cast("re.Pattern[AnyStr]", WhenUsed(text))
