# ruff: noqa: E501  # a line of a log is a line
"""Lines of kafka-node, kafkajs, fluentd's output and of Go and Python that stand without their fields, or are told again."""

import pytest

from lab.layouts.score import events_in
from tests.transforms.parse.typed import event, events


@pytest.mark.parametrize(
    ("written", "kind", "said"),
    [
        ("[warn]: #0 Send exception occurred: undefined method `pay' for nil:NilClass", "other_kafka", {"message_id": "fluentd-send-failed"}),
        ("kafka-node:ConsumerGroup pay-node Heartbeat error: { RebalanceInProgress: Kafka Error Code: 27", "heartbeat_failed", {"message_id": "kafka-node-rebalancing", "error_class": "RebalanceInProgress"}),
        ("kafka-node:ConsumerGroup pay-node Heartbeat error: { BrokerNotAvailableError: Broker not available", "heartbeat_failed", {"error_class": "BrokerNotAvailableError"}),
        ("kafka-node:ConsumerGroup pay-node owns topics:  { pay: [ 3, 4 ] } +0ms", "partitions_assigned", {"partition": 3}),
        ("kafka-node:ConsumerGroup SyncGroup Response +4ms", "sync", {"client_library": "kafka-node"}),
        ("  kafka-node:ConsumerGroupRecovery RECOVERY from connect: pay-node retrying in 1200 ms { GroupLoadInProgress: Kafka Error Code: 14", "coordinator_lost", {"error_class": "GroupLoadInProgress"}),
        ("kafka-node:ConsumerGroupRecovery RECOVERY from connect: pay-node retrying in 1200 ms UnknownMemberId: Kafka Error Code: 25", "other_kafka", {"message_id": "kafka-node-join-refused", "error_class": "UnknownMemberId"}),
        ("PHP Fatal error:  Uncaught Kafka\\Exception: Not has broker can connection `metadataBrokerList` in /app/vendor/nmred/kafka-php/src/Kafka/Consumer/Process.php on line 193", "connect_failed", {"message_id": "phpkafka-connect-failed"}),
        ("Kafka\\Exception\\ConnectionException: It was not possible to establish a connection for metadata with the brokers \"b1:9092\"", "connect_failed", {"client_library": "phpkafka"}),
        ("Kafka\\Exception: Could not connect to b1:9092 (Connection refused [111])", "connect_failed", {"client_library": "phpkafka"}),
        ("Kafka\\Exception\\Socket: Unexpected EOF while reading 4 bytes from stream (no data)", "disconnect", {"client_library": "phpkafka"}),
        ("[2026-01-05 10:00:00] local.ERROR: Timed out reading 4 bytes {\"exception\":\"[object] (Kafka\\\\Exception\\\\Socket(code: 0): Timed out reading 4 bytes from stream at /app/Socket.php:27)", "request_timeout", {"client_library": "phpkafka"}),
        ("2026/01/05 10:00:00 Error making pay: kafka: Client has run out of available brokers to talk to. Is your cluster reachable?", "connect_failed", {"client_library": "sarama"}),
        ("%7|1700000000.125|TOPICERR|pay#consumer-2| [thrd:b1:9092/3]: Subscribed topic not available: pay: Broker: Unknown topic or partition", "other_kafka", {"message_id": "rdkafka-topic-not-available", "topic": "pay"}),
        ("pay: could not successfully authenticate to b1:9092 with SASL: SASL handshake failed: EOF", "connect_failed", {"message_id": "kafka-go-connect-failed"}),
        ("2026/01/05 10:00:00 pay: SASL authentication process has failed: EOF", "connect_failed", {"client_library": "kafka-go"}),
        ("WARNING:kafka.producer.record_accumulator:Produced messages to topic-partition TopicPartition(topic='pay', partition=3) with base offset -1 and error KafkaTimeoutError: Batch for TopicPartition(topic='pay', partition=3) containing 4 record(s) expired: 30 seconds have passed since last append.", "batch_expired", {"topic": "pay", "partition": 3}),
        ("Error: KafkaConsumer is not connected", "other_kafka", {"message_id": "rdkafka-not-connected"}),
        ("Error: Client is disconnected\n    at KafkaConsumer.seek (/app/lib/kafka-consumer.js:645:11)", "other_kafka", {"message_id": "rdkafka-not-connected"}),
        ('kafka-node:ConsumerGroup joinGroupResponse {"members":[],"generationId":7,"groupProtocol":"roundrobin","leaderId":"a-1","memberId":"a-2"} from pay-node +1ms', "joined", {"generation": 7, "member_id": "a-2"}),
        ("kafka-node:ConsumerGroup pay-node leaving group +2s", "leave_group", {}),
        ('time=now level=INFO msg="heartbeat errored"', "heartbeat_failed", {"message_id": "franz-go-heartbeat-unsaid"}),
        ('{"level":"DEBUG","timestamp":"2026-01-05T10:00:00.204Z","logger":"kafkajs","message":"[Connection] Response Heartbeat(key: 12, version: 3)","broker":"b1:9092","clientId":"pay","error":"The group is rebalancing, so a rejoin is needed","correlationId":7,"payload":{"type":"Buffer","data":"[filtered]"}}', "other_kafka", {"message_id": "kafkajs-answer-again"}),
        ("ERRO[0016] can not read pay of kafka: dial tcp [::1]:9092: getsockopt: connection refused  source=pay.go:7", "connect_failed", {"client_library": "go"}),
        ("pay of kafka: dial tcp 10.0.0.4:9093: connection refused", "connect_failed", {"message_id": "go-dial-failed"}),
        ("pay of kafka: dial tcp 10.0.0.4:9093: connectex: No connection could be made because the target machine actively refused it.", "connect_failed", {"message_id": "go-dial-failed"}),
        ("pay of kafka: dial tcp 10.0.0.4:9093: socket: too many open files", "connect_failed", {"message_id": "go-dial-failed"}),
        ("pay of kafka: dial tcp: lookup b7 on 10.0.0.2:53: no such host", "connect_failed", {"message_id": "go-dial-failed"}),
        ("2026/01/05 10:00:00.353 WARNI module=aiokafka.consumer.group_coordinator.group_coordinator._do_heartbeat Message=Heartbeat failed for group orders because it is rebalancing", "heartbeat_failed", {"client_library": "aiokafka"}),
        ("ERROR: consumer pay[0] error:The leader epoch in the request is older than the epoch on the broker", "other_kafka", {"message_id": "unnamed-protocol-error", "error_class": "FENCED_LEADER_EPOCH"}),
        ("pay partitions incrementally assigned: [3,4], all: [3,4]", "partitions_assigned", {"topic": "pay", "partition": 3}),
        ("1700000000.125|FAIL|pay#consumer-2| [thrd:b1:9092/bootstrap]:b1:9092/bootstrap: Failed to resolve 'b1:9092':Name does not resolve", "connect_failed", {"client_id": "pay#consumer-2"}),
        ("-181|2026-01-05 10:00:00.642|pay#consumer-2|FAIL| ssl://b1:9093/bootstrap: SSL handshake failed: client authentication might be required (see broker log)\nError: UNKNOWN_TOPIC_OR_PART", "connect_failed", {"client_id": "pay#consumer-2"}),
        ("3|2026-01-05 10:00:00.642|pay#producer-2|ERROR| b1:9092/2: 3 request(s) timed out: disconnect", "other_kafka", {"message_id": "rdkafka-error"}),
        ("SAID: [thrd:app]: Failed to open Windows certificate Root store: No access...: falling back to OpenSSL default CA paths", "other_kafka", {"message_id": "rdkafka-ca-store"}),
        ("%5|1700000000.125|CERTSTORE|pay#producer-2| [thrd:app]: No CA certificates loaded from Windows certificate stores: falling back to default OpenSSL CA paths", "other_kafka", {"message_id": "rdkafka-ca-store"}),
        ("RevokedPartitions: [pay[3]@unset pay[4]@unset]", "partitions_revoked", {"topic": "pay", "partition": 3}),
        ('{"consumer":"pay#consumer-2","level":"info","msg":"Event: AssignedPartitions: [pay[3]@unset]"}', "partitions_assigned", {"client_id": "pay#consumer-2", "topic": "pay"}),
        ("Revoking assignment: [pay [[3]] @Unset [-1001], pay [[4]] @Unset [-1001]]", "partitions_revoked", {"topic": "pay", "partition": 3}),
        ("Incremental partition assignment: [pay [[3]]]", "partitions_assigned", {"topic": "pay", "partition": 3}),
        ("2026-01-05 10:00:00,242[pay_listener][a:b Line 7][INFO] - Kafka consumer rebalance: partitions revoked ({TopicPartition(topic='pay', partition=3)})", "partitions_revoked", {"topic": "pay", "partition": 3}),
        ("2026-01-05 10:00:00,242 INFO rebalance: assigned [TopicPartition(topic='pay', partition=3)]", "partitions_assigned", {"partition": 3}),
        ("%3|1767607200.115|ERROR|pay#consumer-1| [thrd:b7:9092/bootstrap]: b7:9092/bootstrap: Disconnected", "other_kafka", {"message_id": "rdkafka-error"}),
        ("[sarama] 2026/01/05 10:00:00 read tcp 127.0.0.1:59698->127.0.0.1:9095: i/o timeout", "request_timeout", {"client_library": "sarama"}),
        ("error writing messages to <my topic> (partition 3): EOF", "produce_retry", {"topic": "<my topic>", "partition": 3}),
        ('Post rebalance Assign(TPL {pay/3: offset=Invalid metadata=""; pay/4: offset=Invalid metadata=""})', "partitions_assigned", {"topic": "pay", "partition": 3}),
        ("2026-01-05T10:00:00   RDKAFKA - 3 - ERROR: [thrd:ssl://b7:9092/7]: ssl://b7:9092/7: SSL handshake failed: SSL syscall error number: 5", "other_kafka", {"message_id": "rdkafka-error", "node_id": 7}),
        ("%3|1767607200.115|ERROR|pay#consumer-1| [thrd:b7:9092/7]: b7:9092/7: Failed to resolve 'b7:9092': Name or service not known", "other_kafka", {"message_id": "rdkafka-error"}),
        ("pay_1    | dial tcp 172.18.0.4:9092: connect: connection refused", "connect_failed", {"message_id": "go-dial-failed"}),
        ("2026-01-05T10:00:00Z E! [agent] Error writing to outputs.kafka: kafka: Failed to deliver 2 messages.", "produce_retry", {"message_id": "telegraf-write-failed"}),
        ("ERRO[0011] Cannot get consumer group: dial tcp 10.0.0.7:19092: connect: connection refused  source=\"kafka_exporter.go:284\"", "connect_failed", {"message_id": "go-dial-failed", "group_id": None}),
        ("ERRO[0011] Cannot get oldest offset of topic pay partition 2: dial tcp: lookup k1 on 10.0.0.8:53: no such host  source=\"kafka_exporter.go:284\"", "connect_failed", {"message_id": "go-dial-failed", "topic": "pay", "partition": 2}),
        ("E! Error writing to output [kafka]: FAILED to send kafka message: dial tcp 10.0.0.11:9092: connectex: A socket operation was attempted to an unreachable host.", "connect_failed", {"message_id": "go-dial-failed"}),
        ("Connection error while fetching messages: Connection refused - connect(2) for 10.1.24.5:9092", "connect_failed", {"client_library": "ruby-kafka"}),
        ("Connection error while fetching messages: Connection error EOFError: EOFError", "disconnect", {"client_library": "ruby-kafka"}),
        ('2026-01-05 10:00:00,864 Caught PayError(code=49), shutting down...\nTraceback (most recent call last):\n  File "/usr/src/snuba/snuba/cli/consumer.py", line 161, in consumer', "other_kafka", {"error_class": "PayError"}),
    ],
)  # fmt: skip
def test_what_a_line_says_and_its_fields(written, kind, said):
    told = event(written)
    assert told.kind == kind
    assert {name: getattr(told, name) for name in said} == said


