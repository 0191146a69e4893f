"""What a broker's own log tells of its end and its next start, and what clients met meanwhile."""

import pytest

from tests.answered import answered

OF_SERVER = "[2026-01-05 10:{}] INFO [BrokerServer id=4] Transition from {} (kafka.server.BrokerServer)"
STARTS, STOPS = "SHUTDOWN to STARTING", "STARTED to SHUTTING_DOWN"
UP = "[2026-01-05 10:{}] INFO [KafkaRaftServer nodeId=4] Kafka Server started (kafka.server.KafkaRaftServer)"
UP_WITH_ZOOKEEPER = "[2026-01-05 10:01:00,000] INFO [KafkaServer id=4] started (kafka.server.KafkaServer)"
LOADS = "[2026-01-05 10:{}] INFO {} clean shutdown file was found (kafka.log.LogManager)"
KEPT, BROKEN = "Skipping recovery of 7 logs from /data since", "Recovering 7 logs from /data since no"
FIRST = "Attempting recovery for all logs in /data since no"
EVICTS = (
    "[2026-01-05 10:{}] INFO [GroupCoordinator id=4 topic=__consumer_offsets partition=1] Member "
    "pay-1-{:08d}-1f2e-4d3c-8b7a-0123456789ab in group pay has failed, removing it from the group. "
    "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
)


def with_zookeeper(broker, minute):
    at = f"[2026-01-05 10:{minute}:00,000] INFO"
    settings = f"{at} KafkaConfig values: \n\tbroker.id = {broker}\n (kafka.server.KafkaConfig)"
    return [f"{at} starting (kafka.server.KafkaServer)", settings]


RAN = OF_SERVER.format("00:00,000", STARTS)


def again(loads=None, stops=()):
    loaded = [LOADS.format("05:01,000", loads)] if loads else []
    return [RAN, *stops, OF_SERVER.format("05:00,000", STARTS), *loaded, UP.format("05:03,500")]


DONE = "[2026-01-05 10:04:31,000] INFO [BrokerServer id=4] shut down completed (kafka.server.BrokerServer)"
STOPPED = [OF_SERVER.format("04:30,000", STOPS)]


@pytest.mark.parametrize(
    ("lines", "kind", "says"),
    [
        pytest.param(
            again(BROKEN), "broker_killed",
            "Broker 4 ended without a shutdown, and was started again. Do: See how it ended", id="killed",
        ),
        pytest.param(again(BROKEN), "broker_killed", "It was up 3.5 s after that start.", id="how long it took"),
        pytest.param(
            again(BROKEN, STOPPED), "broker_killed",
            "Broker 4 was killed while it shut down, and started again. Do: Give it more time", id="too little time",
        ),
        pytest.param(
            again(KEPT, STOPPED), "nothing_wrong", "was shut down and started again (up after 33.5 s)", id="in order",
        ),
        pytest.param(
            again(BROKEN, [*STOPPED, DONE]), "nothing_wrong", "Broker 4 was shut down and started again",
            id="in order, and it was given another directory",
        ),
        pytest.param(
            again(BROKEN.replace("7", "0")), "nothing_wrong", "no line tells of a shutdown", id="its directory is empty",
        ),
        pytest.param(again(KEPT), "nothing_wrong", "as a shutdown leaves them", id="lines are missing"),
        pytest.param(again(stops=STOPPED), "nothing_wrong", "Broker 4 was shut down and started", id="of an older release"),
        pytest.param(again(), "nothing_wrong", "broker 4 began anew, and no line tells of a shutdown", id="who knows"),
        pytest.param(
            [RAN, LOADS.format("00:01,000", FIRST)], "nothing_wrong", "nothing wrong", id="there is none at first",
        ),
        pytest.param(
            [*with_zookeeper(4, "00"), UP_WITH_ZOOKEEPER, *with_zookeeper(4, "05"), LOADS.format("05:00,100", BROKEN)],
            "broker_killed", "Broker 4 ended without a shutdown", id="with ZooKeeper",
        ),
        pytest.param(
            [*with_zookeeper(4, "00"), *with_zookeeper(5, "05"), LOADS.format("05:00,100", BROKEN)],
            "nothing_wrong", "nothing wrong", id="another one beside it",
        ),
        pytest.param(
            [*with_zookeeper(4, "00"), UP_WITH_ZOOKEEPER,
             "[2026-01-05 10:03:00,000] INFO shutting down (kafka.server.KafkaServer)", *with_zookeeper(4, "05")],
            "nothing_wrong", "Broker 4 was shut down and started again", id="a shutdown without its number",
        ),
        pytest.param(
            [RAN, RAN.replace("id=4", "id=5"), LOADS.format("00:01,000", BROKEN)], "nothing_wrong", "nothing wrong",
            id="two brokers of one process",
        ),
        pytest.param(
            [EVICTS.format("00:01,000", 1), OF_SERVER.format("05:00,000", STARTS), LOADS.format("05:00,100", BROKEN)],
            "broker_killed", "Broker 4 ended without a shutdown", id="a log that begins while it runs",
        ),
    ],
)  # fmt: skip
def test_how_a_broker_had_ended(tmp_path, lines, kind, says):
    found, said = answered("\n".join(lines), tmp_path)
    assert found == kind
    assert says in said


def test_members_that_a_killed_broker_lost_are_told_with_it(tmp_path):
    evicted = [EVICTS.format(f"05:{at},000", at) for at in (12, 13)]
    found, said = answered("\n".join([*again(BROKEN), *evicted]), tmp_path)
    assert found == "broker_killed"
    assert "2. " not in said
    assert "Then 2026-01-05 10:05:12.000" in said


def test_members_that_are_lost_long_after_are_none_of_it(tmp_path):
    _, said = answered("\n".join([*again(BROKEN), EVICTS.format("45:00,000", 1)]), tmp_path)
    assert "2. " in said
