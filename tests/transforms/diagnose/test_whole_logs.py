# ruff: noqa: E501  # a line of a log is a line
"""Small whole logs, of every client: what the answer to each says, and what it must not say."""

import pytest

from tests.answered import answered

ALL_CLEAR = "nothing_wrong"
IDLE = (
    "sasl://k2.example.org:9093: Disconnected (after 4396411ms in state UP, 1 identical error(s) suppressed)"
)
BITNAMI = "kafka-1  | kafka 09:15:22.23 ERROR ==> {}"


@pytest.mark.parametrize(
    ("text", "kind", "words", "unsaid"),
    [
        pytest.param(
            "I, [2026-01-05T10:00:00.442212 #7]  INFO -- : Discovered cluster metadata; nodes: \n"
            "D, [2026-01-05T10:00:00.442241 #7] DEBUG -- : Closing socket to k1:9092\n"
            "Kafka::LeaderNotAvailable: Kafka::LeaderNotAvailable\n"
            "\tfrom /usr/lib/ruby/gems/ruby-kafka-1.5.0/lib/kafka/protocol.rb:96:in `handle_error'\n"
            "\tfrom /usr/lib/ruby/gems/ruby-kafka-1.5.0/lib/kafka/producer.rb:138:in `deliver'",
            "no_leader", ["a call that raised it has failed"], "could not be judged", id="what Ruby raised to its caller did not pass",
        ),
        pytest.param(
            "E, [2026-01-05T10:00:00.046420 #7] ERROR -- : Error committing offsets: Kafka::IllegalGeneration\n"
            "E, [2026-01-05T10:00:00.046787 #7] ERROR -- : Consumer thread crashed: Kafka::OffsetCommitError: Kafka::IllegalGeneration",
            "commit_refused", ["had rebalanced without it"], "no answer in time", id="a commit that was refused was answered",
        ),
        pytest.param(
            f"2026-01-05T10:00:00.964Z  INFO librdkafka: librdkafka: FAIL [thrd:GroupCoordinator]: GroupCoordinator: {IDLE}\n"
            f"2026-01-05T10:00:00.965Z ERROR kafka_source: rdkafka::client: librdkafka: Global error: BrokerTransportFailure (Local: Broker transport failure): GroupCoordinator: {IDLE}",
            ALL_CLEAR, ["connections.max.idle.ms"], "Cost", id="a coordinator's connection that rested for an hour, at ERROR by a binding",
        ),
        pytest.param(
            "10:00:00,468 [18]  - OnLog : rdkafka#consumer-1,7,PARTSTATE,[thrd:main]: Partition orders [0] changed fetch state none -> active\n"
            "10:00:00,716 [18]  - OnLog : rdkafka#consumer-1,7,QRYLEADER,[thrd:main]: Topic orders [0]: leader is unavailable: re-query\n"
            "10:00:00,807 [30]  - OnLog : rdkafka#consumer-1,7,TOPBRK,[thrd:k1:9092/5]: k1:9092/5: Topic orders [0]: joining broker (rktp 0ACA61C0)",
            ALL_CLEAR, ["3 Kafka lines"], "could not be judged", id="DEBUG of librdkafka whose number an application prints between commas",
        ),
        pytest.param(
            "===> Configuring ...\nKAFKA_ZOOKEEPER_CONNECT is required.\nCommand [/usr/local/bin/dub ensure KAFKA_ZOOKEEPER_CONNECT] FAILED !",
            "image_not_set_up", ["KAFKA_ZOOKEEPER_CONNECT", "no broker, worker or registry was started"], "could not be judged", id="an image that lacks a variable",
        ),
        pytest.param(
            BITNAMI.format("KRaft mode requires an unique node.id, please set the environment variable KAFKA_CFG_NODE_ID"),
            "image_not_set_up", ["KAFKA_CFG_NODE_ID"], "could not be judged", id="and another image",
        ),
        pytest.param(
            "===> Check if /var/lib/kafka/data is writable ...\nCommand [/usr/local/bin/dub path /var/lib/kafka/data writable] FAILED !",
            "image_path_refused", ["/var/lib/kafka/data", "writable"], "could not be judged", id="a volume that the image may not write",
        ),
        pytest.param(
            "===> Check if Kafka is healthy ...\nCommand [/usr/local/bin/cub kafka-ready 1 40 -b k1:9092] FAILED !",
            "image_waited", ["kafka-ready"], "could not be judged", id="an image that waited for brokers",
        ),
    ],
)  # fmt: skip
def test_what_is_answered_to_a_whole_log(tmp_path, text, kind, words, unsaid):
    told, answer = answered(text, tmp_path)
    assert told == kind
    assert [one for one in words if one not in answer] == []
    assert unsaid not in answer
