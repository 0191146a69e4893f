# ruff: noqa: E501  # a line of a log is a line
"""Of several lines of one fault the one that says what to do gives the words, and what each of them names is told."""

import pytest

from tests.answered import answered
from tests.story import told

TLS = "%3|17676072{}|FAIL|pay#producer-1| [thrd:ssl://kb1:9093/bootstrap]: ssl://kb1:9093/bootstrap: SSL handshake failed: {} (after 12ms in state SSL_HANDSHAKE)"
SHUT = "error:0A000197:SSL routines::shutdown while in init"
WANTS = "Disconnected: client authentication might be required (see broker log)"
UNTRUSTED = "error:0A000086:SSL routines::certificate verify failed: broker certificate could not be verified, verify that ssl.ca.location is correctly configured or root CA certificates are installed (install ca-certificates package)"
ALERT = "error:0A000412:SSL routines::sslv3 alert bad certificate: SSL alert number 42"
EXPIRED = "error:0A000415:SSL routines::sslv3 alert certificate expired: SSL alert number 45"
UNNAMED = "2026-01-05 10:00:0{},100 WARN  [main] ClientUtils - Couldn't resolve server {}:9092 from bootstrap.servers as DNS resolution failed for {}"
REFUSED = "%3|1767607201.100|FAIL|pay#producer-1| [thrd:{}/bootstrap]: {}/bootstrap: Connect to ipv4#****:9092 failed: Connection refused (after 0ms in state CONNECT)"
UNFOUND = "%3|176760720{}.100|FAIL|pay#producer-1| [thrd:{}/bootstrap]: {}/bootstrap: Failed to resolve '{}': Name or service not known (after 5ms in state CONNECT)"

STOPS = "[2026-01-05 10:00:{},000] WARN [KafkaServer id=3] Retrying controlled shutdown after the previous attempt failed... (kafka.server.KafkaServer)"
FEW = "[2026-01-05 10:00:{},000] ERROR [ReplicaManager broker=3] Error processing append operation on partition __consumer_offsets-2 (kafka.server.ReplicaManager)\norg.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(3) is insufficient to satisfy the min.isr requirement of 2 for partition __consumer_offsets-2"
FEW_FOR_OFFSETS = "[2026-01-05 10:00:01,100] WARN [Producer clientId=connect-offsets-1] Got error produce response with correlation id 7 on topic-partition offsets-2, retrying (9 attempts left). Error: NOT_ENOUGH_REPLICAS (org.apache.kafka.clients.producer.internals.Sender)"
FLUSH = "[2026-01-05 10:00:06,100] ERROR WorkerSourceTask{id=bills-0} Failed to flush, timed out while waiting for producer to flush outstanding 1 messages (org.apache.kafka.connect.runtime.WorkerSourceTask)"
STUCK = "[2026-01-05 10:00:07,100] ERROR Graceful stop of task bills-0 failed. (org.apache.kafka.connect.runtime.Worker)"
UNANSWERED = '2026-01-05T10:00:03.100+00:00 [error] msg: Call produce error: error, {timeout,\n  [{wolff_producer,send_sync,3,\n  [{file,"wolff_producer.erl"},{line,278}]}]}'
DROPPED = "2026-01-05T10:00:03.100+00:00 [error] msg: dropped_produce_requests, topic: bills, partition: 3"

POLL = "Application maximum poll interval (300000ms) exceeded by {}ms"
MAXPOLL = f"%4|1767607201.100|MAXPOLL|rdkafka#consumer-1| [thrd:main]: {POLL.format(212)} (adjust max.poll.interval.ms for long-running message processing): leaving group"
CALLED = "[2026-01-05 10:00:01,120] {{c.py:7}} ERROR - group=bills topic=bills Consumer error: {}"

