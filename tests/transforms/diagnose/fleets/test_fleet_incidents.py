"""Incidents of several processes that are one; faults on different brokers stay apart."""

import random
from dataclasses import replace

import pytest

from tests.story import line, story_of
from transforms.diagnose.fleets.fleet import SCOPE, fleet_incidents
from transforms.diagnose.incident import Incident, incident_id

T = 1_777_800_000_000
NETWORK = "org.apache.kafka.clients.NetworkClient"


def incident(process, kind="connect_failed", places=("broker:1",), at=0, lasted=5_000, **more):
    known = Incident(
        incident_id=incident_id(process, kind, f"{places}{at}"), kind=kind, started_at=T + at, ended_at=T + at + lasted,
        title="t", cause="c", cause_confidence="inferred", verdict="as_designed", impact="delayed", observed_ms=None,
        limit_ms=None, limit_origin=None, advice="a", client_ids=[f"client-{process}"], event_ids=[f"e-{process}-{at}"],
        unit_id=process, incarnation=0, scope_id=process, service=f"app-{process}", instance=process, actor="broker",
        places=list(places),
    )  # fmt: skip
    return replace(known, **more)


def test_one_outage_over_200_clients_is_one_incident():
    found = [incident(f"p{number}", at=number * 10) for number in range(200)]
    found += [
        incident(f"p{number}", "batches_expired", ["topic:orders"], at=3_000, impact="lost")
        for number in range(50)
    ]
    random.Random(1).shuffle(found)
    (fleet,) = fleet_incidents(found)
    assert (fleet.kind, fleet.scope_id, fleet.actor, fleet.impact) == (
        "fleet_broker",
        SCOPE,
        "broker",
        "lost",
    )
    assert "200 clients of 200 processes" in fleet.title
    assert {one.parent_incident_id for one in found} == {fleet.incident_id}
    assert len(fleet.subject_ids) == 250


@pytest.mark.parametrize(
    ("actor", "times", "first"),
    [("application", {}, "See by the broker's own log"), ("broker", {}, "a"),
     ("application", {"started_at": None, "ended_at": None}, "a")],
)  # fmt: skip
def test_who_runs_the_broker_is_sent_to_it_before_what_its_clients_do(actor, times, first):
    (fleet,) = fleet_incidents(
        incident(process, "batches_expired", actor=actor, impact="lost", **times) for process in ("p1", "p2")
    )
    assert fleet.advice.startswith(first)
    assert fleet.advice.endswith("a")
    assert fleet.actor == (actor if times else "broker")


def test_members_are_told_by_what_ended_them_not_by_what_they_learnt_of_it():
    of_group = {"places": ["group:orders"]}
    found = [
        incident(one, "commit_refused", at=4_000, impact="duplicated", cause="not told", **of_group)
        for one in ("p1", "p2")
    ]
    found.append(incident("p1", "membership_poll_expired", cause="slow", actor="application", **of_group))
    (fleet,) = fleet_incidents(found)
    assert (fleet.cause.endswith("slow"), fleet.actor, fleet.impact) == (True, "application", "duplicated")


def away(kind, at=1_000, lasted=4_000, **more):
    """What broker 1 tells of its absence itself."""
    told = {"title": "Broker 1 was away", "cause": "why", "advice": "see", "client_ids": [], "impact": "none"}
    verdict = "as_designed" if kind == "broker_killed" else "benign"
    return incident("broker", kind, at=at, lasted=lasted, verdict=verdict, **(told | more))


@pytest.mark.parametrize("kind", ["broker_killed", "broker_restarted", "broker_began_anew"])
def test_a_broker_that_tells_of_its_absence_itself_is_the_cause(kind):
    members = {"places": ["group:orders"], "impact": "delayed"}
    evicted = [
        incident("broker", "membership_session_expired", at=9_000 + n, client_ids=[f"m{n}"], **members)
        for n in range(4)
    ]
    others = [incident(f"p{n}", "commit_refused", at=9_500, **members) for n in range(4)]
    own, lost = away(kind), incident("p1")
    (fleet,) = (one for one in fleet_incidents([lost, own, *evicted, *others]) if one.kind == "fleet_broker")
    assert fleet.title.startswith("Broker 1 was away; 5 clients of 1 process had trouble with it")
    assert "broker" not in fleet.title.partition("trouble with it")[2]
    assert fleet.cause == "The broker's own log tells it. why"
    assert fleet.advice == ("see" if kind != "broker_restarted" else fleet.advice)
    assert own.parent_incident_id == fleet.incident_id
    assert {one.parent_incident_id for one in evicted} == {fleet.incident_id}
    assert fleet.event_ids[0] == own.event_ids[0]


