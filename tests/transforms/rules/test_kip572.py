"""KIP-572's rules on one-line histories of tasks: just inside, just outside, guilty-looking and not, unknown."""

import pytest

from tests.rule_cases import case, guilty, inside, negative, outside, positive, unknown
from tests.timelines_streams import events, only, outcomes, profile, run
from transforms.rules.kip572 import failures, timers
from transforms.timers.profile import ClientProfile
from transforms.timers.streams.shared_calls import SharedCall
from transforms.timers.streams.streams_failures import CorruptionLoop, StreamsFailure, StreamsFailures
from transforms.timers.streams.task_runs import TimerStreak
from transforms.timers.streams.task_timers import TaskTimers

B, D, OLDER = "broken_semantics", "departs_from_kip", "older_semantics"
FINE, SILENT, OPEN = "conforms", "not_applicable", "unjudged"


def streaks(rule: object, history: str, of: ClientProfile | None = None) -> list[str]:
    return outcomes(rule, run(TaskTimers(), history, of), TimerStreak)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("history", "of", "said"),
    [
        inside("0 armed 0_1 8000 | 8001 expired 0_1 8001", profile(), [FINE], id="just after the deadline"),
        outside("0 armed 0_1 8000 | 8000 expired 0_1 8000", profile(), [B], id="on the deadline"),
        guilty(
            "0 armed 0_1 8000 | 7000 expired 0_1 9000", profile(), [FINE], id="clock read before the call"
        ),
        pytest.param(
            "0 commit 0_1 | 0 armed 0_1 8000 | 3000 expired 0_1 9000", profile(), [B], id="a commit's lines"
        ),
        guilty(
            "0 commit 0_1 | 900 armed 0_1 8000 | 8500 expired 0_1 8500",
            profile(),
            [FINE],
            id="a pause delayed the timer's first line",
        ),
        positive("0 process 0_1 | 4000 expired 0_1 4000", profile("3.5.2"), [B], id="without DEBUG"),
        negative("0 armed 0_1 8000 | 60000 expired 0_1 60000", profile(), [FINE], id="late is no fault"),
        pytest.param("0 armed 0_1 8000 | 9 cleared 0_1", profile(), [SILENT], id="cleared"),
        unknown("0 armed 0_1 9 | 5 expired 0_1 5", profile(task_timeout_ms=None), [OPEN], id="no limit"),
        unknown("0 armed 0_1 9 | 5 expired 0_1 5", profile(origin="default:4.2"), [OPEN], id="default"),
    ],
)
def test_died_early(history: str, of: ClientProfile, said: list[str]) -> None:
    assert streaks(timers.died_early, history, of) == said


@pytest.mark.parametrize(
    ("history", "said"),
    [
        negative("0 armed 0_1 8000 | 2000 armed 0_1 6000", [FINE], id="same deadline"),
        inside("0 armed 0_1 8000 | 4000 armed 0_1 7999", [FINE], id="clock read before a long call"),
        pytest.param("0 armed 0_1 8000 | 200 armed 0_1 8000", [FINE], id="computed in the same ms"),
        outside("0 armed 0_1 8000 | 4000 armed 0_1 8001", [B], id="one millisecond later"),
        positive("0 armed 0_1 8000 | 2000 armed 0_1 8000", [B], id="armed anew"),
        guilty("0 armed 0_1 8000 | 9 cleared 0_1 | 2000 armed 0_1 8000", [SILENT, SILENT], id="cleared"),
        unknown("0 process 0_1 | 2000 process 0_1", [SILENT], id="no timer lines"),
    ],
)
def test_deadline_moved(history: str, said: list[str]) -> None:
    assert streaks(timers.deadline_moved, history) == said


