"""Folds the ordered events of one unit (one process, through all its incarnations) into episodes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import UNRECOGNIZED, ClientEvent
from transforms.timers.clients.namesakes import Namesakes
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.clock_steps import ClockSteps
from transforms.timers.episodes import Episode, forget_negative
from transforms.timers.log_holes import LOOKED_AT, LogHoles
from transforms.timers.machine import Machine
from transforms.timers.machines import readers, tells_time_only, unit_machines
from transforms.timers.profile import ClientProfile
from transforms.timers.samples.beside_metrics import observed
from transforms.timers.samples.series import NO_SAMPLES, Samples
from transforms.timers.streams.topology_limits import TopologyLimits


@dataclass(slots=True)
class UnitFold:
    """All machines of one unit and what they remember: plain data (transforms.timers.state)."""

    machines: list[Machine] = field(default_factory=unit_machines)
    clock: ClockSteps = field(default_factory=ClockSteps)
    holes: LogHoles = field(default_factory=LogHoles)
    namesakes: Namesakes = field(default_factory=Namesakes)
    limits: TopologyLimits = field(default_factory=TopologyLimits)

    def step(
        self, event: ClientEvent, settings: UnitSettings, samples: Samples = NO_SAMPLES
    ) -> Iterable[Episode]:
        """The episodes that the unit's next event ended; samples: of the unit, from a minute before to two after it."""
        if event.message_id == UNRECOGNIZED:
            return ()
        event.incarnation = settings.incarnation_of(event)
        steps: Iterable[Episode] = self.clock.step(event)
        if event.message_id in LOOKED_AT:
            steps = [*steps, *self.holes.step(event)]
        if shown := self.namesakes.step(event):
            steps = [*steps, *shown]
        if tells_time_only(event):
            return steps
        self.limits.step(event)
        profile = self.limits.on(settings.profile_of(event))
        ended = self._ended(event, profile)
        return [*steps, *observed(ended, samples)] if ended or steps else ()  # most events end nothing

    def finish(self, data_clock: int | None, samples: Samples = NO_SAMPLES) -> Iterator[Episode]:
        """The episodes that are open at the data clock, the unit's largest happened_at. The fold is used up."""
        for machine in self.machines:
            for episode in observed(machine.finish(data_clock), samples):
                forget_negative(episode)
                episode.log_is_whole = self.holes.is_whole(episode.incarnation)
                yield episode

    def next_chapter(self) -> "UnitFold":
        """Fresh machines; of the log itself what is known stays."""
        self.holes.has_forgotten = True
        self.limits.made.clear()
        machines = unit_machines(has_forgotten=True)
        return UnitFold(machines, self.clock, self.holes, limits=self.limits)

    def _ended(self, event: ClientEvent, profile: ClientProfile) -> list[Episode]:
        ended: list[Episode] = []
        for place in readers(event.kind, event.message_id):
            ended += self.machines[place].step(event, profile)
        for episode in ended:
            self._stamp(episode, event)
        return ended

    def _stamp(self, episode: Episode, event: ClientEvent) -> None:
        """Fill what the machine left to its caller: whose process the episode belongs to."""
        forget_negative(episode)
        episode.log_is_whole = self.holes.is_whole(episode.incarnation)
        episode.service = episode.service or event.service
        episode.instance = episode.instance or event.instance


def fold_unit(
    events: Iterable[ClientEvent],
    settings: UnitSettings,
    data_clock: int | None,
    samples: Samples = NO_SAMPLES,
) -> Iterator[Episode]:
    """Run every unit machine over the events, which must come in their order (ClientEvent.order).

    settings: what the unit's control events say, gathered before. data_clock: the unit's largest happened_at; machines
    judge "open" against it, never against the end of the file. samples: of its MBeans, from whichever collector.
    """
    fold = UnitFold()
    for event in events:
        yield from fold.step(event, settings, samples)
    yield from fold.finish(data_clock, samples)
