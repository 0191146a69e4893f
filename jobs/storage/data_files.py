"""Data files of a table, written by tasks where the table lies; the driver commits them (docs/decisions/0025).

A task that is tried again, or whose plan is lost, leaves files that no commit names: nobody reads them, and jobs.upkeep
deletes them.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import WriterProperties
from deltalake.transaction import AddAction, RemoveAction
from pyarrow.fs import FileSystem, LocalFileSystem

from jobs.engine.row_source import Part
from jobs.inputs.places import filesystem
from transforms.tasks import Note, Put

ADDED = "added"
# Rows that lie together, which readers decode as one (by default they would be a million), and of one file. Of long rows no
# more than so many bytes are gathered.
ROW_GROUP, FILE_ROWS, GROUP_BYTES = 1 << 16, 1 << 19, 64 << 20
GROUPED = WriterProperties(compression="SNAPPY", max_row_group_size=ROW_GROUP)
# As many columns as Delta has statistics of, and so much of a text.
MOST_COLUMNS, MOST_TEXT = 32, 64


def writing(parts: Sequence[Part], schema: pa.Schema, table: str) -> Callable[[Iterator[str]], Put]:
    """Task: numbers of parts in; notes of the files that hold their rows out (added_by). table: where it lies."""
    plain = pa.schema([field.remove_metadata() for field in schema])

    def task(numbers: Iterator[str]) -> Put:
        batches = (batch.cast(plain) for number in numbers for batch in parts[int(number)].batches())
        system, folder = filesystem(table) if "://" in table else (LocalFileSystem(), table)
        for path in _written(batches, plain, system, folder):
            yield Note(ADDED, json.dumps(_added_file(system, path, plain)))

    return task


def added_by(notes: Sequence[str]) -> list[AddAction | RemoveAction]:
    """What a commit says of the files."""
    return [AddAction(partition_values={}, data_change=True, **json.loads(text)) for text in notes]


def _written(
    batches: Iterator[pa.RecordBatch], schema: pa.Schema, system: FileSystem, folder: str
) -> Iterator[str]:
    """Files of at most FILE_ROWS, a batch more or less."""
    writer, path, rows = None, None, 0
    held: list[pa.RecordBatch] = []
    try:
        for batch in batches:
            if writer is None:
                path = f"{folder}/part-{uuid4()}.parquet"
                writer = pq.ParquetWriter(path, schema, filesystem=system, compression="snappy")
            held.append(batch)
            rows += batch.num_rows
            if (
                sum(one.num_rows for one in held) >= ROW_GROUP
                or sum(one.nbytes for one in held) >= GROUP_BYTES
            ):
                writer.write_table(pa.Table.from_batches(held, schema))
                held = []
            if rows >= FILE_ROWS:
                _close(writer, held, schema)
                assert path is not None
                yield path
                writer, path, rows, held = None, None, 0, []
    finally:
        if writer is not None:
            _close(writer, held, schema)
    if path is not None:
        yield path


def _close(writer: pq.ParquetWriter, held: list[pa.RecordBatch], schema: pa.Schema) -> None:
    if held:
        writer.write_table(pa.Table.from_batches(held, schema))
    writer.close()


def _added_file(system: FileSystem, path: str, schema: pa.Schema) -> dict[str, Any]:
    info = system.get_file_info(path)
    return {
        "path": info.base_name,
        "size": info.size,
        "modification_time": info.mtime_ns // 1_000_000,
        "stats": json.dumps(statistics_of(pq.read_metadata(path, filesystem=system), schema)),
    }


def statistics_of(found: pq.FileMetaData, schema: pa.Schema) -> dict[str, Any]:
    """A file's statistics as Delta's log has them: least and largest value and number of nulls, by column."""
    names = set(schema.names[:MOST_COLUMNS])
    least: dict[str, Any] = {}
    most: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    for number in range(found.num_columns):
        name = found.schema.column(number).path
        if name not in names:
            continue
        groups = [found.row_group(at).column(number).statistics for at in range(found.num_row_groups)]
        if any(one is None or not one.has_null_count for one in groups):
            continue
        nulls[name] = sum(one.null_count for one in groups)
        some = [one for one in groups if one.has_min_max]
        # A group that has none is all of nulls, else nothing is known of the file.
        if some and all(one.has_min_max or not one.num_values for one in groups):
            least[name] = _as_json(min(one.min for one in some), is_least=True)
            most[name] = _as_json(max(one.max for one in some), is_least=False)
    least, most = ({name: one for name, one in ends.items() if one is not None} for ends in (least, most))
    return {"numRecords": found.num_rows, "minValues": least, "maxValues": most, "nullCount": nulls}


def _as_json(value: Any, *, is_least: bool) -> Any:
    """None for what is not said: a largest text that is too long, bytes."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, str):
        return value if len(value) <= MOST_TEXT else (value[:MOST_TEXT] if is_least else None)
    if isinstance(value, bool | int):
        return value
    return None
