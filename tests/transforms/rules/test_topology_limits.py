"""A topology's own task.timeout.ms: its tasks are judged by it, or not at all."""

from dataclasses import replace

import pytest

from tests.timelines_streams import events, outcomes, profile, run
from transforms.pure import Story, judge_events
from transforms.rules.kip572 import timers
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.profile import ClientProfile
from transforms.timers.streams.task_runs import TimerStreak
from transforms.timers.streams.task_timers import TaskTimers
from transforms.timers.streams.topology_limits import AMBIGUOUS

B, FINE, OPEN = "broken_semantics", "conforms", "unjudged"
PAYMENTS, UNNAMED = "topology_payments_task_timeout_ms", "topology_null_task_timeout_ms"


def overriding(**settings: object) -> ClientProfile:
    """The application's limit is 8000 ms; those of its topologies by name."""
    of = profile("3.5.2", **settings)
    return replace(of, overrides=tuple(name for name in of.settings if name.startswith("topology.")))


@pytest.mark.parametrize(
    ("task", "of", "said"),
    [
        pytest.param(
            "payments__0_1", overriding(**{PAYMENTS: 5999}), FINE, id="just inside its topology's own"
        ),
        pytest.param(
            "payments__0_1", overriding(**{PAYMENTS: 6000}), B, id="just outside its topology's own"
        ),
        pytest.param(
            "refunds__0_1", overriding(**{PAYMENTS: 5000}), B, id="another topology has the application's"
        ),
        pytest.param("0_1", overriding(**{UNNAMED: 5000}), FINE, id="the unnamed topology's own"),
        pytest.param("0_1", overriding(**{PAYMENTS: 5000}), OPEN, id="of which topology is not told"),
        pytest.param(
            "payments__0_1", overriding(**{PAYMENTS: AMBIGUOUS}), OPEN, id="of which application is not told"
        ),
        pytest.param(
            "refunds__0_1", overriding(**{PAYMENTS: AMBIGUOUS}), OPEN, id="nor whether it is overridden there"
        ),
        pytest.param("0_1", overriding(), B, id="no override"),
    ],
)
def test_a_task_is_judged_by_the_limit_of_its_topology(task: str, of: ClientProfile, said: str) -> None:
    history = f"0 process {task} | 6000 expired {task} 6000"
    assert outcomes(timers.died_early, run(TaskTimers(), history, of), TimerStreak) == [said]


def test_what_is_not_told_says_what_would_settle_it() -> None:
    episodes = run(TaskTimers(), "0 process 0_1 | 6000 expired 0_1 6000", overriding(**{PAYMENTS: 5000}))
    (streak,) = (episode for episode in episodes if isinstance(episode, TimerStreak))
    verdict = timers.died_early(streak)
    assert verdict.reason == "topology of the task unknown"
    assert "topology's name" in (verdict.missing or "")


def story(applications: int) -> Story:
    """A process of so many Streams applications, one of whose topologies overrides the limit."""
    history = " | ".join(
        [
            f"{n} dump StreamsConfig application.id=orders{n or ''} task.timeout.ms=8000"
            for n in range(applications)
        ]
        + ["9 other override", "100 process payments__0_1", "6100 expired payments__0_1 6000"]
    )
    lines = events(history)
    for position, line in enumerate(lines):
        line.source_id, line.position, line.client_kind = "s", position, "streams"
        line.thread = line.thread and "orders-StreamThread-1"
        if line.message_id == "config-dump":
            line.client_id = line.details["config.application.id"]
        if line.message_id == "override":
            line.message_id, line.kind, line.client_id = (
                "topology-override-task-timeout",
                "config_warning",
                None,
            )
            line.details = {"topology": "payments", "config_name": "task.timeout.ms", "value": "5000"}
    return judge_events(lines, lambda unit_id, control: UnitSettings.from_events(control))


@pytest.mark.parametrize(("applications", "accused"), [(1, False), (2, False)])
def test_an_override_is_learnt_from_the_log(applications: int, accused: bool) -> None:
    told = story(applications)
    assert any(found.rule_id == "kip572.died_early" for found in told.findings) is accused
    limits = [e.timer.task_timeout_ms for e in told.episodes if isinstance(e, TimerStreak)]
    assert limits == [5000 if applications == 1 else None]
