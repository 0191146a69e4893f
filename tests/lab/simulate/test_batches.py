"""Simulated producers through the whole path: batches as they ended, planted defects found, nobody else accused."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.simulate import batches
from lab.simulate.batches_defects import DEFECTS
from lab.simulate.judging import assert_told, story_of
from lab.simulate.line import LAYOUTS, render
from lab.simulate.process import Process
from lab.simulate.truth import Truth
from tests.drawn import drawn
from transforms.pure import Story
from transforms.timers.episodes import BatchLifetime

UNIT = ("orders", "orders-producer.log")
SEEDS = st.integers(0, 10_000)


def _expired(story: Story) -> list[tuple[object, ...]]:
    found = [one for one in story.episodes if isinstance(one, BatchLifetime) and one.outcome == "expired"]
    return sorted(
        (f"{one.topic}-{one.partition}", one.age_ms, one.ended_at, one.delivery_timeout_ms) for one in found
    )


def _true(truth: Truth) -> list[tuple[object, ...]]:
    facts = [fact for fact in truth.facts if fact.outcome == "expired"]
    return sorted((fact.subject, fact.elapsed_ms, fact.ended_at, fact.limit_ms) for fact in facts)


@drawn(25)
@given(
    seed=SEEDS,
    version=st.sampled_from(batches.VERSIONS),
    level=st.sampled_from(("INFO", "DEBUG")),
    layout=st.sampled_from(tuple(LAYOUTS)),
)
def test_batches_that_expired_are_those_that_did(seed, version, level, layout):
    rng, process = Random(seed), Process(*UNIT, version, level=level)
    for scene in (batches.healthy, batches.faulty):
        lines, truth = scene(rng, process)
        story = story_of({UNIT: render(lines, layout)}, truth.scraped)
        assert _expired(story) == _true(truth)
        assert_told(story, truth)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rule_id", DEFECTS)
def test_a_planted_defect_is_found_and_nothing_else_is_accused(rule_id, seed):
    lines, truth = DEFECTS[rule_id](Random(seed))
    assert_told(story_of({UNIT: render(lines)}, truth.scraped), truth)


# Once accused of waits too short: of batches in flight together one was taken for the retry of another.
@pytest.mark.parametrize("seed", [1042, 1055])
def test_batches_that_fail_in_one_instant_are_no_retries_of_each_other(seed):
    rng = Random(seed)
    version, level, layout = (rng.choice(of) for of in (batches.VERSIONS, ("INFO", "DEBUG"), list(LAYOUTS)))
    lines, truth = batches.faulty(rng, Process(*UNIT, version, level=level))
    assert_told(story_of({UNIT: render(lines, layout)}), truth)
