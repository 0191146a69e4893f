"""Which incidents may be of the fleet's, by a few columns of all of them: those that share a place, and their effects.

A superset of what `fleet_incidents` puts together, by the places that it joins incidents by: what shares none is in no
cluster of several processes. So nothing else need be read.
"""

import pyarrow as pa
import pyarrow.compute as pc

from transforms.diagnose.causes.brokers import ABSENCES
from transforms.diagnose.fleets.fleet import SCOPE
from transforms.diagnose.fleets.fleet_clusters import SERVICE, joined_by
from transforms.diagnose.fleets.fleet_effects import EVICTED

PARENT = "parent_incident_id"
LOOKED_AT = (
    "incident_id", "kind", "scope_id", "unit_id", "service", "verdict", "places", "client_ids", PARENT,
)  # fmt: skip
# An address may be another name of a broker (fleet_clusters): all incidents that name both tell which.
OF_BROKERS = ("broker", "address")


def may_be_of_fleet(rows: pa.Table) -> pa.Array:
    """Ids of the incidents that share a place with another process's, of all that clients of a shared broker met, or their
    processes without naming one, and of what is the fleet's or was. rows: LOOKED_AT of all incidents."""
    rows = rows.combine_chunks()
    joined = _joined(rows)
    met = joined.filter(pc.is_in(joined["place"], _shared(joined)))
    lost = met.filter(_is_of_broker(met["place"]))["incident_id"]
    witnesses = _witnesses(rows)
    clients = _each(rows, "client_ids")
    whose = pc.binary_join_element_wise(clients["unit_id"], clients["client_ids"], " ")
    losing = pa.chunked_array([*lost.chunks, *witnesses.chunks], pa.string())
    losers = pc.unique(whose.filter(pc.is_in(clients["incident_id"], pc.unique(losing))))
    effects = clients["incident_id"].filter(pc.is_in(whose, losers))
    is_losers = pc.is_in(rows["unit_id"], _units_of(rows, losing))
    is_nobodys = pc.equal(pc.list_value_length(rows["client_ids"]), 0)
    nobodys = rows.filter(pc.and_(is_losers, is_nobodys))["incident_id"]
    of_absent = rows.filter(pc.and_(pc.is_in(rows["incident_id"], lost), _is_absence(rows)))["unit_id"]
    is_evicted = pc.and_(pc.equal(rows["kind"], EVICTED), pc.is_in(rows["unit_id"], pc.unique(of_absent)))
    evicted = rows.filter(is_evicted)["incident_id"]
    were = rows.filter(pc.or_(pc.is_valid(rows[PARENT]), pc.equal(rows["scope_id"], SCOPE)))["incident_id"]
    found = (met["incident_id"], witnesses, effects, nobodys, evicted, were)
    return pc.unique(pa.chunked_array([chunk for ids in found for chunk in ids.chunks], pa.string()))


def _is_absence(rows: pa.Table) -> pa.ChunkedArray:
    return pc.is_in(rows["kind"], pa.array(ABSENCES, pa.string()))


def _units_of(rows: pa.Table, ids: pa.ChunkedArray) -> pa.Array:
    return pc.unique(rows.filter(pc.is_in(rows["incident_id"], pc.unique(ids)))["unit_id"])


def _witnesses(rows: pa.Table) -> pa.ChunkedArray:
    """Ids of all that name a broker which tells itself that it was away: its clients lost it, harmless though it was."""
    absent = pc.unique(_each(rows.filter(_is_absence(rows)).combine_chunks(), "places")["places"])
    named = _each(rows if len(absent) else rows.slice(0, 0), "places")  # nearly always no broker was away
    return named["incident_id"].filter(pc.is_in(named["places"], absent))


def _joined(rows: pa.Table) -> pa.Table:
    """incident_id, unit_id and place of all that may join an incident with others."""
    is_told = pc.or_(pc.not_equal(rows["verdict"], "benign"), _is_absence(rows))
    is_trouble = pc.and_(is_told, pc.not_equal(rows["scope_id"], SCOPE))
    troubles = rows.filter(is_trouble).combine_chunks()
    named = _each(troubles, "places").rename_columns({"places": "place"})
    # An application joins those of one kind.
    services = pc.binary_join_element_wise(f"{SERVICE}:", troubles["service"], " ", troubles["kind"], "")
    of_services = troubles.append_column("place", services).filter(pc.is_valid(services))
    names = ["incident_id", "unit_id", "kind", "place"]
    both = pa.concat_tables([named.select(names), of_services.select(names)])
    joins = [
        f"{kind} {place}"
        for kind in pc.unique(both["kind"]).to_pylist()
        for place in {*joined_by(kind), *OF_BROKERS}
    ]
    place_kind = pc.replace_substring_regex(both["place"], "(?s):.*", "")
    of_kind = pc.binary_join_element_wise(both["kind"], place_kind, " ")
    return both.filter(pc.is_in(of_kind, pa.array(joins, pa.string())))


def _shared(joined: pa.Table) -> pa.Array:
    """The places of several processes, and the brokers and addresses that are named beside one of them."""
    pairs = joined.group_by(["place", "unit_id"]).aggregate([])
    counted = pairs.group_by("place").aggregate([("unit_id", "count")])
    shared = counted.filter(pc.greater(counted["unit_id_count"], 1))["place"].combine_chunks()
    of_brokers = joined.filter(_is_of_broker(joined["place"]))
    while True:
        met = of_brokers.filter(pc.is_in(of_brokers["place"], shared))["incident_id"]
        beside = of_brokers.filter(pc.is_in(of_brokers["incident_id"], pc.unique(met)))["place"]
        more = pc.unique(beside.filter(pc.invert(pc.is_in(beside, shared))))
        if not len(more):
            return shared
        shared = pa.concat_arrays([shared, more])


def _is_of_broker(places: pa.ChunkedArray) -> pa.ChunkedArray:
    first, second = (pc.starts_with(places, f"{name}:") for name in OF_BROKERS)
    return pc.or_(first, second)


def _each(rows: pa.Table, name: str) -> pa.Table:
    """A row for each entry of a list, in the list's place. rows: in one chunk."""
    others = [one for one in rows.column_names if one != name]
    entries = rows.select(others).take(pc.list_parent_indices(rows[name]))
    return entries.append_column(name, pc.list_flatten(rows[name]))