@pytest.mark.parametrize("first", ["", "  ", "pay starts\n  "])
def test_what_debug_of_npm_prints_is_a_line_each_however_indented(first):
    lines = "kafka-node:ConsumerGroup SyncGroup Response +4ms\n  kafka-node:ConsumerGroup pay-node owns topics:  { pay: [ 3 ] } +0ms\n"
    failed = "  kafka-node:ConsumerGroup pay-node Heartbeat error: { UnknownMemberId: Kafka Error Code: 25\n    at new UnknownMemberId (/app/kafka.js:4:9)\n    at kafkaOf (/app/x.js:1:9)\n"
    told = events_in(first + lines + failed)
    assert [one.kind for one in told][-3:] == ["sync", "partitions_assigned", "heartbeat_failed"]


@pytest.mark.parametrize("fence", ["```\n", "```\n\n"])
@pytest.mark.parametrize("sign", ["", "> ", "> > "])
def test_lines_of_one_length_within_a_fence_were_not_broken_at_a_width(fence, sign):
    said = f"{sign}ERRO[0016] Cannot get current offset of topic pay partition {{}}: dial tcp [::1]:9092: connect: connection refused"
    lines = "".join(said.format(number) + "\n" for number in (41, 42, 43))
    told = events_in(f"{fence}{lines}```\n")
    assert [one.partition for one in told] == [41, 42, 43]


