# ruff: noqa: E501  # a line of a log is a line
"""Causes in the words of clients that are not Java's, as they and what is built on them print them."""

import pytest

from tests.story import told

RDKAFKA = "%3|1700000000.125|{}|rdkafka#producer-1| [thrd:kafka1:9093/bootstrap]: kafka1:9093/bootstrap: {}"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            "Jan  5 10:00:00 host7 rsyslogd: omkafka: kafka error message: -193,'Local: Host resolution failure','kafka1:9092/bootstrap: Failed to resolve 'kafka1:9092': Name or service not known (after 9ms in state CONNECT)'",
            "dns_failed", ["kafka1:9092"], id="an error callback's words, behind librdkafka's name of the error",
        ),
        pytest.param(
            RDKAFKA.format("FAIL", "SASL authentication error: SaslAuthenticateRequest failed: Local: Broker transport failure (after 0ms in state DOWN)"),
            "auth_broken_off", ["kafka1:9093"], id="a connection that broke refused no identity",
        ),
        pytest.param(
            '{"level":"fatal","ts":1700000000.5,"caller":"ingester/main.go:7","msg":"Unable to create consumer","error":"kafka server: Offset\'s topic has not yet been created."}',
            "coordinator_missing", ["__consumer_offsets"], id="sarama's words are the protocol's error",
        ),
        pytest.param(
            "2026-01-05T10:00:00.443Z\tDEBUG\t[kafka]\tkafka/client.go:291\tKafka publish failed with: kafka server: The requested operation is not supported by the message format version.",
            "unsupported", ["UNSUPPORTED_FOR_MESSAGE_FORMAT"], id="what Beats say at DEBUG alone",
        ),
        pytest.param(
            "2026-01-05 10:00:00 +0000 [warn]: #0 Send exception occurred: Failed to send messages to pay/0",
            "produce_kept", ["pay/0", "stays in its buffer"], id="what ruby-kafka gave up for now is not lost",
        ),
        pytest.param(
            "E, [2026-01-05T10:00:00.852361 #4711] ERROR -- : [[orders] {}:] Exception raised when processing pay/3 at offset 41 -- ActiveRecord::StatementInvalid: boom",
            "handler_threw", ["pay", "boom"], id="the application's block of ruby-kafka",
        ),
        pytest.param(
            "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nre-joining group, reason::unknown_member_id",
            "member_unknown", ["brod", "group orders"], id="a member of brod's that its coordinator dropped",
        ),
        pytest.param(
            "10:00:02.387 [error] Consumer pay-0 terminate reason: {:shutdown, :client_down}",
            "consumer_ended", ["brod", "pay"], id="a consumer of brod's that ended",
        ),
    ],
)  # fmt: skip
def test_the_cause_is_the_one_that_its_client_names(text, kind, words):
    (incident,) = (one for one in told(text) if one.verdict != "benign")
    assert incident.kind == kind
    for word in words:
        assert word in f"{incident.title} {incident.cause} {incident.advice}"
