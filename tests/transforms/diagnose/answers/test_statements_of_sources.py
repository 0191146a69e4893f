# ruff: noqa: E501  # a line of a log is a line
"""Statements as libraries print them, gone over by their sources: what is concluded of them, and how a log of them ends."""

import pytest

from tests.answered import answered
from tests.story import told
from transforms.diagnose.troubles.one_fault import plainly
from transforms.diagnose.wording.loudness import fails_in_words, says_quiet

ASKED = "[sarama] 2026/01/05 10:00:00 client/metadata fetching metadata for all topics from broker b1.example.org:9092"
REGISTERED = "[sarama] 2026/01/05 10:00:01 client/brokers registered new broker #7 at b7.example.org:9092"


def test_a_connection_that_ends_once_brokers_were_known_is_no_matter_of_its_port():
    ended = "[sarama] 2026/01/05 10:00:09 Client background metadata update: kafka: client has run out of available brokers to talk to: EOF"
    (first,) = told(f"{ASKED}\n{ended}")
    (later,) = told(f"{ASKED}\n{REGISTERED}\n{ended}")
    assert first.kind == "protocol_doubted"
    assert later.kind != "protocol_doubted"
    assert "b1.example.org" not in f"{later.title} {later.cause}"


def test_an_address_that_was_asked_and_answered_is_not_the_one_that_failed():
    refused = "[sarama] 2026/01/05 10:00:09 Failed refreshing metadata because of kafka: client has run out of available brokers to talk to: dial tcp 10.0.0.7:9092: connect: connection refused"
    (incident,) = told(f"{ASKED}\n{REGISTERED}\n{refused}")
    assert incident.title == "A sarama client could not connect to 10.0.0.7:9092"


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("[2026-01-05 10:00:00,427] [22] [ERROR] [^-App]: Crashed reason=PartitionsMismatch('pay')", "A part of a Faust worker ended by an error: App: PartitionsMismatch('pay')"),
        ("2026-01-05 10:00:00,123 WARNING [^---Recovery]: No event received for active tp TP(topic='pay-log', partition=7) since recovery start (started 6.1 minutes ago)", "Faust's recovery of pay-log-7 got nothing for 6.1 minutes"),
        ("E, [2026-01-05T10:00:00.123456 #7] ERROR -- : Rebalance callback error occurred: boom", "The framework around a librdkafka client said that a part of its own failed: Rebalance callback: boom"),
        ("E, [2026-01-05T10:00:00.123456 #7] ERROR -- : Consumer on shutdown failed due to an error: boom", "The application's own consumer of a librdkafka client failed on a message: boom"),
        ("2026-01-05T10:00:00.123+00:00 error: Produce error pay-7 Offset: -1 Error: message_too_large", "A record of a brod client for pay-7 was not delivered"),
        ("timestamp=2026-01-05T10:00:00.123Z level=WARN thread=#zio-fiber-7 message=\"Exceeded deadline waiting for streams (of revoked partitions) to commit the offsets of the records they consumed; the rebalance will continue. This might cause another consumer to process some records again. Revoked partitions: pay-3: stream ended, last pulled offset=41, last committed offset=none, not committed\"", "A client (thread #zio-fiber-7) gave a partition away before what it had processed of it was committed: pay-3"),
        ("2026-01-05 10:00:00,860 main ERROR Unable to write to Kafka in appender [pay] java.util.concurrent.TimeoutException: Timeout after waiting for 30000 ms.\n\tat org.apache.kafka.clients.producer.internals.FutureRecordMetadata.get(FutureRecordMetadata.java:76)", "A client sent a record, and whoever waited for the answer gave up after 30 s"),
        ('time="2026-01-05T10:00:00Z" level=error msg="kafka consumer stopped" error="kafka server: The requested offset is outside the range of offsets maintained by the server for the given topic/partition"', "A sarama client asked for an offset that is not there"),
        ('2026-01-05 10:00:00,123 ERROR pay.worker Consumer error: KafkaError{code=INVALID_REQUEST,val=42,str="Broker: Invalid request"}', "The broker refused a request of a librdkafka client"),
        ('2026-01-05 10:00:00,123 ERROR pay.worker Kafka error: KafkaError{code=PRINCIPAL_DESERIALIZATION_FAILURE,val=97,str="Broker: Request principal deserialization failed during forwarding"}', "A librdkafka client got an error from its library"),
    ],
)  # fmt: skip
def test_whose_failure_it_is(said, title):
    (incident,) = told(said)
    assert incident.title.startswith(title)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("2026-01-05T10:00:00Z W! [outputs.kafka] Metric buffer overflow; 70 metrics have been dropped", "said_to_fail"),
        ("2026-01-05T10:00:00Z I! [inputs.kafka_consumer] updating topics: replacing [\"a\"] with [\"a\",\"b\"]", "nothing_wrong"),
        ("[2026-01-05T10:00:00.123456+00:00] kafka.INFO: Consumer of Kafka started [] []", "nothing_wrong"),
        ('10:00:00.123 [warning] Unable to sync consumer group "pay": :rebalance_in_progress. Rejoining in 1s (attempt 1/6).', "nothing_wrong"),
        ("% Reached end of topic pay [0] at offset 41\n% Reached end of topic pay [1] at offset 43", "nothing_wrong"),
        ("% Reached end of topic pay [0] at offset 41\n% ERROR: No such topic in cluster: pay", "topic_missing"),
        ("[sarama] 2026/01/05 10:00:00 producer/txnmgr [pay-7] transaction aborted", "nothing_wrong"),
        ("[2026-01-05 10:00:00,123] [22] [INFO] [^-Store: rocksdb:pay]: DB for partition 7 is locked! Retry in 1s...", "nothing_wrong"),
        ('time="2026-01-05T10:00:00Z" level=info msg="Successfully processed Kafka message after it previously failed: pay/7/41"', "nothing_wrong"),
        ('{"level":"warn","ts":1767607200.1,"msg":"Kafka consumer group\'s error channel was closed unexpectedly"}', "said_to_fail"),
        ("[2026-01-05 10:00:00,123] [WARNING] [quixstreams] : Kafka consumer: broker b7:9092 (node 7) went down; 2 other broker(s) still available", "said_to_fail"),
        ("2026-01-05T10:00:00.123Z  WARN quickwit::source::kafka_source: failed to set offset for partition `7`", "said_to_fail"),
        ("[2026/01/05 10:00:00] [ warn] ',' not allowed in dynamic_kafka topic names", "said_to_fail"),
    ],
)  # fmt: skip
def test_how_a_log_of_one_statement_ends(said, kind, tmp_path):
    assert answered(said, tmp_path)[0] == kind


