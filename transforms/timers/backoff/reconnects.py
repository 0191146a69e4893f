"""Connections that a client made anew after they failed: how long after the try before. Internal: not stored.

Mirrors ClusterConnectionStates.disconnected and canConnect (Kafka clients). The wait counts from when the client notices
that a connection is gone, which it reads off its clock before it writes so, by as much as a pause takes. Between two
tries lies that reading, whatever paused: so the time from try to try is no shorter than the wait.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import JAVA, ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, whose
from transforms.timers.groups.membership import Proof
from transforms.timers.profile import ClientProfile

TRIED = "net-connect"
FAILED = frozenset({"net-node-disconnected", "net-setup-timeout"})
# A try that failed at once counts from a reading before it; a client that bootstraps again forgets what failed.
FORGOTTEN = frozenset({"net-connect-error", "net-rebootstrap", "net-rebootstrap-requested"})
DUMPED = "config_dump"
MOST_NODES, MOST_CLIENTS = 4096, 1024
TWO = 2

Client = tuple[int, str | None, str | None]  # incarnation, kind, id


@dataclass(slots=True, kw_only=True)
class Reconnect(Episode):
    """A try after one that failed. waited_ms: between the two; None where the clock was set back."""

    reconnect_id: str
    node_id: int
    happened_at: int
    waited_ms: int | None


@dataclass(slots=True)
class Reconnects:
    """Machine: a client's tries at each node -> those that follow a failure.

    tried: the last try; failed: the line that ended it. dumps: of two clients of one name it can't be told whose a line is.
    """

    tried: dict[tuple[Client, int], Proof] = field(default_factory=dict)
    failed: dict[tuple[Client, int], str] = field(default_factory=dict)
    dumps: dict[Client, int] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """The try that this event is, where it follows a failed one."""
        if event.kind == DUMPED:
            self._count(_client(event))
        if event.client_id is None or event.client_library not in (None, JAVA) or event.happened_at is None:
            return ()
        if event.message_id in FORGOTTEN:
            self._forget(_client(event))
        elif event.message_id in FAILED:
            if event.node_id is not None and (_client(event), event.node_id) in self.tried:
                self.failed[_client(event), event.node_id] = event.event_id
        elif event.message_id == TRIED and event.node_id is not None:
            return self._tries(event, event.node_id, event.happened_at, profile)
        return ()

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """A wait that goes on tells nothing."""
        return ()

    def _count(self, client: Client) -> None:
        known = self.dumps.pop(client, 0)
        make_room(self.dumps, MOST_CLIENTS)
        self.dumps[client] = known + 1

    def _forget(self, client: Client) -> None:
        for place in [place for place in self.tried if place[0] == client]:
            del self.tried[place]
            self.failed.pop(place, None)

    def _tries(self, event: ClientEvent, node_id: int, at: int, profile: ClientProfile) -> Iterable[Episode]:
        client = _client(event)
        before, failed = self.tried.pop((client, node_id), None), self.failed.pop((client, node_id), None)
        make_room(self.tried, MOST_NODES)
        self.tried[client, node_id] = Proof(at, event.event_id)
        if before is not None and failed is None:
            self.dumps[client] = TWO  # it never has two connections to a node: another has its name
        if before is None or failed is None or self.dumps.get(client, 0) >= TWO:
            return ()
        return [
            Reconnect(
                **whose(event),
                event_ids=[before.event_id, failed, event.event_id],
                profile=profile,
                reconnect_id=event.event_id,
                node_id=node_id,
                happened_at=at,
                waited_ms=at - before.at,
            )
        ]


def _client(event: ClientEvent) -> Client:
    return (event.incarnation, event.client_kind, event.client_id)
