"""A lake's rows without what may differ between runs that agree: what DESIGN calls batch = stream is compared by these."""

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

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
    return _texts(_stable(lake, table))


def _stable(lake: LakePlace, table: str) -> pa.Table:
    return read_arrow(str(lake.joinpath(*table.split("."))), TABLES[table].stable_columns)


def _texts(rows: pa.Table) -> list[str]:
    return sorted(json.dumps(row, default=str, sort_keys=True) for row in rows.to_pylist())


def _are_plainly_equal(left: pa.Table, right: pa.Table, key: Sequence[str]) -> bool:
    """Whether they are the same rows in the order of their key: nearly always, and a tenth of the work of their texts."""
    if left.num_rows != right.num_rows:
        return False
    by_key = [(name, "ascending") for name in key]
    return left.num_rows == 0 or bool(left.sort_by(by_key).equals(right.sort_by(by_key)))


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
        left_rows, right_rows = _stable(one, table), _stable(other, table)
        if _are_plainly_equal(left_rows, right_rows, TABLES[table].key):
            continue
        left, right = _texts(left_rows), _texts(right_rows)
        if left != right:
            only_left, only_right = sorted(set(left) - set(right)), sorted(set(right) - set(left))
            found[table] = (len(only_left), len(only_right), [*only_left[:2], *only_right[:2]])
    return found


def versions(lake: LakePlace) -> dict[str, int]:
    """The Delta version of every table: equal versions mean no commit."""
    return {name: delta_table(str(lake.joinpath(*name.split(".")))).version() for name in COMPARED}