@pytest.mark.parametrize(("at", "is_part"), [(9_000, True), (300_000, False)])
def test_whom_a_harmless_line_shows_to_have_lost_the_broker_it_cost_a_membership(at, is_part):
    seen = incident("p2", "fetches_cut_off", at=1_500, lasted=0, verdict="benign")
    gone = incident("p2", "membership_session_expired", ["group:orders"], at=at)
    (fleet,) = fleet_incidents([away("broker_killed"), incident("p1"), seen, gone])
    assert (gone.parent_incident_id == fleet.incident_id) is is_part
    assert seen.parent_incident_id is None
    later = replace(seen, started_at=T + 30_000, ended_at=T + 30_000)  # the broker was back
    fleet_incidents([away("broker_killed"), incident("p1"), later, gone])
    assert gone.parent_incident_id is None
    fleet_incidents([incident("p1"), incident("p3"), seen, gone])  # no broker tells that it was away
    assert gone.parent_incident_id is None


def test_a_member_that_was_out_before_its_broker_went_is_out_for_something_else():
    found = [away("broker_restarted", at=30_000), incident("p1", at=30_500)]
    out = [
        incident("p1", "membership_unknown", ["group:orders"], at=at, lasted=45_000, client_ids=["client-p1"])
        for at in (5_000, 31_000)
    ]
    (fleet,) = fleet_incidents([*found, *out])
    assert [one.parent_incident_id == fleet.incident_id for one in out] == [False, True]


def test_a_broker_that_answered_nobody_is_one_incident_of_all_that_it_cost():
    silent = [
        incident("p1", "session_timed_out", ["broker:1", "group:orders"], actor="unknown"),
        incident("p2", "membership_session_expired", ["broker:1", "group:orders"], at=8_000, actor="unknown"),
        incident("p3", "batches_expired", ["broker:1", "topic:orders"], at=-2_000),
    ]
    cut_short = {"places": ["transactional.id:pay"], "actor": "application", "at": 9_000}
    fenced = incident("p3", "producer_fenced", **cut_short)
    aborted = incident("broker", "transaction_timed_out", client_ids=[], **cut_short)
    elsewhere = replace(
        aborted, incident_id="x", unit_id="other", places=["transactional.id:pay", "cluster:two"]
    )
    for one in (*silent, fenced, aborted):
        one.places.append("cluster:one")
    (fleet,) = fleet_incidents([*silent, fenced, aborted, elsewhere])
    assert (fleet.kind, fleet.places[0]) == ("fleet_broker", "broker:1")
    assert elsewhere.parent_incident_id != fleet.incident_id
    assert {one.parent_incident_id for one in (*silent, fenced, aborted)} == {fleet.incident_id}


def test_a_transaction_that_ran_out_of_time_once_the_broker_was_back_is_its_producers_doing():
    lost = [incident("p1", lasted=1_000), incident("p2", lasted=1_000)]
    later = incident("p1", "transaction_timed_out", ["transactional.id:pay"], at=30_000, actor="application")
    fleet_incidents([*lost, later])
    assert later.parent_incident_id is None


def test_records_that_ran_out_of_time_while_a_broker_was_away_are_told_with_it():
    places = ["broker:1", "topic:orders"]
    lost = [incident(f"p{n}", "batches_expired", places, at=2_000, impact="lost") for n in range(2)]
    (fleet,) = fleet_incidents([away("broker_killed"), *lost])
    assert (fleet.kind, fleet.impact) == ("fleet_broker", "lost")
    assert fleet.title.endswith("batches expired (2)")
    (alone,) = fleet_incidents([replace(one, places=["topic:orders"]) for one in lost])
    assert alone.kind == "fleet_topic"


def test_an_absence_that_nobody_met_is_no_fleets():
    own = [away("broker_killed"), replace(away("broker_restarted"), unit_id="another", scope_id="another")]
    assert fleet_incidents(own) == []
    assert fleet_incidents([away("broker_restarted"), incident("p1", places=["broker:2"])]) == []
    assert fleet_incidents([away("broker_restarted", at=600_000), incident("p1")]) == []


