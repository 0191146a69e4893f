"""What is written otherwise than it is meant: each string of JSON is a text of its own, whose lines and quotes are as those
of a file, and signs may stand as references of HTML, in percents of a URL, by their numbers.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from operator import itemgetter

from transforms.when_used import when_used

# In quotes, which open where a value may begin; to the end where the text is cut off.
LITERAL = when_used(r'(?<![^\s:,\[{(=])"(?P<inside>[^"\\\n]*(?:\\.[^"\\\n]*)*)(?:"|\\?\Z)')
_ESCAPE = when_used(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_MEANT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
# A printed sign of ASCII by its number or name, in whatever notation: of HTML, URLs, JSON and Java, C and Python, shells.
_SIGN = when_used(
    r"&(?:#\d{2,3}|#[xX][2-7][\da-fA-F]|quot|apos|amp|lt|gt|equals|colon|nbsp|semi|lbrace|rbrace|excl|num|dollar|commat|sol);"
    r"|%(?:[2-6][\da-fA-F]|7[\da-eA-E])"
    r"|(?<!\\)\\++(?:u00(?:[2-6][\da-fA-F]|7[\da-eA-E])|x(?:[2-6][\da-fA-F]|7[\da-eA-E])|u\{[2-7][\da-fA-F]\}|(?:0?[4-7]|1[0-7])[0-7](?!\d))"
)


def _meant(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _MEANT.get(escape[2], escape[2])


# A command's arguments as a list: `["mysql", "-p", "x"]`, `[curl, -u, a:b]`.
_ARGUMENT = r"[\"']?[^\s\"'\[\](){},]{1,256}[\"']?"
_ARGUMENTS = when_used(rf"[\[({{]\s?(?:{_ARGUMENT},\s?){{1,64}}{_ARGUMENT}\s?[\])}}]")
_OPTION = when_used(r"[\s\"']--?[A-Za-z]")
_NEXT_ARGUMENT = when_used(r"[\"'],\s?[\"']|,\s|(?<=[\[({])[\"'](?=-)|[\"'](?=[\])}])")


@dataclass(frozen=True)
class Literal:
    """What is written with escapes. text: what it means; escaped: as it is written."""

    escaped: str
    escapes: re.Pattern[str] = _ESCAPE
    meant: Callable[[re.Match[str]], str] = _meant

    @cached_property
    def text(self) -> str:
        """What it means."""
        return self.escapes.sub(self.meant, self.escaped)

    @cached_property
    def _escapes(self) -> list[tuple[int, int]]:
        """Of each escape its place in the text, and how far what follows has moved."""
        moved, found = 0, []
        for escape in self.escapes.finditer(self.escaped):
            at = escape.start() - moved
            moved += len(escape[0]) - 1
            found.append((at, moved))
        return found

    def place(self, at: int) -> int:
        """Where a place of the text stands in what is written."""
        before = bisect_left(self._escapes, at, key=itemgetter(0))
        return at + (self._escapes[before - 1][1] if before else 0)


def _sign(found: re.Match[str]) -> str:
    """One sign, whatever it is written as; a quote as one that is no string's of the JSON around it."""
    written = found[0]
    if written[0] == "&":
        return unescape(written)[0].replace('"', "'")
    digits = written.lstrip("%\\ux{0").rstrip("}")
    is_octal = written[0] == "\\" and written.lstrip("\\")[0].isdigit()
    return chr(int(digits, 8 if is_octal else 16)).replace('"', "'")


def arguments(text: str) -> Iterator[tuple[int, Literal]]:
    """The lists of a command's arguments in a text as the command would be typed, each with where it begins."""
    if _OPTION.search(text):
        for found in _ARGUMENTS.finditer(text):
            if _OPTION.search(found[0]):
                yield found.start(), Literal(found[0], _NEXT_ARGUMENT, lambda _: " ")


def literals(text: str) -> Iterator[tuple[int, Literal]]:
    """The strings with escapes in a text, its lines with escapes outside of strings, and all of it with its signs as they
    are meant, each with where it begins.
    """
    if _SIGN.search(text):
        yield 0, Literal(text, _SIGN, _sign)
    if "\\" not in text:
        return
    for found in LITERAL.finditer(text):
        if "\\" in found["inside"]:
            yield found.start("inside"), Literal(found["inside"])
    if "\\n" not in text:
        return
    begin = 0
    for line in text.split("\n"):
        if "\\n" in line and "\\n" in LITERAL.sub("", line):
            yield begin, Literal(line)
        begin += len(line) + 1
