"""Consumers that found no coordinator until they were closed, in one-line histories."""

import pytest

from tests.story import CONSUMER, line, told

INTERNALS = "org.apache.kafka.clients.consumer.internals"
DUMP = "ConsumerConfig values: \n\tclient.id = consumer-1\n\tgroup.id = orders\n"
# word -> logger and message
WORDS = {
    "dump": ("org.apache.kafka.clients.consumer.ConsumerConfig", DUMP),
    "subscribed": (f"{INTERNALS}.ClassicKafkaConsumer", f"{CONSUMER}Subscribed to topic(s): orders"),
    "unsubscribed": (
        f"{INTERNALS}.ClassicKafkaConsumer",
        f"{CONSUMER}Unsubscribed all topics or patterns and assigned partitions",
    ),
    "found": (
        f"{INTERNALS}.ConsumerCoordinator",
        f"{CONSUMER}Discovered group coordinator b1:9092 (id: 2147483646 rack: null)",
    ),
    "left": (
        f"{INTERNALS}.ConsumerCoordinator",
        f"{CONSUMER}Resetting generation and member id due to: consumer pro-actively leaving the group",
    ),
    "reset": (
        f"{INTERNALS}.ConsumerCoordinator",
        f"{CONSUMER}Resetting generation and member id due to: encountered UNKNOWN_MEMBER_ID from JOIN_GROUP response",
    ),
}


@pytest.mark.parametrize(
    ("history", "is_told"),
    [
        pytest.param("dump@0 subscribed@0 left@25", True, id="no coordinator until it was closed"),
        pytest.param("dump@0 subscribed@0 left@10", True, id="just long enough"),
        pytest.param("dump@0 subscribed@0 left@9", False, id="closed so soon that it may not have polled"),
        pytest.param("dump@0 subscribed@0 found@24 left@25", False, id="found at last"),
        pytest.param(
            "dump@0 subscribed@0 found@1 subscribed@2 left@25", False, id="subscribed again, as a member"
        ),
        pytest.param("subscribed@0 left@25", False, id="a log without its beginning"),
        pytest.param("dump@0 left@25", False, id="never subscribed"),
        pytest.param("dump@0 subscribed@0 unsubscribed@5 left@25", False, id="it wanted nothing any more"),
        pytest.param("dump@0 subscribed@0 reset@25", False, id="no leave"),
        pytest.param("dump@0 subscribed@0", False, id="the end of a file proves nothing"),
    ],
)
def test_who_never_found_a_coordinator(history, is_told):
    lines = []
    for step in history.split():
        word, _, second = step.partition("@")
        lines.append(line(int(second) * 1_000, "INFO", *WORDS[word]))
    assert ("never_joined" in {one.kind for one in told(*lines)}) is is_told
