"""An episode's row -> its marks in order of time, with the limit."""

import pytest

from transforms.diagnose.reports.timeline import timeline_of

T = 1_777_800_000_000


def marks(table, row, events=()):
    timeline = timeline_of(table, row, events)
    return [(mark.at - T, mark.role) for mark in timeline.marks] if timeline else None


def test_a_timer_has_start_attempts_deadline_and_end():
    row = {
        "started_at": T,
        "deadline_at": T + 10,
        "ended_at": T + 12,
        "outcome": "expired",
        "task_timeout_ms": 10,
    }
    told = marks("silver.task_timers", row, [(T, "first"), (T + 5, "second"), (T + 12, "last")])
    assert told == [(0, "start"), (5, "attempt"), (10, "limit"), (12, "end")]


def test_a_batch_is_bound_from_its_creation():
    row = {"created_at": T, "delivery_timeout_ms": 8, "ended_at": T + 8, "outcome": "expired"}
    assert marks("silver.batch_lifetimes", row) == [(0, "start"), (8, "limit"), (8, "end")]


@pytest.mark.parametrize(
    ("outcome", "limits"),
    [("poll_expired", [18]), ("session_expired", [15]), ("closed", [])],
)
def test_a_membership_shows_the_limit_that_ended_it(outcome, limits):
    row = {
        "joined_at": T, "ended_at": T + 20, "outcome": outcome, "last_poll_at": T + 8,
        "max_poll_interval_ms": 10, "last_heartbeat_at": T + 9, "session_timeout_ms": 6,
    }  # fmt: skip
    assert [at for at, role in marks("silver.liveness_sessions", row) if role == "limit"] == limits


def test_a_heartbeat_after_the_broker_s_limit_bounds_nothing():
    row = {
        "joined_at": T, "ended_at": T + 20, "outcome": "session_expired", "last_heartbeat_at": T + 19,
        "session_timeout_ms": 6,
    }  # fmt: skip
    assert "limit" not in {role for _, role in marks("silver.liveness_sessions", row)}


def test_a_wait_has_both_bounds():
    row = {"failures": 1, "failed_at": T, "shortest_ms": 80, "longest_ms": 120, "sent_at": T + 60}
    assert marks("silver.backoff_attempts", row) == [(0, "start"), (60, "end"), (80, "limit"), (120, "limit")]


def test_nothing_known_is_no_timeline():
    assert timeline_of("silver.task_timers", {}) is None
    assert timeline_of("", {}) is None


def test_lines_alone_are_a_timeline_of_notes():
    assert marks("", {}, [(T, "a"), (T + 3, "b")]) == [(0, "note"), (3, "note")]
