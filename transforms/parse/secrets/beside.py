"""Values that stand beside their names without a sign between: on a line of the two alone, behind a command that sets them,
as the other one of a pair in brackets, inside what is called after them.
"""

import re

from transforms.parse.secrets.names import Strength
from transforms.parse.secrets.values import LINE_ENDS, Value, is_line_head
from transforms.when_used import when_used

_GIVEN = (
    r"\\*(?P<q>[\"'`])?(?P<value>(?(q)[^\"'`\n\\]{1,512}|[^\s\"'`\\,;()\[\]{}<>=]{1,512}))(?(q)\\*(?P=q))"
)
_END = rf"(?={LINE_ENDS})"
# A name of a setting, a variable or a field, which no sentence has for a word.
_COMPOUND = when_used(r"[A-Za-z\d][._\-][A-Za-z\d]|[a-z][A-Z]")
_OF_SECRETS = when_used("(?i)passw|passphrase|pwd|secret")
_OF_TWO = when_used(rf"[\"'`]?(?:[^\S\n]{{1,8}}|[^\S\n]?[,;][^\S\n]?){_GIVEN}{_END}")
_OF_TWO_APART = when_used(rf"[\"'`]?(?:[^\S\n]?[,;][^\S\n]?|[^\S\n]-{{1,2}}[^\S\n]){_GIVEN}{_END}")
# `set X value`, `setx X value`, `kv put db/X value`, `config set --secret X value`.
_SETS = when_used(
    r"(?i)(?:\A|[\s\"'$>])(?P<verb>set|setx|setenv|put)\s(?:-{1,2}[\w\-]{1,24}\s|[\w\-]{1,16}\s){0,2}"
    r"[\"']?(?P<path>[\w/.\-:]{0,64}[/:])?[\"']?\Z"
)
_CONFIG = when_used(r"(?i)\bconfig[\"']?\s[\"']?set\s[\"']?\Z")
_SET = when_used(rf"[\"']?[^\S\n]{{1,8}}{_GIVEN}(?={LINE_ENDS}|[^\S\n]{{0,8}}[\"';|&)\]])")
# `(ssl.key.password,x)` of Scala, `setProperty(ssl.key.password, x)`.
_IN_PAIR = when_used(rf"[\"']?\s?,\s?{_GIVEN}\s?\)")
# `Password(x)`, `AccessToken[x]`, `Password { inner: "x" }`: objects called after what they hold.
_HELD_BY = when_used(rf"\s?[({{\[<]\s?(?:(?:inner|value|secret|raw|data|text)\s?[:=]\s?)?{_GIVEN}\s?[)}}\]>]")
_CLASS = when_used(r"[A-Z][A-Za-z\d]{2,40}")
_FIELD = when_used(r"(?:password|passwd|passphrase|secret)")
_FRAME = when_used(r"\w+\.(?:java|scala|kt|py|go|rb|js|ts):\d+|Native|Unknown")


def beside(text: str, begin: int, end: int, strength: Strength) -> Value | None:
    """The value beside the name at text[begin:end], if one of these notations shows one."""
    name, before = text[begin:end], text[begin - 1 : begin]
    is_compound = _COMPOUND.search(name) is not None
    if before == "(" and is_compound and (pair := _IN_PAIR.match(text, end)):
        return _value(pair)
    if held := _HELD_BY.match(text, end):
        is_object = _CLASS.fullmatch(name) is not None and before not in (".", "$", "/")
        is_field = _FIELD.fullmatch(name) is not None and text[end] == "(" and before != "."
        is_sure = strength is Strength.STRONG or is_compound
        if (is_object or is_field) and is_sure and not _FRAME.match(held["value"]):
            return _value(held)
    is_setting = is_compound and _OF_SECRETS.search(name) is not None
    if is_line_head(text, begin - 1 if before in ("'", '"', "`") else begin) and (
        two := (_OF_TWO if is_setting else _OF_TWO_APART).match(text, end)
    ):
        return _value(two)
    head = text[max(0, begin - 128) : begin]
    if (sets := _SETS.search(head)) and (is_compound or sets["path"] or _CONFIG.search(head)):
        found = _SET.match(text, end)
        return found and _value(found)
    return None


def _value(found: re.Match[str]) -> Value:
    return Value(*found.span("value"))
