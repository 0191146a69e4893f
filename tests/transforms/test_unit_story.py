"""A fold that goes on from a kept state tells what a fold from the beginning tells, wherever recordings are cut."""

import copy
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from lab.corpus import recordings
from lab.score import pure
from lab.score.pure import events_in
from transforms.diagnose.incidents import incidents
from transforms.events import UNRECOGNIZED, ClientEvent
from transforms.pure import data_clock_of, in_order
from transforms.rules.judge import EarlierVerdictsError, Judging, judge
from transforms.timers.clients.settings import UnitSettings, is_control
from transforms.timers.clock_steps import ClockStep
from transforms.timers.episodes import Episode
from transforms.timers.groups.group import fold_group, group_episodes
from transforms.timers.state import dump_state, load_state
from transforms.timers.unit import fold_unit
from transforms.unit_story import UnitStory

NAMES = (
    "p91-overlap-produce-poll-42", "p91-broker-kill9-39-42", "p580-exp-42", "p580-static-21", "p62-slow-poll-42",
    "p62-static-member-42", "p62-pause-gc-28", "p572-task-recover-35", "p572-commit-multi-42", "p572-process-timeout-38",
)  # fmt: skip
CUTS = 6


@cache
def units_of(name: str) -> dict[str, list[ClientEvent]]:
    """The events of a recording's processes, in order."""
    (recording,) = recordings(name)
    return in_order(event for path in recording.logs for event in events_in(path))


def settings_of(events: Sequence[ClientEvent]) -> UnitSettings:
    return pure.settings_of("", [event for event in events if is_control(event)])


def plain(value: Any) -> Any:
    """A value to compare. Until when a setting held is learned later, and no machine or rule asks."""
    if is_dataclass(value):
        kept = (one.name for one in fields(value) if one.name != "until_at")
        return type(value).__name__, {name: plain(getattr(value, name)) for name in kept}
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def same(episodes: Sequence[Episode]) -> list[Any]:
    """Episodes as what they hold."""
    return [plain(episode) for episode in episodes]


def without_echoes(events: Sequence[ClientEvent]) -> list[ClientEvent]:
    """Copies of a log's events but for a line that stands twice."""
    copies = copy.deepcopy(events)
    return [*copies[:1], *(event for before, event in pairwise(copies) if not event.echoes(before))]


@pytest.mark.parametrize("name", NAMES)
def test_a_unit_that_is_cut_anywhere_is_told_as_a_whole(name: str) -> None:
    """At each cut only what was read by then is known. A state serves while the settings it rests on hold, else an
    earlier one does, or the beginning."""
    resumed = 0
    for unit_id, events in units_of(name).items():
        clock = data_clock_of(events)
        whole = list(fold_unit(without_echoes(events), settings_of(events), clock))
        judged = judge(whole, unit_id)
        draw = random.Random(f"{name}/{unit_id}")
        cuts = sorted(draw.sample(range(1, len(events)), min(CUTS, len(events) - 1)))
        states: list[tuple[int, str, bytes, int]] = []
        settled: list[Episode] = []
        story = UnitStory.of(unit_id)
        for cut in [*cuts, len(events)]:
            settings = settings_of(events[:cut])
            while states and settings.digest_at(events[states[-1][0] - 1].order) != states[-1][1]:
                states.pop()
            begin, _, data, kept = states[-1] if states else (0, "", dump_state(UnitStory.of(unit_id)), 0)
            resumed += begin > 0
            story = load_state(data)
            settled = settled[:kept] + story.take(copy.deepcopy(events[begin:cut]), settings).episodes
            states.append((cut, settings.digest_at(events[cut - 1].order), dump_state(story), len(settled)))
        assert same(settled + story.finish(clock).episodes) == same(whole)
        assert story.violations() == judged.violations
        assert story.unjudged() == judged.unjudged
        assert story.incidents() == incidents(whole, judged.findings, unit_id)
    assert resumed


def _echo(event: ClientEvent) -> ClientEvent:
    """Its line as a second appender writes it."""
    return replace(event, event_id=f"{event.event_id}+")


def _unread(event: ClientEvent) -> ClientEvent:
    """A line of no family, which the jobs hand to no fold."""
    return replace(event, kind="other_kafka", message_id=UNRECOGNIZED, event_id=f"{event.event_id}-")


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith(("p91", "p580"))])
def test_a_log_whose_lines_two_appenders_write_tells_what_one_does(name: str) -> None:
    """Also where a story goes on between a line and its echo. Batches expire by a line for each of their records."""
    for unit_id, events in units_of(name).items():
        settings, clock = settings_of(events), data_clock_of(events)
        once, twice = UnitStory.of(unit_id), UnitStory.of(unit_id)
        told = [
            *once.take(copy.deepcopy(events), settings).episodes,
            *once.finish(clock).episodes,
        ]
        episodes: list[Episode] = []
        echoed = [again for event in events for again in (event, _unread(event), _echo(event))]
        for piece in (echoed[:101], echoed[101:]):
            episodes += twice.take(copy.deepcopy(piece), settings).episodes
            twice = load_state(dump_state(twice))
        assert same([*episodes, *twice.finish(clock).episodes]) == same(told)
        assert twice.violations() == once.violations()


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("p62")])
def test_a_group_whose_parts_are_cut_anywhere_is_told_as_a_whole(name: str) -> None:
    units = units_of(name)
    settings = {unit_id: settings_of(events) for unit_id, events in units.items()}
    named = sorted(
        (event for of in units.values() for event in of if event.group_id), key=lambda event: event.order
    )
    for group_id in {event.group_id: None for event in named}:
        events = [event for event in named if event.group_id == group_id]
        whole = list(fold_group(group_id, copy.deepcopy(events), settings.__getitem__))
        of_unit: dict[str, list[ClientEvent]] = defaultdict(list)
        for event in copy.deepcopy(events):
            of_unit[event.unit_id].append(event)
        parts = {}
        for unit_id, lines in of_unit.items():
            draw = random.Random(f"{name}/{unit_id}")
            cuts = sorted(draw.sample(range(len(lines) + 1), min(CUTS, len(lines))))
            story = UnitStory.of(unit_id)
            for begin, end in zip([0, *cuts], [*cuts, len(lines)], strict=True):
                story.take(lines[begin:end], settings[unit_id])
                story = load_state(dump_state(story))
            if group_id in story.parts:
                parts[unit_id] = story.parts[group_id]
        assert list(group_episodes(group_id, parts)) == whole


def step_to(at: int, unit_id: str) -> ClockStep:
    return ClockStep(unit_id=unit_id, step_id="s", from_at=at + 90_000, to_at=at)


def test_a_clock_that_is_set_back_into_what_was_judged() -> None:
    """Only verdicts that rest on a duration may fall, and only by a step into their time."""
    for unit_id, events in units_of("p580-static-21").items():
        judging = Judging(unit_id)
        found = judging.take(fold_unit(copy.deepcopy(events), settings_of(events), data_clock_of(events)))
        timed = [one for one in found if one.observed_ms is not None and one.category != "misconfiguration"]
        assert (unit_id in judging.accused_until) == bool(timed)
        if timed:
            last = max(one.happened_at or 0 for one in timed)
            assert judging.take([step_to(last + 3_600_000, unit_id)]) == []
            with pytest.raises(EarlierVerdictsError):
                judging.take([step_to(last, unit_id)])
            return
    raise AssertionError("the recording has no finding with a duration")
