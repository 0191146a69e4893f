"""Events to their folds: each process, and then each group, whole and in order in one task.

A task reads the events of its processes from the lake's files itself, or from a file that the driver put aside where it
held them; it sorts them, and lets the fold go through them. A process of more events than a task should hold is read from
the lake span by span of time.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from expectations.place import LakePlace
from expectations.rows import staged_schema, staged_schemas
from jobs.engine import arrow_files
from jobs.engine.engine import Task
from jobs.engine.row_source import RowSource, of_batches
from jobs.engine.staging import Staged
from jobs.metrics.process_series import count_samples, series_of
from jobs.storage.lake import HELD_BYTES, LakeWriter
from jobs.storage.lake_reads import as_schema, batches_where, few_batches, files_of
from transforms.arrow_rows import python_column
from transforms.fold_rows import (
    ORDER,
    PARTS_ORDER,
    TASK_ROWS,
    HeldEvents,
    UnitSize,
    batches_in_order,
    keyed,
    keyed_series,
    packed_by_files,
    read_by_machines,
    rows_of_keys,
)
from transforms.folding import FOLD_FIELDS
from transforms.plans.packs import Item, packed
from transforms.plans.read_rows import EVENTS
from transforms.tasks import Batches, BatchTask, Put
from transforms.timers.clients.control import is_control
from transforms.timers.clients.settings import CONTROL_KINDS, CONTROL_MESSAGES
from transforms.timers.samples.binding import NO_METRICS, Bindings
from transforms.timers.samples.series_rows import OF_GROUPS, SAMPLES, of_groups
from transforms.touched import of_packs, parts_of_groups, sizes_of

# A process of more is read in spans of about so many bytes: of an event's details, and of all else in it.
SPAN_BYTES, ROW_BYTES = 48 << 20, 512
# Of states of processes in their groups.
TASK_BYTES = 32 << 20
OF_UNIT = pc.field("unit_id")
FOLDED = pa.schema([staged_schema(EVENTS).field(name) for name in FOLD_FIELDS])
# Arrow's name for the file that a row is in.
FILE = "__filename"


class FoldInput:
    """The events of a lake, or those of them that the driver holds, and the samples of their processes."""

    def __init__(
        self, lake: LakeWriter, evidence: Bindings = NO_METRICS, window: HeldEvents | None = None
    ) -> None:
        """window: what is to be folded, where that is not all events of the lake."""
        self._lake, self._evidence, self._window = lake, evidence, window
        self._events, self._version = lake.path(EVENTS), lake.version(EVENTS)
        self._samples = lake.path(SAMPLES)

    def units(self, units: Sequence[str]) -> list[UnitSize]:
        """Size and clock of these units, as far as they have events."""
        names = ["unit_id", "happened_at"]
        of_units = OF_UNIT.isin(pa.array(units, pa.string()))
        if self._window is None:
            batches = batches_where(self._events, [*names, FILE], of_units, self._version)
        else:
            held = self._window.events.select(names).filter(of_units)
            batches = iter(held.append_column(FILE, pa.nulls(held.num_rows, pa.string())).to_batches())
        events: Counter[str] = Counter()
        clocks: dict[str, int] = {}
        files: dict[str, dict[str, None]] = {}
        for batch in batches:
            counted = pa.Table.from_batches([batch]).group_by(["unit_id", FILE])
            found = counted.aggregate([("happened_at", "max"), ([], "count_all")]).combine_chunks()
            columns = (found["unit_id"], found[FILE], found["count_all"], found["happened_at_max"])
            for unit_id, file, count, clock in zip(*map(python_column, columns), strict=True):
                events[unit_id] += count
                if file is not None:
                    files.setdefault(unit_id, {})[file] = None
                if clock is not None:
                    clocks[unit_id] = max(clock, clocks.get(unit_id, clock))
        return [
            UnitSize(unit_id, count, clocks.get(unit_id), tuple(files.get(unit_id, ())))
            for unit_id, count in events.items()
        ]

    def fold_units(
        self, units: Sequence[UnitSize], fold: BatchTask, tables: Sequence[str], staging: LakePlace
    ) -> Staged:
        """Each unit's events, less those that no machine reads, through the fold."""
        counted = count_samples(self._samples, self._evidence.of(unit.unit_id for unit in units))
        sized = {unit.unit_id: unit.events + counted[unit.unit_id] for unit in units}
        files = {unit.unit_id: unit.files for unit in units}
        packs = packed_by_files(sized, files, self._lake.engine.slots)
        items = [(json.dumps(pack), sum(sized[one] for one in pack)) for pack in packs]
        read: Callable[[list[str]], Batches]
        if self._window is None:
            large = frozenset(one for one, rows in sized.items() if rows > TASK_ROWS)
            table = partial(files_of, self._events, version=self._version)
            read = _of_lake(table, files, self._samples, self._evidence, large)
        else:
            read = _held(_put_aside(self._window, packs, staging), self._samples, self._evidence)
        return self._run(items, read, fold, tables, staging)

    def fold_groups(
        self, parts: pa.Table, fold: BatchTask, tables: Sequence[str], staging: LakePlace
    ) -> Staged:
        """Units' parts in groups through the fold, with the samples of their consumers. parts: PARTS."""
        sizes = sizes_of(parts)
        packs = packed(list(sizes.items()), self._lake.engine.slots, TASK_BYTES)
        files = {pack[0]: arrow_files.write(staging, "parts", parts_of_groups(parts, pack)) for pack in packs}
        items = [(json.dumps(pack), sum(sizes[one] for one in pack)) for pack in packs]
        samples, evidence = self._samples, self._evidence

        def read(pack: list[str]) -> Batches:
            rows = arrow_files.table_of(files[pack[0]])
            of = of_packs(rows)[1]
            series = series_of(samples, evidence.of(of["unit_id"].to_pylist()), OF_GROUPS)
            return batches_in_order([rows, keyed_series(*of_groups(series, of))], PARTS_ORDER)

        return self._run(items, read, fold, tables, staging)

    def _run(
        self,
        items: Sequence[Item],
        read: Callable[[list[str]], Batches],
        fold: BatchTask,
        tables: Sequence[str],
        staging: LakePlace,
    ) -> Staged:
        task: Task = _folding(read, fold)
        most = max((size for _, size in items), default=1)
        return self._lake.engine.run(items, task, staged_schemas(tables), staging, most)


