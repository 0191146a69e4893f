"""Rows that tasks put into files themselves: of many tables from one pass, each in files of its own.

What comes back is one row a file (docs/decisions/0006). A task that is tried again leaves files that nobody names, and so
nobody reads.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from expectations.place import LakePlace
from jobs.engine import arrow_files
from jobs.engine.row_source import RowSource, of_files
from transforms.tasks import Note, Put

Schemas = Mapping[str, pa.Schema]


# What a task puts aside: the name of rows, their file, how many there are, and None; or a note's name, None, 0 and its text.
Entry = tuple[str, str | None, int, str | None]


@dataclass(frozen=True, slots=True)
class Staged:
    """What tasks put aside, by name: files with the number of their rows, and notes. Rows not named are not there."""

    schemas: Schemas
    files: Mapping[str, list[tuple[str, int]]]
    notes: Mapping[str, list[str]]

    def of(self, name: str) -> RowSource:
        """The rows of one name."""
        return of_files(self.schemas[name], self.files.get(name, ()))

    def count(self, name: str) -> int:
        """How many rows of one name there are."""
        return sum(rows for _, rows in self.files.get(name, ()))


def staged(schemas: Schemas, manifest: Iterable[Entry]) -> Staged:
    """What entries of tasks come to."""
    files: dict[str, list[tuple[str, int]]] = defaultdict(list)
    notes: dict[str, list[str]] = defaultdict(list)
    for name, path, count, note in manifest:
        if path is not None:
            files[name].append((path, count))
        elif note is not None:
            notes[name].append(note)
    return Staged(schemas, dict(files), dict(notes))


def stage_here(made: Put, schemas: Schemas, folder: LakePlace) -> Staged:
    """Put aside what is made in this process."""
    return staged(schemas, put_aside(made, schemas, folder))


def joined(parts: Sequence[Staged], schemas: Schemas) -> Staged:
    """What several reads put aside, as one."""
    files: dict[str, list[tuple[str, int]]] = {}
    notes: dict[str, list[str]] = {}
    for part in parts:
        for name, some in part.files.items():
            files.setdefault(name, []).extend(some)
        for name, texts in part.notes.items():
            notes.setdefault(name, []).extend(texts)
    return Staged(schemas, files, notes)


def instead(old: Staged, tables: Mapping[str, pa.Table], folder: LakePlace) -> Staged:
    """What was put aside, with other rows under these names."""
    files = dict(old.files)
    for name, table in tables.items():
        files[name] = [(arrow_files.write(folder, name, table), table.num_rows)]
    return Staged(old.schemas, files, old.notes)


def put_aside(made: Put, schemas: Schemas, folder: LakePlace) -> list[Entry]:
    """Write what a task makes into files under `folder`."""
    arrow_files.make(folder)
    writers: dict[str, arrow_files.BatchWriter] = {}
    entries: list[Entry] = []
    try:
        for one in made:
            if isinstance(one, Note):
                entries.append((one.name, None, 0, one.text))
                continue
            name, batch = one
            if name not in writers:
                writers[name] = arrow_files.BatchWriter(arrow_files.place(folder, name), schemas[name])
            writers[name].write(batch)
    finally:
        for writer in writers.values():
            writer.close()
    return entries + [(name, writer.path, writer.rows, None) for name, writer in writers.items()]
