"""A setting's, field's or header's name -> whether what stands under it is a secret.

The table's rows are read over a name's words, in lower case and joined by dashes: `sslKeyPassword`, `ssl.key.password`
and `SSL_KEY_PASSWORD` are `ssl-key-password`. The last word decides what a name names: `password.encoder.iterations`
are iterations. Where a secret's word stands before another that the table doesn't know, the value must not look plain.
"""

import re
from collections.abc import Callable, Iterable
from enum import IntEnum
from functools import lru_cache

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
# One of these is in every name of the table: what the search for names looks for.
_ASCII = (
    "pass(?: (?:word|phrase|code))?", "pwd", r"pw(?![^\W_])", "secret", "token", "key", "creds", "credential", "auth",
    "jaas", "cookie", "signature", r"sig(?![^\W_])", "hmac", "salt", "license", r"user[_.\-]", "userinfo", "jsessionid",
    "phpsessid", r"connect(?:ion)?[_.\-]?str", "proof", r"\bcode(?==)", r"sasl[_.\-]?data", "nonce", "jwt", "assertion",
    "mnemonic", r"dsn(?![^\W_])", r"\botp", r"\bpin(?![^\W_])", r"\bcvv", "kennwort", "contrase", "senha", "parola",
    "wachtwoord", "salasana", "heslo", "adgangskode", "sifre", "lozinka", "clave", "mot[_ ]?de[_ ]?passe", "psk",
    r"_pat(?![^\W_])", r"pre[_.\-]?shared", "superdigest", "saml", r"recovery[_.\-]?code", r"backup[_.\-]?code",
    r"code[_.\-]?verifier",
)  # fmt: skip
_NOT_ASCII = r"|lösenord|jelszó|hasło|şifre|парол|пароль|パスワード|密码|密碼|口令|비밀번호"
WORDS = when_used("(?i)" + "|".join(_ASCII) + _NOT_ASCII)


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
_IN_SMALL = when_used(by_first_letter(_ASCII))


def words_in(text: str, lower: str) -> Callable[[int], re.Match[str] | None]:
    """What finds the next word of a text from a place on. lower: the text in small letters."""
    pattern, searched = (_IN_SMALL, lower) if text.isascii() else (WORDS, text)
    return lambda at: pattern.search(searched, at)


# Words after a secret's that leave it one.
_STILL = (
    r"(?:-(?:value|values|text|txt|plain|plaintext|clear|cleartext|raw|string|str|bytes|data|base-?64|b-?64|hex|encoded"
    r"|encrypted|enc|as|decrypted|hash|hashed|old|new|current|previous|prev|next|primary|secondary|default|prod|dev|test"
    r"|\d+|pem|config|override|env|box|holder|inner))*(?:-for-.{1,64})?"
)
_FOREIGN = (
    r"contrase(?:n|ñ)a|senha|parola|clave|wachtwoord|lösenord|salasana|jelszó|hasło|heslo|passord|adgangskode|şifre|sifre|lozinka|пароль|парол"
    r"|パスワード|密码|密碼|口令|비밀번호"
)
_PASSWORD = (
    r"\w*?(?:password|passwd|passwrd|passphrase|passcode|passwort|kennwort|pwd|"
    + _FOREIGN
    + r")s?(?:是|为|は)?\d*"
)
_PASS = (
    r"(?:\w*(?<!by)(?<!com)(?<!sur)(?<!tres)(?<!over)(?<!under)(?<!encom)(?<!multi)(?<!single)pass\d*"
    r"|(?:db|user|root|admin|my|kafka|sasl|ssl|key|store)?pw)"
)
_SECRET = r"\w*secrets?\d*"
_KEYS = (
    r"api|private|secret|access|account|auth|master|encryption|encrypt|decryption|decrypt|signing|sign|shared|storage|ssh"
    r"|hmac|symmetric|aes|rsa|des|pgp|gpg|license|licence|subscription|functions?|app|application|service|deploy|webhook|stored"
    r"|server|client|keystore|consumer|session|vault|unseal|recovery|datadog|dd|newrelic|integration|ingest|write|admin"
    r"|sas|cipher|crypto|wrapping|kek|dek|tls|ssl|token|jwt|cookie|root|openai|stripe|instrumentation|sentry|fernet"
)
_TOKENS = r"\w*tokens?\d*"

