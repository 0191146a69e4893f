"""Texts as every encoding has them: a literal may hold half a character, which no table, file or terminal takes."""

import json
from typing import Any

from transforms.when_used import when_used

_HALF = when_used("[\ud800-\udfff]")
_MAY_HOLD_HALVES = ("\\ud", "\\uD")  # as literals write them


def well_formed(text: str) -> str:
    """A text with halves that belong together as one character, and U+FFFD for each that is alone."""
    if text.isascii() or _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def well_formed_json(value: Any, written: str) -> Any:
    """A value of JSON with all of its texts and names well formed. written: what it was read from.

    Raises: RecursionError.
    """
    if not any(mark in written for mark in _MAY_HOLD_HALVES):
        return value
    whole = json.dumps(value, ensure_ascii=False)
    formed = well_formed(whole)
    return value if formed is whole else json.loads(formed, strict=False)
