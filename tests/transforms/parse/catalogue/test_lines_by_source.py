# ruff: noqa: E501  # a log line stays one line
"""Statements as libraries and what is built on them print them, gone over by their sources: kind, family and fields."""

import pytest

from tests.transforms.parse.typed import event
from transforms.parse.catalogue.other_clients import client_of_other_language


@pytest.mark.parametrize(
    ("written", "kind", "said"),
    [
        ("Failed to sync group pay: [25] Unknown Member ID: the member id is not in the current generation", "other_kafka", {"message_id": "kafka-go-join-refused", "group_id": "pay", "error_class": "UNKNOWN_MEMBER_ID"}),
        ("committing message: [25] Unknown Member ID: the member id is not in the current generation", "commit_failed", {"message_id": "kafka-go-commit-failed"}),
        ("leave group failed for group, pay, and member, pay@b7-1: EOF", "other_kafka", {"message_id": "kafka-go-error", "group_id": "pay", "member_id": "pay@b7-1"}),
        ("unable to find selected balancer, sticky, for group, pay", "other_kafka", {"message_id": "kafka-go-error"}),
        ("the compression code is invalid or its codec has not been imported", "other_kafka", {"message_id": "kafka-go-error"}),
        ("kafka dial: unexpected EOF: broker appears to be expecting TLS", "connect_failed", {"client_library": "kafka-go"}),
        ("kafka call: [100] Unknown Topic ID: This server does not host this topic ID", "other_kafka", {"message_id": "kafka-go-error", "error_class": "UNKNOWN_TOPIC_ID"}),
        ("Error while performing SASL Auth b7.example.org:9092", "connect_failed", {"client_library": "sarama"}),
        ("Lost connection to server: http://b7.example.org:9092/", "disconnect", {"message_id": "unnamed-disconnected"}),
        ("WARN connection to b7.example.org:9092 was lost", "disconnect", {"message_id": "unnamed-disconnected"}),
        ("Error while closing connection to broker b7:9093 (due to SASL v1 auth error: kafka server: SASL Authentication failed): EOF", "connect_failed", {"client_library": "sarama"}),
        ("producer/txnmanager rolling over epoch due to publish failure on pay/7", "other_kafka", {"message_id": "sarama-in-trouble", "topic": "pay", "partition": 7}),
        ("producer/txnmgr [pay-7] transaction aborted", "other_kafka", {"message_id": "sarama-transaction-aborted"}),
        ("producer/leader/pay/7 abandoning broker 3", "other_kafka", {"message_id": "sarama-broker-changed", "node_id": 3}),
        ("client/brokers registered new broker #7 at b7:9092", "other_kafka", {"message_id": "sarama-works", "node_id": 7}),
        ('{"level":"panic","msg":"No messages processed in the last check interval, possible deadlock, exiting. This behavior can be disabled","partition":7}', "other_kafka", {"message_id": "sarama-in-trouble"}),
        ("[Processor pay > PartitionProcessor (7)] partition processor did not shutdown in time. Will stop waiting", "other_kafka", {"message_id": "goka-failed", "group_id": "pay"}),
        ("processor ended: error processing message for key a from pay/7: panic in callback: x", "other_kafka", {"message_id": "goka-failed", "topic": "pay", "partition": 7}),
        ("[View pay] received message in topic pay, partition 7 after catchup. Another processor is still producing messages. Ignoring message.", "other_kafka", {"message_id": "goka-failed"}),
        ("Leader not yet available for `pay`, waiting 1s...", "other_kafka", {"message_id": "ruby-topic-awaited"}),
        ("[[pay] {}:] Received signal SIGTERM, shutting down", "other_kafka", {"message_id": "ruby-passing"}),
        ("2026-01-05 10:00:00 +0000 [warn]: #3 Re-starting consumer 2026-01-05 10:00:00 +0000", "other_kafka", {"message_id": "ruby-passing"}),
        ("2026-01-05 10:00:00 +0000 [warn]: #3 'max_wait_ms' parameter is deprecated. Use second unit 'max_wait_time' instead", "other_kafka", {"message_id": "ruby-passing"}),
        ("[[pay] {}:] Automatically resuming partition pay/7, pause timeout expired", "other_kafka", {"message_id": "ruby-held-back"}),
        ("Error executing interceptor for topic: pay partition: 7: boom", "other_kafka", {"message_id": "ruby-handler-failed", "topic": "pay"}),
        ("Received out-of-order response id 8, was expecting 7", "other_kafka", {"message_id": "ruby-error"}),
        ('2026-01-05 10:00:00 +0000 [warn]: #3 unexpected error during format record. Skip broken event: error="x" error_class="y"', "produce_failed", {"message_id": "ruby-event-discarded"}),
        ("Failed to process pay/7 at 41..47: undefined method `x' for nil", "other_kafka", {"message_id": "rdkafka-racecar-failed", "topic": "pay", "partition": 7}),
        ("Still trying to deliver message to (partition 7)... (will try up to Racecar.config.message_timeout)", "produce_retry", {"client_library": "librdkafka", "partition": 7}),
        ("Message for `pay` dropped due to buffer overflow", "other_kafka", {"message_id": "ruby-buffer-full", "topic": "pay"}),
        ('[2026-01-05T10:00:00:123+0200Z] ERROR -- Phobos : <Hash> {:message=>"error processing message, waiting 3.1s", :retry_count=>1, :exception_class=>"ArgumentError", :exception_message=>"none", :topic=>"pay"}', "other_kafka", {"message_id": "ruby-handler-failed", "topic": "pay"}),
        ("% Reached end of topic pay [7] at offset 41: exiting", "other_kafka", {"message_id": "rdkafka-kcat-line", "partition": 7}),
        ("% ERROR: Topic pay (with partitions 0..5): partition 7 does not exist", "other_kafka", {"message_id": "rdkafka-kcat-topic", "topic": "pay", "partition": 7}),
        ("% Group pay rebalanced (memberid rdkafka-7): revoked: pay [7]", "partitions_revoked", {"group_id": "pay", "member_id": "rdkafka-7"}),
        ("% Group pay rebalanced: incremental assignment of 1 partition(s) (memberid rdkafka-7, COOPERATIVE rebalance protocol): pay [7]", "partitions_assigned", {"group_id": "pay"}),
        ('time="2026-01-05T10:00:00Z" level=info msg="Reading data from local connection on 127.0.0.1:30001 from 127.0.0.1:51022 (b7:9092) had error: api key 5635 is invalid, possible cause: using plain connection instead of TLS"', "other_kafka", {"message_id": "kafka-proxy-refused"}),
        ("Produce error pay-7 Offset: -1 Error: message_too_large", "produce_failed", {"client_library": "brod", "topic": "pay"}),
        ("Produce error pay-7 Offset: -1 Error: not_enough_replicas", "produce_retry", {"client_library": "brod"}),
        ("pay-7 empty_batch_detected_at_offset=41, fetch_api_vsn=11, skip_to_offset=42", "other_kafka", {"message_id": "brod-batch-empty"}),
        ("Discarded invalid committed offset 41 for: pay:7", "other_kafka", {"message_id": "brod-offset-out-of-range", "topic": "pay", "partition": 7}),
        ("Consumer after_consume failed due to an error: boom [consumer_group: pay, subscription_group: 5_0]", "other_kafka", {"message_id": "karafka-handler-failed", "group_id": "pay"}),
        ("Swarm manager detected unresponsive node 77. Sending KILL signal...", "other_kafka", {"message_id": "karafka-in-trouble"}),
        ("Current Producer for transaction pay-0-7 fenced", "fenced", {"client_library": "aiokafka"}),
        ("Exception in abort_transaction for transaction pay-0-7 exception IllegalOperation()", "other_kafka", {"message_id": "faust-transaction-failed", "error_class": "IllegalOperation"}),
        ("[^--Recovery]: Recovery rebalancing again", "other_kafka", {"message_id": "faust-normal"}),
        ("RuntimeException: Was unable to flush, messages might be lost! in /srv/p.php:7", "other_kafka", {"client_library": "librdkafka"}),
        ("{\n  message: 'Worker 3 encountered an error: TypeError: x',\n}", "other_kafka", {"message_id": "rdkafka-error-printed"}),
        ("Kafka output is configured with finite retry. This instructs Logstash to LOSE DATA", "config_warning", {"message_id": "logstash-retries-finite"}),
        ('{"level":"ERROR","logger":"kafkajs","message":"[Consumer] Crash: KafkaJSNonRetriableError: Unsupported partition assigner \\"Mine\\", it is not there","groupId":"pay"}', "other_kafka", {"message_id": "kafkajs-crash", "group_id": "pay"}),
    ],
)  # fmt: skip
def test_what_a_statement_tells(written, kind, said):
    told = event(written)
    assert (told.kind, {name: getattr(told, name) for name in said}) == (kind, said)


def test_a_quote_within_a_string_ends_no_reason_of_a_crash():
    told = event(
        '{"level":"ERROR","logger":"kafkajs","message":"[Consumer] Crash: KafkaJSError: no \\"a\\" there","groupId":"pay"}'
    )
    assert told.details["error_message"].endswith("there")


@pytest.mark.parametrize(
    "text",
    [
        "{\n  message: 'Consumer connected',\n  name: 'pay#consumer-3',\n  fac: 'BINDING',\n  timestamp: 1767607200000\n}",
        '{"message":"Consumer connected","name":"pay#consumer-3","fac":"BINDING"}',
    ],
)
def test_what_a_binding_says_by_itself_is_of_its_client(text):
    head = client_of_other_language(text)
    assert head is not None
    assert (head.library, head.facility, head.client_id) == ("librdkafka", "BINDING", "pay#consumer-3")
