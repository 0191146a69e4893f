"""The same facts in all formats give the same canonical rows, and the books balance whatever comes."""

import io
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lab.metrics.render import RENDERINGS, Fact
from transforms.parse.metrics.formats import JSON_FORMATS, MetricsReader, detect
from transforms.parse.metrics.names import GROUPS
from transforms.parse.metrics.samples import MetricBooks
from transforms.parse.records.json_window import Limits

NOON_S = 1_795_262_400
COORDINATOR = ("kafka.consumer", "consumer-coordinator-metrics")


def read(content, name=None, **how):
    """(rows, books, format); pieces cover the content without a gap."""
    raw = content.encode() if isinstance(content, str) else content
    name = name or detect(raw[:1024])
    reader, books, rows, at = MetricsReader(name, **how), MetricBooks(), [], 0
    for piece in reader.pieces(io.BytesIO(raw)):
        assert piece.offset == at
        assert piece.data
        at += len(piece.data)
        before = books.samples
        found = list(reader.read(piece, books))
        assert books.samples - before == len(found)
        rows += found
    assert at == len(raw)
    return rows, books, name


def canonical(sample):
    return (
        sample.sampled_at,
        sample.mbean,
        sample.attribute,
        sample.value,
        sample.text_value,
        dict(sample.tags),
        sample.client_id,
    )


def keyed(rows):
    return sorted(rows, key=lambda row: (row[0], row[1], row[2]))


PLAIN = [
    Fact(NOON_S + second, *COORDINATOR, attribute, float(second), {"client-id": f"c{client:02}"})
    for client in range(40)
    for second in range(2)
    for attribute in ("heartbeat-total", "commit-total")
]


def jolokia_one(at, **how):
    """One response for all MBeans, and its time before or behind them."""
    now = [fact for fact in PLAIN if fact.at_s == at]
    value = {fact.object_name: {} for fact in now}
    for fact in now:
        value[fact.object_name][fact.attribute] = fact.value
    response = {"request": {"type": "read", "mbean": "kafka.consumer:*"}, "value": value}
    return json.dumps(response | {"status": 200, "timestamp": at}, **how)


def behind_one_another(**how):
    return "\n".join(jolokia_one(at, **how) for at in (NOON_S, NOON_S + 1)) + "\n"


def time_first():
    documents = [json.loads(line) for line in behind_one_another().splitlines()]
    return "".join(json.dumps(dict(reversed(document.items()))) + "\n" for document in documents)


def answer_last():
    answer = json.loads(RENDERINGS["query_range"][0](PLAIN))
    answer["data"] = dict(reversed(answer["data"].items()))
    return json.dumps(dict(reversed(answer.items())))


LONG = {
    "lines": behind_one_another,
    "pretty": lambda: behind_one_another(indent=2),
    "time_first": time_first,
    "bulk": lambda: "[" + ",".join(behind_one_another().splitlines()) + "]\n",
    "bulk_over_lines": lambda: "[\n" + ",\n".join(behind_one_another().splitlines()) + "\n]\n",
    "pretty_bulk": lambda: json.dumps(
        [json.loads(one) for one in behind_one_another().splitlines()], indent=2
    ),
    "answer_last": answer_last,
} | {name: lambda name=name: RENDERINGS[name][0](PLAIN) for name in RENDERINGS}


@pytest.mark.parametrize("shape", LONG)
def test_what_is_longer_than_may_be_held_is_read_in_pieces(shape):
    """Of every shape of file; with a limit of a KiB here. A line of text stays one."""
    limits = Limits(block=256, long=1 << 10, longest=1 << 14)
    whole = LONG[shape]()
    rows, books, name = read(whole, scrape_at=NOON_S * 1000)
    assert rows
    held, held_books, _ = read(whole, name, scrape_at=NOON_S * 1000, limits=limits)
    assert keyed(map(canonical, held)) == keyed(map(canonical, rows))
    assert held_books.skipped == books.skipped
    reader = MetricsReader(name, limits=limits)
    assert (
        name not in JSON_FORMATS
        or max(len(piece.data) for piece in reader.pieces(io.BytesIO(whole.encode()))) <= 3 << 10
    )


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.99])
def test_a_long_document_without_an_end_is_damage(cut):
    whole = jolokia_one(NOON_S).encode()
    limits = Limits(block=256, long=1 << 10, longest=1 << 10)
    rows, books, _ = read(whole[: int(len(whole) * cut)], limits=limits)
    assert (rows, books.samples) == ([], 0)
    assert "not_json" in books.skipped


# What users name their clients; one that begins and ends with a quote can't be told from Kafka's own quoting.
CLIENT_IDS = st.text('ab-_.%: /@"\\,=*?{}#é\n', min_size=1, max_size=8).filter(
    lambda text: text == text.strip() and not (text[0] == text[-1] == '"')
)
VALUES = st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-1, 2**53).map(float)


@st.composite
def facts(draw):
    domain, kind = draw(
        st.sampled_from([group for group, known in GROUPS.items() if known and group[1] != "app-info"])
    )
    attribute = draw(st.sampled_from(GROUPS[domain, kind].split()))
    tags = {
        "thread-id" if kind in ("stream-thread-metrics", "stream-task-metrics") else "client-id": draw(
            CLIENT_IDS
        )
    }
    if "-node-" in kind:
        tags["node-id"] = draw(st.sampled_from(["node-1", "node--1", "node-2147483646"]))
    if kind == "producer-topic-metrics":
        tags["topic"] = draw(st.sampled_from(["orders", "a.b_c-d"]))
    return Fact(NOON_S + draw(st.integers(0, 3)), domain, kind, attribute, draw(VALUES), tags)


