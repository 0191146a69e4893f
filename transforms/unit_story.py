"""One process, folded and judged as its events come: from the beginning, or from where a kept state left off.

A state is taken between two events. What was told before it stays told; what is open is told anew each time.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from transforms.diagnose.incidents import Incident, incidents, is_of_incidents
from transforms.events import LIBRDKAFKA, UNRECOGNIZED, ClientEvent, unnamed_group
from transforms.rules.judge import Finding, Judging, Unjudged, Violation, by_time
from transforms.timers.clients.incarnations import Order
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.episodes import Episode
from transforms.timers.groups.group_part import GroupPart
from transforms.timers.groups.transactions import LOADING, forget_all, scope_of
from transforms.timers.samples.series import NO_SAMPLES, Samples
from transforms.timers.unit import UnitFold

BEGINNING: Order = (0, "", 0, "")
# What a consumer of librdkafka says of its membership without debug=cgrp.
ENDS_MEMBERSHIP = frozenset({"poll_interval_expired", "leave_group", "session_expired", "fenced"})


@dataclass(slots=True)
class FoldResult:
    """Episodes, and the findings they gave."""

    episodes: list[Episode]
    findings: list[Finding]


@dataclass(slots=True)
class UnitStory:
    """What is known of a unit up to an event: plain data (transforms.timers.state).

    incident_episodes: what incidents are made from. broken: the findings that make them broken. parts: what its lines
    tell of each group, by group id, and of each transactional.id. groups: of consumers whose lines mostly do not name it,
    by client id.
    place: of the last event taken, as ClientEvent.order.
    """

    judging: Judging
    fold: UnitFold = field(default_factory=UnitFold)
    incident_episodes: list[Episode] = field(default_factory=list)
    broken: list[Finding] = field(default_factory=list)
    parts: dict[str, GroupPart] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    place: Order = BEGINNING

    @classmethod
    def of(cls, unit_id: str) -> "UnitStory":
        """From the beginning."""
        return cls(Judging(unit_id))

    def take(
        self, events: Iterable[ClientEvent], settings: UnitSettings, samples: Samples = NO_SAMPLES
    ) -> FoldResult:
        """The unit's next events; what they ended, for good. samples: of its MBeans.

        Raises: EarlierVerdictsError where what was told before may fall.
        """
        episodes: list[Episode] = []
        event = None
        for event in events:
            episodes += self._step(event, settings, samples)
        if event is not None:
            self.place = event.order
        return self._tell(episodes)

    def finish(self, data_clock: int | None, samples: Samples = NO_SAMPLES) -> FoldResult:
        """What is open at the data clock. The story is used up, but for what it sums up to."""
        return self._tell(list(self.fold.finish(data_clock, samples)))

    def violations(self) -> list[Violation]:
        """Of all that was told."""
        return self.judging.violations()

    def unjudged(self) -> list[Unjudged]:
        """Of all that was told."""
        return self.judging.unjudged()

    def incidents(self) -> list[Incident]:
        """Of all that was told."""
        return incidents(self.incident_episodes, sorted(self.broken, key=by_time), self.judging.scope_id)

    def _step(self, event: ClientEvent, settings: UnitSettings, samples: Samples) -> Iterable[Episode]:
        if event.client_library == LIBRDKAFKA:
            event = self._with_group(event)
        if event.message_id == LOADING:
            forget_all(part.transactions for part in self.parts.values())
        scope = event.group_id or scope_of(event)
        if scope and event.message_id != UNRECOGNIZED:
            part = self.parts.get(scope)
            if part is None:
                part = self.parts[scope] = GroupPart()
            part.step(event, settings)
        return self.fold.step(event, settings, samples)

    def _with_group(self, event: ClientEvent) -> ClientEvent:
        """The event with its group: few lines of librdkafka name it, and those that tell how a membership ended do not.

        Where none has, its group is one of its own, of this client in this process.
        """
        if event.client_kind != "consumer" or event.client_id is None:
            return event
        if event.group_id:
            self.groups[event.client_id] = event.group_id
            return event
        group_id = self.groups.get(event.client_id)
        if group_id is None and event.kind not in ENDS_MEMBERSHIP:
            return event
        return replace(event, group_id=group_id or unnamed_group(event.unit_id, event.client_id))

    def _tell(self, episodes: list[Episode]) -> FoldResult:
        findings = self.judging.take(episodes)
        self.incident_episodes += filter(is_of_incidents, episodes)
        self.broken += (found for found in findings if found.category == "broken_semantics")
        return FoldResult(episodes, findings)
