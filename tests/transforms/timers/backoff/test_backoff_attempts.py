"""Retries from one-line histories: which failures are one batch's, and how long it waited."""

import pytest

from tests.timelines_backoff import (
    admin,
    attempts,
    events,
    lookups,
    metadata,
    produce,
    profile,
    run,
    sequences,
)
from transforms.timers.backoff.attempts import BackoffAttempts
from transforms.timers.backoff.envelope import Backoff, backoff_of
from transforms.timers.episodes import BackoffAttempt
from transforms.timers.state import dump_state, load_state


def waits(history: str) -> list[str]:
    """`FAILURES:WAIT`, `<` before a wait that is known as a gap only."""
    return [f"{a.failures}:{'<' * a.is_lower_bound}{a.waited_ms}" for a in attempts(history)]


@pytest.mark.parametrize(
    ("history", "found"),
    [
        pytest.param(produce("100 210 400"), ["1:100", "2:210", "3:400"], id="sends are known"),
        pytest.param(produce("100 210", debug=False), ["1:<100", "2:<210"], id="gaps only"),
        pytest.param(
            "0 fail 1 1 | 500 fail 5 2 | 610 fail 2 3 | 1500 fail 6 4",
            ["1:<610", "5:<1000"],
            id="two batches",
        ),
        pytest.param(
            "0 fail 1 1 | 110 send 2 | 115 got 2 | 900 send 3", ["1:110"], id="the retry went through"
        ),
        pytest.param(
            "0 fail 5 1 | 1 fail 9 2 | 1050 send 3 | 1100 send 4",
            ["5:1100", "9:1049"],
            id="of two that wait, the one that failed last stands first in its queue",
        ),
        pytest.param("0 fail 1 1 | 110 send 2", ["1:110"], id="the log ends with the retry"),
        pytest.param("0 fail 1 1 | 30 send 2", [], id="a request in its wait is another batch's"),
        pytest.param(
            "0 fail 1 1 NOT_LEADER_OR_FOLLOWER | 2 send 2 | 6 got 2 | 900 send 3",
            ["1:2"],
            id="the new leader, which the answer names, is tried at once",
        ),
        pytest.param("0 fail 1 1 | 12000 expired | 12500 send 2", [], id="expired while it waited"),
        pytest.param("0 fail 1 1 | 110 send 2 | 12000 expired", ["1:110"], id="expired in flight"),
        pytest.param(lookups("100 160"), ["1:100", "2:160"], id="lookups"),
        pytest.param(
            "0 lookup_failed | 1 lookup_failed | 100 send 1 FIND_COORDINATOR",
            ["1:100"],
            id="one failure, two lines",
        ),
        pytest.param("0 lookup_failed | 90 send 1 FIND_COORDINATOR share", ["1:90"], id="of a share group"),
        pytest.param("0 lookup_failed | 50 found | 900 send 1 FIND_COORDINATOR", [], id="found"),
        pytest.param(
            "0 lookup_failed | 100 lookup_sent | 105 lookup_failed | 205 lookup_sent",
            ["1:100", "2:100"],
            id="before 2.7 only the coordinator's own line tells of a lookup",
        ),
        pytest.param(
            "0 send 9 FIND_COORDINATOR | 1 lookup_failed | 90 lookup_sent | 101 send 1 FIND_COORDINATOR",
            ["1:100"],
            id="a lookup that waits for its connection is not sent yet",
        ),
        pytest.param(
            "0 lookup_failed DisconnectException | 300 lookup_sent | 305 lookup_failed | 405 lookup_sent",
            ["2:100"],
            id="nor is one whose connection was lost, where only the coordinator's own line tells of it",
        ),
        pytest.param(
            "0 lookup_answered | 1 found | 9000 lookup_failed | 9100 send 1 FIND_COORDINATOR",
            ["1:100"],
            id="an answer that found one is not the failure of a later lookup",
        ),
        pytest.param(metadata("105 104"), ["1:<105", "2:<104"], id="metadata errors"),
        pytest.param(metadata("105 20000 104"), ["1:<105", "1:<104"], id="a new series"),
        pytest.param(admin("90 200"), ["1:90", "2:200"], id="drawn by an admin call"),
        pytest.param("0 retry 1 90 | 0 queue 0 0", ["1:90"], id="a fresh call has not failed"),
        pytest.param("0 got 1 INIT_PRODUCER_ID | 105 send 2 INIT_PRODUCER_ID", ["1:105"], id="producer id"),
        pytest.param("0 got 1 INIT_PRODUCER_ID | 60000 send 2 INIT_PRODUCER_ID", [], id="a later epoch"),
        pytest.param(
            "0 got 4 FIND_COORDINATOR producer | 105 send 5 FIND_COORDINATOR producer"
            " | 110 got 5 FIND_COORDINATOR producer | 215 send 6 FIND_COORDINATOR producer",
            ["1:105", "2:105"],
            id="a producer's lookup of its transactions' coordinator",
        ),
        pytest.param(
            "0 got 4 FIND_COORDINATOR producer | 1 producer_found | 105 send 5 FIND_COORDINATOR producer",
            [],
            id="which was found, and is looked up anew",
        ),
        pytest.param("", [], id="nothing"),
    ],
)
def test_waits(history: str, found: list[str]) -> None:
    assert waits(history) == found


