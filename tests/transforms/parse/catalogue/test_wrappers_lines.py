# ruff: noqa: E501  # a line of a log is a line
"""Lines of what stands between librdkafka, sarama or Python's clients and an application: arroyo, Beats, a format of its own."""

import pytest

from tests.transforms.parse.typed import event, events

OF_AIO = "aiokafka.consumer.group_coordinator"
TRACE = 'Traceback (most recent call last):\n  File "/usr/lib/python3.12/site-packages/arroyo/processing/processor.py", line 3, in run\n    x()\nKeyError: 7'


@pytest.mark.parametrize(
    ("written", "kind", "said"),
    [
        ("New partitions assigned: {Partition(topic=Topic(name='pay'), index=3): 17}", "partitions_assigned", {"topic": "pay", "partition": 3}),
        ('New partitions assigned: {Partition { topic: Topic("pay"), index: 3 }: 17}', "partitions_assigned", {"topic": "pay", "partition": 3}),
        ("Partitions revoked: [Partition(topic=Topic(name='pay'), index=3)]", "partitions_revoked", {"topic": "pay", "partition": 3}),
        ("Partitions to revoke: [Partition(topic=Topic(name='pay'), index=3)]", "partitions_revoked", {"topic": "pay", "partition": 3}),
        ("Failed to produce message (partition: Partition(topic=Topic(name='pay'), index=3) offset: 17) to DLQ topic, dropping", "other_kafka", {"message_id": "rdkafka-arroyo-dropped", "topic": "pay"}),
        ("[arroyo.processing.processor] Caught KeyError(3), shutting down...", "other_kafka", {"message_id": "rdkafka-arroyo-ended", "error_class": "KeyError"}),
        (f"Caught KeyError(3), shutting down...\n{TRACE}", "other_kafka", {"message_id": "rdkafka-arroyo-ended", "error_class": "KeyError"}),
        (f"Caught exception, shutting down...\n{TRACE}", "other_kafka", {"message_id": "rdkafka-arroyo-ended"}),
        ("Failed to commit offsets error=Consumer commit error: UnknownMemberId (Broker: Unknown member)", "commit_failed", {"client_library": "librdkafka"}),
        ("kafka: couldn't fetch broker metadata (check that your client and broker are using the same encryption)", "connect_failed", {"client_library": "sarama"}),
        ("producer/broker/3 state change to [closing] because dial tcp 10.0.0.5:9092: i/o timeout", "connect_failed", {"node_id": 3}),
        ("producer/broker/3 state change to [closing] because EOF", "disconnect", {"node_id": 3}),
    ],
)  # fmt: skip
def test_what_libraries_above_a_client_say(written, kind, said):
    told = event(written)
    assert told.kind == kind
    assert {name: getattr(told, name) for name in said} == said


@pytest.mark.parametrize("said", ["Caught exception", "Caught KeyError(7)"])
def test_another_program_that_caught_an_exception_is_no_client(said):
    assert events(f"{said}, shutting down...\nTraceback (most recent call last):\nKeyError: 7") == []


@pytest.mark.parametrize(
    "place",
    [
        "_do_heartbeat:817 - ",
        "_do_heartbeat - ",
        "group_coordinator.py:817 - ",
        "group_coordinator.py:817: ",
        "[group_coordinator.py:817] - ",
        "group_coordinator.py - _do_heartbeat - 817 - ",
        "_do_heartbeat:817 | ",
    ],
)
def test_a_place_in_the_source_behind_a_logger_of_python_is_no_part_of_the_message(place):
    said = "Heartbeat failed for group pay because it is rebalancing"
    assert event(f"{place}{said}", OF_AIO).kind == event(said, OF_AIO).kind == "heartbeat_failed"
