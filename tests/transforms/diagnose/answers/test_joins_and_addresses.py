# ruff: noqa: E501  # a line of a log is a line
"""What brod, Go's clients and what stands on them say of joins, connections and addresses."""

import pytest

from tests.story import told
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.raw_scan import scan
from transforms.parse.catalogue.other_words import told_anywhere


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nfailed to join group\nreason: :timeout",
            "join_unanswered", ["group orders", "session_timeout_seconds"], id="a join of brod's that nobody answered is no lost coordinator",
        ),
        pytest.param(
            "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nLeaving group, reason: :hb_timeout",
            "session_timed_out", ["group orders", "session_timeout_seconds"], id="brod leaves as no heartbeat was answered",
        ),
        pytest.param(
            "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nfailed to join group\nreason:{:sock_down,\n {:function_clause,\n  [{:kpro_lib, :encode, [string: nil],",
            "request_not_made", ["function_clause", "[string: nil]", "the brokers have no part"], id="a value that brod can't encode",
        ),
        pytest.param(
            "2026/01/05 10:00:00 Consumer error: kafka: invalid configuration (That topic/partition is already being consumed)",
            "partition_consumed_twice", ["no setting is wrong"], id="what sarama calls a configuration, and is none",
        ),
        pytest.param(
            "%5|1700000000.125|REQTMOUT|pay#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator/1: Timed out HeartbeatRequest in flight (after 60177ms, timeout #0): possibly held back by preceeding blocking JoinGroupRequest with timeout in 240000ms",
            "request_held_back", ["Heartbeat", "JoinGroup", "60177 ms", "240000 ms"], id="a request behind one that blocks",
        ),
        pytest.param(
            "the kafka reader got an unknown error reading partition 4 of orders at offset 77: unexpected EOF",
            "disconnected", ["unexpected EOF"], id="a connection that ended within an answer to kafka-go",
        ),
        pytest.param(
            "the kafka reader got an unknown error reading partition 4 of orders at offset 77: multiple Read calls return no data or error",
            "read_failed", ["orders", "MaxBytes"], id="an error that kafka-go's reader has no name for",
        ),
        pytest.param(
            "2026/01/05 10:00:00 Error writing to output [kafka]: FAILED to send kafka message: write tcp 10.0.0.4:18041->10.0.0.5:9092: wsasend: An established connection was aborted by the software in your host machine.",
            "disconnected", ["10.0.0.5:9092"], id="a connection that broke, in the words of Windows",
        ),
        pytest.param(
            'level=debug msg="connection initialization failed" addr="kafka1:9092" broker=seed_0 err=EOF',
            "protocol_doubted", ["kafka1:9092"], id="franz-go says at DEBUG alone that a port took it and closed",
        ),
        pytest.param(
            "kafka.conn   ERROR    Unable to connect to any of the names for kafka4:9092",
            "connection_not_made", ["kafka4:9092"], id="none of a name's addresses, in kafka-python",
        ),
        pytest.param(
            "2026-01-05 10:00:00,418 - [ERROR] : [kafka] consumer error kafka1:9092/3: Disconnected (after 3072ms in state UP)",
            "disconnected", ["kafka1:9092"], id="librdkafka's words as an application prints them",
        ),
        pytest.param(
            '2026-01-05T10:00:00.248-0400    info    franz   kzap@v1.1.2/kzap.go:114 injecting fake fetch with an error {"otelcol.component.id": "kafka", "err": "topic orders partition 3 lost records; the client consumed to offset 10 but was reset to offset -1", "why": "notification of data loss"}',
            "records_lost_below", ["franz-go", "offset 10", "of orders-3,", "-1"], id="a partition that does not go on where it was read to",
        ),
        pytest.param(
            '[INFO] injecting fake fetch with an error; err: UNKNOWN: boom, why: list offsets',
            "fetch_error_handed_over", ["boom"], id="an error that franz-go hands to its application",
        ),
        pytest.param(
            "2026-01-05 10:00:00 +0000 [error]: #3 Connection error while trying to join group `orders`; retrying...",
            "join_without_connection", ["orders", "no connection to the coordinator"], id="no coordinator refused what had no connection",
        ),
        pytest.param(
            '2026-01-05 10:00:00 +0000 [warn]: #0 failed to flush the buffer. retry_times=0 next_retry_time=2026-01-05 10:00:02 +0000 chunk="5eb1" error_class=Kafka::BufferOverflow error="Cannot produce to orders, max buffer size (1000 messages) reached"',
            "buffer_full_kept", ["orders", "(1000)", "keeps the chunk"], id="a chunk that fluentd keeps is not lost",
        ),
        pytest.param(
            '2026-01-05 10:00:00 +0000 [warn]: #2 failed to flush the buffer. retry_time=0 next_retry_seconds=2026-01-05 10:01:00 +0000 chunk="5a24" error_class=Rdkafka::RdkafkaError error="Local: Unknown topic (unknown_topic)"',
            "topic_missing", ["librdkafka"], id="a topic that is not there, in librdkafka's own words",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,427] [22] [ERROR] [^---Fetcher]: Crashed reason=ConsumerStoppedError()",
            "faust_crashed", ["Fetcher", "ConsumerStoppedError"], id="a service of a Faust worker that crashed",
        ),
    ],
)  # fmt: skip
def test_the_cause_is_what_the_client_means(text, kind, words):
    (incident,) = (one for one in told(text) if one.verdict != "benign")
    assert incident.kind == kind
    for word in words:
        assert word in f"{incident.title} {incident.cause} {incident.advice}"


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        (
            'time="x" {"level":"warn","msg":"unable to open connection to broker","addr":"[SASL_PLAINTEXT://kafka1:9092]:9092","br',
            "address_malformed", "[SASL_PLAINTEXT://kafka1:9092]:9092",
        ),
        (
            "2026.01.05 10:00:00.386958 [ 56 ] {} <Error> void DB::StorageKafka::threadFunc(): Code: 252, e.displayText() = DB::Exception: Too many parts (300).: while write prefix to view orders, Stack trace:",
            "clickhouse_insert_failed", "view orders",
        ),
        (
            "WARN  2026-01-05 10:00:00,440 [shard 0] raft - [group_id:269, {kafka/orders/26}] consensus.cc:484 - Node {id: {0}, revision: {2936}} recovery failed - (error rpc::errc:4, rpc::errc::client_request_timeout)",
            "redpanda_erred", "orders/26",
        ),
    ],
)  # fmt: skip
def test_a_loud_line_of_no_form_is_told_by_its_words(text, kind, word):
    (worded,), _ = told_by_words(scan("app.log", [f"{text}\n".encode()]).speaking, [])
    assert worded.incident.kind == kind
    assert word in worded.incident.title


