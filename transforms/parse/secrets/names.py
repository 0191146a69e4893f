"""A setting's, field's or header's name -> whether what stands under it is a secret.

The table's rows are read over a name's words, in lower case and joined by dashes: `sslKeyPassword`, `ssl.key.password`
and `SSL_KEY_PASSWORD` are `ssl-key-password`. The last word decides what a name names: `password.encoder.iterations`
are iterations. Where a secret's word stands before another that the table doesn't know, the value must not look plain.
"""

import re
from collections.abc import Callable, Iterable
from enum import IntEnum
from functools import lru_cache

from transforms.parse.secrets.patterns import KNOWN, whole
from transforms.when_used import when_used


class Strength(IntEnum):
    """How much of a secret a name promises."""

    NONE = 0
    IN_URL = 1  # `sig=`, `key=`: a secret as a parameter of a URL, anything elsewhere
    WEAK = 2  # only a value that looks like a key or token
    TOKEN = 3  # any value but plain ones: small numbers, enumerations, classes, prose
    STRONG = 4  # any value
    HEADER = 5  # Authorization: a scheme and what follows
    JAAS = 6  # options of login modules, to the semicolon
    COOKIE = 7  # a header's cookies, with semicolons between


LONGEST_NAME = 256
# What the search for names looks for.
WORDS = when_used("(?i)" + "|".join((*KNOWN["words"], KNOWN["foreign_words"])))


def by_first_letter(words: Iterable[str]) -> str:
    """One pattern of all of them that tries few at a place."""
    groups: dict[str, list[str]] = {}
    for word in words:
        bare = word.removeprefix(r"\b")
        first = bare[:3] if bare[0] == "[" else bare[0]
        begins = "" if bare == word else rf"(?<=\b{first})"
        groups.setdefault(first, []).append(begins + bare.removeprefix(first))
    return "|".join(f"{letter}(?:{'|'.join(rests)})" for letter, rests in groups.items())


# For ASCII text in small letters, as nearly all is.
_IN_SMALL = when_used(by_first_letter(KNOWN["words"]))


def words_in(text: str, lower: str) -> Callable[[int], re.Match[str] | None]:
    """What finds the next word of a text from a place on. lower: the text in small letters."""
    pattern, searched = (_IN_SMALL, lower) if text.isascii() else (WORDS, text)
    return lambda at: pattern.search(searched, at)


# What a name's words must match as a whole, and how strong it then is: the first match counts.
TABLE = tuple((when_used(whole(pattern)), Strength[strength]) for strength, pattern in KNOWN["names"])
# `X_KEY` of an environment is somebody's key more often than not.
_ENV_KEY = when_used(r"[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_KEY")

# What a name is the name of, where its last word is one of these: no secret itself.
HARMLESS = frozenset(KNOWN["harmless"].split())
_SECRET_WORD = when_used(whole("(?&PASSWORD)|(?&SECRET)|tokens?|credentials?"))
_PASSWORD_WORD = when_used(whole("(?&PASSWORD)"))
_USER = when_used(r"user[_.\-][\w.\-]+")
_WORDS = when_used(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")


@lru_cache(1 << 12)
def strength_of(name: str) -> Strength:
    """How much of a secret stands under a name of at most LONGEST_NAME characters."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words:
        return Strength.NONE
    joined = "-".join(words)
    for row, strength in TABLE:
        if row.fullmatch(joined):
            if strength is Strength.IN_URL and _ENV_KEY.fullmatch(name):
                return Strength.WEAK
            return strength
    if words[-1] not in HARMLESS and any(_SECRET_WORD.fullmatch(word) for word in words):
        return Strength.TOKEN if _PASSWORD_WORD.fullmatch(words[0]) else Strength.WEAK
    return Strength.NONE


def is_plain_user(name: str) -> bool:
    """Whether a name is `user_X`, as a PLAIN login module lists its users with their passwords."""
    return _USER.fullmatch(name) is not None and _WORDS.findall(name)[-1].lower() not in HARMLESS
