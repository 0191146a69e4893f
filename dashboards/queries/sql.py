"""Questions as SQL text with the values beside it. Names come from the contracts alone: log text is never SQL.

The text is DataFusion's dialect, its tables are named as `inner` says, its values are `:p0`, `:p1` and so on.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from expectations import TABLES

# (column, operator, value), operator one of = != < <= > >= in contains null some meets. Instants in ms; contains: a text
# within, in any case; null: True or False; some: a list that is not empty; meets: (end column, since, until), an episode
# under way in the window; without an end it goes on, unless its outcome says otherwise, without a start it is its end.
Where = tuple[str, str, Any]
# (column, `ascending` or `descending`), nulls last; or its values in the order that they come in, all others behind them.
Order = Sequence[tuple[str, str | tuple[str, ...]]]

COMPARED = frozenset({"=", "!=", "<", "<=", ">", ">="})
DIRECTIONS = {"ascending": "ASC", "descending": "DESC"}


@dataclass(frozen=True, slots=True)
class Value:
    """What stands for a parameter: one value, or for `IN` a tuple of some. Instants in ms. kind: the column's type."""

    given: Any
    kind: pa.DataType


@dataclass(frozen=True, slots=True)
class Question:
    """One SELECT of one table. values: of the parameters in `text`, by their number."""

    table: str
    text: str
    values: tuple[Value, ...] = ()


@dataclass(slots=True)
class _Asked:
    """The values of a question that is being written."""

    table: str
    values: list[Value] = field(default_factory=list)

    def parameter(self, given: Any, kind: pa.DataType) -> str:
        self.values.append(Value(given, kind))
        return f":p{len(self.values) - 1}"

    def question(self, text: str) -> Question:
        return Question(self.table, text.rstrip(), tuple(self.values))


def equal(**values: str | None) -> list[Where]:
    """Conditions that columns have these values, of those that are given."""
    return [(name, "=", value) for name, value in values.items() if value]


def inner(table: str) -> str:
    """The name a table is registered by: DataFusion's builder knows no schemas."""
    return table.replace(".", "__")


def select(
    table: str,
    columns: Sequence[str],
    where: Sequence[Where] = (),
    order: Order = (),
    limit: int | None = None,
    offset: int = 0,
) -> Question:
    """Rows in an order.

    Raises: ValueError for a column that the table has not, or an operator that there is not.
    """
    asked = _Asked(table)
    named = ", ".join(_column(table, name) for name in columns)
    parts = [f"SELECT {named} FROM {inner(table)}", _where(asked, where)]
    keys = ", ".join(_key(asked, *one) for one in order)
    parts += [f"ORDER BY {keys}"] if keys else []
    parts += [] if limit is None else [f"LIMIT {limit:d} OFFSET {offset:d}"]
    return asked.question(" ".join(part for part in parts if part))


def count(table: str, where: Sequence[Where] = ()) -> Question:
    """How many rows, as `rows`."""
    asked = _Asked(table)
    return asked.question(f"SELECT count(*) AS rows FROM {inner(table)} {_where(asked, where)}")


def grouped(table: str, columns: Sequence[str], where: Sequence[Where] = ()) -> Question:
    """The combinations of columns with their `rows`, the most first."""
    asked = _Asked(table)
    named = ", ".join(_column(table, name) for name in columns)
    return asked.question(
        f"SELECT {named}, count(*) AS rows FROM {inner(table)} {_where(asked, where)} "
        f"GROUP BY {named} ORDER BY rows DESC, {named}"
    )


def worst_groups(
    table: str,
    columns: Sequence[str],
    where: Sequence[Where],
    key: str,
    is_bad: tuple[str, str, int],
    limit: int,
) -> Question:
    """All rows of those groups by `key` that have the most bad rows, then the most rows; with the number of all, `of_all`.

    is_bad: a column, and one that it is below by more than so much.
    """
    asked = _Asked(table)
    named = ", ".join(_column(table, name) for name in columns)
    value, bound, grain = _column(table, is_bad[0]), _column(table, is_bad[1]), is_bad[2]
    by, condition = _column(table, key), _where(asked, where)
    groups = (
        f"SELECT {by} AS worst, sum(CASE WHEN {value} < {bound} - {grain:d} THEN 1 ELSE 0 END) AS bad, count(*) AS many, "
        f"count(*) OVER () AS of_all FROM {inner(table)} {condition} GROUP BY {by}"
    )
    worst = (
        f"SELECT worst, of_all FROM ({groups}) AS groups ORDER BY bad DESC, many DESC, worst LIMIT {limit:d}"
    )
    return asked.question(
        f"SELECT {named}, of_all FROM {inner(table)} JOIN ({worst}) AS first ON {by} = worst {condition}"
    )


