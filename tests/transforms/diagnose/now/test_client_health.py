"""How a client is now: what the data's clock says, and what the asker's clock adds."""

import pytest

from transforms.diagnose.now.health import Seen, Windows, as_of, clients_seen, health_of
from transforms.diagnose.now.open_timers import POLL, OpenTimer, open_timers

S = 1_000
NOON = 1_795_262_400_000
WINDOWS = Windows(recent_ms=3_600 * S, silent_ms=900 * S)
WHO = {"unit_id": "u", "client_id": "c", "service": "orders", "instance": "a"}


def task(started=0, outcome="open", limit=25 * S, **more):
    times = {
        "started_at": NOON + started,
        "task_timeout_ms": limit,
        "deadline_at": limit and NOON + started + limit,
    }
    return (
        WHO
        | times
        | {"timer_id": "t", "task_id": "0_1", "outcome": outcome, "attempts": 2, "timeout_origin": "logged"}
        | more
    )


def session(polled=None, beat=None, outcome="open", gap=None, poll_limit=300 * S, limit=45 * S):
    return WHO | {
        "session_id": "s",
        "group_id": "g",
        "outcome": outcome,
        "last_poll_at": None if polled is None else NOON + polled,
        "last_heartbeat_at": None if beat is None else NOON + beat,
        "max_poll_interval_ms": poll_limit,
        "session_timeout_ms": limit,
        "max_poll_gap_ms": gap,
    }


def batch(**more):
    made = {
        "batch_id": "b",
        "topic": "orders",
        "partition": 0,
        "created_at": NOON,
        "delivery_timeout_ms": 120 * S,
    }
    return WHO | made | {"outcome": "open", "attempts": 3, "timeout_origin": "logged"} | more


def wait(failures, failed=0, waited=100, sent=None, bounds=(80, 120), cap=1000):
    return WHO | {
        "sequence_id": "q",
        "subject": "orders-0",
        "failures": failures,
        "failed_at": NOON + failed,
        "waited_ms": waited,
        "sent_at": sent,
        "shortest_ms": bounds[0],
        "longest_ms": bounds[1],
        "retry_backoff_max_ms": cap,
    }


def running(clock=0, limits=None, **rows):
    found = open_timers(**rows, limits=limits or {}, data_clock=NOON + clock)
    return [(timer.kind, timer.started_at - NOON, timer.deadline_at - NOON) for timer in found]


@pytest.mark.parametrize(
    ("rows", "clock", "told"),
    [
        pytest.param({"tasks": [task()]}, 0, [("task", 0, 25 * S)], id="a task that can't go on"),
        pytest.param({"tasks": [task()]}, 40 * S, [("task", 0, 25 * S)], id="it runs on past its deadline"),
        pytest.param({"tasks": [task(outcome="cleared")]}, 0, [], id="cleared"),
        pytest.param({"tasks": [task(limit=None)]}, 0, [], id="no limit known, no deadline"),
        pytest.param({"batches": [batch()]}, 0, [("batch", 0, 120 * S)], id="a batch that is retried"),
        pytest.param({"batches": [batch(created_at=None)]}, 0, [], id="creation unknown"),
        pytest.param({"sessions": [session(polled=0)]}, 300 * S, [("poll", 0, 300 * S)], id="at the limit"),
        pytest.param(
            {"sessions": [session(polled=0)]}, 300 * S + 1, [], id="the log goes on: a poll was not seen"
        ),
        pytest.param({"sessions": [session(beat=0)]}, 9 * S, [("session", 0, 45 * S)], id="heartbeats seen"),
        pytest.param({"sessions": [session(beat=0, limit=None)]}, 9 * S, [], id="session timeout unknown"),
        pytest.param({"sessions": [session(polled=0, outcome="closed")]}, 0, [], id="left by itself"),
        pytest.param(
            {"attempts": [wait(1), wait(2, 100)]}, 200, [("backoff", 200, 440)], id="the last wait, doubled"
        ),
        pytest.param(
            {"attempts": [wait(9, bounds=(800, 1200))]}, 100, [("backoff", 100, 1300)], id="at the cap"
        ),
        pytest.param({"attempts": [wait(1)]}, 500, [], id="the wait must be over by now"),
        pytest.param({"attempts": [wait(1, sent=NOON + 100)]}, 100, [], id="sent: under way"),
        pytest.param({}, 0, [], id="nothing"),
    ],
)
def test_what_runs(rows, clock, told):
    assert running(clock, **rows) == told


