"""The fleet's incidents: rows of gold.incidents under the scope `fleet`, and the parents of their members.

Told from what stands in the table, by the function that `explain` uses; so it may be done again at any time.
"""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from expectations import TABLES
from jobs.storage.lake import LakeWriter, read_arrow
from jobs.storage.rows import bucket_of, dicts_of, one_of
from transforms.diagnose.fleet import SCOPE, fleet_incidents
from transforms.diagnose.incident import Incident

TABLE = "gold.incidents"
PARENT = "parent_incident_id"
MOST_NAMED = 500  # more scopes than this are not named in a predicate: the table is written as a whole
NAMES = tuple(column.name for column in fields(Incident))
LISTS = ("client_ids", "event_ids", "subject_ids", "rule_ids", "tells_more", "places")


def write_fleet(lake: LakeWriter) -> bool:
    """Put the incidents of several processes together anew, and write what differs; whether anything did."""
    stood = _incidents(lake)
    before = {one.incident_id: asdict(one) for one in stood}
    single = [one for one in stood if one.scope_id != SCOPE]
    after = {one.incident_id: asdict(one) for one in [*fleet_incidents(single), *single]}
    changed = {
        row["scope_id"]
        for one in before.keys() | after.keys()
        if before.get(one) != after.get(one)
        for row in (before.get(one), after.get(one))
        if row is not None
    }
    if not changed:
        return False
    is_whole = len(changed) > MOST_NAMED
    rows = [_row(row) for row in after.values() if is_whole or row["scope_id"] in changed]
    predicate = None if is_whole else one_of("scope_id", sorted(changed))
    made = TABLES[TABLE].arrow_table(rows)
    lake.overwrite(made, TABLE, predicate)
    return True


def _row(incident: Mapping[str, Any]) -> dict[str, Any]:
    return dict(incident) | {"unit_bucket": bucket_of(incident["unit_id"])}


def _incidents(lake: LakeWriter) -> list[Incident]:
    found = []
    for row in dicts_of(read_arrow(lake.path(TABLE), list(NAMES)).to_batches()):
        row |= {name: list(row[name] or ()) for name in LISTS}
        row |= {"actor": row["actor"] or "unknown", "fingerprint": row["fingerprint"] or ""}
        found.append(Incident(**row))
    return found
