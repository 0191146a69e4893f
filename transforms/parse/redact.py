"""Secrets out of text, before anything is written, spilled or said.

What is replaced: values of settings and fields that are secrets by name, JAAS entries, PEM private keys,
credentials in URLs, Authorization headers, JSON Web Tokens, AWS keys. The text may itself be inside JSON, so
quotes may come escaped. A value that is cut off (end of text) is redacted to the end.
"""

import re

REDACTED = "[redacted]"

# One of these must occur (in lower case) before any pattern is tried: 99 lines of 100 are done here.
HINTS = (
    "passw", "passphrase", "pwd", "secret", "token", "jaas", "private", "apikey", "api_key", "api-key",
    "api.key",
    "credential", "authorization", "bearer", "://", "akia", "asia", "eyj", "keystore.key", "access_key",
    "access-key", "access.key", "accesskey", "account_key", "account-key", "accountkey", "basic",
    "shared_access",
    "sharedaccess", "client_key", "client-key", "clientkey", "signature", "negotiate", "digest",
)  # fmt: skip
# The same for many texts at once (RE2 or re).
HINT_PATTERN = "(?i)" + "|".join(re.escape(hint) for hint in HINTS)

# Names whose values are secrets. Kafka itself prints `[hidden]` for passwords it knows, and null for
# unset ones. Lengths are bounded (no setting's name is near that long), and names are tried from a word's
# beginning only: a MiB of dashes, blank lines or `passwordpassword...` must not cost the square of its size.
_NAME = (
    r"[\w.\-]{0,256}(?:password|passwd|passphrase|\bpwd|secret|private[_.\-]?key|api[_.\-]?key"
    r"|access[_.\-]?key(?:[_.\-]?id)?|account[_.\-]?key|keystore\.key|credentials?|basic\.auth\.user\.info"
    r"|shared[_.\-]?access[_.\-]?(?:key|signature)|authorization|signature|client[_.\-]?key"
    r"|(?:auth|access|refresh|id|session|security|bearer|api|user|secret|personal|client)[_.\-]?token|\btoken)\w{0,64}"
)
# Settings with such a word in their name whose value is no secret: classes, places, switches, numbers.
HARMLESS = re.compile(
    r"(?i)[._\-](?:class|classes|url|uri|endpoint|location|type|algorithm|provider|ms|seconds|name|expiry|path|file"
    r"|window|enabled?|count|version|check|validator|handler|encoder)$|(?:class|url)$"
)
_QUOTE = r"\\*[\"']"
_KNOWN = rf"(?:{_QUOTE})?(?:\[hidden\]|\[redacted\]|null\b)"

PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\Z)", re.S
)
PEM_END = re.compile(r"\A[A-Za-z0-9+/=\s\\]{0,8192}-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----")
# Of a JAAS entry everything is private: passwords, keys, principals. It ends with a semicolon outside quotes.
_OPTIONS = rf"(?:{_QUOTE}[^\"'\n]*(?:{_QUOTE}|\Z)|[^;\n\"'\\]|\\(?!n))+;?"
JAAS = re.compile(rf"(?i)(sasl\.jaas\.config(?:{_QUOTE})?\s*[=:]\s*(?:{_QUOTE})?)(?!\s|{_KNOWN}){_OPTIONS}")
LOGIN_MODULE = re.compile(rf"(?i)(\bLoginModule\s+(?:required|requisite|sufficient|optional)\s+){_OPTIONS}")
# A line of a dump or of properties: the value is all that follows, blanks too. In JSON the line's ends
# are escaped.
LINE = re.compile(rf"(?im)((?:^|\\n)(?:[^\S\n]|\\t){{0,64}}{_NAME} ?= ?)(?!\s|{_KNOWN}|{_QUOTE})([^\n\\]+)")
NAMED = re.compile(
    rf"(?is)(?P<name>(?<![\w.\-]){_NAME})(?P<eq>(?:{_QUOTE})?\s*(?:=>|[=:])\s*)"
    rf"(?:(?P<q>{_QUOTE})(?P<quoted>.*?)(?:(?P=q)|\Z)|(?!\s|{_KNOWN})[^\s,;&\"'\\)}}\]<]+)"
)
OPTION = re.compile(
    rf"(?i)((?<![\w.\-])--?{_NAME}\s+)(?!-|=|\s|{_KNOWN})(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"']+)"
)
ELEMENT = re.compile(rf"(?i)(<({_NAME})>)[^<\n]+")
SAID = re.compile(
    r"(?i)(\b(?:password|passphrase|secret|token|api key)\s+(?:is\s+|was\s+)?)([\"'])[^\"'\n]*(?:\2|\Z)"
)
SCHEME = re.compile(r"\b([Bb]earer|BEARER)(\s+)(?!\[redacted\])([\w\-.~+/]{8,}=*)")
BASIC = re.compile(r"\b([Bb]asic|[Nn]egotiate|[Dd]igest)(\s+)(?=[\w+/]*[\dA-Z=])([\w+/]{8,}=*)")
HEADER = re.compile(
    rf"(?i)(authorization(?:{_QUOTE})?\s*[:=]\s*(?:{_QUOTE})?)((?:bearer|basic|negotiate|digest|apikey|token)\s+)?"
    r"(?!\s|\[redacted\])([^\s\"'\\,;]+)"
)
JWT = re.compile(r"\beyJ[\w\-]{5,}\.[\w\-]+(?:\.[\w\-]*)?|\beyJ[\w\-]{16,}\Z")
# The bound on lengths keeps hostile text from costing the square of its size.
URL_USER = re.compile(
    r"(\b[a-zA-Z][\w+.\-]{1,20}://)([^\s/@:\"'\\]{0,256}:)([^\s\"'\\]{1,512}?)(@|\Z)(?![^\s/\"'\\]{0,256}@)"
)
PORT = re.compile(r"\d{1,5}(?:\W|\Z)")
KAFKA_API = re.compile(r"apiKey=(?:[A-Z_]{3,40}|\d{1,3})\Z")
# As KAFKA_API, with what Kafka writes around it.
KAFKA_REQUEST = re.compile(r"RequestHeader\(apiKey=(?:[A-Z_]{3,40}|\d{1,3})(?=, apiVersion=\d)")
AWS_ID = re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,20}\b")


