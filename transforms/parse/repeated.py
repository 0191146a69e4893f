"""Lines that a process writes again and again: what one tells is worked out once.

Half of a client's lines at DEBUG, and more, are a line before them with another time.
"""

from operator import attrgetter

from transforms.events import ClientEvent
from transforms.parse.messages import events_of
from transforms.parse.placing import ProcessRef, placed
from transforms.records import LogRecord

# Beyond so many texts all are forgotten; longer ones, and those of several lines, are not looked for.
KEPT = 4096
LONGEST = 1000  # characters
# What a text says in columns of their own, in the order of ClientEvent.
SAID = ClientEvent.__slots__[ClientEvent.__slots__.index("level") : ClientEvent.__slots__.index("service")]
_said = attrgetter(*SAID)


class RepeatedEvents:
    """events_of() for the records of one source. Its events share what their text says: they are not to be changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[str | None, ...], ClientEvent] = {}

    def events_of(self, record: LogRecord, origin: ProcessRef) -> list[ClientEvent]:
        """Events equal to those that events_of() gives."""
        message = record.message
        if len(message) > LONGEST:
            return events_of(record, origin)
        said = (message, record.logger, record.thread, record.level)
        known = self._known.get(said)
        if known is not None:
            return [_again(known, record, origin)]
        events = events_of(record, origin)
        if len(events) == 1 and "\n" not in message:
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[said] = events[0]
        return events


def _again(known: ClientEvent, record: LogRecord, origin: ProcessRef) -> ClientEvent:
    event = placed(record, origin, known.kind, known.message_id, _said(known))
    event.benign, event.details = known.benign, known.details
    return event
