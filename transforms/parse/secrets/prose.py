# ruff: noqa: E501 (patterns are written whole)
"""Secrets in sentences: what is drawn rather than written, near the word for it.

`The password of user svc was set to Zq7RtVx94mKp`: between the word and the value stand other words, and what names
another thing (`user svc`) takes the next word for itself. A sentence ends the search, as does a setting or a bracket's end.

Where the sentence points at the value by a colon, quotes, brackets or `from .. to`, it goes whatever it looks like (told).
"""

import re
from collections.abc import Iterator

from transforms.parse.secrets.names import HARMLESS, Strength
from transforms.parse.secrets.patterns import KNOWN, whole
from transforms.parse.secrets.plain import is_known, looks_drawn, may_be_secret
from transforms.parse.secrets.values import Span, stripped
from transforms.when_used import when_used

REACH = 128  # characters behind the word in which a value is looked for
WORDS = 9  # between the word and a value
_TOKEN = when_used(r"[^\s,;()\[\]{}\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb<>|→]+")
# What stands between two words of a sentence; a new line only directly behind the name (a prompt, a heading, a wrapped line).
_BETWEEN = when_used(r"(?:[^\S\n]|[\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb<>()\[\]|,;:→#]){0,16}")
_NEXT_LINE = when_used(
    r"[\"']?[^\S\n]{0,8}[:=]?[^\S\n]{0,8}(?:\n[^\S\n]{0,16}:?[^\S\n]{0,16}){1,3}(?:[=\-~*]{3,80}\n[^\S\n]{0,16})?(?=\S)"
)
# Words for other things, which have names and numbers of their own.
_THINGS = frozenset(KNOWN["things"].split())
_THINGS_NAME = when_used(r"\s[\"'`]?[^\s\"'`]{1,128}")
_WORD = when_used(
    r"[A-Za-z][A-Za-z'\-]{0,24}|[\w.\-]{1,32}@[\w.\-]{1,64}|\d{1,3}|[a-z][\w.\-]{0,24}|(?:/[\w.\-]{1,40}){1,8}|"
)
_BEFORE = when_used(
    r"(?:^|[\s\"'`(\[=])(?P<secret>[^\s\"'`()\[\]=]{8,64})[\"'`)\]]{0,2}\s(?:is|as|was|for|with|into|against|not)"
    r"(?:\s(?:not|the|a|an|my|our|his|her|your|their|stored|new|old|valid|current|correct|right|wrong|invalid|root|user|users|admin))"
    r"{0,4}\s\Z"
)

# What a sentence points at, in the order that it is asked.
_TOLD = tuple(when_used(whole(pattern)) for pattern in KNOWN["told"])
COPULAS = frozenset(("is", "was", "are", "were", "be", "for", "of", "to", "as", "with"))
# `the decrypted value of ssl.key.password is x`
_VALUE_OF = when_used(r"(?i)\bvalue\s(?:of|for)\s(?:the\s)?[\"'`]?\Z")
_IS = when_used(whole(r"[\"'`]?[^\S\n](?:is|was)[^\S\n](?:(?&QUOTED)|(?&BARE)(?&ENDS))"))
_NEXT_WORD = when_used(r"[^\S\n]([A-Za-z]{2,24})\b")
_CHANGES = when_used(r"(?i)(?:set|chang|updat|reset|rotat|modif|replac|overrid)\w{0,4}\b")
_NEW = (
    whole("(?:(?&QUOTED)|(?&BARE)(?&ENDS))").replace("?P<value>", "?P<new>").replace("?P<bare>", "?P<other>")
)
_FROM_TO = when_used(
    whole(r"[\"'`]{0,2}(?&WORDS_ON)[^\S\n](?:from[^\S\n](?:(?&QUOTED)|(?&BARE))[^\S\n])?(?:to|as)[^\S\n]")
    + _NEW
)
_WAS_NOW = when_used(
    r"[^\S\n]\((?:was|old|previously):?[^\S\n](?P<value>[^\s,()]{1,256}),[^\S\n](?:now|new|is):?[^\S\n](?P<new>[^\s,()]{1,256})\)"
)


def told(text: str, begin: int, end: int, strength: Strength) -> Iterator[Span]:
    """What the sentence around a name at text[begin:end] points at as its value."""
    if strength is not Strength.STRONG and " " not in text[max(0, begin - 4) : begin]:
        return
    if (other := _NEXT_WORD.match(text, end)) and other[1].lower() in HARMLESS:
        return  # `password policy`
    stop = min(len(text), end + 512)
    if _VALUE_OF.search(text, max(0, begin - 24), begin) and (found := _IS.match(text, end, stop)):
        yield from _groups(found, strength)
    patterns = _TOLD if strength is Strength.STRONG else _TOLD[:1]
    for pattern in patterns:
        if found := pattern.match(text, end, stop):
            yield from _groups(found, strength)
            return
    if strength is not Strength.STRONG:
        return
    if found := _WAS_NOW.match(text, end, stop):
        yield from _groups(found, strength)
    found = _FROM_TO.match(text, end, stop)
    if found and (_CHANGES.search(text, max(0, begin - 48), begin) or _CHANGES.search(found[0])):
        yield from _groups(found, strength)


def _groups(found: re.Match[str], strength: Strength) -> Iterator[Span]:
    for name, value in found.groupdict().items():
        is_hidden = value is None or is_known(value) or "[redacted" in value
        if not is_hidden and may_be_secret(value, strength, is_said=False):
            yield found.span(name)


def said(text: str, begin: int, end: int, strength: Strength) -> Iterator[Span]:
    """What is drawn in the sentence around a name at text[begin:end]."""
    if strength not in (Strength.TOKEN, Strength.STRONG):
        return
    if before := _BEFORE.search(text, max(0, begin - 160), begin):
        yield from _drawn(text, *before.span("secret"))
    at, stop, words = end, min(len(text), end + REACH), 0
    if broken := _NEXT_LINE.match(text, end):
        at, words = broken.end(), WORDS
        if token := _TOKEN.match(text, at):
            yield from _drawn(text, *token.span())
        return
    while words <= WORDS and at < stop:
        token = _TOKEN.match(text, _BETWEEN.match(text, at).end())  # type: ignore[union-attr]  # it always matches
        if token is None:
            return
        word = token[0].rstrip(".:!?")
        found = list(_drawn(text, token.start(), token.start() + len(word)))
        yield from found
        at, words = token.end(), words + 1
        if found or is_known(word):
            continue
        if not _WORD.fullmatch(word.lstrip("/#~>")) or (token[0][-1] in ".!?" and word):
            return
        if word.lower() in _THINGS and (named := _THINGS_NAME.match(text, at)):
            if text[at : at + 1] == " " and text.startswith(("is ", "has ", "was "), at + 1):
                continue
            at = named.end()


def _drawn(text: str, begin: int, end: int) -> Iterator[Span]:
    begin, end = stripped(text, begin, end, "/#~>:,;=", ".:!?,;")
    if looks_drawn(text[begin:end]):
        yield begin, end
