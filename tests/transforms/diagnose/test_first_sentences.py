# ruff: noqa: E501  # a line of a log is a line
"""What the first sentence of an answer names: the address, the loss, the error that count."""

import pytest

from tests.story import told
from transforms.diagnose.causes.benign import why_normal
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.raw_lines import scan

ASKS = "2026-01-05T10:00:00.000Z\tINFO\tkafka/log.go:53\tclient/metadata fetching metadata for [orders] from broker {}"
BREAKS = "2026-01-05T10:00:00.400Z\tINFO\tkafka/log.go:53\tclient/metadata got error from broker -1 while fetching metadata: {}"


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        ([ASKS.format("b1:9092"), BREAKS.format("EOF")], "(b1:9092)"),
        (
            [ASKS.format("b1:9092"), ASKS.format("b1:9092"), BREAKS.format("dial tcp: i/o timeout")],
            "(b1:9092)",
        ),
        pytest.param(
            [ASKS.format("b1:9092"), ASKS.format("b2:9092"), BREAKS.format("EOF")], None, id="either"
        ),
        pytest.param([BREAKS.format("EOF")], None, id="not said"),
    ],
)
def test_sarama_s_failure_is_of_the_address_that_it_asked(lines, address):
    (found,) = told("\n".join(lines))
    assert (address or "a bootstrap address ") in f"{found.title} ".lower()
    assert ("9092" in found.title) == bool(address)


def test_a_request_that_timed_out_is_no_record_that_expired():
    said = "10:00:01,034 ERROR Kafka error: Local_MsgTimedOut{}"
    (request,) = told(
        said.format(": b1.acme.io:9092/1: 1 request(s) timed out: disconnect (average rtt 7.5ms)")
    )
    assert (request.kind, request.impact) == ("request_timed_out", "delayed")
    assert "broker 1 (b1.acme.io:9092)" in request.title.lower()
    (record,) = told(said.format(""))
    assert record.impact == "lost"


def test_what_a_producer_gave_up_goes_before_what_it_tried_again():
    lines = [
        "2026-01-05 10:00:00 +0000 [error]: #0 Timed out while writing to pay/2 on 10.0.0.5:9092 (node_id=11)",
        "2026-01-05 10:00:00 +0000 [error]: #0 Failed to send all messages; keeping remaining messages in buffer",
    ]
    (found,) = told("\n".join(lines))
    assert found.kind == "produce_kept"
    assert "With it came: a batch of it for pay-2 had to be sent again." in found.cause


def test_the_inner_exception_of_net_is_told():
    said = """[10:00:10 INF] Retrying 00:00:06: ReceiveTransport faulted: orders
MassTransit.KafkaConnectionException: ReceiveTransport faulted: orders
 ---> System.InvalidOperationException: Neither lost nor found
   at Confluent.Kafka.Consumer`2.Consume(Int32 millisecondsTimeout)
"""
    ((worded,), _) = told_by_words(scan("app.log", [said.encode()]).speaking, [])
    assert "Neither lost nor found" in worded.incident.title


HEARTBEAT = '{"time":"2026-01-05T10:00:00.5Z","level":"info","message":"heartbeat errored","group":"orders","err":{"Key":"error","Value":{}}}'
JOINS = '{"time":"2026-01-05T10:00:00.6Z","level":"info","message":"joining group","group":"orders"}'
ERRED = '{"time":"2026-01-05T10:00:00.6Z","level":"error","message":"join and sync loop errored","group":"orders","err":{}}'


@pytest.mark.parametrize(
    ("lines", "is_trouble"),
    [([HEARTBEAT], True), ([HEARTBEAT, JOINS], False), ([HEARTBEAT, ERRED, JOINS], True)],
)
def test_a_heartbeat_whose_error_has_no_text_was_a_rebalance_where_the_member_joins_at_once(
    lines, is_trouble
):
    found = told("\n".join(lines))
    assert any(one.verdict != "benign" for one in found) == is_trouble


def test_a_partition_that_is_not_assigned_costs_no_records():
    said = "thread 'main' panicked at 'called `Result::unwrap()`: KafkaError ({}: Local: Unknown partition)', src/main.rs:7:18"
    (seek,) = told(said.format("Seek error"))
    assert (seek.kind, seek.impact) == ("partition_not_assigned", "unknown")
    (send,) = told(said.format("Message production error"))
    assert send.kind == "partition_missing"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (
            "[Consumer] Crash: KafkaJSNonRetriableError: Specified group generation id is not valid",
            "generation_over",
        ),
        ("KafkaJSNonRetriableError: commit: Specified group generation id is not valid", "commit_refused"),
    ],
)
def test_only_what_speaks_of_a_commit_is_one(said, kind):
    (found,) = told(said)
    assert found.kind == kind


def test_each_address_is_told_with_what_it_did():
    said = '{{"level":"ERROR","timestamp":"2026-01-05T10:00:00.0Z","logger":"kafkajs","message":"[Connection] Connection error: {}","broker":"{}","clientId":"c"}}'
    lines = [
        said.format("socket hang up", "b1:9092"),
        said.format("connect ETIMEDOUT 10.0.0.5:9092", "b2:9092"),
    ]
    (found,) = told("\n".join(lines))
    assert found.title == "c could not connect to b2:9092: nothing answered"
    assert 'it could not make its connection to b1:9092: "socket hang up"' in found.cause


def test_a_reason_that_is_told_is_not_said_to_lack():
    (found,) = told(
        "2026-01-05T10:00:00.9Z ERROR sink{component_type=kafka}: vector::stream: Service call failed. error=KafkaError (Message production error: Fatal (Local: Fatal error))"
    )
    assert found.cause.startswith("librdkafka raised a fatal error")


@pytest.mark.parametrize("head", ["", "[2026-01-05 10:00:00,000] INFO "])
def test_in_sync_replicas_that_shrink_are_told_without_a_logger(head):
    (found,) = told(f"{head}Shrinking ISR from 1,2,0 to 0. Leader: (highWatermark: 0, endOffset: 20).")
    assert found.kind == "isr_shrunk"
    assert not told(f"{head}Shrinking ISRAEL from 1 to 0")


def test_what_is_normal_is_not_said_to_be_so_twice():
    (found,) = told(
        "[2026-01-05 10:00:00,000] WARN The AdminClient thread has exited. (org.apache.kafka.clients.admin.KafkaAdminClient)"
    )
    assert why_normal(found).startswith("The AdminClient thread has exited: ")
    found.title += " and so on ..."
    assert "and so on ...: Clients" in why_normal(found)


def test_what_carries_a_timeout_is_not_the_error():
    (found,) = told(
        "org.acme.ServletError: Request failed; nested exception is java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment."
    )
    assert "ServletError." not in found.cause.replace("org.acme.ServletError", "")


def test_a_record_that_can_t_be_read_is_named():
    (found,) = told(
        'Exception in thread "app-StreamThread-7" org.apache.kafka.streams.errors.StreamsException: Failed to deserialize value for record. topic=pay, partition=3, offset=41\n\tat org.acme.App.run(App.java:1)'
    )
    assert "a record of pay-3 at offset 41" in found.title


def test_a_coordinator_that_was_never_found_is_not_lost():
    (found,) = told(
        "2026-01-05T10:00:00Z D! [sarama] client/coordinator coordinator for consumer group orders is not available"
    )
    assert found.title == "A sarama client finds no coordinator for group orders"
