"""Rows that the accounting does not know: a run wrote them, and its plan or its accounting was lost.

What such a run read is read again, and takes its rows' place by their source. But a file that was shorter than a KiB then is
another source by now, so that its rows would stay: they go first. And what followed from its rows may be anywhere between
there and not, of any process: all of them are rebuilt.
"""

from collections.abc import Mapping

from expectations import TABLES
from jobs.folds.enrich import SETTINGS
from jobs.folds.health import HEALTH, TIMERS
from jobs.plans.plan import load_plan
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import distinct
from transforms.folding import GROUP_TABLES, UNIT_TABLES
from transforms.plans.plan import Plan
from transforms.plans.read_rows import EVENTS, RECORDS
from transforms.unit_states import GROUP, STATES

# All that is kept of processes: a plan may have been lost after any of these was written.
UNIT_COLUMNS = {
    table: TABLES[table].replaced_by for table in (EVENTS, SETTINGS, *UNIT_TABLES, HEALTH, TIMERS)
}
UNIT_COLUMNS[STATES] = "unit_id"
GROUP_COLUMNS = {table: TABLES[table].replaced_by for table in GROUP_TABLES}


def is_plan_lost(lake: LakeWriter) -> bool:
    """Whether a plan was begun that is neither there nor in the accounting."""
    return load_plan(lake.files) is None and lake.is_unfinished()


def supersede_orphans(lake: LakeWriter, plan: Plan, known: set[str]) -> None:
    """Sources whose rows go, and the units to rebuild: all. known: sources in the accounting."""
    sources = _values(lake, {RECORDS: "source_id", EVENTS: "source_id"})
    units = {scope for scope in _values(lake, UNIT_COLUMNS) if not scope.startswith(GROUP)}
    plan.superseded = sorted({*plan.superseded, *sources.difference(known, plan.sources)})
    plan.superseded_units = sorted({*plan.superseded_units, *units})


def group_scopes(lake: LakeWriter) -> set[str]:
    """Groups of which anything stands, as tables name them."""
    return {scope for scope in _values(lake, GROUP_COLUMNS) if scope.startswith(GROUP)}


def _values(lake: LakeWriter, columns: Mapping[str, str]) -> set[str]:
    return {value for table, column in columns.items() for value in distinct(lake.path(table), column)}
