"""What a run found, in short: counts, and the worst of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

from transforms.diagnose.incident import IMPACTS
from transforms.diagnose.wording.words import counted
from transforms.plans.run_result import RunResult
from transforms.rules.rule import CATEGORIES, SEVERITIES

Row = dict[str, Any]
Key = Callable[[Row], tuple[Any, ...]]
MOST_LISTED = 20
# The columns that are asked for.
VIOLATION = ("violation_id", "rule_id", "kip", "category", "severity", "explanation", "first_at")
INCIDENT = ("incident_id", "kind", "verdict", "title", "started_at", "impact", "parent_incident_id")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which rows are shown, of all that there are; the worst first."""

    violations: Callable[[Iterable[Row]], list[Row]]
    incidents: Callable[[Iterable[Row]], list[Row]]


@dataclass(frozen=True, slots=True)
class Found:
    """What a lake's tables tell, and the worst of it; however much it is, no more is held.

    categories, rules: of all violations. told: how many incidents there are. unbound: clients of metrics that are the
    evidence of no log.
    """

    violations: list[Row]
    incidents: list[Row]
    categories: Counter[str]
    rules: Counter[str]
    told: int
    open_questions: int
    unbound: int

    @property
    def left(self) -> int:
        """How many violations and incidents are not among the worst."""
        return self.categories.total() + self.told - len(self.violations) - len(self.incidents)

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """Id, mark and sentence of each of the worst: which promises were broken, what went wrong, then what departs from
        the KIPs or is set badly."""
        broken, *others = CATEGORIES
        yield from self._of_rules([broken])
        yield from ((row["incident_id"], _mark(row), row["title"]) for row in self.incidents)
        yield from self._of_rules(others)

    def _of_rules(self, categories: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        for row in self.violations:
            if row["category"] in categories:
                more = self.rules[row["rule_id"]] - 1
                said = f" (and {more} more of {row['rule_id']})" if more else ""
                yield row["violation_id"], row["category"], f"{row['explanation']}{said}"


def _mark(incident: Row) -> str:
    is_broken = incident["verdict"] == "broken"
    return "broken" if is_broken else f"impact: {incident['impact']}"


def violation_key(row: Row) -> tuple[Any, ...]:
    """Puts the worst violation first."""
    return CATEGORIES.index(row["category"]), SEVERITIES.index(row["severity"]), row["violation_id"]


def incident_key(row: Row) -> tuple[Any, ...]:
    """Puts the worst incident first."""
    return (
        row["verdict"] != "broken",
        IMPACTS.index(row["impact"]),
        str(row["started_at"]),
        row["incident_id"],
    )


def _one_of(rows: Iterable[Row], key: Key, what: str) -> list[Row]:
    """The worst of each, the worst first. what: the column that tells them apart."""
    worst: dict[str, Row] = {}
    for row in rows:
        worst[row[what]] = min(worst.get(row[what], row), row, key=key)
    return sorted(worst.values(), key=key)


def _roots(rows: Iterable[Row]) -> Iterator[Row]:
    """Incidents that are no part of another: that one tells of its parts."""
    return (row for row in rows if row["parent_incident_id"] is None)


# The worst violation of each rule, and the worst incidents.
WORST = Chosen(
    lambda rows: _one_of(rows, violation_key, "rule_id")[:MOST_LISTED],
    lambda rows: nsmallest(MOST_LISTED, _roots(rows), incident_key),
)
# The worst violation of each KIP, and the worst incident of each kind.
EACH_ONCE = Chosen(
    lambda rows: _one_of(rows, violation_key, "kip"), lambda rows: _one_of(rows, incident_key, "kind")
)


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
