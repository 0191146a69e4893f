"""Questions as SQL text for DataFusion. Names come from the contracts alone, values are literals: log text is never SQL."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from expectations import TABLES

# (column, operator, value), operator one of = != < <= > >= in contains null some meets. Instants in ms; contains: a text
# within, in any case; null: True or False; some: a list that is not empty; meets: (end column, since, until), an episode
# that was under way in the window: with an unknown end it goes on, with an unknown start it is its end.
Where = tuple[str, str, Any]
Order = Sequence[tuple[str, str]]

COMPARED = frozenset({"=", "!=", "<", "<=", ">", ">="})
DIRECTIONS = {"ascending": "ASC", "descending": "DESC"}


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
) -> str:
    """Rows; nulls last in either direction.

    Raises: ValueError for a column that the table has not, or an operator that there is not.
    """
    named = ", ".join(_column(table, name) for name in columns)
    keys = ", ".join(f"{_column(table, name)} {DIRECTIONS[how]} NULLS LAST" for name, how in order)
    parts = [f"SELECT {named} FROM {inner(table)}", _where(table, where)]
    parts += [f"ORDER BY {keys}"] if keys else []
    parts += [] if limit is None else [f"LIMIT {limit:d} OFFSET {offset:d}"]
    return " ".join(part for part in parts if part)


def count(table: str, where: Sequence[Where] = ()) -> str:
    """How many rows, as `rows`."""
    return f"SELECT count(*) AS rows FROM {inner(table)} {_where(table, where)}".rstrip()


def grouped(table: str, columns: Sequence[str], where: Sequence[Where] = ()) -> str:
    """The combinations of columns with their `rows`, the most first."""
    named = ", ".join(_column(table, name) for name in columns)
    return (
        f"SELECT {named}, count(*) AS rows FROM {inner(table)} {_where(table, where)} "
        f"GROUP BY {named} ORDER BY rows DESC, {named}"
    )


def _where(table: str, where: Sequence[Where]) -> str:
    return "WHERE " + " AND ".join(_condition(table, *one) for one in where) if where else ""


def _condition(table: str, name: str, operator: str, value: Any) -> str:
    column = _column(table, name)
    kind = TABLES[table].arrow_schema().field(name).type
    match operator:
        case "in":
            return f"{column} IN ({', '.join(_literal(one, kind) for one in value)})" if value else "false"
        case "contains":
            return f"strpos(lower({column}), {_literal(str(value).lower(), pa.string())}) > 0"
        case "null":
            return f"{column} IS {'' if value else 'NOT '}NULL"
        case "some":
            return f"cardinality({column}) > 0"
        case "meets":
            end, since, until = value
            return _meets(column, _column(table, end), since, until, kind)
    if operator not in COMPARED:
        raise ValueError(f"{operator!r} is no operator")
    return f"{column} {operator} {_literal(value, kind)}"


def _meets(start: str, end: str, since: int | None, until: int | None, kind: pa.DataType) -> str:
    parts = [f"({start} IS NOT NULL OR {end} IS NOT NULL)"]
    if since is not None:
        parts.append(f"({end} >= {_literal(since, kind)} OR {end} IS NULL)")
    if until is not None:
        parts.append(f"coalesce({start}, {end}) <= {_literal(until, kind)}")
    return " AND ".join(parts)


def _column(table: str, name: str) -> str:
    if name not in TABLES[table].column_names:
        raise ValueError(f"{table} has no column {name!r}")
    return f'"{name}"'


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
