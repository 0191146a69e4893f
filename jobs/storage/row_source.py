"""Rows on their way into a table: as Arrow batches in this process, or as a frame of Spark's where there are too many."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from jobs.storage import arrow_files

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True, slots=True)
class RowSource:
    """Rows of one schema. count: how many there are, or more; 0 means none. Both ways give the same rows, in any order."""

    schema: pa.Schema
    count: int
    batches: Callable[[], Batches]
    frame: Callable[[SparkSession], DataFrame]

    def table(self) -> pa.Table:
        """All of them, in this process."""
        return pa.Table.from_batches(self.batches(), schema=self.schema)

    def through(self, change: Callable[[pa.RecordBatch], pa.RecordBatch], schema: pa.Schema) -> "RowSource":
        """The same rows, each batch changed on its way; `change` is pure and runs here or in Spark's tasks."""

        def changed(batches: Iterable[pa.RecordBatch]) -> Batches:
            return (change(batch) for batch in batches if batch.num_rows)

        return RowSource(
            schema,
            self.count,
            lambda: changed(self.batches()),
            lambda spark: self.frame(spark).mapInArrow(changed, from_arrow_schema(schema)),
        )


def of_files(schema: pa.Schema, paths: Iterable[str], count: int) -> RowSource:
    """The rows of files that were put aside."""
    files = list(paths)

    return RowSource(
        schema,
        count,
        lambda: (batch for path in files for batch in arrow_files.batches_of(path)),
        lambda spark: arrow_files.frame_of(spark, schema, files),
    )


def of_batches(schema: pa.Schema, count: int, batches: Callable[[], Batches]) -> RowSource:
    """Rows that are made in this process, however many they are, and are never Spark's."""

    def frame(spark: SparkSession) -> DataFrame:
        raise NotImplementedError("these rows are written by this process")

    return RowSource(schema, count, batches, frame)


def of_table(table: pa.Table) -> RowSource:
    """The rows of an Arrow table."""
    return RowSource(
        table.schema,
        table.num_rows,
        lambda: iter(table.to_batches()),
        lambda spark: spark.createDataFrame(table),
    )


def together(parts: Iterable[RowSource]) -> RowSource:
    """All rows of parts of one schema; at least one part."""
    of = list(parts)
    return RowSource(
        of[0].schema,
        sum(part.count for part in of),
        lambda: (batch for part in of for batch in part.batches()),
        lambda spark: reduce(DataFrame.unionByName, [part.frame(spark) for part in of]),
    )
