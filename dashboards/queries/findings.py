"""What is broken, what went wrong, and what could not be judged."""

from collections.abc import Mapping

from dashboards.queries.base import Answer, LakeReader

LATEST = (("started_at", "descending"), ("incident_id", "ascending"))


def incidents(lake: LakeReader, chosen: Mapping[str, str]) -> Answer:
    """The incidents that have these values, the latest first."""
    return lake.read(
        "gold.incidents", where=[(name, "=", value) for name, value in chosen.items()], order=LATEST
    )


def latest_incidents(lake: LakeReader, most: int) -> Answer:
    """The latest that are over and more than noise."""
    where = [("verdict", "!=", "benign"), ("ended_at", "null", False)]
    return lake.read("gold.incidents", where=where, order=LATEST, limit=most)


def finding(lake: LakeReader, finding_id: str) -> Answer:
    """One violation by its id, or one finding that was folded into a violation."""
    found = lake.by_id("gold.violations", "violation_id", finding_id)
    is_known = found.rows or found.state != "ok"
    return found if is_known else lake.by_id("silver.findings", "finding_id", finding_id)


def incident(lake: LakeReader, incident_id: str) -> Answer:
    """One incident."""
    return lake.by_id("gold.incidents", "incident_id", incident_id)
