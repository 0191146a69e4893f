"""Secrets out of text, before anything is written, spilled or said.

What goes: values under names that promise secrets (transforms.parse.secrets.names), each to the end that its notation
gives it (.values), and what is a secret by its own shape or place (.shapes). The text may itself be inside JSON, so
quotes may come escaped. A value that is cut off (end of text) goes to the end. Redacting twice is redacting once.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from transforms.parse.secrets import shapes
from transforms.parse.secrets.beside import beside
from transforms.parse.secrets.facts import is_of_another
from transforms.parse.secrets.literals import Literal, arguments, literals
from transforms.parse.secrets.names import (
    HARMLESS,
    LONGEST_NAME,
    Strength,
    by_first_letter,
    is_plain_user,
    strength_of,
    words_in,
)
from transforms.parse.secrets.patterns import KNOWN
from transforms.parse.secrets.plain import is_known, looks_drawn, may_be_secret
from transforms.parse.secrets.prose import COPULAS, said, told
from transforms.parse.secrets.tables import columns, inserted
from transforms.parse.secrets.values import (
    HOLDER,
    Span,
    Value,
    held_value,
    next_held,
    next_value,
    spans_of,
    stripped,
    value_after,
)
from transforms.sieve import holding
from transforms.when_used import when_used

REDACTED = "[redacted]"
ROUNDS = 5
LITERALS = 3  # in one another

_HINTS = KNOWN["hints"]
# Of shapes those without another hint inside; hashes ("$") are told by their kinds, an object's value by its class.
_OF_SHAPES = {
    hint: hint[0].isalpha()
    for hint, _ in shapes.OTHERS
    if hint not in ("$", "value=") and not any(one in hint for one in _HINTS["anywhere"])
}
HINTS = (*_HINTS["anywhere"], *(hint for hint, is_word in _OF_SHAPES.items() if not is_word))
WORD_HINTS = (
    *_HINTS["word"],
    *(hint for hint, is_word in _OF_SHAPES.items() if is_word),
    *shapes.TOKEN_HEADS,
)
FOREIGN_HINTS = tuple(_HINTS["foreign"])
_WORD_HINTS = by_first_letter(WORD_HINTS)
# Letters by their numbers: a name may hide in them.
_LETTERS = r"%[67][0-9a-f]|&#x?[0-9]|\\u00[4-7]|\\u\{[67]|\\x[67]|\\1[4-7][0-7]"
# A user with a password before a host, without a scheme.
_USERS = r"[:/][^\s@:/,\"'()\[\]]+@[a-z0-9]"
# What a text must hold (RE2 or re, over text or bytes of it). A key's lines, which no word gives away, are told by
# runs of LONG_RUN bytes of RUN_BYTES, or by KEY_LINE_BELOW in texts of several lines: counts make RE2 three times slower.
HINT_PATTERN = (
    "(?i)"
    + "|".join(map(re.escape, HINTS))
    + f"|(?:^|[^a-z0-9])(?:{_WORD_HINTS})|{_LETTERS}|{_USERS}"
    + "".join("|" + "".join(f"\\x{byte:02x}" for byte in hint.encode()) for hint in FOREIGN_HINTS)
)
RUN_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
LONG_RUN = shapes.KEY_LINE_CHARS
KEY_LINE_BELOW = when_used(rb"\n\s{0,16}[A-Za-z0-9+/]{20,}={0,2}\s")
# What Kafka's own lines say that holds a hint and no secret (RE2 or re), to be replaced by its groups: requests' names and
# keys, settings of a dump without a value, or not secret by their names. Large counts would cost RE2 milliseconds each time.
_OPEN = (
    r"ms|seconds|factor|jitter|class|serializer|deserializer|serde|algorithm|type|urlencode|claim\.name|cmd"
)
_OF_REQUESTS = (
    r"apiKey=(?:[A-Z_]{3,40}|\d{1,3})(, (?:api|min)Version=\d)",
    r"key=('[^'\n]*'), (?:keyType=-?\d{1,3}, coordinatorKeys|nodeId)=",
    r"key CoordinatorKey\(idValue=('[^'\n]*'), type=[A-Z]",
)
KAFKA_WORDS = (
    "|".join(_OF_REQUESTS)
    + r"|apiKeys=\[ApiVersion\(|FeatureKey\(name=|[cC]lusterAuthorizedOperations=|[tT]opicAuthorizedOperations="
    r"|skipAssignment="
    r"|[A-Z]\w{2,40}\(\d{1,3}\): \d{1,3} (?:to|\[usable)"
    r"|\t[a-z][a-z0-9._]+ = (?:null|\[\]|\[hidden\]|true|false)\n"
    rf"|\t[a-z][a-z0-9._]+\.(?:{_OPEN}) = (?:class )?[\w.$/-]{{1,100}}\n"
)
WITHOUT_THEM = r"\1\2\3"
_KAFKA_WORDS = when_used(KAFKA_WORDS)
_IN_REQUESTS = tuple(when_used(one.encode()) for one in _OF_REQUESTS)

# ConfigException: `Invalid value x for configuration y: why`.
INVALID, CONFIGURATION = "Invalid value ", " for configuration "
REFUSED = 1024  # characters of it that are looked at
_SETTING = r"(?:configuration|config|property|setting|key|option|parameter|field|variable)\s[\"'`]?\Z"
_OF_SETTING = when_used(rf"(?i){_SETTING}")
_VALUE_FOR = when_used(rf"(?i)\bvalue:?\s(?P<value>[^\n]{{1,1024}}?)\s(?:for|of|in|to)\s(?:the\s)?{_SETTING}")
_SECRET_SAID = when_used(r"(?i)(?<![\w.\-])secrets?[\"']?[^\w\n]{1,4}(?:(?:is|was|are|named)[^\w\n]{1,3})?\Z")
# One more word of a name, before a colon and the last word of a line.
_WITH_WORD = when_used(
    r" ([A-Za-z]{2,24})(?=: ?[^\s:=\"'\\]{1,256}(?: -> [^\s:=\"'\\]{1,256})?(?:\s\([\w.$]{1,128}\))?\s*(?:\n|\Z|[\"'\\]))"
)
# What no value begins with, and a reason behind a colon.
_SAYS = when_used(r"(?:not|must|is|was|should|may|cannot|can't|has|have|does)\s[a-z]{2,}")
_RESOURCE = when_used(r"[a-z][\w./\-]{0,128}\s(?:not found|does not|doesn't|already exists|is forbidden)")
_REASON = when_used(r"[a-z]+(?:\s[a-z']+){2}")
_REFUSES = when_used(r"(?i)(?:invalid|bad|illegal|malformed|expired|unknown|unexpected|missing|wrong)\s\Z")


def without_requests(text: bytes) -> bytes:
    """The text, as long, without what requests say that is one of KAFKA_WORDS: one after the other, as each is found by its
    first letters, which all at once are not."""
    for pattern in _IN_REQUESTS:
        text = pattern.sub(lambda found: found[1].rjust(len(found[0])), text)
    return text


def redact(text: str) -> str:
    """The text with every secret replaced by `[redacted]`; the same object where there is none to look at."""
    clean = _redacted_once(text)
    if clean is text:
        return text
    for _ in range(ROUNDS):  # what stood beside a secret may read otherwise without it
        again = _redacted_once(clean)
        if again == clean:
            break
        clean = again
    return clean


def _redacted_once(text: str) -> str:
    return _without(text, _all_spans(text))


def _all_spans(text: str, depth: int = 0) -> Iterator[Span]:
    data = text.encode(errors="surrogatepass")
    if holding(shapes.KEY_LINE_SIGN)(data):
        yield from spans_of(shapes.KEY_LINE, text)
    may_be_written = "\\" in text or "%" in text or "&" in text
    others: Iterable[tuple[int, Literal]] = literals(text) if may_be_written else ()
    if _is_hinted(text, data):
        yield from _spans(text, text.lower())
        others = chain(others, arguments(text))
    if depth < LITERALS:
        for begin, inside in others:
            for one, end in _all_spans(inside.text, depth + 1):
                yield begin + inside.place(one), begin + inside.place(end)


def _is_hinted(text: str, data: bytes) -> bool:
    is_hinted = holding(HINT_PATTERN)
    if is_hinted(data) is None:
        return False
    # Of a client at DEBUG most lines name a request, and hold no other hint.
    if "Key" in text or "(key='" in text or "Auth" in text or "ssi" in text or "\n\t" in text:
        return is_hinted(_KAFKA_WORDS.sub(WITHOUT_THEM, text).encode(errors="surrogatepass")) is not None
    return True


def _without(text: str, spans: Iterable[Span]) -> str:
    """The text with its spans replaced, those that overlap or touch by one word."""
    parts: list[str] = []
    at = 0
    for begin, end in sorted(span for span in spans if span[0] < span[1]):
        if not parts or begin > at:
            parts += (text[at:begin], REDACTED)
            at = end
        at = max(at, end)
    clean = "".join((*parts, text[at:]))
    return text if clean == text else clean


# What looks for secrets by their places, each with the signs (in small letters) of which a text must hold one.
_DETECTORS: tuple[tuple[tuple[str, ...], Callable[[str], Iterator[Span]]], ...] = (
    (("private key",), shapes.pem),
    (("loginmodule",), shapes.login_modules),
    (("secret", "stringdata"), shapes.manifests),
    (("://", ":\\"), shapes.urls),
    (("@",), shapes.users),
    (("\n",), columns),
    (("values",), inserted),
)


def _spans(text: str, lower: str) -> Iterator[Span]:
    for signs, spans_in in _DETECTORS:
        if any(sign in lower for sign in signs):
            yield from spans_in(text)
    yield from shapes.schemes(text)
    yield from shapes.tokens(text, lower)
    yield from _named(text, lower)


def _named(text: str, lower: str) -> Iterator[Span]:
    """Values under names."""
    at = 0
    next_word = words_in(text, lower)
    while found := next_word(at):
        begin, end = _name_around(text, found.start(), found.end(), at)
        at = max(end, found.end())
        strength = _strength_there(text, begin, end)
        if strength is Strength.NONE:
            continue
        if text.endswith(CONFIGURATION, 0, begin):
            yield from _refused(text, begin, strength)
            continue
        if _OF_SETTING.search(text, max(0, begin - 24), begin) and (
            before := _VALUE_FOR.search(text, max(0, begin - REFUSED), begin)
        ):
            yield from _unquoted(text, *before.span("value"), strength)
        if strength is Strength.STRONG and (more := _WITH_WORD.match(text, end)):
            if more[1].lower() in HARMLESS:
                continue  # `password policy: strict`
            if more[1].lower() not in COPULAS:  # `password entered: x`
                end, strength = more.end(1), Strength.TOKEN
        value = value_after(text, begin, end, strength)
        if (value is None or value.is_said) and strength in (Strength.TOKEN, Strength.STRONG):
            if HOLDER.search(text, max(0, begin - 48), begin):
                value = None
            value = beside(text, begin, end, strength) or value
            yield from told(text, begin, end, strength)
        if value is None:
            held = held_value(text, begin, end)
            if held is None:
                yield from said(text, begin, end, strength)
            while held:
                if span := _secret_part(text, held, strength):
                    yield span  # what lies between is looked at, too
                held = next_held(text, held)
            continue
        if value.is_said:
            yield from said(text, begin, end, strength)
        if is_known(text[value.begin : value.end]) or _is_sentence(text, begin, value, strength):
            at = max(at, value.end)
        elif span := _secret_part(text, value, strength):
            yield span
            at = max(at, span[1])
        other = next_value(text, value)
        if other and (span := _secret_part(text, other, strength)):
            yield span


def _strength_there(text: str, begin: int, end: int) -> Strength:
    """How much a name promises where it stands."""
    strength = strength_of(text[begin:end])
    if strength <= Strength.TOKEN and text[begin - 1 : begin] == " " and text[begin:end].isalpha():
        strength = _with_word_before(text, begin, end, strength)
    is_elsewhere = strength is Strength.IN_URL and text[begin - 1 : begin] not in ("?", "&")
    if is_of_another(text, begin, end) or is_elsewhere:
        return Strength.NONE
    if strength is Strength.NONE and is_plain_user(text[begin:end]):
        return Strength.STRONG if text[end : end + 2] in ('="', "='", "=\\") else strength
    return strength


def _is_sentence(text: str, begin: int, value: Value, strength: Strength) -> bool:
    """Whether words go on behind a colon: `password: not set`, `Invalid token: signature does not match`."""
    if _SAYS.match(text, value.begin):
        return True
    if text[begin : begin + 6].lower() == "secret" and _RESOURCE.match(text, value.begin):
        return True
    return (
        strength is Strength.TOKEN
        and _REASON.match(text, value.begin) is not None
        and _REFUSES.search(text, max(0, begin - 24), begin) is not None
    )


def _unquoted(text: str, begin: int, end: int, strength: Strength) -> Iterator[Span]:
    is_sure = False
    if text[begin] in "\"'`" and end - begin > 1 and text[end - 1] == text[begin]:
        begin, end = begin + 1, end - 1
        is_sure = strength is Strength.STRONG and " " not in text[begin:end]
    if not is_known(text[begin:end]) and (is_sure or looks_drawn(text[begin:end])):
        yield begin, end


def _refused(text: str, begin: int, strength: Strength) -> Iterator[Span]:
    """The value that Kafka refused for a setting: it stands before the setting, and what is behind is the reason."""
    end = begin - len(CONFIGURATION)
    start = text.rfind(INVALID, max(0, end - REFUSED), end) + len(INVALID)
    value = text[start:end]
    if start >= len(INVALID) and not is_known(value) and may_be_secret(value, strength, is_said=False):
        yield start, end


def _secret_part(text: str, value: Value, strength: Strength) -> Span | None:
    begin, end = stripped(text, value.begin, value.end)
    shown = text[begin:end]
    if not shown or is_known(shown) or (strength is Strength.COOKIE and shown.isdigit()):
        return None
    if strength is Strength.IN_URL or value.is_url:
        return (begin, end) if value.is_url else None
    # Said of `secret`, which in clusters is the name of a thing: `secret default/kafka not found`.
    is_strong = value.is_said and strength is Strength.STRONG
    if is_strong and _SECRET_SAID.search(text, max(0, begin - 24), begin) is not None:
        strength = Strength.TOKEN
    is_secret = may_be_secret(shown, strength, is_said=value.is_said, is_quoted=value.is_quoted)
    return (begin, end) if is_secret else None


def _name_around(text: str, begin: int, end: int, after: int) -> Span:
    """The whole name that holds a word, without dots and dashes around it."""
    least, most = max(after, begin - LONGEST_NAME), min(len(text), end + LONGEST_NAME)
    begin -= len(text[least:begin]) - len(text[least:begin].rstrip(_NAME_CHARS))
    while begin > least and _is_of_name(text[begin - 1]):  # of other alphabets
        begin -= 1
    while end < most and _is_of_name(text[end]) and text[end : end + 2] != "..":
        end += 1
    if begin > 0 and text[begin - 1] == "\\" and text[begin] in "nrt":  # of a line escaped
        begin += 1
    begin, end = stripped(text, begin, end, ".-", ".-")
    if text[begin - 1 : begin + 1] == "-D" and text[begin - 2 : begin - 1] != "-":  # of the JVM
        begin += 1
    return begin, end


_NAME_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"


def _is_of_name(char: str) -> bool:
    return char.isalnum() or char in "_.-"


def _with_word_before(text: str, begin: int, end: int, alone: Strength) -> Strength:
    """`api key`, `access token`: a name of two words; `unexpected token`: one that promises less than its last word."""
    before = begin - 1
    while before > 0 and begin - before < 32 and text[before - 1].isalpha():
        before -= 1
    if before == begin - 1:
        return alone
    both = strength_of(f"{text[before : begin - 1]}-{text[begin:end]}")
    return max(alone, both) if alone < Strength.WEAK else min(alone, both) if both else alone
