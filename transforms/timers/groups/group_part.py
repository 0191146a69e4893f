"""What one process's lines tell of one group: folded apart for each process; `group` puts the parts together."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from transforms.events import ClientEvent
from transforms.timers.clients.namesakes import Namesake, Namesakes
from transforms.timers.clients.troubles import Troubles
from transforms.timers.clock_steps import ClockStep, ClockSteps
from transforms.timers.episodes import Episode
from transforms.timers.groups.broker_lines import is_broker, named_members, removes_members
from transforms.timers.groups.fences import FENCED, Fence, fences
from transforms.timers.groups.liveness_sessions import LivenessSessions
from transforms.timers.groups.membership import Membership
from transforms.timers.groups.transactions import OF_TRANSACTIONS, Transactions
from transforms.timers.log_holes import LogHole, LogHoles
from transforms.timers.profile import ClientProfile


class Settings(Protocol):
    """What of UnitSettings is needed here."""

    def profile_of(self, event: ClientEvent) -> ClientProfile:
        """The client that the event speaks of."""

    def incarnation_of(self, event: ClientEvent) -> int:
        """Which start of its process the event belongs to."""


@dataclass(slots=True)
class GroupPart:
    """One process in one group: plain data (transforms.timers.state).

    broker: the lines of its coordinator; broker_profile: what was known of it when it fenced a member. named: the
    member ids it names, as a set in order. lines: of trouble with memberships that is over. steps: of its clock, holes of
    its log, clients that are two. transactions: what it tells of a transactional.id, which is gathered as a group is.
    """

    sessions: LivenessSessions = field(default_factory=LivenessSessions)
    ended: list[Membership] = field(default_factory=list)
    broker: list[ClientEvent] = field(default_factory=list)
    broker_profile: ClientProfile | None = None
    named: dict[str, None] = field(default_factory=dict)
    clock: ClockSteps = field(default_factory=ClockSteps)
    steps: list[ClockStep | LogHole | Namesake] = field(default_factory=list)
    holes: LogHoles = field(default_factory=LogHoles)
    namesakes: Namesakes = field(default_factory=Namesakes)
    troubles: Troubles = field(default_factory=Troubles)
    lines: list[Episode] = field(default_factory=list)
    transactions: Transactions = field(default_factory=Transactions)

    def step(self, event: ClientEvent, settings: Settings) -> None:
        """The process's next line of the group."""
        event.incarnation = settings.incarnation_of(event)
        if event.message_id in OF_TRANSACTIONS:
            self.transactions.step(event, settings.profile_of(event))
        elif is_broker(event):
            self.broker.append(event)
            if event.message_id == FENCED:
                self.broker_profile = settings.profile_of(event)
            # Else it is told as a membership's end.
            if event.kind == "fenced" or (event.happened_at is None and removes_members(event)):
                self.lines += self.troubles.step_of_group(event, settings.profile_of(event))
        else:
            profile = settings.profile_of(event)
            if ended := self.sessions.step(event, profile):
                self.ended += self._memberships(ended)
            self.lines += self.troubles.step_of_group(event, profile)
        for member_id in named_members(event):
            self.named[member_id] = None
        self.steps += self.clock.step(event)
        self.steps += self.holes.step(event)
        self.steps += self.namesakes.step(event)

    def memberships(self) -> list[Membership]:
        """All memberships, those still open as they stand. The part is used up."""
        return [*self.ended, *self._memberships(self.sessions.finish(None))]

    def _memberships(self, found: Iterable[object]) -> list[Membership]:
        memberships = [one for one in found if isinstance(one, Membership)]
        for membership in memberships:
            membership.log_is_whole = self.holes.is_whole(membership.incarnation)
        return memberships

    def told_lines(self) -> list[Episode]:
        """All lines of trouble with memberships."""
        return [*self.lines, *self.troubles.finish(None)]

    def fences(self, group_id: str) -> Iterator[Fence]:
        """Members that its coordinator fenced (KIP-848)."""
        return fences(group_id, self.broker, self.broker_profile)
