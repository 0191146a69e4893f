"""Metrics from topics: the samples that files give, whatever order, copies and cuts they come in; without a broker."""

import gzip
import json
import random
from dataclasses import replace

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from conf.settings import SourceHint, load_conf
from jobs.metrics.ingest_metrics import read_file
from jobs.metrics.metric_topics import COLUMNS, PARTITION, reading
from jobs.pipeline import Input, open_lake, run
from jobs.progress import Progress
from jobs.streaming.stream import Stream
from lab.corpus import ROOT as RECORDINGS
from lab.metrics.render import RENDERINGS, Fact
from lab.soak.rows import differences, versions
from transforms.parse.metrics.reading import MetricFile
from transforms.plans.metric_sources import MetricFileNote
from transforms.plans.topics import Extent, TopicPlan, planned, topic_of
from transforms.tasks import Note

URL = "kafka://b:9092/jmx"
QUIET = Progress(is_shown=False)
NOON_S = 1_795_262_400
GROUP = ("kafka.consumer", "consumer-coordinator-metrics")
FACTS = [Fact(NOON_S + n, *GROUP, "heartbeat-total", float(n), {"client-id": "c"}) for n in range(6)]
SCRAPE = 'kafka_consumer_consumer_coordinator_metrics_heartbeat_total{{client_id="c"{}}} 3.0\n'
SAMPLES = "silver.metric_samples"
SCHEMA = pa.schema(
    [
        ("partition", pa.int32()), ("offset", pa.int64()), ("timestamp", pa.timestamp("us", "UTC")),
        ("key", pa.binary()), ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
        ("value", pa.binary()),
    ]
)  # fmt: skip


def message(value, partition=0, offset=0, *, key=None, headers=None, at_ms=NOON_S * 1000):
    named = [{"key": name, "value": text.encode()} for name, text in (headers or {}).items()]
    value = value.encode() if isinstance(value, str) else value
    return dict(zip(COLUMNS, (partition, offset, at_ms * 1000, key, named or None, value), strict=True))


def read(*messages, conf=None, tasks=1):
    """What tasks give for the messages: samples, pieces, and what they tell of each sender."""
    found = {SAMPLES: [], "bronze.unparsed": []}
    notes = []
    for number in range(tasks):
        batch = pa.RecordBatch.from_pylist(list(messages[number::tasks]), SCHEMA)
        for made in reading(TopicPlan(URL, "b:9092", "jmx", "one", {}), conf or load_conf())(iter([batch])):
            if isinstance(made, Note):
                assert made.name == PARTITION
                notes.append(json.loads(made.text))
            else:
                found[made[0]] += made[1].to_pylist()
    return found[SAMPLES], found["bronze.unparsed"], notes


def facts_of(rows):
    """What samples say, and of whom; where they stood is another matter."""
    names = ("unit_id", "service", "instance", "mbean", "attribute", "value", "client_id", "clock", "tags")
    return sorted((_ms(row["sampled_at"]), *(str(row[name]) for name in names)) for row in rows)


def _ms(at):
    return at if isinstance(at, int) else round(at.timestamp() * 1000)


def _with_sorted_tags(rows):
    return [row | {"tags": sorted(dict(row["tags"]).items())} for row in rows]


@pytest.mark.parametrize("name", RENDERINGS)
def test_a_message_gives_what_a_file_gives(name, tmp_path):
    text = RENDERINGS[name][0](FACTS)
    path = tmp_path / "x"
    path.write_text(text)
    file = MetricFile(str(path), path.stat().st_size, 0, "jmx", "i")
    rows = [made for made in read_file(file) if not isinstance(made, MetricFileNote)]
    of_file = [row for table, row in rows if table == SAMPLES]
    samples, pieces, (told,) = read(message(text, key=b"i"))
    assert len(samples) >= len(FACTS)
    assert facts_of(_with_sorted_tags(samples)) == facts_of(_with_sorted_tags(of_file))
    assert pieces == []
    assert told["settled"]["bytes_read"] == path.stat().st_size


