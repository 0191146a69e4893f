"""What a step of a process's clock leaves of a duration: nothing, whatever the rule."""

import pytest

from tests.timelines_backoff import events, profile, run
from tests.timelines_streams import NOON
from transforms.events import ClientEvent
from transforms.pure import judge_events
from transforms.rules.clocks import CLOCK_STEP, WHOLE_SECONDS, doubted, steps_of
from transforms.rules.judge import judge
from transforms.rules.rule import CONFORMS, Verdict, violated
from transforms.timers.backoff.retry_sequences import BackoffSequence
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.clock_steps import ClockStep, ClockSteps
from transforms.timers.episodes import BackoffAttempt, Episode


def stepped(*times: int) -> list[ClockStep]:
    """The steps in lines written at these times, in ms after noon, in this order."""
    machine, found = ClockSteps(), []
    for number, at in enumerate(times):
        event = ClientEvent("other_kafka", "net-send", event_id=f"e{number}", unit_id="u", source_id="s")
        event.happened_at = NOON + at
        found += machine.step(event)
    return found


@pytest.mark.parametrize(
    ("times", "said"),
    [
        pytest.param((0, 5000, 4000), [], id="a second back: threads write late"),
        pytest.param(
            (0, 5000, 3999), [("back", 5000, 3999), ("ahead", 0, 5000)], id="more than a second back"
        ),
        pytest.param((0, 500, 900, 50_000), [], id="a silence alone is none"),
        pytest.param(
            (0, 100, 8000, 8100, 1100),
            [("back", 8100, 1100), ("ahead", 100, 8000)],
            id="set ahead, and back later: the silence before is in doubt",
        ),
        pytest.param(
            (0, 3000, 3100, 9000, 4000), [("back", 9000, 4000), ("ahead", 3100, 9000)], id="not the short one"
        ),
        pytest.param(
            (9001, 1, 9001, 18_001, 9501),
            [("back", 9001, 1), ("back", 18_001, 9501), ("ahead", 1, 9001), ("ahead", 9001, 18_001)],
            id="two steps",
        ),
        pytest.param((), [], id="no line"),
    ],
)
def test_steps_of_a_clock(times: tuple[int, ...], said: list[tuple[str, int, int]]) -> None:
    found = [(step.how, step.from_at - NOON, step.to_at - NOON) for step in stepped(*times)]
    assert sorted(found) == sorted(said)


def found(
    observed_ms: int | None, category: str = "broken_semantics", at: int = 10_000, limit_ms: int = 100
) -> Verdict:
    return violated(
        category, events=["e1"], happened_at=NOON + at, observed_ms=observed_ms, limit_ms=limit_ms
    )


EPISODE = Episode(unit_id="u")
BACK = (9000, 7000)
# At 8500 it may have been set ahead to 10_000; at 50_000 it is set back by nearly as much.
AHEAD = (8400, 8500, 10_000, *range(10_100, 50_100, 900), 48_300)


@pytest.mark.parametrize(
    ("verdict", "times", "is_doubted"),
    [
        pytest.param(found(2000), BACK, True, id="measured over the step"),
        pytest.param(found(50), BACK, False, id="measured after it"),
        pytest.param(found(1000), BACK, True, id="just touching it"),
        pytest.param(found(999), BACK, False, id="just not touching it"),
        pytest.param(found(-2000), BACK, True, id="a negative duration"),
        pytest.param(found(2000, "departs_from_kip"), BACK, True, id="whatever the category"),
        pytest.param(found(2000, "misconfiguration"), BACK, False, id="settings know no time"),
        pytest.param(found(None), BACK, False, id="nothing was measured"),
        pytest.param(found(2000, limit_ms=500), AHEAD, True, id="late by no more than it was set ahead"),
        pytest.param(found(2000, limit_ms=499), AHEAD, False, id="late by more"),
        pytest.param(
            found(2000, limit_ms=2500), AHEAD, False, id="early, which a clock set ahead makes nothing"
        ),
        pytest.param(CONFORMS, BACK, False, id="nobody is accused"),
    ],
)
def test_a_duration_over_a_step_accuses_nobody(
    verdict: Verdict, times: tuple[int, ...], is_doubted: bool
) -> None:
    assert (doubted(verdict, EPISODE, steps_of(stepped(*times))) == CLOCK_STEP) is is_doubted