def test_a_failure_that_names_no_client_is_of_the_one_whose_broker_it_names():
    lines = [
        "I, [2026-01-05T10:00:00.960504 #4711]  INFO -- : Fetching cluster metadata from kafka://b1.example.org:9092",
        "E, [2026-01-05T10:00:00.961334 #4711] ERROR -- : Failed to connect to b1.example.org:9092: Connection refused - connect(2)",
        "E, [2026-01-05T10:00:00.961335 #4711] ERROR -- : Failed to connect to cache1:6379: Connection refused - connect(2)",
    ]
    (line,) = scan("app.log", ["\n".join(lines).encode()]).speaking
    assert (line.line, line.client) == (2, "ruby-kafka")


@pytest.mark.parametrize(
    "said",
    [
        "2026-01-05T10:00:00Z DEBUG kafka_scaler Kafka scaler: Providing metrics based on totalLag 43697, topicPartitions 1, threshold 1000",
        "[2026/01/05 10:00:00] [ info] [output:kafka:kafka.0] brokers='10.0.0.5:9092' topics='orders'",
        '{"level":"debug","msg":"kafka broker disconnected","source":"kafka_client_hooks","host":"kafka1"}',
    ],
)
def test_what_stands_on_a_client_says_nothing_wrong(said):
    assert told_anywhere(said) is not None
    assert not told(said)


@pytest.mark.parametrize(
    "said",
    [
        "2026-01-05 10:00:00,700 - kafka.consumer.subscription_state - INFO - Updated partition assignment: []",
        "2026-01-05 10:00:00,701 - aiokafka.consumer.group_coordinator - INFO - Setting newly assigned partitions set() for group orders",
        '{"level":"INFO","timestamp":"2026-01-05T10:00:00.846Z","logger":"kafkajs","message":"[ConsumerGroup] Consumer has joined the group","groupId":"orders","memberId":"app-1","memberAssignment":{},"duration":42}',
        "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nassignments received: []",
        "received empty assignments for group, orders as member app@host for generation 4",
        "I, [2026-01-05T10:00:00.960411 #38385]  INFO -- : There are no partitions to fetch from, sleeping for 1s",
    ],
)
def test_a_member_without_partitions_is_said_to_be_idle(said):
    (incident,) = told(said)
    assert incident.verdict == "benign"
    assert "has no partition" in incident.cause


