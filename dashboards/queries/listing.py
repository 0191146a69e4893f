"""What the pages of large tables ask: one page of the rows that a filter leaves, and how many there are."""

from collections.abc import Sequence

from dashboards.filters import BY_PROCESS, Filter, Sorting, conditions
from dashboards.queries.base import Answer, LakeReader, Row, Where


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
    where = _where(lake, table, narrowed)
    if sorting.ranks is None:
        return lake.read(table, columns, where, sorting.by, limit, offset)
    counted = lake.count_by(table, [sorting.ranks[0]], where)
    if counted.state != "ok":
        return counted
    column, ranked = sorting.ranks
    sizes = {row[column]: row["rows"] for row in counted.rows}
    rows: list[Row] = []
    for value in (*ranked, *sorted(set(sizes) - set(ranked))):
        wanted, size = limit - len(rows), sizes.get(value, 0)
        if wanted > 0 and offset < size:
            of_value = [*where, (column, "=", value)]
            found = lake.read(table, columns, of_value, sorting.by, wanted, offset, is_counted=False)
            if found.state != "ok":
                return found
            rows += found.rows
        offset = max(0, offset - size)
    return Answer("ok", rows, sum(sizes.values()))


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
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in version.split("."))
