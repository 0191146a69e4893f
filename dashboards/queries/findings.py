"""What is broken, what went wrong, and what could not be judged."""

from dashboards.queries.base import Answer, LakeReader

# The categories' names, in the order of the alphabet, are in that of their urgency: broken_semantics to older_semantics.
BY_URGENCY = (("category", "ascending"), ("last_at", "descending"), ("violation_id", "ascending"))


def violations(lake: LakeReader) -> Answer:
    """All violations: broken promises first, the latest first among equals."""
    return lake.read("gold.violations", order=BY_URGENCY)


def incidents(lake: LakeReader, most: int | None = None) -> Answer:
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


def unjudged(lake: LakeReader) -> Answer:
    """What could not be judged, the most subjects first."""
    return lake.read("gold.unjudged", order=[("subjects", "descending"), ("rule_id", "ascending")])


def finding(lake: LakeReader, finding_id: str) -> Answer:
    """One violation by its id, or one finding that was folded into a violation."""
    found = lake.by_id("gold.violations", "violation_id", finding_id)
    is_known = found.rows or found.state != "ok"
    return found if is_known else lake.by_id("silver.findings", "finding_id", finding_id)


def incident(lake: LakeReader, incident_id: str) -> Answer:
    """One incident."""
    return lake.by_id("gold.incidents", "incident_id", incident_id)
