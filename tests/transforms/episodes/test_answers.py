"""The numbers on top of a story."""

from tests.dashboards.lake import BATCH, NOON, SESSION, TIMER, UNIT, episode_row
from transforms.episodes.answers import answers

BOUND = {"observed_ms": 12_004, "limit_ms": 8_000, "limit_origin": "logged"}


def told(row, *episodes, clocks=None):
    return {one.label: (one.value, one.note) for one in answers(row, episodes, clocks or {}, {})}


def session(**changes):
    return "silver.liveness_sessions", episode_row(SESSION, **changes)


def batch(**changes):
    return "silver.batch_lifetimes", episode_row(BATCH, **changes)


def timer(**changes):
    return "silver.task_timers", episode_row(TIMER, **changes)


def test_by_how_much_against_which_limit_and_whether_it_came_back():
    said = told(BOUND, session())
    assert said["Over the limit"] == ("4 s over", "+4004 ms")
    assert said["Limit"] == ("8 s", "8000 ms, from the client's own log")
    assert said["Came back"] == ("after 6.2 s", "6200 ms without a membership")


def test_what_a_rule_found_under_a_limit_is_not_called_within_it():
    said = told(BOUND | {"observed_ms": 7_999, "violation_id": "v"})
    assert "Within the limit" not in said
    assert said["Under the limit"] == ("1 ms under", "-1 ms")


def test_within_a_limit_is_not_over_it():
    said = told(BOUND | {"observed_ms": 7_999})
    assert said["Within the limit"] == ("1 ms under", "-1 ms")
    assert "Over the limit" not in said


def test_who_never_came_back_is_said_to_be_gone_and_who_closed_is_not():
    assert told({}, session(rejoined_at=None))["Came back"][0] == "not seen"
    assert told({}, session(outcome="closed", rejoined_at=None)) == {}


def test_which_stage_ate_the_time_of_the_oldest_batch():
    young = batch(age_ms=5, in_flight_ms=5, waiting_ms=0)
    said = told({}, young, batch(age_ms=13_950, in_flight_ms=8_000, waiting_ms=5_000))
    assert said["Most of its time"] == ("8 s in flight", "in flight 8000 ms, waiting 5000 ms, other 950 ms")
    assert said["Records given up"] == ("6", "in 2 batches; the application was told")


def test_a_stage_that_no_line_tells_is_not_made_up():
    assert told({}, batch())["Which stage"][0] == "not in the log"
    one = told({}, batch(in_flight_ms=8_000))["Most of its time"]
    assert one == ("8 s in flight", "in flight 8000 ms, waiting not in the log")


def test_batches_that_were_delivered_lost_nothing():
    assert told({}, batch(outcome="delivered"))["Records lost"][0] == "none"
    assert told({}, batch(records=None))["Batches given up"][0] == "1"


def test_what_is_left_of_a_timer_that_runs_is_as_of_its_data():
    said = told({}, timer(), clocks={UNIT: NOON + 12_000})
    assert said["Time left"] == (
        "13 s",
        "13000 ms as of the last line; limit from the client's own log",
    )
    assert told({}, timer(deadline_at=None))["Time left"][0] == "unknown"
    assert told({}, timer(outcome="cleared", ended_at=NOON + 5)) == {}
