"""A pattern of the catalogue in pieces: what it can begin with, and how much of it is plain text."""

import re
from functools import cache, lru_cache

from transforms.when_used import when_used

# More first words than these are no help: such a pattern is tried on every text.
MOST_WORDS = 12
_ATOM = when_used(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.")
_COUNT = when_used(r"(?:[*+?]|\{\d+(?:,\d*)?\})?[?+]?")
_OPENS = when_used(r"\((?:\?(?:P<\w+>|[:>]))?(?!\?)")
_WORD = when_used(r"\\?([^\w\\]|(?<!\\)\w)$")
_ANYTHING = when_used(r"(?:\(\?(?:P<\w+>|[:>]))*\.[*+{]")
_LITERAL = when_used(r"\\([^\w])|([\w \-:'\"=,/<>@%#&~`])")
_CLASS = when_used(r"\[(\w{1,4})\]")


class _UnknownError(Exception):
    """The pattern begins with something that may be many words."""


@cache
def pieces(pattern: str) -> tuple[str, ...]:
    """A pattern's characters, classes and groups in their order, each with its count."""
    found, at = [], 0
    while at < len(pattern):
        end = _end_of(_COUNT, pattern, _past_one(pattern, at))
        found.append(pattern[at:end])
        at = end
    return tuple(found)


@lru_cache(1 << 12)
def alternatives(piece: str) -> tuple[str, ...]:
    """What a group holds, one for each of its choices; nothing for what is no group, or only looks."""
    opens = _OPENS.match(piece)
    if opens is None:
        return ()
    inner = piece[opens.end() : piece.rindex(")")]
    found = [""]
    for one in pieces(inner):
        if one == "|":
            found.append("")
        else:
            found[-1] += one
    return tuple(found)


def takes_anything(piece: str) -> bool:
    """Whether a piece takes whatever stands there."""
    return _ANYTHING.match(piece) is not None


def word_of(piece: str) -> str:
    """The one character of plain text that a piece is; nothing for any other."""
    word = _WORD.match(piece)
    return word[1] if word is not None else ""


@lru_cache(1 << 14)
def words_in(pattern: str) -> tuple[int, ...]:
    """How many characters of a pattern are plain text, in each run between pieces that take anything."""
    runs = [0]
    for piece in pieces(pattern):
        if takes_anything(piece):
            runs.append(0)
        inner = alternatives(piece) if piece.endswith(")") else ()
        runs[-1] += min(sum(words_in(one)) for one in inner) if inner else len(word_of(piece))
    return tuple(runs)


@cache
def first_words(pattern: str) -> tuple[str, ...]:
    """All words, up to a space, that a text can begin with; none where they are not to be told from the pattern.

    Understood are characters, a class of a few letters, groups with `|`, and `?` behind any of them.
    """
    try:
        beginnings = _beginnings(f"(?:{pattern})")
    except _UnknownError:
        return ()
    if not all(" " in one for one in beginnings):
        return ()
    return tuple(sorted({one.partition(" ")[0] for one in beginnings}))


def _beginnings(piece: str) -> set[str]:
    """What a text that a piece fits can be, read no further than its first word is over."""
    end = _past_one(piece, 0)
    bare, count = piece[:end], piece[end:]
    if count == "?":
        return _beginnings(bare) | {""}
    if (literal := _LITERAL.fullmatch(piece)) is not None:
        return {literal[1] or literal[2]}
    if (some := _CLASS.fullmatch(piece)) is not None:
        return set(some[1])
    choices = () if count else alternatives(bare)
    if not choices:
        raise _UnknownError
    found: set[str] = set()
    for choice in choices:
        words = {""}
        for part in pieces(choice):
            if all(" " in one for one in words):
                break
            more = _beginnings(part)
            words = {one if " " in one else one + behind for one in words for behind in more}
            if len(found) + len(words) > MOST_WORDS:
                raise _UnknownError
        found |= words
    return found


def _past_one(pattern: str, at: int) -> int:
    """Behind the character, class or group that begins at a place, without its count."""
    depth = 0
    while True:
        depth += (pattern[at] == "(") - (pattern[at] == ")")
        at = _end_of(_ATOM, pattern, at)
        if depth <= 0:
            return at


def _end_of(what: re.Pattern[str], pattern: str, at: int) -> int:
    found = what.match(pattern, at)
    return at if found is None else found.end()
