"""KIP-572's rules on one-line histories: just inside, just outside, guilty-looking and not, unknown."""

import pytest

from tests.rule_cases import case, guilty, inside, negative, outside, positive, unknown
from tests.timelines_streams import only, outcomes, profile, run
from transforms.rules.kip572 import configs, failures, global_thread, leader, timers
from transforms.rules.rule import Verdict
from transforms.timers.client_configs import ClientConfigs, StreamsFacts
from transforms.timers.global_timers import GlobalTimer, GlobalTimers
from transforms.timers.leader_loops import LeaderLoop, LeaderLoops
from transforms.timers.profile import ClientProfile
from transforms.timers.shared_calls import SharedCall
from transforms.timers.streams_failures import CorruptionLoop, StreamsFailure, StreamsFailures
from transforms.timers.task_runs import TimerStreak
from transforms.timers.task_timers import TaskTimers

B, D, OLDER, M = "broken_semantics", "departs_from_kip", "older_semantics", "misconfiguration"
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
        positive("0 commit 0_1,0_2 | 0 armed 0_1 8 | 5 cleared 0_1", profile(), [B], id="one is missing"),
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


@pytest.mark.parametrize(
    ("history", "early", "late"),
    [
        negative("0 global t-0 | 3000 global t-0 | 9014 global_expired 9014", FINE, FINE, id="as released"),
        inside(
            "0 global t-0 | 8000 global_expired 8000",
            FINE,
            FINE,
            id="on the limit",
            of="kip572.global_thread_early",
        ),
        outside(
            "0 global t-0 | 7999 global_expired 7999",
            B,
            FINE,
            id="one millisecond early",
            of="kip572.global_thread_early",
        ),
        inside(
            "0 global t-0 | 8200 global t-0",
            SILENT,
            FINE,
            id="a slow first line",
            of="kip572.global_thread_late",
        ),
        outside(
            "0 global t-0 | 8201 global t-0", SILENT, B, id="retried after it", of="kip572.global_thread_late"
        ),
        positive(
            "0 global t-0 | 3000 global_expired 3000",
            B,
            FINE,
            id="after one call",
            of="kip572.global_thread_early",
        ),
        positive(
            "0 global t-0 | 3000 global t-0 | 30000 global t-0",
            SILENT,
            B,
            id="and again",
            of="kip572.global_thread_late",
        ),
    ],
)
def test_global_thread(history: str, early: str, late: str) -> None:
    episodes = run(GlobalTimers(), history)
    assert outcomes(global_thread.global_thread_early, episodes, GlobalTimer) == [early]
    assert outcomes(global_thread.global_thread_late, episodes, GlobalTimer) == [late]


@case("looks guilty", of="kip572.global_thread_late")
def test_two_calls_of_the_global_thread_have_two_deadlines() -> None:
    episodes = run(GlobalTimers(), "0 global t-0 | 6000 global t-1 | 12000 global t-1")
    assert outcomes(global_thread.global_thread_late, episodes, GlobalTimer) == [SILENT, FINE]


@case("looks guilty")
def test_a_global_thread_that_may_not_retry_gives_up_at_once() -> None:
    episodes = run(GlobalTimers(), "0 global_expired 0", profile(task_timeout_ms=0))
    assert outcomes(global_thread.global_thread_early, episodes, GlobalTimer) == [FINE]


@case("unknown")
def test_global_thread_without_a_limit() -> None:
    episodes = run(
        GlobalTimers(), "0 global t-0 | 5 global t-0 | 9 global_expired 9", profile(task_timeout_ms=None)
    )
    assert outcomes(global_thread.global_thread_early, episodes, GlobalTimer) == [OPEN]
    assert outcomes(global_thread.global_thread_late, episodes, GlobalTimer) == [OPEN]


ADMIN = "0 dump AdminClientConfig client.id=orders-admin default.api.timeout.ms=2000"
MAIN = "0 dump ConsumerConfig client.id=orders-StreamThread-1-consumer max.poll.interval.ms={}"


