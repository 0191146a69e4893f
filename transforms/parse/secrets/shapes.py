# ruff: noqa: E501 (patterns are written whole)
"""Secrets by their own shape or place, whatever they are called: tokens of known issuers, keys in PEM, credentials in URLs
and headers, options of login modules.

Sources: detect-secrets and gitleaks (rules by issuer; a test draws strings from the former's); RFC 6750, 7617 (Bearer,
Basic), 7468 (PEM), 7519 (JWT), 5802 (SCRAM); Kafka, JaasConfig.
"""

import re
from collections.abc import Iterator

from transforms.parse.secrets.names import by_first_letter
from transforms.parse.secrets.patterns import KNOWN, hinted
from transforms.parse.secrets.plain import looks_drawn
from transforms.parse.secrets.values import BARE, Span, spans_of, stripped
from transforms.sieve import Sieved
from transforms.when_used import when_used

TOKENS = Sieved(
    "(?<![A-Za-z0-9])(?:"
    + "|".join(f"(?{'i' if head.islower() else ''}:{head}){tail}" for head, tail in KNOWN["issuers"])
    + ")"
)
TOKEN_HEADS = tuple(one for head, _ in KNOWN["issuers"] for one in head.lower().split("|"))
_TOKEN_HEAD = Sieved(rf"(?<![a-z0-9])(?:{by_first_letter(TOKEN_HEADS)})")
# Shapes without a beginning of their own, on command lines too, each with what must occur for it to be tried.
OTHERS = (*hinted("shapes"), *hinted("commands"))

SCHEME = when_used(
    r"\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC|[Nn]egotiate|[Dd]igest|[Aa]pi[Kk]ey|SharedKey(?:Lite)?|NTLM)"
    r"(?:,?[^\S\n]+|%20|\+|\\u0020|[ ]?[:=][ ]?)(?!\[redacted\]|[A-Z]\w{1,80}Error\b)(?P<credentials>\\*[\"'\[]?[\w\-.~+/:]{6,}=*)"
)
_CREDENTIALS = when_used(r"(?=.*\d|.*[a-z].*[A-Z].*[a-z]|.*[A-Z]{2}.*[a-z]|.*=\Z|[A-Za-z]{24})(?!.*:/)")

# The bound on lengths keeps hostile text from costing the square of its size.
URL = when_used(
    r"\b(?P<scheme>[a-zA-Z][\w+.\-]{1,20}:(?://|\\+/\\+/))(?P<user>[^\s/@:\"'\\<>]{0,256})(?::(?P<password>[^\s\"'\\]{1,512}?))?"
    r"(?:@|\Z)(?![^\s/\"'\\,]{0,256}@)"
)
PORT = when_used(r"(?:\d{1,5}|\[[\da-fA-F:]*\]?)(?:[/?#,;)\]}.\s]|\Z)")
_USER_TOKEN = when_used(r"(?=.*\d)(?=.*[A-Za-z])[\w\-.~+%=]{20,}")
USER_PASS = when_used(
    r"(?:(?<![\w.@/:\-])|(?<=//))[\w.\-$#]{1,64}[:/](?P<password>[^\s@:/,\"'()\[\]]{6,128})@(?=[\w\-])"
)
# Behind the `@` of a user and password: a driver's address, a host with its port.
_HOST = when_used(r"(?:tcp|udp|unix)\(|[\w\-]{1,63}(?:\.[\w\-]{1,63}){1,8}:\d{2,5}(?!\w)")
# Addresses that are secrets by their paths.
HOOK = when_used(
    r"(?i)://[^\s\"'<>]{0,256}?(?:hook|integration|/services/|/triggers/|incoming)[^\s\"'<>]{0,1024}"
)
_SEGMENT = when_used(r"(?<=[/@])[\w\-]{20,}")

LOGIN_MODULE = when_used(r"(?i)LoginModule\s{1,8}(?:required|requisite|sufficient|optional)(?=[\s\\])")
_OPTION = when_used(
    r"(?:\s|\\[nrt]|\\+\r?\n){1,64}[\w.\-]{1,128}\s{0,4}=\s{0,4}"
    r"(?:\\*\"[^\"]{0,4096}(?:\"|\Z)|\\*'[^']{0,4096}(?:'|\Z)|(?:[^\s;\"'\\]|\\(?![nrt\"']))+)"
)

