# ruff: noqa: E501  # a line of a log is a line
"""States that lines say were not reached, and that the same thing reached later."""

import pytest

from tests.story import left_of, told
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.wording.states import not_reached, reached

TABLE = "2026.01.05 10:00:{:02}.252765 [ 256 ] {{}} <{}> StorageKafka ({}): {}"
MISSING = TABLE.format(10, "Warning", "orders", "Can't get assignment. Will keep trying.")
ASSIGNED = "Topics/partitions assigned: [ o[0:#] ]"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Failed to connect to Kafka, retrying in 5 seconds", "connect"),
        ("could not join the group", "join"),
        ("Can't get assignment. Will keep trying.", "assign"),
        ("Connection to broker b1:9092 refused", "connect"),
        ("Failed to send 3 rows", None),
        ("ERROR WorkerSinkTask failed (org.apache.kafka.connect.runtime.WorkerTask:204)", None),
        ("[Worker clientId=connect-1, groupId=g] Failed to finish", None),
        ("Failed to start Kafka Connect", None),
        ("Connected to Kafka", None),
    ],
)
def test_what_was_not_reached(text, state):
    assert not_reached(text) == state


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Connected to Kafka", "connect"),
        ("10:00 INFO Connection to kafka(b1:9092) established", "connect"),
        ("Successfully joined group orders", "join"),
        (ASSIGNED, "assign"),
        ("Topics/partitions assigned: [ ]", None),
        ("Disconnected from Kafka", None),
        ("org.apache.kafka.connected.Thing began", None),
        ("not connected to Kafka", None),
        ("10:00 WARN connected to Kafka, but slowly", None),
        ("connected to Kafka, but could not join", None),
    ],
)
def test_what_was_reached(text, state):
    assert reached(text) == state


@pytest.mark.parametrize(
    ("later", "is_left"),
    [
        pytest.param(TABLE.format(12, "Trace", "orders", ASSIGNED), False, id="by the same table"),
        pytest.param(TABLE.format(12, "Trace", "prices", ASSIGNED), True, id="by another one"),
        pytest.param(TABLE.format(12, "Trace", "orders", "Stalled"), True, id="by nobody"),
        pytest.param(
            TABLE.format(12, "Trace", "orders", ASSIGNED).replace("10:00", "10:05"), True, id="minutes later"
        ),
    ],
)
def test_a_state_that_the_same_thing_reached_at_once_is_no_trouble(later, is_left):
    assert bool(left_of(f"{MISSING}\n{later}\n")) == is_left
    assert left_of(f"{later}\n{MISSING}\n")


def test_a_state_that_is_lost_again_and_again_is_trouble():
    failed, made = "kafka: Failed to connect, retrying\n", "kafka: Connected\n"
    assert not left_of(failed + made)
    assert not left_of((failed + made) * 2)
    assert len(left_of((failed + made) * 3)) == 1


def test_what_another_container_or_broker_reached_heals_nothing():
    assert left_of("a-1  | kafka: Failed to connect\nb-1  | kafka: Connected\n")
    assert left_of("kafka: Failed to connect to b1:9092\nkafka: Connected to b2:9092\n")
    assert not left_of("kafka: Failed to connect to b1:9092\nkafka: Connected to b1:9092\n")


def test_zookeeper_that_was_reached_soon_is_no_trouble():
    began = "[2026-01-05 10:00:00,000] INFO starting (kafka.server.KafkaServer)\n"
    zookeeper = "[2026-01-05 10:00:{:02},000] {} (org.apache.zookeeper.ClientCnxn)\n"
    lost = zookeeper.format(1, "WARN Session 0x0 for sever zk/10.0.0.2:2181, Closing socket connection.")
    lost += "java.net.ConnectException: Connection refused\n"
    made = zookeeper.format(
        3, "INFO Session establishment complete on server zk/10.0.0.2:2181, session id = 0x1"
    )
    assert not left_of(began + lost + made)
    assert left_of(began + made + lost)


def test_zookeeper_that_refused_a_client_at_info_is_trouble_until_it_was_reached():
    began = "[2026-01-05 10:00:00,000] INFO starting (kafka.server.KafkaServer)\n"
    zookeeper = "[2026-01-05 10:00:{:02},000] INFO {} (org.apache.zookeeper.ClientCnxn)\n"
    refused = "Socket error occurred: {}:2181: {}"
    v4 = zookeeper.format(1, refused.format("zk7/10.0.0.7", "Connection refused"))
    v6 = zookeeper.format(2, refused.format("zk7/0:0:0:0:0:0:0:7", "Verbindungsaufbau abgelehnt"))
    made = zookeeper.format(3, "Session establishment complete on server zk7/10.0.0.7:2181, sessionid = 0x17")
    assert not left_of(began + v4 + v6 + made)
    lines = left_of(began + v4 + v6)
    assert len(lines) == 2
    (found,), _ = told_by_words(lines, [])
    assert found.incident.kind == "zookeeper_unreached"
    assert "zk7/10.0.0.7:2181" in found.incident.title
    (found,), _ = told_by_words(lines[1:], [])
    assert "zk7/0:0:0:0:0:0:0:7:2181" in found.incident.title


def test_what_is_not_kafka_s_or_of_another_role_heals_nothing():
    assert left_of("kafka: Failed to connect\nConnected to the database\n")
    assert left_of("Kafka producer failed to connect\nKafka consumer connected\n")
    assert not left_of("Kafka producer failed to connect\nKafka Producer connected\n")


def test_a_coordinator_that_is_found_after_all_was_missing_for_a_moment():
    """A layout may leave out the break between the two lines of a record of brod's."""
    head = "10:00:0{}.319 [info]  Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=0):\n"
    missing = head.format(1) + "re-joining group, reason::GroupCoordinatorNotAvailable\n"
    again = head.format(2) + "failed to join group\nreason::GroupCoordinatorNotAvailable\n"
    found = head.format(3) + "connected to group coordinator b1.kafka.svc:9092\n"
    assert [one.verdict for one in told(missing, again)] != ["benign"]
    assert {one.verdict for one in told(missing, again, found)} == {"benign"}


RESET = "2026-01-05 10:00:20 kafka.coordinator - ERROR | Error sending HeartbeatRequest_v1 to node coordinator-3 [KafkaConnectionError: [Errno 104] Connection reset by peer]"
FOUND = "2026-01-05 10:00:{} kafka.coordinator - INFO | Discovered coordinator coordinator-3 for group pay"


@pytest.mark.parametrize(("second", "is_over"), [("21", True), ("20", True), ("03", False)])
def test_what_is_of_an_earlier_time_shows_nothing_to_be_over(second, is_over):
    found = told("\n".join((RESET, FOUND.format(second))))
    assert all(one.verdict == "benign" for one in found) == is_over


def test_an_address_that_answered_later_swallows_nothing():
    said = "2026-01-05 10:00:{:02},305 {} [Producer clientId=pay] {} (org.apache.kafka.clients.{})"
    waited = "Disconnecting from node -1 due to socket connection setup timeout. The timeout value is 460 ms."
    missed, known = (0, "INFO", waited, "NetworkClient"), (9, "INFO", "Cluster ID: a", "Metadata")
    (left,) = told(said.format(*missed))
    (back,) = told("\n".join(said.format(*one) for one in (missed, known)))
    assert "packets are swallowed" in left.cause
    assert "It got on again after 9 s" in back.cause
    assert "packets are swallowed" not in back.cause
