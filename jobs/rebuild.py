"""Rebuilds touched units and groups from silver.client_events, and puts the rows in the place of what stood there."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.folding import GROUP_TABLES, UNIT_TABLES, Fold, SettingsOf, group_fold, unit_fold
from jobs.lake import Commit, Lake, bucket
from jobs.rows import EVENT_FIELDS, column_name, fold_schema
from transforms.events import ClientEvent
from transforms.timers.settings import CONTROL_MESSAGES, UnitSettings
from transforms.timers.unit import UNRECOGNIZED

EVENTS = "silver.client_events"
ORDER = ("key", "phase", "ordered_at", "source_id", "position", "event_id")
# Delta commits of different tables wait for the driver, not for cores.
COMMITS_AT_ONCE = 4


def settings_maker(
    defaults: Mapping[str, Any], declared: Mapping[str, Sequence[Mapping[str, str]]]
) -> SettingsOf:
    """What a task needs to know of settings: defaults by version, and what conf declares by unit."""

    def settings_of(unit_id: str, control: Sequence[ClientEvent]) -> UnitSettings:
        return UnitSettings.from_events(control, declared.get(unit_id, ()), defaults)

    return settings_of


def is_control() -> Column:
    """The events that say what a process is; the same test as transforms.timers.settings.is_control."""
    return F.col("kind").isin("config_dump", "config_warning", "lifecycle") | F.col("message_id").isin(
        *sorted(CONTROL_MESSAGES)
    )


def rebuild_units(
    spark: SparkSession,
    lake: Lake,
    units: Sequence[str],
    settings_of: SettingsOf,
    staging: Path,
    commit: Commit,
) -> dict[str, bool]:
    """Fold the touched units; gives for each table whether it changed."""
    events = lake.read(spark, EVENTS).where(F.col("unit_id").isin(list(units)))
    told = events.where(F.col("message_id") != UNRECOGNIZED).withColumn("key", F.col("unit_id"))
    clock = events.groupBy(F.col("unit_id").alias("key")).agg(F.max("happened_at").alias("happened_at"))
    ordered = _sorted(_clock_rows(clock), _phase(told.where(is_control()), 0), _phase(told, 1))
    staged = _fold(ordered, unit_fold(settings_of), UNIT_TABLES, staging)
    return _put(lake, staged, UNIT_TABLES, list(units), commit)


def rebuild_groups(
    spark: SparkSession,
    lake: Lake,
    units: Sequence[str],
    settings_of: SettingsOf,
    staging: Path,
    commit: Commit,
) -> dict[str, bool]:
    """Fold every group that a touched unit speaks of, over all units that speak of it."""
    events = lake.read(spark, EVENTS)
    pairs = events.where(F.col("group_id").isNotNull()).select("unit_id", "group_id").distinct()
    touched = [
        row.group_id
        for row in pairs.where(F.col("unit_id").isin(list(units))).select("group_id").distinct().collect()
    ]
    if not touched:
        return {}
    of_touched = pairs.where(F.col("group_id").isin(touched))
    told = events.where((F.col("message_id") != UNRECOGNIZED) & F.col("group_id").isin(touched))
    control = events.where(is_control()).join(
        F.broadcast(of_touched.select("unit_id", F.col("group_id").alias("key"))), "unit_id", how="inner"
    )
    ordered = _sorted(_phase(control, 0), _phase(told.withColumn("key", F.col("group_id")), 1))
    staged = _fold(ordered, group_fold(settings_of), GROUP_TABLES, staging)
    return _put(lake, staged, GROUP_TABLES, [f"group:{group}" for group in touched], commit)


def _phase(events: DataFrame, phase: int) -> DataFrame:
    return events.select("key", F.lit(phase).alias("phase"), *EVENT_FIELDS)


def _clock_rows(clock: DataFrame) -> DataFrame:
    """The data clock as a row that comes before all others."""
    empty = {field: F.lit(None) for field in EVENT_FIELDS} | {"happened_at": F.col("happened_at")}
    return clock.select(
        "key", F.lit(-1).alias("phase"), *(value.alias(name) for name, value in empty.items())
    )


def _sorted(*parts: DataFrame) -> DataFrame:
    """All parts together, each key in one partition and in order."""
    whole = parts[-1]
    for part in parts[:-1]:
        typed = part.select(*(F.col(f.name).cast(f.dataType).alias(f.name) for f in whole.schema.fields))
        whole = whole.unionByName(typed)
    return whole.repartition("key").sortWithinPartitions(*ORDER)


def _fold(ordered: DataFrame, fold: Fold, tables: Sequence[str], staging: Path) -> DataFrame:
    """Run the fold once and stage its rows: every table then takes its own from there."""
    ordered.mapInArrow(fold, fold_schema(tables)).write.mode("overwrite").parquet(str(staging))
    return ordered.sparkSession.read.schema(fold_schema(tables)).parquet(str(staging))


def _put(
    lake: Lake, staged: DataFrame, tables: Sequence[str], scopes: list[str], commit: Commit
) -> dict[str, bool]:
    def put(table: str) -> tuple[str, bool]:
        name = column_name(table)
        rows = (
            staged.where(F.col(name).isNotNull())
            .select(f"{name}.*")
            .withColumn("unit_bucket", bucket("unit_id"))
        )
        rows = _job_columns(rows, table, commit)
        if table == "gold.violations":
            _withdraw(lake, rows, scopes, commit)
        return table, lake.replace(rows, table, scopes, commit)

    return dict(_at_once(put, tables))


def _at_once(put: Callable[[str], tuple[str, bool]], tables: Sequence[str]) -> list[tuple[str, bool]]:
    with ThreadPoolExecutor(COMMITS_AT_ONCE) as pool:
        return list(pool.map(put, tables))


def _job_columns(rows: DataFrame, table: str, commit: Commit) -> DataFrame:
    if table == "gold.violations":
        return rows.withColumn("detected_at", F.current_timestamp()).withColumn(
            "run_id", F.lit(commit.run_id)
        )
    return rows


def _withdraw(lake: Lake, rows: DataFrame, scopes: list[str], commit: Commit) -> None:
    """Record the violations of these scopes that the evidence now read refutes."""
    if lake.is_empty("gold.violations"):
        return
    before = lake.read(rows.sparkSession, "gold.violations").where(F.col("scope_id").isin(scopes))
    gone = before.join(rows.select("violation_id"), "violation_id", how="left_anti").select(
        "violation_id",
        "rule_id",
        F.current_timestamp().alias("withdrawn_at"),
        F.lit("evidence read later refutes it: rebuilt with all lines, the rule finds nothing here").alias(
            "reason"
        ),
        "event_ids",
        "unit_id",
        "unit_bucket",
    )
    if not gone.isEmpty():
        lake.append(gone, "gold.withdrawals", commit)
