"""Folds the ordered events of one unit (one process, through all its incarnations) into episodes."""

from collections.abc import Iterable, Iterator

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode
from transforms.timers.machine import Machine
from transforms.timers.machines import tells_time_only, unit_machines
from transforms.timers.settings import UnitSettings

UNRECOGNIZED = "unrecognized"


def fold_unit(
    events: Iterable[ClientEvent], settings: UnitSettings, data_clock: int | None
) -> Iterator[Episode]:
    """Run every unit machine over the events, which must come in their order (ClientEvent.order).

    settings: what the unit's control events say, gathered before. data_clock: the unit's largest happened_at; machines
    judge "open" against it, never against the end of the file.
    """
    machines: list[Machine] = unit_machines()
    for event in events:
        if event.message_id == UNRECOGNIZED:
            continue
        event.incarnation = settings.incarnation_of(event)
        if tells_time_only(event):
            continue
        profile = settings.profile_of(event)
        for machine in machines:
            yield from _stamped(machine.step(event, profile), event)
    for machine in machines:
        yield from machine.finish(data_clock)


def _stamped(episodes: Iterable[Episode], event: ClientEvent) -> Iterator[Episode]:
    """Fill what the machine left to its caller: whose process the episode belongs to."""
    for episode in episodes:
        episode.service = episode.service or event.service
        episode.instance = episode.instance or event.instance
        yield episode
