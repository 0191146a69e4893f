"""What clients run with: effective settings, and where clients of one service differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboards.queries.base import Answer, LakeReader, Row
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
# Every client has its own; Kafka wants it so.
OWN = frozenset({
    "client.id", "client.rack", "group.instance.id", "transactional.id", "application.server", "state.dir",
    "group.id", "application.id",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting that clients of one kind have with different values: value -> who has it, the most first."""

    client_kind: str
    name: str
    values: tuple[tuple[str, tuple[str, ...]], ...]


def of_service(lake: LakeReader, service: str) -> Answer:
    """All settings of a service's clients, in the order of client, name and time."""
    order = [(name, "ascending") for name in ("client_id", "unit_id", "name", "incarnation", "from_at")]
    where = equal(service=service)
    return lake.read("silver.client_settings", COLUMNS, where, order, MOST_SETTINGS)


def latest(rows: Iterable[Row]) -> list[Row]:
    """Of each client's setting the value that held last."""
    held: dict[tuple[str, str, str, str], Row] = {}
    for row in rows:
        key = (row["unit_id"], row["client_kind"] or "", row["client_id"] or "", row["name"])
        known = held.get(key)
        if known is None or _when(known) <= _when(row):
            held[key] = row
    return list(held.values())


def differences(rows: Sequence[Row]) -> list[Difference]:
    """The settings that clients of a kind have with more than one value, of `latest` rows of one service."""
    found: dict[tuple[str, str], dict[str, set[str]]] = {}
    for row in rows:
        if row["name"] not in OWN:
            values = found.setdefault((row["client_kind"] or "unknown", row["name"]), {})
            values.setdefault(row["value"], set()).add(row["client_id"] or row["unit_id"])
    return [
        Difference(kind, name, _most_first(values))
        for (kind, name), values in sorted(found.items())
        if len(values) > 1
    ]


def contradictions(lake: LakeReader, service: str | None, most: int = 200) -> Answer:
    """The findings that say settings contradict each other or the KIP's advice."""
    where = equal(category="misconfiguration", service=service)
    columns = ("violation_id", "rule_id", "client_id", "service", "explanation")
    order = [("rule_id", "ascending"), ("violation_id", "ascending")]
    return lake.read("gold.violations", columns, where, order, most)


def _when(row: Row) -> tuple[int, int]:
    return row["incarnation"], row["from_at"] or 0


def _most_first(values: Mapping[str, set[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(
        (value, tuple(sorted(who)))
        for value, who in sorted(values.items(), key=lambda one: (-len(one[1]), one[0]))
    )
