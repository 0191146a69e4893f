"""Runs the contracts' suites over what a run wrote, into gold.table_checks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from deltalake import DeltaTable, write_deltalake
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from expectations import TABLES
from expectations.contract import TableContract
from expectations.suites import ROWS_AT_ONCE, CheckResult, check_table, checked_columns, together
from jobs.lake import Lake, read_arrow
from jobs.sample_parts import Region, regions_of
from jobs.samples import there
from jobs.series import SAMPLES

CHECKS = "gold.table_checks"
BOOKS = "bronze.accounting"
INGESTED = "ingested_at"


@dataclass(frozen=True, slots=True)
class Wrote:
    """What a run wrote: the rows that came `since` then (ms), of tables that say so; else the rows of these units.

    samples: where samples changed; they are too many for all of a process to be looked at for each scrape that is added.
    """

    units: Sequence[str]
    since: int
    samples: Region | None = None


def check_tables(
    spark: SparkSession | None,
    lake: Lake,
    changed: Mapping[str, bool],
    wrote: Wrote,
    run_id: str,
    done: Sequence[CheckResult] = (),
) -> int:
    """Check what a run wrote into every table that it changed, and all books, into gold.table_checks; gives how many
    checks failed.

    done: what was found already; of their tables nothing is read again.
    """
    known = {result.table_name for result in done}
    tables = changed_tables(changed) | {BOOKS}
    results = [*done, *results_of(spark, lake, tables - known, wrote)]
    rows = [asdict(result) | {"run_id": run_id} for result in results]
    write_deltalake(lake.path(CHECKS), TABLES[CHECKS].arrow_table(rows), mode="append")
    return sum(not result.success for result in results)


def changed_tables(changed: Mapping[str, bool]) -> set[str]:
    """Those that a run changed. changed: by table."""
    return {name for name, is_changed in changed.items() if is_changed}


def results_of(
    spark: SparkSession | None, lake: Lake, tables: Collection[str], wrote: Wrote
) -> list[CheckResult]:
    """What the contracts' suites find in what was written into these tables.

    Rows are read by deltalake, in a tenth of the time of Spark's small jobs; Spark reads tables too large for
    memory. Without a session no table is too large.
    """
    results: list[CheckResult] = []
    for name in sorted(table for table in tables if lake.exists(table)):
        contract = TABLES[name]
        if name == SAMPLES:
            results += _of_samples(lake, wrote.samples)
            continue
        if spark is not None and _rows_in(lake.path(name)) > ROWS_AT_ONCE:
            written = _by_spark(spark, lake, contract, wrote)
        else:
            written = _by_arrow(lake, contract, wrote)
        results += check_table(contract, written)
    return results


def _of_samples(lake: Lake, written: Region | None) -> list[CheckResult]:
    """In parts that one process may hold."""
    if written is None:
        return []
    contract = TABLES[SAMPLES]
    columns = checked_columns(contract)
    return together(
        check_table(contract, read_arrow(lake.path(SAMPLES), columns, region.filters))
        for region in regions_of(there(lake, written), written, lake.most_rows)
    )


def _by_arrow(lake: Lake, contract: TableContract, wrote: Wrote) -> Any:
    where: list[Any] | None = None
    if INGESTED in contract.column_names:
        where = [(INGESTED, ">=", datetime.fromtimestamp(wrote.since / 1000, UTC))]
    elif "unit_id" in contract.column_names:
        where = [("unit_id", "in", list(wrote.units))]
    return read_arrow(lake.path(contract.name), checked_columns(contract), where)


def _by_spark(spark: SparkSession, lake: Lake, contract: TableContract, wrote: Wrote) -> Any:
    rows = lake.read(spark, contract.name)
    if INGESTED in contract.column_names:
        return rows.where(F.col(INGESTED) >= F.timestamp_millis(F.lit(wrote.since)))
    if "unit_id" in contract.column_names:
        return rows.where(F.col("unit_id").isin(list(wrote.units)))
    return rows


def _rows_in(path: str) -> int:
    """Rows of the table, from its log alone."""
    counts = DeltaTable(path).get_add_actions(flatten=True).column("num_records").to_pylist()
    return sum(count or 0 for count in counts)