@pytest.mark.parametrize(
    ("version", "base", "cap", "bounds"),
    [
        pytest.param(
            "4.2.1", 100, 1000, [(80, 120), (160, 240), (320, 480), (640, 960), (799, 1000)], id="grows"
        ),
        pytest.param("3.7.0", 100, 1000, [(80, 120), (160, 240)], id="since 3.7"),
        pytest.param("3.6.2", 100, None, [(100, 100), (100, 100)], id="constant before"),
        pytest.param("4.2.1", 1500, 600, [(600, 600), (600, 600)], id="base above cap"),
        pytest.param("4.2.1", 1000, 1000, [(1000, 1000)], id="base is the cap"),
        pytest.param("4.2.1", 0, 1000, [(0, 0), (0, 0)], id="no wait"),
        pytest.param("4.2.1", 100, 300, [(80, 120), (160, 240), (240, 300)], id="cap between two steps"),
    ],
)
def test_bounds(version: str, base: int, cap: int | None, bounds: list[tuple[int, int]]) -> None:
    backoff = backoff_of(profile(version, base, cap))
    assert backoff is not None
    assert [backoff.bounds(failures) for failures in range(1, len(bounds) + 1)] == bounds


@pytest.mark.parametrize(
    "unknown", [profile(None), profile(base=None), profile(cap=None)], ids=["version", "base", "cap"]
)
def test_no_bounds_without_settings(unknown: object) -> None:
    assert backoff_of(unknown) is None  # type: ignore[arg-type]
    (attempt,) = attempts("0 fail 1 1 | 110 fail 2 2", unknown)  # type: ignore[arg-type]
    assert (attempt.shortest_ms, attempt.longest_ms) == (None, None)


def test_the_kip_caps_after_jitter() -> None:
    backoff = Backoff(100, 1000, True, True)
    assert [backoff.shortest_by_kip(failures) for failures in (1, 2, 3, 4, 5, 90)] == [
        80,
        160,
        320,
        640,
        1000,
        1000,
    ]
    assert [backoff.is_saturated_by_kip(failures) for failures in (4, 5)] == [False, True]


def test_a_row_says_its_bounds_and_its_proof() -> None:
    (attempt,) = attempts("0 send 1 | 3 got 1 | 5 fail 1 1 | 117 send 2 | 120 got 2 | 121 fail 2 2")
    assert (attempt.api, attempt.subject, attempt.client_id) == ("PRODUCE", "orders-0", "orders-1")
    assert (attempt.waited_ms, attempt.shortest_ms, attempt.longest_ms) == (112, 80, 120)
    assert (attempt.retry_backoff_ms, attempt.retry_backoff_max_ms) == (100, 1000)
    assert attempt.event_ids == ["e3", "e4", "e6"]


def test_two_batches_that_look_the_same_are_said_to() -> None:
    (first, second) = sequences("0 fail 1 | 300 fail 1 | 310 fail 2 | 420 fail 2")
    assert first.waits[0].is_ambiguous
    assert second.waits[0].is_ambiguous


def test_an_expiry_that_names_no_client_is_of_the_one_whose_batch_of_the_partition_waits() -> None:
    machine = BackoffAttempts()
    other, *told = events("0 send 1 | 0 fail 1 1 | 110 send 2 | 115 expired | 230 fail 1 3")
    other.client_id, told[2].client_id = "audit-1", None
    rows = [row for event in (other, *told) for row in machine.step(event, profile())]
    assert [a.waited_ms for a in rows if isinstance(a, BackoffAttempt)] == [110]


def test_a_restarted_client_starts_a_new_sequence() -> None:
    machine, known = BackoffAttempts(), profile()
    steps = events("0 fail 1 | 110 fail 2")
    steps[1].incarnation = 1
    found = [episode for event in steps for episode in machine.step(event, known)]
    assert [*found, *machine.finish(None)] == []


def test_state_is_plain_data() -> None:
    machine = BackoffAttempts()
    assert run("") == []
    assert load_state(dump_state(machine)) == machine


def test_a_storm_keeps_bounded_proof() -> None:
    (sequence,) = sequences(admin(" ".join(["0"] * 500), "queue"))
    assert sequence.retries == 500
    assert len(sequence.waits) == 100
