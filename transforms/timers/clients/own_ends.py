"""What a client ended itself: connections, with itself or to a broker that it needs no more; its own membership."""

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room

# Source: librdkafka, rd_kafka_broker_fail by _DESTROY or _DESTROY_BROKER, by text or by the code behind it.
OWN_ENDS = (
    "terminating",
    "handle destroyed",
    "Decommissioning this broker",
    "due to nodename change",
    "Broker node update",
    "_DESTROY",
)
STATE_DOWN = "rdkafka-state-down"
# Source: AbstractMembershipManager.leaveGroup and ConsumerRebalanceListenerInvoker: the listener of a member by heartbeats
# (KIP-848) that leaves is told that its partitions are revoked, and, as its consumer closes, that they are lost.
LEAVES, LOST, TAKES = "c848-leaving", "partitions_lost", "partitions_assigned"
MOST_KEPT = 512  # threads and members of one process
# Incarnation, and the thread of a connection, or the member's client.
Ended = dict[tuple[int, str | None], None]


def is_own_end(event: ClientEvent) -> bool:
    """Whether a connection ended because the client closed it: with itself, or to a broker that it needs no more."""
    details = event.details
    said = f"{details.get('error_message', '')} {details.get('state', '')}"
    return any(end in said for end in OWN_ENDS)


def is_own_echo(ended: Ended, event: ClientEvent) -> bool:
    """Whether a client says again what it ended itself; its ends are noted.

    A thread of librdkafka's that its connection is down, a member that left that it lost its partitions.
    """
    is_member = event.kind in (LOST, TAKES) or event.message_id == LEAVES
    whose = event.incarnation, event.client_id if is_member else event.thread
    if event.message_id == LEAVES or is_own_end(event):
        make_room(ended, MOST_KEPT)
        ended[whose] = None
    elif whose in ended and (is_member or event.message_id == STATE_DOWN):
        del ended[whose]
        return event.kind != TAKES
    return False
