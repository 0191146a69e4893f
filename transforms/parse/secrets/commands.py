# ruff: noqa: E501 (patterns are written whole)
"""Secrets on command lines and in statements of databases, where an option's letter or a place says what they are.

Each with what must occur (in lower case) for it to be tried; its group `secret` is what goes.
"""

import re

# A word, or what stands in quotes, of which the text around may have escaped the quotes.
GIVEN = r"\\*(?:(?P<q>[\"'])(?!\[redacted\])|(?![\"'\\]|\[redacted\]))(?P<secret>(?(q)[^\"'\n\\]+|[^\s\"'\-\\][^\s\"'\\]*))"
USER_COLON = (
    r"[ =]?\\*(?P<q>[\"'])?[^\s:\"'/\\]{1,64}:(?P<secret>(?!\[redacted\])(?(q)[^\"'\n\\]+|[^\s\"'\\]+))"
)
# What must occur, and the option that says a user and a password.
OPTIONS_OF_USERS = ((" -u", r"\s-u"), ("-user", "-user"), ("--auth", "--auth"), (" -a ", r"\bhttps? -a"))
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
    *((hint, re.compile(rf"{option}{USER_COLON}")) for hint, option in OPTIONS_OF_USERS),
    # Commands, whose options have a letter for a name, and those that say a user and a password.
    *((hint, re.compile(rf"\b(?:{command})\b[^\n|;]{{0,200}}?\s{option}[ =]?{GIVEN}")) for hint, command, option in OPTIONS),
    ("mysql", re.compile(r"\bmysql\w{0,8}\s[^\n|;]{0,100}?-u ?\S{1,64}\s-p(?P<secret>(?!\[redacted\])[^\s\"'\-\\][^\s\"'\\]*)")),
    ("vault login", re.compile(r"(?<=vault login )(?P<secret>(?!\[redacted\])(?=\S{0,64}\d)[^\s\-\"'\\][^\s\"'\\]{7,})")),
    ("htpasswd", re.compile(rf"\bhtpasswd\s-\w{{0,4}}b\w{{0,4}}\s\S{{1,128}}\s\S{{1,64}}\s{GIVEN}")),
    ("sqlplus", re.compile(r"\bsqlplus\s(?:-\w+\s){0,4}[\w.$#]{1,64}/(?P<secret>(?!\[redacted\])[^\s@\"'\\]{1,128})")),
    ("smbclient", re.compile(rf"\bsmbclient\b[^\n|;]{{0,200}}?\s-U ?[\"']?[^\s%]{{1,64}}%{GIVEN}")),
    ("net use", re.compile(rf"\bnet use [^\n|;]{{0,200}}?/user:\S{{1,64}}\s{GIVEN}")),
    ("rabbitmqctl", re.compile(rf"\brabbitmqctl\b[^\n|;]{{0,64}}?\s(?:add_user|change_password|authenticate_user)\s\S{{1,64}}\s{GIVEN}")),
    ("alias set", re.compile(rf"\bmc alias set \S{{1,64}} \S{{1,256}} \S{{1,64}} {GIVEN}")),
    ("api-key store", re.compile(rf"\bapi-key store \S{{1,64}} {GIVEN}")),
    ("addauth", re.compile(r"\baddauth digest [^\s:]{1,64}:(?P<secret>(?!\[redacted\])[^\s\"'\\]+)")),
    ("--from-literal", re.compile(rf"(?<=--from-literal)[ =][\w.\-]{{1,253}}={GIVEN}")),
    ("echo ", re.compile(rf"\becho\s(?:-n\s)?{GIVEN}[\"']?\s?\|\s?(?:kinit|sudo -S|su\b|passwd|docker login|podman login)")),
    # Statements of databases.
    ("identified", re.compile(r"(?i)\bidentified\s(?:with\s\S{1,64}\s)?(?:by|as)\s(?:password\s)?\\*[\"']?(?P<secret>(?!\[redacted\])[^\s\"'\\;]+)")),
    ("auth ", re.compile(r"\bAUTH (?:[\w.\-]{1,64} )?(?P<secret>(?!\[redacted\]|SCRAM|SASL)(?=[^\s\"']{0,64}\d)(?=[^\s\"']{0,64}[a-z])[^\s\"'=:(){}\[\],]{6,})")),
    ("auth", re.compile(r"(?i)(?<=auth)\\*[\"']?\s?[=:]\s?[(\[]\s?\\*[\"'][^\"'\n]{1,64}[\"'],\s?\\*[\"'](?P<secret>(?!\[redacted\])[^\"'\n\\]+)")),
    ("usernamepassword", re.compile(r"UsernamePassword\w{0,24}\([^,()\s]{1,64},\s?(?P<secret>(?!\[redacted\])[^,()\s]+)\)")),
)  # fmt: skip
