# ruff: noqa: E501  # a line of a log is a line
"""Errors of no known kind are told by the part of Kafka, or of what stands around it, that says them."""

import pytest

from tests.story import left_of, line, told
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.wording.catalogue import OTHER, SAID_TO_FAIL, Said, class_of

UNKNOWN = "Something that no version is known to say about orders-3"


@pytest.mark.parametrize(
    ("logger", "kind", "actor"),
    [
        ("kafka.log.LogCleaner", "broker_files_erred", "broker"),
        ("org.apache.kafka.storage.internals.log.LogSegment", "broker_files_erred", "broker"),
        ("kafka.controller.KafkaController", "controller_erred", "broker"),
        ("state.change.logger", "controller_erred", "broker"),
        ("kafka.coordinator.group.GroupMetadataManager", "broker_coordinator_erred", "broker"),
        ("kafka.server.KafkaApis", "broker_erred_itself", "broker"),
        ("org.apache.kafka.raft.KafkaRaftClient", "quorum_erred", "broker"),
        (
            "org.apache.kafka.common.network.Selector",
            "network_layer_erred",
            "unknown",
        ),  # clients have it, too
        ("kafka.zk.KafkaZkClient", "broker_zookeeper_erred", "broker"),
        ("kafka.tools.MirrorMaker$", "tool_failed", "settings"),
        ("org.apache.kafka.connect.storage.KafkaConfigBackingStore", "connect_topics_unreadable", "settings"),
        ("org.apache.kafka.connect.runtime.Worker", "connect_erred", "unknown"),
    ],
)
def test_an_error_of_no_known_kind_is_of_the_part_that_says_it(logger, kind, actor):
    (incident,) = told(line(0, "ERROR", logger, UNKNOWN))
    assert (incident.kind, incident.actor) == (kind, actor)
    assert "orders-3" in incident.title


def test_a_warning_is_no_trouble_by_its_part_alone():
    (incident,) = told(line(0, "WARN", "kafka.log.LogCleaner", UNKNOWN))
    assert incident.kind == OTHER


def test_what_is_known_of_an_error_goes_before_its_part():
    (incident,) = told(
        line(0, "ERROR", "kafka.log.LogManager", "Failed to write to orders-3: No space left on device")
    )
    assert incident.kind == "disk_full"


def test_errors_of_two_parts_are_two():
    parts = ("kafka.log.LogCleaner", "kafka.controller.KafkaController")
    assert len(told(*(line(0, "ERROR", logger, UNKNOWN) for logger in parts))) == 2


@pytest.mark.parametrize(
    ("logger", "kind"),
    [
        ("o.s.k.l.KafkaMessageListenerContainer", "spring_container_erred"),
        ("io.sma.rea.mes.kafka", "framework_erred"),
        ("o.a.k.c.Something", SAID_TO_FAIL),  # clients, connect or common
        ("a.b.c.Something", SAID_TO_FAIL),
    ],
)
def test_shortened_packages_are_a_part_where_they_can_be_no_other(logger, kind):
    assert class_of(Said("it failed", (), "", "", is_error=True, logger=logger)).kind == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param("2026-01-05 10:00:00,000 ERROR [Thread-4] io.confluent.ksql.query.QueryExecutor: Something went amiss", "ksqldb_erred", id="ksqlDB"),
        pytest.param("10:00:00 ERROR [io.smallrye.reactive.messaging.kafka] (vert.x-eventloop-thread-0) SRMSG18241: a handler", "framework_erred", id="SmallRye"),
        pytest.param("10:00:00.000 [pool-1] ERROR io.debezium.pipeline.ErrorHandler - Producer failure", "source_stopped", id="Debezium"),
        pytest.param("2026-01-05 10:00:00 ERROR Util:167 - Reconciliation #7(watch) Kafka(shop/main): Exceeded timeout of 60000ms while waiting for Pods resource main-1 in namespace shop to be ready", "operator_failed", id="Strimzi"),
    ],
)  # fmt: skip
def test_products_around_kafka_are_parts_too(text, kind):
    worded, _ = told_by_words(_left(text), [])
    assert [one.incident.kind for one in worded] == [kind]


def test_what_others_say_too_is_of_kafka_where_its_log_names_kafka():
    lost = "26/01/05 10:00:00 ERROR TaskSchedulerImpl: Lost executor 0 on a: Executor heartbeat timed out after 161334 ms"
    consumer = "26/01/05 10:00:00 INFO AppInfoParser: Kafka version: 3.9.0"
    alone, left = told_by_words(_left(lost), [])
    beside, _ = told_by_words(_left(f"{consumer}\n{lost}"), [])
    assert (alone, left, len(beside)) == ([], [], 1)


def _left(text):
    return left_of(f"{text}\n")
