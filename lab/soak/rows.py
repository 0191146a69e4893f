"""A lake's rows without what may differ between runs that agree: what DESIGN calls batch = stream is compared by these."""

import json
from typing import Any

from expectations import TABLES
from expectations.place import LakePlace
from jobs.storage.lake_reads import read_arrow
from jobs.storage.table_cache import delta_table

# All rows of silver, violations, unjudged and incidents; the rest tells of runs.
COMPARED = (
    *(name for name in TABLES if name.startswith("silver.") and name != "silver.unit_states"),
    "gold.violations",
    "gold.unjudged",
    "gold.incidents",
    "bronze.log_records",
)


def rows_of(lake: LakePlace, table: str) -> list[str]:
    """The table's rows as sorted JSON, stable columns only."""
    found = read_arrow(str(lake.joinpath(*table.split("."))), TABLES[table].stable_columns).to_pylist()
    return sorted(json.dumps(row, default=str, sort_keys=True) for row in found)


def balanced_accounting(lake: LakePlace) -> list[dict[str, Any]]:
    """The rows of bronze.accounting.

    Raises: AssertionError for accounting that does not balance.
    """
    accounts, path = TABLES["bronze.accounting"], str(lake.joinpath("bronze", "accounting"))
    rows: list[dict[str, Any]] = read_arrow(path, accounts.column_names).to_pylist()
    for row in rows:
        for unit in ("lines", "bytes"):
            parts = [row[f"{unit}_{name}"] for name in ("in_records", "unparsed", "dropped")]
            assert row[f"{unit}_read"] == sum(parts), row["source"]
    return rows


def all_rows(lake: LakePlace) -> dict[str, list[str]]:
    """Every compared table's rows."""
    return {table: rows_of(lake, table) for table in COMPARED}


def differences(one: LakePlace, other: LakePlace) -> dict[str, tuple[int, int, list[str]]]:
    """Per table that differs: rows only in one, rows only in the other, the first few."""
    found = {}
    for table in COMPARED:
        left, right = rows_of(one, table), rows_of(other, table)
        if left != right:
            only_left, only_right = sorted(set(left) - set(right)), sorted(set(right) - set(left))
            found[table] = (len(only_left), len(only_right), [*only_left[:2], *only_right[:2]])
    return found


def versions(lake: LakePlace) -> dict[str, int]:
    """The Delta version of every table: equal versions mean no commit."""
    return {name: delta_table(str(lake.joinpath(*name.split(".")))).version() for name in COMPARED}
