"""KIP-572's rules over starts and rebalances: the global thread, the leader's loop, what is configured."""

import pytest

from tests.rule_cases import case, guilty, inside, negative, outside, positive, unknown
from tests.timelines_streams import only, outcomes, profile, run
from transforms.rules.kip572 import configs, global_thread, leader
from transforms.rules.rule import Verdict
from transforms.timers.clients.client_configs import ClientConfigs, StreamsFacts
from transforms.timers.streams.global_timers import GlobalTimer, GlobalTimers
from transforms.timers.streams.leader_loops import LeaderLoop, LeaderLoops

B, M = "broken_semantics", "misconfiguration"
FINE, SILENT, OPEN = "conforms", "not_applicable", "unjudged"


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
            "0 global t-0 | 8201 global t-0 | 8202 global t-0",
            SILENT,
            B,
            id="called again after it",
            of="kip572.global_thread_late",
        ),
        guilty(
            "0 global t-0 | 8200 global t-0 | 30000 global t-0",
            SILENT,
            OPEN,
            id="a pause may have delayed the last line alone",
            of="kip572.global_thread_late",
        ),
        positive(
            "0 global t-0 | 3000 global_expired 3000",
            B,
            FINE,
            id="after one call",
            of="kip572.global_thread_early",
        ),
        positive(
            "0 global t-0 | 3000 global t-0 | 30000 global t-0 | 33000 global t-0",
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
        guilty(
            f"{ADMIN} | 4000 round 2000 | 11101 gave_up 6000",
            FINE,
            OPEN,
            id="later than that: it may have stood still",
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
        guilty(
            "4000 round 2000 | 5000 gave_up 6000",
            OPEN,
            FINE,
            id="a pause may have delayed the only round's line",
            of="kip572.leader_loop_early",
        ),
        guilty(
            "2500 round 4000 | 4000 round 2000 | 6000 gave_up 6000",
            FINE,
            FINE,
            id="a pause delayed the first of two",
            of="kip572.leader_loop_early",
        ),
        outside(
            "2000 round 4000 | 4000 round 2000 | 5899 gave_up 6000",
            B,
            FINE,
            id="before the limit",
            of="kip572.leader_loop_early",
        ),
        unknown("8100 gave_up 6000", OPEN, SILENT, id="start unknown", of="kip572.leader_loop_early"),
        outside(
            "4000 round 2000 | 6200 round -1",
            SILENT,
            B,
            id="another round after the limit",
            of="kip572.leader_loop_late",
        ),
        positive(
            "4000 round 2000 | 6200 round -200 | 8200 round -2200",
            SILENT,
            B,
            id="and again",
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


@pytest.mark.parametrize(
    ("history", "observed_ms", "limit_ms"),
    [
        pytest.param(f"{MAIN.format(12000)} | 4000 round 2000 | 6200 round -1", 6001, 6000, id="half"),
        pytest.param("4000 round 2000 | 6200 round -1", 2001, 2000, id="not known: from the first line on"),
    ],
)
def test_a_round_after_the_limit_tells_how_long_the_loop_took(
    history: str, observed_ms: int, limit_ms: int
) -> None:
    (found,) = only(run(LeaderLoops(), history), LeaderLoop)
    verdict = leader.leader_loop_late(found)
    assert (verdict.observed_ms, verdict.limit_ms) == (observed_ms, limit_ms)


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
        pytest.param("0 dump StreamsConfig retries=5", "4.0.0", M, SILENT, id="no such warning any more"),
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


@pytest.mark.parametrize(
    ("version", "said"),
    [guilty("2.7.2", SILENT, id="2.7 has no timers of tasks"), unknown(None, OPEN, id="version unknown")],
)
def test_only_tasks_with_timers_need_room(version: str | None, said: str) -> None:
    (found,) = facts(f"0 dump StreamsConfig task.timeout.ms=1000 | {CALLS}", version)
    assert configs.room_for_one_retry(found).outcome == said
