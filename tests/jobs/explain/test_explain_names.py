# ruff: noqa: E501  # a line of a log is a line
"""A log is answered alike whatever it is called: ids are made of its name, and what has no time is told as its lines stand."""

import pytest

from tests.answered import answered

MEMBER = "[Consumer clientId=bill-1, groupId=bills] "
CLOSED = (
    f"{MEMBER}Revoke previously assigned partitions bills-0\n"
    f"{MEMBER}Member bill-1-4711 sending LeaveGroup request to coordinator k7:9092 (id: 2147483640 rack: null) due to the consumer is being closed\n"
    f"{MEMBER}Resetting generation due to: consumer pro-actively leaving the group\n"
)
SAID_TWICE = (
    "consumer poll timeout has expired.\n\n[main] WARN org.apache.kafka.clients.consumer.internals.ConsumerCoordinator - "
    f"{MEMBER}consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms.\n"
)
SEVERAL = (
    "org.apache.kafka.common.errors.ProducerFencedException: Producer attempted an operation with an old epoch.\n"
    "ERROR [Producer clientId=pay-1] Connection to node -1 (k7/10.0.0.7:9092) failed authentication due to: bad login\n"
    "WARN [Producer clientId=bill-1] Connection to node 3 (k3/10.0.0.3:9092) could not be established. Node may not be available.\n"
    "org.apache.kafka.common.errors.UnsupportedVersionException: Attempted to write a non-default producerId at version 1\n"
)
AT_ONCE = (
    "[2026-01-05 10:00:14,323] ERROR Failed to create job for /etc/bills-sink.properties (org.apache.kafka.connect.cli.ConnectStandalone:107)\n"
    "[2026-01-05 10:00:14,323] ERROR Stopping after connector error (org.apache.kafka.connect.cli.ConnectStandalone:117)\n"
    "java.util.concurrent.ExecutionException: org.apache.kafka.common.config.ConfigException: Must configure one of topics or topics.regex\n"
    "Caused by: org.apache.kafka.common.config.ConfigException: Must configure one of topics or topics.regex\n"
)


@pytest.mark.parametrize("text", [CLOSED, SAID_TWICE, SEVERAL, AT_ONCE])
def test_a_log_is_answered_alike_whatever_its_name(tmp_path, text):
    told = set()
    for name in (f"called-{number}" for number in range(100, 112)):
        folder = tmp_path / name
        folder.mkdir()
        _, answer = answered(text, folder)
        told.add(answer.replace(name, "..."))
    assert len(told) == 1
