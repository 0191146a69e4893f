"""Simulated stream threads through the whole path: timers as they ran, planted defects found, nobody else accused."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.simulate import tasks
from lab.simulate.judging import assert_told, broken, story_of
from lab.simulate.line import LAYOUTS, render
from lab.simulate.process import Process
from lab.simulate.streams_eos import exactly_once_faulty
from lab.simulate.streams_loops import global_faulty, leader_faulty
from lab.simulate.tasks_defects import DEFECTS
from lab.simulate.truth import Truth
from tests.drawn import drawn
from transforms.pure import Story
from transforms.rules.registry import RULES
from transforms.timers.episodes import TaskTimer
from transforms.timers.streams.global_timers import GlobalTimer
from transforms.timers.streams.leader_loops import LeaderLoop

UNIT = ("shop", "app.log")
WITH_TIMERS = (
    "2.8.2",
    "3.0.2",
    "3.1.2",
    "3.3.2",
    "3.5.2",
    "3.7.2",
    "3.8.1",
    "3.9.1",
    "4.0.1",
    "4.1.1",
    "4.2.1",
)
OLDER = ("1.0.2", "2.1.1", "2.4.1", "2.6.3", "2.7.2")
SEEDS = st.integers(0, 10_000)


def _timers(story: Story) -> list[tuple[object, ...]]:
    timers = [episode for episode in story.episodes if isinstance(episode, TaskTimer)]
    told = [(t.started_at, t.task_id, t.outcome, t.attempts, t.ended_at, t.task_timeout_ms) for t in timers]
    return sorted(told, key=str)


def _facts(truth: Truth) -> list[tuple[object, ...]]:
    told = [(f.at, f.subject, f.outcome, f.attempts, f.ended_at, f.limit_ms) for f in truth.facts]
    return sorted(told, key=str)


def _expired(story: Story) -> list[tuple[object, ...]]:
    timers = [e for e in story.episodes if isinstance(e, TaskTimer) and e.outcome == "expired"]
    return [(timer.task_id, timer.stalled_ms, timer.ended_at) for timer in timers]


@drawn(20)
@given(seed=SEEDS, version=st.sampled_from(WITH_TIMERS), layout=st.sampled_from(tuple(LAYOUTS)))
def test_timers_at_debug_are_those_that_ran(seed, version, layout):
    lines, truth = tasks.faulty(Random(seed), Process(*UNIT, version, level="DEBUG"))
    story = story_of({UNIT: render(lines, layout)})
    assert _timers(story) == _facts(truth)
    assert_told(story, truth)


@drawn(100)
@given(seed=SEEDS, version=st.sampled_from(WITH_TIMERS), layout=st.sampled_from(tuple(LAYOUTS)))
def test_expiries_at_info_are_those_that_happened(seed, version, layout):
    lines, truth = tasks.faulty(Random(seed), Process(*UNIT, version))
    story = story_of({UNIT: render(lines, layout)})
    assert _expired(story) == [
        (f.subject, f.elapsed_ms, f.ended_at) for f in truth.facts if f.outcome == "expired"
    ]
    assert_told(story, truth)


@drawn(40)
@given(
    seed=SEEDS,
    version=st.sampled_from(WITH_TIMERS),
    level=st.sampled_from(("INFO", "DEBUG")),
    begin=st.floats(0, 1),
    end=st.floats(0, 1),
)
def test_a_piece_of_a_log_accuses_nobody(seed, version, level, begin, end):
    lines, _ = tasks.faulty(Random(seed), Process(*UNIT, version, level=level))
    piece = lines[int(begin * len(lines)) : int(max(begin, end) * len(lines)) + 1]
    assert not broken(story_of({UNIT: render(piece)}))


@drawn(25)
@given(seed=SEEDS, version=st.sampled_from(OLDER + WITH_TIMERS), level=st.sampled_from(("INFO", "DEBUG")))
def test_a_healthy_thread_has_no_timer_and_no_finding(seed, version, level):
    lines, truth = tasks.healthy(Random(seed), Process(*UNIT, version, level=level))
    story = story_of({UNIT: render(lines)})
    assert _timers(story) == _facts(truth) == []
    assert not broken(story)


def test_each_rule_has_a_planted_defect():
    assert set(DEFECTS) == {rule_id for rule_id in RULES if rule_id.startswith("kip572.")}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rule_id", DEFECTS)
def test_a_planted_defect_is_found_and_nothing_else_is_accused(rule_id, seed):
    lines, truth = DEFECTS[rule_id](Random(seed))
    assert truth.violated >= {rule_id}
    assert_told(story_of({UNIT: render(lines)}), truth)


@drawn(20)
@given(seed=SEEDS, version=st.sampled_from(WITH_TIMERS), level=st.sampled_from(("INFO", "DEBUG")))
def test_under_exactly_once_only_transactions_have_timers(seed, version, level):
    lines, truth = exactly_once_faulty(Random(seed), Process(*UNIT, version, level=level))
    story = story_of({UNIT: render(lines)})
    assert_told(story, truth)
    if level == "DEBUG":
        assert _timers(story) == _facts(truth)


@drawn(40)
@given(seed=SEEDS, version=st.sampled_from(("2.7.2", *WITH_TIMERS)))
def test_loops_at_the_start_end_as_they_did(seed, version):
    for faulty, family in ((global_faulty, GlobalTimer), (leader_faulty, LeaderLoop)):
        lines, truth = faulty(Random(seed), Process(*UNIT, version))
        story = story_of({UNIT: render(lines)})
        ended = [e.ended_at for e in story.episodes if isinstance(e, family) and e.outcome == "expired"]
        assert ended == [fact.ended_at for fact in truth.facts]
        assert_told(story, truth)
