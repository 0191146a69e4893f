# ruff: noqa: E501  # a line of a log is a line
"""What real clients print of connections that were never made, and of what they try again, however their logger writes it."""

import pytest

from lab.layouts.score import events_in
from tests.transforms.parse.typed import event

CONNECTION = "<KafkaConnection node_id=bootstrap-1 broker_version=unknown (disconnected)>"
BROKER = "<BrokerConnection client_id=pay-7, node_id=2 host=b2:9092 <connected> [IPv4 ('10.0.0.2', 9092)]>"
SENDER = "<Sender client_id=pay-7 transactional_id=None>"
PARTITION = "TopicPartition(topic='payouts', partition=4)"


@pytest.mark.parametrize(
    ("said", "logger", "kind"),
    [
        (f"{CONNECTION}: Connection lost: KafkaConnectionError: 111 ECONNREFUSED", "kafka.net.connection", "connect_failed"),
        (f"{CONNECTION}: Connection lost: KafkaConnectionError: socket disconnected", "kafka.net.connection", "disconnect"),
        (f"{CONNECTION}: Connection lost: [Error 58] SaslAuthenticationFailedError: refused", "kafka.net.connection", "connect_failed"),
        ("<KafkaTCPTransport [b2:9092<-40112]>: Abort ([Error 58] SaslAuthenticationFailedError: refused)", "kafka.net.transport", "connect_failed"),
        (f"{BROKER}: Closing connection. KafkaConnectionError: DNS failure", "kafka.conn", "connect_failed"),
        (f"{BROKER}: Closing connection. KafkaConnectionError: socket disconnected", "kafka.conn", "disconnect"),
        (f"{BROKER}: Closing connection. ", "kafka.conn", "other_kafka"),
        (f"{BROKER}: Closing connection. [Error 7] RequestTimedOutError: Request timed out after 5000 ms", "kafka.conn", "request_timeout"),
        ("kafka-go@v0.4.51/logger.go:17\tEOF", None, "disconnect"),
    ],
)  # fmt: skip
def test_a_connection_that_was_never_made_was_not_lost(said, logger, kind):
    assert event(said, logger, level="ERROR").kind == kind


@pytest.mark.parametrize(
    ("said", "error_class", "attempts_left"),
    [
        (f"{SENDER}: Got error produce response on topic-partition {PARTITION}, retrying (3 attempts left). Error: <class 'kafka.errors.NotEnoughReplicasError'>", "NotEnoughReplicasError", 3),
        (f"{SENDER}: Got error produce response on topic-partition {PARTITION}, retrying (inf attempts left): RequestTimedOutError. Error Message: Request timed out after 4999 ms", None, None),
    ],
)  # fmt: skip
def test_what_is_tried_again_has_not_failed(said, error_class, attempts_left):
    told = event(said, "kafka.producer.sender", level="WARN")
    assert (told.kind, told.topic, told.partition) == ("produce_retry", "payouts", 4)
    assert (told.error_class, told.attempts_left) == (error_class, attempts_left)


def test_an_offset_that_is_not_there_is_told_of_franz_go_at_info():
    line = "2026/03/11 10:00:05 [INFO] received OFFSET_OUT_OF_RANGE on the first fetch, resetting to the configured ConsumeResetOffset; broker: 3, topic: payouts, partition: 4, prior_offset: 12\n"
    (told,) = events_in(line)
    assert (told.message_id, told.error_class, told.topic, told.partition) == (
        "franz-go-in-trouble",
        "OFFSET_OUT_OF_RANGE",
        "payouts",
        4,
    )


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ('{"level":50,"time":1767607200125,"name":"pay","broker":"b1:9092","clientId":"pay-7","namespace":"Connection","msg":"Connection timeout"}', "connect_failed"),
        ('{"level":50,"time":1767607200125,"name":"pay","retryCount":0,"retryTime":304,"namespace":"BrokerPool","msg":"Failed to connect to seed broker, trying another broker from the list: Connection timeout"}', "connect_failed"),
        ('{"level":30,"time":1767607200125,"name":"pay","namespace":"Consumer","groupId":"pay","msg":"Starting"}', "lifecycle"),
        ('{"level":30,"time":1767607200125,"name":"pay","groupId":"pay","namespace":"Runner","msg":"consumer not running, exiting"}', "other_kafka"),
    ],
)  # fmt: skip
def test_kafkajs_is_known_by_its_part_where_nothing_names_it(written, kind):
    (told,) = events_in(f"{written}\n")
    assert (told.kind, told.client_library) == (kind, "kafkajs")


