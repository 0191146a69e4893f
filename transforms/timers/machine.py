"""What a machine is: ordered events of one process in, episodes out."""

from collections.abc import Iterable
from typing import Protocol

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode
from transforms.timers.profile import ClientProfile


class Machine(Protocol):
    """Folds the events of one unit, in order, into episodes. Holds plain data only, so that it can
    be kept (transforms.timers.state).

    step() gives the episodes that this event ended; finish() those still open at the unit's data clock
    (its largest happened_at). The end of a file proves nothing: finish() never ends an episode.
    """

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Take one event; the episodes that it ended."""
        ...

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """The episodes still open at the data clock."""
        ...