@pytest.mark.parametrize("name", ["jolokia, one attribute", "OTLP", "Telegraf", "Metricbeat"])
def test_a_document_a_message_in_any_order_and_twice(name):
    lines = RENDERINGS[name][0](FACTS).splitlines()
    whole, _, _ = read(*(message(line, offset=number) for number, line in enumerate(lines)))
    chance = random.Random(7)
    copies = [*lines, *chance.sample(lines, 3)]
    chance.shuffle(copies)
    mixed, _, _ = read(
        *(message(line, number % 3, number, key=None) for number, line in enumerate(copies)), tasks=2
    )
    as_rows = lambda rows: {repr(row) for row in rows}  # noqa: E731
    assert as_rows(mixed) == as_rows(whole)  # places and all
    assert len(mixed) == len(whole) + 3


@pytest.mark.parametrize(
    ("label", "headers", "key", "conf", "unit"),
    [
        pytest.param("", {}, None, None, "jmx/jmx", id="nobody says it"),
        pytest.param("", {}, b"pod-1", None, "jmx/pod-1", id="the key"),
        pytest.param("", {}, b"\x00\x01\xff", None, "jmx/jmx", id="a key that is no text"),
        pytest.param("", {}, b"x" * 201, None, "jmx/jmx", id="a key that is a document"),
        pytest.param("", {"service.name": "pay", "pod": "p"}, b"k", None, "pay/p", id="headers before the key"),
        pytest.param(',job="shop"', {"service": "pay"}, b"k", None, "shop/k", id="labels before headers"),
        pytest.param(',job="shop"', {"service": "pay"}, b"k", "*/jmx#k", "declared/k", id="conf before all"),
        pytest.param(',instance="i"', {}, None, "kafka://*/jmx", "declared/i", id="conf, of all without a key"),
    ],
)  # fmt: skip
def test_whose_samples_they_are(label, headers, key, conf, unit):
    settings = load_conf()
    if conf:
        settings = replace(settings, sources=(SourceHint(conf, service="declared"),))
    ((sample,), _, _) = read(message(SCRAPE.format(label), key=key, headers=headers), conf=settings)
    assert sample["unit_id"] == unit


def test_a_scrape_without_a_time_was_made_when_its_message_was():
    (sample,), _, (told,) = read(message(SCRAPE.format(""), at_ms=NOON_S * 1000 + 123))
    assert _ms(sample["sampled_at"]) == NOON_S * 1000 + 123
    assert told["evidence"]["time"] == {"message": 1}


@pytest.mark.parametrize(
    ("value", "at_ms", "kept", "without_time"),
    [
        pytest.param(SCRAPE.format("") * 2, NOON_S * 1000, 0, 2, id="two scrapes"),
        pytest.param(SCRAPE.format(""), -1, 0, 1, id="a message without a time"),
        pytest.param(f"# scraped_at {NOON_S}\n{SCRAPE.format('')}", -1, 1, 0, id="it says it itself"),
    ],
)
def test_nobody_guesses_when_a_scrape_was(value, at_ms, kept, without_time):
    samples, _, (told,) = read(message(value, at_ms=at_ms))
    assert len(samples) == kept
    assert told["evidence"]["samples_skipped"].get("no_timestamp", 0) == without_time


def test_books_balance_whatever_comes():
    good = RENDERINGS["jolokia, one attribute"][0](FACTS)
    values = (
        good,
        "no metrics\n\nat all",
        b"\xff\xfe\x00",
        b"",
        None,
        '{"message": "a log line"}',
        good.rstrip(),
    )
    samples, pieces, notes = read(*(message(value, offset=n) for n, value in enumerate(values)))
    (told,) = notes
    accounts = told["settled"]
    for unit in ("lines", "bytes"):
        dropped = sum(accounts[f"{unit}_dropped"].values())
        assert (
            accounts[f"{unit}_read"]
            == accounts[f"{unit}_in_records"] + accounts[f"{unit}_unparsed"] + dropped
        )
    assert accounts["bytes_read"] == sum(len(v.encode() if isinstance(v, str) else v or b"") for v in values)
    assert sorted((row["line"], row["reason"]) for row in pieces) == [
        (1, "unknown_format"), (1, "unknown_format"), (2, "unknown_format"), (5, "unknown_json")
    ]  # fmt: skip
    assert len({(row["source_id"], row["offset"]) for row in pieces}) == len(pieces)
    assert sum(accounts["unparsed_by_reason"].values()) == len(pieces)
    assert len(samples) == 2 * len(FACTS)


def test_a_topic_may_be_read_as_logs_and_as_metrics():
    extent = Extent("one", {0: (0, 9)})
    logs, metrics = (
        planned(topic_of(URL, "--metrics", is_metrics=kind), extent, [], 5) for kind in (False, True)
    )
    assert (logs.ranges, metrics.ranges) == ({"0": [0, 5]}, {"0": [0, 5]})
    assert logs.source_id != metrics.source_id


