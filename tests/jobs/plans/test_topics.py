"""What a plan takes of a topic, and whose lines they are: pure, without a broker."""

import pytest

from conf.settings import load_conf
from jobs.pipeline import Input
from jobs.reading.topic_rows import chunk_of
from transforms.errors import BadInput
from transforms.parse.records.shipped import SHIPPER, TOPIC, Line, ShippedSource
from transforms.plans.generations import Generation, generations_in
from transforms.plans.topics import TopicPlan, topic_of

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