def test_a_library_that_is_made_for_kafka_alone_speaks_of_it(tmp_path):
    assigned = "2026-01-05 10:00:00,123 INFO arroyo.processing.processor New partitions assigned: {Partition(topic=Topic(name='pay'), index=7): 41}"
    crashed = "2026-01-05 10:00:09,123 ERROR arroyo.processing.processor _run_once crashed"
    assert answered(f"{assigned}\n{crashed}", tmp_path)[0] in ("said_to_fail", "said_at_error")


@pytest.mark.parametrize("named", ["[quixstreams] :", "[input:kafka:kafka.0]", "rdkafka::client"])
def test_a_logger_or_a_part_is_no_thread_of_another_language(named):
    (incident,) = told(f"[2026-01-05 10:00:00,123] [ERROR] {named} Broker: Unknown topic or partition")
    assert "thread" not in incident.title


def test_a_right_that_lacks_ends_where_the_fields_of_its_line_begin():
    (incident,) = told(
        '2026-01-05T10:00:00Z\tERROR\tkafka_scaler\tdescribe: kafka server: The client is not authorized to access this topic\t{"type": "ScaledObject"}'
    )
    assert incident.title == "A sarama client has no right to this topic"


def test_a_producer_of_a_client_with_a_vowel_has_its_article():
    assert plainly("Producer an aiokafka client was fenced") == "An aiokafka producer was fenced"
    assert plainly("Consumer a librdkafka client stopped") == "A librdkafka consumer stopped"


def test_what_was_dropped_failed_and_what_failed_before_did_not_now():
    assert fails_in_words("12 metrics have been dropped")
    assert fails_in_words("main thread stuck for more than 10 seconds")
    assert not fails_in_words("processed after it previously failed")
    assert says_quiet("2026-01-05T10:00:00Z D! [outputs.kafka] Wrote batch of 7 metrics")
    assert not says_quiet("2026-01-05T10:00:00Z E! [outputs.kafka] no")
