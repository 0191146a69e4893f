"""Gives each event the start of its process, its client's version, and what settings add to the lines of task timers; writes
silver.client_events and silver.client_settings.

All of it follows from a unit's control events, so only those are folded. What they tell is few marks (control data): from
such a place on in the unit's order this holds. The events themselves pass by the marks batch by batch.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from jobs.folds.folding import SettingsOf
from jobs.reading.read_rows import COMPLETED, EVENTS
from jobs.storage.incoming import Rows, of_table
from jobs.storage.lake import Commit, Lake
from jobs.storage.rows import (
    column,
    columns_of,
    events_from,
    in_batches,
    python_column,
    staged_schema,
    staged_schemas,
)
from jobs.storage.slots import most_slots, slots_of
from jobs.storage.sorted_rows import in_order, stage_sorted
from jobs.storage.staging import Note, Staged, Task, stage, stage_here
from transforms.events import ClientEvent
from transforms.timers.clients.settings import UnitSettings, timer_kind_and_elapsed
from transforms.timers.clients.versions import named

SETTINGS = "silver.client_settings"
ORDER = ("unit_id", "ordered_at", "source_id", "position", "event_id")
MARK = "mark"
# So few control events are folded at once: a job of Spark's takes as long.
FEW = 5_000

Batches = Iterator[pa.RecordBatch]
Numbers = npt.NDArray[np.int64]
# An event's place in its unit's order, as ClientEvent.order.
Place = tuple[int, str, int, str]


@dataclass(frozen=True, slots=True)
class Mark:
    """From this place on in a unit's order: its start and version; or, of a client, thread and task, its timer's limit."""

    unit_id: str
    place: Place
    incarnation: int = 0
    client_version: str | None = None
    of: tuple[str | None, ...] = ()
    limit_ms: int | None = None

    def told(self) -> Note:
        """As a note of a task."""
        return Note(MARK, json.dumps(asdict(self)))


def mark_from(text: str) -> Mark:
    """The other way."""
    values = json.loads(text)
    return Mark(**{**values, "place": tuple(values["place"]), "of": tuple(values["of"])})


def write_events(
    spark: SparkSession,
    lake: Lake,
    events: Rows,
    control: Rows,
    units: Sequence[str],
    settings_of: SettingsOf,
    staging: Path,
    commit: Commit,
) -> tuple[dict[str, bool], pa.Table | None]:
    """Replace the touched units' events and settings; gives for each table whether it changed, and the events where they are
    so few that one process may hold them.

    control: of the events, those that a process's settings, starts and versions follow from.
    """
    staged = _fold_control(spark, lake, control, units, _settings_fold(settings_of), staging)
    marks = [mark_from(text) for text in staged.notes.get(MARK, ())]
    marked = events.through(by_marks(marks), staged_schema(EVENTS))
    held = marked.table() if lake.is_small(events.count) else None
    changed = {
        SETTINGS: lake.replace(staged.of(SETTINGS), SETTINGS, units, commit),
        EVENTS: lake.replace(marked if held is None else of_table(held), EVENTS, units, commit),
    }
    return changed, held


def _fold_control(
    spark: SparkSession, lake: Lake, control: Rows, units: Sequence[str], fold: Task, staging: Path
) -> Staged:
    schemas = staged_schemas((SETTINGS,))
    slots = min(len(units), most_slots(spark))
    if control.count > lake.most_rows:
        by_unit = control.frame(spark).repartition(slots, "unit_id")
        return stage(by_unit.sortWithinPartitions(*ORDER), fold, schemas, staging)
    rows = in_order(pa.Table.from_batches(control.batches(), control.schema), ORDER)
    if control.count <= FEW:
        return stage_here(rows.to_batches(), fold, schemas, staging)
    return stage_sorted(
        spark, rows, slots_of([(unit_id, 1) for unit_id in units], slots), ORDER, fold, schemas, staging
    )


def _settings_fold(settings_of: SettingsOf) -> Task:
    def fold(batches: Batches) -> Iterator[tuple[str, pa.RecordBatch] | Note]:
        events = (event for batch in batches for event in events_from(batch))
        for unit_id, of_unit in groupby(events, key=lambda event: event.unit_id):
            told = list(of_unit)
            settings = settings_of(unit_id, [event for event in told if event.kind != COMPLETED])
            yield from in_batches((SETTINGS, row) for row in settings.rows())
            for mark in marks_of(told, settings):
                yield mark.told()

    return fold


def marks_of(control: Sequence[ClientEvent], settings: UnitSettings) -> Iterator[Mark]:
    """Where something new begins: the process's start or version, the limit of a task's timer."""
    latest: tuple[int, str | None] | None = None
    limits: dict[tuple[str | None, ...], int | None] = {}
    for event in control:
        if event.kind == COMPLETED:
            of = (event.client_id, event.thread, event.task_id)
            limit = settings.profile_of(event).whole("task.timeout.ms")
            limit_ms = None if limit is None else limit.ms
            if of not in limits or limits[of] != limit_ms:
                yield Mark(event.unit_id, event.order, of=of, limit_ms=limit_ms)
            limits[of] = limit_ms
            continue
        version = settings.version_of(event)
        now = (settings.incarnation_of(event), None if version is None else named(version))
        if now != latest:
            yield Mark(event.unit_id, event.order, *now)
        latest = now


def by_marks(marks: Sequence[Mark]) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """Gives events what holds in their place: the last mark at or before it, of starts and versions else the first."""
    spans: dict[str, list[Mark]] = {}
    limits: dict[tuple[str | None, ...], list[Mark]] = {}
    for mark in sorted(marks, key=lambda mark: mark.place):
        if mark.of:
            limits.setdefault((mark.unit_id, *mark.of), []).append(mark)
        else:
            spans.setdefault(mark.unit_id, []).append(mark)

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        return _with_limits(_with_spans(batch, spans), limits)

    return change


def _with_spans(batch: pa.RecordBatch, spans: Mapping[str, Sequence[Mark]]) -> pa.RecordBatch:
    of_unit = batch.column("unit_id").dictionary_encode()
    codes = of_unit.indices.to_numpy()
    by_unit = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    marks: list[Mark] = []
    found = np.zeros(batch.num_rows, np.int64)
    for unit_id, rows in zip(of_unit.dictionary.to_pylist(), by_unit, strict=True):
        of = spans.get(unit_id, [Mark(unit_id, (0, "", 0, ""))])
        found[rows] = len(marks) + _latest(of, batch, rows)
        marks += of
    return _with_columns(
        batch,
        {
            name: column(values, batch.column(name).type).take(pa.array(found))
            for name, values in columns_of(marks, ("incarnation", "client_version")).items()
        },
    )


def _latest(marks: Sequence[Mark], batch: pa.RecordBatch, rows: Numbers) -> Numbers:
    """For each of these rows the number of the last mark at or before it, else of the first.

    The time alone tells, but for rows of the very time of a mark.
    """
    if len(marks) == 1:
        return np.zeros(len(rows), np.int64)
    ordered = pc.fill_null(batch.column("ordered_at").cast(pa.int64()), 0).to_numpy()[rows] // 1000
    times = [mark.place[0] for mark in marks]
    found = np.searchsorted(times, ordered)
    is_tied = found != np.searchsorted(times, ordered, side="right")
    if is_tied.any():
        places = places_of(batch.select(ORDER).take(pa.array(rows[is_tied])))
        found[is_tied] = [bisect_right(marks, place, key=lambda mark: mark.place) for place in places]
    latest: Numbers = np.maximum(found - 1, 0)
    return latest


def _with_limits(
    batch: pa.RecordBatch, limits: Mapping[tuple[str | None, ...], Sequence[Mark]]
) -> pa.RecordBatch:
    """Task timers' lines say what is left; with the limit, how far the timer is and whether it just began."""
    is_told = pc.equal(batch.column("kind"), COMPLETED)
    told = batch.filter(is_told) if limits else batch[:0]
    if not told.num_rows:
        return batch
    columns = {name: told.column(name).to_pylist() for name in ("kind", "limit_ms", "elapsed_ms")}
    subjects = zip(
        *(told.column(name).to_pylist() for name in ("unit_id", "client_id", "thread", "task_id")),
        strict=True,
    )
    remaining = told.column("remaining_ms").to_pylist()
    for number, (of, place) in enumerate(zip(subjects, places_of(told), strict=True)):
        left, marks = remaining[number], limits.get(of)
        limit_ms = _at(marks, place).limit_ms if left is not None and marks else None
        if left is not None and limit_ms is not None:
            columns["kind"][number], columns["elapsed_ms"][number] = timer_kind_and_elapsed(limit_ms, left)
            columns["limit_ms"][number] = limit_ms
    return _with_columns(
        batch,
        {
            name: pc.replace_with_mask(batch.column(name), is_told, column(values, batch.column(name).type))
            for name, values in columns.items()
        },
    )


def _at(marks: Sequence[Mark], place: Place) -> Mark:
    return marks[max(0, bisect_right(marks, place, key=lambda mark: mark.place) - 1)]


def places_of(batch: pa.RecordBatch | pa.Table) -> Iterator[Place]:
    """Each event's place in its unit's order, as ClientEvent.order."""
    ordered, *rest = (python_column(batch.column(name)) for name in ORDER[1:])
    return zip((at or 0 for at in ordered), *rest, strict=True)


def _with_columns(batch: pa.RecordBatch, values: Mapping[str, pa.Array]) -> pa.RecordBatch:
    arrays = [values.get(field.name, batch.column(field.name)) for field in batch.schema]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)
