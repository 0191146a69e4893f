"""What a run found, in short: counts, and the worst of it."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from transforms.diagnose.wording.words import counted
from transforms.plans.run_result import RunResult
from transforms.rules.rule import CATEGORIES, SEVERITIES

Row = dict[str, Any]
Key = Callable[[Row], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Found:
    """What a lake's tables tell, and the worst of it; however much it is, no more is held. categories: of all violations.

    unbound: clients of metrics that are the evidence of no log.
    """

    violations: list[Row]
    incidents: list[Row]
    categories: Counter[str]
    told: int
    open_questions: int
    unbound: int

    @property
    def left(self) -> int:
        """How many violations and incidents are not among the worst."""
        return self.categories.total() + self.told - len(self.violations) - len(self.incidents)


def violation_key(row: Row) -> tuple[Any, ...]:
    """Puts the worst violation first."""
    return CATEGORIES.index(row["category"]), SEVERITIES.index(row["severity"]), row["violation_id"]


def incident_key(row: Row) -> tuple[Any, ...]:
    """Puts the worst incident first."""
    return row["verdict"] != "broken", str(row["started_at"]), row["incident_id"]


def one_of_each(rows: Iterable[Row], key: Key) -> list[Row]:
    """The worst of each KIP, or kind."""
    worst: dict[str, Row] = {}
    for row in rows:
        what = row["kip"] if "kip" in row else row["kind"]
        worst[what] = min(worst.get(what, row), row, key=key)
    return sorted(worst.values(), key=key)


def counts_line(result: RunResult, all_found: Found) -> str:
    """How much was read, and what was found in the lake."""
    by_category = all_found.categories
    found = ", ".join(f"{by_category[name]} {name}" for name in CATEGORIES if by_category[name]) or "none"
    unbound = (
        f" Metrics of {counted(all_found.unbound, 'client')} belong to no log that was read: nothing is judged by them "
        "(silver.metric_clients)."
        if all_found.unbound
        else ""
    )
    return (
        f"{result.sources} sources, {result.records} new records of {result.units} processes. Violations: {found}. "
        f"Incidents: {all_found.told}. Not judged for lack of evidence: {all_found.open_questions} (gold.unjudged)."
        f"{unbound}"
    )
