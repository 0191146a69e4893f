"""What metrics said, beneath the lanes of a story."""

from transforms.episodes.lanes import Lane
from transforms.episodes.series import attributes_for, series_of


def sample(
    at: int, value: float | None, mbean: str = "m:client-id=c", attribute: str = "last-poll-seconds-ago"
):
    return {
        "client_id": "c",
        "attribute": attribute,
        "mbean": mbean,
        "unit_id": "u",
        "sampled_at": at,
        "value": value,
    }


def test_a_series_has_its_limit_in_its_own_unit_and_no_sample_that_says_nothing():
    held = [{"client_id": "c", "name": "max.poll.interval.ms", "value": "8000"}]
    (made,) = series_of([sample(2, 3.0), sample(1, -1.0), sample(3, None), sample(0, 0.0)], held)
    assert made.points == ((0, 0.0), (2, 3.0))
    assert (made.limit, made.limit_name) == (8.0, "max.poll.interval.ms")


def test_of_several_mbeans_the_plainest_is_drawn():
    rows = [sample(1, 9.0, "m:client-id=c,topic=t"), sample(1, 5.0)]
    assert series_of(rows, [])[0].points == ((1, 5.0),)


def test_the_attributes_follow_from_the_lanes():
    assert attributes_for([Lane("poll timer", ""), Lane("membership", "")])[0] == "last-poll-seconds-ago"
    assert attributes_for([Lane("batches", "")])[0] == "record-queue-time-max"
