"""KIP-572's rules about a thread's loops, commits that keep failing and the global thread's tries."""

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_streams import outcomes, profile, run
from transforms.rules.kip572 import failures, global_thread, loops
from transforms.timers.profile import ClientProfile
from transforms.timers.streams.commit_outages import CommitOutage, CommitOutages
from transforms.timers.streams.global_timers import GlobalTimer, GlobalTimers
from transforms.timers.streams.skipped_tasks import SkippedTask, SkippedTasks
from transforms.timers.streams.task_runs import TimerStreak
from transforms.timers.streams.task_timers import TaskTimers

B, D = "broken_semantics", "departs_from_kip"
FINE, SILENT, OPEN = "conforms", "not_applicable", "unjudged"
TWO_TASKS = "0 assigned orders-0,orders-1"


def rounds(count: int, records: int, after: str = "armed 0_1 8000 TimeoutException", start: int = 0) -> str:
    """Loops in which 0_1 is skipped, others having records, so many being processed."""
    steps = [
        f"{start + n * 100} polled 3 orders-0 | {start + n * 100} {after} | {start + n * 100} process 0_1 "
        f"| {start + n * 100} processed {records}"
        for n in range(count)
    ]
    return " | ".join(steps)


def without(count: int, records: int = 2) -> str:
    """Loops in which others are processed and 0_1 is not seen."""
    return " | ".join(f"{1000 + n} processed {records}" for n in range(count))


ONE_SKIP = rounds(1, 2)


@pytest.mark.parametrize(
    ("history", "said"),
    [
        outside(f"{TWO_TASKS} | {rounds(2, 0)}", [B], id="two loops with nothing processed"),
        positive(f"{TWO_TASKS} | {rounds(9, 0)}", [B], id="others stand still with it"),
        inside(f"{TWO_TASKS} | {rounds(1, 0)}", [FINE], id="one loop is no pattern"),
        pytest.param(
            f"{TWO_TASKS} | {rounds(1, 0)} | {rounds(1, 3)} | {rounds(1, 0)}", [FINE], id="not in a row"
        ),
        negative(f"{TWO_TASKS} | {rounds(5, 3)}", [FINE], id="others are processed"),
        guilty(
            f"{TWO_TASKS},orders-2 | " + rounds(5, 0).replace("polled 3 orders-0", "polled 3 orders-1"),
            [FINE],
            id="the records are the skipped task's own",
        ),
        guilty(
            f"{TWO_TASKS},prices-0 | {rounds(5, 0)}", [FINE], id="the other task may wait for a second topic"
        ),
        pytest.param(f"0 assigned orders-1 | {rounds(5, 0)}", [SILENT], id="no other task"),
        unknown(rounds(5, 0), [OPEN], id="partitions unknown"),
        unknown(f"{TWO_TASKS} | 0 process 0_1 | 99 process 0_1", [OPEN], id="loops not logged"),
        pytest.param(
            f"0 polled 2 orders-0 | 1 processed 2 | 5 polled 1 orders-0 | 6 processed 1 | {rounds(2, 0)}",
            [B],
            id="no assignment, but the other task waits for nothing",
        ),
        guilty(
            f"0 polled 2 orders-0 | 1 processed 0 | 5 polled 1 orders-0 | 6 processed 2 | {rounds(2, 0)}",
            [OPEN],
            id="no assignment, and the other task has waited before",
        ),
        pytest.param(f"{TWO_TASKS} | 0 processed 0 | 9 processed 0", [], id="nobody was skipped"),
        pytest.param(
            f"{TWO_TASKS} | {rounds(1, 0)} | 500 dead | {rounds(1, 0)}",
            [FINE, FINE],
            id="the thread changed between",
        ),
    ],
)
def test_others_blocked(history, said):
    assert outcomes(loops.others_blocked, run(SkippedTasks(), history), SkippedTask) == said


