"""Task timers from one-line histories: with their DEBUG lines, and inferred without them."""

import pytest

from tests.timelines_streams import NOON, only, profile, run
from transforms.timers.episodes import TaskTimer
from transforms.timers.state import dump_state, load_state
from transforms.timers.streams.task_timers import TaskTimers


def told(history: str, until: int = 0, **settings: object) -> list[str]:
    """`task start..end outcome xATTEMPTS`, `~` before an inferred start, times in ms after noon."""
    timers = only(run(TaskTimers(), history, profile(**settings), until), TaskTimer)
    return [_told(timer) for timer in timers]


def _told(timer: TaskTimer) -> str:
    start = (timer.started_at or 0) - NOON
    end = timer.ended_at - NOON if timer.ended_at is not None else ""
    mark = "~" if timer.is_inferred else ""
    return f"{timer.task_id} {mark}{start}..{end} {timer.outcome} x{timer.attempts}"


@pytest.mark.parametrize(
    ("history", "timers"),
    [
        pytest.param(
            "0 armed 0_1 8000 | 2000 armed 0_1 6000 | 2100 cleared 0_1",
            ["0_1 0..2100 cleared x2"],
            id="two timeouts, then progress",
        ),
        pytest.param(
            "0 partitions 0_1 | 0 armed 0_1 8000 | 1 process 0_1 | 2000 partitions 0_1 | 2000 armed 0_1 6000 "
            "| 2001 process 0_1 | 2100 cleared 0_1",
            ["0_1 0..2100 cleared x2"],
            id="three lines of one failure are one attempt",
        ),
        pytest.param(
            "0 commit 0_1,0_2 | 0 armed 0_1 8000 | 0 armed 0_2 8000 | 6 cleared 0_2 | 9 cleared 0_1",
            ["0_2 0..6 cleared x1", "0_1 0..9 cleared x1"],
            id="one commit, a timer for each of its tasks",
        ),
        pytest.param(
            "0 commit 0_1,0_2 | 0 armed 0_1 8000 | 0 armed 0_2 8000 | 7000 commit 0_1,0_2 | 7000 armed 0_1 "
            "1000 "
            "| 7000 armed 0_2 1000 | 14000 commit 0_1,0_2 | 14001 expired 0_1 14000 | 14010 closed 0_1 dirty "
            "| 14012 closed 0_2 dirty",
            ["0_1 0..14001 expired x3", "0_2 0..14012 closed x3"],
            id="one task kills the thread, the other's timer goes with it",
        ),
        pytest.param(
            "0 commit 0_1 | 0 armed 0_1 8000 | 9000 commit 0_1,0_2 | 9001 expired 0_1 9000 | 9005 closed 0_2 dirty",
            ["0_1 0..9001 expired x2"],
            id="the call that kills the thread arms no task after the expired one",
        ),
        pytest.param(
            "0 armed 0_1 8000 | 2054 expired 0_1 2054",
            ["0_1 0..2054 expired x2"],
            id="expiry on a second failure",
        ),
        pytest.param(
            "0 armed 0_1 8000 | 9000 expired 0_1 9000 | 9005 expired 0_1 9000",
            ["0_1 0..9000 expired x2"],
            id="the same exception told twice is one expiry",
        ),
        pytest.param(
            "5000 armed 0_1 3000 | 5100 cleared 0_1", ["0_1 ~0..5100 cleared x1"], id="log begins within"
        ),
        pytest.param("5000 cleared 0_1 | 5001 closed 0_1 dirty", [], id="nothing ran"),
    ],
)
def test_with_debug_lines(history: str, timers: list[str]) -> None:
    assert told(history) == timers


