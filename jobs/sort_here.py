"""Events that fit in memory: sorted by Arrow in the driver's process, a file a task. Spark only carries the paths."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from jobs import staging as limits
from jobs.binding import NO_METRICS, Bindings
from jobs.folding import FOLD_FIELDS, OF_SERIES, SERIES_COLUMN
from jobs.ingest import spread
from jobs.lake import Lake, read_arrow
from jobs.read_rows import EVENTS
from jobs.rows import is_control, python_column, staged_schemas
from jobs.series import MEMBER, OF_GROUPS
from jobs.series_here import of_groups, series_here
from jobs.sorting import ORDER, GroupPart, UnitSize, most_slots, slots_of
from jobs.staging import Note, Schemas, Staged, Task, stage, stage_here
from transforms.timers.machines import OF_STREAM_THREAD, TELLS_TIME_ONLY
from transforms.timers.unit import UNRECOGNIZED

ROWS_AT_ONCE = 8192


class SortHere:
    """The Sorter of small lakes."""

    def __init__(self, spark: SparkSession, lake: Lake, evidence: Bindings = NO_METRICS) -> None:
        self._spark = spark
        self._lake = lake
        self._evidence = evidence
        self._events = read_arrow(lake.path(EVENTS), FOLD_FIELDS).combine_chunks()

    def units(self, units: Sequence[str]) -> list[UnitSize]:
        """See Sorter."""
        of_units = pc.is_in(self._events["unit_id"], pa.array(units, pa.string()))
        counted = (
            self._events.filter(of_units)
            .group_by("unit_id")
            .aggregate([("happened_at", "max"), ("event_id", "count")])
            .combine_chunks()
        )
        columns = (counted["unit_id"], counted["event_id_count"], counted["happened_at_max"])
        return [UnitSize(*row) for row in zip(*map(python_column, columns), strict=True)]

    def groups(self) -> list[GroupPart]:
        """See Sorter."""
        of_groups = self._events.select(["unit_id", "group_id"]).drop_null()
        counted = of_groups.group_by(["unit_id", "group_id"]).aggregate([([], "count_all")])
        return [GroupPart(row["unit_id"], row["group_id"], row["count_all"]) for row in counted.to_pylist()]

    def fold_units(
        self, units: Sequence[UnitSize], fold: Task, tables: Sequence[str], staging: Path
    ) -> Staged:
        """See Sorter."""
        slots = slots_of([(unit.unit_id, unit.events) for unit in units], most_slots(self._spark))
        of_units = pc.is_in(self._events["unit_id"], pa.array(list(slots), pa.string()))
        told = self._events.filter(pc.and_(of_units, pc.invert(_no_machine_reads(self._events))))
        # Control events come twice: before all others, and in their place.
        control = told.filter(is_control(told))
        keyed = [_keyed(control, control["unit_id"], 0), _keyed(told, told["unit_id"], 1)]
        series = series_here(self._lake, self._evidence.of(slots))
        if len(series):
            keyed.append(_series_rows(series.field("unit_id"), series))
        return self._fold(keyed, slots, fold, tables, staging)

    def fold_groups(
        self, parts: Sequence[GroupPart], fold: Task, tables: Sequence[str], staging: Path
    ) -> Staged:
        """See Sorter."""
        slots = slots_of([(part.group_id, part.events) for part in parts], most_slots(self._spark))
        # Lines of no family too: that a client wrote at all shows that its process did not stand still.
        told = self._events.filter(pc.is_in(self._events["group_id"], pa.array(list(slots), pa.string())))
        keyed = [_keyed(told, told["group_id"], 1)]
        control = self._events.filter(is_control(self._events))
        for part in parts:
            of_unit = control.filter(pc.equal(control["unit_id"], part.unit_id))
            keyed.append(
                _keyed(of_unit, pa.repeat(pa.scalar(part.group_id, pa.string()), of_unit.num_rows), 0)
            )
        series = series_here(self._lake, self._evidence.of(part.unit_id for part in parts), OF_GROUPS)
        if len(series):
            members = told.select(MEMBER).drop_null().group_by(MEMBER).aggregate([])
            keyed.append(_series_rows(*of_groups(series, members)))
        return self._fold(keyed, slots, fold, tables, staging)

    def _fold(
        self,
        keyed: Sequence[pa.Table],
        slots: Mapping[str, int],
        fold: Task,
        tables: Sequence[str],
        staging: Path,
    ) -> Staged:
        rows = pa.concat_tables(map(_may_be_null, keyed), promote_options="default")
        return stage_sorted(self._spark, rows, slots, ORDER, fold, staged_schemas(tables), staging)


def stage_sorted(
    spark: SparkSession,
    rows: pa.Table,
    slots: Mapping[str, int],
    order: Sequence[str],
    fold: Task,
    schemas: Schemas,
    staging: Path,
) -> Staged:
    """Run a fold over rows in order, a task a slot; the first column of the order is the key that slots go by. Of few rows
    nothing goes through Spark."""
    if rows.num_rows <= limits.HERE_ROWS:
        few = in_order(rows.filter(pc.is_in(rows[order[0]], pa.array(list(slots), pa.string()))), order)
        return stage_here(few.to_batches(ROWS_AT_ONCE), fold, schemas, staging)
    staging.mkdir(parents=True, exist_ok=True)
    paths = []
    for slot in sorted(set(slots.values())):
        keys = pa.array([key for key, of in slots.items() if of == slot], pa.string())
        part = rows.filter(pc.is_in(rows[order[0]], keys))
        path = str(staging / f"sorted-{slot}.parquet")
        pq.write_table(in_order(part, order), path, row_group_size=ROWS_AT_ONCE)
        paths.append((path, part.num_rows))
    return stage(spread(spark, paths, "path", max(1, len(paths))), _of_files(fold), schemas, staging)


def in_order(rows: pa.Table, order: Sequence[str]) -> pa.Table:
    """Sorted as Spark sorts and as ClientEvent.order says: an event without a time comes first."""
    return rows.take(pc.sort_indices(rows, [(name, "ascending", "at_start") for name in order]))


def _of_files(fold: Task) -> Task:
    """A task over paths: the fold over what each file holds."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, pa.RecordBatch] | Note]:
        for batch in batches:
            for path in batch.column("path").to_pylist():
                with pq.ParquetFile(path) as file:
                    yield from fold(file.iter_batches(ROWS_AT_ONCE))

    return task


