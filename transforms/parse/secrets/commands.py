# ruff: noqa: E501 (patterns are written whole)
"""Secrets on command lines and in statements of databases, where an option's letter or a place says what they are.

Each with what must occur (in lower case) for it to be tried; its group `secret` is what goes, `drawn` where it looks so.
"""

import re

from transforms.parse.secrets.values import LINE_ENDS
from transforms.when_used import when_used

# A word, or what stands in quotes, of which the text around may have escaped the quotes.
GIVEN = r"\\*(?:(?P<q>[\"'])(?!\[redacted\])|(?![\"'\\]|\[redacted\]))(?P<secret>(?(q)[^\"'\n\\]+|[^\s\"'\-\\][^\s\"'\\]*))"
USER_COLON = (
    r"[ =]?\\*(?P<q>[\"'])?[^\s:\"'\\]{1,64}:(?P<secret>(?!\[redacted\])(?(q)[^\"'\n\\]+|[^\s\"'\\]+))"
)
# What must occur, and the option that says a user and a password.
OPTIONS_OF_USERS = (
    (" -u", r"\s-u"), ("-user", "-user"), ("--auth", "--auth"), (" -a ", r"\bhttps? -a"), ("curl", r"\bcurl\b[^\n|;]{0,200}?\s(?:--(?:proxy-)?cert|-E)"),
)  # fmt: skip
# Not a port, a count, a path, or another option.
_NOT_PLAIN = r"(?!\\*[\"']?(?:\d{1,5}(?::\d+)*|[/.~][\w./\-]*)(?:[\s\"']|\Z))"
_USER_OPTION = r"(?:-[uUnl]|-D|--?user(?:name)?)[ =]?[^\s\-]\S{0,64}"
# What must occur, the command, and its option for a password.
OPTIONS = (
    ("sshpass", "sshpass", "-p"),
    ("redis-cli", "redis-cli", "-a"),
    ("login -", r"(?:docker|podman|registry|az|oc|nerdctl)\slogin", "-p"),
    ("mongo", "mongo(?:sh|dump|restore|export|import)?", "-p"),
    ("sqlcmd", "sqlcmd|bcp|isql", "-P"),
    ("ldap", "ldap(?:search|modify|add|delete|whoami|passwd)", "-w"),
    ("openssl", "openssl", "-[kK]"),
    ("ssh-keygen", "ssh-keygen", "-[NP]"),
    ("cqlsh", "cqlsh|beeline|influx", "-p"),
)

COMMANDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    *((hint, when_used(rf"{option}{USER_COLON}")) for hint, option in OPTIONS_OF_USERS),
    # Commands, whose options have a letter for a name, and those that say a user and a password.
    *((hint, when_used(rf"\b(?:{command})\b[^\n|;]{{0,200}}?\s{option}[ =]?{GIVEN}")) for hint, command, option in OPTIONS),
    # Of any command: an option for a user, and one that is a password beside it.
    *((f" -{letter}", when_used(rf"(?<=\s){_USER_OPTION}\s(?:[^\n|;,]{{0,100}}?\s)?-{option}(?:[ =]{_NOT_PLAIN}{GIVEN}|(?P<drawn>[^\s\"'\\]{{6,}}))")) for letter, option in (("p", "(?:pw?|P)"), ("w", "w"))),
    *((f" -{letter}", when_used(rf"\s-{option}[ =]{_NOT_PLAIN}{GIVEN}(?=[\"']?\s(?:[^\n|;,]{{0,100}}?\s)?{_USER_OPTION})")) for letter, option in (("p", "(?:pw?|P)"), ("w", "w"))),
    (" -p", when_used(rf"\b(?:zip|unzip|7z[az]?|rar|unrar|usermod|useradd|plink|pscp|psftp|putty)\b[^\n|;]{{0,100}}?\s-(?:pw|p|P)(?:[ ]{_NOT_PLAIN}{GIVEN}|(?P<drawn>[^\s\"'\\]{{6,}}))")),
    (" -p", when_used(rf"\b(?:zip|unzip|7z[az]?|rar|unrar|bcp)\b[^\n|;]{{0,100}}?\s-[pP]{_NOT_PLAIN}{GIVEN}")),
    ("snmp", when_used(rf"\bsnmp\w{{2,12}}\s[^\n|;]{{0,200}}?(?<=\s)-[cAX]\s?{_NOT_PLAIN}{GIVEN}(?:[^\n|;]{{0,100}}?\s-X\s?(?P<other>[^\s\"'\\]+))?")),
    ("community", when_used(rf"(?i)\b(?:snmp-server |r[ow])community6?\s(?:string\s)?{GIVEN}")),
    # Of netrc, and of users said with their passwords: `login u password x`, `user 'u' and pass 'x'`.
    ("login ", when_used(r"(?:\bmachine\s\S{1,128}|\bdefault|\A|\n)\s{1,16}login\s\S{1,64}\s{1,16}password\s(?P<secret>(?!\[redacted\])[^\s\"'\\]+)")),
    ("pass", when_used(rf"(?i)\b(?:user(?:name)?|login)\s?\\*[\"'][^\"'\n]{{1,64}}[\"'],?\s(?:(?:and|with|/)\s)?pass\s(?=\\*[\"']){GIVEN}")),
    ("pass ", when_used(rf"(?:\bUSER \S{{1,64}}\n[^\n]{{0,64}}|-> |> |C: )PASS (?P<secret>(?!\[redacted\])[^\s\"'\\]+)(?={LINE_ENDS}|[\"'\\])")),
    ('"auth" ', when_used(rf"\"AUTH\"(?: \"[^\"\n]{{1,64}}\")? \"(?P<secret>(?!\[redacted\])[^\"\n]+)\"(?={LINE_ENDS})")),
    ("mysqladmin", when_used(rf"\bmysqladmin\b[^\n|;]{{0,100}}?\spassword\s{GIVEN}")),
    ("chpasswd", when_used(r"\becho\s\\*[\"']?[^\s:\"']{1,64}:(?P<secret>(?!\[redacted\])[^\s\"'\\]+)\\*[\"']?\s?\|\s?(?:sudo\s)?chpasswd")),
    ("credential", when_used(r"(?i)\bcredentials?:?\s[\"']?(?!User:)[\w.\-@]{1,64}:(?P<secret>(?!\[redacted\]|\d{1,5}(?!\w)|//)[^\s\"'\\,;)]+)")),
    ("basic", when_used(r"(?i)\bbasic[ \-]?auth:?\s[\"']?[\w.\-@]{1,64}:(?P<secret>(?!\[redacted\]|\d{1,5}(?!\w)|//)[^\s\"'\\,;)]+)")),
    *((hint, when_used(rf"(?i)\b(?:username-?password-?)?{hint}s?[({{<\[]\s?[\w.\-@]{{1,64}}(?:,\s?|\s)(?P<secret>(?!\[redacted\])[^\s,=:(){{}}<>\[\]]+)\s?[)}}>\]]")) for hint in ("credential", "basicauth")),
    (" /u", when_used(rf"(?<=\s)/u(?:ser)?:\S{{1,64}}\s(?:[^\n|;]{{0,100}}?\s)?/p(?:ass(?:word)?)?:{GIVEN}")),
    ("lftp", when_used(rf"\blftp\b[^\n|;]{{0,100}}?\s-u [^\s,]{{1,64}},{GIVEN}")),
    ("<<<", when_used(rf"\b(?:kinit|passwd|chpasswd|su|sudo|login|cryptsetup)\b[^\n|;]{{0,100}}?<<<\s?[\"']?(?:[\w.\-]{{1,64}}:)?{GIVEN}")),
    ("login ", when_used(r"\bLOGIN\s\\*[\"']?[^\s\"'\\]{1,64}\\*[\"']?\s\\*[\"']?(?P<secret>(?!\[redacted\])(?=[^\s\"'\\]*[\d!#%^&*+~?$@])[^\s\"'\\]{6,})(?=\\*[\"']?(?:[\s,}\]]|\\|\Z))")),
    ("login ", when_used(r"\blogin\s(?P<drawn>[\w\-.]{20,})")),
    ("setuser", when_used(r"(?i)\bsetuser\b[^\n|;]{0,200}?\s[>#](?P<secret>[^\s\"'\\]+)")),
    # A user and a password in one.
    *((hint, when_used(rf"(?i)\b(?:{hint})s?:?(?:\s(?:attempt|failed|failure|error|rejected|refused)s?)?:?(?:\s(?:for|as|with|by))?\s{{1,4}}\[?b?[\"']?[\w.\-@]{{1,64}}[\"']?(?::|\s?/\s?)b?[\"']?(?P<drawn>[^\s:\"'/,;)]{{8,}})")) for hint in ("login", "auth", "echo", "credential")),
    # Positions: a user and a password in a call, the last being the password; of SASL in Erlang.
    *((hint, when_used(rf"(?i){hint}\w{{0,24}}[({{\s]{{1,2}}(?:N?\\*[\"'][^\"'\n]{{0,256}}[\"'],\s?){{1,4}}N?\\*[\"'](?P<secret>(?!\[redacted\])[^\"'\n\\]+)\\*[\"']\s?(?:[)}}]|\Z)")) for hint in ("auth", "login", "credential", "getconnection", "signin")),
    *((hint, when_used(rf"(?i){hint}s?\w{{0,8}}[({{\[<]\s?(?:[\w.\-@]{{1,64}}[,\s]\s?)?(?P<drawn>[^\s,)}}\]>]{{8,}})\s?[)}}\]>]")) for hint in ("auth", "credential")),
    *((hint, when_used(r"(?i)(?:connect|construct)\w{0,16}\((?:\s?\\*[\"'][^\"'\n]{0,256}[\"'],){2}\s?\\*[\"'](?P<secret>(?!\[redacted\])[^\"'\n\\]+)")) for hint in ("mysql", "__construct")),
    ("plain,", when_used(r"(?i):?\bplain\s?,\s?(?:<<)?\"[^\"\n]{0,128}\"(?:>>)?\s?,\s?(?:<<)?\"(?P<secret>(?!\[redacted\])[^\"\n]+)\"")),
    ("password ", when_used(r"(?i)\b(?:password|secret|key)\s(?:[0-9]|encrypted|ascii\s\d|hex\s\d)\s(?P<secret>(?!\[redacted\])(?=\S*\d)[\w$./+=]{6,})")),
    ("net use", when_used(rf"\bnet use (?:\w:|\*) \S{{1,128}} (?!/){GIVEN}")),
    ("kadmin", when_used(rf"\bkadmin\b[^\n|;]{{0,200}}?\s-w ?{GIVEN}")),
    ("mysql", when_used(r"\bmysql\w{0,8}\s[^\n|;]{0,100}?-u ?\S{1,64}\s-p(?P<secret>(?!\[redacted\])[^\s\"'\-\\][^\s\"'\\]*)")),
    ("vault login", when_used(r"(?<=vault login )(?P<secret>(?!\[redacted\])(?=\S{0,64}\d)[^\s\-\"'\\][^\s\"'\\]{7,})")),
    ("htpasswd", when_used(rf"\bhtpasswd\s-\w{{0,4}}b\w{{0,4}}\s\S{{1,128}}\s\S{{1,64}}\s{GIVEN}")),
    ("sqlplus", when_used(r"\bsqlplus\s(?:-\w+\s){0,4}[\w.$#]{1,64}/(?P<secret>(?!\[redacted\])[^\s@\"'\\]{1,128})")),
    ("smbclient", when_used(rf"\bsmbclient\b[^\n|;]{{0,200}}?\s-U ?[\"']?[^\s%]{{1,64}}%{GIVEN}")),
    ("net use", when_used(rf"\bnet use [^\n|;]{{0,200}}?/user:[^\s\"'\\]{{1,64}}\s{GIVEN}")),
    ("rabbitmqctl", when_used(rf"\brabbitmqctl\b[^\n|;]{{0,64}}?\s(?:add_user|change_password|authenticate_user)\s\S{{1,64}}\s{GIVEN}")),
    ("alias set", when_used(rf"\bmc alias set \S{{1,64}} \S{{1,256}} \S{{1,64}} {GIVEN}")),
    ("api-key store", when_used(rf"\bapi-key store \S{{1,64}} {GIVEN}")),
    ("digest:", when_used(r"\bdigest:[^\s:,]{1,64}:(?P<secret>(?!\[redacted\])[^\s:,\"'\\]+)(?=:[cdrwa]{1,5}\b)")),
    ("addauth", when_used(r"\baddauth digest [^\s:]{1,64}:(?P<secret>(?!\[redacted\])[^\s\"'\\]+)")),
    ("--from-literal", when_used(rf"(?<=--from-literal)[ =][\w.\-]{{1,253}}={GIVEN}")),
    ("echo ", when_used(rf"\becho\s(?:-n\s)?{GIVEN}[\"']?\s?\|\s?(?:kinit|sudo -S|su\b|passwd|docker login|podman login)")),
    # Statements of databases.
    ("identified", when_used(r"(?i)\bidentified\s(?:with\s\S{1,64}\s)?(?:by\s(?:password\s)?|as\s(?:password\s)?(?=\\*[\"']|0x))\\*[\"']?(?P<secret>(?!\[redacted\])[^\s\"'\\;]+)")),
    ("auth", when_used(r"\bAUTH[\"']? [\"']?(?:[\w.\-]{1,64}[\"']? [\"']?)?(?P<secret>(?!\[redacted\]|SCRAM|SASL)(?=[^\s\"']{0,64}\d)(?=[^\s\"']{0,64}[a-z])[^\s\"'=:(){}\[\],]{6,})")),
    ("auth", when_used(r"(?i)(?<=auth)\\*[\"']?\s?[=:]\s?[(\[]\s?\\*[\"'][^\"'\n]{1,64}[\"'],\s?\\*[\"'](?P<secret>(?!\[redacted\])[^\"'\n\\]+)")),
    ("usernamepassword", when_used(r"UsernamePassword\w{0,24}\([^,()\s]{1,64},\s?(?P<secret>(?!\[redacted\])[^,()\s]+)\)")),
)  # fmt: skip
