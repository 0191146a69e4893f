"""The whole path as one function: order, units, groups."""

import random

from transforms.events import ClientEvent
from transforms.pure import data_clock_of, in_order, judge_events
from transforms.timers.clients.settings import UnitSettings

POLL = "poll_interval_expired", "poll-timeout-expired"


def event(number, at, *, unit="u", source="s", group=None, kind=("lifecycle", "version")):
    return ClientEvent(
        *kind, event_id=f"{source}{number:03}", unit_id=unit, source_id=source, position=number,
        happened_at=at, group_id=group, client_id="consumer-a", client_kind="consumer",
    )  # fmt: skip


def settings_of(unit_id, control):
    return UnitSettings.from_events(control, (), {})


def test_order_is_the_running_time_of_a_source_then_the_place_in_it():
    events = [event(0, 10), event(1, 5), event(2, None), event(3, 20), event(0, 15, source="t")]
    random.Random(1).shuffle(events)
    (ordered,) = in_order(events).values()
    assert [one.event_id for one in ordered] == ["s000", "s001", "s002", "t000", "s003"]
    assert [one.ordered_at for one in ordered] == [10, 10, 10, 15, 20]


def test_lines_before_any_time_come_first():
    (ordered,) = in_order([event(1, 7), event(0, None)]).values()
    assert [one.event_id for one in ordered] == ["s000", "s001"]


def test_a_unit_is_one_process():
    events = [event(0, 1, unit="a", source="x", group="g"), event(0, 2, unit="b", source="y", group="g")]
    assert set(in_order(events)) == {"a", "b"}


def test_the_data_clock_is_the_latest_time_told():
    assert data_clock_of([event(0, 5), event(1, None), event(2, 3)]) == 5
    assert data_clock_of([event(0, None)]) is None


def test_the_order_of_arrival_changes_nothing():
    def story(seed):
        events = [
            event(n, 1_000 * n, group="g", kind=POLL if n == 3 else ("joined", "joined")) for n in range(6)
        ]
        random.Random(seed).shuffle(events)
        return judge_events(events, settings_of)

    first, second = story(1), story(2)
    assert [e.event_id for e in first.events] == [e.event_id for e in second.events]
    assert first.episodes == second.episodes
    assert first.incidents == second.incidents
    assert first.episodes


def test_no_events_no_story():
    story = judge_events([], settings_of)
    assert (story.events, story.episodes, story.findings, story.incidents) == ([], [], [], [])
