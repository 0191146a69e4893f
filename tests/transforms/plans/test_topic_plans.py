"""What a plan takes of a topic: offsets of its partitions, and how its lines are read."""

import re

import pytest

from transforms.parse.layouts.detect import SourceHints
from transforms.plans.source_state import SourceState
from transforms.plans.topics import Extent, Topic, TopicPlan, layout_of, planned, shared

URL = "kafka://b:9092/logs"


@pytest.mark.parametrize(
    ("sizes", "most", "shares"),
    [
        pytest.param({0: 5, 1: 5}, 100, {0: 5, 1: 5}, id="all there is"),
        pytest.param({0: 50, 1: 50}, 20, {0: 10, 1: 10}, id="the same of each"),
        pytest.param({0: 2, 1: 50}, 20, {0: 2, 1: 18}, id="what one leaves is the other's"),
        pytest.param({}, 20, {}, id="no partition"),
        pytest.param({0: 9, 1: 9, 2: 9}, 2, {0: 0, 1: 1, 2: 1}, id="fewer than partitions"),
    ],
)
def test_partitions_share_a_limit(sizes, most, shares):
    assert shared(sizes, most) == shares


def known(read_to, lost=0, topic_id="one"):
    plan = TopicPlan(URL, "b:9092", "logs", topic_id, {})
    topic = {"topic_id": topic_id, "read_to": read_to, "layout": {"layout": "kafka"}, "lost": lost}
    return SourceState(source_id=plan.source_id, source=URL, service="logs", instance="logs", topic=topic)


@pytest.mark.parametrize(
    ("read_to", "offsets", "ranges", "lost"),
    [
        pytest.param(None, {0: (3, 9)}, {"0": [3, 9]}, 0, id="new: from the first there is"),
        pytest.param({"0": 5}, {0: (3, 9)}, {"0": [5, 9]}, 0, id="from where it was read"),
        pytest.param({"0": 9}, {0: (3, 9)}, {}, 0, id="nothing new"),
        pytest.param({"0": 1}, {0: (3, 9)}, {"0": [3, 9]}, 2, id="some were deleted"),
        pytest.param({"0": 1}, {0: (9, 9)}, {"0": [9, 9]}, 8, id="all were deleted"),
        pytest.param({"0": 5}, {0: (3, 5), 1: (0, 2)}, {"1": [0, 2]}, 0, id="another partition"),
    ],
)
def test_what_is_taken_of_a_topic(read_to, offsets, ranges, lost):
    old = [known(read_to)] if read_to is not None else []
    plan = planned(Topic(URL, "b:9092", "logs"), Extent("one", offsets), old, 100)
    assert (plan.ranges, plan.lost, plan.left) == (ranges, lost, 0)
    assert plan.read_to == (read_to or {}) | {number: end for number, (_, end) in ranges.items()}


def test_a_topic_made_anew_is_read_from_its_beginning():
    plan = planned(Topic(URL, "b:9092", "logs"), Extent("two", {0: (0, 4)}), [known({"0": 100})], 3)
    assert (plan.ranges, plan.lost, plan.left) == ({"0": [0, 3]}, 0, 1)


def test_a_topic_of_many_layouts_is_read_by_what_begins_a_record_in_all():
    lines = [
        "[2026-01-01 00:00:00,000] INFO x (a.B)",
        '{"@timestamp":"2026-01-01T00:00:00Z","level":"INFO","message":"x"}',
    ]
    dated = re.compile(layout_of(lines, SourceHints())["start"])
    assert dated.match("[2026-01-01 00:00:00,000] INFO x")
    assert re.match(layout_of([], SourceHints())["start"], "[2026-01-01 00:00:00,000] INFO x")
    timed = layout_of(["12:00:00,000 INFO [main] org.apache.kafka.X: y"] * 20, SourceHints())["start"]
    assert re.match(timed, "12:00:01,000 INFO [main] org.apache.kafka.X: y")
