"""What is broken, what went wrong, and what could not be judged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboards.queries.base import Answer, LakeReader, Row
from dashboards.queries.sql import Where, equal

TOLD_BY_A_CARD = (
    "incident_id", "verdict", "impact", "kind", "actor", "service", "started_at", "ended_at", "title", "cause", "advice",
    "fingerprint",
)  # fmt: skip
WHOLE: Where = ("parent_incident_id", "null", True)  # what is a part of another one is told by that
LATEST = (("started_at", "descending"), ("incident_id", "ascending"))


def verdicts(lake: LakeReader, chosen: Mapping[str, str]) -> Answer:
    """How many incidents with these values have which verdict: verdict, rows."""
    return lake.count_by("gold.incidents", ["verdict"], _of(chosen))


def incidents(
    lake: LakeReader, chosen: Mapping[str, str], *, is_benign: bool, most: int, skip: int
) -> Answer:
    """So many of the incidents that have these values, the latest first, as cards tell them; not counted."""
    where = [*_of(chosen), ("verdict", "=" if is_benign else "!=", "benign")]
    return lake.read("gold.incidents", TOLD_BY_A_CARD, where, LATEST, most, skip, is_counted=False)


def processes(lake: LakeReader, chosen: Mapping[str, str]) -> list[Row]:
    """Those that had a trouble with these values: service, unit_id, scope_id."""
    where = [*_of(chosen), ("verdict", "!=", "benign")]
    return lake.count_by("gold.incidents", ["service", "unit_id", "scope_id"], where).rows


def latest_incidents(lake: LakeReader, most: int) -> Answer:
    """The latest that are more than noise, over or not."""
    where = [WHOLE, ("verdict", "!=", "benign"), ("started_at", "null", False)]
    return lake.read("gold.incidents", TOLD_BY_A_CARD, where, LATEST, most)


def wholes(lake: LakeReader, incident_ids: Iterable[str]) -> dict[str, Row]:
    """Those of several processes that these incidents are parts of, by the ids of these."""
    rows = lake.among("gold.incidents", "incident_id", incident_ids)
    parents = {row["incident_id"]: row["parent_incident_id"] or "" for row in rows}
    found = {row["incident_id"]: row for row in lake.among("gold.incidents", "incident_id", parents.values())}
    return {part: found[whole] for part, whole in parents.items() if whole in found}


def finding(lake: LakeReader, finding_id: str) -> Answer:
    """One violation by its id, or one finding that was folded into a violation."""
    found = lake.by_id("gold.violations", "violation_id", finding_id)
    is_known = found.rows or found.state != "ok"
    return found if is_known else lake.by_id("silver.findings", "finding_id", finding_id)


def incident(lake: LakeReader, incident_id: str) -> Answer:
    """One incident."""
    return lake.by_id("gold.incidents", "incident_id", incident_id)


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


def _of(chosen: Mapping[str, str]) -> list[Where]:
    return equal(**chosen) or [WHOLE]
