"""The rows that leave a reading task: records, their events, pieces that nobody understood."""

import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any

import pyarrow as pa

from jobs.plan import Chunk
from jobs.rows import batch_from, batch_of, staged_schema
from jobs.staging import Note
from transforms.events import ClientEvent
from transforms.parse.books import Books, ChunkBooks
from transforms.parse.messages import Origin, events_of, record_id
from transforms.parse.reader import Unparsed
from transforms.records import LogRecord
from transforms.timers.settings import is_control

# Rows leave a task when so much text has gathered: batches are cut by bytes, not by count.
BATCH_BYTES = 4 << 20
BATCH_ROWS = 8192
# A source's provisional tail is its last record or two; an OTLP line may hold some more.
LAST_RECORDS = 1024

RECORDS, UNPARSED, EVENTS = "bronze.log_records", "bronze.unparsed", "silver.client_events"
# Events of the same shape, apart and few: those that a process's settings, starts and versions follow from.
CONTROL = "control"
# The events that wait for settings: only they say how far a task's timer is.
COMPLETED = "task_timeout_continue"
CHUNK = pa.field("chunk", pa.int32())


def read_schemas() -> dict[str, pa.Schema]:
    """What a reading task puts aside. Events carry the number of their chunk, which their place in the order depends on."""
    events = staged_schema(EVENTS).append(CHUNK)
    return {
        RECORDS: staged_schema(RECORDS),
        UNPARSED: staged_schema(UNPARSED),
        EVENTS: events,
        CONTROL: events,
    }


OF_EVENT = attrgetter(*staged_schema(EVENTS).names)
# What bronze.log_records has beside the names of the record's origin.
OF_ORIGIN = ("record_id", "unit_id", "source", "service", "instance")
OF_RECORD = attrgetter(*(name for name in staged_schema(RECORDS).names if name not in OF_ORIGIN))
RECORD_SCHEMA = pa.schema(
    [field for field in staged_schema(RECORDS) if field.name not in OF_ORIGIN]
    + [staged_schema(RECORDS).field(name) for name in OF_ORIGIN]
)


class ReadRows:
    """Gathers one chunk's rows into Arrow batches."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._origin = Origin(chunk.unit_id, chunk.path, chunk.service, chunk.instance)
        self._origins: dict[tuple[str | None, ...], Origin] = {}
        self._latest: int | None = None
        # (offset, largest time before it) of the last records: which of them are provisional is told at the end.
        self._last: deque[tuple[int, int | None]] = deque(maxlen=LAST_RECORDS)
        self._reasons: list[tuple[int, str]] = []
        self.units: set[str] = set()
        self._clear()

    def _clear(self) -> None:
        self._events: list[ClientEvent] = []
        self._control: list[int] = []  # which of the events
        self._records: list[tuple[Any, ...]] = []
        self._unparsed: list[dict[str, Any]] = []
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether it is time to hand the rows on."""
        return (
            self._bytes >= BATCH_BYTES
            or len(self._events) >= BATCH_ROWS
            or len(self._records) >= BATCH_ROWS
            or len(self._unparsed) >= BATCH_ROWS
        )

    def add(self, piece: LogRecord | Unparsed) -> None:
        """Take a record with its events, or a piece that nobody understood."""
        if isinstance(piece, Unparsed):
            self._unparsed.append(self._unparsed_row(piece))
            self._reasons.append((piece.offset, piece.reason))
            self._bytes += len(piece.text) + 1024
            return
        self._last.append((piece.offset, self._latest))
        if piece.logged_at is not None and (self._latest is None or piece.logged_at > self._latest):
            self._latest = piece.logged_at
        origin = self._origin_of(piece)
        events = events_of(piece, origin)
        of_record = events[0].record_id if events else record_id(piece.source_id, piece.offset)
        self.units.add(origin.unit_id)
        self._records.append(
            (*OF_RECORD(piece), of_record, origin.unit_id, origin.source, origin.service, origin.instance)
        )
        for event in events:
            event.ordered_at = self._latest
            if event.kind == COMPLETED or is_control(event):
                self._control.append(len(self._events))
            self._events.append(event)
        self._bytes += len(piece.text)

    def _unparsed_row(self, piece: Unparsed) -> dict[str, Any]:
        return {
            "source_id": piece.source_id,
            "source": self._chunk.path,
            "offset": piece.offset,
            "line": piece.line,
            "line_count": piece.lines,
            "text": piece.text,
            "text_bytes": piece.bytes,
            "reason": piece.reason,
            "service": self._chunk.service,
            "instance": self._chunk.instance,
        }

    def _origin_of(self, record: LogRecord) -> Origin:
        if record.container is None and record.service is None and record.instance is None:
            return self._origin
        key = (record.container, record.service, record.instance)
        known = self._origins.get(key)
        if known is None:
            service, instance = (
                record.service or self._origin.service,
                record.instance or self._origin.instance,
            )
            names = (service, instance, record.container)
            known = Origin("/".join(name for name in names if name), self._origin.source, service, instance)
            self._origins[key] = known
        return known

    def _told(self, books: ChunkBooks) -> dict[str, Any]:
        resume = books.resume_offset
        before = [reason for offset, reason in self._reasons if resume is None or offset < resume]
        after = [reason for offset, reason in self._reasons if resume is not None and offset >= resume]
        return {
            "source_id": self._chunk.source_id,
            "number": self._chunk.number,
            "latest": self._latest,
            "latest_settled": next(
                (at for offset, at in self._last if resume is not None and offset >= resume), self._latest
            ),
            "settled": _part(books.settled, before),
            "tail": _part(books.tail, after),
            "resume_offset": resume,
            "resume_line": books.resume_line,
            "units": sorted(self.units),
        }

    def take(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """What has gathered, a batch for each name that has rows."""
        if self._records:
            yield (
                RECORDS,
                batch_from(RECORD_SCHEMA, zip(*self._records, strict=True)).select(
                    staged_schema(RECORDS).names
                ),
            )
        if self._events:
            events = batch_of(staged_schema(EVENTS), self._events)
            numbers = pa.repeat(pa.scalar(self._chunk.number, pa.int32()), len(self._events))
            events = events.append_column(CHUNK, numbers)
            yield EVENTS, events
            if self._control:
                yield CONTROL, events.take(pa.array(self._control, pa.int32()))
        if self._unparsed:
            yield UNPARSED, batch_of(staged_schema(UNPARSED), self._unparsed)
        self._clear()

    def told(self, books: ChunkBooks) -> Note:
        """The chunk's books, once it is over."""
        return Note("books", json.dumps(self._told(books)))


def _part(books: Books, reasons: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(books, name) for name in Books.__slots__} | {"unparsed_by_reason": Counter(reasons)}
