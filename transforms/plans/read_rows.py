"""The rows that leave a reading task: records, their events, pieces that nobody understood."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from transforms.arrow_rows import batch_from, batch_of, column, columns_of, python_column
from transforms.parse.events.event_columns import EventColumns
from transforms.parse.records.books import Books, ChunkBooks
from transforms.parse.records.build import Unparsed
from transforms.parse.records.placing import ProcessRef
from transforms.parse.records.record_columns import RecordColumns
from transforms.plans.chunks import Chunk
from transforms.records import LogRecord
from transforms.timers.clients.control import control_of

# Rows leave a task when so much text has gathered: batches are cut by bytes, not by count.
BATCH_BYTES = 4 << 20
BATCH_ROWS = 8192
# A source's provisional tail is its last record or two; an OTLP line may hold some more.
LAST_RECORDS = 1024

RECORDS, UNPARSED, EVENTS = "bronze.log_records", "bronze.unparsed", "silver.client_events"
ACCOUNTS = "accounts"  # name of notes: a chunk's each
# Events of the same shape, apart and few: those that a process's settings, starts and versions follow from.
CONTROL = "control"
CHUNK = pa.field("chunk", pa.int32())
# Of a row of bronze.log_records whose it is (ProcessRef).
OF_ORIGIN = ("unit_id", "source", "service", "instance")
# What of a record tells that.
TOLD_ORIGIN = ("container", "service", "instance")
# An event's columns that are its record's, and what they are called there.
IN_RECORD = {
    name: name
    for name in (
        "record_id", "unit_id", "source_id", "source", "offset", "line", "position", "ordered_at", "time_origin",
        "service", "instance",
    )
} | {"happened_at": "logged_at"}  # fmt: skip


class ReadRows:
    """Gathers one chunk's rows into Arrow batches. schemas: of what is put aside; of events with their chunk's number."""

    def __init__(self, chunk: Chunk, schemas: Mapping[str, pa.Schema]) -> None:
        self._chunk, self._schemas = chunk, schemas
        self._origin = ProcessRef(chunk.unit_id, chunk.path, chunk.service, chunk.instance)
        self._latest: int | None = None
        # (offset, largest time before it) of the last records: which of them are provisional is told at the end.
        self._last: deque[tuple[int, int | None]] = deque(maxlen=LAST_RECORDS)
        self._reasons: list[tuple[int, str]] = []
        self.units: set[str] = set()
        self._clear()

    def _clear(self) -> None:
        self._records = RecordColumns()
        self._waiting: list[LogRecord] = []  # that stand behind these
        self._unparsed: list[dict[str, Any]] = []
        self._pieces = self._bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether it is time to hand the rows on."""
        return self._bytes >= BATCH_BYTES or self._pieces >= BATCH_ROWS

    def add(self, piece: RecordColumns | LogRecord | Unparsed) -> None:
        """Take records with their events, or a piece that nobody understood."""
        if isinstance(piece, RecordColumns):
            self._pieces += len(piece)
            self._bytes += sum(map(len, piece.columns["text"]))
            self._settle()
            if len(self._records):
                self._records.extend(piece)
            else:
                self._records = piece  # as it is: nobody else keeps it
            return
        self._pieces += 1
        if isinstance(piece, Unparsed):
            self._unparsed.append(self._unparsed_row(piece))
            self._reasons.append((piece.offset, piece.reason))
            self._bytes += len(piece.text) + 1024
            return
        self._waiting.append(piece)
        self._bytes += len(piece.text)

    def _settle(self) -> None:
        self._records.add(self._waiting)
        self._waiting = []

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

    def _origins(self) -> list[ProcessRef]:
        """Whose each record is."""
        columns = self._records.columns
        known: dict[tuple[str | None, ...], ProcessRef] = {}
        found = []
        for number, key in enumerate(zip(*(columns[name] for name in TOLD_ORIGIN), strict=True)):
            origin = known.get(key)
            if origin is None:
                origin = known[key] = self._origin.of(self._records[number])
            found.append(origin)
        return found

    def account(self, accounts: ChunkBooks) -> dict[str, Any]:
        """The chunk's account, once it is over."""
        resume = accounts.resume_offset
        before = [reason for offset, reason in self._reasons if resume is None or offset < resume]
        after = [reason for offset, reason in self._reasons if resume is not None and offset >= resume]
        return {
            "source_id": self._chunk.source_id,
            "number": self._chunk.number,
            "latest": self._latest,
            "latest_settled": next(
                (at for offset, at in self._last if resume is not None and offset >= resume), self._latest
            ),
            "settled": _part(accounts.settled, before),
            "tail": _part(accounts.tail, after),
            "resume_offset": resume,
            "resume_line": accounts.resume_line,
            "units": sorted(self.units),
        }

    def take(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """What has gathered, a batch for each name that has rows."""
        self._settle()
        if len(self._records):
            origins = self._origins()
            typed = EventColumns(self._records, origins)
            records = self._record_rows(typed.ids, origins)
            yield RECORDS, records
            ordered = self._ordered(records)
            if typed.record_of:
                events = self._event_rows(typed, records.append_column("ordered_at", ordered))
                yield EVENTS, events
                if (control := control_of(events)).num_rows:
                    yield CONTROL, control
        if self._unparsed:
            yield UNPARSED, batch_of(self._schemas[UNPARSED], self._unparsed)
        self._clear()

    def _record_rows(self, ids: list[str], origins: Sequence[ProcessRef]) -> pa.RecordBatch:
        values = self._records.columns | columns_of(origins, OF_ORIGIN) | {"record_id": ids}
        self.units.update(values["unit_id"])
        schema = self._schemas[RECORDS]
        return batch_from(schema, (values[name] for name in schema.names))

    def _ordered(self, records: pa.RecordBatch) -> pa.Array:
        """The largest time up to each record."""
        logged = records.column("logged_at")
        times = pa.concat_arrays([column([self._latest], logged.type), logged]).cast(pa.int64())
        largest = pc.fill_null_forward(pc.cumulative_max(times, skip_nulls=True)).cast(logged.type)
        offsets = records.column("offset")[-LAST_RECORDS:].to_pylist()
        self._last.extend(zip(offsets, python_column(largest[-len(offsets) - 1 : -1]), strict=True))
        (self._latest,) = python_column(largest[-1:])
        return largest[1:]

    def _event_rows(self, typed: EventColumns, records: pa.RecordBatch) -> pa.RecordBatch:
        """What events have from their records is taken from the records' rows, and each has its chunk's number."""
        shared = records.select(sorted(set(IN_RECORD.values())))
        if typed.record_of != list(range(len(records))):
            shared = shared.take(pa.array(typed.record_of, pa.int32()))
        *schema, _ = self._schemas[EVENTS]
        values = typed.columns([field.name for field in schema if field.name not in IN_RECORD])
        arrays = [
            shared.column(IN_RECORD[field.name])
            if field.name in IN_RECORD
            else column(values[field.name], field.type)
            for field in schema
        ]
        numbers = pa.repeat(pa.scalar(self._chunk.number, pa.int32()), len(arrays[0]))
        return pa.RecordBatch.from_arrays([*arrays, numbers], schema=self._schemas[EVENTS])


def _part(accounts: Books, reasons: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(accounts, name) for name in Books.__slots__} | {
        "unparsed_by_reason": Counter(reasons)
    }
