"""What is broken, what went wrong, and what could not be judged."""

from dashboards.queries.base import Answer, Lake, Row

CATEGORY_ORDER = ("broken_semantics", "departs_from_kip", "misconfiguration", "older_semantics")


def violations(lake: Lake) -> Answer:
    """All violations: broken promises first, the latest first among equals."""
    found = lake.read("gold.violations", order=[("last_at", "descending"), ("violation_id", "ascending")])
    return Answer(found.state, sorted(found.rows, key=_urgency), found.total, found.problem)


def incidents(lake: Lake, most: int | None = None) -> Answer:
    """All incidents, or the latest that are over and more than noise; the latest first."""
    order = [("started_at", "descending"), ("incident_id", "ascending")]
    if most is None:
        return lake.read("gold.incidents", order=order)
    return lake.read(
        "gold.incidents",
        where=[("verdict", "!=", "benign"), ("ended_at", "null", False)],
        order=order,
        limit=most,
    )


def unjudged(lake: Lake) -> Answer:
    """What could not be judged, the most subjects first."""
    return lake.read("gold.unjudged", order=[("subjects", "descending"), ("rule_id", "ascending")])


def finding(lake: Lake, finding_id: str) -> Answer:
    """One violation by its id, or one finding that was folded into a violation."""
    found = lake.by_id("gold.violations", "violation_id", finding_id)
    is_known = found.rows or found.state != "ok"
    return found if is_known else lake.by_id("silver.findings", "finding_id", finding_id)


def incident(lake: Lake, incident_id: str) -> Answer:
    """One incident."""
    return lake.by_id("gold.incidents", "incident_id", incident_id)


def _urgency(row: Row) -> int:
    return CATEGORY_ORDER.index(row["category"])
