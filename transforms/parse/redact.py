"""Secrets out of text, before anything is written, spilled or said.

What is replaced: values of settings and fields that are secrets by name, JAAS entries, PEM private keys,
credentials in URLs, Authorization headers, JSON Web Tokens, AWS keys. The text may itself be inside JSON, so
quotes may come escaped. A value that is cut off (end of text) is redacted to the end.
"""

import re

REDACTED = "[redacted]"

# One of these must occur (in lower case) before any pattern is tried: 99 lines of 100 are done here.
HINTS = (
    "passw", "passphrase", "pwd", "secret", "token", "jaas", "private", "apikey", "api_key", "api-key", "api.key",
    "credential", "authorization", "bearer", "://", "akia", "asia", "eyj", "keystore.key", "access_key",
    "access-key", "accesskey", "account_key", "accountkey", "sasl.username", "basic ", "basic.auth", "shared_access",
    "sharedaccess", "client_key", "signature",
)  # fmt: skip

# Names whose values are secrets. Kafka itself prints `[hidden]` for settings of type PASSWORD it knows, null for unset.
_NAME = (
    r"[\w.\-]*(?:password|passwd|passphrase|\bpwd|secret|private[_.\-]?key|api[_.\-]?key|access[_.\-]?key(?:[_.\-]?id)?"
    r"|account[_.\-]?key|keystore\.key|credentials?|basic\.auth\.user\.info|shared[_.\-]?access[_.\-]?(?:key|signature)"
    r"|(?:auth|access|refresh|id|session|security|bearer|api|user|secret|personal|client)[_.\-]?token|\btoken"
    r"|client[_.\-]?key|authorization|signature)[\w]*"
)
# Settings with such a word in the name whose value is no secret (classes, endpoints, switches, numbers).
_HARMLESS_END = (
    r"(?:class|classes|url|uri|endpoint|location|type|algorithm|provider|ms|seconds|name|name\.field|expiry|path|file"
    r"|window|enabled?|count|version|check|validator|handler|encoder)"
)
_OPEN = r"(?:\\*[\"'])"
_VALUE = rf"(?:(?P<q>\\*[\"'])(?P<quoted>.*?)(?:(?P=q)|\Z)|(?P<bare>(?!\[hidden\]|\[redacted\]|null\b)[^\s,;&\"'\\)}}\]]+))"

PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\Z)", re.S
)
PEM_TAIL = re.compile(r"\A(?:[A-Za-z0-9+/=\s\\]{0,8192})-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----")
# Everything of a JAAS entry: a login module's options are all private (passwords, keys, principals of services).
JAAS = re.compile(
    r"(?i)(sasl\.jaas\.config\\*[\"']?\s*[=:]\s*\\*[\"']?)(?!\[hidden\]|null\b|\[redacted\])([^\n]+?)(?=\\n|\n|\Z)"
)
LOGIN_MODULE = re.compile(r"(?i)(\bLoginModule\s+(?:required|requisite|sufficient|optional)\s+)([^\n;]+)")
NAMED = re.compile(rf"(?is)(?P<name>(?<![\w.\-]){_NAME})(?P<eq>{_OPEN}?\s*(?:=>|[=:])\s*){_VALUE}")
HARMLESS = re.compile(rf"(?i)[._\-]{_HARMLESS_END}$|_?(?:class|url)$")
AUTH = re.compile(r"(?i)\b(bearer|basic|negotiate|digest)(\s+)(?=[\w\-.~+/=]*[\d.=_\-A-Z])([\w\-.~+/]{8,}=*)")
AUTH_HEADER = re.compile(
    r"(?i)(authorization\\*[\"']?\s*[:=]\s*\\*[\"']?)(bearer|basic|negotiate|digest|apikey|token)?(\s*)([^\s\"'\\,;]+)"
)
JWT = re.compile(r"\beyJ[\w\-]{5,}\.[\w\-]+(?:\.[\w\-]*)?")
JWT_CUT = re.compile(r"\beyJ[\w\-]{16,}\Z")
URL_USER = re.compile(
    r"(\b[a-zA-Z][\w+.\-]{1,20}://)([^\s/@:\"'\\]*:)([^\s\"'\\]+?)(@(?=[^\s@]*)|\Z)(?![^\s/\"'\\]*@)"
)
AWS_ID = re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,20}\b")


def redact(text: str) -> str:
    """The same text with every secret replaced by `[redacted]`. Idempotent."""
    lower = text.lower()
    for hint in HINTS:
        if hint in lower:
            return _redact(text, lower)
    return text


def _redact(text: str, lower: str) -> str:
    if "private key-----" in lower:
        text = PEM.sub(REDACTED, text)
        text = PEM_TAIL.sub(REDACTED, text)
    if "jaas" in lower:
        text = JAAS.sub(rf"\1{REDACTED}", text)
    if "loginmodule" in lower:
        text = LOGIN_MODULE.sub(rf"\1{REDACTED}", text)
    if "authorization" in lower:
        text = AUTH_HEADER.sub(_header, text)
    if "://" in text:
        text = URL_USER.sub(_url, text)
    text = NAMED.sub(_named, text)
    text = AUTH.sub(rf"\1\2{REDACTED}", text)
    if "eyj" in lower:
        text = JWT_CUT.sub(REDACTED, JWT.sub(REDACTED, text))
    return AWS_ID.sub(REDACTED, text)


def _named(found: re.Match[str]) -> str:
    name = found["name"]
    if HARMLESS.search(name):
        return found[0]
    if found["q"] is not None:
        if not found["quoted"] or found["quoted"] in ("[hidden]", REDACTED):
            return found[0]
        return f"{name}{found['eq']}{found['q']}{REDACTED}{found['q']}"
    return f"{name}{found['eq']}{REDACTED}"


def _header(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2] or ''}{found[3]}{REDACTED}"


def _url(found: re.Match[str]) -> str:
    if found[4] == "" and "/" in found[3]:
        return found[0]  # host:port/path at the end of the text, no credentials
    if found[4] == "" and found[3].isdigit():
        return found[0]  # host:port
    return f"{found[1]}{found[2]}{REDACTED}{found[4]}"
