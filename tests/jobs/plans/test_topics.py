"""What a plan takes of a topic, and whose lines they are: pure, without a broker."""

import re

import pytest

from jobs.conf import load_conf
from jobs.errors import BadInput
from jobs.inputs.brokers import Extent, Topic, topic_of
from jobs.pipeline import Input
from jobs.plans.source_state import SourceState
from jobs.plans.topics import TopicPlan, layout_of, planned, shared
from jobs.reading.topic_rows import Generation, chunk_of, generations_in
from transforms.parse.reader import SourceHints
from transforms.parse.shipped import SHIPPER, TOPIC, Line, ShippedSource

URL = "kafka://b:9092/logs"


@pytest.mark.parametrize(
    "given", ["kafka://", "kafka://b/logs", "kafka://b:9092", "kafka://b:9092/a/b", "kafka://b:1/a b"]
)
def test_what_names_no_topic_is_refused(given):
    with pytest.raises(BadInput, match="kafka://host:port/topic"):
        topic_of(given, "--logs")
    assert topic_of("kafka://a:1,b:2/t.x-y_z", "--logs").servers == "a:1,b:2"


def test_topics_are_of_lines_or_of_metrics():
    given = Input.given([URL], ["kafka://b:9092/jmx"])
    assert [(one.name, one.is_metrics) for one in given.topics] == [("logs", False), ("jmx", True)]
    assert given.metrics == []
    with pytest.raises(BadInput, match="--metrics kafka://b:9092"):
        Input.given([URL], ["kafka://b:9092"])


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


def line(position, text="x"):
    return Line(position, position + 10, text, 10)


def test_a_file_of_the_same_name_begins_with_another_first_line():
    origin = ShippedSource("o", SHIPPER, "/a.log", None, None, None)
    (first, lines), (second, others) = generations_in(
        origin, [line(0, "one"), line(10), line(0, "two"), line(10, "y")], ()
    )
    assert ([one.text for one in lines], [one.text for one in others]) == (["one", "x"], ["two", "y"])
    assert first.source_id == "o"
    assert second.source_id != "o"
    assert second.number == 1
    known_files = [first, Generation(second.source_id, 1, second.first)]
    ((again, _),) = generations_in(origin, [line(0, "two"), line(10, "y")], known_files)
    assert again.source_id == second.source_id  # a copy


def test_a_first_line_that_comes_late_is_no_other_file():
    origin = ShippedSource("o", SHIPPER, "/a.log", None, None, None)
    ((only, lines),) = generations_in(origin, [line(10), line(0, "one")], ())
    assert (only.source_id, len(lines)) == ("o", 2)


@pytest.mark.parametrize(
    ("origin", "name", "unit"),
    [
        pytest.param(
            ShippedSource("o", SHIPPER, "web-1:/var/log/orders/app.log.1", None, "web-1/app.log", None),
            f"{URL}#web-1:/var/log/orders/app.log.1", "orders/app.log", id="a shipper's file",
        ),
        pytest.param(
            ShippedSource("o", SHIPPER, "C:\\logs\\orders\\app.log", None, None, None),
            f"{URL}#C:\\logs\\orders\\app.log", "orders/app.log", id="on Windows",
        ),
        pytest.param(ShippedSource("o", TOPIC, "logs/3", None, None, None), f"{URL}/3", "logs/3", id="nobody's"),
        pytest.param(
            ShippedSource("o", TOPIC, "logs/3", None, None, "pod/app"), f"{URL}/3", "logs/logs", id="a container's"
        ),
    ],
)  # fmt: skip
def test_what_an_origin_is_called(origin, name, unit):
    chunk = chunk_of(TopicPlan(URL, "b:9092", "logs", "one", {}), origin, "s", load_conf())
    assert (chunk.path, chunk.unit_id) == (name, unit)


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
