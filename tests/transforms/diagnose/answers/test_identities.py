# ruff: noqa: E501  # a line of a log is a line
"""Identities, tokens and certificates that are refused: who refused whom, and what that says of them."""

import pytest

from tests.story import told
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.raw_scan import scan

AT = "[2026-01-05 10:00:00,000]"
NETWORK = "org.apache.kafka.common.network.Selector"
KAFKA = "org.apache.kafka.common.errors."


def called(whose, why, by="kafka1/10.0.0.1"):
    """What Selector says of an authentication that failed, of a client's call or of one that came."""
    return f"{AT} INFO [{whose}] Failed authentication with {by} ({why}) ({NETWORK})"


CLIENT, BROKER = "Producer clientId=pay", "SocketServer listenerType=BROKER, nodeId=2"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            called(BROKER, '{"status":"invalid_token"}', "/10.0.0.9"), "token_refused_here",
            ["A broker or controller refused the token of 10.0.0.9: invalid_token"], id="a broker refuses who called",
        ),
        pytest.param(
            called(CLIENT, '{"status":"invalid_token"}'), "token_refused",
            ["kafka1/10.0.0.1 refused the token of pay: invalid_token"], id="a client was refused",
        ),
        pytest.param(
            called(CLIENT, '{""status"":""insufficient_scope""}'), "token_refused", ["insufficient_scope"], id="quoted as CSV does",
        ),
        pytest.param(
            called(BROKER, "Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512", "/10.0.0.9"),
            "auth_failed_here", ["refused the identity of 10.0.0.9", "client at that address"], id="a password that a broker refuses",
        ),
        pytest.param(
            called(CLIENT, "Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512"),
            "auth_failed", ["kafka1/10.0.0.1 refused the identity of pay"], id="and the client of it",
        ),
        pytest.param(
            f"Caused by: {KAFKA}SaslAuthenticationException: [551e2ed2-38d0-4069-aefa-26fb70ee52ed]: Too many connects",
            "connections_too_fast", ["reconnect.backoff.ms", "a later try may succeed"], id="too many logins at once",
        ),
        pytest.param(
            f"Caused by: {KAFKA}SaslAuthenticationException: [551e2ed2-38d0-4069-aefa-26fb70ee52ed]: Session too short",
            "iam_session_short", ["about to expire"], id="credentials that are nearly over",
        ),
        pytest.param(
            f"{AT} ERROR [Producer clientId=pay] Connection to node -1 (kafka1/10.0.0.1:9093) failed authentication due to: SSL handshake failed (org.apache.kafka.clients.NetworkClient)\n{KAFKA}SslAuthenticationException: SSL handshake failed\nCaused by: javax.net.ssl.SSLHandshakeException: No subject alternative DNS name matching kafka1 found.",
            "certificate_of_another_name", ["pay does not take the certificate of", "not made out to kafka1", "advertised.listeners"], id="a name that is not in the certificate",
        ),
        pytest.param(
            called(CLIENT, "errorMessage=SSL handshake failed caused by No subject alternative names matching IP address 10.0.0.1 found"),
            "certificate_of_another_name", ["10.0.0.1"], id="an address that is not",
        ),
        pytest.param(
            f"{AT} WARN [Consumer clientId=c, groupId=g] Offset commit with offsets {{pay-1=OffsetAndMetadata{{offset=3, leaderEpoch=null, metadata=''}}}} failed (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\norg.apache.kafka.clients.consumer.RetriableCommitFailedException: Offset commit failed with a retriable exception. You should retry committing the latest consumed offsets.\nCaused by: {KAFKA}DisconnectException: null",
            "commit_put_off", ["failed for now: DisconnectException", "That ends no membership"], id="a commit that a lost connection kept back",
        ),
        pytest.param(
            "%4|1700000000.125|COMMITFAIL|rdkafka#consumer-1| [thrd:main]: Offset commit (cgrp auto commit timer) failed for 1/1 partition(s) in join-state steady: Local: Waiting for coordinator: pay[0]@7(Local: Waiting for coordinator)",
            "commit_without_coordinator", ["rdkafka#consumer-1 was never sent", "No broker refused it", "session.timeout.ms at most"], id="a commit of librdkafka's that found no coordinator",
        ),
        pytest.param(
            f"{AT} ERROR Consumer failed (com.acme.Shop)\norg.apache.kafka.common.KafkaException: Unexpected error in join group response: The group is rebalancing, so a rejoin is needed.",
            "answer_unexpected", ["join group: The group is rebalancing", "gave up"], id="an answer that an old client can't take",
        ),
        pytest.param(
            f"{AT} INFO [Consumer clientId=c, groupId=g] Group coordinator kafka1:9092 (id: 2147483646 rack: null) is unavailable or invalid due to cause: error response REQUEST_TIMED_OUT. isDisconnected: false. Rediscovery will be attempted. (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
            "coordinator_lost", ["c (group g) lost its coordinator", "REQUEST_TIMED_OUT"], id="a coordinator that is given up for its answer",
        ),
    ],
)  # fmt: skip
def test_who_refused_whom(text, kind, words):
    (incident,) = (one for one in told(text) if one.verdict != "benign")
    said = f"{incident.title} {incident.cause} {incident.advice}"
    assert incident.kind == kind
    assert [word for word in words if word not in said] == []


def test_what_a_broker_sees_of_a_handshake_is_not_its_own_client_s():
    of_both = called(CLIENT, "SSL handshake failed"), called(BROKER, "SSL handshake failed", "/10.0.0.9")
    assert {one.kind: one.client_ids for one in told(*of_both)} == {
        "tls_failed": ["pay"],
        "tls_failed_here": [],
    }


def test_a_join_that_names_no_client_is_of_the_only_one():
    """A member's id may not be made of its client's: some brokers that are not Kafka's make ids of their own."""
    lost = '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.100Z","logger":"kafkajs","message":"[Connection] Response GroupCoordinator(key: 10, version: 2)","broker":"b1:9092","clientId":"%s","error":"The group coordinator is not available"}'
    joined = '{"level":"INFO","timestamp":"2026-01-05T10:00:03.300Z","logger":"kafkajs","message":"[ConsumerGroup] Consumer has joined the group","groupId":"orders","memberId":"4b1c-77aa-11","memberAssignment":{"orders":[0]},"duration":3000}'
    assert {one.verdict for one in told(lost % "shop", joined)} == {"benign"}
    assert {one.verdict for one in told(lost % "shop", lost % "till", joined)} == {"as_designed"}


def test_a_handle_of_librdkafka_names_the_client_wherever_it_stands():
    said = "[error] [out_kafka] fluent-bit#producer-1: [thrd:kafka1:9092/1]: kafka1:9092/1: Receive failed: Disconnected\n"
    (worded,), _ = told_by_words(scan("app.log", [said.encode()]).speaking, [])
    assert worded.incident.client_ids == ["fluent-bit#producer-1"]
    assert worded.lines[0].client == "librdkafka"
