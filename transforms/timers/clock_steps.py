"""Where a process's clock stepped: back by more than a second, and forward before it was set back.

A step back shows: a line of a source is written at an earlier time than the line before it. A step forward
looks like a process that stood still; it shows only when the clock is set back later on, and then each
silence before that is at least as long may have been it. Durations over a step tell nothing: rules/clocks.py.
Nor do differences below a second where a log's times are whole seconds: that is a step of up to a second anywhere.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id
from transforms.timers.profile import ClientProfile

MACHINE = "clock_steps"
STEP_MS = 1000
COARSE = "coarse"
WHOLE_TIMES = 4  # so many different times in a row that are whole seconds are no chance
JUMPS_KEPT = 64
SOURCES_KEPT = 256
STEPS_KEPT = 1024


@dataclass(slots=True, kw_only=True)
class ClockStep(Episode):
    """One step, from the last time before it to the first after it. Judged by no rule, and not stored.

    how: `back` (it is seen), `ahead` (a silence that may have been the step forward that a later one took back),
    `coarse` (all times of the log are whole seconds: it lies at no time, and before all).
    """

    step_id: str
    from_at: int
    to_at: int
    how: str = "back"


@dataclass(slots=True)
class Source:
    """The last line of a source, and the longest silences since its clock stepped back.

    shortest_ms: of these silences, once there are JUMPS_KEPT. whole: different times so far where all were whole seconds,
    else 0.
    """

    at: int
    event_id: str
    jumps: list[tuple[int, int, str, str]] = field(default_factory=list)
    shortest_ms: int = 0
    whole: int = 0


@dataclass(slots=True)
class ClockSteps:
    """Machine: events of one process -> ClockStep."""

    sources: dict[str, Source] = field(default_factory=dict)
    count: int = 0

    def step(self, event: ClientEvent, profile: ClientProfile | None = None) -> Iterable[ClockStep]:
        """The steps that this event shows."""
        at = event.happened_at
        if at is None:
            return ()
        source = self.sources.get(event.source_id)
        if source is None:
            make_room(self.sources, SOURCES_KEPT)
            self.sources[event.source_id] = Source(at, event.event_id, whole=int(at % STEP_MS == 0))
            return ()
        passed_ms = at - source.at
        found: list[ClockStep] = []
        if passed_ms < -STEP_MS:
            found = list(self._back(source, event, at))
        elif passed_ms > STEP_MS:
            _jumped(source, event, at)
        if source.whole and passed_ms:
            source.whole = source.whole + 1 if at % STEP_MS == 0 else 0
            if source.whole == WHOLE_TIMES:
                found.append(_step(event, 0, 0, (source.event_id, event.event_id), COARSE))
        source.at, source.event_id = at, event.event_id
        return found

    def has_milliseconds(self, source_id: str) -> bool:
        """Whether a time of the source was no whole second."""
        source = self.sources.get(source_id)
        return source is not None and not source.whole

    def finish(self, data_clock: int | None) -> Iterable[ClockStep]:
        """Nothing: a step is known at once."""
        return ()

    def _back(self, source: Source, event: ClientEvent, at: int) -> Iterator[ClockStep]:
        """The clock was set back: from the latest time it had shown. What it had jumped ahead is in doubt too."""
        before = max(source.at, event.ordered_at or source.at)
        steps = [(before, at, (source.event_id, event.event_id), "back")]
        for since, until, first_id, then_id in source.jumps:
            if until - since >= before - at:
                steps.append((since, until, (first_id, then_id), "ahead"))
        source.jumps.clear()
        for from_at, to_at, event_ids, how in steps[: STEPS_KEPT - self.count]:
            self.count += 1
            yield _step(event, from_at, to_at, event_ids, how)


def _step(event: ClientEvent, from_at: int, to_at: int, event_ids: tuple[str, str], how: str) -> ClockStep:
    return ClockStep(
        unit_id=event.unit_id,
        incarnation=event.incarnation,
        service=event.service,
        instance=event.instance,
        event_ids=list(event_ids),
        step_id=episode_id(event.unit_id, MACHINE, f"{event_ids[1]}/{how}"),
        from_at=from_at,
        to_at=to_at,
        how=how,
    )


def _jumped(source: Source, event: ClientEvent, at: int) -> None:
    jumps = source.jumps
    if len(jumps) == JUMPS_KEPT and at - source.at < source.shortest_ms:
        return
    jumps.append((source.at, at, source.event_id, event.event_id))
    if len(jumps) > JUMPS_KEPT:
        jumps.remove(min(jumps, key=_length))
    if len(jumps) == JUMPS_KEPT:
        source.shortest_ms = min(map(_length, jumps))


def _length(jump: tuple[int, int, str, str]) -> int:
    return jump[1] - jump[0]
