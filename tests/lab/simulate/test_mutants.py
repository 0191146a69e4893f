"""Damaged logs, simulated and recorded: what the damage breaks is found, and nothing else is accused."""

import gzip
from functools import cache
from random import Random

import pytest

from lab.corpus import ROOT
from lab.simulate import backoff, tasks
from lab.simulate.judging import broken, story_of
from lab.simulate.line import Line, render
from lab.simulate.mutate import lines_of, mutants
from lab.simulate.process import Process
from lab.simulate.referee import JUDGED, broken_by, is_read
from lab.simulate.tasks import Outage
from transforms.events import ClientEvent
from transforms.rules.registry import RULES
from transforms.rules.rule import ABSENT
from transforms.timers.log_holes import LogHoles

UNIT = ("shop", "app.log")
# Where the referee is sure, we must be; where it sees nothing at all, we must not.
SURE_MS = 25
OF_TASKS = ("2.8.2", "3.1.2", "3.5.2", "3.8.1", "4.2.1")
OF_WAITS = ("2.8.2", "3.5.2", "3.7.2", "4.2.1")
RECORDED = (
    "p572-task-recover-35",
    "p572-commit-idle-expire-42",
    "p572-process-timeout-37",
    "p572-timeout-zero-35",
    "p580-exp-42",
    "p580-exp-37",
    "p580-static-35",
)
EACH = 12
BY_ABSENCE = {rule_id for rule_id, rule in RULES.items() if rule.rests_on == ABSENT}


def _task_history(seed: int) -> list[Line]:
    rng = Random(seed)
    process = Process(*UNIT, rng.choice(OF_TASKS), level="DEBUG")
    settings = {"task.timeout.ms": rng.choice((9000, 20_000)), "retries": rng.choice((0, 3)), "poll.ms": 500}
    outages = [Outage("commit", 1000, 12_000), Outage("commit", 20_000, 45_000)]
    if not process.at_least(3, 9):
        outages.append(Outage("process", 13_000, 19_000, frozenset({"0_1"})))
    return tasks.faulty(rng, process, client=tasks.application(rng, **settings), outages=outages)[0]


def _wait_history(seed: int) -> list[Line]:
    rng = Random(seed)
    settings = {"retry.backoff.ms": rng.choice((100, 100, 400, 2000))}
    made = backoff.faulty(rng, Process(*UNIT, rng.choice(OF_WAITS), settings, level="DEBUG"))
    return made[0]


@cache
def _recorded(name: str) -> list[Line]:
    lines = lines_of(gzip.decompress((ROOT / name / "app.log.gz").read_bytes()).decode(errors="replace"))
    return [line for line in lines if "Consumer clientId" not in line.text]


def _check(lines: list[Line], damage: str, at: int | None = None) -> set[str]:
    """Compare kipwatch with the referee; gives what the referee is sure of."""
    story = story_of({UNIT: render(lines)})
    said = broken(story) & JUDGED
    sure, maybe = broken_by(lines, SURE_MS), broken_by(lines)
    if not _is_whole(story.events, at):
        sure -= BY_ABSENCE  # a lost line would explain it
    assert sure <= said, f"{damage}: missed {sure - said}"
    assert said <= maybe, f"{damage}: accused falsely {said - maybe}"
    return sure


def _is_whole(events: list[ClientEvent], at: int | None) -> bool:
    """Whether the log up to an instant shows that it is whole."""
    holes = LogHoles()
    for event in events:
        if at is None or (event.happened_at or 0) <= at:
            holes.step(event)
    return holes.is_whole(holes.incarnation)


def _is_worth(line: Line) -> bool:
    return is_read(line) or "is deprecated and will be" in line.text or "A static backoff" in line.text


@pytest.mark.parametrize("name", RECORDED)
def test_the_referee_accuses_no_real_client(name):
    assert broken_by(_recorded(name)) == set()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("history", [_task_history, _wait_history])
def test_damaged_simulated_logs(history, seed):
    lines = history(seed)
    assert _check(lines, "unharmed") == set()
    for mutant in mutants(lines, Random(seed), EACH, _is_worth):
        _check(mutant.lines, f"{mutant.how} {mutant.line}", mutant.line.at)


@pytest.mark.parametrize("name", RECORDED)
def test_damaged_recorded_logs(name):
    lines = _recorded(name)
    for mutant in mutants(lines, Random(name), EACH, _is_worth):
        _check(mutant.lines, f"{mutant.how} {mutant.line}", mutant.line.at)
