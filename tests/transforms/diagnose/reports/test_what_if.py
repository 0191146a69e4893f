"""What another limit would have made of an episode: just below, at, and above what it needed; and what can't be told."""

import pytest

from transforms.diagnose.reports.margins import (
    DELIVERY,
    POLL,
    REQUEST,
    SESSION,
    TASK,
    of_batches,
    of_memberships,
    of_requests,
    of_task_timers,
)
from transforms.diagnose.reports.what_if import costs, least_limit, sentence, what_if

WHO = {"unit_id": "u", "incarnation": 0, "client_id": "c", "service": "s", "group_id": "g"}


def member(name="m", joined=0, ended=20_000, outcome="poll_expired", **more):
    made = {
        "session_id": name, "joined_at": joined, "ended_at": ended, "outcome": outcome, "last_heartbeat_at": None,
        "rejoined_at": None, "max_poll_gap_ms": None, "max_poll_interval_ms": 10_000, "session_timeout_ms": 6_000,
    }  # fmt: skip
    return WHO | made | more


def batch(name="b", created=0, ended=10_000, outcome="expired", **more):
    made = {
        "batch_id": name, "topic": "t", "partition": 0, "created_at": created, "ended_at": ended, "outcome": outcome,
        "age_ms": None if created is None or ended is None else ended - created, "delivery_timeout_ms": 10_000,
        "error_class": "TimeoutException",
    }  # fmt: skip
    return WHO | made | more


def timer(name="t", started=0, last=5_000, outcome="cleared", **more):
    made = {
        "timer_id": name, "thread": "T1", "started_at": started, "last_attempt_at": last, "outcome": outcome,
        "task_timeout_ms": 10_000, "stalled_ms": last - started, "ended_at": last + 50, "is_inferred": False,
    }  # fmt: skip
    return WHO | made | more


def outcomes(margins, setting, limit):
    return {one.margin.subject_id: one.outcome for one in what_if(list(margins), setting, limit).told}


@pytest.mark.parametrize(
    ("row", "limit", "outcome"),
    [
        pytest.param(member(max_poll_gap_ms=14_000), 13_999, "lost", id="a ms too short"),
        pytest.param(member(max_poll_gap_ms=14_000), 14_000, "kept", id="as long as its gap"),
        pytest.param(member(max_poll_gap_ms=14_000), 5_000, "lost", id="shorter than what held"),
        pytest.param(member(), 10_000, "lost", id="never polled again: lost with what held"),
        pytest.param(member(), 10_001, "untold", id="never polled again: with more nobody knows"),
        pytest.param(member(outcome="rebalance_expired"), 60_000, "untold", id="dropped from a rebalance"),
        pytest.param(member(outcome="open"), 10_000, "kept", id="was kept by as much"),
        pytest.param(member(outcome="open"), 9_999, "untold", id="its gaps are not known"),
        pytest.param(
            member(outcome="open", max_poll_gap_ms=3_000), 3_000, "kept", id="its longest gap is known"
        ),
        pytest.param(member(outcome="closed", max_poll_gap_ms=3_000), 2_999, "lost", id="it polled too late"),
        pytest.param(member(outcome="open", max_poll_interval_ms=None), 10**9, "untold", id="limit unknown"),
        pytest.param(member(max_poll_interval_ms=None), 1, "untold", id="expired by an unknown limit"),
        pytest.param(member(outcome="session_expired"), 10_000, "kept", id="lost by another limit"),
    ],
)
def test_memberships_by_the_poll_interval(row, limit, outcome):
    assert outcomes(of_memberships([row]), POLL, limit) == {"m": outcome}


@pytest.mark.parametrize(
    ("row", "limit", "outcome"),
    [
        pytest.param({"last_heartbeat_at": 1_000, "rejoined_at": 10_000}, 9_000, "kept", id="came back in time"),
        pytest.param({"last_heartbeat_at": 1_000, "rejoined_at": 10_000}, 8_999, "untold", id="it beat before it was back"),
        pytest.param({"last_heartbeat_at": 1_000, "rejoined_at": 10_000}, 6_000, "lost", id="with what held"),
        pytest.param({"last_heartbeat_at": 1_000}, 60_000, "untold", id="never came back"),
        pytest.param({"rejoined_at": 10_000}, 60_000, "untold", id="heartbeats not logged"),
        pytest.param({"outcome": "poll_expired"}, 6_000, "kept", id="lost by another limit"),
        pytest.param({"outcome": "open"}, 5_999, "untold", id="a shorter one: heartbeats not logged"),
    ],
)  # fmt: skip
def test_memberships_by_the_session_timeout(row, limit, outcome):
    assert outcomes(of_memberships([member(**{"outcome": "session_expired"} | row)]), SESSION, limit) == {
        "m": outcome
    }


def test_a_member_that_only_its_broker_knows_is_left_out():
    assert list(of_memberships([member(client_id=None)])) == []


def test_a_membership_that_is_kept_takes_the_next_one_into_itself():
    rows = [
        member("first", 0, 20_000, max_poll_gap_ms=14_000),
        member("second", 24_000, 60_000, max_poll_gap_ms=30_000),
    ]
    assert outcomes(of_memberships(rows), POLL, 14_000) == {"first": "lost", "second": "never"}
    assert outcomes(of_memberships(rows), POLL, 30_000) == {"first": "kept", "second": "never"}
    assert outcomes(of_memberships(rows), POLL, 13_000) == {"first": "lost", "second": "lost"}


