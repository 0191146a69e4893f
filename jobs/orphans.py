"""Rows that no books know: a run wrote them, and then its plan was lost before it came to the books.

What such a run read is read again, and takes its rows' place by their source. But a file that was shorter than a KiB then is
another source by now, so that its rows would stay: they go first.
"""

from jobs.lake import Lake, read_arrow
from jobs.plan import Plan
from jobs.read_rows import EVENTS, RECORDS


def is_plan_lost(lake: Lake) -> bool:
    """Whether a plan was begun that is neither there nor in the books."""
    return Plan.load(lake.control) is None and lake.is_unfinished()


def supersede_orphans(lake: Lake, plan: Plan, known: set[str]) -> None:
    """Sources whose rows go, and the units to rebuild without them. known: sources in the books."""
    units = set()
    for table in (RECORDS, EVENTS):
        found = (
            read_arrow(lake.path(table), ["source_id", "unit_id"])
            .group_by(["source_id", "unit_id"])
            .aggregate([])
        )
        for source_id, unit_id in zip(
            found["source_id"].to_pylist(), found["unit_id"].to_pylist(), strict=True
        ):
            if source_id not in known and source_id not in plan.sources:
                plan.superseded.append(source_id)
                units.add(unit_id)
    plan.superseded = sorted(set(plan.superseded))
    plan.superseded_units = sorted(units.union(plan.superseded_units))