def test_the_next_deadline_is_first_and_limits_tell_their_origin():
    limits = {("c", POLL): (300 * S, "default:4.2.1")}
    found = open_timers(tasks=[task()], sessions=[session(polled=-280 * S)], limits=limits, data_clock=NOON)
    assert [(timer.kind, timer.limit_origin) for timer in found] == [
        ("poll", "default:4.2.1"),
        ("task", "logged"),
    ]


def line(at, client="c", kind="consumer", message="join", version=None, group=None, library="java"):
    return {
        "unit_id": "u",
        "client_id": client,
        "service": None,
        "instance": None,
        "client_kind": kind,
        "client_version": version,
        "client_library": library,
        "group_id": group,
        "message_id": message,
        "happened_at": None if at is None else NOON + at,
    }


def test_what_the_lines_say_of_a_client():
    rows = [
        line(1, version="4.1.0"),
        line(9, None, None, version="4.2.1"),
        line(5, group="g", library="librdkafka"),
        line(7, "b-1", "broker"),
    ]
    (seen,) = clients_seen(rows)
    assert (seen.client_id, seen.client_version, seen.group_id) == ("c", "4.1.0", "g")
    assert seen.client_library == "librdkafka"
    assert (seen.last_seen_at, seen.closed_at) == (NOON + 5, None)


def test_the_version_of_the_process_stands_in_for_the_clients():
    (seen,) = clients_seen([line(1), line(0, None, None, version="4.2.1")])
    assert seen.client_version == "4.2.1"


@pytest.mark.parametrize(
    ("rows", "closed"),
    [
        pytest.param([line(1), line(2, message="consumer-closed")], True, id="closed last"),
        pytest.param([line(2), line(2, message="client-unregistered")], True, id="in one millisecond"),
        pytest.param([line(1, message="consumer-closed"), line(2)], False, id="started again"),
        pytest.param([line(1)], False, id="never said"),
    ],
)
def test_a_client_is_closed_when_it_says_so_and_nothing_follows(rows, closed):
    (seen,) = clients_seen(rows)
    assert (seen.closed_at is not None) == closed


def incident(**more):
    made = {"incident_id": "i", "kind": "membership_fenced", "title": "kicked out", "verdict": "as_designed"}
    return (
        made | {"impact": "delayed", "started_at": NOON - 5 * S, "ended_at": None, "client_ids": ["c"]} | more
    )


def violation(last=0, **more):
    made = {
        "violation_id": "v",
        "explanation": "left too early",
        "first_at": NOON - 9 * S,
        "last_at": NOON + last,
    }
    return made | more


def judged(closed=None, seen_at=NOON, **known):
    seen = Seen(**WHO, last_seen_at=seen_at, closed_at=closed)
    given = {"timers": [], "sessions": [], "broken": [], "violations": 0, "incidents": [], "data_clock": NOON}
    return health_of(seen, poll_limit_origin="logged", windows=WINDOWS, **(given | known))


def timers(*rows, **kinds):
    return open_timers(tasks=rows, limits={}, data_clock=NOON, **kinds)


