"""Rebuilds touched units and groups from silver.client_events, and puts the rows in the place of what stood there."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.folding import FOLD_FIELDS, GROUP_TABLES, UNIT_TABLES, SettingsOf, group_fold, unit_fold
from jobs.incoming import Rows, of_table, together
from jobs.ingest import is_control
from jobs.lake import Commit, Lake
from jobs.read_rows import EVENTS
from jobs.rows import staged_schemas
from jobs.staging import Staged, Task, stage
from transforms.events import ClientEvent
from transforms.timers.machines import OF_STREAM_THREAD, TELLS_TIME_ONLY
from transforms.timers.settings import UnitSettings
from transforms.timers.unit import UNRECOGNIZED

VIOLATIONS = "gold.violations"
REFUTED = "evidence read later refutes it: rebuilt with all lines, the rule finds nothing here"
ORDER = ("key", "phase", "ordered_at", "source_id", "position", "event_id")
# Delta commits of different tables wait for the driver, not for cores.
COMMITS_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Folded:
    """What a fold gave, not yet in the lake: rows of `tables`, which take the place of `scopes`."""

    staged: Staged
    tables: Sequence[str]
    scopes: Sequence[str]


def settings_maker(
    defaults: Mapping[str, Any], declared: Mapping[str, Sequence[Mapping[str, str]]]
) -> SettingsOf:
    """What a task needs to know of settings: defaults by version, and what conf declares by unit."""

    def settings_of(unit_id: str, control: Sequence[ClientEvent]) -> UnitSettings:
        return UnitSettings.from_events(control, declared.get(unit_id, ()), defaults)

    return settings_of


def rebuild(
    spark: SparkSession,
    lake: Lake,
    units: Sequence[str],
    settings_of: SettingsOf,
    staging: Path,
    commit: Commit,
    now: int,
) -> dict[str, bool]:
    """Fold the touched units and the groups they speak of; gives for each table whether it changed.

    Both are put at once, as both are judged into the same tables: a table takes one write of a plan.
    """
    parts = [stage_units(spark, lake, units, settings_of, staging / "units")]
    parts += stage_groups(spark, lake, units, settings_of, staging / "groups")
    return _put(lake, parts, commit, now)


def stage_units(
    spark: SparkSession, lake: Lake, units: Sequence[str], settings_of: SettingsOf, staging: Path
) -> Folded:
    """Fold the touched units."""
    events = lake.read(spark, EVENTS).where(F.col("unit_id").isin(list(units)))
    told = events.where((F.col("message_id") != UNRECOGNIZED) & ~_tells_time_only())
    clock = F.unix_millis(F.max("happened_at"))
    counted = events.groupBy("unit_id").agg(F.count(F.lit(1)).alias("events"), clock.alias("clock")).collect()
    slots = _slots(spark, [(row.unit_id, row.events) for row in counted])
    keys = [(row.unit_id, row.unit_id, slots[row.unit_id]) for row in counted]
    # Control events come twice: before all others, and in their place.
    phases = F.when(is_control(), F.array(F.lit(0), F.lit(1))).otherwise(F.array(F.lit(1)))
    ordered = _in_order(_keyed(spark, told.withColumn("phase", F.explode(phases)), keys), slots)
    fold = unit_fold(settings_of, {row.unit_id: row.clock for row in counted})
    return Folded(_fold(ordered, fold, UNIT_TABLES, staging), UNIT_TABLES, list(units))


def stage_groups(
    spark: SparkSession, lake: Lake, units: Sequence[str], settings_of: SettingsOf, staging: Path
) -> list[Folded]:
    """Fold the groups of the touched units; nothing where they speak of none."""
    events = lake.read(spark, EVENTS)
    counted = events.where(F.col("group_id").isNotNull()).groupBy("unit_id", "group_id").count().collect()
    touched = _groups_of(counted, set(units))
    if not touched:
        return []
    pairs = [(row.unit_id, row.group_id, row["count"]) for row in counted if row.group_id in set(touched)]
    slots = _slots(spark, [(group_id, number) for _, group_id, number in pairs])
    keys = [(unit_id, group_id, slots[group_id]) for unit_id, group_id, _ in pairs]
    control = _keyed(spark, events.where(is_control()).withColumn("phase", F.lit(0)), keys)
    # Lines of no family too: that a client wrote at all shows that its process did not stand still.
    told = events.where(F.col("group_id").isin(touched))
    told = _keyed(spark, told.withColumn("phase", F.lit(1)), keys).where(F.col("key") == F.col("group_id"))
    ordered = _in_order(control.unionByName(told), slots)
    staged = _fold(ordered, group_fold(settings_of), GROUP_TABLES, staging)
    return [Folded(staged, GROUP_TABLES, [f"group:{group}" for group in touched])]


def _groups_of(counted: Iterable[Any], units: set[str]) -> list[str]:
    return sorted({row.group_id for row in counted if row.unit_id in units})


def _tells_time_only() -> Column:
    """The same test as transforms.timers.machines.tells_time_only."""
    of_thread = F.coalesce(F.col("thread").contains(OF_STREAM_THREAD), F.lit(False))
    return F.col("message_id").isin(*sorted(TELLS_TIME_ONLY)) & ~of_thread


def _slots(spark: SparkSession, sized: Iterable[tuple[str, int]]) -> dict[str, int]:
    """A partition for each key, all of about the same number of events: chance would often fill one twice."""
    sizes: dict[str, int] = defaultdict(int)
    for key, size in sized:
        sizes[key] += size
    load = [0] * min(len(sizes), int(spark.conf.get("spark.sql.shuffle.partitions") or 1))
    slots = {}
    for key, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        slots[key] = load.index(min(load))
        load[slots[key]] += size
    return slots


def _keyed(spark: SparkSession, events: DataFrame, keys: Sequence[tuple[str, str, int]]) -> DataFrame:
    """The events of these units, with the key they are folded by and its slot; once for each key of the unit."""
    of_unit = spark.createDataFrame(list(keys), "unit_id string, key string, slot int")
    return events.join(F.broadcast(of_unit), "unit_id", how="inner").select(
        "key", "slot", "phase", *FOLD_FIELDS
    )


def _in_order(events: DataFrame, slots: Mapping[str, int]) -> DataFrame:
    """Each key in one partition and in order."""
    count = max(slots.values(), default=0) + 1
    placed = events.repartitionById(count, F.col("slot")).sortWithinPartitions(*ORDER)
    return placed.select("key", "phase", *FOLD_FIELDS)


def _fold(ordered: DataFrame, fold: Task, tables: Sequence[str], staging: Path) -> Staged:
    """Run the fold once: every table then takes its own rows."""
    return stage(ordered, fold, staged_schemas(tables), staging)


def _put(lake: Lake, parts: Sequence[Folded], commit: Commit, now: int) -> dict[str, bool]:
    def put(table: str) -> tuple[str, bool]:
        of_table = [part for part in parts if table in part.tables]
        scopes = [scope for part in of_table for scope in part.scopes]
        rows = together(part.staged.of(table) for part in of_table)
        if table != VIOLATIONS:
            return table, lake.replace(rows, table, scopes, commit)
        _withdraw(lake, rows, scopes, commit, now)
        return table, lake.replace(rows, table, scopes, commit, detected_at=now, run_id=commit.run_id)

    return dict(_at_once(put, list(dict.fromkeys(table for part in parts for table in part.tables))))


def _at_once(put: Callable[[str], tuple[str, bool]], tables: Sequence[str]) -> list[tuple[str, bool]]:
    with ThreadPoolExecutor(COMMITS_AT_ONCE) as pool:
        return list(pool.map(put, tables))


def _withdraw(lake: Lake, rows: Rows, scopes: Sequence[str], commit: Commit, now: int) -> None:
    """Record the violations of these scopes that the evidence now read refutes. Violations are few: they fit in memory."""
    stood = lake.rows(VIOLATIONS, "scope_id", scopes)
    if not stood.count:
        return
    found = {one for batch in rows.batches() for one in batch.column("violation_id").to_pylist()}
    before = pa.Table.from_batches(stood.batches(), stood.schema)
    gone = before.filter(
        pa.array([one not in found for one in before["violation_id"].to_pylist()], pa.bool_())
    )
    lake.append(
        of_table(gone), "gold.withdrawals", commit, reason=REFUTED, withdrawn_at=now, run_id=commit.run_id
    )
