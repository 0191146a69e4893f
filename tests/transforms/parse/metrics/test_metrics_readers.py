"""Each format as its documentation and its writers show it: shapes, reasons, times, and names on their way back."""

import gzip
import json
from pathlib import Path

import pytest

from lab.metrics.render import RENDERINGS, Fact
from tests.transforms.parse.metrics.test_metrics_formats import canonical, keyed, read
from transforms.parse.lines.timestamps import Clock
from transforms.parse.metrics.names import from_help, mapped, who
from transforms.parse.metrics.prometheus import has_one_scrape, time_in_name, without_time
from transforms.parse.metrics.samples import instant_ms, window_of, written_value

RECORDINGS = Path(__file__).parents[3] / "recordings"
NOON = 1_795_262_400_000  # 2026-11-21T12:00:00Z
COORDINATOR = "kafka.consumer:type=consumer-coordinator-metrics,client-id=app-1"


def texts(*lines):
    return "\n".join(lines) + "\n"


def found(rows):
    return [(row.sampled_at, row.mbean, row.attribute, row.value) for row in rows]


# What a name without the MBean's type leaves undecided is no matter of a recording's numbers and texts.
@pytest.mark.parametrize("name", RENDERINGS)
def test_a_recorded_client_is_the_same_in_every_format(name):
    path = RECORDINGS / "p62-slow-poll-42" / "consumer-a.metrics.jsonl.gz"
    rows, _, _ = read(b"".join(gzip.decompress(path.read_bytes()).splitlines(keepends=True)[-40:]), "jolokia")
    facts = {}
    for row in rows:
        tags = {key: value for key, value in row.tags.items() if key != "type"}
        is_number = row.text_value is None and row.mbean.startswith("kafka.consumer:")
        if is_number and "app-info" not in row.mbean and "-count," not in row.mbean:
            kind = row.tags["type"]
            fact = Fact(row.sampled_at // 1000, "kafka.consumer", kind, row.attribute, row.value, tags)
            facts[fact.row[:3]] = fact
    assert len(facts) > 100
    written, _, _ = read(RENDERINGS[name][0](facts.values()))
    got = keyed(canonical(row) for row in written if row.mbean != "unmapped:type=up")
    assert got == keyed(fact.row for fact in facts.values())


@pytest.mark.parametrize(
    ("name", "labels", "mbean", "attribute"),
    [
        # jmx_exporter's default
        (
            "kafka_consumer_consumer_coordinator_metrics_heartbeat_rate",
            {"client_id": "app-1"},
            COORDINATOR,
            "heartbeat-rate",
        ),
        (
            "kafka_consumer_consumer_coordinator_metrics_of_next_year",
            {"client_id": "app-1"},
            COORDINATOR,
            "of-next-year",
        ),
        (
            "kafka_streams_stream_state_metrics_put_rate",
            {"thread_id": "t", "task_id": "0_1", "rocksdb_state_id": "s"},
            "kafka.streams:type=stream-state-metrics,rocksdb-state-id=s,task-id=0_1,thread-id=t",
            "put-rate",
        ),
        (
            "kafka_consumer_app_info_starttimems",
            {"id": "c"},
            "kafka.consumer:type=app-info,id=c",
            "StartTimeMs",
        ),
        # rules for Connect and MirrorMaker, Micrometer
        ("kafka_consumer_coordinator_heartbeat_rate", {"clientId": "app-1"}, COORDINATOR, "heartbeat-rate"),
        (
            "kafka_producer_node_request_total",
            {"clientId": "p", "nodeId": "node-1"},
            "kafka.producer:type=producer-node-metrics,client-id=p,node-id=node-1",
            "request-total",
        ),
        (
            "kafka_stream_thread_poll_total",
            {"thread_id": "a-StreamThread-1"},
            "kafka.streams:type=stream-thread-metrics,thread-id=a-StreamThread-1",
            "poll-total",
        ),
        # a library that calls counters _total
        (
            "kafka_consumer_connection_count_total",
            {"client_id": "c"},
            "kafka.consumer:type=consumer-metrics,client-id=c",
            "connection-count",
        ),
        # OpenTelemetry's Kafka instrumentation: the group is left out
        ("kafka.consumer.heartbeat_rate", {"client-id": "app-1"}, COORDINATOR, "heartbeat-rate"),
        (
            "kafka.consumer.request_rate",
            {"client-id": "c", "node-id": "node-1"},
            "kafka.consumer:type=consumer-node-metrics,client-id=c,node-id=node-1",
            "request-rate",
        ),
        (
            "kafka.producer.record_error_total",
            {"client-id": "p", "topic": "t"},
            "kafka.producer:type=producer-topic-metrics,client-id=p,topic=t",
            "record-error-total",
        ),
        # KIP-714
        (
            "org.apache.kafka.consumer.coordinator.heartbeat.rate",
            {"client_id": "app-1"},
            COORDINATOR,
            "heartbeat-rate",
        ),
        # none of Kafka's, or not certainly so: kept under its own name
        ("jvm_threads_current", {}, "unmapped:type=jvm_threads_current", "value"),
        (
            "kafka_consumer_start_time_seconds",
            {"clientId": "c"},
            "unmapped:type=kafka_consumer_start_time_seconds,clientId=c",
            "value",
        ),
        ("job:lag:max5m", {"job": "j", "x": "y"}, 'unmapped:type="job:lag:max5m",x=y', "value"),
        (
            "kafka_consumer_request_latency_avg",
            {"client_id": "c"},
            "unmapped:type=kafka_consumer_request_latency_avg,client_id=c",
            "value",
        ),
    ],
)
def test_names_find_their_way_back(name, labels, mbean, attribute):
    got, got_attribute, rest = mapped(name, labels)
    assert (got.name, got_attribute) == (mbean, attribute)
    assert rest == {label: value for label, value in labels.items() if label == "job"}


@pytest.mark.parametrize(
    "text",
    [
        "Beats a second (kafka.consumer<type=consumer-coordinator-metrics, client-id=app-1><>heartbeat-rate)",
        "Beats a second kafka.consumer:name=null,type=consumer-coordinator-metrics,attribute=heartbeat-rate",
        "kafka.consumer:name=null,type=consumer-coordinator-metrics,attribute=heartbeat-rate",
    ],
)
def test_help_says_what_a_rule_renamed(text):
    assert from_help(text) == ("kafka.consumer", "consumer-coordinator-metrics", "heartbeat-rate")
    rows, _, _ = read(texts(f"# HELP beats {text}", 'beats{client_id="app-1",pod="x"} 3.0'), scrape_at=NOON)
    assert found(rows) == [(NOON, COORDINATOR, "heartbeat-rate", 3.0)]
    assert rows[0].labels == {"pod": "x"}


def test_help_about_other_mbeans_says_nothing():
    assert from_help("java.lang:name=null,type=Memory,attribute=HeapMemoryUsage") is None


@pytest.mark.parametrize("client", ["a:b", 'say "hi"', "x*?", "back\\slash", "plain-1"])
@pytest.mark.parametrize("render", ["jmx_exporter, default", "jmx_exporter, rules"])
def test_quoted_client_ids_are_one_client(client, render):
    fact = Fact(
        NOON // 1000,
        "kafka.consumer",
        "consumer-coordinator-metrics",
        "heartbeat-rate",
        0.3,
        {"client-id": client},
    )
    rows, _, _ = read(RENDERINGS[render][0]([fact]))
    assert (rows[-1].client_id, rows[-1].mbean) == (client, fact.row[1])


BEAT = 'kafka_consumer_consumer_coordinator_metrics_heartbeat_rate{client_id="app-1",} '


@pytest.mark.parametrize(
    ("lines", "times"),
    [
        pytest.param([BEAT + "1.0"], [NOON], id="by the file's name or time"),
        pytest.param(["# scraped_at 2026-11-21T12:00:15Z", BEAT + "1.0"], [NOON + 15_000], id="by a comment"),
        pytest.param(["# 1795262415", BEAT + "1.0"], [NOON + 15_000], id="by an epoch"),
        pytest.param(["2026-11-21T12:00:15+00:00", BEAT + "1.0"], [NOON + 15_000], id="by a line of date"),
        pytest.param(["=== 2026-11-21 12:00:15Z ===", BEAT + "1.0"], [NOON + 15_000], id="by a ruler"),
        pytest.param(
            ["HTTP/1.1 200 OK", "Date: Sat, 21 Nov 2026 12:00:15 GMT", "Content-Length: 9", "", BEAT + "1.0"],
            [NOON + 15_000],
            id="by curl -i",
        ),
        pytest.param([BEAT + "1.0 1795262415000"], [NOON + 15_000], id="its own, ms"),
        pytest.param([BEAT + "1.0 1795262415.0"], [NOON + 15_000], id="its own, s"),
        pytest.param([BEAT + "1.0", BEAT + "2.0"], [NOON], id="nobody says when the second was"),
        pytest.param(
            [BEAT + "1.0", "# time 2026-11-21T12:00:15Z", BEAT + "2.0", "# EOF", BEAT + "3.0"],
            [NOON, NOON + 15_000],
            id="a comment is for one scrape",
        ),
    ],
)
def test_when_a_scrape_was(lines, times):
    rows, books, _ = read(texts(*lines), "prometheus_text", scrape_at=NOON)
    assert [row.sampled_at for row in rows] == times
    assert books.skipped.total() == sum(line.startswith(BEAT) for line in lines) - len(times)


def test_a_scrape_without_any_time_is_counted():
    rows, books, _ = read(texts(BEAT + "1.0"), "prometheus_text")
    assert rows == []
    assert books.skipped == {"no_timestamp": 1}


def test_a_metric_that_is_a_time_is_no_header():
    rows, _, _ = read(texts("process_start_time_seconds 1795262415"), scrape_at=NOON)
    assert [(row.sampled_at, row.value) for row in rows] == [(NOON, 1_795_262_415.0)]


@pytest.mark.parametrize(
    ("line", "value"), [("NaN", None), ("+Inf", None), ("-Inf", None), ("1.5e3", 1500.0), ("-1", -1.0)]
)
def test_prometheus_numbers(line, value):
    rows, _, _ = read(texts(BEAT + line), scrape_at=NOON)
    assert [row.value for row in rows] == [value]


@pytest.mark.parametrize(
    "line", ['a{b="c} 1', "a{b=c} 1", "a b", "a{} one", '{"a","b"} 1', "a 1 2 3", "a", '{b="c"} 1']
)
def test_what_is_no_sample_is_counted(line):
    rows, books, _ = read(texts(line), "prometheus_text", scrape_at=NOON)
    assert rows == []
    assert books.skipped == {"not_prometheus": 1}


@pytest.mark.parametrize(
    ("name", "at", "origin", "bare"),
    [
        ("scrape-20261121T120000Z.prom", NOON, "logged", "scrape.prom"),
        ("metrics_2026-11-21_12-00-00.txt", NOON, "assumed", "metrics.txt"),
        ("app.2026-11-21T12:00:00.prom", NOON, "assumed", "app.prom"),
        ("1795262400.prom", NOON, "logged", "prom"),
        ("m-1795262400000.txt", NOON, "logged", "m.txt"),
        ("metrics.prom", None, None, "metrics.prom"),
        ("app-20261399T250000.prom", None, None, "app.prom"),
    ],
)
def test_the_time_in_a_name(name, at, origin, bare):
    assert time_in_name(name, Clock()) == (None if at is None else (at, origin))
    assert without_time(name) == bare


def test_a_name_without_a_zone_takes_the_declared_one():
    assert time_in_name("m-20261121-130000.prom", Clock("Europe/Berlin")) == (NOON, "declared")


def test_one_scrape_or_several():
    assert has_one_scrape(iter(["# HELP a b", "a 1", "b 2"]))
    assert not has_one_scrape(iter(["a 1", "b 2", "# HELP a b", "a 2"]))


@pytest.mark.parametrize(
    ("document", "reasons"),
    [
        ({"status": "error", "errorType": "bad_data", "error": "x"}, {"query_failed": 1}),
        ({"status": "success", "data": {"resultType": "scalar", "result": [1, "2"]}}, {"not_a_series": 1}),
        ({"status": "success", "data": {"resultType": "matrix", "result": []}}, {}),
        ({"metric": {"job": "j"}, "values": [[1, "2"], [2, "3"]]}, {"no_name": 2}),
        ({"metric": {"__name__": "a"}, "values": [[1_795_262_400, 2]]}, {"bad_value": 1}),
        ({"metric": {"__name__": "a"}, "values": [["x", "2"]]}, {"no_timestamp": 1}),
        ({"metric": {"__name__": "a"}, "histograms": [[1, {}]]}, {"histogram": 1}),
    ],
)
def test_queries_without_samples(document, reasons):
    rows, books, _ = read(json.dumps(document), "prometheus_json")
    assert rows == []
    assert books.skipped == reasons


def test_a_service_instance_id_says_who_beside_what_is_none_of_kafkas():
    mbean, _, rest = mapped("up", {"service_instance_id": "orders-7", "x": "y"})
    assert (mbean.name, who(rest)) == ("unmapped:type=up,x=y", (None, "orders-7"))


def test_an_instant_query_is_read_and_its_labels_say_who():
    series = {"metric": {"__name__": "up", "job": "j", "instance": "h:1"}, "value": [1_795_262_400.25, "1"]}
    document = {"status": "success", "data": {"resultType": "vector", "result": [series]}}
    (row,), books, _ = read(json.dumps(document))
    assert (row.sampled_at, row.value, who(row.labels)) == (NOON + 250, 1.0, ("j", "h:1"))
    assert books.unmapped == 1


WIDE = (
    '"time","kafka.consumer:type=app-info,client-id=c:version",'
    '"kafka.consumer:type=consumer-metrics,client-id=c:request-rate"'
)


@pytest.mark.parametrize(
    ("lines", "values", "reasons"),
    [
        pytest.param([WIDE, f"{NOON},4.2.1,0.5"], [None, 0.5], {}, id="a text and a number"),
        pytest.param([WIDE, f"{NOON},4.2.1,null"], [None, None], {}, id="to 3.4 a null is written"),
        pytest.param(
            [WIDE, f"{NOON},0.5"], [], {"shifted_columns": 1}, id="a null left out: whose value is it?"
        ),
        pytest.param([WIDE, f"{NOON},4,2,0.5"], [], {"shifted_columns": 3}, id="a comma in a text"),
        pytest.param([WIDE, "2026-11-21 12:00:00,4.2.1,0.5"], [None, 0.5], {}, id="--date-format"),
        pytest.param([WIDE, "noon,4.2.1,0.5"], [], {"no_timestamp": 2}, id="a time nobody can read"),
        pytest.param([f"{NOON},4.2.1,0.5"], [], {"no_header": 1}, id="no header was printed"),
        pytest.param(
            ["Trying to connect", WIDE, f"{NOON},4.2.1,0.5"], [None, 0.5], {"not_jmxtool": 1}, id="2>&1"
        ),
        pytest.param(
            ['kafka.consumer:type=x,client-id=c:a,"1"'], [], {"no_timestamp": 1}, id="long, before its time"
        ),
    ],
)
def test_jmxtool(lines, values, reasons):
    rows, books, _ = read(texts(*lines), "jmxtool")
    assert [row.value for row in rows] == values
    assert all(row.sampled_at == NOON for row in rows)
    assert books.skipped == reasons


@pytest.mark.parametrize(
    ("mbean", "attribute", "window"),
    [
        (COORDINATOR, "heartbeat-rate", (30_000, 60_000)),
        (COORDINATOR, "rebalance-rate-per-hour", (30_000, 60_000)),
        ("kafka.consumer:type=consumer-metrics,client-id=c", "time-between-poll-max", (30_000, 60_000)),
        ("kafka.producer:type=producer-metrics,client-id=c", "io-ratio", (30_000, 60_000)),
        (COORDINATOR, "heartbeat-total", None),
        (COORDINATOR, "last-heartbeat-seconds-ago", None),
        ("kafka.streams:type=stream-thread-metrics,thread-id=t", "process-ratio", None),
        ("unmapped:type=x-max", "value", None),
        ("java.lang:type=Memory", "heap-max", None),
    ],
)
def test_windows(mbean, attribute, window):
    assert window_of(mbean, attribute) == window


@pytest.mark.parametrize(
    ("raw", "at"),
    [
        (1_795_262_400, NOON),
        (1_795_262_400.001, NOON + 1),
        ("1795262400.25", NOON + 250),
        (NOON, NOON),
        (NOON * 10**6 + 999_999, NOON),
        (str(NOON * 10**6), NOON),
        (NOON * 1000, NOON),
        (0, None),
        (-5, None),
        (True, None),
        ("x", None),
        (float("nan"), None),
        (10**25, None),
    ],
)
def test_instants_in_any_unit(raw, at):
    assert instant_ms(raw) == at


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1_000", (None, "1_000")),
        ("true", (1.0, None)),
        ("", (None, None)),
        ("Infinity", (None, None)),
        ("RUNNING", (None, "RUNNING")),
    ],
)
def test_written_values(text, value):
    assert written_value(text) == value
