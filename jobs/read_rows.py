"""The rows that leave a reading task: an event a row, with its record's columns in the first row of the record."""

import json
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from expectations import TABLES
from jobs.plan import Chunk
from jobs.rows import EVENT_FIELDS, column
from transforms.events import ClientEvent
from transforms.parse.books import Books, ChunkBooks
from transforms.parse.messages import Origin, events_of
from transforms.parse.reader import Unparsed
from transforms.records import LogRecord

# Rows leave a task when so much text has gathered: batches are cut by bytes, not by count.
BATCH_BYTES = 4 << 20
BATCH_ROWS = 8192
# A source's provisional tail is its last record or two; an OTLP line may hold some more.
LAST_RECORDS = 1024

EVENTS = TABLES["silver.client_events"].arrow_schema()
RECORDS = TABLES["bronze.log_records"].arrow_schema()
# Columns of bronze.log_records that an event does not carry.
RECORD_FIELDS = (
    "logged_at",
    "line_count",
    "time_zone_origin",
    "logger",
    "log_thread",
    "container",
    "text",
    "is_truncated",
    "text_bytes",
)
# Columns of a row that is a piece nobody understood, or a chunk's books.
NOTE_FIELDS = ("note", "note_kind")


def _schema() -> pa.Schema:
    fields = [pa.field(name, EVENTS.field(name).type) for name in EVENT_FIELDS]
    for name in RECORD_FIELDS:
        kind = pa.string() if name == "log_thread" else RECORDS.field(name).type
        fields.append(pa.field(name, kind))
    fields.append(pa.field("is_first", pa.bool_()))
    fields.extend(pa.field(name, pa.string()) for name in NOTE_FIELDS)
    fields.append(pa.field("chunk", pa.int32()))
    return pa.schema(fields)


READ_SCHEMA = _schema()


def read_schema() -> StructType:
    """READ_SCHEMA for Spark."""
    return from_arrow_schema(READ_SCHEMA)


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
        self._clear()

    def _clear(self) -> None:
        self._events: list[ClientEvent] = []
        self._records: list[LogRecord | None] = []
        self._notes: list[tuple[str, str]] = []
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether it is time to hand the rows on."""
        return self._bytes >= BATCH_BYTES or len(self._events) >= BATCH_ROWS or len(self._notes) >= BATCH_ROWS

    def add(self, piece: LogRecord | Unparsed) -> None:
        """Take a record with its events, or a piece that nobody understood."""
        if isinstance(piece, Unparsed):
            self._notes.append(("unparsed", json.dumps(asdict(piece))))
            self._reasons.append((piece.offset, piece.reason))
            self._bytes += 1024
            return
        self._last.append((piece.offset, self._latest))
        if piece.logged_at is not None and (self._latest is None or piece.logged_at > self._latest):
            self._latest = piece.logged_at
        first: LogRecord | None = piece
        for event in events_of(piece, self._origin_of(piece)):
            event.ordered_at = self._latest
            self._events.append(event)
            self._records.append(first)
            first = None
        self._bytes += len(piece.text)

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
        }

    def take(self, books: ChunkBooks | None = None) -> pa.RecordBatch:
        """What has gathered, as one batch; with the chunk's books where it is over."""
        if books is not None:
            self._notes.append(("books", json.dumps(self._told(books))))
        notes = len(self._notes)
        columns = [
            column(
                [getattr(event, name) for event in self._events] + [None] * notes,
                READ_SCHEMA.field(name).type,
            )
            for name in EVENT_FIELDS
        ]
        columns += [
            column(
                [_of_record(record, name) for record in self._records] + [None] * notes,
                READ_SCHEMA.field(name).type,
            )
            for name in RECORD_FIELDS
        ]
        columns.append(
            pa.array([record is not None for record in self._records] + [None] * notes, pa.bool_())
        )
        empty = [None] * len(self._events)
        columns.append(pa.array(empty + [note for _, note in self._notes], pa.string()))
        columns.append(pa.array(empty + [kind for kind, _ in self._notes], pa.string()))
        columns.append(pa.array([self._chunk.number] * (len(empty) + notes), pa.int32()))
        self._clear()
        return pa.RecordBatch.from_arrays(columns, schema=READ_SCHEMA)


def _part(books: Books, reasons: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(books, name) for name in Books.__slots__} | {"unparsed_by_reason": Counter(reasons)}


def _of_record(record: LogRecord | None, name: str) -> Any:
    if record is None:
        return None
    return record.thread if name == "log_thread" else getattr(record, name)