@pytest.mark.parametrize(
    ("history", "said"),
    [
        negative("0 armed 0_1 8000 | 9 cleared 0_1 | 2000 armed 0_1 8000", [SILENT, FINE], id="full again"),
        positive("0 armed 0_1 8000 | 9 cleared 0_1 | 2000 armed 0_1 6000", [SILENT, B], id="old deadline"),
        guilty("0 armed 0_1 8000 | 9 cleared 0_1 | 5000 armed 0_1 6000", [SILENT, FINE], id="start not seen"),
        unknown("5000 cleared 0_1 | 6000 armed 0_1 5000", [SILENT], id="deadline before not known"),
        inside(
            "0 armed 0_1 8000 | 9 cleared 0_1 | 2000 armed 0_1 6201",
            [SILENT, FINE],
            id="a deadline of its own",
        ),
        outside(
            "0 armed 0_1 8000 | 9 cleared 0_1 | 2000 armed 0_1 6200",
            [SILENT, B],
            id="the old one, as near as lines tell",
        ),
    ],
)
def test_timer_not_reset(history: str, said: list[str]) -> None:
    assert streaks(timers.timer_not_reset, history) == said


@pytest.mark.parametrize(
    ("history", "timeout", "said"),
    [
        outside("0 armed 0_1 0 | 2054 expired 0_1 2054", 0, [D], id="as released"),
        negative("0 armed 0_1 0 | 5 cleared 0_1", 0, [FINE], id="one timeout only"),
        inside("0 armed 0_1 1 | 2054 expired 0_1 2054", 1, [SILENT], id="one millisecond is not zero"),
        unknown("0 armed 0_1 0 | 2054 expired 0_1 2054", None, [SILENT], id="limit unknown"),
        positive("0 armed 0_1 0 | 1 armed 0_1 0 | 4110 expired 0_1 4110", 0, [D], id="tried three times"),
        guilty("0 armed 0_1 0 | 5 cleared 0_1 | 2000 armed 0_1 0", 0, [FINE, FINE], id="progress between"),
    ],
)
def test_zero_timeout_retried(history: str, timeout: int | None, said: list[str]) -> None:
    assert streaks(timers.zero_timeout_retried, history, profile(task_timeout_ms=timeout)) == said


@pytest.mark.parametrize(
    ("history", "said"),
    [
        inside("0 armed 0_1 8000 | 8000 armed 0_1 0", [FINE], id="one more try is due on the deadline"),
        guilty("0 armed 0_1 8000 | 9000 armed 0_1 0", [FINE], id="clock read on the deadline"),
        outside("0 armed 0_1 8000 | 9000 armed 0_1 -1", [B], id="and none after it"),
        positive("0 armed 0_1 8000 | 9000 armed 0_1 0 | 11000 armed 0_1 0", [B], id="told as nothing left"),
        negative("0 armed 0_1 8000 | 60000 expired 0_1 60000", [SILENT], id="the final attempt"),
    ],
)
def test_retried_after_deadline(history: str, said: list[str]) -> None:
    assert streaks(timers.retried_after_deadline, history) == said


@pytest.mark.parametrize(
    "of", [profile(task_timeout_ms=None), profile(origin="default:4.2")], ids=["no limit", "default"]
)
@case("unknown")
def test_a_limit_that_is_not_proven_accuses_no_timer(of: ClientProfile) -> None:
    after_it = "0 armed 0_1 8000 | 9000 armed 0_1 -1"
    assert streaks(timers.retried_after_deadline, after_it, of) == [OPEN]
    kept_on = "0 armed 0_1 8000 | 9 cleared 0_1 | 2000 armed 0_1 6000"
    assert streaks(timers.timer_not_reset, kept_on, of) == [SILENT, OPEN]


