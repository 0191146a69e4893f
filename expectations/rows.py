"""Rows of a table on their way into it, by its contract: the columns that tasks give, and those that the job adds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import pyarrow as pa

from expectations import TABLES
from expectations.contract import TableContract
from expectations.murmur import SEED, murmur3
from transforms.arrow_rows import batch_from, batch_of, column
from transforms.tasks import IS_OPEN

# What Spark adds when a table is written: it is the job's knowledge, not the task's.
ADDED_BY_JOB = frozenset({"unit_bucket", "detected_at", "run_id", "ingested_at", "withdrawn_at", "plan"})
ROWS_PER_BATCH = 4096
BUCKETS = 64


@cache
def staged_schema(table: str) -> pa.Schema:
    """The columns a task gives for a table: the contract's less the job's own. All may be null: the contract's NOT NULL
    is checked where rows are written."""
    contract = TABLES[table.removesuffix(IS_OPEN)]
    own = [field for field in contract.arrow_schema() if field.name not in ADDED_BY_JOB]
    return pa.schema([pa.field(field.name, field.type) for field in own])


def staged_schemas(tables: Iterable[str]) -> dict[str, pa.Schema]:
    """The columns a task gives for each of these tables, by its name."""
    return {table: staged_schema(table) for table in tables}


def in_batches(rows: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """(table, row) pairs as (table, batch) pairs; rows are dataclasses or mappings with their table's columns."""
    waiting: dict[str, list[Any]] = {}
    for name, row in rows:
        gathered = waiting.setdefault(name, [])
        gathered.append(row)
        if len(gathered) >= ROWS_PER_BATCH:
            yield name, batch_of(staged_schema(name), gathered)
            waiting[name] = []
    for name, left in waiting.items():
        if left:
            yield name, batch_of(staged_schema(name), left)


@cache
def bucket_of(unit_id: str | None) -> int:
    """`pmod(hash(unit_id), 64)` as Spark's SQL says it: the last bytes are taken one by one
    (org.apache.spark.unsafe.hash.Murmur3_x86_32.hashUnsafeBytes)."""
    if unit_id is None:
        return SEED % BUCKETS
    data = unit_id.encode()
    whole = len(data) - len(data) % 4
    words = [int.from_bytes(data[at : at + 4], "little") for at in range(0, whole, 4)]
    words += [byte - 256 if byte > 127 else byte for byte in data[whole:]]
    return murmur3(words, len(data)) % BUCKETS


def in_columns(table: str, names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[pa.RecordBatch]:
    """Rows as tuples in this order, in the columns that a task stages. names: all columns but `unit_bucket`."""
    schema, left = staged_schema(table), iter(rows)
    while some := list(islice(left, ROWS_PER_BATCH)):
        columns = dict(zip(names, zip(*some, strict=True), strict=True))
        yield batch_from(schema, (columns[name] for name in schema.names))


def conformed(batch: pa.RecordBatch, schema: pa.Schema, constants: Mapping[str, Any]) -> pa.RecordBatch:
    """A batch in a table's own columns: what it has, `unit_bucket` from `unit_id`, and columns of one value (ms).

    Raises: KeyError where a column is neither in the batch nor in constants.
    """
    arrays = []
    for field in schema:
        if field.name in constants:
            arrays.append(column([constants[field.name]] * batch.num_rows, field.type))
        elif field.name == "unit_bucket":
            arrays.append(_buckets(batch.column("unit_id")))
        else:
            arrays.append(batch.column(field.name).cast(field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _buckets(unit_ids: pa.Array) -> pa.Array:
    encoded = unit_ids.dictionary_encode()
    of_unit = pa.array([bucket_of(unit_id) for unit_id in encoded.dictionary.to_pylist()], pa.int32())
    return of_unit.take(encoded.indices)


def is_same(stood: pa.Table, new: pa.Table, contract: TableContract) -> bool:
    """Whether two sets of rows of a table are equal in all columns that count, in any order."""
    if stood.num_rows != new.num_rows:
        return False
    order = [(name, "ascending") for name in contract.key]
    names = list(contract.stable_columns)
    one, other = (rows.select(names).sort_by(order).combine_chunks() for rows in (stood, new))
    return all(
        one[name].to_pylist() == other[name].to_pylist()
        if pa.types.is_map(one[name].type)
        else one[name].equals(other[name].cast(one[name].type))
        for name in names
    )
