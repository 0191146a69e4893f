"""Events that fit in memory: sorted by Arrow in the driver's process, a file a task. Spark only carries the paths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from jobs.folds.folding import FOLD_FIELDS, OF_SERIES, SERIES_COLUMN
from jobs.folds.sorting import ORDER, PARTS_ORDER, UnitSize
from jobs.metrics.binding import NO_METRICS, Bindings
from jobs.metrics.series import OF_GROUPS, SERIES
from jobs.metrics.series_here import of_groups, series_here
from jobs.reading.read_rows import EVENTS
from jobs.storage.lake import LakeWriter, read_arrow
from jobs.storage.rows import is_control, python_column, staged_schemas
from jobs.storage.slots import most_slots, slots_of
from jobs.storage.sorted_rows import in_order, stage_sorted
from jobs.storage.staging import Staged, Task, stage_here
from transforms.events import UNRECOGNIZED
from transforms.timers.machines import OF_STREAM_THREAD, TELLS_TIME_ONLY

# So much of groups is put together at once: a job of Spark's takes as long.
FEW_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class HeldEvents:
    """What is to be folded of each unit: its events from a place on. control: all its control events, wherever they are.

    resumed: units that go on from a state. Of these all events are folded, also where no machine reads any: with each comes
    what is open, and what is told of the whole.
    """

    events: pa.Table
    control: pa.Table
    resumed: frozenset[str]


class SortHere:
    """The Sorter of small lakes."""

    def __init__(
        self,
        spark: SparkSession,
        lake: LakeWriter,
        evidence: Bindings = NO_METRICS,
        window: HeldEvents | None = None,
    ) -> None:
        """window: what is to be folded, where that is not all events of the lake."""
        self._spark = spark
        self._lake = lake
        self._evidence = evidence
        events = read_arrow(lake.path(EVENTS), FOLD_FIELDS) if window is None else window.events
        self._events = events.select(list(FOLD_FIELDS)).combine_chunks()
        self._control = self._events.filter(is_control(self._events)) if window is None else window.control
        self._resumed = window.resumed if window is not None else frozenset()

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

    def fold_units(
        self, units: Sequence[UnitSize], fold: Task, tables: Sequence[str], staging: Path
    ) -> Staged:
        """See Sorter."""
        slots = slots_of([(unit.unit_id, unit.events) for unit in units], most_slots(self._spark))
        of_units = pc.is_in(self._events["unit_id"], pa.array(list(slots), pa.string()))
        is_read = pc.invert(_no_machine_reads(self._events))
        if self._resumed:
            of_resumed = pc.is_in(self._events["unit_id"], pa.array(sorted(self._resumed), pa.string()))
            is_read = pc.or_(is_read, of_resumed)
        read = self._events.filter(pc.and_(of_units, is_read))
        # Control events come twice: before all others, and in their place.
        control = self._control.filter(pc.is_in(self._control["unit_id"], pa.array(list(slots), pa.string())))
        control = control.select(list(FOLD_FIELDS))
        keyed = [_keyed(control, control["unit_id"], 0), _keyed(read, read["unit_id"], 1)]
        series = series_here(self._lake, self._evidence.of(slots))
        if len(series):
            keyed.append(_series_rows(series.field("unit_id"), series))
        return self._fold(keyed, slots, ORDER, fold, tables, staging)

    def fold_groups(self, parts: pa.Table, fold: Task, tables: Sequence[str], staging: Path) -> Staged:
        """See Sorter."""
        slots = slots_of([(key, 1) for key in parts["key"].to_pylist()], most_slots(self._spark))
        keyed = [parts]
        series = series_here(self._lake, self._evidence.of(parts["unit_id"].to_pylist()), OF_GROUPS)
        if len(series):
            keyed.append(_series_rows(*of_groups(series, parts)))
        else:
            keyed.append(_series_rows(pa.array([], pa.string()), pa.array([], SERIES)))
        if parts.nbytes <= FEW_BYTES:
            rows = pa.concat_tables(map(_may_be_null, keyed), promote_options="default")
            return stage_here(in_order(rows, PARTS_ORDER).to_batches(), fold, staged_schemas(tables), staging)
        return self._fold(keyed, slots, PARTS_ORDER, fold, tables, staging)

    def _fold(
        self,
        keyed: Sequence[pa.Table],
        slots: Mapping[str, int],
        order: Sequence[str],
        fold: Task,
        tables: Sequence[str],
        staging: Path,
    ) -> Staged:
        rows = pa.concat_tables(map(_may_be_null, keyed), promote_options="default")
        return stage_sorted(self._spark, rows, slots, order, fold, staged_schemas(tables), staging)


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
    """Lines of no family, and those of no group that tell the time only (transforms.timers.machines.tells_time_only)."""
    of_thread = pc.fill_null(pc.match_substring(events["thread"], OF_STREAM_THREAD), fill_value=False)
    time_only = pc.is_in(events["message_id"], pa.array(sorted(TELLS_TIME_ONLY)))
    is_read = pc.or_(of_thread, pc.is_valid(events["group_id"]))
    unknown = pc.equal(events["message_id"], UNRECOGNIZED)
    return pc.or_(unknown, pc.and_(time_only, pc.invert(is_read)))
