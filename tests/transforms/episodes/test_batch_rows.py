"""Where the time of a batch went, and which batches were overtaken."""

import dataclasses

import pytest

from tests.dashboards.episode_lake import batch
from tests.dashboards.lake import sha
from transforms.episodes import batches


def row(episode, **more):
    return dataclasses.asdict(episode) | more


@pytest.mark.parametrize(
    ("waiting", "in_flight", "parts"),
    [
        (5_001, 8_005, {"waiting_ms": 5_001, "in_flight_ms": 8_005, "rest_ms": 0}),
        (None, 4_000, {"waiting_ms": 0, "in_flight_ms": 4_000, "rest_ms": 9_006}),
        (None, None, {"unknown_ms": 13_006}),
        (13_000, 8_005, {"waiting_ms": 5_001, "in_flight_ms": 8_005, "rest_ms": 0}),
    ],
)
def test_stages_sum_to_the_age(waiting, in_flight, parts):
    found = batches.stages(row(batch("b", 0, 13_006, "expired", waiting_ms=waiting, in_flight_ms=in_flight)))
    assert found == parts
    assert sum(found.values()) == 13_006


@pytest.mark.parametrize(
    ("made", "late"),
    [
        pytest.param([("a", 0, 100), ("b", 10, 100)], [], id="in order"),
        pytest.param([("a", 0, 200), ("b", 10, 100)], ["a"], id="the later one first"),
        pytest.param([("a", 0, 110), ("b", 10, 100)], [], id="at one instant"),
        pytest.param([("a", 0, 111), ("b", 10, 100)], ["a"], id="a millisecond after"),
        pytest.param([], [], id="none"),
    ],
)
def test_a_batch_that_was_overtaken(made, late):
    rows = [row(batch(name, created, age, "expired")) for name, created, age in made]
    assert batches.overtaken(rows) == [sha(name) for name in late]


def test_partitions_and_producers_do_not_overtake_each_other():
    first, second = batch("a", 0, 200, "expired"), batch("b", 10, 100, "expired", partition=1)
    assert batches.overtaken([row(first), row(second)]) == []
    assert batches.overtaken([row(first), row(batch("c", 10, 100, "expired", client_id="x"))]) == []
