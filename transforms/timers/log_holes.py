"""Whether a process's log is whole, by what its clients write in a fixed order whatever happens.

That a line is not there proves something only where no line is missing. Clients do not number their lines, but some follow
each other always: a stream thread enters poll() and comes back from it, a client answers to its own heartbeat, an answer
belongs to a request that was sent, a client's version is followed by its commit. Where one of a pair is missing, lines were
lost; where many are in order, none was left out at random, and no word or level was filtered.
Source: StreamThread.pollPhase, AbstractCoordinator.sendHeartbeatRequest, NetworkClient.doSend, AppInfoParser.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id

MACHINE = "log_holes"
SENT, ANSWERED = "net-send", "net-received"
ENTERED = "streams-poll-started"
# What comes before each, of the same thread or client: in a cycle, or in a row that its first line begins.
BEFORE = {
    "streams-polled": "streams-poll-started",
    "streams-poll-started": "streams-polled",
    "heartbeat-ok": "heartbeat-send",
    "client-commit-id": "client-version",
    "client-start-time": "client-commit-id",
}
CYCLE_OF = {
    "streams-polled": "loop", "streams-poll-started": "loop", "heartbeat-ok": "beat", "heartbeat-send": "beat",
    "client-version": "version", "client-commit-id": "version", "client-start-time": "version",
}  # fmt: skip
LOOKED_AT = frozenset({*CYCLE_OF, SENT, ANSWERED})
# So many in order leave little room for a loss at random: where a share p of lines is lost, that a certain line is and none
# of these has the chance p * (1 - p) ** ENOUGH, less than 1 in 110 for any p.
ENOUGH = 40
KEPT = 512


@dataclass(slots=True, kw_only=True)
class LogHole(Episode):
    """A line of this process is missing. Judged by no rule, and not stored; the first of a process is told alone."""

    hole_id: str


@dataclass(slots=True)
class LogHoles:
    """Machine: events of one process -> LogHole. in_order: lines that came when they were due, in this start
    of it; in_order_before: in the one before.

    last: of each cycle the family seen last; by whose it is. returns: of whom it is told that poll() was left.
    first_sent, sent: of each client's requests, the first number and those seen lately. has_forgotten: what a machine
    misses may have been there.
    """

    last: dict[str, str] = field(default_factory=dict)
    returns: dict[str, None] = field(default_factory=dict)
    first_sent: dict[str, int] = field(default_factory=dict)
    sent: dict[str, dict[int, None]] = field(default_factory=dict)
    incarnation: int = 0
    in_order: int = 0
    in_order_before: int = 0
    count: int = 0
    has_forgotten: bool = False

    def step(self, event: ClientEvent) -> Iterable[LogHole]:
        """The hole that this event shows."""
        if event.message_id not in LOOKED_AT:
            return ()
        if event.incarnation != self.incarnation:
            self._begin(event.incarnation)
        is_in_order = self._request(event) if event.message_id in (SENT, ANSWERED) else self._in_cycle(event)
        if is_in_order is None:
            return ()
        if is_in_order:
            self.in_order += 1
            return ()
        self.count += 1
        return (_hole(event),) if self.count == 1 else ()

    def is_whole(self, incarnation: int) -> bool:
        """Whether the lines of a start of the process, up to now, show that none is missing."""
        in_order = self.in_order if incarnation == self.incarnation else self.in_order_before
        return self.count == 0 and in_order >= ENOUGH and not self.has_forgotten

    def _begin(self, incarnation: int) -> None:
        self.last.clear()
        self.returns.clear()
        self.first_sent.clear()
        self.sent.clear()
        self.incarnation, self.in_order_before, self.in_order = incarnation, self.in_order, 0

    def _in_cycle(self, event: ClientEvent) -> bool | None:
        """Whether the line before it in its cycle was there; None where nothing can be said."""
        cycle = CYCLE_OF[event.message_id]
        whose = event.client_id if cycle == "beat" else event.thread
        key = f"{cycle}/{whose}/{event.source_id if whose is None else ''}"
        before = self.last.get(key)
        make_room(self.last, KEPT)
        self.last[key] = event.message_id
        due = BEFORE.get(event.message_id)
        if (
            before is None
            or due is None
            or (event.message_id == ENTERED and not self._sees_returns(key, before))
        ):
            return None
        return before == due

    def _sees_returns(self, key: str, before: str) -> bool:
        """Whether this release says when it comes back from poll(): those before 3.0 do it in other words."""
        if before == BEFORE[ENTERED]:
            self.returns[key] = None
        return key in self.returns

    def _request(self, event: ClientEvent) -> bool | None:
        """Whether the request of an answer was there. Requests for metadata have no number where they are sent."""
        number, client = event.correlation_id, event.client_id
        if number is None or client is None:
            return None
        if event.message_id == SENT:
            make_room(self.first_sent, KEPT)
            make_room(self.sent, KEPT)
            first = self.first_sent.setdefault(client, number)
            if number < first:  # another client of the same name
                self.first_sent[client] = number
            waiting = self.sent.setdefault(client, {})
            make_room(waiting, KEPT)
            waiting[number] = None
            return None
        if event.api in ("METADATA", "API_VERSIONS") or number < self.first_sent.get(client, number + 1):
            return None
        return number in self.sent.get(client, {})


def _hole(event: ClientEvent) -> LogHole:
    return LogHole(
        unit_id=event.unit_id,
        incarnation=event.incarnation,
        service=event.service,
        instance=event.instance,
        event_ids=[event.event_id],
        hole_id=episode_id(event.unit_id, MACHINE, event.event_id),
    )
