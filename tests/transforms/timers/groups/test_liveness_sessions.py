"""Memberships from a consumer's own lines."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.timelines_liveness import CLIENT_WORDS, app, fold, of_class
from transforms.timers.episodes import LivenessSession
from transforms.timers.groups.liveness_sessions import LivenessSessions
from transforms.timers.groups.membership import Membership
from transforms.timers.state import dump_state, load_state


def sessions(story: str, **known) -> list[LivenessSession]:
    return of_class(fold(app(story, **known)), LivenessSession)


def told(story: str, **known) -> list[str]:
    """Each session as `member outcome joined-ended rejoined`."""
    return [
        f"{row.member_id} {row.outcome} {row.joined_at}-{row.ended_at} {row.rejoined_at}"
        for row in sessions(story, **known)
    ]


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("0:ask 5:joined=m1/1 6:synced=m1/1", ["m1 open 5-None None"], id="a member"),
        pytest.param(
            "0:ask 1:ask 5:joined=m1/1", ["m1 open 5-None None"], id="MEMBER_ID_REQUIRED: two asks, one join"
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 50:told_to_rejoin 51:ask 60:joined=m1/2",
            ["m1 open 5-None None"],
            id="a rebalance ends no membership",
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 90:left=close/m1 90:reset", ["m1 closed 5-90 None"], id="a plain close"
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 9000:expired 9000:left=poll/m1 9000:reset "
            "12000:lost 12000:ask 12500:joined=m2/3",
            ["m1 poll_expired 5-9000 12500", "m2 open 12500-None None"],
            id="slow poll, from 3.0",
        ),
        pytest.param(
            "0:ask 5:joined=/1 9000:left=poll/m1 12000:ask 12500:joined=/3",
            ["m1 poll_expired 5-9000 12500", "None open 12500-None None"],
            id="slow poll, 2.4 to 2.5: one line says both, and joins name no member",
        ),
        pytest.param(
            "0:ask 4:answered=m1/1 5:joined=/1 50:answered=m2/2 60:unknown=m1 70:ask 75:answered=m3/3 80:joined=/3",
            ["m1 unknown 5-60 80", "m3 open 80-None None"],
            id="before 2.7 only the answer to the join names the member",
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 9000:expired 9000:left=/m1 12500:joined=m2/3",
            ["m1 poll_expired 5-9000 12500", "m2 open 12500-None None"],
            id="slow poll, 2.1 to 2.3: a leave without reason",
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 9000:expired 9000:reset 12000:lost 12500:joined=m2/3",
            ["m1 poll_expired 5-9000 12500", "m2 open 12500-None None"],
            id="static, or Streams 4.1: no LeaveGroup",
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 70:unknown=m1/1 71:ask 90:joined=m2/4",
            ["m1 unknown 5-70 90", "m2 open 90-None None"],
            id="removed by the broker, which alone knows why",
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 60:session_lost 65:found 70:unknown=m1/1 71:ask 90:joined=m2/4",
            ["m1 session_expired 5-70 90", "m2 open 90-None None"],
            id="its own session timer ran out first",
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 60:session_lost 65:found 80:ask 90:joined=m1/2",
            ["m1 open 5-None None"],
            id="the session timer ran out, and the broker still knew the member",
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 70:stale=m1/1",
            ["m1 open 5-None None"],
            id="the error of an older generation",
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 20:commit_unknown",
            ["m1 open 5-None None"],
            id="from 3.0 a commit's error alone resets nothing",
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 60:unknown=m1/1 61:ask 65:joined=m2/2 70:unknown=m1/1 71:left=close/m1",
            ["m1 unknown 5-60 65", "m2 open 65-None None"],
            id="late lines of an earlier membership",
        ),
        pytest.param(
            "0:ask 5:joined=m1@i/1 70:fenced 70:reset 71:lost", ["m1 fenced 5-70 None"], id="fenced"
        ),
        pytest.param(
            "0:ask 5:joined=m1/1 90:ask 95:joined=m2/3",
            ["m1 unknown 5-None 95", "m2 open 95-None None"],
            id="another member id without an end",
        ),
        pytest.param(
            "9000:expired 9000:left=poll/m1", ["m1 poll_expired None-9000 None"], id="the log begins late"
        ),
        pytest.param("10:gone 20:found 90:reset", [], id="a consumer that never joined closes"),
        pytest.param("3:assigned", ["None open None-None None"], id="partitions mean a membership"),
        pytest.param(
            "1:to=u/JOINING 5:to=u/RECONCILING 6:to=u/STABLE "
            "9000:expired848 9001:to=u/LEAVING 9002:to=u/STALE "
            "12000:late848=3000 12001:to=u/JOINING 12003:to=u/STABLE",
            ["u poll_expired 5-9000 12003", "u open 12003-None None"],
            id="KIP-848: leaves by heartbeat, rejoins under the same id",
        ),
        pytest.param(
            "1:to=u/JOINING 5:to=u/STABLE 60:to=u/FENCED 61:to=u/JOINING 70:to=u/STABLE",
            ["u unknown 5-60 70", "u open 70-None None"],
            id="KIP-848: fenced means removed",
        ),
        pytest.param(
            "5:to=u/STABLE 60:to=u/PREPARE_LEAVING 61:to=u/LEAVING 62:to=u/UNSUBSCRIBED",
            ["u closed 5-61 None"],
            id="KIP-848: closes",
        ),
    ],
)
def test_memberships(story, wanted):
    assert told(story) == wanted


def test_older_clients_say_at_info_only_by_the_commit_that_they_were_removed():
    assert told("0:ask 5:joined=/1 20:commit_unknown", version=(2, 8, 2)) == ["None unknown 5-20 None"]


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        pytest.param(
            "0:joined=m1/1 9000:rd_timed_out=6000 9000:rd_timed_out=6000 9001:rd_timed_out=6001",
            ["m1 session_expired 0-9000 None"],
            id="one end in the words of several lines",
        ),
        pytest.param(
            "0:joined=m1/1 9000:rd_timed_out=6000 20000:rd_timed_out=6000",
            ["m1 session_expired 0-9000 None", "None session_expired None-20000 None"],
            id="a later one is of a membership that no line told",
        ),
    ],
)
def test_librdkafka_gives_a_membership_up_once(story, wanted):
    assert told(story, library="librdkafka") == wanted


@pytest.mark.parametrize(
    ("story", "outcome"),
    [
        ("0:joined=m1/1 2000:beat=m1/1 9000:unknown=m1/1", "session_expired"),
        ("0:joined=m1/1 2000:beat=m1/1 4000:beat=m1/1 6000:unknown=m1/1", "unknown"),
        ("0:joined=m1/1 9000:unknown=m1/1", "unknown"),
    ],
    ids=["silent for its session", "it beat in time", "a log that shows no heartbeats is silent anyway"],
)
def test_a_log_that_shows_heartbeats_tells_by_its_silence_that_a_session_ran_out(story, outcome):
    assert sessions(story)[0].outcome == outcome


@pytest.mark.parametrize("line", ["rd_expired=7025 {at}:left=poll/m1", "left=poll/m1 {at}:rd_expired=7025"])
def test_librdkafkas_poll_expiry_tells_its_gap_in_whichever_order_its_line_is_read(line):
    (session,) = sessions(f"0:joined=m1/1 9000:{line.format(at=9000)}", library="librdkafka")
    assert (session.outcome, session.last_poll_at, session.max_poll_gap_ms) == ("poll_expired", 1975, 7025)


def test_a_restarted_process_is_a_new_member_and_the_old_ones_end_is_unknown():
    story = "0:ask 5:joined=m1/1 100:ask 105:joined=m2/3"
    assert told(story, restarts_at=100) == ["m1 unknown 5-None 105", "m2 open 105-None None"]


@pytest.mark.parametrize(
    ("known", "last_poll_at", "gap_ms"),
    [
        pytest.param({}, 1_000, 13_000, id="a logged limit dates the last poll"),
        pytest.param({"origin": "default:4.2.1"}, None, None, id="a default doesn't"),
        pytest.param({"poll_ms": None}, None, None, id="no limit"),
    ],
)
def test_the_last_poll_is_inferred_from_a_proven_limit_only(known, last_poll_at, gap_ms):
    story = "0:ask 5:joined=m1/1 9000:expired 9000:left=poll/m1 14000:lost 14000:ask 14500:joined=m2/3"
    first = sessions(story, **known)[0]
    assert (first.last_poll_at, first.max_poll_gap_ms) == (last_poll_at, gap_ms)


def test_kip848_measures_the_gap_itself():
    first = sessions("5:to=u/STABLE 9000:expired848 9002:to=u/STALE 12000:late848=3100 12003:to=u/STABLE")[0]
    assert (first.last_poll_at, first.max_poll_gap_ms) == (900, 11_100)
    assert first.session_timeout_ms is None


def test_a_process_that_wakes_from_a_standstill_dates_no_poll():
    story = "0:ask 5:joined=m1/1 2000:beat=m1/1 2001:ok 14000:session_lost 14000:expired 14000:left=poll/m1"
    first = sessions(story)[0]
    assert (first.outcome, first.last_poll_at) == ("poll_expired", None)


def test_heartbeats_and_the_generation_are_the_last_seen():
    row = sessions("0:ask 5:joined=m1/1 2000:beat=m1/1 2001:ok 3000:ask 3005:joined=m1/2 5000:beat=m1/2")[0]
    assert (row.generation, row.last_heartbeat_at) == (2, 5_000)


def test_a_session_carries_what_proves_it_in_order():
    row = sessions("0:ask 5:joined=m1/1 9000:expired 9000:left=poll/m1 12500:joined=m2/3")[0]
    assert row.event_ids == ["app/joined@5", "app/expired@9000", "app/left@9000", "app/joined@12500"]


def test_consumers_without_a_group_have_no_membership():
    events = app("0:ask 5:joined=m1/1").events()
    machine = LivenessSessions()
    for event in events:
        event.group_id = None
        assert list(machine.step(event, app("").known.profile())) == []
    assert list(machine.finish(None)) == []


STEPS = st.lists(
    st.tuples(st.integers(0, 3_000), st.sampled_from(sorted(CLIENT_WORDS)), st.sampled_from("abc")),
    max_size=40,
)


@given(STEPS)
@example([(0, "joined", "a"), (0, "joined", "b")])
def test_any_history_gives_ordered_memberships_and_survives_a_snapshot(steps):
    at, parts = 0, []
    for wait_ms, word, letter in steps:
        at += wait_ms
        argument = {
            "left": f"=close/m{letter}",
            "to": f"=m{letter}/STABLE",
            "send": "=OFFSET_COMMIT/1",
            "got": "=OFFSET_COMMIT/1",
            "late848": "=10",
            "ok848": "=5000",
        }.get(word, f"=m{letter}/1")
        parts.append(f"{at}:{word}{argument}")
    unit = app(" ".join(parts))
    machine, found = LivenessSessions(), []
    for event in unit.events():
        found.extend(machine.step(event, unit.known.profile()))
        machine = load_state(dump_state(machine))
    found.extend(machine.finish(at))
    assert all(isinstance(episode, Membership) for episode in found)
    assert len({episode.membership_id for episode in found}) == len(found)
    for episode in found:
        row = episode.session
        assert row.ended_at is None or row.joined_at is None or row.ended_at >= row.joined_at
        assert row.rejoined_at is None or row.ended_at is None or row.rejoined_at >= row.ended_at
    assert sum(episode.session.outcome == "open" for episode in found) <= 1