@pytest.mark.parametrize(
    ("history", "of", "said"),
    [
        negative(
            "0 commit 0_1,0_2 | 0 armed 0_1 8 | 0 armed 0_2 8 | 5 cleared 0_1", profile(), [FINE], id="all"
        ),
        guilty(
            "0 commit 0_1,0_2 | 0 armed 0_1 8 | 5 cleared 0_1", profile(), [OPEN], id="one line may be lost"
        ),
        positive(
            "0 commit 0_1,0_2 | 0 armed 0_1 8 | 5 cleared 0_1 | 9 commit 0_1,0_2 | 9 armed 0_1 8 | 15 cleared 0_1",
            profile(),
            [OPEN, B],
            id="one is missing, and again",
        ),
        unknown("0 commit 0_1,0_2 | 9000 commit 0_1,0_2", profile(), [OPEN], id="no timer lines"),
        guilty("0 commit 0_1,0_2 | 1 revive", profile(), [], id="closed and revived instead"),
        pytest.param(
            "0 commit 0_1,0_2 | 0 armed 0_1 8 | 1 expired 0_2 9000", profile(), [], id="the last one kills"
        ),
        pytest.param("0 commit 0_1 | 9 cleared 0_1", profile(), [], id="one task"),
        pytest.param(
            "0 commit 0_1,0_2 | 1 other x",
            profile(processing_guarantee="exactly_once_v2"),
            [],
            id="exactly once",
        ),
        pytest.param("0 commit 0_1,0_2 | 0 armed 0_1 8", profile(), [], id="log ends"),
    ],
)
def test_timer_not_shared(history: str, of: ClientProfile, said: list[str]) -> None:
    assert outcomes(timers.timer_not_shared, run(TaskTimers(), history, of), SharedCall) == said


@pytest.mark.parametrize(
    ("history", "said"),
    [
        positive("0 process 0_1", [D], id="at another level"),
        negative("0 partitions 0_1", [SILENT], id="at WARN"),
        guilty("0 committed 0_1", [SILENT], id="no task was skipped"),
        unknown("0 armed 0_1 8000", [SILENT], id="the skip is not logged"),
    ],
)
def test_skip_not_warned(history: str, said: list[str]) -> None:
    assert streaks(timers.skip_not_warned, history, profile("3.5.2")) == said


@case("negative")
def test_a_skip_at_warn_is_as_promised() -> None:
    (line,) = events("0 process 0_1")
    line.level = "WARN"
    machine, known = TaskTimers(), profile("3.5.2")
    found = [*machine.step(line, known), *machine.finish(line.happened_at)]
    assert outcomes(timers.skip_not_warned, found, TimerStreak) == [FINE]


DEATH = "5 dies StreamsException>TimeoutException"


@pytest.mark.parametrize(
    ("history", "of", "said"),
    [
        pytest.param(DEATH, profile("4.2.1"), [D], id="4.2 as released"),
        pytest.param(DEATH, profile("3.9.0"), [D], id="3.9 as released"),
        positive(DEATH, profile("3.8.1"), [B], id="3.8 arms the timer"),
        pytest.param(DEATH, profile("2.7.2"), [OLDER], id="2.7 has none"),
        unknown(DEATH, profile(None), [OPEN], id="version unknown"),
        pytest.param(DEATH, profile("3.8.1", processing_guarantee=None), [OPEN], id="guarantee unknown"),
        pytest.param(f"{DEATH} | 6 dies StreamsException>TimeoutException", profile(), [D], id="told twice"),
        pytest.param("5 dies StreamsException>IllegalStateException", profile(), [], id="another exception"),
        pytest.param(
            "5 dies StreamsException>KafkaException>TimeoutException", profile("3.8.1"), [OPEN], id="wrapped"
        ),
        negative(
            "0 armed 0_1 8000 | 9000 expired 0_1 9000 | 9001 dies StreamsException>TimeoutException "
            "Task 0_1 did not make progress within 9000 ms.",
            profile(),
            [],
            id="an expired timer",
        ),
        pytest.param("0 send_error 0_1 2000 | 2 corrupted 0_1", profile(), [D], id="send() as released"),
        guilty(
            "0 send_error 0_1 2000 | 2000 corrupted 0_1", profile(), [], id="corrupted for another reason"
        ),
        pytest.param("2 corrupted 0_1", profile(), [], id="corrupted, no timeout seen"),
        pytest.param("0 commit 0_1,0_2 | 1 revive", profile("2.8.2"), [D], id="closed and revived"),
        pytest.param("0 handler 0_1", profile(), [D], id="record dropped"),
    ],
)
def test_timer_not_started(history: str, of: ClientProfile, said: list[str]) -> None:
    assert outcomes(failures.timer_not_started, run(StreamsFailures(), history, of), StreamsFailure) == said


