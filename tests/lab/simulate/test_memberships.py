"""Simulated groups through the whole path: memberships and rebalances as they were, planted defects found, no other."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.simulate import consumer848, coordinator848, memberships, transactions_defects
from lab.simulate.judging import assert_told, found, story_of
from lab.simulate.line import LAYOUTS, render
from lab.simulate.memberships import BROKER, Logs
from lab.simulate.memberships_defects import DEFECTS, METRIC_DEFECTS
from lab.simulate.process import Process
from lab.simulate.truth import Truth
from tests.drawn import drawn
from transforms.pure import Story
from transforms.timers.episodes import GroupRebalance, LivenessSession

# From 2.6 on a member's id is in its lines at INFO; before, only the coordinator names it.
NAMED = ("2.6.3", "2.7.2", "2.8.2", "3.0.2", "3.1.2", "3.4.1", "3.7.2", "3.9.1", "4.0.1", "4.1.1", "4.2.1")
OLDER = ("1.0.2", "1.1.1", "2.0.1", "2.1.1", "2.2.2", "2.3.1", "2.4.1", "2.5.1")
NEXT = ("orders", "consumer-848.log")
SEEDS = st.integers(0, 10_000)


def processes(rng: Random, versions: tuple[str, ...], level: str) -> list[Process]:
    names = "abc"[: rng.randint(1, 3)]
    return [Process("orders", f"consumer-{name}.log", rng.choice(versions), level=level) for name in names]


def texts(logs: Logs, layout: str = "log4j") -> dict[tuple[str, str], str]:
    """The broker always writes Kafka's own layout."""
    return {unit: render(lines, "log4j" if unit == BROKER else layout) for unit, lines in logs.items()}


def _sessions(story: Story) -> dict[str | None, tuple[object, ...]]:
    found = [episode for episode in story.episodes if isinstance(episode, LivenessSession)]
    return {one.member_id: (one.joined_at, one.outcome) for one in found}


def _memberships(truth: Truth, said: str) -> dict[str | None, tuple[object, ...]]:
    """said: by all logs. Of a static member whose place was taken by its restart, and that asked no more, it is told that it
    closed (as lab.score.memberships accepts)."""
    found = {}
    for fact in (fact for fact in truth.facts if fact.kind == "membership"):
        is_gone = fact.outcome == "fenced" and f"memberId={fact.subject} for static member" not in said
        found[fact.subject] = (fact.at, "closed" if is_gone else fact.outcome)
    return found


def _rebalances(story: Story) -> list[tuple[int | None, int | None]]:
    found = [episode for episode in story.episodes if isinstance(episode, GroupRebalance)]
    return [(one.generation, (one.ended_at or 0) - (one.started_at or 0)) for one in found if one.ended_at]


@drawn(15)
@given(seed=SEEDS, level=st.sampled_from(("INFO", "DEBUG")), layout=st.sampled_from(tuple(LAYOUTS)))
def test_memberships_and_rebalances_are_those_that_were(seed, level, layout):
    rng = Random(seed)
    for scene in (memberships.healthy, memberships.faulty):
        logs, truth = scene(rng, processes(rng, NAMED, level))
        written = texts(logs, layout)
        story = story_of(written, truth.scraped)
        assert _sessions(story) == _memberships(truth, "\n".join(written.values()))
        rebalances = [
            fact for fact in truth.facts if fact.kind == "rebalance" and fact.elapsed_ms is not None
        ]
        assert _rebalances(story) == [(int(fact.subject), fact.elapsed_ms) for fact in rebalances]
        assert_told(story, truth)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rule_id", DEFECTS)
def test_a_planted_defect_is_found_and_nothing_else_is_accused(rule_id, seed):
    logs, truth = DEFECTS[rule_id](Random(seed))
    assert_told(story_of(texts(logs)), truth)
    assert_told(story_of(texts(logs), truth.scraped), truth)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rule_id", METRIC_DEFECTS)
def test_a_defect_that_only_metrics_show_is_found_by_them(rule_id, seed):
    logs, truth = METRIC_DEFECTS[rule_id](Random(seed))
    assert rule_id not in found(story_of(texts(logs)))
    assert_told(story_of(texts(logs), truth.scraped), truth)


@drawn(30)
@given(seed=SEEDS, level=st.sampled_from(("INFO", "DEBUG")), version=st.sampled_from(consumer848.VERSIONS))
def test_memberships_of_kip_848_are_those_that_were(seed, level, version):
    rng, process = Random(seed), Process(*NEXT, version, level=level)
    for scene in (consumer848.healthy, consumer848.faulty):
        lines, truth = scene(rng, process)
        story = story_of({NEXT: render(lines)})
        found = [episode for episode in story.episodes if isinstance(episode, LivenessSession)]
        assert [(one.joined_at, one.outcome, one.ended_at) for one in found] == [
            (fact.at, fact.outcome, fact.ended_at) for fact in truth.facts
        ]
        assert_told(story, truth)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rule_id", consumer848.DEFECTS | coordinator848.DEFECTS)
def test_a_planted_defect_of_kip_848_is_found_and_nothing_else_is_accused(rule_id, seed):
    lines, truth = (consumer848.DEFECTS | coordinator848.DEFECTS)[rule_id](Random(seed))
    assert_told(story_of({NEXT: render(lines)}), truth)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rule_id", transactions_defects.DEFECTS)
def test_a_planted_defect_of_a_transaction_is_found_and_nothing_else_is_accused(rule_id, seed):
    logs, truth = transactions_defects.DEFECTS[rule_id](Random(seed))
    assert_told(story_of({unit: render(lines) for unit, lines in logs.items()}), truth)
