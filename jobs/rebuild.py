"""Rebuilds touched units and groups from silver.client_events, and puts the rows in the place of what stood there."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from jobs.binding import Bindings
from jobs.folding import GROUP_TABLES, UNIT_TABLES, SettingsOf, group_fold, unit_fold
from jobs.incoming import Rows, of_table, together
from jobs.lake import Commit, Lake
from jobs.read_rows import EVENTS
from jobs.series_here import count_samples
from jobs.sort_by_spark import SortBySpark
from jobs.sort_here import SortHere
from jobs.sorting import Sorter
from jobs.staging import Staged
from transforms.events import ClientEvent
from transforms.timers.settings import UnitSettings

VIOLATIONS = "gold.violations"
REFUTED = "evidence read later refutes it: rebuilt with all lines, the rule finds nothing here"
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
    evidence: Bindings,
) -> dict[str, bool]:
    """Fold the touched units and the groups they speak of; gives for each table whether it changed.

    Both are put at once, as both are judged into the same tables: a table takes one write of a plan.
    evidence: whose samples are whose.
    """
    sorter = _sorter(spark, lake, units, evidence)
    with ThreadPoolExecutor() as pool:  # while tasks fold the units, the groups are put in order here
        groups = pool.submit(stage_groups, sorter, units, settings_of, staging / "groups")
        parts = [stage_units(sorter, units, settings_of, staging / "units"), *groups.result()]
    return _put(lake, parts, commit, now)


def _sorter(spark: SparkSession, lake: Lake, units: Sequence[str], evidence: Bindings) -> Sorter:
    rows = lake.count(EVENTS) + count_samples(lake, evidence.of(units))
    return (SortHere if lake.is_small(rows) else SortBySpark)(spark, lake, evidence)


def stage_units(sorter: Sorter, units: Sequence[str], settings_of: SettingsOf, staging: Path) -> Folded:
    """Fold the touched units."""
    counted = sorter.units(units)
    fold = unit_fold(settings_of, {unit.unit_id: unit.clock for unit in counted})
    return Folded(sorter.fold_units(counted, fold, UNIT_TABLES, staging), UNIT_TABLES, list(units))


def stage_groups(
    sorter: Sorter, units: Sequence[str], settings_of: SettingsOf, staging: Path
) -> list[Folded]:
    """Fold the groups of the touched units; nothing where they speak of none."""
    pairs = sorter.groups()
    touched = sorted({pair.group_id for pair in pairs if pair.unit_id in set(units)})
    if not touched:
        return []
    pairs = [pair for pair in pairs if pair.group_id in set(touched)]
    staged = sorter.fold_groups(pairs, group_fold(settings_of), GROUP_TABLES, staging)
    return [Folded(staged, GROUP_TABLES, [f"group:{group}" for group in touched])]


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
