# ruff: noqa: E501  # a line of a log is a line
"""Causes in the words of clients that are not Java's, as they and what is built on them print them."""

import pytest

from tests.story import told
from tests.transforms.parse.lines import event
from transforms.diagnose.by_words import told_by_words
from transforms.diagnose.ending import ReadRecord, SourceRead, unexplained
from transforms.diagnose.raw_lines import scan

RDKAFKA = "%3|1700000000.125|{}|rdkafka#producer-1| [thrd:kafka1:9093/bootstrap]: kafka1:9093/bootstrap: {}"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            "Jan  5 10:00:00 host7 rsyslogd: omkafka: kafka error message: -193,'Local: Host resolution failure','kafka1:9092/bootstrap: Failed to resolve 'kafka1:9092': Name or service not known (after 9ms in state CONNECT)'",
            "dns_failed", ["kafka1:9092"], id="an error callback's words, behind librdkafka's name of the error",
        ),
        pytest.param(
            RDKAFKA.format("FAIL", "SASL authentication error: SaslAuthenticateRequest failed: Local: Broker transport failure (after 0ms in state DOWN)"),
            "auth_broken_off", ["kafka1:9093"], id="a connection that broke refused no identity",
        ),
        pytest.param(
            '{"level":"fatal","ts":1700000000.5,"caller":"ingester/main.go:7","msg":"Unable to create consumer","error":"kafka server: Offset\'s topic has not yet been created."}',
            "coordinator_missing", ["__consumer_offsets"], id="sarama's words are the protocol's error",
        ),
        pytest.param(
            "2026-01-05T10:00:00.443Z\tDEBUG\t[kafka]\tkafka/client.go:291\tKafka publish failed with: kafka server: The requested operation is not supported by the message format version.",
            "unsupported", ["UNSUPPORTED_FOR_MESSAGE_FORMAT"], id="what Beats say at DEBUG alone",
        ),
        pytest.param(
            "2026-01-05 10:00:00 +0000 [warn]: #0 Send exception occurred: Failed to send messages to pay/0",
            "produce_kept", ["pay/0", "stays in its buffer"], id="what ruby-kafka gave up for now is not lost",
        ),
        pytest.param(
            "E, [2026-01-05T10:00:00.852361 #4711] ERROR -- : [[orders] {}:] Exception raised when processing pay/3 at offset 41 -- ActiveRecord::StatementInvalid: boom",
            "handler_threw", ["pay", "boom"], id="the application's block of ruby-kafka",
        ),
        pytest.param(
            "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nre-joining group, reason::unknown_member_id",
            "member_unknown", ["brod", "group orders"], id="a member of brod's that its coordinator dropped",
        ),
        pytest.param(
            "10:00:02.387 [error] Consumer pay-0 terminate reason: {:shutdown, :client_down}",
            "consumer_ended", ["brod", "pay"], id="a consumer of brod's that ended",
        ),
        pytest.param(
            "2026-01-05 10:00:00,005 ERROR Failed fetch offsets from 0: [Error 6] NotLeaderForPartitionError: TopicPartition(topic='pay', partition=0)",
            "leader_moved", ["NotLeaderForPartitionError"], id="an error of Python's by its class",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,945: ERROR] User provided subscription listener <pay.Listener object at 0x7f> for group orders failed on_partitions_revoked",
            "rebalance_listener_failed", ["group orders", "on_partitions_revoked"], id="a listener of Python's that threw",
        ),
        pytest.param(
            "10:00:00.664 [error] <0.571.0> gen_server <0.571.0> terminated with reason: no match of right hand value {error,consumer_down} in brod_group_subscriber:handle_ack/2 line 398",
            "consumer_ended", ["brod", "consumer_down"], id="a subscriber of brod's that crashed",
        ),
        pytest.param(
            "[engine] caught signal (SIGSEGV)\n#3  0x55e06e397482      in  rd_kafka_q_serve() at lib/librdkafka/src/rdkafka_queue.c:485",
            "process_crashed", ["rd_kafka_q_serve"], id="a crash in librdkafka",
        ),
    ],
)  # fmt: skip
def test_the_cause_is_the_one_that_its_client_names(text, kind, words):
    (incident,) = (one for one in told(text) if one.verdict != "benign")
    assert incident.kind == kind
    for word in words:
        assert word in f"{incident.title} {incident.cause} {incident.advice}"


def test_a_library_that_is_missing_is_no_all_clear():
    said = "/opt/app: error while loading shared libraries: librdkafka.so.1: cannot open shared object file: No such file or directory"
    read = scan("app.log", [f"{said}\n".encode()])
    record = ReadRecord("app.log", 1, 1, None, None, "", said)
    told_of = event(said, None, level=None)
    left = unexplained([SourceRead("app.log", read, "", 1)], {told_of.record_id: record}, [told_of], set())
    assert [line.text for line in left] == [said]
    (worded,), _ = told_by_words(left, [])
    assert worded.incident.kind == "library_missing"


@pytest.mark.parametrize("facility", ["LEADERUA", "BROKERUA"])
def test_a_batch_refused_at_debug_is_trouble_under_either_name(facility):
    word = "leader" if facility == "LEADERUA" else "broker"
    said = f"orders [7]: {word} unavailable: produce: Broker: Unknown topic or partition"
    (incident,) = told(f"%7|1767607200.489|{facility}|rdkafka#producer-4| [thrd:kafka1:9092/1]: {said}")
    assert incident.kind == "topic_missing"
    assert "orders-7" in incident.title


def test_a_connection_that_its_application_closed_is_no_trouble():
    said = "kafka1:9092/bootstrap: failed: err: {}: (errno: Operation now in progress)"
    line = "%7|1767607200.489|BROKERFAIL|rdkafka#producer-4| [thrd:kafka1:9092/bootstrap]: "
    assert not told(line + said.format("Local: Broker handle destroyed"))
    (incident,) = told(line + said.format("Local: Broker transport failure"))
    assert incident.kind == "broker_transport_failed"


def test_a_line_of_a_source_is_no_address():
    said = "producer/broker/3 state change to [closing] because read tcp 10.0.0.4:33502->10.0.0.5:9092: i/o timeout"
    (incident,) = told(
        f'[2026/01/05 10:00:00.651 +00:00] [INFO] [async_producer.go:1192] ["{said}"] [component=sarama]'
    )
    assert "10.0.0.5:9092" in incident.title
    assert "async_producer" not in incident.title
