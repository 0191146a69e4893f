"""An event's place: whose process, which record, and its identity among the record's events."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from transforms.events import ClientEvent, unit_id_of
from transforms.records import LogRecord


@dataclass(frozen=True, slots=True)
class ProcessRef:
    """Whose process a record is of."""

    unit_id: str
    source: str
    service: str | None = None
    instance: str | None = None

    def of(self, record: LogRecord) -> "ProcessRef":
        """Whose a record of this source is: what it says of itself comes first."""
        if record.container is None and record.service is None and record.instance is None:
            return self
        service, instance = record.service or self.service, record.instance or self.instance
        return ProcessRef(unit_id_of(service, instance, record.container), self.source, service, instance)


def record_id(source_id: str, offset: int) -> str:
    """Identity of a record: its source and its place in it."""
    return sha256(f"{source_id}\x1f{offset}".encode()).hexdigest()


def event_id(of_record: str, number: int = 0) -> str:
    """Identity of an event: its record, and its number among that one's."""
    return sha256(f"{of_record}\x1f{number}".encode()).hexdigest()


def placed(
    record: LogRecord, origin: ProcessRef, kind: str, message_id: str, said: tuple[Any, ...]
) -> ClientEvent:
    """An event of the record's place, time and process. said: what its text says, by column from `level` on."""
    of_record = record_id(record.source_id, record.offset)
    # By position: this is the hot path, and two dozen keywords cost as much as the rest of it.
    event = ClientEvent(
        kind, message_id, event_id(of_record), of_record, origin.unit_id, 0,
        record.source_id, origin.source, record.offset, record.line, record.position,
        record.logged_at, record.logged_at, record.time_origin, *said,
    )  # fmt: skip
    event.service = record.service or origin.service
    event.instance = record.instance or origin.instance
    return event


def numbered(events: list[ClientEvent]) -> list[ClientEvent]:
    """The events of one record, each with an identity of its own."""
    for number, event in enumerate(events[1:], start=1):
        event.event_id = event_id(event.record_id, number)
    return events
