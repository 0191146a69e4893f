"""One process, folded and judged as its events come: from the beginning, or from where a kept state left off.

A state is taken between two events. What was told before it stays told; what is open is told anew each time.

A process is followed in chapters: one ends before the first line of one client more than `most_clients`. What it knows of
its clients is told then, for good, and let go. So what is held is bounded, and where a chapter ends follows from
the order of events alone. docs/decisions/0049-chapters.md
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from transforms.diagnose.incident import Incident
from transforms.diagnose.incidents import incidents, is_of_incidents
from transforms.events import LIBRDKAFKA, UNRECOGNIZED, ClientEvent, unnamed_group
from transforms.rules.judge import Finding, Judging, Unjudged, Violation, by_time, judge
from transforms.timers.clients.incarnations import Order
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.cut_off import let_go
from transforms.timers.episodes import Episode
from transforms.timers.groups.group import group_episodes
from transforms.timers.groups.group_part import GroupPart
from transforms.timers.groups.transactions import LOADING, forget_all, scope_of
from transforms.timers.log_holes import LogHoles
from transforms.timers.machines import TELLS_TIME_ONLY
from transforms.timers.samples.series import NO_SAMPLES, Samples
from transforms.timers.unit import UnitFold

BEGINNING: Order = (0, "", 0, "")
# What a consumer of librdkafka says of its membership without debug=cgrp.
ENDS_MEMBERSHIP = frozenset({"poll_interval_expired", "leave_group", "session_expired", "fenced"})


@dataclass(slots=True)
class FoldResult:
    """Episodes, and the findings they gave; of a chapter that is over also what they fold to."""

    episodes: list[Episode]
    findings: list[Finding]
    violations: list[Violation] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)

    def add(self, other: "FoldResult") -> None:
        """What follows it."""
        self.episodes += other.episodes
        self.findings += other.findings
        self.violations += other.violations
        self.incidents += other.incidents


@dataclass(slots=True)
class UnitStory:
    """What is known of a unit up to an event: plain data (transforms.timers.state).

    incident_episodes: what incidents are made from. broken: the findings that make them broken. parts: what its lines
    tell of each group, by group id, and of each transactional.id. groups: of consumers whose lines mostly do not name it,
    by client id. heard: clients of this chapter, as a set in order; most_clients: so many at most, None for any number.
    chapters: that are over. place: of the last event taken, as ClientEvent.order; imprint: of the last that is
    heard.
    """

    judging: Judging
    fold: UnitFold = field(default_factory=UnitFold)
    incident_episodes: list[Episode] = field(default_factory=list)
    broken: list[Finding] = field(default_factory=list)
    parts: dict[str, GroupPart] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    heard: dict[str, None] = field(default_factory=dict)
    most_clients: int | None = None
    chapters: int = 0
    place: Order = BEGINNING
    imprint: str = ""

    @classmethod
    def of(cls, unit_id: str, most_clients: int | None = None) -> "UnitStory":
        """From the beginning."""
        return cls(Judging(unit_id), most_clients=most_clients)

    def take(
        self, events: Iterable[ClientEvent], settings: UnitSettings, samples: Samples = NO_SAMPLES
    ) -> FoldResult:
        """The unit's next events; what they ended, for good. samples: of its MBeans.

        Raises: EarlierVerdictsError where what was told before may fall.
        """
        found = FoldResult([], [])
        for chapter in self.by_chapters(events, settings, samples):
            found.add(chapter)
        return found

    def by_chapters(
        self, events: Iterable[ClientEvent], settings: UnitSettings, samples: Samples = NO_SAMPLES
    ) -> Iterator[FoldResult]:
        """The next events chapter by chapter, so that no more than one is held; the last is not over.

        Raises: EarlierVerdictsError where what was told before may fall.
        """
        episodes: list[Episode] = []
        event = None
        for event in self._without_echoes(events):
            if self._is_one_more(event):
                yield self._end_chapter(event, episodes, settings, samples)
                episodes = []
            episodes += self._step(event, settings, samples)
        if event is not None:
            self.place = event.order
        yield self._tell(episodes)

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

    def _without_echoes(self, events: Iterable[ClientEvent]) -> Iterator[ClientEvent]:
        """The events that are not the one before once more: of two appenders each writes a line, in one millisecond.

        In a log of whole seconds what comes again may have happened again. Lines that no fold is handed lie between nothing.
        """
        before = None
        for event in events:
            if not _is_heard(event):
                yield event
                continue
            is_again = event.echoes(before) if before else self.imprint and event.imprint == self.imprint
            if not (is_again and self.fold.clock.has_milliseconds(event.source_id)):
                yield event
            before = event
        if before is not None:
            self.imprint = before.imprint

    def _step(self, event: ClientEvent, settings: UnitSettings, samples: Samples) -> Iterable[Episode]:
        if event.client_library == LIBRDKAFKA:
            event = self._with_group(event)
        if event.message_id == LOADING:
            forget_all(part.transactions for part in self.parts.values())
        scope = event.group_id or scope_of(event)
        if scope and event.message_id != UNRECOGNIZED:
            part = self.parts.get(scope)
            if part is None:
                part = self.parts[scope] = GroupPart(holes=LogHoles(has_forgotten=self.chapters > 0))
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

    def _is_one_more(self, event: ClientEvent) -> bool:
        """Whether a client is heard of for which this chapter has no room.

        Lines that the jobs hand to no fold (jobs.folds.fold_input) count for nothing.
        """
        client_id, heard = event.client_id, self.heard
        if client_id is None or client_id in heard or not _is_heard(event):
            return False
        is_full = self.most_clients is not None and len(heard) >= self.most_clients
        if is_full:
            heard.clear()
        heard[client_id] = None
        return is_full

    def _end_chapter(
        self, event: ClientEvent, episodes: list[Episode], settings: UnitSettings, samples: Samples
    ) -> FoldResult:
        """Tell all that is known before this event, and forget it, but for what the log itself is like."""
        found = self._tell(episodes)
        found.add(self._tell(list(self.fold.finish(event.ordered_at, samples)), is_cut_off=True))
        found.incidents += self.incidents()
        found.add(self._groups(samples))
        found.violations[:0] = self.judging.end_chapter()
        self.chapters += 1
        self.fold = self.fold.next_chapter()
        self.incident_episodes, self.broken, self.groups = [], [], {}
        settings.forget()
        return found

    def _groups(self, samples: Samples) -> FoldResult:
        """What the lines of this process alone tell of each group; where it is the coordinator's, it stays."""
        found, scope_id = FoldResult([], []), self.judging.scope_id
        for group_id in [one for one, part in self.parts.items() if not part.broker]:
            episodes = list(group_episodes(group_id, {scope_id: self.parts.pop(group_id)}, lambda _: samples))
            judged = judge(episodes, scope_id, is_cut_off=True)
            let_go(episodes)
            self.judging.add_questions(judged.unjudged)
            told = incidents(episodes, judged.findings, scope_id)
            found.add(FoldResult(episodes, judged.findings, judged.violations, told))
        return found

    def _tell(self, episodes: list[Episode], *, is_cut_off: bool = False) -> FoldResult:
        findings = self.judging.take(episodes, is_cut_off=is_cut_off)
        if is_cut_off:
            let_go(episodes)
        self.incident_episodes += filter(is_of_incidents, episodes)
        self.broken += (found for found in findings if found.category == "broken_semantics")
        return FoldResult(episodes, findings)


def _is_heard(event: ClientEvent) -> bool:
    return event.message_id != UNRECOGNIZED and (
        event.message_id not in TELLS_TIME_ONLY or bool(event.group_id)
    )
