"""Reading a table of the lake: Delta by deltalake and Arrow, no Spark. The other modules here ask through this one.

Every answer says how it came about: an empty table, a missing one and a failed query never look the same.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from pyarrow import ArrowException
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from expectations import TABLES

# A row of a table; instants in ms since the epoch, UTC.
Row = Mapping[str, Any]
# (column, operator, value), operator one of = != < <= > >= in contains null some. Instants in ms; contains: a text within,
# in any case; null: True or False; some: a list that is not empty.
Where = tuple[str, str, Any]

# No page shows more rows at once; it says how many there are.
MOST_ROWS = 5_000
ID = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows, or why there are none. state: `ok`, `no_lake`, `missing` (table not written yet) or `failed`.

    total: rows there are, of which `rows` are some. problem: what failed, in a sentence.
    """

    state: str
    rows: list[Row] = field(default_factory=list)
    total: int = 0
    problem: str | None = None


class Lake:
    """The tables under one folder, as they are at each question."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(
        self,
        table: str,
        columns: Sequence[str] | None = None,
        where: Sequence[Where] = (),
        order: Sequence[tuple[str, str]] = (),
        limit: int = MOST_ROWS,
        offset: int = 0,
    ) -> Answer:
        """One page of the rows for which all of `where` holds.

        columns: all of the contract by default. order: (column, `ascending` or `descending`), nulls last. total of the
        answer: all rows that `where` leaves.
        """
        names = list(columns or TABLES[table].column_names)
        wanted = list(dict.fromkeys([*names, *(name for name, _ in order)]))
        return self._answered(
            table, lambda: _page(self._scan(table, wanted, where), names, order, limit, offset)
        )

    def count_by(self, table: str, columns: Sequence[str], where: Sequence[Where] = ()) -> Answer:
        """How many rows there are of each combination of `columns`: these, and `rows`; the most first."""

        def counted() -> tuple[list[Row], int]:
            groups = (
                self._scan(table, list(columns), where).group_by(list(columns)).aggregate([([], "count_all")])
            )
            found = groups.rename_columns([*columns, "rows"]).sort_by([("rows", "descending")])
            return _rows(found), found.num_rows

        return self._answered(table, counted)

    def shaped(
        self,
        table: str,
        columns: Sequence[str],
        where: Sequence[Where],
        shape: Callable[[pa.Table], pa.Table],
    ) -> Answer:
        """What a function of Arrow makes of the rows that `where` leaves: sums, groups, a few of many."""

        def made() -> tuple[list[Row], int]:
            found = shape(self._scan(table, columns, where))
            return _rows(found), found.num_rows

        return self._answered(table, made)

    def by_id(self, table: str, column: str, wanted: str) -> Answer:
        """The rows with this id; none where it is no id."""
        return self.read(table, where=[(column, "=", wanted)]) if ID.fullmatch(wanted) else Answer("ok")

    def among(self, table: str, column: str, ids: Iterable[str]) -> list[Row]:
        """The rows with one of these ids."""
        wanted = [one for one in ids if ID.fullmatch(one)]
        return self.read(table, where=[(column, "in", wanted)]).rows if wanted else []

    def largest(self, table: str, column: str) -> int | None:
        """The largest instant of a column, from the files' statistics: no row is read. None where nothing says it."""
        try:
            actions = self._open(table).get_add_actions(flatten=True) if self._is_there(table) else None
        except (DeltaError, OSError):
            return None
        if actions is None or f"max.{column}" not in actions.schema.names:
            return None
        index = actions.schema.names.index(f"max.{column}")
        found = [at for at in actions.column(index).to_pylist() if at is not None]
        return _ms(max(found)) if found else None

    def version(self) -> str:
        """Another text whenever a table has changed."""
        logs = (self.root.joinpath(*table.split("."), "_delta_log") for table in TABLES)
        newest = (
            max((file.name for file in log.glob("*.json")), default="") if log.is_dir() else ""
            for log in logs
        )
        return "-".join(name.removesuffix(".json").lstrip("0") for name in newest)

    def _scan(self, table: str, names: Sequence[str], where: Sequence[Where]) -> pa.Table:
        # Arrow's own file system: deltalake's is Python, slower, and unsafe in threads that outlive the interpreter.
        files = SubTreeFileSystem(self._path(table), LocalFileSystem())
        dataset = self._open(table).to_pyarrow_dataset(filesystem=files)
        return dataset.to_table(columns=list(names), filter=_expression(table, where))

    def _answered(self, table: str, ask: Any) -> Answer:
        if not self.root.is_dir():
            return Answer("no_lake", problem=f"there is no folder {self.root}")
        try:
            if not self._is_there(table):
                return Answer("missing", problem=f"{table} has not been written yet")
            rows, total = ask()
        except (DeltaError, ArrowException, OSError, ValueError, KeyError) as failure:
            return Answer("failed", problem=f"{table}: {type(failure).__name__}: {failure}")
        return Answer("ok", rows, total)

    def _path(self, table: str) -> str:
        return str(self.root.joinpath(*table.split(".")))

    def _is_there(self, table: str) -> bool:
        return bool(DeltaTable.is_deltatable(self._path(table)))

    def _open(self, table: str) -> DeltaTable:
        return DeltaTable(self._path(table))


def _page(
    found: pa.Table, names: Sequence[str], order: Sequence[tuple[str, str]], limit: int, offset: int
) -> tuple[list[Row], int]:
    if order:
        found = found.take(pc.sort_indices(found, sort_keys=list(order)))
    return _rows(found.slice(offset, limit).select(list(names))), found.num_rows


def _expression(table: str, where: Sequence[Where]) -> pc.Expression | None:
    types = TABLES[table].arrow_schema()
    return reduce(and_, (_condition(*one, types.field(one[0]).type) for one in where)) if where else None


def _condition(column: str, operator: str, value: Any, kind: pa.DataType) -> pc.Expression:
    field_, plain = pc.field(column), pa.types.is_timestamp(kind)

    def of_kind(one: Any) -> pa.Scalar:
        return pa.scalar(datetime.fromtimestamp(one / 1000, UTC) if plain else one, kind)

    match operator:
        case "some":
            return pc.list_value_length(field_) > 0
        case "in":
            return field_.isin(pa.array([of_kind(one).as_py() for one in value], kind))
        case "contains":
            return pc.match_substring(field_, value, ignore_case=True)
        case "null":
            return field_.is_null() if value else field_.is_valid()
        case "meets":
            end, since, until = value
            bounds = (None if bound is None else of_kind(bound) for bound in (since, until))
            return _meets(field_, pc.field(end), *bounds)
    compared = {"=": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
    made: pc.Expression = getattr(field_, compared[operator])(of_kind(value))
    return made


def _meets(
    start: pc.Expression, end: pc.Expression, since: pa.Scalar | None, until: pa.Scalar | None
) -> pc.Expression:
    """An episode under way in the window: with an unknown end it goes on, with an unknown start it is its end."""
    found = start.is_valid() | end.is_valid()
    if since is not None:
        found = found & ((end >= since) | end.is_null())
    if until is not None:
        found = found & (pc.coalesce(start, end) <= until)
    return found


def _rows(found: pa.Table) -> list[Row]:
    return [
        {name: _ms(value) if isinstance(value, datetime) else value for name, value in row.items()}
        for row in found.to_pylist()
    ]


def _ms(at: datetime) -> int:
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)
