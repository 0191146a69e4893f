"""Jolokia's shapes of one fact, and everything that is no fact, counted by reason."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from transforms.parse.metrics.jolokia import read_responses
from transforms.parse.metrics.samples import MetricBooks, client_of, mbean_of
from transforms.parse.records.json_window import loaded

COORDINATOR = "kafka.consumer:client-id=app-1,type=consumer-coordinator-metrics"
CANONICAL = "kafka.consumer:type=consumer-coordinator-metrics,client-id=app-1"
RECORDINGS = Path(__file__).parents[3] / "recordings"


def response(value, mbean=COORDINATOR, status=200, timestamp=1_795_229_036, **request):
    return {
        "request": {"type": "read", "mbean": mbean, **request},
        "value": value,
        "status": status,
        "timestamp": timestamp,
    }


def read(document):
    books = MetricBooks()
    text = document if isinstance(document, str) else json.dumps(document)
    return list(read_responses(loaded(text.encode()), books)), books


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(response(2.0, attribute="heartbeat-rate"), id="one attribute"),
        pytest.param(
            response({"heartbeat-rate": 2.0}, attribute=["heartbeat-rate"]), id="a list of attributes"
        ),
        pytest.param(response({"heartbeat-rate": 2.0}), id="all attributes"),
        pytest.param(
            response({COORDINATOR: {"heartbeat-rate": 2.0}}, mbean="kafka.consumer:*"), id="a pattern"
        ),
        pytest.param(
            response({CANONICAL: {"heartbeat-rate": 2}}, mbean="kafka.consumer:type=*,client-id=app-?"),
            id="a pattern, names in registration order",
        ),
        pytest.param([response(2.0, attribute="heartbeat-rate")], id="a bulk of one"),
    ],
)
def test_every_shape_gives_the_same_sample(document):
    (sample,), books = read(document)
    assert (sample.mbean, sample.attribute, sample.value) == (CANONICAL, "heartbeat-rate", 2.0)
    assert sample.sampled_at == 1_795_229_036_000
    assert sample.client_id == "app-1"
    assert (books.responses, books.samples, books.skipped) == (1, 1, Counter())


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ("3", "not_jolokia"),
        ({"a": 1}, "not_jolokia"),
        (response(None, status=404), "status_404"),
        (response(2.0, attribute="a", timestamp=None), "no_timestamp"),
        (response(2.0, attribute="a", timestamp=1_795_229_036_000), "no_timestamp"),
        (response(2.0, attribute="a", mbean="nonsense"), "bad_mbean"),
        (response(2.0, attribute="a", mbean='d:k="open'), "bad_mbean"),
        (response({}), "no_value"),
        (response(None, mbean="kafka.consumer:*"), "no_value"),
        ({"request": {"type": "list"}, "value": {}, "status": 200}, "not_a_read"),
    ],
)
def test_what_gives_no_sample_is_counted_with_its_reason(document, reason):
    samples, books = read(document)
    assert samples == []
    assert books.skipped == {reason: 1}


def test_a_bulk_counts_its_failures_and_keeps_the_rest():
    samples, books = read([response(None, status=404), response(1, attribute="a"), 7])
    assert [sample.item for sample in samples] == [1]
    assert books.responses == 3
    assert books.skipped == {"status_404": 1, "not_jolokia": 1}


@pytest.mark.parametrize(
    ("raw", "value", "text"),
    [
        ("null", None, None),
        ("NaN", None, None),
        ("Infinity", None, None),
        ("-1", -1.0, None),
        ("true", 1.0, None),
        ('"4.2.1"', None, "4.2.1"),
        ("[1, 2]", None, "[1, 2]"),
        ("9" * 400, None, "9" * 400),
    ],
)
def test_values(raw, value, text):
    document = json.dumps(response("@", attribute="a")).replace('"@"', raw)
    (sample,), _ = read(document)
    assert (sample.value, sample.text_value) == (value, text)


def test_a_composite_value_is_taken_apart():
    samples, _ = read(response({"used": 1, "max": 2}, mbean="java.lang:type=Memory", attribute="Heap"))
    assert {sample.attribute: sample.value for sample in samples} == {"Heap/used": 1.0, "Heap/max": 2.0}


@pytest.mark.parametrize(
    ("name", "canonical", "tags"),
    [
        ("d:b=2,type=t,a=1", "d:type=t,a=1,b=2", {"type": "t", "a": "1", "b": "2"}),
        ('d:client-id="a,b=c",type=t', 'd:type=t,client-id="a,b=c"', {"type": "t", "client-id": "a,b=c"}),
        (r'd:client-id="a\"b\*\\n\n"', r'd:client-id="a\"b\*\\n\n"', {"client-id": 'a"b*\\n\n'}),
        ("d:a=", "d:a=", {"a": ""}),
    ],
)
def test_canonical_names(name, canonical, tags):
    assert mbean_of(name)[:2] == (canonical, tags)


def test_an_escaped_wildcard_is_no_pattern():
    (sample,), _ = read(response({"count": 1}, mbean=r'd:type=t,client-id="a\*"'))
    assert sample.client_id == "a*"


@pytest.mark.parametrize(
    ("tags", "client"),
    [
        ({"client-id": "c"}, "c"),
        ({"type": "app-info", "id": "c"}, "c"),
        ({"type": "other", "id": "c"}, None),
        ({"thread-id": "app-5b-StreamThread-1"}, "app-5b"),
        ({"thread-id": "app-5b-GlobalStreamThread"}, "app-5b"),
    ],
)
def test_the_client_an_mbean_speaks_of(tags, client):
    assert client_of(tags) == client


def test_the_recorded_samples_balance():
    """Every recorded response gives samples or a reason; only MBeans that did not exist yet failed."""
    with gzip.open(RECORDINGS / "p62-slow-poll-42" / "consumer-a.metrics.jsonl.gz") as lines:
        books = MetricBooks()
        samples = [sample for line in lines for sample in read_responses(loaded(line), books)]
    assert set(books.skipped) == {"status_404"}
    assert books.samples == len(samples) > 1000
    gaps = [
        s.value for s in samples if s.attribute == "last-poll-seconds-ago" and s.client_id == "consumer-a"
    ]
    assert max(gap for gap in gaps if gap is not None) >= 12  # it processed for 14 s, polled once a sample