def test_a_member_with_partitions_is_not():
    said = "kafka.coordinator.consumer - INFO - Setting newly assigned partitions {TopicPartition(topic='orders', partition=4)} for group orders"
    assert not told(f"2026-01-05 10:00:00,701 - {said}")


DOWN = "%3|{}.125|ERROR|pay#consumer-1| [thrd:{}]: {} brokers are down"
FAIL = "%3|{}.125|FAIL|pay#consumer-1| [thrd:b1:9092/bootstrap]: b1:9092/1: {}"


@pytest.mark.parametrize(
    ("lines", "is_trouble"),
    [
        pytest.param([DOWN.format(1767607200, "GroupCoordinator", "1/1")], False, id="the coordinator's connection, at a close"),
        pytest.param([DOWN.format(1767607200, "b1:9092/bootstrap", "1/1")], True, id="a broker's"),
        pytest.param([DOWN.format(1767607200, "GroupCoordinator", "3/3")], True, id="all of several"),
        pytest.param([FAIL.format(1767607200, "Receive failed: Disconnected"), DOWN.format(1767607200, "b1:9092/bootstrap", "1/1")], False, id="beside a connection that was closed without an error"),
        pytest.param([FAIL.format(1767607200, "Receive failed: Disconnected").replace("/1:", "/bootstrap:"), DOWN.format(1767607200, "b1:9092/bootstrap", "1/1")], True, id="beside the only one, on which no broker told of the cluster"),
        pytest.param([FAIL.format(1767607200, "Receive failed: Disconnected").replace("/1:", "/bootstrap:"), DOWN.format(1767607200, "b1:9092/bootstrap", "4/4")], False, id="beside a bootstrap one of several"),
        pytest.param([FAIL.format(1767607200, "Disconnected (after 660461ms in state UP)"), "librdkafka internal error occurred: Local: Broker transport failure (transport)"], False, id="a binding's event of one that rested"),
        pytest.param([FAIL.format(1767607200, "Disconnected (after 660461ms in state UP)"), "Failed to get metadata: Local: Broker transport failure"], True, id="a call that failed beside it"),
        pytest.param([FAIL.format(1767607200, "Receive failed: Connection reset by peer"), DOWN.format(1767607200, "b1:9092/bootstrap", "1/1")], True, id="beside one that was cut"),
        pytest.param([FAIL.format(1767607200, "Connect to ipv4#10.0.0.5:9092 failed: Connection refused (after 1ms in state CONNECT)"), DOWN.format(1767607200, "GroupCoordinator", "1/1")], True, id="beside one that is refused"),
    ],
)  # fmt: skip
def test_all_brokers_are_down_only_where_one_is(lines, is_trouble):
    assert any(one.verdict != "benign" for one in told(*lines)) == is_trouble


@pytest.mark.parametrize(
    ("then", "is_trouble"),
    [
        pytest.param(["orders-3 1 to 1,2", "orders-3 1,2 to 1,2,3"], False, id="all of them are back"),
        pytest.param(["orders-3 1 to 1,2"], True, id="one is not"),
        pytest.param(["orders-4 1 to 1,2,3"], True, id="another partition's are"),
    ],
)
def test_replicas_that_are_in_sync_again_are_no_trouble(then, is_trouble):
    head = "[2026-01-05 10:00:{:02d},123] INFO [Partition {} broker=1] {} (kafka.cluster.Partition)"
    shrunk = "Shrinking ISR from 1,2,3 to 1. Leader: (highWatermark: 10, endOffset: 12). Out of sync replicas: (brokerId: 2, endOffset: 10) (brokerId: 3, endOffset: 10)."
    lines = [head.format(0, "orders-3", shrunk)]
    for number, said in enumerate(then):
        partition, _, change = said.partition(" ")
        lines.append(head.format(20 + number, partition, f"Expanding ISR from {change}"))
    assert any(one.verdict != "benign" for one in told(*lines)) == is_trouble


