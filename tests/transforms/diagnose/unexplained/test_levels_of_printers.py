# ruff: noqa: E501  # a line of a log is a line
"""A level that what prints a line has chosen calls nothing an error: a shipper that takes all of stderr for errors."""

import pytest

from tests.answered import answered

HEALTHY = (
    "{} bills [main] org.apache.kafka.clients.consumer.KafkaConsumer : [Consumer clientId=bill-1, groupId=bills] Subscribed to topic(s): bills",
    "{} bills [main] org.apache.kafka.clients.Metadata : [Consumer clientId=bill-1, groupId=bills] Cluster ID: Yue7R6mLToejq2t3moluzg",
    "{} bills [main] o.a.k.c.c.internals.ConsumerCoordinator : [Consumer clientId=bill-1, groupId=bills] Discovered group coordinator k1:9092 (id: 2147483646 rack: null)",
    "{} bills [main] o.a.k.c.c.internals.ConsumerCoordinator : [Consumer clientId=bill-1, groupId=bills] (Re-)joining group",
    "{} bills [main] o.a.k.c.c.internals.ConsumerCoordinator : [Consumer clientId=bill-1, groupId=bills] Successfully joined group with generation Generation{{generationId=7, memberId='bill-1-a', protocol='range'}}",
    "{} bills [main] o.a.k.c.c.internals.ConsumerCoordinator : [Consumer clientId=bill-1, groupId=bills] Adding newly assigned partitions: bills-0",
    "{} bills [main] o.a.k.c.c.internals.ConsumerCoordinator : [Consumer clientId=bill-1, groupId=bills] Setting offset for partition bills-0 to the committed offset FetchPosition{{offset=7, offsetEpoch=Optional.empty, currentLeader=LeaderAndEpoch{{leader=Optional[k1:9092 (id: 1 rack: null)], epoch=0}}}}",
    "{} bills [main] o.s.k.l.KafkaMessageListenerContainer : bills: partitions assigned: [bills-0]",
)


def log(level, *more):
    lines = [one.format(level) for one in (*HEALTHY, *more)]
    return "\n".join(f"2026-01-05 10:00:0{at},000 {line}" for at, line in enumerate(lines))


@pytest.mark.parametrize("level", ["ERROR", "WARN"])
def test_what_kafka_never_says_so_loudly_is_as_quiet_as_it_says_it(tmp_path, level):
    told, answer = answered(log(level), tmp_path)
    assert told == "nothing_wrong"
    assert "found no coordinator" not in answer


def test_one_line_alone_has_no_level_of_its_own_either(tmp_path):
    assert answered(log("ERROR").split("\n")[0], tmp_path)[0] == "nothing_wrong"


def test_where_other_lines_have_their_own_a_loud_one_of_another_has_it_too(tmp_path):
    said = log("INFO", "ERROR bills [main] o.s.k.l.KafkaMessageListenerContainer : bills: container")
    assert answered(said.replace("INFO ERROR", "ERROR").replace("{} ", ""), tmp_path)[0] != "nothing_wrong"


@pytest.mark.parametrize(
    "trouble",
    [
        "{} bills [main] org.apache.kafka.clients.NetworkClient : [Consumer clientId=bill-1, groupId=bills] Connection to node 1 (k1/10.0.0.7:9092) could not be established. Broker may not be available.",
        "{} bills [main] o.s.k.l.KafkaMessageListenerContainer : bills: commit failed",
        "{} bills [main] o.s.k.l.KafkaMessageListenerContainer : Fatal consumer exception; stopping container",
    ],
)
def test_trouble_is_told_by_its_words(tmp_path, trouble):
    assert answered(log("ERROR", trouble), tmp_path)[0] != "nothing_wrong"