def _keyed(events: pa.Table, keys: pa.Array | pa.ChunkedArray, phase: int) -> pa.Table:
    phases = pa.repeat(pa.scalar(phase, pa.int32()), events.num_rows)
    return events.append_column("key", keys).append_column("phase", phases)


def _may_be_null(rows: pa.Table) -> pa.Table:
    """An event has no series, a series nothing of an event."""
    return rows.cast(pa.schema([field.with_nullable(True) for field in rows.schema]))


def _series_rows(keys: pa.Array, series: pa.StructArray) -> pa.Table:
    phases = pa.repeat(pa.scalar(OF_SERIES, pa.int32()), len(series))
    return pa.table({"key": keys, "phase": phases, SERIES_COLUMN: series})


def _no_machine_reads(events: pa.Table) -> pa.ChunkedArray:
    """Lines of no family, and those that tell the time only (transforms.timers.machines.tells_time_only)."""
    of_thread = pc.fill_null(pc.match_substring(events["thread"], OF_STREAM_THREAD), fill_value=False)
    time_only = pc.is_in(events["message_id"], pa.array(sorted(TELLS_TIME_ONLY)))
    unknown = pc.equal(events["message_id"], UNRECOGNIZED)
    return pc.or_(unknown, pc.and_(time_only, pc.invert(of_thread)))
