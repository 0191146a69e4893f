"""Simulated retries through the whole path: waits as they were, planted defects found, nobody else accused."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.simulate import backoff, batches_defects, tasks
from lab.simulate.backoff_defects import DEFECTS, OLDER
from lab.simulate.connections_defects import DEFECTS as CONNECTIONS
from lab.simulate.judging import assert_told, broken, found, story_of
from lab.simulate.line import LAYOUTS, render, shown
from lab.simulate.process import Process
from lab.simulate.rdkafka_defects import OF_BACKOFF, OF_MEMBERS
from tests.drawn import drawn
from transforms.rules.registry import RULES
from transforms.timers.episodes import BackoffAttempt, TaskTimer

UNIT = ("shop", "app.log")
SHOWS_SENDS = ("2.6.3", "2.8.2", "3.0.2", "3.5.2", "3.7.2", "3.8.1", "3.9.1", "4.0.1", "4.1.1", "4.2.1")
VERSIONS = ("1.0.2", "2.1.1", "2.4.1", *SHOWS_SENDS)
SEEDS = st.integers(0, 10_000)


@drawn(80)
@given(
    seed=SEEDS,
    version=st.sampled_from(SHOWS_SENDS),
    base=st.sampled_from((100, 100, 50, 300, 1500)),
    layout=st.sampled_from(tuple(LAYOUTS)),
)
def test_waits_at_debug_are_those_that_were(seed, version, base, layout):
    process = Process(*UNIT, version, {"retry.backoff.ms": base}, level="DEBUG")
    lines, truth = backoff.faulty(Random(seed), process)
    story = story_of({UNIT: render(lines, layout)})
    paths = {fact.subject for fact in truth.facts}
    waits = [e for e in story.episodes if isinstance(e, BackoffAttempt)]
    told = [
        (e.failed_at, e.failures, e.waited_ms)
        for e in waits
        if e.subject in paths or e.api == "FIND_COORDINATOR"
    ]
    assert sorted(told) == [(fact.at, fact.attempts, fact.elapsed_ms) for fact in truth.facts]
    assert_told(story, truth)


@drawn(80)
@given(seed=SEEDS, version=st.sampled_from(VERSIONS), layout=st.sampled_from(tuple(LAYOUTS)))
def test_nobody_is_accused_at_info(seed, version, layout):
    lines, truth = backoff.faulty(Random(seed), Process(*UNIT, version))
    assert_told(story_of({UNIT: render(lines, layout)}), truth)


@drawn(40)
@given(
    seed=SEEDS,
    version=st.sampled_from(VERSIONS),
    level=st.sampled_from(("INFO", "DEBUG")),
    begin=st.floats(0, 1),
    end=st.floats(0, 1),
)
def test_a_piece_of_a_log_accuses_nobody(seed, version, level, begin, end):
    lines, _ = backoff.faulty(Random(seed), Process(*UNIT, version, level=level))
    piece = lines[int(begin * len(lines)) : int(max(begin, end) * len(lines)) + 1]
    assert not broken(story_of({UNIT: render(piece)}))


@pytest.mark.parametrize("append_ms", [4, 30])
@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
@pytest.mark.parametrize("version", ["2.1.1", "2.8.2", "3.5.2", "4.2.1"])
def test_a_log_that_is_slow_to_write_shortens_no_wait(version, level, append_ms):
    process = Process(*UNIT, version, level=level)
    made = backoff.caller(Random(1), process, backoff.KINDS["producer"])
    for _ in range(3):
        made.produce_together([f"orders-{number}" for number in range(20)], 6, append_ms)
    assert not broken(story_of({UNIT: render(shown(made.lines, level))}))


@drawn(120)
@given(
    seed=SEEDS,
    version=st.sampled_from(VERSIONS),
    level=st.sampled_from(("INFO", "DEBUG")),
    base=st.sampled_from((100, 300, 1500)),
    pause_ms=st.integers(7, 2000),
)
def test_one_pause_of_the_process_shortens_no_wait(seed, version, level, base, pause_ms):
    rng = Random(seed)
    process = Process(*UNIT, version, {"retry.backoff.ms": base}, level)
    made = backoff.caller(rng, process, backoff.KINDS[rng.choice(("producer", "admin"))])
    made.pauses = {rng.randint(0, 9): pause_ms}
    for _ in range(3):
        if made.client.kind == "producer":
            made.produce("orders-0", rng.randint(1, 6))
        else:
            made.call("createTopics", rng.randint(1, 6))
        made.now += rng.randint(100, 20_000)
    assert not broken(story_of({UNIT: render(shown(made.lines, level))}))


@drawn(15)
@given(seed=SEEDS, version=st.sampled_from(SHOWS_SENDS[1:]))
def test_a_process_with_many_clients_is_judged_as_each_of_them(seed, version):
    rng = Random(seed)
    process = Process(*UNIT, version, level="DEBUG")
    of_tasks, told = tasks.faulty(rng, process)
    lines = list(of_tasks)
    for number in range(3):
        more, truth = backoff.faulty(rng, process, name=f"app-{number}")
        lines, told = lines + more, told.and_(truth)
    story = story_of({UNIT: render(lines)})
    timers = [e for e in story.episodes if isinstance(e, TaskTimer)]
    waits = [e for e in story.episodes if isinstance(e, BackoffAttempt)]
    assert len(timers) == len([fact for fact in told.facts if fact.kind == "task_timer"])
    assert {fact.at for fact in told.facts if fact.kind == "backoff"} <= {wait.failed_at for wait in waits}
    assert_told(story, told)


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_without_failures_has_no_waits(version, level):
    lines, _ = backoff.healthy(Random(1), Process(*UNIT, version, level=level))
    story = story_of({UNIT: render(lines)})
    assert not [e for e in story.episodes if isinstance(e, BackoffAttempt)]
    assert not broken(story)


def test_each_rule_has_a_planted_defect():
    by_metrics = {rule_id for rule_id in batches_defects.DEFECTS if rule_id.startswith("kip580.")}
    assert {*DEFECTS, *OF_BACKOFF, *by_metrics} == {
        rule_id for rule_id in RULES if rule_id.startswith("kip580.")
    }


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rule_id", DEFECTS | OF_BACKOFF | OF_MEMBERS | CONNECTIONS)
def test_a_planted_defect_is_found_and_nothing_else_is_accused(rule_id, seed):
    lines, truth = (DEFECTS | OF_BACKOFF | OF_MEMBERS | CONNECTIONS)[rule_id](Random(seed))
    assert_told(story_of({UNIT: render(lines)}), truth)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rule_id", OLDER)
def test_constant_waits_before_the_kip_are_older_semantics(rule_id, seed):
    lines, _ = OLDER[rule_id](Random(seed))
    story = story_of({UNIT: render(lines)})
    assert rule_id in found(story)
    assert not broken(story)
