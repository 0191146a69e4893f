"""Rows on their way into a table: parts that are read batch by batch, in this process or in tasks."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from jobs.engine import arrow_files
from transforms.tasks import Batches


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that one task reads. count: how many there are, or more."""

    count: int
    batches: Callable[[], Batches]


@dataclass(frozen=True, slots=True)
class RowSource:
    """Rows of one schema, in any order. is_apart: tasks may read the parts, which lie in files; else only this process."""

    schema: pa.Schema
    parts: tuple[Part, ...]
    is_apart: bool = True

    @property
    def count(self) -> int:
        """How many rows there are, or more; 0 means none."""
        return sum(part.count for part in self.parts)

    def batches(self) -> Batches:
        """All of them."""
        return (batch for part in self.parts for batch in part.batches())

    def table(self) -> pa.Table:
        """All of them, at once."""
        return pa.Table.from_batches(self.batches(), schema=self.schema)

    def within(self, most_bytes: int) -> pa.Table | None:
        """All of them, at once; None where they take more bytes: long texts may be in few rows."""
        found, size = [], 0
        for batch in self.batches():
            size += batch.nbytes
            if size > most_bytes:
                return None
            found.append(batch)
        return pa.Table.from_batches(found, schema=self.schema)

    def through(self, change: Callable[[pa.RecordBatch], pa.RecordBatch], schema: pa.Schema) -> "RowSource":
        """These rows, each batch changed on its way; `change` is pure and runs wherever they are read."""
        return RowSource(schema, tuple(_changed(part, change) for part in self.parts), self.is_apart)


def _changed(part: Part, change: Callable[[pa.RecordBatch], pa.RecordBatch]) -> Part:
    return Part(part.count, lambda: (change(batch) for batch in part.batches() if batch.num_rows))


def of_files(schema: pa.Schema, files: Iterable[tuple[str, int]]) -> RowSource:
    """The rows of files that were put aside. files: with the number of their rows."""
    return RowSource(
        schema, tuple(Part(count, partial(arrow_files.batches_of, path)) for path, count in files)
    )


def of_batches(schema: pa.Schema, count: int, batches: Callable[[], Batches]) -> RowSource:
    """Rows that are made in this process, however many they are."""
    return RowSource(schema, (Part(count, batches),), is_apart=False)


def of_table(table: pa.Table) -> RowSource:
    """The rows of an Arrow table."""
    return RowSource(table.schema, (Part(table.num_rows, lambda: iter(table.to_batches())),), is_apart=False)


def together(parts: Iterable[RowSource]) -> RowSource:
    """All rows of sources of one schema; at least one source."""
    of = list(parts)
    every = tuple(part for one in of for part in one.parts)
    return RowSource(of[0].schema, every, all(one.is_apart or not one.count for one in of))