SECONDS = (0, 1000, 1000, 2000, 5000)


@pytest.mark.parametrize(
    ("verdict", "times", "is_doubted"),
    [
        pytest.param(found(0, limit_ms=800), SECONDS, True, id="too short by less than a second"),
        pytest.param(found(1800, limit_ms=1000), SECONDS, True, id="too long by less"),
        pytest.param(found(0, limit_ms=1000), SECONDS, False, id="by a second"),
        pytest.param(
            found(0, limit_ms=800), (0, 1000, 2000, 5001, 9000), False, id="milliseconds are printed"
        ),
        pytest.param(found(0, limit_ms=800), SECONDS[:4], False, id="three times may be chance"),
        pytest.param(found(0, "misconfiguration"), SECONDS, False, id="settings know no time"),
    ],
)
def test_whole_seconds_accuse_nobody_of_less(
    verdict: Verdict, times: tuple[int, ...], is_doubted: bool
) -> None:
    assert (doubted(verdict, EPISODE, steps_of(stepped(*times))) == WHOLE_SECONDS) is is_doubted


def test_the_clock_of_another_process_is_its_own() -> None:
    assert doubted(found(2000), Episode(unit_id="other"), steps_of(stepped(*BACK))) == found(2000)


OLD = profile("3.5.2", cap=None)  # no leader change excuses its waits
SHORT_WAITS = (
    "0 send 1 | 0 got 1 | 0 fail 1 1 | 5000 send 2 | 5000 got 2 | 5000 fail 2 2 | 3000 send 3 | 3001 fail 3 3"
)


def test_a_retry_before_its_failure_is_unjudged_and_says_what_would_settle_it() -> None:
    episodes = [*run(SHORT_WAITS, OLD), *steps_in(SHORT_WAITS)]
    judged = judge(episodes, "scope")
    assert not [v for v in judged.violations if v.rule_id == "kip580.backoff_too_short"]
    (row,) = [row for row in judged.unjudged if row.rule_id == "kip580.backoff_too_short"]
    assert (row.reason, row.missing) == (CLOCK_STEP.reason, CLOCK_STEP.missing)
    without = judge(run(SHORT_WAITS, OLD), "scope")
    assert "kip580.backoff_too_short" in {v.rule_id for v in without.violations}


def steps_in(history: str) -> list[ClockStep]:
    machine = ClockSteps()
    return [step for event in events(history) for step in machine.step(event)]


def test_no_row_has_a_negative_duration() -> None:
    lines = events(SHORT_WAITS)
    for position, line in enumerate(lines):
        line.source_id, line.position = "s", position
    story = judge_events(lines, lambda unit_id, control: UnitSettings.from_events(control))
    waits = [episode.waited_ms for episode in story.episodes if isinstance(episode, BackoffAttempt)]
    assert waits == [5000, None]
    assert any(isinstance(episode, BackoffSequence) for episode in story.episodes)


@pytest.mark.parametrize(
    ("times", "wanted"),
    [
        pytest.param((0, 1_000, 2_000), False, id="whole seconds"),
        pytest.param((0, 1_001, 2_000), True, id="one that is none"),
        pytest.param((), False, id="nothing said yet"),
    ],
)
def test_whether_a_source_has_milliseconds(times: tuple[int, ...], wanted: bool) -> None:
    machine = ClockSteps()
    for at in times:
        machine.step(ClientEvent("other_kafka", "net-send", source_id="s", happened_at=NOON + at))
    assert machine.has_milliseconds("s") is wanted