@pytest.mark.parametrize(
    ("history", "said"),
    [
        outside(f"{ONE_SKIP} | {without(3)}", [B], id="left out of three loops"),
        positive(f"{ONE_SKIP} | {without(20)}", [B], id="never tried again"),
        inside(f"{ONE_SKIP} | {without(2)}", [FINE], id="two loops may have lost a line"),
        guilty(f"{ONE_SKIP} | {without(9, records=0)}", [FINE], id="paused: nobody is processed"),
        negative(f"{ONE_SKIP} | 900 cleared 0_1 | {without(9)}", [FINE], id="its retry went through"),
        pytest.param(f"{rounds(5, 2)}", [FINE], id="tried in each loop"),
        guilty(f"{ONE_SKIP} | 900 closed 0_1 clean | {without(9)}", [SILENT], id="moved to another thread"),
        pytest.param(
            f"{ONE_SKIP} | 900 dies StreamsException | {without(9)}", [SILENT], id="the client died"
        ),
        pytest.param(
            ONE_SKIP.replace("0_1", "a__0_1") + f" | {without(9)}", [SILENT], id="named topologies back off"
        ),
        unknown(f"0 process 0_1 | 0 processed 1 | {without(9)}", [OPEN], id="DEBUG of StreamTask is off"),
        unknown("0 armed 0_1 8000 | 0 process 0_1", [OPEN], id="DEBUG of StreamThread is off"),
        pytest.param("0 process 0_1 | 2000 process 0_1", [FINE], id="retried, as ERROR lines tell"),
        pytest.param(
            f"{ONE_SKIP} | " + without(9).replace("processed 2", "processed 2@2"),
            [FINE],
            id="loops of thread 2",
        ),
    ],
)
def test_task_not_retried(history, said):
    history = " | ".join(step.replace("@2", " @2") for step in history.split(" | "))
    assert outcomes(loops.task_not_retried, run(SkippedTasks(), history), SkippedTask) == said


def test_a_task_that_is_not_retried_carries_its_skip_and_the_loops():
    (skipped,) = run(SkippedTasks(), f"{ONE_SKIP} | {without(3)}")
    verdict = loops.task_not_retried(skipped)
    assert verdict.event_ids == ("e3", "e5", "e6", "e7")
    assert verdict.facts == {"task_id": "0_1", "count": 3}


CLIENTS, BARE = "TimeoutException", "StreamsException>TimeoutException"


@pytest.mark.parametrize(
    ("history", "of", "said"),
    [
        negative(f"0 armed 0_1 8000 {CLIENTS} | 9 cleared 0_1", profile(), [FINE], id="a client's timeout"),
        guilty("0 armed 0_1 8000 BufferExhaustedException", profile(), [FINE], id="a kind of timeout"),
        guilty("0 armed 0_1 8000 ExecutionException", profile(), [FINE], id="a future of the admin client"),
        positive("0 armed 0_1 8000 IllegalStateException", profile(), [B], id="another exception"),
        unknown("0 armed 0_1 8000", profile(), [OPEN], id="no exception printed"),
        pytest.param(
            "0 armed 0_1 8000 | 0 process 0_1", profile(), [FINE], id="the failed call has its own line"
        ),
        positive(
            f"0 armed 0_1 8000 | 2000 armed 0_1 6000 {CLIENTS}", profile(), [B], id="started by nothing"
        ),
        positive(f"0 expired 0_1 9000 {BARE}", profile(), [B], id="expired by slow processing"),
        pytest.param(
            f"0 expired 0_1 9000 {BARE}", profile("2.8.2"), [OPEN], id="failed calls are DEBUG before 3.2"
        ),
        unknown(f"0 expired 0_1 9000 {BARE}", profile(None), [OPEN], id="version unknown"),
        unknown("0 expired 0_1 9000 TimeoutException", profile("3.0.2"), [OPEN], id="thrown bare, trace cut"),
        pytest.param(
            f"0 expired 0_1 9000 {BARE}>TimeoutException", profile(), [FINE], id="a client's timeout under it"
        ),
        guilty(
            f"0 commit 0_1 | 9000 expired 0_1 9000 {BARE}", profile(), [FINE], id="a failed commit, trace cut"
        ),
        pytest.param(
            "0 finalized 0_1 | 9001 expired 0_1 9000", profile("2.8.2"), [B], id="DEBUG shows no timer line"
        ),
        pytest.param(
            "1 finalized 0_1 | 9001 expired 0_1 9000", profile("2.8.2"), [OPEN], id="armed before DEBUG shows"
        ),
        pytest.param(
            f"0 finalized 0_1 | 9001 expired 0_1 9000 {BARE}>TimeoutException",
            profile(),
            [FINE],
            id="DEBUG, a line is lost",
        ),
        pytest.param("0 commit 0_1 | 500 closed 0_1 clean", profile(), [SILENT], id="no timer line"),
        pytest.param(f"0 expired 0_1 9000 {BARE}", profile(task_timeout_ms=None), [B], id="needs no limit"),
    ],
)
def test_fired_without_timeout(history, of, said):
    assert outcomes(loops.fired_without_timeout, run(TaskTimers(), history, of), TimerStreak) == said


def commits(count: int, gap: int = 5000, between: str = "armed 0_1 8000 | {} cleared 0_1") -> str:
    """Commits that fail again and again after 4 s each, their tasks going on between."""
    steps = []
    for n in range(count):
        at = n * gap
        steps += [f"{at} commit 0_1 4000"] + ([f"{at} {between.format(at + 50)}"] if between else [])
    return " | ".join(steps)


