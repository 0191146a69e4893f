"""Rows that Spark's tasks put into files themselves: of many tables from one pass, each in files of its own.

The way of staged rows from Python through the JVM into a file cost more than making them (docs/decisions/0006).
What comes back is one row a file. A task that is tried again leaves files that nobody names, and so nobody reads.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, Row

from jobs.inputs.places import error_of_task
from jobs.storage import arrow_files, memory
from jobs.storage.row_source import RowSource, of_files

# path: of a staged file; note: JSON that a task says beside its rows, such as a chunk's account (then path is null).
MANIFEST = "name string, path string, rows long, note string"

# So little is done in the driver's process: a job of Spark's takes longer than the work.
HERE_ROWS = 10_000
HERE_BYTES = 2 << 20
HERE_FILES = 8

Batches = Iterator[pa.RecordBatch]
Schemas = Mapping[str, pa.Schema]


@dataclass(frozen=True, slots=True)
class Note:
    """Something small that a task tells the driver: a name and JSON."""

    name: str
    text: str


# A row of the manifest.
Entry = tuple[str, str | None, int, str | None]
# A task: batches in; (name of the rows, batch) or a note out.
Task = Callable[[Batches], Iterator[tuple[str, pa.RecordBatch] | Note]]


@dataclass(frozen=True, slots=True)
class Staged:
    """What tasks put aside: files and number of rows by name, and their notes by name. RowSource not named are not there."""

    schemas: Schemas
    files: Mapping[str, list[str]]
    rows: Mapping[str, int]
    notes: Mapping[str, list[str]]

    def of(self, name: str) -> RowSource:
        """The rows of one name."""
        return of_files(self.schemas[name], self.files.get(name, ()), self.rows.get(name, 0))


def stage(frame: DataFrame, task: Task, schemas: Schemas, folder: Path) -> Staged:
    """Run the task once over the frame; its rows are in files under `folder` when this is over.

    folder: seen under this path by the driver and by every executor, as the lake is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    manifest = collected(frame.mapInArrow(_writing(task, schemas, folder), MANIFEST))
    return _staged(schemas, [(row.name, row.path, row.rows, row.note) for row in manifest])


def collected(frame: DataFrame) -> list[Row]:
    """The rows that tasks make of input.

    Raises: StoreAway and PermissionError where one of them did, as itself and not as Spark's text of it.
    """
    try:
        return frame.collect()
    except PythonException as error:
        cause = error_of_task(str(error))
        if cause is None:
            raise
        raise cause from None


def stage_here(batches: Iterable[pa.RecordBatch], task: Task, schemas: Schemas, folder: Path) -> Staged:
    """The same in this process, for so few rows that a job of Spark's takes longer."""
    folder.mkdir(parents=True, exist_ok=True)
    return _staged(schemas, _put_aside(task(iter(batches)), schemas, folder))


def joined(parts: Sequence[Staged], schemas: Schemas) -> Staged:
    """What several reads put aside, as one."""
    files: dict[str, list[str]] = {}
    rows: dict[str, int] = {}
    notes: dict[str, list[str]] = {}
    for part in parts:
        for name, paths in part.files.items():
            files.setdefault(name, []).extend(paths)
            rows[name] = rows.get(name, 0) + part.rows[name]
        for name, texts in part.notes.items():
            notes.setdefault(name, []).extend(texts)
    return Staged(schemas, files, rows, notes)


def instead(staged: Staged, tables: Mapping[str, pa.Table], folder: Path) -> Staged:
    """The same with other rows of these names."""
    files, rows = dict(staged.files), dict(staged.rows)
    for name, table in tables.items():
        path = arrow_files.place(folder, name)
        arrow_files.write(path, table)
        files[name], rows[name] = [path], table.num_rows
    return Staged(staged.schemas, files, rows, staged.notes)


def _staged(schemas: Schemas, manifest: Iterable[Entry]) -> Staged:
    files: dict[str, list[str]] = defaultdict(list)
    rows: dict[str, int] = defaultdict(int)
    notes: dict[str, list[str]] = defaultdict(list)
    for name, path, count, note in manifest:
        if path is not None:
            files[name].append(path)
            rows[name] += count
        elif note is not None:
            notes[name].append(note)
    return Staged(schemas, dict(files), dict(rows), dict(notes))


def _writing(task: Task, schemas: Schemas, folder: Path) -> Callable[[Batches], Batches]:
    def write(batches: Batches) -> Batches:
        memory.of_a_task()
        entries = _put_aside(task(batches), schemas, folder)
        columns = list(zip(*entries, strict=True)) or [()] * 4
        kinds = (pa.string(), pa.string(), pa.int64(), pa.string())
        yield pa.RecordBatch.from_arrays(
            [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)],
            names=["name", "path", "rows", "note"],
        )

    return write


def _put_aside(
    made: Iterable[tuple[str, pa.RecordBatch] | Note], schemas: Schemas, folder: Path
) -> list[Entry]:
    writers: dict[str, pa.ipc.RecordBatchFileWriter] = {}
    paths: dict[str, str] = {}
    rows: dict[str, int] = defaultdict(int)
    entries: list[Entry] = []
    try:
        for one in made:
            if isinstance(one, Note):
                entries.append((one.name, None, 0, one.text))
                continue
            name, batch = one
            if name not in writers:
                paths[name] = arrow_files.place(folder, name)
                writers[name] = arrow_files.writer(paths[name], schemas[name])
            writers[name].write_batch(batch)
            rows[name] += batch.num_rows
    finally:
        for writer in writers.values():
            writer.close()
    return entries + [(name, path, rows[name], None) for name, path in paths.items()]