@pytest.mark.parametrize(
    ("known", "status", "reason"),
    [
        pytest.param({}, "ok", None, id="nothing wrong"),
        pytest.param({"seen_at": None, "data_clock": None}, "unknown", None, id="no line has a time"),
        pytest.param({"closed": NOON}, "closed", None, id="ended by itself"),
        pytest.param({"incidents": [incident()]}, "broken", "kicked out", id="out, and not back"),
        pytest.param({"incidents": [incident(ended_at=NOON)]}, "ok", None, id="back again"),
        pytest.param({"incidents": [incident(verdict="benign")]}, "ok", None, id="only looks like trouble"),
        pytest.param({"incidents": [incident(client_ids=["other"])]}, "ok", None, id="another client's"),
        pytest.param(
            {"incidents": [incident()], "closed": NOON}, "closed", None, id="out, then closed by itself"
        ),
        pytest.param(
            {"incidents": [incident(kind="streams_thread_died", ended_at=NOON)], "closed": NOON},
            "broken",
            "kicked out",
            id="a dead thread stays dead",
        ),
        pytest.param({"broken": [violation(-3_600 * S)]}, "broken", "left too early", id="an hour ago"),
        pytest.param({"broken": [violation(-3_600 * S - 1)]}, "ok", None, id="longer ago"),
        pytest.param(
            {"broken": [violation()], "incidents": [incident()]},
            "broken",
            "kicked out",
            id="what goes on first",
        ),
        pytest.param(
            {"incidents": [incident(kind="task_stalled")]}, "ok", None, id="a timer's story is no harm yet"
        ),
        pytest.param(
            {"timers": timers(task()), "incidents": [incident(kind="task_stalled")]},
            "at_risk",
            "task 0_1 makes no progress; task.timeout.ms = 25 s (from the client's own log)",
            id="a timer runs",
        ),
        pytest.param(
            {"timers": timers(sessions=[session(beat=0)])}, "ok", None, id="every member's session timer runs"
        ),
    ],
)
def test_status(known, status, reason):
    found = judged(**known)
    assert (found.status, found.reason) == (status, reason)


def warned(now, *running_timers, **known):
    found = judged(timers=running_timers, **known)
    as_of(found, running_timers, NOON + now, WINDOWS)
    return found


def test_four_fifths_of_a_limit_are_an_early_warning_and_less_is_none():
    (timer,) = timers(task())
    assert warned(20 * S - 1, timer).warnings == []
    (told,) = warned(20 * S, timer).warnings
    assert told == (
        "task timer of task 0_1: it ends at 2026-11-21T12:00:25.000Z "
        "(task.timeout.ms = 25 s, from the client's own log)"
    )


@pytest.mark.parametrize(
    ("rows", "clock", "now", "warnings"),
    [
        pytest.param({"sessions": [session(beat=0)]}, 36 * S - 1, 36 * S - 1, 0, id="less than four fifths"),
        pytest.param(
            {"sessions": [session(beat=0)]}, 36 * S, 36 * S, 1, id="the log went on without a heartbeat"
        ),
        pytest.param({"sessions": [session(beat=0)]}, 9 * S, 36 * S, 0, id="the log is only late"),
        pytest.param({"attempts": [wait(1)]}, 200, 300, 0, id="a wait that ends harms nobody"),
    ],
)
def test_what_is_renewed_unseen_is_foretold_by_its_log_alone(rows, clock, now, warnings):
    found = open_timers(**rows, limits={}, data_clock=NOON + clock)
    health = judged(timers=found, data_clock=NOON + clock)
    as_of(health, found, NOON + now, WINDOWS)
    assert (len(found), len(health.warnings)) == (1, warnings)


@pytest.mark.parametrize(
    ("gap", "limit", "warnings"),
    [(239 * S, 300 * S, 0), (240 * S, 300 * S, 1), (None, 300 * S, 0), (240 * S, None, 0)],
)
def test_a_poll_gap_near_its_limit_is_an_early_warning(gap, limit, warnings):
    assert len(warned(0, sessions=[session(gap=gap, poll_limit=limit)]).warnings) == warnings


def test_of_a_client_that_is_silent_nothing_is_foretold():
    (timer,) = timers(task())
    heard = warned(900 * S, timer)
    assert (heard.silent_since_at, len(heard.warnings)) == (None, 1)
    silent = warned(900 * S + 1, timer)
    assert (silent.silent_since_at, silent.warnings) == (NOON, [])


def test_a_client_that_closed_is_not_silent():
    assert warned(86_400 * S, closed=NOON).silent_since_at is None


def test_a_limit_that_is_only_a_default_says_so():
    timer = OpenTimer(
        **WHO,
        timer_id="t",
        kind="poll",
        subject="group g",
        setting=POLL,
        started_at=NOON,
        deadline_at=NOON + 300 * S,
        limit_ms=300 * S,
        limit_origin="default:4.2.1",
    )
    (told,) = warned(290 * S, timer, data_clock=NOON + 290 * S).warnings
    assert "if the default holds: default:4.2.1" in told