# (what a name's words must match as a whole, how strong), first match counts.
TABLE: tuple[tuple[str, Strength], ...] = (
    (r"(?:.*-)?jaas(?:-config)?(?:-\d+)?", Strength.JAAS),
    (r"(?:.*-)?authorization(?:-header|-value)?", Strength.HEADER),
    (r"(?:set-)?cookies?2?|(?:http-)?cookie", Strength.COOKIE),
    (r"j-?sessionid|j-session-?id|phpsessid|sessionid-?cookie|session-cookie", Strength.STRONG),
    # Names of other things that hold such words.
    (
        r"(?:.*-)?(?:primary|foreign|partition|partitioning|partitioner|message|record|row|sort|public|group|cache"
        r"|index|composite|surrogate|map|dedup|idempotency|lookup|join|object|sharding|shard|bucket|sequence|ordering|event"
        r"|document|doc|natural|business|unique|aggregate|state|window|s3|blob|file|redis|hash|range|natural|correlation|topic"
        r"|translation|i18n|locale|json|metric|tag|label|header|config|property|schema|subject|registry|null|non|any|each"
        r"|first|last|min|max|input|output|left|right|start|end|begin|from|to|max|num|total|by|has|per|missing|unknown|of)-keys?",
        Strength.IN_URL,
    ),
    (r"(?:.*-)?(?:no|has|is|use|uses|with|without|requires?|needs?|allow|enable|disable|missing)-(?:password|secret|token|auth)s?",
     Strength.WEAK),
    # Passwords and secrets.
    (rf"(?:.*-)?(?:{_PASSWORD}){_STILL}", Strength.STRONG),
    (rf"(?:.*-)?{_SECRET}(?:-access)?(?:-?keys?(?:-base)?)?{_STILL}", Strength.STRONG),
    (rf"(?:.*-)?pass-?(?:word|phrase|code|wd)s?{_STILL}|(?:.*-)?mot-?de-?passe", Strength.STRONG),
    (r"(?:.*-)?account-key-.*-windows-net", Strength.STRONG),  # of Hadoop's Azure file systems
    (r"(?:.*-)?(?:require|master)-?(?:pass|auth)|rediscli-auth", Strength.STRONG),  # of Redis
    (rf"(?:.*-)?(?:user-?info|userinfo|auth-user-pass|userpass|user-pass){_STILL}", Strength.STRONG),
    (rf"(?:.*-)?{_PASS}{_STILL}", Strength.TOKEN),
    (rf"(?:.*-)?(?:private|secret|master|ssh|encryption|signing|hmac|keystore|stored|account|shared-access|shared|storage-account)-?keys?{_STILL}",
     Strength.STRONG),
    (r"(?:.*-)?(?:salted-password|stored-key|server-key|client-proof|key-pem|mnemonic|unseal-keys?)", Strength.STRONG),
    (r".*-pat", Strength.TOKEN),  # a personal access token
    (r"(?:.*-)?sensitive-(?:.*-)?keys?", Strength.TOKEN),
    (r"(?:.*-)?(?:session-?id|connect-sid|awsalb|saml-?art|sid)", Strength.WEAK),
    (r"(?:.*-)?(?:wpa-?)?psk|(?:.*-)?pre-?shared(?:-?(?:key|secret))?|(?:.*-)?super-?digest", Strength.TOKEN),
    (r"(?:.*-)?confluent-(?:.*-)?licen[sc]e|(?:.*-)?licen[sc]e-?key", Strength.STRONG),
    (r"(?:.*-)?(?:connection-?str(?:ing)?)", Strength.WEAK),
    (rf"(?:.*-)?(?:{_KEYS})-?keys?{_STILL}", Strength.TOKEN),
    (r"(?:.*-)?access-?key-?ids?|(?:.*-)?x-amz-credential", Strength.TOKEN),
    (rf"(?:.*-)?shared-?access-?signature|(?:.*-)?(?:hmac|salt){_STILL}|(?:.*-)?auth-bytes", Strength.TOKEN),
    (rf"(?:.*-)?(?:credentials?|creds){_STILL}", Strength.TOKEN),
    (r"(?:.*-)?(?:recovery|backup)-codes?|code-verifier|(?:.*-)?oauthbearer-config", Strength.TOKEN),
    (r"(?:.*-)?(?:routing-key|licen[sc]e|saml-?(?:request|assertion)|saml-?response)", Strength.WEAK),
    # Tokens: of what is counted, paged or parsed there are some that are none.
    (r"(?:.*-)?(?:next|page|continuation|continue|sync|resume|scroll|pagination|unexpected|unrecognized|num|max|min|total"
     r"|prompt|completion|cached|reasoning|input|output|count|node|metadata|bucket|lexer|parser|sql)-tokens?",
     Strength.WEAK),
    (rf"(?:.*-)?{_TOKENS}{_STILL}", Strength.TOKEN),
    (r"(?:.*-)?(?:jwt|bearer|assertion|saml-response|otp|totp|pin|cvv|dsn)", Strength.WEAK),
    (r"(?:.*-)?(?:signature|basic-?auth|http-?auth|auth)", Strength.WEAK),
    (r"(?:.*-)?(?:secret|role-secret)-id", Strength.TOKEN),
    (r"x-amz-signature|x-goog-signature|(?:.*-)?sig", Strength.WEAK),
    (r"key|code|auth|sig|hmac|pw|pass|jwt|assertion|nonce|proof|(?:.*-)?keys?", Strength.IN_URL),
)  # fmt: skip
_ROWS = tuple((when_used(pattern), strength) for pattern, strength in TABLE)
# `X_KEY` of an environment is somebody's key more often than not.
_ENV_KEY = when_used(r"[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_KEY")

