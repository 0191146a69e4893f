from transforms.episodes.lane_settings import SETTINGS, settings_of
from transforms.episodes.lanes import Bar, Lane, near_of


def lane_of(kind, *subject_ids):
    return Lane(kind, "name", (tuple(Bar(1, 2, (), subject_id) for subject_id in subject_ids),))


def test_a_poll_timer_turns_on_the_settings_of_its_membership():
    assert settings_of([lane_of("poll timer")]) == settings_of([lane_of("membership")])
    assert "max.poll.interval.ms" in settings_of([lane_of("poll timer")])


def test_settings_of_several_lanes_stand_once_and_in_order():
    found = settings_of([lane_of("backoff"), lane_of("batches")])
    assert found == [name for name in SETTINGS if name in found]
    assert {"delivery.timeout.ms", "retry.backoff.max.ms"} <= set(found)


def test_a_lane_without_settings_has_none():
    assert settings_of([lane_of("broker")]) == []


def test_near_is_what_holds_an_episode():
    lanes = [lane_of("batches", "a"), lane_of("batches", "b")]
    assert near_of(lanes, ["b"]) == lanes[1:]