def newest(table: str, column: str) -> Question:
    """The largest value of a column, as `newest`."""
    return _Asked(table).question(f"SELECT max({_column(table, column)}) AS newest FROM {inner(table)}")


def with_nulls(question: Question, columns: Sequence[str]) -> Question:
    """Asked of a table without these columns, as if all its rows had null there."""
    if not columns:
        return question
    table = inner(question.table)
    nulls = ", ".join(f'NULL AS "{name}"' for name in columns)
    rows = f"FROM (SELECT *, {nulls} FROM {table}) AS {table}"
    return replace(question, text=question.text.replace(f"FROM {table}", rows))


def with_literals(question: Question) -> str:
    """The text for a reader that takes no parameters: each is replaced once, and what is put in is not looked at again."""
    return re.sub(r":p(\d+)", lambda found: _literals(question.values[int(found[1])]), question.text)


def _key(asked: _Asked, name: str, how: str | tuple[str, ...]) -> str:
    column = _column(asked.table, name)
    if isinstance(how, str):
        return f"{column} {DIRECTIONS[how]} NULLS LAST"
    ranks = (f"WHEN {asked.parameter(one, pa.string())} THEN {rank}" for rank, one in enumerate(how))
    return f"CASE {column} {' '.join(ranks)} END ASC NULLS LAST"


def _where(asked: _Asked, where: Sequence[Where]) -> str:
    return "WHERE " + " AND ".join(_condition(asked, *one) for one in where) if where else ""


def _condition(asked: _Asked, name: str, operator: str, value: Any) -> str:
    column = _column(asked.table, name)
    kind = TABLES[asked.table].arrow_schema().field(name).type
    match operator:
        case "in":
            return f"{column} IN ({asked.parameter(tuple(value), kind)})" if value else "false"
        case "contains":
            return f"strpos(lower({column}), {asked.parameter(str(value).lower(), pa.string())}) > 0"
        case "null":
            return f"{column} IS {'' if value else 'NOT '}NULL"
        case "some":
            return f"cardinality({column}) > 0"
        case "meets":
            end, since, until = value
            return _meets(asked, column, _column(asked.table, end), since, until, kind)
    if operator not in COMPARED:
        raise ValueError(f"{operator!r} is no operator")
    return f"{column} {operator} {asked.parameter(value, kind)}"


def _meets(
    asked: _Asked, start: str, end: str, since: int | None, until: int | None, kind: pa.DataType
) -> str:
    parts = [f"({start} IS NOT NULL OR {end} IS NOT NULL)"]
    if since is not None:
        later = asked.parameter(since, kind)
        goes_on = "outcome = 'open'" if "outcome" in TABLES[asked.table].column_names else "true"
        parts.append(f"({end} >= {later} OR {end} IS NULL AND ({start} >= {later} OR {goes_on}))")
    if until is not None:
        parts.append(f"coalesce({start}, {end}) <= {asked.parameter(until, kind)}")
    return " AND ".join(parts)


def _column(table: str, name: str) -> str:
    if name not in TABLES[table].column_names:
        raise ValueError(f"{table} has no column {name!r}")
    return f'"{name}"'


def _literals(value: Value) -> str:
    given = value.given if isinstance(value.given, tuple) else (value.given,)
    return ", ".join(_literal(one, value.kind) for one in given)


def _literal(value: Any, kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return f"arrow_cast({int(value) * 1000:d}, 'Timestamp(Microsecond, Some(\"UTC\"))')"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no value to compare with")
    return "'" + value.replace("'", "''") + "'"
