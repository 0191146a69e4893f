"""Lines that look like trouble and are normal, counted per client and message. Internal: not stored."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.clients.troubles import named_by
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile

MACHINE = "benign_lines"
MOST_EVENTS = 5  # examples are enough: nothing is to be proven
MOST_KEPT = 512  # clients times messages of one process


@dataclass(slots=True, kw_only=True)
class BenignLines(Episode):
    """All lines of one client, message and node that are normal. why: as messages.yaml says. named: what the first names."""

    benign_id: str
    message_id: str
    kind: str
    named: dict[str, str] = field(default_factory=dict)
    why: str
    count: int = 0
    first_at: int | None = None
    last_at: int | None = None


@dataclass(slots=True)
class BenignCounts:
    """Machine: events of one process -> BenignLines, once the process's log is over."""

    kept: dict[tuple[int, str | None, str, str, int | None], BenignLines] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Counts; gives nothing before the end."""
        if event.benign:
            key = (event.incarnation, event.client_id, event.message_id, event.benign, event.node_id)
            lines = self.kept.get(key)
            if lines is None:
                if len(self.kept) >= MOST_KEPT:
                    return ()
                lines = self.kept[key] = _first(event, event.benign, profile)
            lines.count += 1
            if event.happened_at is not None:
                lines.first_at = event.happened_at if lines.first_at is None else lines.first_at
                lines.last_at = event.happened_at
            if len(lines.event_ids) < MOST_EVENTS:
                lines.event_ids.append(event.event_id)
        return ()

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """What was counted."""
        return list(self.kept.values())


def _first(event: ClientEvent, why: str, profile: ClientProfile) -> BenignLines:
    return BenignLines(
        benign_id=episode_id(event.unit_id, MACHINE, event.event_id),
        message_id=event.message_id,
        kind=event.kind,
        named=named_by(event),
        why=why,
        profile=profile,
        **whose(event),
    )
