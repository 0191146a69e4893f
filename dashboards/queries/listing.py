"""What the pages of large tables ask: one page of the rows that a filter leaves, and how many there are."""

from collections.abc import Sequence

from dashboards.queries.base import Answer, LakeReader
from dashboards.queries.filters import BY_PROCESS, Filter, Sorting, conditions
from dashboards.queries.sql import Where


def page(
    lake: LakeReader,
    table: str,
    narrowed: Filter,
    sorting: Sorting,
    columns: Sequence[str] | None = None,
    offset: int = 0,
    limit: int = 50,
) -> Answer:
    """So many rows of the filter in this order, from `offset` on; total of the answer: all that the filter leaves."""
    return lake.read(table, columns, _where(lake, table, narrowed), sorting.by, limit, offset)


def counts(lake: LakeReader, table: str, column: str, narrowed: Filter) -> dict[str, int]:
    """Rows of the filter by the values of a column."""
    found = lake.count_by(table, [column], _where(lake, table, narrowed))
    return {row[column]: row["rows"] for row in found.rows}


def total(lake: LakeReader, table: str, column: str, narrowed: Filter) -> int | None:
    """The sum of a column over the rows of the filter; None where the table can't be read."""
    found = lake.count_by(table, [column], _where(lake, table, narrowed))
    return sum(row[column] * row["rows"] for row in found.rows) if found.state == "ok" else None


def versions(lake: LakeReader) -> list[str]:
    """The client versions that were seen, the newest first."""
    return sorted(of_process(lake, "version"), key=_numbers, reverse=True)


def of_process(lake: LakeReader, name: str) -> set[str]:
    """The values of a field of BY_PROCESS that were seen."""
    table, column = BY_PROCESS[name]
    return {row[column] for row in lake.count_by(table, [column]).rows} - {None}


def _where(lake: LakeReader, table: str, narrowed: Filter) -> list[Where]:
    made: list[Where] = [*conditions(narrowed, table)]
    for name, (says, column) in BY_PROCESS.items():
        if (value := getattr(narrowed, name)) is None:
            continue
        units = lake.count_by(says, ["unit_id"], [(column, "=", value)]).rows
        made.append(("unit_id", "in", sorted(row["unit_id"] for row in units)))
    return made


def _numbers(version: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in version.split("."))
