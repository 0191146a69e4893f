"""Messages alone, whose times and levels a page left out: what would be trouble with them is no all-clear without."""

import pytest

from tests.answered import answered

COORDINATOR = "[GroupCoordinator id=1] "
CONSUMER = "[Consumer clientId=pay, groupId=g] "


@pytest.mark.parametrize(
    ("message", "told"),
    [
        pytest.param(
            f"{COORDINATOR}Member pay-1 in group g has failed, removing it from the group",
            "member_removed",
            id="a member that its coordinator removed, at a time that is not there",
        ),
        pytest.param(
            f"{COORDINATOR}Member pay-1 in group g\n    has failed, removing it from the group.",
            "member_removed",
            id="the same in two lines",
        ),
        pytest.param(
            f"{COORDINATOR}Preparing to rebalance group g in state PreparingRebalance with old generation 4"
            " (reason: removing member pay-1 on heartbeat expiration)",
            "member_removed",
            id="the same by the rebalance that it began",
        ),
        pytest.param(
            f"{COORDINATOR}Pending member pay-1 in group g has been removed after session timeout expiration.",
            "not_judged",
            id="a member that never joined was none",
        ),
        pytest.param(
            f"{CONSUMER}Member m-1 sending LeaveGroup request to coordinator b1:9092 (id: 7 rack: null)"
            " due to consumer poll timeout has expired.",
            "poll_too_slow",
            id="a member that left for its poll timeout, by that line alone",
        ),
        pytest.param(
            f"{CONSUMER}Member m-1 sending LeaveGroup request to coordinator b1:9092 (id: 7 rack: null)"
            " due to the consumer is being closed",
            "nothing_wrong",
            id="a member that was closed",
        ),
        pytest.param(
            f"{CONSUMER}Reconciliation failed.",
            "said_to_fail",
            id="what one release warns of and others do not",
        ),
        pytest.param(
            "Mar 11 10:00:05 web-1 rsyslogd: omkafka[pay]: could not persist failed messages file /var/pay.json",
            "said_to_fail",
            id="what a part failed at that is Kafka's by its name",
        ),
        pytest.param(
            "Topic pay.in not found in cluster metadata",
            "topic_missing",
            id="what Python's client warns of",
        ),
        pytest.param(
            "ERROR ... GroupAuthorizationException: Not authorized to access group: pay",
            "not_authorized",
            id="an exception that only Kafka has, without its package",
        ),
        pytest.param(
            f"m.acme.pay.Sink.put(Sink.java:121) ~[pay.jar:?]\n\t... 9 more\n{CONSUMER}(Re-)joining group",
            "not_judged",
            id="a trace whose head was cut off before quiet lines",
        ),
        pytest.param(
            f"{CONSUMER}Request joining group due to: group is already rebalancing",
            "nothing_wrong",
            id="a line at INFO",
        ),
    ],
)
def test_what_a_bare_message_is_told_as(tmp_path, message, told):
    assert answered(message, tmp_path)[0] == told


def test_a_breaker_that_is_open_is_told_with_what_opened_it(tmp_path):
    line = '{"level":"error","caller":"kafka/sender.go:7","msg":"%s"}\n'
    missing = line % "kafka server: Request was for a topic or partition that does not exist on this broker."
    kind, told = answered(missing + line % "circuit breaker is open", tmp_path)
    assert kind == "topic_missing"
    assert "With it came: it did not even try to send" in told


@pytest.mark.parametrize(
    "said", ["EOF while parsing a value at line 1", "unmarshal of its JSON: unexpected EOF"]
)
def test_the_end_of_a_text_that_was_parsed_is_no_end_of_a_connection(tmp_path, said):
    assert answered(f"10:00:05 ERROR kafka: could not read statistics: {said}", tmp_path)[0] == "said_to_fail"


@pytest.mark.parametrize(
    ("setting", "told"),
    [("delivery.timeout.ms = 9000", "nothing_wrong"), ("pay.state = FAILED", "not_judged")],
)
def test_the_key_of_a_setting_whose_dump_was_cut_off_above_it_says_nothing(tmp_path, setting, told):
    line = "2026-03-01 12:00:05,123 INFO  [org.apa.kaf.com.uti.AppInfoParser] (main) Kafka version: 3.9.0"
    text = f"        {setting}\n        key.serializer = class org.apache.kafka.pay.Longs\n\n{line}"
    assert answered(text, tmp_path)[0] == told
