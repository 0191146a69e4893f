"""Incidents put together: one fault, what followed, whom else it met."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cpu import least_cpu_s
from transforms.diagnose.fleets import faults as folding
from transforms.diagnose.fleets.faults import Place, faults
from transforms.diagnose.incident import Incident

MINUTE = 60_000


def incident(name, kind, at=None, until=None, client="c", unit="u", **more):
    return Incident(
        **{
            "incident_id": name, "kind": kind, "started_at": at, "ended_at": until, "title": name, "cause": "",
            "cause_confidence": "proven", "verdict": "as_designed", "impact": "delayed", "observed_ms": None,
            "limit_ms": None, "limit_origin": None, "advice": "", "client_ids": [client] if client else [],
            "event_ids": [], "unit_id": unit, "incarnation": 0, "scope_id": unit, "service": unit, "instance": None,
            "fingerprint": name,
        } | more
    )  # fmt: skip


def told(*incidents, places=None):
    return [
        (fault.cause.title, [one.title for one in fault.effects], [one.title for one in fault.others])
        for fault in faults(incidents, places or {})
    ]


def test_a_refused_commit_after_a_kick_out_is_its_effect():
    kicked = incident("kicked", "membership_poll_expired", MINUTE, 2 * MINUTE)
    refused = incident("refused", "commit_refused", MINUTE + 5, MINUTE + 5)
    assert told(refused, kicked) == [("kicked", ["refused"], [])]


@pytest.mark.parametrize(("group", "effects"), [("pay", ["storm"]), ("bills", [])])
def test_what_another_group_did_is_no_part_of_it(group, effects):
    kicked = incident("kicked", "membership_poll_expired", MINUTE, 2 * MINUTE, places=["group:pay"])
    storm = incident(
        "storm", "rebalance_storm", MINUTE + 5, MINUTE + 9, client=None, places=[f"group:{group}"]
    )
    assert told(storm, kicked)[0] == ("kicked", effects, [])


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ("auth_failed", "batch_expired"),
        ("tls_failed", "batches_expired"),
        ("certificate_expired", "connection_not_made"),
        ("login_failed", "metadata_timed_out"),
        ("listener_missing", "batch_expired"),
        ("not_authorized", "metadata_timed_out"),
        ("requests_given_up", "library_error"),
        ("not_registry_bytes", "connect_task_stays"),
        ("connect_task_killed", "connect_task_stays"),
        ("plugin_missing", "connect_failed_to_start"),
        ("connect_orphan", "connect_flush_timed_out"),
        ("membership_fenced", "member_fenced"),
        ("membership_fenced", "client_fatal"),
        ("producer_fenced", "ended_with_messages"),
        ("protocol_doubted", "metadata_timed_out"),
        ("session_timed_out", "membership_unknown"),
        ("membership_unknown", "requests_unanswered"),
        ("membership_unknown", "commit_timed_out"),
        ("membership_session_expired", "connection_not_made"),
        ("connect_failed", "coordinator_moved"),
        ("connect_failed", "heartbeat_refused"),
        ("task_stalled", "requests_unanswered"),
        ("task_stalled", "streams_revived"),
        ("streams_thread_died", "requests_unanswered"),
        ("leader_loop_expired", "admin_timed_out"),
        ("global_thread_stalled", "requests_unanswered"),
        ("requests_unanswered", "commit_timed_out"),
        ("requests_unanswered", "produce_cut_off"),
        ("requests_unanswered", "init_transactions_timed_out"),
        ("produce_cut_off", "disconnected"),
        ("admin_timed_out", "request_timed_out"),
        ("membership_poll_expired", "task_migrated"),
        ("batches_expired", "not_enough_replicas"),
        ("replication_factor_too_large", "coordinator_missing"),
    ],
)
def test_what_a_final_refusal_cost_is_its_effect_and_no_cause(whole, part):
    refused, cost = (
        incident("refused", whole, MINUTE, impact="delayed"),
        incident("cost", part, MINUTE + 5, impact="lost"),
    )
    assert told(refused, cost) == [("refused", ["cost"], [])]


def test_what_met_a_client_of_streams_is_told_with_what_met_streams_itself():
    app, thread = "pay-49df8e61-c62d-4197-affa-13d915bf4612", "-StreamThread-1-consumer"
    stalled = incident("stalled", "task_stalled", MINUTE, client=app)
    kicked = incident("kicked", "membership_unknown", MINUTE, client=app + thread)
    silent = incident("silent", "requests_unanswered", MINUTE, client=app + thread)
    lost = incident("lost", "task_migrated", MINUTE, client=app)
    assert told(stalled, silent) == [("stalled", ["silent"], [])]
    assert told(kicked, lost) == [("kicked", ["lost"], [])]
    assert [
        one[0]
        for one in told(
            kicked, incident("other", "commit_refused", MINUTE, client=f"{app}-StreamThread-2-consumer")
        )
    ] == ["kicked", "other"]


def test_what_was_over_already_holds_nothing_of_what_lasted_meanwhile():
    evicted = incident("evicted", "membership_session_expired", MINUTE, MINUTE + 10_000)
    slow = incident("slow", "membership_poll_expired", MINUTE + 40_000, MINUTE + 50_000)
    refused = incident("refused", "commit_refused", MINUTE + 48_000)
    assert told(evicted, slow, refused) == [("evicted", [], []), ("slow", ["refused"], [])]


def test_of_another_client_or_time_it_is_a_fault_of_its_own():
    kicked = incident("kicked", "membership_poll_expired", MINUTE, 2 * MINUTE)
    other = incident("other", "commit_refused", MINUTE + 5, client="d")
    late = incident("late", "commit_refused", 60 * MINUTE)
    elsewhere = incident("elsewhere", "commit_refused", MINUTE + 5, unit="v")
    assert [fault[1] for fault in told(kicked, other, late, elsewhere)] == [[], [], [], []]


def test_a_commit_alone_is_no_effect():
    assert told(incident("refused", "commit_refused", 0)) == [("refused", [], [])]


def test_without_times_the_lines_tell_what_is_near():
    kicked, refused = incident("kicked", "membership_poll_expired"), incident("refused", "commit_refused")
    near = {"kicked": Place(None, "s", 10), "refused": Place(None, "s", 14)}
    far = {"kicked": Place(None, "s", 10), "refused": Place(None, "s", 1400)}
    assert told(kicked, refused, places=near) == [("kicked", ["refused"], [])]
    assert len(told(kicked, refused, places=far)) == 2
    within = {"kicked": Place(None, "s", 10, 1390), "refused": Place(None, "s", 1400)}
    assert told(kicked, refused, places=within) == [("kicked", ["refused"], [])]


def test_the_same_fault_of_many_clients_is_told_once_by_its_worst():
    one = incident(
        "one", "membership_poll_expired", 0, client="a", fingerprint="f", observed_ms=6, limit_ms=5
    )
    two = incident(
        "two", "membership_poll_expired", 9, client="b", fingerprint="f", observed_ms=9, limit_ms=5
    )
    assert told(one, two) == [("two", [], ["one"])]


def test_the_worst_is_told_first():
    broken = incident("broken", "broken_rule", 9, verdict="broken", impact="unknown")
    lost = incident("lost", "batches_expired", 5, impact="lost", client="p")
    late = incident("late", "requests_unanswered", 1, client="q")
    assert [fault[0] for fault in told(late, lost, broken)] == ["broken", "lost", "late"]


def test_what_passes_by_itself_is_told_behind_what_does_not_but_losses_are_first():
    passing = incident("passing", "producer_id_waits", 0, client="a")
    fenced = incident("fenced", "producer_fenced", MINUTE, client="b", impact="unknown")
    lost = incident("lost", "leader_moved", 2 * MINUTE, client="d", impact="lost")
    assert [fault[0] for fault in told(passing, fenced, lost)] == ["lost", "fenced", "passing"]


KINDS = (
    "membership_poll_expired",
    "commit_refused",
    "connect_failed",
    "request_timed_out",
    "disconnected",
    "other",
)
PARTS_OF_A_DAY = st.builds(
    lambda number, kind, at, lasted, client, unit, places: incident(
        f"{number:03d}", kind, at, None if at is None or lasted is None else at + lasted, client, unit, places=places
    ),
    st.integers(0, 999), st.sampled_from(KINDS), st.none() | st.integers(1, 9).map(lambda n: n * 40_000),
    st.none() | st.sampled_from([0, 90_000]), st.sampled_from(["a", "b", "broker:1", None]), st.sampled_from("uv"),
    st.sampled_from([[], ["broker:1"], ["topic:t"], ["address:h:1", "broker:1"]]),
)  # fmt: skip


def is_said_again(part, one):
    is_told = part.kind == one.kind != "other" and one.client_ids and not part.client_ids
    return is_told and all(place in one.places for place in part.places)


def belongs_to(part, among):
    """What is looked up, said as it is meant: each compared with all."""
    found = [
        one
        for one in among
        if (folding.has_part(one.kind, part.kind) or is_said_again(part, one))
        and one.unit_id == part.unit_id
        and (
            not one.client_ids
            or not part.client_ids
            or {*one.client_ids} & {*part.client_ids}
            or any(place.startswith(("broker:", "address:")) for place in {*one.places} & {*part.places})
        )
        and folding._follows(part, one, {})
    ]
    of_kind = {}
    for one in sorted(found, key=lambda one: (folding._distance(one, part), among.index(one))):
        of_kind.setdefault(one.kind, one)
    return min(
        of_kind.values(),
        key=lambda one: (
            folding._was_over(one, part),
            folding.turn(one.kind),
            folding._distance(one, part),
            among.index(one),
        ),
        default=None,
    )


@given(st.lists(PARTS_OF_A_DAY, max_size=12, unique_by=lambda one: one.incident_id))
def test_what_a_part_belongs_to_is_the_nearest_of_all(incidents):
    among = folding.in_order(incidents, {})
    wholes = folding._Wholes(among, {})
    assert [wholes.cause(one) for one in among] == [belongs_to(one, among) for one in among]


def test_ten_thousand_clients_take_no_more_time_each():
    """Comparing all with all took a minute."""
    many = [
        one
        for n in range(10_000)
        for one in (
            incident(f"w{n}", "connect_failed", n, n + 1, f"c{n}", places=["broker:1"], fingerprint="w"),
            incident(
                f"p{n}", "request_timed_out", n + 1, n + 1, f"c{n}", places=["broker:1"], fingerprint="p"
            ),
        )
    ]
    found = []
    took = least_cpu_s(lambda: found.append(faults(many, {})), tries=1)
    ((fault,),) = found
    assert (len(fault.effects), len(fault.others)) == (10_000, 9_999)
    assert took < 10


def test_what_two_lines_say_of_one_client_in_one_moment_is_told_once():
    first = incident("first", "member_unknown", MINUTE, MINUTE, title="unknown", fingerprint="heartbeat")
    again = incident("again", "member_unknown", MINUTE + 1, MINUTE + 1, title="unknown", fingerprint="leave")
    later = incident("later", "member_unknown", 9 * MINUTE, 9 * MINUTE, title="unknown", fingerprint="leave")
    others = incident("other", "member_unknown", MINUTE + 1, MINUTE + 1, "d", title="unknown d")
    found = [(one.cause.incident_id, len(one.effects)) for one in faults([first, again, later, others], {})]
    assert sorted(found) == [("first", 1), ("later", 0), ("other", 0)]


def test_what_began_hours_later_is_no_cause_of_what_had_begun_then():
    """Of several outages, of which a member lost its group each time."""
    unresolved = incident("unresolved", "dns_failed", 0, MINUTE)
    lost = incident("lost", "membership_unknown", MINUTE + 1, 600 * MINUTE)
    unanswered = incident("unanswered", "connect_timed_out", 590 * MINUTE, 591 * MINUTE)
    assert told(unresolved, lost, unanswered) == [("unresolved", ["lost"], []), ("unanswered", [], [])]


def test_what_a_line_without_a_client_says_again_is_told_once():
    named = incident("1", "not_authorized", 10, 10, "a", places=["group:g"], fingerprint="w")
    again = incident("2", "not_authorized", 40, 40, None, places=["group:g"], fingerprint="p")
    other = incident("3", "not_authorized", 50, 50, None, places=["topic:t"], fingerprint="q")
    told = faults([named, again, other], {})
    assert [[one.incident_id for one in fault.incidents] for fault in told] == [["1", "2"], ["3"]]
    unexplained = [replace(one, kind="other") for one in (named, again)]
    assert len(faults(unexplained, {})) == 2


@pytest.mark.parametrize(
    ("whole", "is_of_it"),
    [
        (incident("w", "record_too_large", 10, 10), True),
        (incident("w", "init_transactions_timed_out", 1, MINUTE - 600), True),
        (incident("w", "record_too_large", 10, 10, client=None), False),
        (incident("w", "record_too_large", 10, 10, client="c-StreamThread-1-producer"), False),
        (incident("w", "record_too_large", MINUTE + 5, MINUTE + 5), False),
        (incident("w", "streams_closed_dirty", MINUTE, MINUTE), False),
        (incident("w", "other", MINUTE, MINUTE), False),
    ],
)
def test_the_last_state_of_a_streams_client_follows_what_ended_it_at_once(whole, is_of_it):
    at = MINUTE if whole.started_at != 10 else 14
    state = incident("state", "streams_in_error", at, at)
    assert (told(whole, state) == [("w", ["state"], [])]) is is_of_it
    lined = [replace(one, started_at=None, ended_at=None) for one in (whole, state)]
    places = {
        "w": Place(None, "f", 4),
        "state": Place(None, "f", 3 if whole.started_at == MINUTE + 5 else 30),
    }
    assert (told(*lined, places=places) == [("w", ["state"], [])]) is is_of_it
