"""Brings the events that were read into silver.client_events, and says what is to be folded after them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import SparkSession

from jobs.enrich import write_events
from jobs.folding import Keeping, SettingsOf
from jobs.ingest import all_events
from jobs.lake import Lake, read_arrow
from jobs.plan import Plan
from jobs.read_rows import EVENTS
from jobs.rows import is_control
from jobs.sort_here import Window
from jobs.staging import Staged
from jobs.states import STATES
from jobs.touched import Touched, units_of_other_code
from jobs.windows import Windows


def enter(
    spark: SparkSession,
    lake: Lake,
    staged: Staged,
    plan: Plan,
    books: Sequence[Mapping[str, Any]],
    units: Sequence[str],
    settings_of: SettingsOf,
    keeping: Keeping,
    staging: Path,
) -> tuple[Touched, dict[str, bool]]:
    """Write events and settings; gives what is touched, and for each table whether it changed.

    A lake that has no states yet, and input larger than one process should hold, are written by unit, and folded from the
    beginning. What another version of the code has judged is judged anew, and so is all after a plan that was lost: what it
    wrote is among the events, and nothing says what followed from them.
    """
    version = plan.versions[STATES]
    if not version and plan.versions[EVENTS]:  # no state is to be had: each unit needs one
        stood = read_arrow(lake.path(EVENTS), ["unit_id"], None, plan.versions[EVENTS])
        stale = frozenset(pc.unique(stood["unit_id"]).to_pylist())
    elif lake.is_judged_by(keeping.code):
        stale = frozenset()
    else:
        stale = units_of_other_code(lake, keeping.code, version)
    entered = None
    if version and units:
        windows = Windows(lake, plan, settings_of, keeping)
        entered = windows.enter(staged, books, units, staging / "states")
    if entered is None:
        changed: dict[str, bool] = {}
        window = None
        if units:
            events, control = all_events(lake, staged, plan, books, units)
            into = staging / "control"
            changed, held = write_events(spark, lake, events, control, units, settings_of, into, plan.commit)
            # They need not be read again to be folded.
            window = None if held is None else Window(held, held.filter(is_control(held)), frozenset())
        entered = Touched(units, keeping, window=window, version=version), changed
    touched, changed = entered
    return replace(touched, whole=sorted(stale.difference(touched.units))), changed
