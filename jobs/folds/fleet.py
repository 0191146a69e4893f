"""The fleet's incidents: rows of gold.incidents under the scope `fleet`, and the parents of their members.

Told from what stands in the table, by the function that `explain` uses; so it may be done again at any time.
"""

from collections.abc import Collection, Mapping, Sequence
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
COLUMNS = tuple(TABLES[TABLE].column_names)
NAMES = tuple(column.name for column in fields(Incident))
LISTS = ("client_ids", "event_ids", "subject_ids", "rule_ids", "tells_more", "places")


def write_fleet(lake: LakeWriter) -> bool:
    """Put the incidents of several processes together anew, and write what differs; whether anything did.

    Of a process that shares no place with another none are read: it may have a hundred thousand.
    """
    joined = _joined(lake)
    if not joined:
        return False
    stands = read_arrow(lake.path(TABLE), COLUMNS, [("unit_id", "in", sorted(joined))])
    is_fleets = pc.equal(stands["scope_id"], SCOPE)
    told = stands.filter(is_fleets)
    single = _incidents(stands.filter(pc.invert(is_fleets)))
    before = [one.parent_incident_id for one in single]
    fleets = fleet_incidents(single)
    changed = {
        one.scope_id for one, parent in zip(single, before, strict=True) if one.parent_incident_id != parent
    }
    if {one.incident_id: one for one in fleets} != {one.incident_id: one for one in _incidents(told)}:
        changed.add(SCOPE)
    if not changed:
        return False
    plans = dict(zip(told["incident_id"].to_pylist(), told[PLAN].to_pylist(), strict=True))
    _write(lake, stands, single, [_row(one, plans) for one in fleets], changed)
    return True


def _write(
    lake: LakeWriter,
    stands: pa.Table,
    single: Sequence[Incident],
    fleets: list[dict[str, Any]],
    changed: Collection[str],
) -> None:
    """Replace the rows of the scopes that changed, or the table. stands: as it was read, fleets' rows and single ones."""
    is_whole = len(changed) > MOST_NAMED
    rows = read_arrow(lake.path(TABLE), COLUMNS) if is_whole else stands
    rows = rows.filter(pc.not_equal(rows["scope_id"], SCOPE))
    if not is_whole:
        rows = rows.filter(pc.is_in(rows["scope_id"], pa.array(changed, pa.string())))
    anew = TABLES[TABLE].arrow_table(fleets if is_whole or SCOPE in changed else [])
    predicate = None if is_whole else one_of("scope_id", sorted(changed))
    lake.overwrite(pa.concat_tables([_with_parents(rows, single), anew]), TABLE, predicate)


def _with_parents(rows: pa.Table, single: Sequence[Incident]) -> pa.Table:
    """Rows of the table in the contract's columns, with the parents that were found; what was not read has none."""
    ids = pa.array([one.incident_id for one in single], pa.string())
    parents = pa.array([one.parent_incident_id for one in single], pa.string())
    found = parents.take(pc.index_in(rows["incident_id"], ids).combine_chunks())
    rows = rows.set_column(rows.schema.get_field_index(PARENT), PARENT, found)
    return rows.cast(TABLES[TABLE].arrow_schema())


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


def _row(incident: Incident, plans: Mapping[str, int | None]) -> dict[str, Any]:
    own = {"unit_bucket": bucket_of(incident.unit_id), PLAN: plans.get(incident.incident_id)}
    return values_of(incident) | own


def _incidents(rows: pa.Table) -> list[Incident]:
    found = []
    for row in dicts_of(rows.select(NAMES).to_batches()):
        for name in LISTS:
            row[name] = row[name] or []
        row["actor"], row["fingerprint"] = row["actor"] or "unknown", row["fingerprint"] or ""
        found.append(Incident(**row))
    return found
