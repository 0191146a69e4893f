"""A rule's docstring, taken apart: what pages and `explain` show of it."""

import inspect
from collections.abc import Callable
from typing import Any

from transforms.when_used import when_used

_HEADING = when_used(r"(?m)^(Source|Silent when):\s*")


def parts_of(judge: Callable[..., Any]) -> dict[str, str]:
    """Heading -> text on one line, without its full stop; the first paragraph is under ``.

    Headings are `Source` and `Silent when`; one that is missing is left out.
    """
    text = inspect.getdoc(judge) or ""
    first, *pairs = _HEADING.split(text)
    parts = {"": _one_line(first.split("\n\n")[0])}
    for heading, body in zip(pairs[::2], pairs[1::2], strict=True):
        parts[heading] = _one_line(body.split("\n\n")[0]).rstrip(".;")
    return parts


def _one_line(text: str) -> str:
    return " ".join(text.split())
