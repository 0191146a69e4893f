"""Brings the events that were read into silver.client_events, and says what is to be folded after them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jobs.engine.staging import Staged
from jobs.folds.enrich import write_events
from jobs.folds.fold_run import FoldRun
from jobs.folds.incremental import IncrementalMerge
from jobs.folds.touched import units_of_other_code
from jobs.reading.ingest import all_events
from transforms.fold_rows import HeldEvents
from transforms.timers.clients.control import is_control
from transforms.touched import Touched
from transforms.unit_states import STATES


def merge_events(
    run: FoldRun, staged: Staged, accounts: Sequence[Mapping[str, Any]], units: Sequence[str]
) -> tuple[Touched, dict[str, bool]]:
    """Write events and settings; gives what is touched, and for each table whether it changed.

    A lake that has no states yet, and input larger than one process should hold, are written by unit, and folded from the
    beginning. What another version of the code has judged is judged anew.
    """
    version = run.plan.versions[STATES]
    is_ours = run.lake.is_judged_by(run.keeping.code)
    stale = frozenset() if is_ours else units_of_other_code(run.lake, run.keeping.code, version)
    entered = None
    if version and units:
        entered = IncrementalMerge(run).apply(staged, accounts, units)
    if entered is None:
        changed: dict[str, bool] = {}
        window = None
        if units:
            events, control = all_events(run.lake, staged, run.plan, accounts, units)
            changed, held = write_events(run, events, control, units)
            # They need not be read again to be folded.
            window = None if held is None else HeldEvents(held, held.filter(is_control(held)), frozenset())
        entered = Touched(units, run.keeping, window=window, version=version), changed
    touched, changed = entered
    return replace(touched, whole=sorted(stale.difference(touched.units))), changed
