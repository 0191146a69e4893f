"""What no row says, whatever the clock of a process did: a time below nothing, or an end before its begin."""

from dataclasses import fields, is_dataclass

import pytest

from transforms.diagnose.incident import of_episodes
from transforms.timers.episodes import (
    MEASURED,
    SPANS,
    BackoffAttempt,
    BatchLifetime,
    Episode,
    LivenessSession,
    TaskTimer,
    forget_negative,
)
from transforms.timers.machines import unit_machines

T = 1_777_800_000_000
OF = {"unit_id": "unit", "event_ids": ["e1"]}


@pytest.mark.parametrize(
    ("episode", "begin", "end", "measured"),
    [
        (TaskTimer(timer_id="t", task_id="0_1", outcome="expired", **OF), "started_at", "ended_at", "stalled_ms"),
        (BatchLifetime(batch_id="b", outcome="expired", **OF), "created_at", "ended_at", "age_ms"),
        (LivenessSession(session_id="s", group_id="g", outcome="left", **OF), "joined_at", "ended_at", "max_poll_gap_ms"),
        (
            BackoffAttempt(sequence_id="q", api="createTopics", subject="t", failures=1, **OF),
            "failed_at", "sent_at", "waited_ms",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("after", "known"), [(-1, (T, None, None)), (0, (T, T, 0)), (7, (T, T + 7, 7))])
def test_a_clock_that_was_set_back(episode, begin, end, measured, after, known):
    for name, value in ((begin, T), (end, T + after), (measured, after)):
        setattr(episode, name, value)
    forget_negative(episode)
    assert (getattr(episode, begin), getattr(episode, end), getattr(episode, measured)) == known


@pytest.mark.parametrize(("ended_at", "said"), [(T - 1, T), (T + 7, T + 7), (None, None)])
def test_an_incident_ends_no_earlier_than_it_began(ended_at, said):
    told = of_episodes(
        "stalled", "unit", [TaskTimer(timer_id="t", task_id="0_1", outcome="open", **OF)], started_at=T, ended_at=ended_at,
        title="", cause="", cause_confidence="proven", impact="delayed", advice="", subject_ids=["t"],
    )  # fmt: skip
    assert (told.started_at, told.ended_at) == (T, said)


def _all_below(one: type) -> list[type]:
    return [found for below in one.__subclasses__() for found in (below, *_all_below(below))]


def test_what_a_clock_may_take_back_may_be_unknown():
    """Rules read it, and one that takes it for a number ends a run."""
    assert unit_machines()
    known = [*MEASURED, *(end for end, _ in SPANS)]
    wrong = [
        f"{one.__name__}.{field.name}: {field.type}"
        for one in _all_below(Episode)
        if is_dataclass(one)
        for field in fields(one)
        if field.name in known and "None" not in str(field.type)
    ]
    assert wrong == []
