"""Log records by column: what a whole block is read into, as an object for each record costs more than to read it."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from transforms.records import LogRecord

FIELDS = tuple(field.name for field in fields(LogRecord))
NOTHING: dict[str, str] = {}  # what most records have beside their fields: one for all of them
_GETTERS = {name: attrgetter(name) for name in FIELDS}


class RecordColumns:
    """Records in order: a list for each field of LogRecord, all of one length."""

    __slots__ = ("columns",)

    def __init__(self, columns: dict[str, list[Any]] | None = None) -> None:
        self.columns: dict[str, list[Any]] = columns or {name: [] for name in FIELDS}

    def __len__(self) -> int:
        """How many records."""
        return len(self.columns["offset"])

    def __getitem__(self, number: int) -> LogRecord:
        """One of them as an object, its own."""
        record = LogRecord(*[column[number] for column in self.columns.values()])
        record.extra = dict(record.extra)
        return record

    def __iter__(self) -> Iterator[LogRecord]:
        """Each as an object."""
        return map(self.__getitem__, range(len(self)))

    def add(self, records: Sequence[LogRecord]) -> None:
        """Put records behind these."""
        for name, column in self.columns.items():
            column.extend(map(_GETTERS[name], records))

    def extend(self, others: "RecordColumns", begin: int = 0, end: int | None = None) -> None:
        """Put a part of others behind these."""
        for name, column in self.columns.items():
            column += others.columns[name][begin:end]