@pytest.mark.parametrize(
    ("history", "early", "late"),
    [
        negative(
            f"{ADMIN} | 4000 round 2000 | 8100 gave_up 6000",
            FINE,
            FINE,
            id="late by one round",
            of="kip572.leader_loop_early",
            also=case("looks guilty", of="kip572.leader_loop_late"),
        ),
        inside(
            f"{ADMIN} | 4000 round 2000 | 11100 gave_up 6000",
            FINE,
            FINE,
            id="the latest",
            of="kip572.leader_loop_late",
        ),
        outside(
            f"{ADMIN} | 4000 round 2000 | 11101 gave_up 6000",
            FINE,
            B,
            id="later than that",
            of="kip572.leader_loop_late",
        ),
        unknown(
            "4000 round 2000 | 8100 gave_up 6000",
            FINE,
            OPEN,
            id="admin's timeout unknown",
            of="kip572.leader_loop_late",
        ),
        inside(
            "4000 round 2000 | 5900 gave_up 6000",
            FINE,
            FINE,
            id="on the limit, less a slow line",
            of="kip572.leader_loop_early",
        ),
        outside(
            "4000 round 2000 | 5899 gave_up 6000",
            B,
            FINE,
            id="before the limit",
            of="kip572.leader_loop_early",
        ),
        unknown("8100 gave_up 6000", OPEN, SILENT, id="start unknown", of="kip572.leader_loop_early"),
        positive(
            "4000 round 2000 | 6200 round -1",
            SILENT,
            B,
            id="another round after the limit",
            of="kip572.leader_loop_late",
        ),
        negative(
            f"{MAIN.format(12000)} | 4000 round 2000 | 6000 gave_up 6000",
            FINE,
            FINE,
            id="half",
            of="kip572.leader_loop_late",
        ),
        positive(
            f"{MAIN.format(14000)} | 4000 round 2000 | 6000 gave_up 6000",
            B,
            FINE,
            id="less than half",
            of="kip572.leader_loop_early",
        ),
        guilty(
            f"{MAIN.format(12001)} | 4000 round 2000 | 6000 gave_up 6000",
            FINE,
            FINE,
            id="half, as integers are",
            of="kip572.leader_loop_early",
        ),
        pytest.param(
            "4000 round 2000 | 6100 gave_up 6000", FINE, FINE, id="a slow line, whatever the admin's timeout"
        ),
        unknown(
            "4000 round 2000 | 6101 gave_up 6000",
            FINE,
            OPEN,
            id="longer than a slow line",
            of="kip572.leader_loop_late",
        ),
    ],
)
def test_leader_loop(history: str, early: str, late: str) -> None:
    (found,) = only(run(LeaderLoops(), history), LeaderLoop)
    verdicts: list[Verdict] = [leader.leader_loop_early(found), leader.leader_loop_late(found)]
    said = [verdict.category or verdict.outcome for verdict in verdicts]
    assert said == [early, late]


def test_a_round_after_a_limit_that_is_not_known_counts_from_the_first_line() -> None:
    (found,) = only(run(LeaderLoops(), "4000 round 2000 | 6200 round -1"), LeaderLoop)
    verdict = leader.leader_loop_late(found)
    assert (verdict.observed_ms, verdict.limit_ms) == (2001, 2000)


def facts(history: str, version: str | None = "3.5.2") -> list[StreamsFacts]:
    return only(run(ClientConfigs(), history, profile(version)), StreamsFacts)


@pytest.mark.parametrize(
    ("history", "version", "set_", "warned"),
    [
        positive(
            "0 dump StreamsConfig retries=5 | 1 retries_warning",
            "2.8.2",
            M,
            FINE,
            id="warned",
            of="kip572.retries_set",
            also=case("negative", of="kip572.retries_not_warned"),
        ),
        positive(
            "0 dump StreamsConfig retries=5", "2.8.2", M, B, id="not warned", of="kip572.retries_not_warned"
        ),
        unknown(
            "0 dump StreamsConfig retries=5",
            None,
            M,
            OPEN,
            id="version unknown",
            of="kip572.retries_not_warned",
        ),
        negative(
            "0 dump StreamsConfig retries=0", "3.5.2", SILENT, SILENT, id="not set", of="kip572.retries_set"
        ),
        unknown(
            "0 dump StreamsConfig a=1", "4.2.1", SILENT, SILENT, id="no such key", of="kip572.retries_set"
        ),
        pytest.param("0 retries_warning", "3.5.2", M, SILENT, id="the warning alone"),
        guilty("0 dump StreamsConfig retries=5", "2.6.3", SILENT, SILENT, id="before the KIP"),
    ],
)
def test_retries(history: str, version: str | None, set_: str, warned: str) -> None:
    (found,) = facts(history, version)
    said = [configs.retries_set(found), configs.retries_not_warned(found)]
    assert [verdict.category or verdict.outcome for verdict in said] == [set_, warned]


CALLS = "1 dump ConsumerConfig client.id=a-StreamThread-1-consumer default.api.timeout.ms=60000"


@pytest.mark.parametrize(
    ("history", "said"),
    [
        outside(f"0 dump StreamsConfig task.timeout.ms=59999 | {CALLS}", M, id="shorter than a call"),
        inside(f"0 dump StreamsConfig task.timeout.ms=60000 | {CALLS}", FINE, id="as long as a call"),
        guilty(f"0 dump StreamsConfig task.timeout.ms=0 | {CALLS}", SILENT, id="no retry wanted"),
        unknown("0 dump StreamsConfig task.timeout.ms=5", OPEN, id="clients' dumps not seen"),
        pytest.param(
            "0 dump StreamsConfig task.timeout.ms=5 | 1 dump ConsumerConfig client.id=x "
            "default.api.timeout.ms=9",
            OPEN,
            id="another client's",
        ),
        positive(f"0 dump StreamsConfig task.timeout.ms=1000 | {CALLS}", M, id="much shorter"),
        negative(f"0 dump StreamsConfig task.timeout.ms=300000 | {CALLS}", FINE, id="room for five"),
    ],
)
def test_room_for_one_retry(history: str, said: str) -> None:
    (found,) = facts(history)
    verdict = configs.room_for_one_retry(found)
    assert (verdict.category or verdict.outcome) == said


def test_a_finding_carries_its_limit_and_its_proof() -> None:
    (streak,) = only(
        run(TaskTimers(), "0 armed 0_1 8000 | 4000 armed 0_1 4000 | 6000 expired 0_1 6000"), TimerStreak
    )
    verdict = timers.died_early(streak)
    assert (verdict.observed_ms, verdict.limit_ms, verdict.limit_origin) == (6000, 8000, "logged")
    assert verdict.event_ids == ("e1", "e3")
    assert verdict.facts == {"task_id": "0_1"}
