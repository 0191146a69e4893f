"""Reads tables of the lake into memory, without Spark."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from jobs.inputs.places import filesystem
from jobs.storage.table_cache import open_table

# As pyarrow takes them: all of a list, or any of several lists.
Filters = list[tuple[str, str, Any]] | list[list[tuple[str, str, Any]]] | None
# Of a table that is read batch by batch.
BATCH_ROWS = 1 << 15


def read_arrow(
    path: str, columns: Sequence[str], filters: Filters = None, version: int | None = None
) -> pa.Table:
    """Columns of a table, as it is, or as it was at a version."""
    wanted = None if filters is None else pq.filters_to_expression(filters)
    return open_table(path, version).dataset.to_table(columns=list(columns), filter=wanted)


def batches_where(
    path: str,
    columns: Sequence[str],
    wanted: pc.Expression,
    version: int | None = None,
    *,
    batch_rows: int = BATCH_ROWS,
) -> Iterator[pa.RecordBatch]:
    """Columns of the rows of a table that pass, as few of them at once as Arrow can."""
    return few_batches(open_table(path, version).dataset, columns, wanted, batch_rows)


def few_batches(
    dataset: ds.Dataset, columns: Sequence[str], wanted: pc.Expression, batch_rows: int = BATCH_ROWS
) -> Iterator[pa.RecordBatch]:
    """Columns of the rows that pass, as few of them at once as Arrow can."""
    few = dataset.scanner(
        list(columns), filter=wanted, batch_size=batch_rows, batch_readahead=1, fragment_readahead=1
    )
    return iter(few.to_batches())


def as_schema(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Batches in a schema's types.

    Raises: ArrowInvalid where a file holds what the schema can't; pyarrow itself raises a bare ValueError for nulls.
    """
    for batch in batches:
        try:
            yield batch.cast(schema)
        except ValueError as error:
            raise pa.ArrowInvalid(str(error)) from error


def batches_of_file(
    file: str, schema: pa.Schema, name: str, values: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """The rows of one data file whose column has one of these texts. Without the table's log: deltalake opens no table
    while it writes one."""
    of = pc.field(name)  # a span besides, which statistics answer
    wanted = of.isin(pa.array(list(values), pa.string())) & (of >= min(values)) & (of <= max(values))
    system, inner = filesystem(file) if "://" in file else (None, file)
    rows = ds.dataset(inner, schema=schema, format="parquet", filesystem=system)
    return (batch for batch in few_batches(rows, schema.names, wanted) if batch.num_rows)


def distinct(path: str, column: str) -> set[Any]:
    """The values of a table's column; no more than those are held at once."""
    batches = batches_where(path, [column], pc.scalar(True))
    return {value for batch in batches for value in pc.unique(batch.column(column)).to_pylist()}


def count_where(path: str, filters: Filters) -> int:
    """How many rows of a table pass, read batch by batch."""
    return int(open_table(path).dataset.count_rows(filter=pq.filters_to_expression(filters)))


def files_of(path: str, names: Collection[str], version: int | None = None) -> ds.FileSystemDataset:
    """Some of a table's files, as Arrow names them (its field __filename)."""
    whole = open_table(path, version).dataset
    some = [fragment for fragment in whole.get_fragments() if fragment.path in names]
    return ds.FileSystemDataset(some, whole.schema, whole.format, whole.filesystem)


def from_offsets(path: str, columns: Sequence[str], begins: Mapping[str, int]) -> pa.Table:
    """The rows of each source from an offset on. Only the few files that hold any are read in full."""
    least = min(begins.values(), default=0)
    is_there = (pc.field("offset") >= least) & pc.field("source_id").isin(pa.array(list(begins), pa.string()))
    places = open_table(path).dataset.to_table(["source_id", "offset", "__filename"], filter=is_there)
    holding = frozenset(_from(begins, places)["__filename"].to_pylist())
    return _from(begins, files_of(path, holding).to_table(list(columns), filter=is_there))


def _from(begins: Mapping[str, int], rows: pa.Table) -> pa.Table:
    begin = pa.array([begins[one] for one in rows["source_id"].to_pylist()], pa.int64())
    return rows.filter(pc.greater_equal(rows["offset"], begin))