@pytest.mark.parametrize(
    ("history", "of", "said"),
    [
        # The first commit began 4 s before it failed: 4000 + 5000 is beyond task.timeout.ms = 8000.
        outside(commits(2), profile("3.5.2"), [D], id="just outside"),
        inside(commits(2, gap=4000), profile("3.5.2"), [FINE], id="just inside"),
        guilty(
            commits(4, between="armed 0_1 8000"), profile("3.5.2"), [FINE], id="nothing cleared the timer"
        ),
        pytest.param(
            commits(4, between="armed 0_1 8000 | {0} cleared 0_1 | {0} finalized 0_1"),
            profile(),
            [],
            id="they went through",
        ),
        unknown(commits(4, between=""), profile(), [OPEN], id="INFO: one may have gone through"),
        pytest.param(commits(4, gap=70_000, between=""), profile(), [], id="INFO: far apart, no streak"),
        pytest.param(
            commits(4),
            profile(processing_guarantee="exactly_once_v2"),
            [],
            id="exactly once: corrupted instead",
        ),
        unknown(commits(4), profile(task_timeout_ms=None), [OPEN], id="limit unknown"),
        unknown(commits(4), profile(origin="default:4.2"), [OPEN], id="limit is only a default"),
        pytest.param(
            f"{commits(2, gap=4000)} | 4100 closed 0_1 clean | 9000 commit 0_1 4000",
            profile(),
            [FINE],
            id="closed",
        ),
        pytest.param(commits(1), profile(), [], id="one failure"),
        positive(commits(6), profile("4.2.1"), [D], id="commits fail for half a minute"),
    ],
)
def test_commits_that_fail_past_the_limit(history, of, said):
    found = outcomes(failures.outage_unbounded, run(CommitOutages(), history, of), CommitOutage)
    assert found == said


def test_an_outage_of_commits_names_first_and_last_failure_and_a_clear():
    (outage,) = run(CommitOutages(), commits(3))
    verdict = failures.outage_unbounded(outage)
    assert verdict.event_ids == ("e1", "e6", "e7")
    assert (verdict.observed_ms, verdict.limit_ms) == (14_000, 8000)


def backoff(ms: object = 100, api: object = 3000, origin: str = "logged") -> ClientProfile:
    return profile(
        "4.2.1",
        origin,
        **{"retry_backoff_ms": ms, "global_consumer_default_api_timeout_ms": api},
    )


@pytest.mark.parametrize(
    ("history", "of", "said"),
    [
        positive(
            "0 global customers-0 3000 | 3005 global customers-0 3001", backoff(), [D], id="as released"
        ),
        outside(
            "0 global customers-0 3000 | 3094 global customers-0 3000", backoff(), [D], id="just outside"
        ),
        inside(
            "0 global customers-0 3000 | 3095 global customers-0 3000", backoff(), [FINE], id="just inside"
        ),
        pytest.param(
            "0 global customers-0 | 3005 global customers-0", backoff(), [D], id="by default.api.timeout.ms"
        ),
        positive("0 global customers-0 0 | 20 global customers-0 0", backoff(), [B], id="hammers"),
        pytest.param(
            "0 global customers-0 | 20 global customers-0", backoff(), [B], id="hammers, nothing printed"
        ),
        pytest.param(
            "0 global customers-0 20 | 20 global customers-0 20",
            backoff(api=20),
            [D],
            id="a short call timeout",
        ),
        pytest.param(
            "0 global customers-0 3 | 95 global customers-0 3",
            backoff(),
            [D],
            id="spaced by the backoff, just",
        ),
        pytest.param(
            "0 global customers-0 | 3000 global customers-0", backoff(), [D], id="the call's own timeout"
        ),
        pytest.param(
            "0 global customers-0 | 95 global customers-0", backoff(), [FINE], id="a call that took no time"
        ),
        negative("0 global customers-0 3000", backoff(), [SILENT], id="one try"),
        guilty("0 global customers-0 0 | 1 global customers-0 0", backoff(0), [FINE], id="no backoff set"),
        unknown(
            "0 global customers-0 0 | 1 global customers-0 0", backoff(None), [OPEN], id="backoff unknown"
        ),
        unknown(
            "0 global customers-0 0 | 1 global customers-0 0",
            backoff(origin="default:4.2"),
            [OPEN],
            id="a default",
        ),
        unknown(
            "0 global customers-0 | 20 global customers-0", backoff(api=None), [OPEN], id="call time unknown"
        ),
    ],
)
def test_global_thread_no_backoff(history, of, said):
    assert (
        outcomes(global_thread.global_thread_no_backoff, run(GlobalTimers(), history, of), GlobalTimer)
        == said
    )