def _folding(read: Callable[[list[str]], Batches], fold: BatchTask) -> Task:
    """Task: packs of keys in (JSON), what their folds give out."""

    def task(packs: Iterator[str]) -> Put:
        for pack in packs:
            yield from fold(read(json.loads(pack)))

    return task


def _put_aside(window: HeldEvents, packs: Sequence[Sequence[str]], staging: LakePlace) -> dict[str, str]:
    """The events of each pack in a file, by the pack's first unit. Control events come twice: before all others, and in
    their place."""
    events = window.events.select(list(FOLD_FIELDS))
    is_read = read_by_machines(events)
    if window.resumed:
        of_resumed = pc.is_in(events["unit_id"], pa.array(sorted(window.resumed), pa.string()))
        is_read = pc.or_(is_read, of_resumed)
    rows = pa.concat_tables(
        [keyed(window.control.select(list(FOLD_FIELDS)), 0), keyed(events.filter(is_read), 1)]
    )
    return {pack[0]: arrow_files.write(staging, "events", rows_of_keys(rows, "key", pack)) for pack in packs}


def _held(files: dict[str, str], samples: str, evidence: Bindings) -> Callable[[list[str]], Batches]:
    def read(pack: list[str]) -> Batches:
        return batches_in_order(
            [arrow_files.table_of(files[pack[0]]), *_series(samples, evidence, pack)], ORDER
        )

    return read


