"""The fleet's incidents: rows of gold.incidents under the scope `fleet`, and the parents of their members.

Told from what stands in the table, by the function that `explain` uses; so it may be done again at any time.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from expectations import TABLES
from jobs.storage.lake import LakeWriter, read_arrow
from jobs.storage.replacing import PLAN
from jobs.storage.rows import bucket_of, dicts_of, one_of, values_of
from transforms.diagnose.fleet import SCOPE, fleet_incidents
from transforms.diagnose.incident import Incident

TABLE = "gold.incidents"
PARENT = "parent_incident_id"
MOST_NAMED = 500  # more scopes than this are not named in a predicate: the table is written as a whole
NAMES = tuple(column.name for column in fields(Incident))
ById = Mapping[str, Incident]
LISTS = ("client_ids", "event_ids", "subject_ids", "rule_ids", "tells_more", "places")


def write_fleet(lake: LakeWriter) -> bool:
    """Put the incidents of several processes together anew, and write what differs; whether anything did.

    Of a process that shares no place with another none are read: it may have a hundred thousand.
    """
    joined = _joined(lake)
    if not joined:
        return False
    stood, plans = _incidents(lake, [("unit_id", "in", sorted(joined))])
    before, after = _before_and_after(stood)
    changed = _changed(before, after)
    if not changed:
        return False
    is_whole = len(changed) > MOST_NAMED
    if is_whole:
        stood, plans = _incidents(lake)
        _, after = _before_and_after(stood)
    rows = [_row(row, plans) for row in after.values() if is_whole or row.scope_id in changed]
    predicate = None if is_whole else one_of("scope_id", sorted(changed))
    made = TABLES[TABLE].arrow_table(rows)
    lake.overwrite(made, TABLE, predicate)
    return True


def _joined(lake: LakeWriter) -> set[str]:
    """The processes that share a place or a service, whose incidents may be of the fleet's; and those that were."""
    rows = read_arrow(lake.path(TABLE), ["unit_id", "service", "places", "parent_incident_id"])
    rows = rows.combine_chunks()
    units = rows["unit_id"]
    of_place = units.take(pc.list_parent_indices(rows["places"]))
    met = pa.table(
        {
            "unit_id": pa.chunked_array([*of_place.chunks, *units.chunks], pa.string()),
            "place": pa.chunked_array(
                [*pc.list_flatten(rows["places"]).chunks, *rows["service"].chunks], pa.string()
            ),
        }
    )
    pairs = met.filter(pc.is_valid(met["place"])).group_by(["unit_id", "place"]).aggregate([])
    shared = pairs.group_by("place").aggregate([("unit_id", "count")])
    shared = shared.filter(pc.greater(shared["unit_id_count"], 1))["place"]
    joined = pairs.filter(pc.is_in(pairs["place"], shared.combine_chunks()))["unit_id"]
    were = units.filter(pc.or_(pc.is_valid(rows["parent_incident_id"]), pc.equal(units, SCOPE)))
    return {*joined.to_pylist(), *were.to_pylist()}


def _before_and_after(stood: Sequence[Incident]) -> tuple[ById, ById]:
    """By id, as they stand, and as they are put together anew."""
    single = [copy(one) for one in stood if one.scope_id != SCOPE]
    after = [*fleet_incidents(single), *single]
    return {one.incident_id: one for one in stood}, {one.incident_id: one for one in after}


def _changed(before: ById, after: ById) -> set[str]:
    """The scopes of rows that differ."""
    return {
        row.scope_id
        for one in before.keys() | after.keys()
        if before.get(one) != after.get(one)
        for row in (before.get(one), after.get(one))
        if row is not None
    }


def _row(incident: Incident, plans: Mapping[str, int | None]) -> dict[str, Any]:
    own = {"unit_bucket": bucket_of(incident.unit_id), PLAN: plans.get(incident.incident_id)}
    return values_of(incident) | own


def _incidents(
    lake: LakeWriter, filters: list[tuple[str, str, Any]] | None = None
) -> tuple[list[Incident], dict[str, int | None]]:
    """Incidents, and the plans of their rows by id."""
    found, plans = [], {}
    for row in dicts_of(read_arrow(lake.path(TABLE), [*NAMES, PLAN], filters).to_batches()):
        plans[row["incident_id"]] = row.pop(PLAN)
        row |= {name: list(row[name] or ()) for name in LISTS}
        row |= {"actor": row["actor"] or "unknown", "fingerprint": row["fingerprint"] or ""}
        found.append(Incident(**row))
    return found, plans
