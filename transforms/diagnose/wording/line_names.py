"""What lines of any product name: client, group, topic, broker."""

from transforms.sieve import Sieved

NAMED = {
    "client": Sieved(
        r"\b[cC]lient(?:\.?[iI]d|_id)\\?\"?\s*[=:]\s*\\?\"?(?P<value>[\w.\-]+)|(?P<name>[\w.\-]+#(?:consumer|producer)-\d+)"
    ),
    "group_id": Sieved(
        r"\b(?:group(?:\.?[iI]d|_id)|consumer_?[gG]roup)\\?\"?\s*[=:]\s*\\?\"?(?P<value>[\w.\-]+)"
        r"|\bfor (?:consumer )?group (?!coordinator|member|due|because|error|metadata)[\"']?(?P<name>[\w.\-]*\w)"
    ),
    "topic": Sieved(
        r"(?:\b[tT]opic\\?\"?\s*[=:]\s*\\?\"?(?!Topic\()|\b(?:for|of|from) (?:topic |partition )?|consuming )"
        r"(?P<value>[A-Za-z][\w.\-]*(?:-\d+\b|/\d+\b))"
        # and no error that stands behind the colon: `to send to topic: not found`
        r"|\b[tT]opic\\?\"?\s*[=:]\s*(?!(?:not?|buffer|cannot|could|error|failed|invalid|unable|unknown) [a-z])"
        r"\\?\"?(?:Topic\(name=')?(?P<name>[\w.\-]+)"
    ),
    "node": Sieved(
        # No address that a proxy serves or is asked by, of the leader in a position, nor one that stands for all of a
        # machine; an id may be a host.
        r"(?<!server: )(?<!client: )(?<!leader=Optional\[)(?<![\w.\-])(?!0\.0\.0\.0:)"
        r"(?P<value>(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{12}|[a-zA-Z][\w\-]{0,62}(?:\.[\w\-]{1,63}){0,8}):\d{4,5})\b(?!.*->)"
        r"|(?P<ipv6>\[[\da-fA-F]{0,4}:[\da-fA-F:.]{1,45}\]:\d{4,5})\b(?!.*->)"
        r"|->(?P<name>[\w.\-]{1,253}:\d{4,5})|\bConnection with (?P<other>[\w.\-]+(?:/[\d.]+)?) disconnected"
    ),
}


def named(name: str, text: str) -> str | None:
    """What a line names as its `name`, one of NAMED; None where it names none."""
    found = NAMED[name].search(text)
    return next(filter(None, found.groups()), None) if found else None