@pytest.mark.parametrize(
    "said", ["partition is not assigned: ", "Unassigned partition ", "consumer.assign(["]
)
def test_a_partition_that_is_named_was_not_assigned_by_that(said):
    assert [one.kind for one in events(f"{said}TopicPartition(topic='pay', partition=3)")] in (
        [],
        ["other_kafka"],
    )


@pytest.mark.parametrize(
    ("said", "kind", "fields"),
    [
        (
            "Kafka::OffsetCommitError: Kafka::NotCoordinatorForGroup",
            "commit_failed",
            {"error_class": "NotCoordinatorForGroup"},
        ),
        (
            "Kafka::OffsetCommitError: No broker with id 1",
            "commit_failed",
            {"error_class": "OffsetCommitError"},
        ),
        ("** (stop) {:reached_max_retries, :no_leader_connection}", "produce_failed", {"topic": None}),
        (
            "terminated with reason: {reached_max_retries,{produce_response_error,<<\"pay\">>,7,-1,'NotLeaderForPartition'}}",
            "produce_failed",
            {"topic": "pay", "partition": 7},
        ),
    ],
)
def test_what_ruby_raises_of_a_commit_and_brod_of_a_record_are_of_that(said, kind, fields):
    told = event(said)
    assert told.kind == kind
    assert {name: getattr(told, name) for name in fields} == fields
