"""What is looked at to tell the fleet's incidents is all that is of any."""

from copy import deepcopy

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from expectations import TABLES
from transforms.arrow_rows import values_of
from transforms.diagnose.fleets.fleet import fleet_incidents
from transforms.diagnose.fleets.fleet_candidates import LOOKED_AT, may_be_of_fleet
from transforms.diagnose.incident import Incident

MINUTE_MS = 60_000
KINDS = [
    "requests_unanswered",
    "batches_failed",
    "membership_fenced",
    "streams_died",
    "transaction_aborted",
    "membership_session_expired",
    "broker_killed",
    "broker_restarted",
]
PLACES = [
    "broker:1", "broker:2", "address:a:9092", "address:b:9092", "topic:t", "topic:u", "group:g", "transactional.id:x",
    "cluster:a", "cluster:b",
]  # fmt: skip
SCHEMA = pa.schema([TABLES["gold.incidents"].arrow_schema().field(name) for name in LOOKED_AT])


def _incident(number: int, drawn: tuple[str, int, str | None, list[str], list[str], int, str]) -> Incident:
    kind, unit, service, places, clients, minute, verdict = drawn
    return Incident(
        incident_id=f"i{number}", kind=kind, started_at=minute * MINUTE_MS, ended_at=(minute + 1) * MINUTE_MS,
        title="title", cause="cause", cause_confidence="unknown", verdict=verdict, impact="none", observed_ms=None,
        limit_ms=None, limit_origin=None, advice="advice", client_ids=clients, event_ids=[f"e{number}"], unit_id=f"u{unit}",
        incarnation=0, scope_id=f"u{unit}", service=service, instance=None, places=places,
    )  # fmt: skip


DRAWN = st.tuples(
    st.sampled_from(KINDS),
    st.integers(1, 4),
    st.sampled_from([None, "pay", "ship"]),
    st.lists(st.sampled_from(PLACES), max_size=2, unique=True),
    st.lists(st.sampled_from(["a", "b"]), max_size=1),
    st.integers(0, 3),
    st.sampled_from(["as_designed", "as_designed", "benign", "broken"]),
)


def _rows(incidents: list[Incident]) -> pa.Table:
    rows = [{name: values_of(one)[name] for name in LOOKED_AT} for one in incidents]
    return pa.Table.from_pylist(rows, SCHEMA)


@settings(max_examples=300)
@given(st.lists(DRAWN, max_size=14))
def test_the_fleets_incidents_are_told_by_those_that_may_be_of_it(drawn):
    every = [_incident(number, one) for number, one in enumerate(drawn)]
    likely = set(may_be_of_fleet(_rows(every)).to_pylist())
    told = fleet_incidents(deepcopy(every))
    assert fleet_incidents([deepcopy(one) for one in every if one.incident_id in likely]) == told


def test_what_shares_nothing_is_not_looked_at():
    shared = [_incident(n, ("streams_died", n, "pay", [], ["a"], 0, "as_designed")) for n in (1, 2)]
    alone = _incident(3, ("streams_died", 3, "ship", ["topic:t"], ["a"], 0, "as_designed"))
    assert sorted(may_be_of_fleet(_rows([*shared, alone])).to_pylist()) == ["i1", "i2"]


def test_what_was_of_the_fleets_is_looked_at_again():
    was = _incident(1, ("streams_died", 1, "ship", [], ["a"], 0, "as_designed"))
    was.parent_incident_id = "i0"
    assert may_be_of_fleet(_rows([was])).to_pylist() == ["i1"]
    assert may_be_of_fleet(_rows([])).to_pylist() == []