def test_a_namespace_of_somebody_elses_makes_no_line_kafkajs():
    assert (
        events_in('{"level":"error","namespace":"default","groupId":"pay","msg":"Connection timeout"}\n')
        == []
    )
    assert events_in('{"level":"error","namespace":"Consumer","msg":"Connection timeout"}\n') == []


def test_the_time_of_a_field_behind_a_message_begins_no_other_line():
    fields = '{"extra":{"timestamp":"2026-03-11T10:00:05.101Z","logger":"kafkajs","broker":"b1:9092","clientId":"pay-7"}}'
    (told,) = events_in(
        f"2026-03-11T10:00:05.101Z [error] Connection error: connect ECONNREFUSED 10.0.0.1:9092 {fields}\n"
    )
    assert (told.kind, told.client_id) == ("connect_failed", "pay-7")
    assert told.details["error_message"] == "connect ECONNREFUSED 10.0.0.1:9092"


@pytest.mark.parametrize(
    ("error", "kind", "partition"),
    [
        ("Broker: Topic authorization failed", "produce_failed", None),
        ("Local: Message timed out", "batch_expired", 4),
    ],
)
def test_a_report_of_gos_names_its_partition_before_the_error(error, kind, partition):
    number = -1 if partition is None else partition
    (told,) = events_in(f"2026/03/11 10:00:05 Delivery failed: payouts[{number}]@unset({error})\n")
    assert (told.kind, told.topic, told.partition) == (kind, "payouts", partition)


def test_an_error_of_the_protocol_may_have_a_number_below_nought():
    (told,) = events_in(
        "2026-03-11 10:00:05,101 ERROR pay: could not publish order 7: [Error -1] UnknownError\n"
    )
    assert (told.kind, told.error_class) == ("produce_failed", "UnknownError")
    (told,) = events_in(
        "2026/03/11 10:00:05 failed to write: Kafka write errors (1/1), errors: [[-1] Unknown: an unexpected server error occurred]\n"
    )
    assert (told.kind, told.error_class) == ("produce_failed", "UNKNOWN_SERVER_ERROR")


@pytest.mark.parametrize("said", ["group manage loop errored", "heartbeat errored"])
def test_whom_a_coordinator_no_longer_knows_had_no_commit_refused(said):
    (told,) = events_in(
        f"2026/03/11 10:00:05 [ERROR] {said}; group: pay, err: ILLEGAL_GENERATION: Specified group generation id is not valid.\n"
    )
    assert told.kind == "heartbeat_failed"


def test_an_address_of_bytes_is_an_address():
    (told,) = events_in(
        "2026-03-11 10:00:05,101 WARNING pykafka.producer: Error encountered when producing to broker b'b1.example.org':9092. Retrying.\n"
    )
    assert (told.kind, told.client_library, told.topic) == ("produce_retry", "pykafka", None)


@pytest.mark.parametrize(
    "before",
    [
        f"Failed to produce messages to topic-partition {PARTITION} with base offset None: ",
        "could not publish order 7: ",
    ],
)
def test_a_batch_that_python_gave_up_expired(before):
    line = f"{before}KafkaTimeoutError: Expiring 2 record(s) for {PARTITION}: 8012 ms has passed since batch creation"
    (told,) = events_in(f"2026-03-11 10:00:05,101 WARNING kafka.producer.producer_batch: {line}\n")
    assert (told.kind, told.topic, told.partition, told.elapsed_ms) == ("batch_expired", "payouts", 4, 8012)


def test_what_rust_could_not_write_failed():
    line = '[2026-03-11T10:00:05Z ERROR rskafka::client::partition] request encountered fatal error e=Server error KafkaStorageError with message "n/a", request: Partition("payouts", 4), response: None, virtual: false request_name="produce"\n'
    (told,) = events_in(line)
    assert (told.kind, told.topic, told.partition) == ("produce_failed", "payouts", 4)


def test_who_gives_up_all_partitions_as_it_closes_is_not_idle():
    (told,) = events_in(
        "2026-03-11 10:00:05,101 INFO kafka.consumer.subscription_state: Updated partition assignment: []\n"
    )
    assert told.kind == "other_kafka"
    assert "it is closed" in told.benign
