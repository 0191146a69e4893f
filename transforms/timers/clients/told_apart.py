"""Lines of trouble that are alike in all that they name, told apart by what they say."""

from zlib import crc32

from transforms.events import APPLICATION_EXCEPTION, UNEXPLAINED, ClientEvent
from transforms.when_used import when_used

OF_CONNECTION = frozenset({"connect_failed", "disconnect"})
# Why TLS was not made: each reason for itself, for of several at once some say nothing, and one what to do.
_OF_TLS = when_used(r"\b(?:SSL|TLS|tls|x509|PKIX)\b|[Cc]ertificate|PLAINTEXT|client authentication")
OF_NAMES = "names"
_OF_NAMES = when_used(r"\bgetaddrinfo\b|\bDNS (?:lookup failed|failure)|\b[Nn]ame or service not known\b")
_NO_DIGITS = str.maketrans("", "", "0123456789")
_FIRST_WORD = when_used(r"\A(?:\[[^\]\n]{0,120}\][\s,:]{0,3}){0,4}([A-Za-z]+)")  # behind who says it
MOST_WORDS = 64  # of one logger: what begins with a name, another each time, is no kind of lines


def why_not_made(event: ClientEvent) -> str:
    """Why a connection was not made, where more is told than that nobody took it: the reason that TLS gives, without its
    numbers, as times and ports differ each time; or that a name was not found."""
    if event.kind not in OF_CONNECTION:
        return ""
    reason = event.details.get("reason") or event.details.get("error_message", "")
    if _OF_TLS.search(reason) is not None:
        return reason.translate(_NO_DIGITS)
    return OF_NAMES if _OF_NAMES.search(reason or event.details.get("said", "")) is not None else ""


def what_is_said(event: ClientEvent) -> str:
    """By what lines of no family, and exceptions, are told apart where all else is alike: the innermost exception, and with
    which word each message begins. A logger says many things, and one process ends twice by what one class throws."""
    details = event.details
    thrown = "" if event.message_id == APPLICATION_EXCEPTION else details.get("cause_class", "")
    said = details.get("text", "") if event.message_id == UNEXPLAINED else ""
    words = (said, details.get("cause_message", "") if thrown else "")
    begun = (found[1] if (found := _FIRST_WORD.search(one)) else "" for one in words)
    told = " ".join((thrown, *begun)).strip()
    return str(crc32(told.encode()) % MOST_WORDS) if told else ""