def redact(text: str) -> str:
    """The same text with every secret replaced by `[redacted]`; the same object where there is none to
    look at."""
    lower = text.lower()
    # Of a client at DEBUG most lines name a request, and hold no other hint.
    looked_at = KAFKA_REQUEST.sub("", text).lower() if "RequestHeader(apiKey=" in text else lower
    for hint in HINTS:
        if hint in looked_at:
            clean = _redact(text, lower)
            return text if clean == text else clean
    return text


def _redact(text: str, lower: str) -> str:
    if "private key-----" in lower:
        text = PEM_END.sub(REDACTED, PEM.sub(REDACTED, text))
    if "jaas" in lower:
        text = JAAS.sub(rf"\1{REDACTED}", text)
    if "loginmodule" in lower:
        text = LOGIN_MODULE.sub(rf"\1{REDACTED}", text)
    if "authorization" in lower:
        text = HEADER.sub(rf"\1\2{REDACTED}", text)
    if "://" in text:
        text = URL_USER.sub(_url, text)
    text = LINE.sub(_line, text)
    text = NAMED.sub(_named, text)
    text = OPTION.sub(rf"\1{REDACTED}", text)
    text = ELEMENT.sub(rf"\1{REDACTED}", text)
    text = SAID.sub(rf"\1\2{REDACTED}\2", text)
    text = BASIC.sub(rf"\1\2{REDACTED}", SCHEME.sub(rf"\1\2{REDACTED}", text))
    return AWS_ID.sub(REDACTED, JWT.sub(REDACTED, text))


def _line(found: re.Match[str]) -> str:
    name = found[1].rstrip(" =")
    return found[0] if HARMLESS.search(name) else f"{found[1]}{REDACTED}"


def _named(found: re.Match[str]) -> str:
    name, quote = found["name"], found["q"] or ""
    if (
        HARMLESS.search(name)
        or _is_kafka_api(found)
        or (quote and found["quoted"] in ("", "[hidden]", REDACTED))
    ):
        return found[0]
    return f"{name}{found['eq']}{quote}{REDACTED}{quote}"


def _is_kafka_api(found: re.Match[str]) -> bool:
    """`RequestHeader(apiKey=PRODUCE, ..` names a request of Kafka's protocol, no key of anybody."""
    is_protocol = found.string.endswith(("RequestHeader(", "ApiVersion("), 0, found.start())
    return is_protocol and KAFKA_API.search(found[0]) is not None


def _url(found: re.Match[str]) -> str:
    is_cut = found[4] == ""
    if is_cut and (PORT.match(found[3]) or "/" in found[3]):
        return found[0]  # host:port at the end of the text
    return f"{found[1]}{found[2]}{REDACTED}{found[4]}"