@pytest.mark.parametrize(
    ("others", "limit", "outcome"),
    [
        pytest.param([], 10_000, "lost", id="with what held"),
        pytest.param([], 10_001, "untold", id="nobody knows what came after"),
        pytest.param([batch("d", None, 15_000, "delivered")], 16_200, "kept", id="the partition took one, and a try more"),
        pytest.param([batch("d", None, 15_000, "delivered")], 16_199, "untold", id="perhaps not yet"),
        pytest.param([batch("d", None, 15_000, "delivered", partition=1)], 60_000, "untold", id="another partition"),
        pytest.param([batch("d", None, 9_000, "delivered")], 60_000, "untold", id="took one only before"),
        pytest.param([batch("e", 5_000, 15_000)], 15_000, "lost", id="one that was there expired later"),
        pytest.param([batch("e", 11_000, 21_000)], 15_000, "untold", id="one that came later tells nothing"),
    ],
)  # fmt: skip
def test_an_expired_batch(others, limit, outcome):
    assert outcomes(of_batches([batch(), *others]), DELIVERY, limit)["b"] == outcome


@pytest.mark.parametrize(
    ("row", "limit", "outcome"),
    [
        pytest.param(batch(outcome="delivered"), 10_000, "kept", id="delivered at its age"),
        pytest.param(batch(outcome="delivered"), 9_999, "lost", id="a ms too short"),
        pytest.param(
            batch(None, None, 9_000, "delivered") | {"batch_id": "b"}, 10_000, "kept", id="what held"
        ),
        pytest.param(batch("b", None, 9_000, "delivered"), 9_000, "untold", id="its age is not known"),
        pytest.param(batch(outcome="failed"), 60_000, "untold", id="failed by its error"),
        pytest.param(batch(outcome="unknown"), 60_000, "untold", id="its end is not there"),
        pytest.param(batch("b", None, 9_000, age_ms=10_000), 10_000, "lost", id="expired, created unknown"),
    ],
)
def test_other_batches(row, limit, outcome):
    assert outcomes(of_batches([row]), DELIVERY, limit) == {"b": outcome}


@pytest.mark.parametrize(
    ("row", "limit", "outcome"),
    [
        pytest.param(timer(), 5_000, "kept", id="on the deadline itself one more try is due"),
        pytest.param(timer(), 4_999, "lost", id="a timeout after the deadline"),
        pytest.param(
            timer(outcome="expired", stalled_ms=14_000), 13_999, "lost", id="it timed out later still"
        ),
        pytest.param(timer(outcome="expired", stalled_ms=14_000), 14_000, "untold", id="nobody tried again"),
        pytest.param(timer(outcome="open"), 4_999, "lost", id="open, and beyond it"),
        pytest.param(
            timer(outcome="open", is_inferred=True), 4_999, "untold", id="its progress is not logged"
        ),
        pytest.param(timer(is_inferred=True), 10_000, "kept", id="cleared, by the limit that held"),
        pytest.param(timer(is_inferred=True), 9_999, "untold", id="cleared, perhaps more than once"),
        pytest.param(timer(outcome="closed"), 10_000, "kept", id="closed, by the limit that held"),
        pytest.param(timer(outcome="closed"), 10_001, "untold", id="closed, and what came then nobody saw"),
        pytest.param(timer(outcome="closed"), 4_999, "lost", id="closed, too late"),
        pytest.param(
            timer(outcome="unknown") | {"started_at": None, "stalled_ms": None}, 9, "untold", id="no start"
        ),
    ],
)
def test_task_timers(row, limit, outcome):
    assert outcomes(of_task_timers([row]), TASK, limit) == {"t": outcome}


def test_a_thread_that_dies_earlier_takes_what_runs_with_it_and_has_no_later_timers():
    rows = [
        timer("first", 0, 8_000),
        timer("beside", 1_000, 7_000),
        timer("before", 0, 100, ended_at=150),
        timer("later", 20_000, 20_000),
        timer("elsewhere", 20_000, 20_000, thread="T2"),
    ]
    assert outcomes(of_task_timers(rows), TASK, 7_000) == {
        "first": "lost", "beside": "lost", "before": "kept", "later": "never", "elsewhere": "kept"
    }  # fmt: skip


def test_a_request_that_was_given_up_is_lost_with_less_and_untold_with_more():
    row = WHO | {"event_id": "e", "kind": "request_cancelled", "message_id": "x", "happened_at": 0}
    lost = list(of_requests([row | {"limit_ms": 30_000, "elapsed_ms": 30_012}]))
    assert outcomes(lost, REQUEST, 20_000) == {"e": "lost"}
    assert outcomes(lost, REQUEST, 60_000) == {"e": "untold"}
    assert list(of_requests([row | {"limit_ms": 30_000, "elapsed_ms": 12}])) == []


def test_what_it_comes_to_and_costs_is_said():
    rows = [
        member("a", client_id="a", max_poll_gap_ms=14_000),
        member("b", client_id="b"),
        member("c", client_id="c", outcome="open"),
    ]
    told = what_if(of_memberships(rows), POLL, 600_000)
    assert sentence(told) == (
        "With max.poll.interval.ms=600000 (10 min) 2 of 3 memberships would have been kept (1 of 3 were), "
        "1 can't be told (when it polled again is not in the log)."
    )
    assert costs(told) == [
        "A rebalance in that time would have waited up to 4 s longer for a member that still processes."
    ]
    assert least_limit(of_memberships(rows), POLL) == 14_000
    shorter = what_if(of_memberships([member(max_poll_gap_ms=14_000)]), POLL, 4_000)
    assert costs(shorter) == ["What is lost all the same is told up to 6 s earlier."]
    longer = what_if(of_memberships([member(max_poll_gap_ms=90_000)]), POLL, 60_000)
    assert costs(longer)[0].startswith("What is lost all the same is told up to 50 s later.")


def test_nothing_known_is_said():
    assert sentence(what_if([], TASK, 1)) == "No task timer is known that task.timeout.ms decides."