PRINTED = "[2026/01/05 10:00:0{}] [error] [out_kafka] pay#producer-1: [thrd:kb1:9092/bootstrap]: kb1:9092/bootstrap: {}"
STEPS = [
    "Received CONNECT op",
    "broker in state INIT connecting",
    "Connecting to ipv4#10.0.0.7:9092 (plaintext) with socket 12",
    "Broker changed state INIT -> CONNECT",
    "Connected to ipv4#10.0.0.7:9092",
    "Connected (#1)",
    "Broker changed state CONNECT -> APIVERSION_QUERY",
    "Sent ApiVersionRequest (v0, 25 bytes @ 0, CorrId 1)",
    "Received ApiVersionResponse (v0, 222 bytes, CorrId 1, rtt 0.53ms)",
    "bills [0]: MessageSet with 4 message(s) (MsgId 0, BaseSeq -1) delivered",
]
OF_STEPS = "\n".join(PRINTED.format(1, one) for one in STEPS)


@pytest.mark.parametrize(
    ("text", "kind", "words", "not_said"),
    [
        pytest.param(
            f"{TLS.format('00.100', SHUT)}\n{TLS.format('00.300', WANTS)}",
            "tls_failed",
            ['began: "Disconnected: client authentication might be required'],
            ['began: "error:0A000197', "2. "],
            id="a client's certificate that is asked for",
        ),
        pytest.param(
            f"{TLS.format('00.100', SHUT)}\n{TLS.format('00.200', SHUT)}\n{TLS.format('00.300', UNTRUSTED)}\n{TLS.format('00.900', SHUT)}",
            "tls_failed",
            ["certificate verify failed: broker certificate could not be verified"],
            ['began: "error:0A000197', "2. "],
            id="a CA, between lines that say nothing",
        ),
        pytest.param(
            f"{TLS.format('00.100', SHUT)}\n{TLS.format('00.300', ALERT)}",
            "tls_failed",
            ["an alert (bad certificate)"],
            ['began: "error:0A000197', "2. "],
            id="an alert",
        ),
        pytest.param(
            f"{TLS.format('00.100', WANTS)}\n{TLS.format('00.300', EXPIRED)}",
            "certificate_expired",
            ["A certificate has expired", "could not agree on TLS"],
            ["2. "],
            id="a certificate's date, behind a guess",
        ),
        pytest.param(
            TLS.format("00.100", SHUT),
            "tls_failed_unsaid",
            ["says no more here than that TLS failed", "shutdown while in init"],
            ["it is the broker's side", "truststore"],
            id="what says nothing, alone",
        ),
        pytest.param(
            "\n".join(UNFOUND.format(at, *[f"kb0{at}-****:9092"] * 3) for at in (1, 2, 3)),
            "dns_failed",
            ["the broker's address kb01-****:9092, kb02-****:9092 and kb03-****:9092: "],
            ["kb01-:"],
            id="names that were masked alike, as librdkafka has them",
        ),
        pytest.param(
            "\n".join(TLS.replace("kb1", f"kb0{at}-****").format("00.100", UNTRUSTED) for at in (1, 3)),
            "tls_failed",
            ["could not agree on TLS with kb01-****:9093 and kb03-****:9093"],
            ["2. "],
            id="brokers whose names were masked alike",
        ),
        pytest.param(
            "\n".join(REFUSED.format(*[f"kb0{at}-****:9092"] * 2) for at in (1, 3)),
            "connect_failed",
            ["could not connect to kb01-****:9092 and kb03-****:9092"],
            ["2. "],
            id="addresses that were masked whole, of brokers that have names",
        ),
        pytest.param(
            "\n".join(UNNAMED.format(at, *[f"kb0{at}.pay.io"] * 2) for at in (1, 2, 3)),
            "dns_failed",
            ["the broker's address kb01.pay.io:9092, kb02.pay.io:9092 and kb03.pay.io:9092: "],
            [],
            id="names of a list that Java's client can't use",
        ),
        pytest.param(
            "\n".join(UNNAMED.format(at, "kb-***", "kb-***") for at in (1, 2, 3)),
            "dns_failed",
            ["the broker's address kb-***:9092: "],
            [],
            id="one name, however often",
        ),
        pytest.param(
            f"{FEW.format('01')}\n{STOPS.format('05')}",
            "coordinator_writes_refused",
            ["A coordinator can't write to __consumer_offsets-2", "Then 2026-01-05 10:00:05.000: Broker 3 did not shut down in order"],
            ["2. "],
            id="a stop that nobody can take over at, behind the replicas that are missing",
        ),
        pytest.param(
            f"{STOPS.format('01')}\n{FEW.format('05')}",
            "coordinator_writes_refused",
            ["Before 2026-01-05 10:00:01.000: Broker 3 did not shut down in order"],
            ["Then 2026"],
            id="a stop before it",
        ),
        pytest.param(
            STOPS.format("01"),
            "broker_not_shut_down_in_order",
            ["Broker 3 did not shut down in order"],
            ["in-sync"],
            id="a stop that failed, whatever by",
        ),
        pytest.param(
            f"{FEW_FOR_OFFSETS}\n{FLUSH}\n{STUCK}",
            "not_enough_replicas",
            ["Writes to offsets-2 are refused", "could not flush its records in time", "did not stop in time"],
            ["2. "],
            id="a task that can't end, as it has to write",
        ),
        pytest.param(
            f"{MAXPOLL}\n{CALLED.format(POLL.format(212))}",
            "membership_poll_expired",
            ["Consumer rdkafka#consumer-1 was kicked out of its group"],
            ["2. "],
            id="a callback's line of the session, whose group the callback alone names",
        ),
        pytest.param(
            UNANSWERED,
            "send_unanswered",
            ["did not know in time whether a record was written", "still has the record in its queue"],
            ["records were lost", "gave it up", "not delivered"],
            id="a send that nobody waits for any longer",
        ),
        pytest.param(
            DROPPED,
            "produce_dropped",
            ["dropped records for bills", "records were lost"],
            ["queue"],
            id="what wolff dropped",
        ),
    ],
)  # fmt: skip
def test_more_than_the_first_is_told(text, kind, words, not_said, tmp_path):
    told, said = answered(text, tmp_path)
    assert told == kind
    assert [one for one in words if one not in said] == []
    assert [one for one in not_said if one in said] == []


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        pytest.param(OF_STEPS, "nothing_wrong", id="what librdkafka says at DEBUG, as Fluent Bit prints it"),
        pytest.param(
            f"{OF_STEPS}\n{PRINTED.format(2, 'Connect to ipv4#10.0.0.7:9092 failed: Connection refused (after 0ms in state CONNECT)')}",
            "connect_failed",
            id="with what failed among it",
        ),
        pytest.param(
            PRINTED.format(1, "bills [0] 7 message(s) queued but broker not up"),
            "partition_waits_for_broker",
            id="what DEBUG alone tells of a failure",
        ),
        pytest.param(
            PRINTED.format(1, "Fatal error: Local: Broker handle destroyed"),
            "client_fatal",
            id="what failed by its own words",
        ),
    ],
)
def test_of_what_is_said_at_debug_the_level_is_its_printers(text, ending, tmp_path):
    kind, _ = answered(text, tmp_path)
    assert kind == ending


def test_a_partition_that_another_line_names_is_named_once():
    head = "%7|1767607200.757|{}|pay#producer-2| [thrd:b1:9092/bootstrap]: b1:9092/1001: {}"
    said = "Broker: Broker received an out of order sequence number"
    refused = head.format(
        "REQERR", f"ProduceRequest failed: {said}: explicit actions Permanent,MsgPossiblyPersisted"
    )
    batch = head.format(
        "MSGSET",
        f"pay [7]: MessageSet with 1 message(s) (MsgId 4, BaseSeq 3) encountered error: {said} (actions Permanent,MsgPossiblyPersisted)",
    )
    (incident,) = told(f"{refused}\n{batch}")
    assert incident.title == "The broker got batches of pay#producer-2 for pay-7 out of order"


def test_a_heartbeat_that_may_not_have_been_sent_was_not_refused():
    head = "2026-01-05 10:00:00,{} - kafka.coordinator - WARNING - Heartbeat failed{}; retrying"
    (unsaid,) = told(head.format(123, ""))
    assert "was not sent, or" in unsaid.cause
