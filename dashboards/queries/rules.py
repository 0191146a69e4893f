"""How often each rule fired here, and how often it could not judge."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.queries.base import Answer, LakeReader


@dataclass(slots=True)
class Fired:
    """violations: rows of gold.violations; occurrences: findings in them; unjudged: subjects."""

    violations: int = 0
    occurrences: int = 0
    unjudged: int = 0


def fired(lake: LakeReader, rule_ids: Sequence[str]) -> tuple[Answer, dict[str, Fired]]:
    """Per rule; the answer says whether the tables could be read."""
    made = {rule_id: Fired() for rule_id in rule_ids}
    found = lake.count_by("gold.violations", ["rule_id", "occurrences"])
    for row in found.rows:
        one = made.setdefault(row["rule_id"], Fired())
        one.violations += row["rows"]
        one.occurrences += row["rows"] * row["occurrences"]
    for row in lake.count_by("gold.unjudged", ["rule_id", "subjects"]).rows:
        made.setdefault(row["rule_id"], Fired()).unjudged += row["rows"] * row["subjects"]
    return found, made
