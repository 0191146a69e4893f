"""What a table promises: grain, key, columns. Tables, frames, suites and docs/tables.md come from here."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa

from expectations.expect import Expectation, present, unique

# A column is a line, as in CREATE TABLE: name TYPE [NOT NULL] COMMENT '...'; a quote in it is doubled.
_COLUMN = re.compile(
    r"^(?P<name>[a-z][a-z0-9_]*)\s+(?P<type>[A-Z]+(?:<[A-Z, ]+>)?)(?P<required>\s+NOT\s+NULL)?"
    r"\s+COMMENT\s+'(?P<comment>(?:[^']|'')+)'\s*,?$"
)

_ARROW_TYPES: dict[str, pa.DataType] = {
    "STRING": pa.string(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "TIMESTAMP": pa.timestamp("us", tz="UTC"),
    "ARRAY<STRING>": pa.list_(pa.string()),
    "MAP<STRING, STRING>": pa.map_(pa.string(), pa.string()),
    "MAP<STRING, BIGINT>": pa.map_(pa.string(), pa.int64()),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `type` is written as in SQL; timestamps are UTC."""

    name: str
    type: str
    is_required: bool
    comment: str


@dataclass(frozen=True)
class TableContract:
    """A table of the lake.

    name: `schema.table`. grain: what a row is, in words. key: columns that no two rows share.
    columns: one a line, `name TYPE [NOT NULL] COMMENT '...'`; read it through the methods.
    replaced_by: rows of one value of it are replaced together; empty where rows are added or merged by key.
    clustered_by: what the files are ordered by. volatile: columns that may differ between runs that agree.
    expect: what is expected beyond what key and NOT NULL already say.
    added: columns that a lake of an earlier release has not; they may be null, and the next run adds them.
    is_added: a lake of an earlier release has not the table; the next run makes it, and empty it says what is so.
    """

    name: str
    grain: str
    key: tuple[str, ...]
    columns: str
    replaced_by: str = ""
    clustered_by: tuple[str, ...] = ()
    expect: tuple[Expectation, ...] = ()
    volatile: frozenset[str] = field(default_factory=frozenset)
    added: frozenset[str] = field(default_factory=frozenset)
    is_added: bool = False

    def __post_init__(self) -> None:
        named = (
            *self.key, *self.clustered_by, *self.volatile, *self.added, *filter(None, (self.replaced_by,)),
        )  # fmt: skip
        unknown = sorted(set(named) - set(self.column_names))
        if unknown:
            raise ValueError(f"{self.name}: {', '.join(unknown)} is named but is no column")
        required = sorted(
            column.name for column in self.fields if column.is_required and column.name in self.added
        )
        if required:
            raise ValueError(
                f"{self.name}: {', '.join(required)} is added later and must be allowed to be null"
            )

    @cached_property
    def fields(self) -> tuple[Column, ...]:
        """The columns, in order.

        Raises: ValueError where a line is no column or a name stands twice.
        """
        lines = [line.strip() for line in self.columns.strip().splitlines() if line.strip()]
        found = tuple(_column(self.name, line) for line in lines)
        names = [column.name for column in found]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"{self.name}: {', '.join(twice)} stands twice")
        return found

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(column.name for column in self.fields)

    @property
    def instants(self) -> tuple[str, ...]:
        """The TIMESTAMP columns: whole ms since the epoch in `transforms`, timestamps in the lake."""
        return tuple(column.name for column in self.fields if column.type == "TIMESTAMP")

    @property
    def stable_columns(self) -> tuple[str, ...]:
        """The columns in which two runs over the same input must agree."""
        return tuple(name for name in self.column_names if name not in self.volatile)

    @property
    def expectations(self) -> tuple[Expectation, ...]:
        """All that is expected of its rows: the key, NOT NULL, and `expect`."""
        required = tuple(present(column.name) for column in self.fields if column.is_required)
        return (unique(self.key), *required, *self.expect)

    def comment_of(self, column: str) -> str:
        """What the column holds."""
        return next(found.comment for found in self.fields if found.name == column)

    def arrow_schema(self) -> pa.Schema:
        """The schema for Arrow and deltalake; comments travel as field metadata, where Delta keeps them."""
        return pa.schema(
            [
                pa.field(
                    column.name,
                    _ARROW_TYPES[column.type],
                    nullable=not column.is_required,
                    metadata={"comment": column.comment},
                )
                for column in self.fields
            ]
        )

    def arrow_table(self, rows: list[dict[str, Any]]) -> pa.Table:
        """Rows as `transforms` makes them (instants in whole ms) as an Arrow table of this contract.

        A missing key is a null. Raises: ValueError for a column the contract does not have.
        """
        unknown = sorted({name for row in rows for name in row} - set(self.column_names))
        if unknown:
            raise ValueError(f"{self.name} has no column {', '.join(unknown)}")
        schema = self.arrow_schema()
        arrays = []
        for target in schema:
            values = [row.get(target.name) for row in rows]
            if pa.types.is_timestamp(target.type):
                arrays.append(pa.array(values, pa.timestamp("ms", tz="UTC")).cast(target.type))
            elif pa.types.is_map(target.type):
                pairs = [None if value is None else list(value.items()) for value in values]
                arrays.append(pa.array(pairs, target.type))
            else:
                arrays.append(pa.array(values, target.type))
        return pa.Table.from_arrays(arrays, schema=schema)


TABLES: dict[str, TableContract] = {}


def table(contract: TableContract) -> TableContract:
    """Register a contract under its name.

    Raises: ValueError where the name is taken.
    """
    if contract.name in TABLES:
        raise ValueError(f"{contract.name} is registered already")
    TABLES[contract.name] = contract
    return contract


def _column(table_name: str, line: str) -> Column:
    match = _COLUMN.match(line)
    if match is None or match["type"] not in _ARROW_TYPES:
        raise ValueError(f"{table_name}: {line!r} is no column; write: name TYPE [NOT NULL] COMMENT '...'")
    return Column(match["name"], match["type"], bool(match["required"]), match["comment"].replace("''", "'"))