_IS_SECRET = when_used(r"\bstringData\b|\bkind[\"'\\]{0,8}\s?:\s?[\"'\\]{0,8}Secret\b")
_YAML_DATA = when_used(
    r"(?:\A|\n|\\+n|\s)(?P<indent>[ \t]{0,64})(?:data|stringData):[ \t]{0,8}"
    r"(?P<body>(?P<line>\n|\\+n)(?P=indent)[ \t]{1,64}[^\n\\]{0,8192}(?:(?P=line)(?P=indent)[ \t]{1,64}[^\n\\]{0,8192})*)"
)
_YAML_VALUE = when_used(
    r"(?:\n|\\+n)[ \t]{1,128}(?:[\w.\-/]{1,253}:[ \t]{1,8})?\\*[\"']?(?P<value>[^\s\\\"'][^\n\\\"]*)"
)
_JSON_DATA = when_used(r"\\*\"(?:data|stringData)\\*\"\s?:\s?\{(?P<body>[^{}]{0,65536})\}")
_JSON_VALUE = when_used(r":\s?\\*\"(?P<value>[^\"\\]+)")
_QUOTE_END = when_used(r"[\"']\s?(?:[,}\])]|\Z)")
PEM_MARK = when_used(r"-----(?P<what>BEGIN|END) [A-Z0-9 ]{0,64}PRIVATE KEY[A-Z ]{0,16}-----")
_KEY_WORD = when_used(
    r"(?:(?<![^\s>|\"'])|(?<=\\[nrt]))(?=[A-Za-z]*[\d+/=]|[a-z]*[A-Z]+[a-z]+[A-Z])[A-Za-z0-9+/]{12,}={0,2}(?![^\s\"'\\<])|(?<!\S)[A-Za-z0-9+/]{1,76}={1,2}(?!\S)"
)
# In a key that is cut off: its lines, its headers (RFC 1421), and the head of a record that comes between.
_OF_KEY = when_used(
    r"\s*(?P<key>(?:[A-Za-z0-9+/=]|\\+[nr])*|[A-Z][\w\-]{2,32}: [\w\-, ]{1,128})\s*(?:\([\w.$]{1,128}\)\s*)?"
)
_HEAD = when_used(r"[\[(<]?\d{4}-\d\d-\d\d[ T]|%\d\|\d")
# A line of a key that nothing on it names: alone on its line, or as long as PEM's lines are.
KEY_LINE_CHARS = 60
# What a text must hold for it (RE2, on bytes).
KEY_LINE_SIGN = rf"(?m)^[^A-Za-z0-9+/\n]{{0,32}}[A-Za-z0-9+/]{{20}}|[A-Za-z0-9+/]{{{KEY_LINE_CHARS}}}"
KEY_LINE = when_used(
    r"(?m)(?:^[^\S\n]{0,16}(?=[a-z+/]*[A-Z\d])(?=[A-Z\d+/]*[a-z])(?=[A-Za-z]*[\d+/])[A-Za-z0-9+/]{20,}={0,2}(?=[^\S\n]{0,16}(?:\([\w.$]{1,128}\))?\r?$)"
    r"(?:\n[^\S\n]{0,16}[A-Za-z0-9+/]{2,76}={1,2}(?=[^\S\n]{0,16}(?:\([\w.$]{1,128}\))?\r?$))?)"
    r"|(?:(?<![\w+/=.\-:\\])|(?<=\\[nrt]))(?=[A-Za-z0-9+/]{0,59}[a-z])(?=[A-Za-z0-9+/]{0,59}[G-Z])(?=[A-Za-z0-9+/]{0,59}\d)[A-Za-z0-9+/]{60,}={0,2}(?![\w+/=.\-])"
)


def pem(text: str) -> Iterator[Span]:
    """Private keys between their marks; where lines of others come between, only what looks like a key on them."""
    at, is_begun = 0, False
    for mark in (*PEM_MARK.finditer(text), None):
        stop, is_end = (mark.start(), mark["what"] == "END") if mark else (len(text), False)
        if is_begun:
            # What is cut off ends with the value that it is in.
            quote = None if is_end else _QUOTE_END.search(text, at, stop)
            yield from _key_lines(text, at, quote.start() if quote else stop, is_cut=not is_end)
        elif is_end:
            yield from _key_lines_before(text, at, stop)
        at, is_begun = mark.end() if mark else stop, not is_end


