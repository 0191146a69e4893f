"""Runs a task over rows in order, which this process holds: tasks sort them and go through them."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from expectations.place import LakePlace
from jobs.engine import arrow_files
from jobs.engine.engine import Engine
from jobs.engine.memory import give_back
from jobs.engine.row_source import RowSource
from jobs.engine.staging import Schemas, Staged
from transforms.arrow_rows import in_order, sorted_indices
from transforms.tasks import ROWS_AT_ONCE, BatchTask, Put

SPAN_BYTES = 96 << 20


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


def in_order_of(
    rows: RowSource, order: Sequence[str], most_bytes: int = SPAN_BYTES
) -> Iterator[pa.RecordBatch]:
    """Rows in order, of which about so many bytes are held at once: they are gone through again for each such span."""
    names = list(order)
    keys, sizes = [], [np.array([], np.int64)]
    for batch in rows.batches():
        # A copy: what is selected would keep the whole batch.
        keys.append(pa.Table.from_batches([batch.select(names)]).take(pa.array(np.arange(batch.num_rows))))
        sizes.append(np.full(batch.num_rows, batch.nbytes // max(1, batch.num_rows)))
    if not keys:
        return
    indices, size = sorted_indices(pa.concat_tables(keys), order).to_numpy(), np.concatenate(sizes)
    del keys
    span = np.empty(len(indices), np.int64)
    span[indices] = np.cumsum(size[indices]) // most_bytes
    for number in np.unique(span):
        begins, found = 0, []
        for batch in rows.batches():
            found.append(batch.filter(pa.array(span[begins : begins + batch.num_rows] == number)))
            begins += batch.num_rows
        yield from in_order(pa.Table.from_batches(found, rows.schema), order).to_batches(ROWS_AT_ONCE)
        del found
        give_back(len(span))