@pytest.mark.parametrize(
    ("of", "limit"), [(profile(), (8000, "logged")), (profile(origin="default:4.2.1"), (None, None))]
)
def test_timer_not_started_names_only_a_limit_that_is_known(of, limit):
    """It rests on no limit, so one that is only a default is not shown."""
    (failure,) = only(run(StreamsFailures(), "0 send_error 0_1 2000 | 2 corrupted 0_1", of), StreamsFailure)
    verdict = failures.timer_not_started(failure)
    assert (verdict.limit_ms, verdict.limit_origin) == limit


def loop(*gaps: int) -> str:
    """Corruptions after so many ms each: ready, then a send that times out after 2000 ms."""
    at, steps = 0, []
    for gap in gaps:
        at += gap
        steps += [f"{at} send_error 0_1 2000", f"{at + 1} corrupted 0_1", f"{at + 80} ready 0_1"]
    return " | ".join(steps)


@pytest.mark.parametrize(
    ("history", "said"),
    [
        positive(loop(2400, 2400, 2400, 2400, 2400), [D], id="longer than the limit"),
        pytest.param(loop(2400, 2400, 2400), [FINE], id="within the limit"),
        guilty(loop(2400, 9000, 9000, 9000), [SILENT] * 4, id="time for progress between"),
        negative(loop(2400), [SILENT], id="once"),
        inside(loop(2400, 2666, 2666, 2667), [FINE], id="to the millisecond"),
        outside(loop(2400, 2667, 2667, 2667), [D], id="and one more"),
    ],
)
def test_outage_unbounded(history: str, said: list[str]) -> None:
    assert outcomes(failures.outage_unbounded, run(StreamsFailures(), history), CorruptionLoop) == said


@case("unknown")
def test_outage_without_a_proven_limit_is_not_judged() -> None:
    episodes = run(StreamsFailures(), loop(2400, 2400, 2400, 2400, 2400), profile(origin="default:4.2"))
    assert outcomes(failures.outage_unbounded, episodes, CorruptionLoop) == [OPEN]


LEADER_DEATH = f"{DEATH} Could not create topics within 6000 milliseconds."


@pytest.mark.parametrize(
    ("history", "of", "said"),
    [
        positive(LEADER_DEATH, profile(), [B], id="the client dies"),
        negative("0 round 2000 | 9 gave_up 6000", profile(), [], id="the rebalance fails, the client lives"),
        guilty(DEATH, profile(), [SILENT], id="of another timeout"),
        guilty(LEADER_DEATH, profile("2.6.3"), [SILENT], id="before the KIP"),
        unknown(LEADER_DEATH, profile(None), [OPEN], id="version unknown"),
    ],
)
def test_leader_timeout_fatal(history: str, of: ClientProfile, said: list[str]) -> None:
    episodes = run(StreamsFailures(), history, of)
    assert outcomes(failures.leader_timeout_fatal, episodes, StreamsFailure) == said


def test_a_leader_that_dies_of_its_loop_is_said_once() -> None:
    episodes = run(StreamsFailures(), LEADER_DEATH)
    assert outcomes(failures.timer_not_started, episodes, StreamsFailure) == [SILENT]


def test_a_finding_carries_its_limit_and_its_proof() -> None:
    (streak,) = only(
        run(TaskTimers(), "0 armed 0_1 8000 | 4000 armed 0_1 4000 | 6000 expired 0_1 6000"), TimerStreak
    )
    verdict = timers.died_early(streak)
    assert (verdict.observed_ms, verdict.limit_ms, verdict.limit_origin) == (6000, 8000, "logged")
    assert verdict.event_ids == ("e1", "e3")
    assert verdict.facts == {"task_id": "0_1"}


@pytest.mark.parametrize(
    ("stalled_ms", "said", "attempts"), [(0, "conforms", None), (1, "violated", 2), (5, "violated", 2)]
)
def test_an_expiry_alone_tells_of_a_second_attempt_where_time_had_passed(stalled_ms, said, attempts) -> None:
    found = only(run(TaskTimers(), f"9 expired 0_1 {stalled_ms}", profile(task_timeout_ms=0)), TimerStreak)
    (verdict,) = [timers.zero_timeout_retried(streak) for streak in found]
    assert (verdict.outcome, verdict.facts.get("attempts")) == (said, attempts)
