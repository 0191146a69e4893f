"""The largest of the fleet's incidents is told first; what an index finds is what a look at each finds."""

from collections import defaultdict
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cpu import least_cpu_s, takes_less
from tests.transforms.diagnose.fleets.test_fleet_incidents import incident
from transforms.diagnose.fleets.fleet import fleet_incidents
from transforms.diagnose.fleets.fleet_clusters import NEAR_MS, Clusters
from transforms.diagnose.fleets.fleet_effects import Effects

KINDS = ["connect_failed", "coordinator_lost", "batches_expired", "membership_poll_expired", "out_of_memory"]
PLACES = ["broker:1", "broker:2", "address:h1:9092", "address:h2:9092", "topic:orders", "group:g"]


@st.composite
def histories(draw):
    """Incidents of a few processes and clients within a few minutes, some without a time, some without an end."""
    found = []
    for number in range(draw(st.integers(0, 14))):
        at = draw(st.none() | st.integers(0, 6 * NEAR_MS))
        lasted = draw(st.none() | st.integers(0, 3 * NEAR_MS))
        found.append(
            incident(
                draw(st.sampled_from(["p1", "p2", "p3", "p4"])),
                draw(st.sampled_from(KINDS)),
                draw(st.lists(st.sampled_from(PLACES), max_size=2, unique=True)),
                incident_id=f"i{number}",
                started_at=at,
                ended_at=None if at is None or lasted is None else at + lasted,
                client_ids=draw(st.lists(st.sampled_from(["c1", "c2"]), max_size=2, unique=True)),
                service=draw(st.sampled_from([None, "billing"])),
            )
        )
    return sorted(found, key=lambda one: (one.started_at is not None, one.started_at or 0, one.incident_id))


@settings(max_examples=150)
@given(histories())
def test_what_is_left_clusters_as_if_nothing_else_had_been(found):
    found = [
        one for one in found if not any(it.startswith("address:") for it in one.places)
    ]  # a name is of all
    clusters, left = Clusters(found), found
    while cluster := clusters.largest():
        anew = Clusters(left).largest()
        assert (cluster.key, cluster.members) == (anew.key, anew.members)
        clusters.take(cluster.members)
        left = [one for one in left if one not in cluster.members]
    assert Clusters(left).largest() is None


def overlap(one, other):
    if one.started_at is None or other.started_at is None:
        return False  # what came of it can't be told
    return (
        one.started_at <= (other.ended_at or other.started_at) + NEAR_MS
        and other.started_at <= (one.ended_at or one.started_at) + NEAR_MS
    )


@settings(max_examples=150)
@given(histories())
def test_effects_are_those_that_a_look_at_each_finds(found):
    effects, clusters = Effects(found), Clusters(found)
    while cluster := clusters.largest():
        causes = defaultdict(list)
        for one in cluster.members:
            for client_id in (*one.client_ids, None):
                causes[one.unit_id, client_id].append(one)
        brokers = {it for it in PLACES if it.startswith("broker:")} - {cluster.key[1]}
        looked_at = [
            one
            for one in found
            if cluster.key[0] == "connection"
            and one not in cluster.members
            and not (
                cluster.key[1].startswith("broker:")
                and brokers.intersection(one.places)
                and cluster.key[1] not in one.places
            )
            and any(
                overlap(one, it) for client in one.client_ids or [None] for it in causes[one.unit_id, client]
            )
        ]
        assert effects.of(cluster) == looked_at
        clusters.take(cluster.members)


def test_an_incident_without_a_time_is_of_no_time_that_is_known():
    without = [replace(incident(name), started_at=None, ended_at=None) for name in ("p1", "p2")]
    timed = [incident(name, at=9, started_at=0, ended_at=0) for name in ("p1", "p2")]
    fleets = fleet_incidents([*without, *timed])
    assert [(fleet.started_at, len(fleet.subject_ids)) for fleet in fleets] == [(None, 2), (0, 2)]
    undated, dated = fleets
    assert "in the same time: it is the broker" in dated.cause
    assert "it is the broker" not in undated.cause
    assert "whether in the same time these lines, which have none, do not tell" in undated.cause
    assert (undated.cause_confidence, dated.cause_confidence) == ("unknown", "inferred")


def test_what_a_lake_of_many_outages_costs_grows_as_they_do():
    def outages(number):
        return [
            incident(f"p{process}", at=outage * 10 * NEAR_MS, client_ids=["c"])
            for outage in range(number)
            for process in range(4)
        ]

    few, many = outages(200), outages(3_200)
    assert len(fleet_incidents(many)) == 3_200
    few_s = least_cpu_s(lambda: fleet_incidents(few))
    assert takes_less(lambda: fleet_incidents(many), 16 * 4 * few_s)
