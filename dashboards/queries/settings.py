"""What clients run with."""

from dashboards.queries.base import Answer, LakeReader
from dashboards.queries.sql import equal

MOST_SETTINGS = 200_000  # of one service
COLUMNS = (
    "unit_id",
    "incarnation",
    "client_kind",
    "client_id",
    "name",
    "value",
    "origin",
    "from_at",
    "until_at",
)


def of_service(lake: LakeReader, service: str) -> Answer:
    """All settings of a service's clients, in the order of client, name and time."""
    order = [(name, "ascending") for name in ("client_id", "unit_id", "name", "incarnation", "from_at")]
    where = equal(service=service)
    return lake.read("silver.client_settings", COLUMNS, where, order, MOST_SETTINGS)


def contradictions(lake: LakeReader, service: str | None, most: int = 200) -> Answer:
    """The findings that say settings contradict each other or the KIP's advice."""
    where = equal(category="misconfiguration", service=service)
    columns = ("violation_id", "rule_id", "client_id", "service", "explanation")
    order = [("rule_id", "ascending"), ("violation_id", "ascending")]
    return lake.read("gold.violations", columns, where, order, most)