def test_a_worker_that_ended_is_told_as_that_whatever_ended_it():
    (incident,) = told(
        "[2026-01-05 10:00:05,123] ERROR [Worker clientId=connect-1, groupId=connect] Uncaught exception in herder work thread, exiting:  (org.apache.kafka.connect.runtime.distributed.DistributedHerder)\n"
        "org.apache.kafka.common.errors.TimeoutException: Timeout of 60000ms expired before the position for partition connect-offsets-0 could be determined"
    )
    assert incident.kind == "connect_worker_died"
    assert "connect-offsets-0" in incident.title


def test_a_scaler_s_own_failure_is_no_consumer_s():
    said = '2026-01-05T10:00:00Z ERROR scale_handler error getting scale decision {"scaledObject.Name": "orders", "scaler": "kafkaScaler", "error": "scaler with id 2 not found. Len = 0"}'
    (worded,), _ = told_by_words(scan("keda.log", [f"{said}\n".encode()]).speaking, [])
    assert (worded.incident.kind, worded.incident.impact) == ("keda_failed", "unknown")


HEAD = "[2026-01-05 10:00:00,123] {} ({})\n{}\n\tat software.amazon.msk.auth.iam.internals.MSKCredentialProvider.resolveCredentials(MSKCredentialProvider.java:110)\n\tat org.apache.kafka.common.network.NetworkReceive.readFrom(NetworkReceive.java:95)\n"
CHAIN = "software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain:85"
LACKS = "software.amazon.awssdk.core.exception.SdkClientException: Unable to load credentials from system settings."


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        pytest.param(HEAD.format("DEBUG Unable to load credentials from EnvironmentVariableCredentialsProvider()", CHAIN, LACKS), [], id="a try of another library's, at DEBUG"),
        pytest.param(HEAD.format("ERROR Unable to load credentials", CHAIN, LACKS), ["Unable to load credentials"], id="its failure"),
    ],
)  # fmt: skip
def test_what_a_library_tried_at_debug_is_no_failure(text, quoted):
    told_, _ = told_by_words(scan("app.log", [text.encode()]).speaking, [])
    assert [word in f"{one.incident.title} {one.incident.cause}" for one in told_ for word in quoted] == [
        True
    ] * len(quoted)
    assert len(told_) == len(quoted)


def test_what_ended_a_connection_is_quoted_without_the_head_of_its_line():
    head = "2026-01-05 10:00:00,123 DEBUG [Producer clientId=p] Connection with b1/10.0.0.5 (channelId=1) disconnected (org.apache.kafka.common.network.Selector)"
    record = f"{head}\njava.io.IOException: Connection reset by peer\n\tat java.base/sun.nio.ch.SocketDispatcher.read0(Native Method)"
    (worded,), _ = told_by_words([RawLine("app.log", 1, head, "exception", record=record)], [])
    assert "IOException: Connection reset by peer" in worded.incident.cause
    assert "DEBUG" not in worded.incident.cause


def test_what_redpanda_s_listeners_say_of_a_client_is_no_failure_within_it():
    said = "WARN  2026-01-05 10:00:00,440 [shard 0] kafka - connection_context.cc:300 - Error processing request: SASL authentication failed"
    (worded,), _ = told_by_words(scan("app.log", [f"{said}\n".encode()]).speaking, [])
    assert worded.incident.kind != "redpanda_erred"


SESSION = "%4|1767607200.125|SESSTMOUT|pay#consumer-1| [thrd:main]: Consumer group session timed out (in join-state {}) after 30089 ms without a successful response from the group coordinator (broker {}, last error was {}): revoking assignment and rejoining group"


@pytest.mark.parametrize(
    ("state", "broker", "error", "words", "never"),
    [
        ("steady", 3, "Local: Broker transport failure", "(broker 3) had ended with", "no error"),
        ("steady", 3, "Success", "coordinator (broker 3), had no error", "had ended"),
        ("wait-join", 3, "Success", "", "heartbeat that was answered"),
        ("steady", -1, "Local: Timed out", "knew no coordinator", "(broker -1) had"),
    ],
)  # fmt: skip
def test_a_session_of_librdkafka_is_told_with_its_coordinator_s_last_word(state, broker, error, words, never):
    (incident,) = told(SESSION.format(state, broker, error))
    assert words in incident.cause
    assert never not in incident.cause
