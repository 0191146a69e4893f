"""What `keep: kafka` keeps: the cheap look at bytes never excludes what the careful one keeps."""

import re

import pytest

from transforms.parse.catalogue.anchors import is_kafka, is_kafka_logger, kafka_classes, may_be_kafka
from transforms.parse.catalogue.forms import catalogue, said_on_lines

PREFILTER = "|".join(may_be_kafka())
TEXTS = [
    "[Consumer clientId=c, groupId=g] x",
    "[Consumer instanceId=i, clientId=c, groupId=g] x",
    "[Producer clientId=p] x",
    "[AdminClient clientId=a] x",
    "[ShareConsumer clientId=a, groupId=g] x",
    "[Worker clientId=connect-1, groupId=g] x",
    "[Heartbeat groupID=g] x",
    "stream-thread [a-StreamThread-1] x",
    "stream-client [a] x",
    "global-stream-thread [a] x",
    "state-updater [a] x",
    "standby-task [0_1] x",
    "stream-task [0_1] x",
    "org.apache.kafka.common.errors.TimeoutException: x",
    "Expiring 3 record(s) for t-0:120001 ms has passed since batch creation",
    "Commit cannot be completed since the group has already rebalanced",
    "Offset commit cannot be completed since the consumer is not part of an active group",
    "Task 0_1 did not make progress within 2054 ms. Adjust `task.timeout.ms` if needed.",
    "Global task did not make progress to restore state within 3 ms.",
    "Topic t not present in metadata after 6000 ms.",
    "Failed to update metadata after 6000 ms.",
    "Timeout of 5000ms expired before successfully committing offsets",
    "Timeout expired while fetching topic metadata",
    "Timeout expired after 60000ms while awaiting InitProducerId",
    "Timed out waiting for a node assignment. Call: listTopics",
    "Timed out while waiting to get end offsets for topic 'connect-offsets' on brokers at b:9092",
    "Cancelled createTopics request with correlation id 4 due to node 1 being disconnected",
    "ListOffsetsEvent was 12 ms past its expiration of 1767225600000",
    "OffsetFetch request for partitions [t-0] could not complete before timeout expired.",
    "Failed to get offsets by times in 30001ms",
    "Failed to construct kafka consumer",
    "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms",
]
LOGGERS = [
    "org.apache.kafka.clients.NetworkClient",
    "o.a.k.c.NetworkClient",
    "o.a.kafka.clients.NetworkClient",
    "o.apache.kafka.clients.NetworkClient",
    "org.apa.kaf.clients.NetworkClient",
    ".a.k.s.p.i.a.HighAvailabilityTaskAssignor",
    "a.k.s.p.i.a.HighAvailabilityTaskAssignor",
    "kafka.server.KafkaServer",
    "k.s.KafkaServer",
    "state.change.logger",
    "clients.NetworkClient",
    "internals.ConsumerCoordinator",
    "he.kafka.clients.NetworkClient",
]


def test_lines_of_other_clients_that_need_no_head_are_looked_at():
    unseen = [
        form.family.id
        for form in said_on_lines()
        if not re.search(PREFILTER, form.literal) and not re.search(PREFILTER, form.pattern.replace("\\", ""))
    ]
    assert not unseen, "\n".join(unseen)


@pytest.mark.parametrize("text", TEXTS)
def test_what_only_kafka_says_is_kept_whoever_logs_it(text):
    assert is_kafka("com.example.App", text, text)
    assert re.search(PREFILTER, text)


@pytest.mark.parametrize("logger", LOGGERS)
def test_kafka_s_loggers_are_kept(logger):
    assert is_kafka(logger, "x", "x")
    assert re.search(PREFILTER, logger)


def test_class_names_alone():
    names = sorted(kafka_classes())
    assert len(names) > 200
    wrong = [
        name for name in names if not is_kafka_logger(name) or not re.search(PREFILTER, f"INFO {name} - x")
    ]
    assert not wrong, "\n".join(wrong)


def test_every_message_of_the_catalogue_is_looked_at():
    unseen = [form.text for form in catalogue() if not re.search(PREFILTER, form.literal)]
    assert unseen == []


@pytest.mark.parametrize(
    "layout", ["[{at}] {level} {says} ({logger})", "{at} {level} [main] {logger} - {says}"]
)
def test_an_application_s_lines_are_left_out_by_their_bytes(layout):
    """A word of the catalogue that most lines have would have all of them read with care, at fifty times the price."""
    says = [
        "order 17 accepted in 3 ms",
        "GET /orders/17: 200",
        "Started Application in 2.1 seconds [main] ok",
    ]
    lines = [
        layout.format(
            at="2026-11-21 03:39:50,531", level="INFO", says=one, logger="com.shop.orders.OrderService"
        )
        for one in says
    ]
    assert [line for line in lines if re.search("|".join(may_be_kafka(has_full_loggers=True)), line)] == []


@pytest.mark.parametrize(
    ("logger", "message"),
    [
        ("com.example.kafka.Sender", "sent to kafka"),
        ("org.apache.catalina.core.StandardEngine", "Starting"),
        ("o.s.k.l.KafkaMessageListenerContainer", "partitions assigned: [t-0]"),
        ("com.example.App", "Kafka version: unknown to us"),
        (None, "order accepted"),
    ],
)
def test_what_is_not_kafka_s(logger, message):
    assert not is_kafka(logger, message, message)


@pytest.mark.parametrize(
    "message", ["Kafka version: 4.2.1", "ProducerConfig values: \n\tacks = -1", "\tretry.backoff.ms = 100",
                "App info kafka.consumer for c unregistered", "[GroupCoordinator 0]: Member x has failed"],
)  # fmt: skip
def test_without_a_logger_more_is_kafka_s(message):
    assert is_kafka(None, message, message)
