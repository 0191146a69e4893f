"""Connections that a client ended itself: with itself, or to a broker that it needs no more."""

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room

# Source: librdkafka, rd_kafka_broker_fail by _DESTROY or _DESTROY_BROKER, by text or by the code behind it.
OWN_ENDS = (
    "terminating",
    "handle destroyed",
    "Decommissioning this broker",
    "due to nodename change",
    "_DESTROY",
)
STATE_DOWN = "rdkafka-state-down"
MOST_KEPT = 512  # threads of one process
# Incarnation, and the thread of a connection.
Ended = dict[tuple[int, str | None], None]


def is_own_end(event: ClientEvent) -> bool:
    """Whether a connection ended because the client closed it: with itself, or to a broker that it needs no more."""
    details = event.details
    said = f"{details.get('error_message', '')} {details.get('state', '')}"
    return any(end in said for end in OWN_ENDS)


def is_own_echo(ended: Ended, event: ClientEvent) -> bool:
    """Whether a thread of librdkafka's says that its connection is down, which it ended itself; its ends are noted."""
    thread = event.incarnation, event.thread
    if is_own_end(event):
        make_room(ended, MOST_KEPT)
        ended[thread] = None
    elif event.message_id == STATE_DOWN and thread in ended:
        del ended[thread]
        return True
    return False
