"""A process that begins anew in its own log, and of which no line tells that it had ended."""

import pytest

from tests.answered import answered

BROKER = "[2026-01-05 10:00:{{:02d}},100] INFO [BrokerServer id=4] Transition from {} (kafka.server.BrokerServer)\n"
START, STOP = BROKER.format("SHUTDOWN to STARTING"), BROKER.format("STARTED to SHUTTING_DOWN")
LISTENS = (
    "[2026-01-05 10:00:{:02d},100] INFO [SocketServer listenerType=CONTROLLER, nodeId=4] Enabling request processing. "
    "(kafka.network.SocketServer)\n"
)
BEGINS = "[2026-01-05 10:00:{:02d},100] INFO starting (kafka.server.KafkaServer)\n"
SETTINGS = (
    "[2026-01-05 10:00:{:02d},100] INFO KafkaConfig values: \n\tbroker.id = 7\n (kafka.server.KafkaConfig)\n"
)
ZOOKEEPERS, OLD = BEGINS + SETTINGS, SETTINGS + BEGINS
ENDED = "[2026-01-05 10:00:{:02d},100] INFO [KafkaServer id=7] shutting down (kafka.server.KafkaServer)\n"
DUMP = (
    "[2026-01-05 10:00:{:02d},100] INFO ProducerConfig values: \n\tacks = -1\n\tclient.id = pay\n"
    " (org.apache.kafka.clients.producer.ProducerConfig)\n"
)
STREAMS = (
    "[2026-01-05 10:00:{:02d},100] INFO StreamsConfig values: \n\tapplication.id = pay\n\tclient.id = \n"
    " (org.apache.kafka.streams.StreamsConfig)\n"
)
CLOSED = (
    "[2026-01-05 10:00:{:02d},100] INFO App info kafka.producer for pay unregistered "
    "(org.apache.kafka.common.utils.AppInfoParser)\n"
)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        pytest.param(
            START * 2, "app.log:2 broker 4 began anew, and no line tells of a shutdown", id="a broker"
        ),
        pytest.param(START * 3, "app.log:2 broker 4 began anew (2 times)", id="a broker, again and again"),
        pytest.param(START + STOP + START, None, id="a broker that had shut down"),
        pytest.param(ZOOKEEPERS * 2, "app.log:5 the broker began anew", id="a broker with ZooKeeper"),
        pytest.param(ZOOKEEPERS + ZOOKEEPERS.replace("id = 7", "id = 8"), None, id="two that write one log"),
        pytest.param(ZOOKEEPERS + ENDED + ZOOKEEPERS, None, id="one that had shut down"),
        pytest.param(
            OLD + OLD.replace("id = 7", "id = 8") + ENDED + OLD, None, id="and one whose settings come first"
        ),
        pytest.param(LISTENS + START, None, id="a process whose controller listens before its broker starts"),
        pytest.param(
            LISTENS + START + LISTENS + START, "app.log:4 broker 4 began anew", id="that process, again"
        ),
        pytest.param(DUMP * 2, "app.log:5 the process began anew, and no line tells that its", id="a client"),
        pytest.param(DUMP + CLOSED + DUMP, None, id="a client that was closed"),
        pytest.param(STREAMS * 2, None, id="a framework that reads the settings of Streams twice"),
        pytest.param(
            STREAMS + DUMP + STREAMS, "app.log:9 the process began anew", id="Streams, with a client"
        ),
    ],
)
def test_a_start_without_an_end_is_told(tmp_path, lines, told):
    text = "".join(f"{one}\n".format(at) for at, one in enumerate(lines.split("\n")) if one)
    kind, said = answered(text.rstrip("\n"), tmp_path)
    assert kind == "nothing_wrong"
    assert ("began anew" in said) == (told is not None)
    assert told is None or told in said
