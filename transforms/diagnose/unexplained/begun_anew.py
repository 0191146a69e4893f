"""Processes that began anew in their own log, and of which no line tells that they had ended: what a kill leaves behind."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from transforms.diagnose.unexplained.ending import ReadRecord
from transforms.diagnose.wording.words import counted
from transforms.events import ClientEvent
from transforms.timers.clients.incarnations import BROKER_STARTS

BROKER_STOPS = "broker-stopping"


@dataclass(slots=True)
class _Process:
    """Of one unit: which start of it is known, and which of its brokers shut down since, and did not start again."""

    incarnation: int = 0
    stopped: set[str] = field(default_factory=set)

    def is_unended(self, event: ClientEvent) -> bool:
        """Whether its next line begins a process though the one before did not end.

        Clients alone tell of a start by being made while they are open; a broker says that it starts, and that it stops.
        """
        broker = event.details.get("broker_id", "")
        if event.message_id == BROKER_STOPS:
            self.stopped.add(broker)
        if event.incarnation <= self.incarnation:
            return False
        self.incarnation = event.incarnation
        if event.message_id != BROKER_STARTS:
            self.stopped.clear()
            return True
        was_stopped = bool(self.stopped)
        self.stopped.discard(broker if broker in self.stopped else min(self.stopped, default=""))
        return not was_stopped


def begun_anew(events: Iterable[ClientEvent], records: Mapping[str, ReadRecord]) -> list[str]:
    """What is said of them: a sentence for each process, with the place of its first such start."""
    processes: dict[str, _Process] = defaultdict(_Process)
    found: dict[str, list[ClientEvent]] = defaultdict(list)
    # No others tell of a start or an end; most logs have none of these.
    telling = (event for event in events if event.incarnation or event.message_id == BROKER_STOPS)
    for event in sorted(telling, key=lambda event: event.order):
        if processes[event.unit_id].is_unended(event) and event.record_id in records:
            found[event.unit_id].append(event)
    return [_said(starts, records[starts[0].record_id]) for starts in found.values()]


def _said(starts: list[ClientEvent], first: ReadRecord) -> str:
    is_broker = starts[0].message_id == BROKER_STARTS
    broker_id = starts[0].details.get("broker_id", "")
    who = f"broker {broker_id}" if broker_id else "the broker" if is_broker else "the process"
    times = f" ({counted(len(starts), 'time')})" if len(starts) > 1 else ""
    ended = "no line tells of a shutdown" if is_broker else "no line tells that its clients were closed"
    why = (
        "it was killed, another one was started beside it, or lines are missing"
        if is_broker
        else "it was killed, or several write this log"
    )
    return f"At {first.source}:{first.line} {who} began anew{times}, and {ended} before: {why}."
