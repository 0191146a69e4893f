"""Brings the events that were read into silver.client_events, and says what is to be folded after them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from jobs.folds.enrich import write_events
from jobs.folds.folding import Keeping, SettingsOf
from jobs.folds.incremental import IncrementalMerge
from jobs.folds.sort_here import HeldEvents
from jobs.folds.states import STATES
from jobs.folds.touched import Touched, units_of_other_code
from jobs.plans.plan import Plan
from jobs.reading.ingest import all_events
from jobs.storage.lake import LakeWriter
from jobs.storage.rows import is_control
from jobs.storage.staging import Staged


def merge_events(
    spark: SparkSession,
    lake: LakeWriter,
    staged: Staged,
    plan: Plan,
    accounts: Sequence[Mapping[str, Any]],
    units: Sequence[str],
    settings_of: SettingsOf,
    keeping: Keeping,
    staging: Path,
) -> tuple[Touched, dict[str, bool]]:
    """Write events and settings; gives what is touched, and for each table whether it changed.

    A lake that has no states yet, and input larger than one process should hold, are written by unit, and folded from the
    beginning. What another version of the code has judged is judged anew.
    """
    version = plan.versions[STATES]
    is_ours = lake.is_judged_by(keeping.code)
    stale = frozenset() if is_ours else units_of_other_code(lake, keeping.code, version)
    entered = None
    if version and units:
        merge = IncrementalMerge(lake, plan, settings_of, keeping)
        entered = merge.apply(staged, accounts, units, staging / "states")
    if entered is None:
        changed: dict[str, bool] = {}
        window = None
        if units:
            events, control = all_events(lake, staged, plan, accounts, units)
            into = staging / "control"
            changed, held = write_events(spark, lake, events, control, units, settings_of, into, plan.commit)
            # They need not be read again to be folded.
            window = None if held is None else HeldEvents(held, held.filter(is_control(held)), frozenset())
        entered = Touched(units, keeping, window=window, version=version), changed
    touched, changed = entered
    return replace(touched, whole=sorted(stale.difference(touched.units))), changed
