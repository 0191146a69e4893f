# ruff: noqa: E501 (patterns are written whole)
"""Values that are no secret, whatever they stand under; and how a value must look under a name that promises little."""

import re
from collections.abc import Iterable

from transforms.parse.catalogue.errors import EARLIER_NAMES, NAMES
from transforms.parse.secrets.names import Strength
from transforms.parse.secrets.patterns import KNOWN
from transforms.when_used import when_used

LONGEST_PLAIN = 512
# Kafka prints `[hidden]` for passwords it knows and null for unset ones; others mask in other ways, or refer elsewhere.
_KNOWN = when_used(
    r"(?i)\\*[\"']?(?:null|none|nil|undefined|unset|not set|empty|true|false|yes|no|on|off|unchanged|enabled|disabled|(?:not )?(?:expired|missing|required|optional|invalid|valid|revoked|present|absent|supplied|provided|configured)|[|>][+\-]?|n/a|-+|~|=+|~+|"
    r"[\[<({*]{0,3}(?:hidden|redacted|masked|protected|sensitive|sanitized|filtered|omitted|removed|secret)[\])>}*]{1,3}|\$\(cat [\w./\-]{1,256}\)|(?:hidden|redacted|masked)"
    r"|\*+|x{3,}|•+|\.{3,}|…|\[\]|\{\}|\(\)|\[null\]"
    r"|\$\{[\w.\-]+\}|\$\{(?:file|env|dir|directory|vault|secrets?|secretsmanager|securepass)(?::[\w./\-]+)+\}|\$\(?[A-Z_][A-Z\d_]*\)?|%[A-Z_]+%|\{\{[^{}]{1,128}\}\}"
    r"|<[a-z][a-z \-]{2,40}>|<\w[\w :\-]{1,40}>|![a-z]{1,16}|@(?:/[\w.\-]{1,64})+|\$\{[a-z][\w\-]{0,32}:[^{}\s]*[/:][^{}\s]*\}|\((?:[a-z_][\w$]*\.){2,16}[A-Z][\w$]*\)|\((?:unset|empty|null|sensitive|hidden|known|not|no|none|write|unchanged)[a-z \-]{0,40}\))\\*[\"']?[.,;]?"
)
# A topic may be called `user-passwords`, and stands before its error: `{user-passwords=LEADER_NOT_AVAILABLE}`.
_ERRORS = frozenset(NAMES.values()) | EARLIER_NAMES
# What Kafka prints of its protocol: `apiKeys=[ApiVersion(apiKey=0, minVersion=3, ..), ..]`.
_OBJECTS = when_used(r"\[[A-Z][A-Za-z]*\([a-z]\w*=")
_SIGNS = when_used(r"(?<=\w)[!#%^&*+~?]+(?=[\w!#%^&*+~?@])")
_RUN = when_used(r"[A-Za-z\d+/]+")
_TURN = when_used(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_HEX = when_used(r"[\da-f]+|[\dA-F]+")
_ALPHABET = when_used(r"[\w\-.~+/=:%|!#$&*@^]{12,}")
_KINDS = {kind: when_used(pattern) for kind, pattern in KNOWN["plain"].items()}
_PROSE = _KINDS["prose"]


def _of_kinds(kinds: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_KINDS[kind] for kind in kinds.split())


_THINGS = _of_kinds("uuid class path url any_number algorithm")
_NAMES = (*_THINGS, *_of_kinds("java_object enum address"))
_UNDER_TOKEN = _of_kinds("number date enum class java_object path url algorithm")
_IN_SENTENCE = _of_kinds("word setting number class enum")


def is_known(value: str) -> bool:
    """Whether a value is known to hide nothing: unset, masked, or a reference to where the secret is."""
    return value in _ERRORS or _KNOWN.fullmatch(value) is not None


def may_be_secret(value: str, strength: Strength, *, is_said: bool, is_quoted: bool = False) -> bool:
    """Whether a value is taken for a secret under a name of that strength.

    is_said: in prose, without a sign between; is_quoted: in quotes directly behind the name, which prose does to values only.
    """
    if strength < Strength.STRONG and _OBJECTS.match(value):
        return False
    if len(value) >= LONGEST_PLAIN:  # nothing is read twice, so that no text costs the square of its size
        return True
    if strength >= Strength.STRONG:
        return not is_said or (is_quoted and " " not in value) or _is_said_secret(value)
    if is_said:
        return (looks_secret(value) and "=" not in value.rstrip("=")) or looks_drawn(value)
    if strength is Strength.TOKEN:
        return not (_is_one_of(_UNDER_TOKEN, value) or (_PROSE.fullmatch(value) and " " in value))
    return looks_secret(value)


def looks_secret(value: str) -> bool:
    """Whether a value is drawn rather than written: long, of one word, letters and digits mixed, no thing's id or name."""
    if not _ALPHABET.fullmatch(value) or _is_one_of(_THINGS, value):
        return False
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    has_both_cases = value != value.lower() and value != value.upper()
    return (digits >= 1 and letters >= 4 and (has_both_cases or len(value) >= 20)) or (
        len(value) >= 40 and has_both_cases
    )


def looks_drawn(value: str) -> bool:
    """Whether nobody can have made a value up as a name: letters and digits by turns, or with signs that names have not."""
    if not 8 <= len(value) <= LONGEST_PLAIN or "[redacted]" in value or "=" in value.rstrip("="):
        return False
    if _is_one_of(_NAMES, value):
        return False
    if _SIGNS.search(value):
        return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    runs = _RUN.findall(value)
    longest = max(runs, key=len, default="")
    turns = len(_TURN.findall(longest))
    if len(longest) < 10 or turns < 3:
        return False
    return not _HEX.fullmatch(longest) or len(longest) >= 32


def _is_said_secret(value: str) -> bool:
    """In prose after `password`: not the sentence's next word."""
    if " " in value or "\n" in value:
        return not _PROSE.fullmatch(value)
    return not _is_one_of(_IN_SENTENCE, value)


def _is_one_of(things: Iterable[re.Pattern[str]], value: str) -> bool:
    return any(one.fullmatch(value) for one in things)
