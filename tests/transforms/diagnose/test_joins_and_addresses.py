# ruff: noqa: E501  # a line of a log is a line
"""What brod, Go's clients and what stands on them say of joins, connections and addresses."""

import pytest

from tests.story import told
from transforms.diagnose.by_words import told_by_words
from transforms.diagnose.raw_lines import scan
from transforms.parse.other_words import told_anywhere


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nfailed to join group\nreason: :timeout",
            "join_unanswered", ["group orders", "session_timeout_seconds"], id="a join of brod's that nobody answered is no lost coordinator",
        ),
        pytest.param(
            "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nLeaving group, reason: :hb_timeout",
            "session_timed_out", ["group orders", "session_timeout_seconds"], id="brod leaves as no heartbeat was answered",
        ),
        pytest.param(
            "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nfailed to join group\nreason:{:sock_down,\n {:function_clause,\n  [{:kpro_lib, :encode, [string: nil],",
            "request_not_made", ["function_clause", "[string: nil]", "the brokers have no part"], id="a value that brod can't encode",
        ),
        pytest.param(
            "2026/01/05 10:00:00 Consumer error: kafka: invalid configuration (That topic/partition is already being consumed)",
            "partition_consumed_twice", ["no setting is wrong"], id="what sarama calls a configuration, and is none",
        ),
        pytest.param(
            "%5|1700000000.125|REQTMOUT|pay#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator/1: Timed out HeartbeatRequest in flight (after 60177ms, timeout #0): possibly held back by preceeding blocking JoinGroupRequest with timeout in 240000ms",
            "request_held_back", ["Heartbeat", "JoinGroup", "60177 ms", "240000 ms"], id="a request behind one that blocks",
        ),
        pytest.param(
            "the kafka reader got an unknown error reading partition 4 of orders at offset 77: unexpected EOF",
            "disconnected", ["unexpected EOF"], id="a connection that ended within an answer to kafka-go",
        ),
        pytest.param(
            "the kafka reader got an unknown error reading partition 4 of orders at offset 77: multiple Read calls return no data or error",
            "read_failed", ["orders", "MaxBytes"], id="an error that kafka-go's reader has no name for",
        ),
        pytest.param(
            "2026/01/05 10:00:00 Error writing to output [kafka]: FAILED to send kafka message: write tcp 10.0.0.4:18041->10.0.0.5:9092: wsasend: An established connection was aborted by the software in your host machine.",
            "disconnected", ["10.0.0.5:9092"], id="a connection that broke, in the words of Windows",
        ),
        pytest.param(
            'level=debug msg="connection initialization failed" addr="kafka1:9092" broker=seed_0 err=EOF',
            "protocol_doubted", ["kafka1:9092"], id="franz-go says at DEBUG alone that a port took it and closed",
        ),
        pytest.param(
            "kafka.conn   ERROR    Unable to connect to any of the names for kafka4:9092",
            "connection_not_made", ["kafka4:9092"], id="none of a name's addresses, in kafka-python",
        ),
        pytest.param(
            "2026-01-05 10:00:00,418 - [ERROR] : [kafka] consumer error kafka1:9092/3: Disconnected (after 3072ms in state UP)",
            "disconnected", ["kafka1:9092"], id="librdkafka's words as an application prints them",
        ),
    ],
)  # fmt: skip
def test_the_cause_is_what_the_client_means(text, kind, words):
    (incident,) = (one for one in told(text) if one.verdict != "benign")
    assert incident.kind == kind
    for word in words:
        assert word in f"{incident.title} {incident.cause} {incident.advice}"


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        (
            'time="x" {"level":"warn","msg":"unable to open connection to broker","addr":"[SASL_PLAINTEXT://kafka1:9092]:9092","br',
            "address_malformed", "[SASL_PLAINTEXT://kafka1:9092]:9092",
        ),
        (
            "2026.01.05 10:00:00.386958 [ 56 ] {} <Error> void DB::StorageKafka::threadFunc(): Code: 252, e.displayText() = DB::Exception: Too many parts (300).: while write prefix to view orders, Stack trace:",
            "clickhouse_insert_failed", "view orders",
        ),
    ],
)  # fmt: skip
def test_a_loud_line_of_no_form_is_told_by_its_words(text, kind, word):
    (worded,), _ = told_by_words(scan("app.log", [f"{text}\n".encode()]).speaking, [])
    assert worded.incident.kind == kind
    assert word in worded.incident.title


def test_a_failure_that_names_no_client_is_of_the_one_whose_broker_it_names():
    lines = [
        "I, [2026-01-05T10:00:00.960504 #4711]  INFO -- : Fetching cluster metadata from kafka://b1.example.org:9092",
        "E, [2026-01-05T10:00:00.961334 #4711] ERROR -- : Failed to connect to b1.example.org:9092: Connection refused - connect(2)",
        "E, [2026-01-05T10:00:00.961335 #4711] ERROR -- : Failed to connect to cache1:6379: Connection refused - connect(2)",
    ]
    (line,) = scan("app.log", ["\n".join(lines).encode()]).speaking
    assert (line.line, line.client) == (2, "ruby-kafka")


@pytest.mark.parametrize(
    "said",
    [
        "2026-01-05T10:00:00Z DEBUG kafka_scaler Kafka scaler: Providing metrics based on totalLag 43697, topicPartitions 1, threshold 1000",
        "[2026/01/05 10:00:00] [ info] [output:kafka:kafka.0] brokers='10.0.0.5:9092' topics='orders'",
        '{"level":"debug","msg":"kafka broker disconnected","source":"kafka_client_hooks","host":"kafka1"}',
    ],
)
def test_what_stands_on_a_client_says_nothing_wrong(said):
    assert told_anywhere(said) is not None
    assert not told(said)
