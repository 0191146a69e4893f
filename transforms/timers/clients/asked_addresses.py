"""The bootstrap addresses that clients ask: sarama names one in the line before, and not in that of its failure."""

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room

# By incarnation and client.
Asked = dict[tuple[int, str | None], str]
FAILURES = frozenset({"connect_failed", "disconnect", "request_timeout"})
LIBRARY = "sarama"
SEVERAL = ""  # another address was asked before the first had failed: which of them fails, nobody says
MOST_KEPT = 512


def note_asked(asked: Asked, event: ClientEvent, *, is_answered: bool) -> None:
    """Keep the address that a line says it asks; most lines ask none. is_answered: whether what was asked before was."""
    if is_answered:
        asked.pop((event.incarnation, event.client_id), None)
    address = event.details.get("asked")
    if address is not None:
        whose = (event.incarnation, event.client_id)
        make_room(asked, MOST_KEPT)
        asked[whose] = address if asked.get(whose, address) == address else SEVERAL


def taken_for(asked: Asked, event: ClientEvent) -> str | None:
    """The address that a failure to connect is of, where its client asked no other; it is asked no longer."""
    is_of_known = event.node_id is not None and event.node_id >= 0  # a broker that metadata told of
    if event.client_library != LIBRARY or event.kind not in FAILURES or is_of_known:
        return None
    return asked.pop((event.incarnation, event.client_id), None) or None
