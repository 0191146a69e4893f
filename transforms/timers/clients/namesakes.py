"""Whether two clients of one name write one log: two pods that `kubectl logs -l` gives as one, or two of one process.

Whose a line is can't be told then, and a client that waits, beats or retries seems to do what two do. One client never goes
back to a member id that it had before another, nor, once its requests are counted anew, to where it had been.
Source: AbstractCoordinator (a member id is given by the coordinator, and lost for good), NetworkClient (correlation ids).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id, whose

MACHINE = "namesakes"
SENT = "net-send"
KEPT, MEMBERS_KEPT = 512, 8
# Of a client's requests: neighbours that were written in the other order are one apart; so many may be missing between two.
SWAPPED, MISSING = 1, 64
ENOUGH = 2  # times that a count went back and forth


@dataclass(slots=True, kw_only=True)
class Namesake(Episode):
    """A client that is more than one. Judged by no rule, and not stored; told once for each."""

    namesake_id: str


@dataclass(slots=True)
class Count:
    """The numbers of a client's requests: the last one, and where it stood before it fell; how often it came back there."""

    last: int
    before: int | None = None
    returns: int = 0

    def take(self, number: int) -> None:
        """The next request's number."""
        is_jump = number > self.last + 1
        if is_jump and self.before is not None and self.before < number <= self.before + MISSING:
            self.returns += 1
        if number < self.last - SWAPPED:
            self.before = self.last
        self.last = number


@dataclass(slots=True)
class Namesakes:
    """Machine: events of one process -> Namesake. All by kind and id of the client.

    counts: of its requests. members: its ids as a member, the last one last. told: of whom it is told.
    """

    counts: dict[str, Count] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    told: dict[str, None] = field(default_factory=dict)

    def step(self, event: ClientEvent) -> Iterable[Namesake]:
        """The namesake that this event shows."""
        number = event.correlation_id if event.message_id == SENT else None
        if event.client_id is None or (number is None and not event.member_id):
            return ()
        whose = f"{event.client_kind}/{event.client_id}"
        is_found = (
            self._is_again(whose, event.member_id or "") if number is None else self._sent(whose, number)
        )
        if not is_found or whose in self.told:
            return ()
        make_room(self.told, KEPT)
        self.told[whose] = None
        return (_namesake(event),)

    def _sent(self, whose: str, number: int) -> bool:
        count = self.counts.get(whose)
        if count is None:
            make_room(self.counts, KEPT)
            self.counts[whose] = Count(number)
            return False
        count.take(number)
        return count.returns >= ENOUGH

    def _is_again(self, whose: str, member_id: str) -> bool:
        """Whether a client is a member that it had ceased to be."""
        had = self.members.get(whose)
        if had is None:
            make_room(self.members, KEPT)
            self.members[whose] = [member_id]
            return False
        if had[-1] == member_id:
            return False
        self.members[whose] = [*had[1 - MEMBERS_KEPT :], member_id]
        return member_id in had


def _namesake(event: ClientEvent) -> Namesake:
    return Namesake(
        **whose(event),
        event_ids=[event.event_id],
        namesake_id=episode_id(event.unit_id, MACHINE, event.event_id),
    )
