"""The fleet's incidents: rows of gold.incidents under the scope `fleet`, and the parents of their members.

Told from what stands in the table, by the function that `explain` uses; so it may be done again at any time.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from expectations import TABLES
from expectations.replacing import PLAN
from expectations.rows import bucket_of
from expectations.sql.conditions import one_of
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from transforms.arrow_rows import dicts_of, values_of
from transforms.diagnose.fleets.fleet import SCOPE, fleet_incidents
from transforms.diagnose.fleets.fleet_candidates import LOOKED_AT, PARENT, may_be_of_fleet
from transforms.diagnose.incident import Incident

TABLE = "gold.incidents"
MOST_NAMED = 500  # more scopes than this are not named in a predicate: the table is written as a whole
COLUMNS = tuple(TABLES[TABLE].column_names)
NAMES = tuple(column.name for column in fields(Incident))
LISTS = ("client_ids", "event_ids", "subject_ids", "rule_ids", "tells_more", "places")


def write_fleet(lake: LakeWriter) -> bool:
    """Put the incidents of several processes together anew, and write what differs; whether anything did.

    Only incidents that may be of the fleet's are read whole: a process may have a hundred thousand others.
    """
    likely = may_be_of_fleet(read_arrow(lake.path(TABLE), LOOKED_AT))
    if not len(likely):
        return False
    stands = read_arrow(lake.path(TABLE), COLUMNS, [("incident_id", "in", likely)])
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
    _write(lake, single, [_row(one, plans) for one in fleets], changed)
    return True


def _write(
    lake: LakeWriter, single: Sequence[Incident], fleets: list[dict[str, Any]], changed: Collection[str]
) -> None:
    """Replace the rows of the scopes that changed, or the table."""
    is_whole = len(changed) > MOST_NAMED
    rows = read_arrow(lake.path(TABLE), COLUMNS, None if is_whole else [("scope_id", "in", sorted(changed))])
    rows = rows.filter(pc.not_equal(rows["scope_id"], SCOPE))
    anew = TABLES[TABLE].arrow_table(fleets if is_whole or SCOPE in changed else [])
    predicate = None if is_whole else one_of("scope_id", sorted(changed))
    lake.overwrite(pa.concat_tables([_with_parents(rows, single), anew]), TABLE, predicate)


def _with_parents(rows: pa.Table, single: Sequence[Incident]) -> pa.Table:
    """Rows of the table in the contract's columns, with the parents that were found; what was not looked at has none."""
    ids = pa.array([one.incident_id for one in single], pa.string())
    parents = pa.array([one.parent_incident_id for one in single], pa.string())
    found = parents.take(pc.index_in(rows["incident_id"], ids).combine_chunks())
    rows = rows.set_column(rows.schema.get_field_index(PARENT), PARENT, found)
    return rows.cast(TABLES[TABLE].arrow_schema())


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