# What a name is the name of, where its last word is one of these: no secret itself.
HARMLESS = frozenset(
    (  # noqa: SIM905 (words, not code)
        "class classes url urls uri uris endpoint endpoints location locations type types algorithm algorithms provider "
        "providers ms millis seconds secs sec minutes hours days name names expiry expires expiration path paths file files "
        "filename dir directory folder window enable enabled disabled count counts version versions check checks validator "
        "handler handlers encoder decoder iterations length size policy policies mechanism mechanisms protocol protocols "
        "source sources host hosts hostname port ports prefix suffix issuer audience scope scopes claim format ttl lifetime "
        "timeout interval limit limits required optional allowed supported id ids index indices ref refs reference alias "
        "region zone arn status state error errors message exception reason code codes serializer deserializer converter "
        "renewer owner at on time date created updated usage use used valid invalid failed failures attempts retries "
        "service services manager store stores reader writer cache factory builder strategy method mode kind hint resolver "
        "strength rotation agent email mail role group groups event events topic topics table column field fields spec "
        "bucket parser filter rule rules schema generator generation generated refresh refreshed login callback server "
        "servers bits user username principal client header chain certificate certificates cert certs fingerprint "
        "thumbprint "
    ).split()
)
_SECRET_WORD = when_used(rf"(?:{_PASSWORD}|{_SECRET}|tokens?|credentials?)")
_PASSWORD_WORD = when_used(_PASSWORD)
_USER = when_used(r"user[_.\-][\w.\-]+")
_WORDS = when_used(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")


@lru_cache(1 << 12)
def strength_of(name: str) -> Strength:
    """How much of a secret stands under a name of at most LONGEST_NAME characters."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words:
        return Strength.NONE
    joined = "-".join(words)
    for row, strength in _ROWS:
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
