"""Runs the contracts' suites over what a run wrote, into gold.table_checks."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from deltalake import write_deltalake
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from expectations import TABLES
from expectations.suites import check_table
from jobs.lake import Lake

CHECKS = "gold.table_checks"


def check_tables(
    spark: SparkSession, lake: Lake, changed: Mapping[str, bool], units: Sequence[str], run_id: str
) -> int:
    """Check the touched units' rows of every table that changed; gives how many expectations failed."""
    rows = []
    for table in sorted(name for name, is_changed in changed.items() if is_changed):
        written = lake.read(spark, table).where(F.col("unit_id").isin(list(units)))
        rows += [asdict(result) | {"run_id": run_id} for result in check_table(TABLES[table], written)]
    if rows:
        write_deltalake(lake.path(CHECKS), TABLES[CHECKS].arrow_table(rows), mode="append")
    return sum(not row["success"] for row in rows)
