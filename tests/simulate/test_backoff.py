"""Simulated retries through the whole path: waits as they were, planted defects found, nobody else accused."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulate import backoff
from tests.simulate.backoff_defects import DEFECTS, OLDER
from tests.simulate.judging import assert_told, broken, found, story_of
from tests.simulate.line import LAYOUTS, render
from tests.simulate.process import Process
from transforms.rules.registry import RULES
from transforms.timers.episodes import BackoffAttempt

UNIT = ("shop", "app.log")
SHOWS_SENDS = ("2.6.3", "2.8.2", "3.0.2", "3.5.2", "3.7.2", "3.8.1", "3.9.1", "4.0.1", "4.1.1", "4.2.1")
VERSIONS = ("1.0.2", "2.1.1", "2.4.1", *SHOWS_SENDS)
SEEDS = st.integers(0, 10_000)


@settings(max_examples=80, derandomize=True, deadline=None)
@given(seed=SEEDS, version=st.sampled_from(SHOWS_SENDS), base=st.sampled_from((100, 100, 50, 300, 1500)))
def test_waits_at_debug_are_those_that_were(seed, version, base):
    process = Process(*UNIT, version, {"retry.backoff.ms": base}, level="DEBUG")
    lines, truth = backoff.faulty(Random(seed), process)
    story = story_of({UNIT: render(lines)})
    paths = {fact.subject for fact in truth.facts}
    waits = [e for e in story.episodes if isinstance(e, BackoffAttempt)]
    told = [
        (e.failed_at, e.failures, e.waited_ms)
        for e in waits
        if e.subject in paths or e.api == "FIND_COORDINATOR"
    ]
    assert sorted(told) == [(fact.at, fact.attempts, fact.elapsed_ms) for fact in truth.facts]
    assert_told(story, truth)


@settings(max_examples=80, derandomize=True, deadline=None)
@given(seed=SEEDS, version=st.sampled_from(VERSIONS), layout=st.sampled_from(tuple(LAYOUTS)))
def test_nobody_is_accused_at_info(seed, version, layout):
    lines, truth = backoff.faulty(Random(seed), Process(*UNIT, version))
    assert_told(story_of({UNIT: render(lines, layout)}), truth)


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_without_failures_has_no_waits(version, level):
    lines, _ = backoff.healthy(Random(1), Process(*UNIT, version, level=level))
    story = story_of({UNIT: render(lines)})
    assert not [e for e in story.episodes if isinstance(e, BackoffAttempt)]
    assert not broken(story)


def test_each_rule_has_a_planted_defect():
    assert set(DEFECTS) == {rule_id for rule_id in RULES if rule_id.startswith("kip580.")}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rule_id", DEFECTS)
def test_a_planted_defect_is_found_and_nothing_else_is_accused(rule_id, seed):
    lines, truth = DEFECTS[rule_id](Random(seed))
    assert_told(story_of({UNIT: render(lines)}), truth)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rule_id", OLDER)
def test_constant_waits_before_the_kip_are_older_semantics(rule_id, seed):
    lines, _ = OLDER[rule_id](Random(seed))
    story = story_of({UNIT: render(lines)})
    assert rule_id in found(story)
    assert not broken(story)