@pytest.mark.parametrize(
    ("history", "timers"),
    [
        pytest.param(
            "0 partitions 0_1 | 1 process 0_1 | 2000 process 0_1 | 10000 partitions 0_1 | 10073 expired "
            "0_1 10073",
            ["0_1 ~0..10073 expired x3"],
            id="the warning before the expiry is the expiring attempt",
        ),
        pytest.param(
            "0 commit 0_1 | 9000 commit 0_1 | 18100 commit 0_1 | 18101 expired 0_1 9101",
            ["0_1 ~0..0 cleared x1", "0_1 ~9000..18101 expired x2"],
            id="a failure before the expired timer's start was another timer's",
        ),
        pytest.param(
            "0 process 0_1 | 2000 process 0_1 | 20000 process 0_1 | 22000 process 0_1",
            ["0_1 ~0..2000 cleared x2", "0_1 ~20000.. open x2"],
            id="alive after the deadline: cleared in between",
        ),
        pytest.param(
            "0 commit 0_1,0_2 | 7000 commit 0_1,0_2 | 14000 commit 0_1,0_2 | 21000 commit 0_1,0_2 "
            "| 21001 expired 0_1 14001 | 21010 closed 0_2 dirty",
            [
                "0_1 ~0..0 cleared x1",
                "0_1 ~7000..21001 expired x3",
                "0_2 ~0..0 cleared x1",
                "0_2 ~7000..21010 closed x3",
            ],
            id="the expiry tells which failures were its timer's, and of the task beside it",
        ),
        pytest.param("0 committed 0_1 | 700 ready 0_1", ["0_1 ~0..700 cleared x1"], id="ready is progress"),
        pytest.param(
            "0 commit 0_1 | 8 closed 0_1 dirty", ["0_1 ~0..8 closed x1"], id="closed for that failure"
        ),
        pytest.param(
            "0 process 0_1 | 3000 closed 0_1 dirty", ["0_1 ~0.. unknown x1"], id="cleared or not, unseen"
        ),
        pytest.param(
            "0 process 0_1 | 2000 process 0_1 | 30000 closed 0_1 clean",
            ["0_1 ~0..2000 cleared x2"],
            id="a clean close after the deadline: it was cleared",
        ),
        pytest.param("0 process 0_1 | 3000 dead", ["0_1 ~0.. unknown x1"], id="thread gone"),
    ],
)
def test_without_debug_lines(history: str, timers: list[str]) -> None:
    assert told(history, version="3.5.2") == timers


@pytest.mark.parametrize(
    ("until", "outcome"), [(7999, "open"), (8000, "open"), (8001, "unknown")], ids=["before", "at", "after"]
)
def test_an_inferred_timer_is_open_until_its_deadline(until: int, outcome: str) -> None:
    assert told("0 process 0_1", until, version="3.5.2") == [f"0_1 ~0.. {outcome} x1"]


def test_a_timer_with_its_own_lines_stays_open_after_its_deadline() -> None:
    """The deadline is only looked at when a call fails again."""
    assert told("0 armed 0_1 8000", 60_000) == ["0_1 0.. open x1"]


@pytest.mark.parametrize(
    ("history", "settings"),
    [
        pytest.param("0 process 0_1", {"version": "2.7.2"}, id="2.7 has no task timers"),
        pytest.param("0 partitions 0_1", {"version": "3.9.1"}, id="3.9 arms nothing in process()"),
        pytest.param("0 partitions 0_1", {"version": None}, id="version unknown"),
        pytest.param("0 commit 0_1", {"processing_guarantee": "exactly_once_v2"}, id="exactly once"),
    ],
)
def test_no_timer(history: str, settings: dict[str, object]) -> None:
    assert told(history, **settings) == []


def test_threads_are_told_apart() -> None:
    history = "0 armed 0_1 8000 | 10 armed 0_1 8000 @2 | 20 cleared 0_1 @2"
    assert told(history) == ["0_1 10..20 cleared x1", "0_1 0.. open x1"]


def test_a_timer_says_its_limit_and_its_proof() -> None:
    (timer,) = only(run(TaskTimers(), "0 commit 0_1 | 0 armed 0_1 8000 | 9 cleared 0_1"), TaskTimer)
    assert timer.started_by == "commit"
    assert timer.event_ids == ["e1", "e2", "e3"]
    assert (timer.deadline_at, timer.task_timeout_ms, timer.timeout_origin) == (NOON + 8000, 8000, "logged")
    assert (timer.stalled_ms, timer.last_attempt_at) == (9, NOON)


def test_state_is_plain_data() -> None:
    machine = TaskTimers()
    run_until = run(machine, "")
    assert run_until == []
    assert load_state(dump_state(machine)) == machine


def test_a_long_outage_keeps_bounded_proof() -> None:
    steps = " | ".join(f"{n * 2000} armed 0_1 {max(0, 600_000 - n * 2000)}" for n in range(200))
    (timer,) = only(run(TaskTimers(), steps, profile(task_timeout_ms=600_000)), TaskTimer)
    assert timer.attempts == 200
    assert len(timer.event_ids) <= 60
    assert timer.event_ids[0] == "e1"
    assert timer.event_ids[-1] == "e200"