def one_each(found):
    return list({(fact.at_s, fact.row[1], fact.attribute): fact for fact in found}.values())


@pytest.mark.parametrize("name", RENDERINGS)
@settings(max_examples=40)
@given(found=st.lists(facts(), min_size=1, max_size=6).map(one_each))
def test_the_same_facts_give_the_same_rows(name, found):
    render, wanted_format = RENDERINGS[name]
    rows, books, name_found = read(render(found))
    assert name_found == wanted_format
    got = keyed(canonical(row) for row in rows if row.mbean != "unmapped:type=up")
    streams = [fact.row[:6] for fact in found]
    assert [row[:6] for row in got] == keyed(streams)
    clients = {row[1]: row[6] for row in got}
    for fact in found:
        if "client-id" in fact.tags:
            assert clients[fact.row[1]] == fact.tags["client-id"]
    assert not books.skipped
    assert books.read == books.samples == len(rows)


RESET = [  # a counter that falls is a process that was started again; a gap is nobody's value
    Fact(NOON_S + at_s, *COORDINATOR, "heartbeat-total", value, {"client-id": "app-1"})
    for at_s, value in ((0, 10.0), (15, 15.0), (30, 1.0), (600, None), (615, 2.0))
]


@pytest.mark.parametrize("name", RENDERINGS)
def test_resets_restarts_and_gaps_are_kept_as_they_were_read(name):
    rows, _, _ = read(RENDERINGS[name][0](RESET))
    values = [
        (row.sampled_at // 1000 - NOON_S, row.value) for row in rows if row.attribute == "heartbeat-total"
    ]
    assert sorted(values, key=lambda pair: pair[0]) == [
        (0, 10.0),
        (15, 15.0),
        (30, 1.0),
        (600, None),
        (615, 2.0),
    ]


@pytest.mark.parametrize("name", [name for name in RENDERINGS if "exporter, default" not in name])
def test_late_and_doubled_scrapes_have_their_own_times(name):
    """A scrape that is written twice, and late, gives the same keys again: the job keeps one of each."""
    late = [RESET[1], RESET[0], RESET[1]]
    rows, books, _ = read("".join(RENDERINGS[name][0]([fact]).rstrip("\n") + "\n" for fact in late))
    got = [canonical(row) for row in rows if row.attribute == "heartbeat-total"]
    assert got == [fact.row for fact in late]
    assert not books.skipped


@pytest.mark.parametrize("name", RENDERINGS)
@settings(max_examples=25)
@given(cut=st.floats(0, 1), junk=st.binary(max_size=40), data=st.data())
def test_damage_balances(name, cut, junk, data):
    """A file that is cut, with garbage in it: nothing raised, every byte in a piece, every value in the books."""
    raw = RENDERINGS[name][0](RESET).encode()
    at = data.draw(st.integers(0, len(raw)))
    damaged = (raw[:at] + junk + raw[at:])[: int(cut * (len(raw) + len(junk)))]
    rows, books, _ = read(damaged, detect(raw[:1024]))
    assert books.read == len(rows) + books.skipped.total()


@given(st.binary(max_size=300))
@settings(max_examples=200)
def test_anything_is_read_by_any_reader(content):
    for name in (detect(content), "jolokia", "prometheus_text", "jmxtool", None):
        rows, books, _ = read(content, name or "unknown")
        assert books.read == len(rows) + books.skipped.total()


KEYS = """
    request status timestamp value mbean type attribute data result resultType metric values fields name tags metrics
    @timestamp jolokia kafka prometheus labels resourceMetrics scopeMetrics gauge sum dataPoints attributes key
    stringValue timeUnixNano asDouble resource"""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=5)
    ),
    max_leaves=25,
)


@given(JSON, st.sampled_from(["resourceMetrics", "fields", "@timestamp", "request", "metric", "data"]))
@example([{"resourceMetrics": None}, [{"resourceMetrics": None}]], "data")
@settings(max_examples=300)
def test_any_document_is_read(document, key):
    for written in (
        document,
        {key: document},
        {key: document, "status": "success", "timestamp": 1_700_000_000},
    ):
        rows, books, _ = read(json.dumps(written), "json")
        assert books.read == len(rows) + books.skipped.total()


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\n\n",
        b"\x00\x01\x02",
        b"<html></html>",
        b"[2026-11-21 03:39:50,531] INFO Kafka version: 4.2.1 (o.a.k)"[1:],
    ],
)
def test_what_is_no_metrics_has_no_format(head):
    assert detect(head) is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Some words\nand more\n", "unknown_format"),
        ('{"a": 1}\n', "unknown_json"),
        ("[1, 2]\n", "not_jolokia"),
        ('{"a": \n', "not_json"),
        ("{", "not_json"),
        ("[" * 100_000, "not_json"),
        ("<html>", "unknown_format"),
    ],
)
def test_unknown_ones_are_counted(content, reason):
    rows, books, _ = read(content, detect(content.encode()) or "unknown")
    assert rows == []
    assert set(books.skipped) == {reason}


def test_fields_behind_a_time_are_a_log_s():
    assert detect(b'time="2026-01-05T10:00:00Z" level=info msg="waiting on port 50051" ver=1.14.4\n') is None
    assert detect(b"time=1767607200000\n") == detect(b'time,"2026-01-05 10:00:00"\n') == "jmxtool"
