"""Runs a task over sorted rows: Arrow sorts them in this process, tasks read them from files."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from jobs.storage import arrow_files
from jobs.storage import staging as limits
from jobs.storage.arrow_files import ROWS_AT_ONCE
from jobs.storage.slots import spread
from jobs.storage.staging import Note, Schemas, Staged, Task, stage, stage_here


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

    def sort(slot: int) -> tuple[str, int]:
        keys = pa.array([key for key, of in slots.items() if of == slot], pa.string())
        part = in_order(rows.filter(pc.is_in(rows[order[0]], keys)), order)
        path = str(staging / f"sorted-{slot}.arrow")
        arrow_files.write(path, part)
        return path, part.num_rows

    with ThreadPoolExecutor() as pool:  # Arrow sorts with one core
        paths = list(pool.map(sort, sorted(set(slots.values()))))
    return stage(spread(spark, paths, "path", max(1, len(paths))), _of_files(fold), schemas, staging)


def in_order(rows: pa.Table, order: Sequence[str]) -> pa.Table:
    """Sorted as Spark sorts and as ClientEvent.order says: an event without a time comes first."""
    return rows.take(
        pc.sort_indices(rows, [(name, "ascending") for name in order], null_placement="at_start")
    )


def _of_files(fold: Task) -> Task:
    """A task over paths: the fold over what each file holds."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, pa.RecordBatch] | Note]:
        for path in arrow_files.paths_in(batches):
            yield from fold(arrow_files.batches_of(path))

    return task