@pytest.mark.parametrize(("kind", "is_part"), [("commit_timed_out", True), ("other", False)])
def test_what_names_no_client_is_of_its_process(kind, is_part):
    said = incident("p1", kind, [], at=2_000, client_ids=[])
    elsewhere = incident("p9", kind, [], at=2_000, client_ids=[])
    (fleet,) = fleet_incidents([away("broker_restarted"), incident("p1"), incident("p2"), said, elsewhere])
    assert (said.parent_incident_id == fleet.incident_id) is is_part
    assert elsewhere.parent_incident_id is None


def test_what_an_application_did_itself_is_no_effect_of_a_broker():
    slow = incident("p1", "membership_poll_expired", ["group:g"], actor="application")
    (fleet,) = fleet_incidents([incident("p1"), incident("p2"), slow])
    assert slow.parent_incident_id is None
    assert len(fleet.subject_ids) == 2


@pytest.mark.parametrize(
    ("at", "is_part"),
    [pytest.param(4_000, True, id="while it was away"), pytest.param(35_000, False, id="after")],
)
def test_what_a_broker_that_is_back_refuses_for_a_setting_is_no_effect_of_its_absence(at, is_part):
    refused = incident("p1", "batches_failed", ["topic:bills"], at=at, actor="settings")
    (fleet,) = fleet_incidents([incident("p1"), incident("p2"), refused])
    assert (refused.parent_incident_id == fleet.incident_id) is is_part


def test_of_kinds_as_often_the_one_that_cost_most_gives_the_cause():
    at = {"places": ["group:orders"]}
    small = incident("a", "commit_epoch_stale", impact="unknown", cause="small", **at)
    (fleet,) = fleet_incidents(
        [small, incident("b", "membership_session_expired", at=10, cause="great", **at)]
    )
    assert "great" in fleet.cause


def test_the_end_of_a_membership_gives_the_cause_and_not_a_commit_that_came_of_it():
    at = {"places": ["group:orders"]}
    ended = incident("a", "membership_poll_expired", impact="delayed", cause="first", **at)
    refused = incident("b", "commit_refused", at=10, impact="duplicated", cause="later", **at)
    assert "The first of them: first" in fleet_incidents([ended, refused])[0].cause


def test_lines_that_name_no_client_are_told_of_their_processes():
    (fleet,) = fleet_incidents([incident(f"p{number}", client_ids=[]) for number in range(3)])
    assert fleet.title.startswith("3 processes had trouble with ")


def test_what_a_coordinator_refuses_and_the_member_that_met_it_are_one():
    at = {"places": ["group.instance.id:node-a"]}
    found = [incident("broker", "static_member_replaced", **at), incident("app", "member_fenced", **at)]
    (fleet,) = fleet_incidents(found)
    assert (fleet.kind, "group.instance.id node-a" in fleet.title) == ("fleet_group", True)


def test_faults_that_overlap_on_different_brokers_stay_two():
    found = [incident(f"p{number}", places=[f"broker:{1 + number % 2}"]) for number in range(8)]
    fleets = fleet_incidents(found)
    assert sorted(fleet.places[0] for fleet in fleets) == ["broker:1", "broker:2"]
    assert [len(fleet.subject_ids) for fleet in fleets] == [4, 4]


@pytest.mark.parametrize(
    "found",
    [
        pytest.param([incident("p1")], id="one process"),
        pytest.param([incident("p1"), incident("p1", at=20_000)], id="one process twice"),
        pytest.param([incident("p1"), incident("p2", at=3_600_000)], id="another hour"),
        pytest.param([incident("p1"), incident("p2", verdict="benign")], id="the other is normal"),
        pytest.param(
            [incident("p1", "other", []), incident("p2", "other", [])], id="other applications' own lines"
        ),
        pytest.param([], id="nothing"),
    ],
)
def test_what_is_no_fleets(found):
    assert fleet_incidents(found) == []
    assert {one.parent_incident_id for one in found} <= {None}


def test_an_address_is_the_broker_that_it_is_known_to_be():
    found = [
        incident("p1", places=["address:kafka1:9092", "broker:1"]),
        incident("p2", places=["address:kafka1:9092"]),
        incident("p3", places=["broker:1"]),
    ]
    (fleet,) = fleet_incidents(found)
    assert (fleet.places, len(fleet.subject_ids)) == (["broker:1"], 3)


@pytest.mark.parametrize(
    ("address", "is_each_hosts_own"),
    [("localhost:9092", True), ("127.0.0.1:9092", True), ("kafka1:9092", False)],
)
def test_a_name_that_each_host_has_for_itself_is_told_to_be_one(address, is_each_hosts_own):
    (fleet,) = fleet_incidents([incident(name, places=[f"address:{address}"]) for name in ("p1", "p2")])
    assert ("Each host has its own of that name" in fleet.cause) == is_each_hosts_own


