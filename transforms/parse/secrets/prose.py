# ruff: noqa: E501 (patterns are written whole)
"""Secrets in sentences: what is drawn rather than written, near the word for it.

`The password of user svc was set to Zq7RtVx94mKp`: between the word and the value stand other words, and what names
another thing (`user svc`) takes the next word for itself. A sentence ends the search, as does a setting or a bracket's end.
"""

import re
from collections.abc import Iterator

from transforms.parse.secrets.names import Strength
from transforms.parse.secrets.plain import is_known, looks_drawn
from transforms.parse.secrets.values import Span

REACH = 128  # characters behind the word in which a value is looked for
WORDS = 9  # between the word and a value
_TOKEN = re.compile(r"[^\s,;()\[\]{}\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb<>|→]+")
# What stands between two words of a sentence; a new line only directly behind the name (a prompt, a heading, a wrapped line).
_BETWEEN = re.compile(r"(?:[^\S\n]|[\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb<>()\[\]|,;:→#]){0,16}")
_NEXT_LINE = re.compile(
    r"[\"']?[^\S\n]{0,8}[:=]?[^\S\n]{0,8}(?:\n[^\S\n]{0,16}:?[^\S\n]{0,16}){1,3}(?:[=\-~*]{3,80}\n[^\S\n]{0,16})?(?=\S)"
)
# Words for other things, which have names and numbers of their own.
_THINGS = frozenset(
    "id ids user users username account client group topic topics partition member node broker host server commit version "  # noqa: SIM905 (words, not code)
    "cluster epoch offset trace span request session transaction pod container image digest checksum sha sha1 sha256 md5 hash "
    "file path class thread task connector subject schema store record message event correlation index table row named called "
    "name alias principal owner directory bucket region zone instance process pid port line column position keystore "
    "truststore fingerprint kid serial uuid object bean channel stream job build release revision branch tag url at".split()
)
_WORD = re.compile(
    r"[A-Za-z][A-Za-z'\-]{0,24}|[\w.\-]{1,32}@[\w.\-]{1,64}|\d{1,3}|[a-z][\w.\-]{0,24}|(?:/[\w.\-]{1,40}){1,8}|"
)
_BEFORE = re.compile(
    r"(?:^|[\s\"'`(\[=])(?P<secret>[^\s\"'`()\[\]=]{8,64})[\"'`)\]]{0,2}\s(?:is|as|was|for|with|into|against|not)"
    r"(?:\s(?:not|the|a|an|my|our|his|her|your|their|stored|new|old|valid|current|correct|right|wrong|invalid|root|user|users|admin))"
    r"{0,4}\s\Z"
)


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
        gap = _BETWEEN.match(text, at)
        token = _TOKEN.match(text, gap.end() if gap else at)
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
        if word.lower() in _THINGS and (named := re.compile(r"\s[\"'`]?[^\s\"'`]{1,128}").match(text, at)):
            if text[at : at + 1] == " " and text.startswith(("is ", "has ", "was "), at + 1):
                continue
            at = named.end()


def _drawn(text: str, begin: int, end: int) -> Iterator[Span]:
    while begin < end and text[begin] in "/#~>:,;=":
        begin += 1
    while end > begin and text[end - 1] in ".:!?,;":
        end -= 1
    if looks_drawn(text[begin:end]):
        yield begin, end