def _of_lake(
    table: Callable[[Collection[str]], ds.Dataset],
    files: Mapping[str, Sequence[str]],
    samples: str,
    evidence: Bindings,
    large: frozenset[str],
) -> Callable[[list[str]], Batches]:
    """table: gives some files of the events' table; files: those that hold any event of a unit."""

    def read(pack: list[str]) -> Batches:
        rows = held(pack) if large.isdisjoint(pack) else None
        if rows is not None:
            yield from rows
        elif len(pack) == 1:
            yield from _by_spans(table(files[pack[0]]), pack[0], _series(samples, evidence, pack))
        else:
            yield from read(pack[: len(pack) // 2])
            yield from read(pack[len(pack) // 2 :])

    def held(pack: list[str]) -> Batches | None:
        """All rows of a pack; None where that is more than a task may hold."""
        holding = table({file for unit_id in pack for file in files[unit_id]})
        events = _events_where(holding, OF_UNIT.isin(pa.array(pack, pa.string()))).within(HELD_BYTES)
        if events is None:
            return None
        control, series = events.filter(is_control(events)), _series(samples, evidence, pack)
        return batches_in_order(
            [keyed(control, 0), keyed(events.filter(read_by_machines(events)), 1), *series], ORDER
        )

    return lambda pack: read(sorted(pack))


def _events_where(table: ds.Dataset, wanted: pc.Expression) -> RowSource:
    def batches() -> Batches:
        found = few_batches(table, FOLDED.names, wanted)
        return as_schema((batch for batch in found if batch.num_rows), FOLDED)

    return of_batches(FOLDED, 0, batches)


def _by_spans(table: ds.Dataset, unit_id: str, series: Sequence[pa.Table]) -> Batches:
    """The rows of one unit, of which no more than a span is held; more only where so many are of one time, or of none."""

    def read(where: pc.Expression, phase: int) -> pa.Table:
        return keyed(_events_where(table, OF_UNIT.isin([unit_id]) & where).table(), phase)

    of_unit = [rows.filter(pc.field("key") == unit_id) for rows in series]
    control = pc.field("kind").isin(sorted(CONTROL_KINDS)) | pc.field("message_id").isin(
        sorted(CONTROL_MESSAGES)
    )
    yield from batches_in_order([keyed(FOLDED.empty_table(), 1), *of_unit], ORDER)
    for span in _spans(table, OF_UNIT.isin([unit_id]) & control):
        yield from batches_in_order([read(control & span, 0)], ORDER)
    for span in _spans(table, OF_UNIT.isin([unit_id])):
        rows = read(span, 1)
        yield from batches_in_order([rows.filter(read_by_machines(rows))], ORDER)


def _spans(table: ds.Dataset, wanted: pc.Expression) -> Iterator[pc.Expression]:
    """The times of the events that pass in spans of about SPAN_BYTES, in order; events without a time come first."""
    at = pc.field("ordered_at")
    times, sizes = [np.array([], np.int64)], [np.array([], np.int64)]
    for batch in few_batches(table, ["ordered_at", "details"], wanted):
        time, details = batch.columns
        times.append(time.drop_null().cast(pa.int64()).to_numpy())
        sizes.append(np.full(len(times[-1]), ROW_BYTES + details.nbytes // max(1, len(details))))
    yield at.is_null()
    ordered, size = np.concatenate(times), np.concatenate(sizes)
    order = np.argsort(ordered, kind="stable")
    numbers = np.cumsum(size[order]) // SPAN_BYTES
    firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
    kind = staged_schema(EVENTS).field("ordered_at").type
    begins = [pa.scalar(int(one), pa.int64()).cast(kind) for one in np.unique(ordered[order][firsts])]
    for begin, end in zip(begins, [*begins[1:], None], strict=True):
        yield at >= begin if end is None else (at >= begin) & (at < end)


def _series(samples: str, evidence: Bindings, units: Sequence[str]) -> list[pa.Table]:
    bound = evidence.of(units)
    if not bound:
        return []
    series = series_of(samples, bound)
    return [keyed_series(series.field("unit_id"), series)]
