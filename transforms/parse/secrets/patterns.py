"""What secrets look like, as secrets.yaml has it: patterns, each compiled when it is first used."""

import re
from collections.abc import Iterator

from transforms import yaml_text
from transforms.when_used import when_used

KNOWN = yaml_text.of_package("transforms.parse", "secrets.yaml")
_PART = when_used(r"\(\?&(\w+)\)")


def whole(pattern: str, hint: str = "") -> str:
    """A pattern with its parts in their places."""
    return _PART.sub(lambda part: hint if part[1] == "HINT" else whole(KNOWN["parts"][part[1]]), pattern)


def hinted(section: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns of a section, each with what must occur for it to be tried."""
    for hints, pattern in KNOWN[section]:
        for hint in [hints] if isinstance(hints, str) else hints:
            yield hint, when_used(whole(pattern, hint))