@pytest.fixture
def topic(engines, monkeypatch):
    """A topic of three partitions, and no broker."""
    written = []

    def extent_of(_given, _kafka):
        ends = {number: sum(one["partition"] == number for one in written) for number in range(3)}
        return Extent("one", {number: (0, end) for number, end in ends.items()})

    def messages(session, plan, _options, columns):
        taken = [
            one
            for one in written
            for begin, end in [plan.ranges.get(str(one["partition"]), (0, 0))]
            if begin <= one["offset"] < end
        ]
        return session.createDataFrame(pa.Table.from_pylist(taken, SCHEMA)).select(*columns)

    monkeypatch.setattr("jobs.plans.topics.extent_of", extent_of)
    monkeypatch.setattr("jobs.reading.read_plan.extent_of", extent_of)
    monkeypatch.setattr("jobs.metrics.metric_topics.messages", messages)

    def write(values, partition, key):
        for value in values:
            offset = sum(one["partition"] == partition for one in written)
            written.append(message(value, partition, offset, key=key))

    return write


def table(lake, name):
    return DeltaTable(str(lake.joinpath(*name.split(".")))).to_pyarrow_table().to_pylist()


@pytest.mark.usefixtures("spark")  # which its engines would start anew in a worker that has none
def test_a_stream_of_samples_that_is_killed_is_one_batch_of_files(
    engines, conf, topic, tmp_path, monkeypatch
):
    """In any order, some twice, cut where it pleases, killed between the tables and the accounting."""
    scenario = RECORDINGS / "p62-slow-poll-42"
    logs, file = str(scenario / "consumer-a.app.log.gz"), scenario / "consumer-a.metrics.jsonl.gz"
    names = {"service": "pay", "instance": "pay-1"}
    matched = (logs, str(file), f"{URL}#pay-1")
    conf = replace(conf, sources=tuple(SourceHint(one, **names) for one in matched))
    run(engines, tmp_path / "files", [logs], [str(file)], conf, QUIET)

    lines = gzip.decompress(file.read_bytes()).splitlines()
    chance = random.Random(3)
    chance.shuffle(lines)
    lines += chance.sample(lines, 5)
    lines[3:3] = [b"not a metric"]
    third = len(lines) // 3
    conf = replace(conf, stream=replace(conf.stream, max_scrapes=third // 2))
    lake = tmp_path / "topic"
    given = Input.given([logs], [URL], may_vanish=True)
    with open_lake(lake, conf) as opened:
        stream = Stream(engines, opened, given, conf, QUIET)
        topic(lines[:third], 0, b"pay-1")
        topic(lines[third : 2 * third], 1, b"pay-1")
        with monkeypatch.context() as patched:
            patched.setattr("jobs.pipeline.ingest.write_accounting", lambda *_: 1 / 0)
            assert stream.once() is None
        assert stream.once().left_messages  # a plan of its own, behind the one that was carried out again
        topic(lines[2 * third :], 2, b"pay-1")
        while stream.once().read:
            pass
        before = versions(lake)
        assert stream.once().read == 0
        assert versions(lake) == before
    assert differences(tmp_path / "files", lake).keys() <= {SAMPLES}
    of_file, of_topic = table(tmp_path / "files", SAMPLES), table(lake, SAMPLES)
    assert facts_of(_with_sorted_tags(of_topic)) == facts_of(_with_sorted_tags(of_file))
    accounts = [row for row in table(lake, "bronze.accounting") if row["source"].startswith(URL)]
    assert sorted(row["source"] for row in accounts) == [URL, *(f"{URL}/{number}" for number in range(3))]
    for unit in ("lines", "bytes"):
        for row in accounts:
            parts = row[f"{unit}_in_records"] + row[f"{unit}_unparsed"] + row[f"{unit}_dropped"]
            assert row[f"{unit}_read"] == parts
    assert sum(row["lines_read"] for row in accounts) == len(lines)
    assert sum(row["bytes_read"] for row in accounts) == sum(len(line) for line in lines)
    (piece,) = [row for row in table(lake, "bronze.unparsed") if row["text"] == "not a metric"]
    assert (piece["line"], piece["reason"]) == (3, "unknown_format")
