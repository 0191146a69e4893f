"""Classes of incidents: since when there is each, what changed before, and what the processes that have it share."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from dashboards.queries.base import LakeReader, Row
from dashboards.queries.sql import Where, equal
from transforms.diagnose.fleets.shared import Shared, Trait, shared
from transforms.diagnose.fleets.since import Class, changes_of, classes
from transforms.episodes.lane_settings import SETTINGS

EVENTS, HELD, INCIDENTS = "silver.client_events", "silver.client_settings", "gold.incidents"
HEALTH = "gold.client_health"
MOST_INCIDENTS = 50_000
# What every process has for itself tells nothing of what some share.
SAID_BY_EVENTS = (("library", "client_library"), ("broker", "node_id"), ("topic", "topic"))
IS_SETTING: Where = ("name", "in", SETTINGS)
IS_SAID: Where = ("origin", "in", ("logged", "declared", "adjusted"))


def classes_of(lake: LakeReader, service: str | None = None) -> dict[str, Class]:
    """Every class by its fingerprint, of one service or of all."""
    of_service = equal(service=service)
    columns = ("service", "incarnation", "client_version", "happened_at")
    kinds: list[Where] = [("kind", "in", ("config_dump", "lifecycle"))]
    starts = lake.shaped(EVENTS, columns, [*kinds, *of_service], first_starts).rows
    names = ("service", "client_kind", "name", "value", "from_at")
    held = lake.shaped(HELD, names, [IS_SETTING, IS_SAID, *of_service], first_held).rows
    where: list[Where] = [("verdict", "!=", "benign"), *of_service]
    found = lake.read(
        INCIDENTS,
        ("fingerprint", "service", "started_at"),
        where,
        [("started_at", "descending")],
        MOST_INCIDENTS,
    )
    return classes(found.rows, changes_of(starts, held))


def first_starts(events: pa.Table) -> pa.Table:
    """Of each start and version of a service the first instant."""
    keys = ["service", "incarnation", "client_version"]
    found = events.group_by(keys).aggregate([("happened_at", "min")])
    return found.rename_columns([*keys, "happened_at"])


def first_held(settings: pa.Table) -> pa.Table:
    """Of each value of a setting the first instant; null where it held from the beginning."""
    keys = ["service", "client_kind", "name", "value"]
    nulls = pc.CountOptions(mode="only_null")
    found = settings.group_by(keys).aggregate([("from_at", "min"), ("from_at", "count", nulls)])
    at = pc.if_else(
        pc.greater(found["from_at_count"], 0),
        pa.scalar(None, found["from_at_min"].type),
        found["from_at_min"],
    )
    return found.select(keys).append_column("from_at", at)


def in_common(lake: LakeReader, bad: Sequence[Row]) -> tuple[int, int, list[Shared]]:
    """What the processes of these incidents share, against the others of the same services that have clients of their kinds.

    Gives how many of both there are, and the traits that tell them apart best.
    """
    units = frozenset(row["unit_id"] for row in bad)
    services = sorted({row["service"] for row in bad if row["service"]})
    where: list[Where] = [("service", "in", services)]
    health = lake.read(HEALTH, ("unit_id", "client_kind", "client_version", "instance"), where).rows
    kinds = {row["client_kind"] for row in health if row["unit_id"] in units}
    good = frozenset(row["unit_id"] for row in health if row["client_kind"] in kinds) - units
    return len(units), len(good), shared(units, good, _traits(lake, where, health)) if good else []


def _traits(lake: LakeReader, where: Sequence[Where], health: Sequence[Row]) -> Iterator[tuple[str, Trait]]:
    for row in health:
        if row["client_version"]:
            yield row["unit_id"], ("version", row["client_version"])
    for name, column in SAID_BY_EVENTS:
        for row in lake.count_by(EVENTS, ["unit_id", column], where).rows:
            if row[column] is not None and row[column] != -1:
                yield row["unit_id"], (name, str(row[column]))
    for row in lake.count_by(HELD, ["unit_id", "client_kind", "name", "value"], [*where, IS_SETTING]).rows:
        yield row["unit_id"], (f"{row['client_kind'] or 'client'} setting {row['name']}", row["value"])
