"""Rows that a run puts aside for itself, in Arrow's own files: half the time of Parquet, to write and to read.

They lie on a disk that all tasks see, or are objects of a store (docs/decisions/0044).
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa

from expectations.place import LakePlace
from jobs.inputs.places import open_input, open_output, telling
from transforms.tasks import ROWS_AT_ONCE

OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")
# A batch of one row costs as much memory as one of a thousand: small ones are put together, up to so many rows or batches.
FEW_ROWS, MOST_WAITING = 1024, 256
# Of an object that is read by one request, and held while it is.
WHOLE_BYTES = 1 << 26


def make(folder: LakePlace) -> None:
    """A folder of a disk, where it is missing. Prefixes of a store need not be made."""
    if isinstance(folder, Path):
        folder.mkdir(parents=True, exist_ok=True)


def place(folder: LakePlace, name: str, kind: str = "arrow") -> str:
    """Where a new file goes; no two are the same."""
    return str(folder / f"{name}-{uuid4().hex}.{kind}")


class Writer:
    """Writes batches into a new file.

    Raises: of an object PermissionError, StoreAway.
    """

    def __init__(self, path: str, schema: pa.Schema) -> None:
        self._path, self._object = path, open_output(path) if "://" in path else None
        self._file = pa.ipc.new_file(path if self._object is None else self._object, schema, options=OPTIONS)

    def _telling(self) -> AbstractContextManager[None]:
        return nullcontext() if self._object is None else telling(self._path)

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write the next batch."""
        with self._telling():
            self._file.write_batch(batch)

    def write_table(self, table: pa.Table, max_chunksize: int | None = None) -> None:
        """Write the batches of a table."""
        with self._telling():
            self._file.write_table(table, max_chunksize)

    def close(self) -> None:
        """Write the file's end: an object is there afterwards."""
        with self._telling():
            self._file.close()
            if self._object is not None:
                self._object.close()


class BatchWriter:
    """Writes the batches of one name into a new file, small ones together, in their order."""

    def __init__(self, path: str, schema: pa.Schema) -> None:
        self.path, self.rows = path, 0
        self._file = Writer(path, schema)
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Take the next batch."""
        self.rows += batch.num_rows
        self._waiting.append(batch)
        self._waiting_rows += batch.num_rows
        if self._waiting_rows >= FEW_ROWS or len(self._waiting) >= MOST_WAITING:
            self._put()

    def close(self) -> None:
        """Write what waits."""
        try:
            self._put()
        finally:
            self._file.close()

    def _put(self) -> None:
        waiting, self._waiting, self._waiting_rows = self._waiting, [], 0
        if len(waiting) == 1:
            self._file.write_batch(waiting[0])
        elif waiting:
            self._file.write_table(pa.Table.from_batches(waiting).combine_chunks())


def write(folder: LakePlace, name: str, rows: pa.Table) -> str:
    """Put rows into a new file; gives where it is."""
    make(folder)
    path = place(folder, name)
    with closing(Writer(path, rows.schema)) as file:
        file.write_table(rows, ROWS_AT_ONCE)
    return path


def write_bytes(folder: LakePlace, name: str, content: bytes) -> str:
    """Put anything else into a new file; gives where it is, for open_input."""
    make(folder)
    path = place(folder, name, "bin")
    if "://" not in path:
        Path(path).write_bytes(content)
        return path
    with telling(path), open_output(path) as file:
        file.write(content)
    return path


def batches_of(path: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """A file's rows, or some columns of them."""
    with _source(path) as file:
        opened = pa.ipc.open_file(file)
        if columns is not None:
            numbers = [opened.schema.get_field_index(name) for name in columns]
            opened = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=numbers))
        for number in range(opened.num_record_batches):
            yield opened.get_batch(number)


def batch_at(path: str, number: int) -> pa.RecordBatch:
    """One of a file's batches, and nothing else of it."""
    with pa.PythonFile(open_input(path)) as file:
        return pa.ipc.open_file(file).get_batch(number)


def table_of(path: str) -> pa.Table:
    """All rows of a file."""
    with _source(path) as file:
        return pa.ipc.open_file(file).read_all()


def _source(path: str) -> Any:
    """An object as a whole, as each read of it is a request; a large one by requests."""
    if "://" not in path:
        return pa.OSFile(path)
    file = open_input(path)
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    if size > WHOLE_BYTES:
        return pa.PythonFile(file)
    with file:
        return pa.BufferReader(file.read())