@pytest.mark.parametrize(
    ("kind", "place", "fleet_kind"),
    [
        ("topic_missing", "topic:orders", "fleet_topic"),
        ("membership_poll_expired", "group:orders", "fleet_group"),
        ("out_of_memory", None, "fleet_application"),
    ],
)
def test_topics_groups_and_applications(kind, place, fleet_kind):
    found = [incident(name, kind, [place] if place else [], service="billing") for name in ("p1", "p2")]
    (fleet,) = fleet_incidents(found)
    assert fleet.kind == fleet_kind
    assert fleet.service == "billing"


@pytest.mark.parametrize(
    ("actor", "is_its_own"),
    [("application", True), ("settings", True), ("broker", False), ("network", False)],
)
def test_what_others_have_to_mend_is_not_laid_to_the_application_that_met_it(actor, is_its_own):
    found = [
        incident(name, "not_enough_replicas", [], service="billing", actor=actor) for name in ("p1", "p2")
    ]
    (fleet,) = fleet_incidents(found)
    assert (
        fleet.title
        == "2 clients of 2 processes of application billing had trouble for 5 s: not enough replicas (2)"
    )
    assert ("its code, its settings" in fleet.cause) is is_its_own


def test_a_broker_that_refuses_writes_says_why_its_topics_producers_had_trouble():
    refused = incident(
        "broker", "not_enough_replicas", ["topic:orders"], client_ids=[], cause="too few", advice="mend"
    )
    met = [incident(f"p{n}", "batch_expired", ["topic:orders"], at=n, impact="lost") for n in range(3)]
    (fleet,) = fleet_incidents([refused, *met])
    assert (fleet.kind, fleet.places) == ("fleet_topic", ["topic:orders"])
    assert fleet.cause.endswith("The first of them: too few")
    assert fleet.advice == "mend"
    assert {one.parent_incident_id for one in (refused, *met)} == {fleet.incident_id}


def test_it_depends_on_no_order_and_done_twice_changes_nothing():
    found = [incident(f"p{number}", at=number * 1_000) for number in range(6)]
    first = fleet_incidents(found)
    random.Random(3).shuffle(found)
    assert fleet_incidents(found) == first


def test_logs_of_two_processes_tell_it():
    refused = (
        "Connection to node 1 (kafka1/10.0.0.1:9092) could not be established. Node may not be available."
    )
    log = "\n".join(
        line(at, "WARN", NETWORK, f"[Consumer clientId=consumer-1, groupId=orders] {refused}")
        for at in (0, 900)
    )
    found = story_of({"a": f"{log}\n", "b": f"{log}\n "})
    (fleet,) = found.fleet
    assert fleet.places == ["broker:1"]
    assert [one.parent_incident_id for one in found.incidents] == [fleet.incident_id] * 2


def test_brokers_of_two_clusters_are_two_though_they_bear_one_number():
    first, second = (["broker:1", f"cluster:{name}"] for name in ("a", "b"))
    own, lost = away("broker_killed", places=first), [incident(f"p{n}", places=first) for n in range(2)]
    others = [incident(f"q{n}", places=second) for n in range(3)]
    fleets = fleet_incidents([own, *lost, *others])
    assert [len(one.subject_ids) for one in fleets] == [3, 3]
    assert len({one.parent_incident_id for one in others} | {own.parent_incident_id}) == 2
    assert {one.parent_incident_id for one in lost} == {own.parent_incident_id}


def test_what_tells_no_cluster_is_of_the_only_one():
    own, lost = away("broker_killed", places=["broker:1", "cluster:a"]), incident("p1")
    assert [len(one.subject_ids) for one in fleet_incidents([own, lost])] == [2]
    others = [incident(f"q{n}", places=["broker:1", "cluster:b"]) for n in range(2)]
    assert [len(one.subject_ids) for one in fleet_incidents([own, lost, *others])] == [2]
    assert (own.parent_incident_id, lost.parent_incident_id) == (None, None)


def test_a_harmless_line_of_another_cluster_shows_no_loss_of_this_one():
    seen = incident("p2", "fetches_cut_off", ["broker:1", "cluster:b"], at=1_500, verdict="benign")
    gone = incident("p2", "membership_session_expired", ["group:orders", "cluster:b"], at=9_000)
    fleet_incidents([away("broker_killed", places=["broker:1", "cluster:a"]), incident("p1"), seen, gone])
    assert gone.parent_incident_id is None
