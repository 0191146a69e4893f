"""Runs a task over rows in order, which this process holds: tasks sort them and go through them."""

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from expectations.place import LakePlace
from jobs.engine import arrow_files
from jobs.engine.arrow_files import ROWS_AT_ONCE
from jobs.engine.engine import Engine
from jobs.engine.staging import BatchTask, Put, Schemas, Staged

# Arrow 25 and later are told of each key where its nulls go, earlier ones of all keys.
NULLS_BY_KEY = int(pa.__version__.partition(".")[0]) >= 25


def stage_sorted(
    engine: Engine,
    rows: pa.Table,
    slots: Mapping[str, int],
    order: Sequence[str],
    fold: BatchTask,
    schemas: Schemas,
    staging: LakePlace,
) -> Staged:
    """Run a fold over rows in order, a task a slot; the first column of the order is the key that slots go by."""
    items = []
    for slot in sorted(set(slots.values())):
        keys = pa.array([key for key, of in slots.items() if of == slot], pa.string())
        part = rows.filter(pc.is_in(rows[order[0]], keys))
        items.append((arrow_files.write(staging, f"rows-{slot}", part), max(1, part.num_rows)))

    def task(paths: Iterator[str]) -> Put:
        for path in paths:
            yield from fold(iter(in_order(arrow_files.table_of(path), order).to_batches(ROWS_AT_ONCE)))

    return engine.run(items, task, schemas, staging)


def in_order(rows: pa.Table, order: Sequence[str]) -> pa.Table:
    """Sorted as Spark sorts and as ClientEvent.order says: an event without a time comes first."""
    return rows.take(_indices(rows, order))


def _indices(rows: pa.Table, order: Sequence[str]) -> pa.Array:
    if NULLS_BY_KEY:
        return pc.sort_indices(rows, [(name, "ascending", "at_start") for name in order])
    return pc.sort_indices(rows, [(name, "ascending") for name in order], null_placement="at_start")
