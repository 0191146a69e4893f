"""What lines say of a state that is reached or not: a connection, a membership, an assignment, a login."""

from transforms.diagnose.wording.loudness import fails_in_words, loudness_of
from transforms.sieve import Sieved

# No package, client id or product of that name: `kafka.connect.runtime`, `connect-1`, `Kafka Connect`.
_BEFORE, _BEHIND = r"(?<![\w.\-])(?<!kafka )(?:re-?)?", r"(?![.\-])"
_STATES = "connect|join|assign|subscri|authenticat"
_NOT_REACHED = Sieved(
    rf"(?i)\b(?:fail\w*|unable|could ?n.?t|could not|can.?t|cannot)\b[^\n]{{0,30}}?{_BEFORE}(?P<to>{_STATES}){_BEHIND}"
    rf"|{_BEFORE}(?P<of>{_STATES})(?:ion|ing|ment|ption) (?:[^\n]{{0,60}} )?(?:failed|refused|timed out|not available)\b"
    r"|\b(?P<lost>session) 0x\w+ for ser?ver\b"  # of ZooKeeper's client; 3.6 wrote it so
    r"|\b(?P<netty>future isn't success)\."  # of its client over netty: no connection was made
    r"|\b(?P<refused>socket error) occurred: |\b(?P<silent>not heard from server) in \d"  # at INFO, too
    r"|\b(?P<renewal>refusing session)\S* request\b"  # of its server
    r"|\b(?P<unready>ZooKeeperServer not running)\b"  # yet, as it starts
)
_REACHED = Sieved(
    rf"(?i)(?<!not )(?<!never ){_BEFORE}(?P<state>{_STATES})b?ed\b(?!\W*\[\W*\])"
    rf"|\bsuccessful\w* (?:re-?)?(?P<of>{_STATES}){_BEHIND}"
    r"|\b(?P<made>connect)ion\b[^\n]{0,300} (?:re-?)?established\b|\b(?P<begun>session) establishment complete\b"
    r"|\b(?P<renewed>established session) 0x"
)
RENEWAL = "renewal"  # of a session, as ZooKeeper's server tells
_OF_SESSION = ("socket error", "future isn't success", "not heard from server", "zookeeperserver not running")
_NAMED = dict.fromkeys(_OF_SESSION, "session") | {"refusing session": RENEWAL, "established session": RENEWAL}
# No line without one of these says that a state was reached (RE2, on bytes: all lines at once).
MAY_BE_REACHED = (
    r"(?i)(?:connect|join|assign|subscrib|authenticat)ed\b|successful|established|session establishment"
)


def not_reached(text: str) -> str | None:
    """The state that a line says was not reached."""
    return _state(_NOT_REACHED, text)


def reached(text: str) -> str | None:
    """The state that a quiet line says was reached."""
    state = _state(_REACHED, text)
    return None if state is None or loudness_of(text) or fails_in_words(text) else state


def _state(pattern: Sieved, text: str) -> str | None:
    found = pattern.search(text)
    said = next(filter(None, found.groups()), None) if found else None
    return _NAMED.get(said.lower(), said.lower()) if said else None
