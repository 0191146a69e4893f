"""The sentences of troubles.yaml: words, fields in {}, and parts in [] that are left out where a field is not known.

`{!a}` is no word, and stands where `a` is not known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from transforms.diagnose.wording.words import exact
from transforms.when_used import when_used
from transforms.whole import whole_number

_SLOT = when_used(r"\{([^{}]+)\}")
_SIGNS = when_used(r"(\{[^{}]+\}|[\[\]])")
# What is quoted, or cut, ends a sentence already; a path that begins above its folder ends none; `1..15` is a range.
_TWO_ENDS = when_used(r"(?<!\.)([.!?])\.(?![.\\/\w])|( \.\.\.)\.|(?<=\w\w)\.(?=[,;] |\"\.)")
TWO_SIGNS = ("..", "!.", "?.", ".,", ".;", '.".')  # nearly no sentence has any
NOT = "!"
_ARTICLES = ("A ", "An ", "The ")
# Fields that a sentence may name beside those that a class finds.
FIELDS = frozenset({
    "topic", "node", "text", "quote", "message_id", "resource", "innermost", "innermost_name", "innermost_message", "said",
    "error", "error_message",
})  # fmt: skip


def sentence(template: str, known: Mapping[str, str]) -> str:
    """A template of troubles.yaml filled in; a part in [] is left out where it has a field that is not known."""
    text, _ = _filled(_parsed(template), known, is_left_out=False)
    text = " ".join(text.split())
    return _TWO_ENDS.sub(r"\1\2", text) if any(map(text.__contains__, TWO_SIGNS)) else text


def within(said: str) -> str:
    """A title as it stands within a sentence: small where it begins with an article, which is no name."""
    return said[:1].lower() + said[1:] if said.startswith(_ARTICLES) else said


@dataclass(frozen=True, slots=True)
class _Part:
    """What stands in a template's []; the template itself is one. pieces: words, fields as `{a|b}` gives them, parts."""

    pieces: tuple["str | tuple[str, ...] | _Part", ...]


def _filled(part: _Part, known: Mapping[str, str], *, is_left_out: bool = True) -> tuple[str, bool]:
    """Text, and whether all its fields were known. is_left_out: where they are not, so none of them is a word."""
    made, is_whole = [], True
    for piece in part.pieces:
        if isinstance(piece, str):
            made.append(piece)
        elif isinstance(piece, _Part):
            inner, is_known = _filled(piece, known)
            made.append(inner if is_known else "")
        else:
            value = _value(piece, known, is_field=is_left_out)
            is_whole = is_whole and value is not None
            made.append(value or "")
    return "".join(made), is_whole


@cache
def named_in(template: str) -> frozenset[str]:
    """The fields that a template may name, without those that it gives as lengths of time."""
    slots = (name.removeprefix(NOT) for slot in _SLOT.findall(template) for name in slot.split("|"))
    return frozenset(name for name in slots if ":" not in name)


@cache
def _parsed(template: str) -> _Part:
    """A template of troubles.yaml in its parts; there are as many as sentences stand there."""
    within: list[list[str | tuple[str, ...] | _Part]] = [[]]
    for piece in _SIGNS.split(template):
        if piece == "[":
            within.append([])
        elif piece == "]" and len(within) > 1:
            inner = _Part(tuple(within.pop()))
            within[-1].append(inner)
        elif slot := _SLOT.fullmatch(piece):
            within[-1].append(tuple(slot[1].split("|")))
        elif piece:
            within[-1].append(piece)
    while len(within) > 1:  # a part that nothing ends goes on to the end
        inner = _Part(tuple(within.pop()))
        within[-1].append(inner)
    return _Part(tuple(within[0]))


def _value(slot: Sequence[str], known: Mapping[str, str], *, is_field: bool) -> str | None:
    """`{a|b|words}`: the first that is known; what has a space or stands last behind others may be words.

    is_field: whether what stands last without a space is a field.
    """
    others = slot[1:]
    if slot[0].startswith(NOT):
        return None if slot[0].removeprefix(NOT) in known else ""
    for name in slot:
        plain, _, form = name.partition(":")
        if plain in known:
            return (
                exact(whole_number(known[plain]))
                if form == "ms" and known[plain].isdecimal()
                else known[plain]
            )
    last = others[-1] if others else ""
    is_word = bool(last) and not is_field and ":" not in last and last not in FIELDS
    return last if " " in last or is_word else None