def _key_lines(text: str, begin: int, end: int, *, is_cut: bool = False) -> Iterator[Span]:
    """Of each line, all of it where it is alone, else its words that may be of a key."""
    start = begin
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = text[start:stop].strip()
        is_first = start == begin
        if is_cut and not is_first and (own := _OF_KEY.fullmatch(text, start, stop)):
            yield stripped(text, *own.span("key"))
            start = stop + 1
            continue
        if is_cut and not is_first and not (_HEAD.match(line) or _KEY_WORD.match(line)):
            return
        if line and (is_first or not re.search(r"[^\S\n]", line) or re.match(r"[\w\-]+: [\w\-,]+\Z", line)):
            if is_first and is_cut and stop < end and " " in line:
                yield from spans_of(_KEY_WORD, text, start, stop)
            else:
                yield stripped(text, start, stop)
        elif line:
            yield from spans_of(_KEY_WORD, text, start, stop)
        start = stop + 1


def _key_lines_before(text: str, begin: int, end: int) -> Iterator[Span]:
    """The rest of a key whose beginning is elsewhere: its lines directly before its end."""
    while end > begin:
        start = max(text.rfind("\n", begin, end - 1) + 1, begin)
        line = text[start:end].strip()
        if line and not re.fullmatch(r"(?:[A-Za-z0-9+/=]|\\[nrt]|\s)+", line):
            yield from spans_of(_KEY_WORD, text, start, end)
            return
        if line:
            yield stripped(text, start, end)
        end = start - 1 if start > begin else begin


def manifests(text: str) -> Iterator[Span]:
    """Every value of a Secret of Kubernetes, whatever its key: in YAML or JSON, with newlines as they are or escaped."""
    if not _IS_SECRET.search(text):
        return
    for block in _YAML_DATA.finditer(text):
        for value in _YAML_VALUE.finditer(text, *block.span("body")):
            if value["value"].strip() not in ("|", "|-", ">", ">-"):
                yield value.span("value")
    for block in _JSON_DATA.finditer(text):
        yield from spans_of(_JSON_VALUE, text, *block.span("body"))


def login_modules(text: str) -> Iterator[Span]:
    """Every option of a login module, on whatever lines, to the semicolon that ends it."""
    for found in LOGIN_MODULE.finditer(text):
        at = found.end()
        while option := _OPTION.match(text, at):
            at = option.end()
        if at > found.end():
            yield stripped(text, found.end(), at)


def urls(text: str) -> Iterator[Span]:
    """The password of a URL's user, a user that is a token, and paths that whoever knows them may post to."""
    for hook in HOOK.finditer(text):
        for part in _SEGMENT.finditer(text, *hook.span()):
            if looks_drawn(part[0]):
                yield part.span()
    for found in URL.finditer(text):
        user, password = found["user"], found["password"]
        is_cut = not found[0].endswith("@")
        if password is None:
            if not is_cut and user and _USER_TOKEN.fullmatch(user):
                yield found.span("user")
            continue
        if not is_cut and _USER_TOKEN.fullmatch(user):
            yield found.span("user")
        if not PORT.match(password) and not (is_cut and ("/" in password or password.isdigit())):
            yield found.span("password")


def users(text: str) -> Iterator[Span]:
    """Passwords of `user:password@host` and `user/password@service` without a scheme, where they look drawn or a host is sure."""
    for found in USER_PASS.finditer(text):
        if looks_drawn(found["password"]) or (
            (text.endswith("//", 0, found.start()) or _HOST.match(text, found.end()))
            and not PORT.match(found["password"])
        ):
            yield found.span("password")


def schemes(text: str) -> Iterator[Span]:
    """Credentials behind the name of their scheme, where they look like some."""
    for found in SCHEME.finditer(text):
        begin, end = found.span("credentials")
        while text[begin] in "\\\"'[":
            begin += 1
        value = BARE.match(text, begin)
        if _CREDENTIALS.match(text[begin:end]):
            yield begin, max(end, value.end() if value else end)


def tokens(text: str, lower: str) -> Iterator[Span]:
    """Tokens of known shapes."""
    if _TOKEN_HEAD.search(lower) and TOKENS.search(text):
        yield from spans_of(TOKENS.regex, text)
    for hint, shape in OTHERS:
        if hint in lower:
            for found in shape.finditer(text):
                yield from _parts(found)


def _parts(found: re.Match[str]) -> Iterator[Span]:
    """What goes of a shape: its secret, what of it looks drawn, or all of it."""
    groups = found.groupdict()
    if not groups.keys() & {"secret", "drawn"}:
        yield found.span()
    for name in ("secret", "other"):
        if groups.get(name):
            yield found.span(name)
    if groups.get("drawn") and looks_drawn(groups["drawn"]):
        yield found.span("drawn")
