"""The words that a pattern of the catalogue can begin with: what the finder looks texts up by."""

import re
from functools import cache

# More words than these are no help: such a pattern is tried on every text.
MOST_WORDS = 12
_GROUP = re.compile(r"\((?:\?:|\?P<\w+>)?")
_LITERAL = re.compile(r"\\([^\w])|([\w \-:'\"=,/<>@%#&~`])")
_CLASS = re.compile(r"\[(\w{1,4})\]")


class _UnknownError(Exception):
    """The pattern begins with something that may be many words."""


@cache
def first_words(pattern: str) -> tuple[str, ...]:
    """All words, up to a space, that a text can begin with; none where they are not to be told from the pattern.

    Understood are characters, a class of a few letters, groups with `|`, and `?` behind any of them.
    """
    try:
        words, _ = _sequences(pattern, 0, {""})
    except _UnknownError:
        return ()
    if not all(" " in word for word in words):
        return ()
    return tuple(sorted({word.partition(" ")[0] for word in words}))


def _sequences(pattern: str, at: int, before: set[str]) -> tuple[set[str], int]:
    """What may stand from a place of the pattern to the end of its group, behind what stood before."""
    done: set[str] = set()
    open_ones = set(before)
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            done |= open_ones
            open_ones = set(before)
            at += 1
            continue
        if all(" " in one for one in open_ones):  # the first word is over: the rest only has to be passed
            at = _past(pattern, at)
            continue
        choices, at = _piece(pattern, at)
        if at < len(pattern) and pattern[at] in "*+{":
            raise _UnknownError
        if at < len(pattern) and pattern[at] == "?":
            choices, at = choices | {""}, at + 1
        open_ones = {one if " " in one else one + more for one in open_ones for more in choices}
        if len(done) + len(open_ones) > MOST_WORDS:
            raise _UnknownError
    return done | open_ones, at


def _piece(pattern: str, at: int) -> tuple[set[str], int]:
    """One character, or one group."""
    if pattern.startswith(("(?!", "(?=", "(?<"), at):
        raise _UnknownError
    if (group := _GROUP.match(pattern, at)) is not None:
        words, end = _sequences(pattern, group.end(), {""})
        return words, end + 1
    if (literal := _LITERAL.match(pattern, at)) is not None:
        return {literal[1] or literal[2]}, literal.end()
    if (some := _CLASS.match(pattern, at)) is not None:
        return set(some[1]), some.end()
    raise _UnknownError


def _past(pattern: str, at: int) -> int:
    """Behind one piece, whatever it is: at the next `|` or `)` of the same depth."""
    depth = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 2
            continue
        if char == "[":
            at = _past_class(pattern, at)
            continue
        if char in "|)" and depth == 0:
            return at
        depth += (char == "(") - (char == ")")
        at += 1
    return at


def _past_class(pattern: str, at: int) -> int:
    at += 2 if pattern.startswith("[^", at) else 1
    at += pattern[at] == "]"
    while pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at + 1
