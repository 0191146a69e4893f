"""Between dataclasses and Arrow, by contract: the only place where ms become timestamps and back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType

from expectations import TABLES
from transforms.events import ClientEvent

# What Spark adds when a table is written: it is the job's knowledge, not the fold's.
ADDED_BY_JOB = frozenset({"unit_bucket", "detected_at", "run_id", "ingested_at", "withdrawn_at"})
ROWS_PER_BATCH = 4096


@cache
def fold_type(table: str) -> pa.StructType:
    """The struct a fold gives for one row of a table: the contract's columns less the job's own."""
    fields = [field for field in TABLES[table].arrow_schema() if field.name not in ADDED_BY_JOB]
    return pa.struct([pa.field(field.name, field.type, nullable=True) for field in fields])


def column_name(table: str) -> str:
    """The struct column of a table in a fold's output."""
    return table.replace(".", "__")


def fold_schema(tables: Sequence[str]) -> StructType:
    """Spark's schema of a fold's output: one struct column a table, one of them filled in each row."""
    arrow = pa.schema([pa.field(column_name(table), fold_type(table)) for table in tables])
    plain = from_arrow_schema(arrow)
    return StructType([StructField(field.name, field.dataType, nullable=True) for field in plain.fields])


def fold_batches(tables: Sequence[str], rows: Iterable[tuple[str, Any]]) -> Iterator[pa.RecordBatch]:
    """(table, row) pairs as batches of fold_schema; rows are dataclasses or mappings with the contract's columns."""
    waiting: dict[str, list[Any]] = {table: [] for table in tables}
    for table, row in rows:
        waiting[table].append(row)
        if len(waiting[table]) >= ROWS_PER_BATCH:
            yield _batch(tables, table, waiting[table])
            waiting[table] = []
    for table, left in waiting.items():
        if left:
            yield _batch(tables, table, left)


def _batch(tables: Sequence[str], table: str, rows: list[Any]) -> pa.RecordBatch:
    filled = struct_array(fold_type(table), rows)
    columns = [filled if name == table else pa.nulls(len(rows), fold_type(name)) for name in tables]
    return pa.RecordBatch.from_arrays(columns, names=[column_name(name) for name in tables])


def struct_array(kind: pa.StructType, rows: Sequence[Any]) -> pa.StructArray:
    """Rows as one struct array; instants (ms) become timestamps."""
    if rows and isinstance(rows[0], Mapping):
        columns = [column([row.get(field.name) for row in rows], field.type) for field in kind]
    else:
        columns = [column([getattr(row, field.name) for row in rows], field.type) for field in kind]
    return pa.StructArray.from_arrays(columns, fields=list(kind))


def column(values: list[Any], kind: pa.DataType) -> pa.Array:
    """One column; maps are sorted by key, so that equal details are equal rows."""
    if pa.types.is_timestamp(kind):
        return pa.array([None if v is None else v * 1000 for v in values], pa.int64()).cast(kind)
    if pa.types.is_map(kind):
        return pa.array([None if v is None else sorted(dict(v).items()) for v in values], kind)
    return pa.array(values, kind)


def python_column(values: pa.Array) -> list[Any]:
    """The other way: timestamps to ms, maps to dicts."""
    if pa.types.is_timestamp(values.type):
        return [None if v is None else v // 1000 for v in values.cast(pa.int64()).to_pylist()]
    if pa.types.is_map(values.type):
        return [None if v is None else dict(v) for v in values.to_pylist()]
    return list(values.to_pylist())


EVENT_FIELDS = tuple(ClientEvent.__slots__)


def events_from(batch: pa.RecordBatch) -> Iterator[ClientEvent]:
    """Client events from the columns of silver.client_events."""
    columns = [python_column(batch.column(name)) for name in EVENT_FIELDS]
    for values in zip(*columns, strict=True):
        event = ClientEvent(*values)
        if event.details is None:
            event.details = {}
        yield event
