# ruff: noqa: E501  # a line of a log is a line
"""Lines of kafka-node, kafkajs, fluentd's output and franz-go that stand without their fields, or are told again."""

import pytest

from lab.layouts.score import events_in
from tests.transforms.parse.typed import event


@pytest.mark.parametrize(
    ("written", "kind", "said"),
    [
        ("[warn]: #0 Send exception occurred: undefined method `pay' for nil:NilClass", "other_kafka", {"message_id": "fluentd-send-failed"}),
        ("kafka-node:ConsumerGroup pay-node Heartbeat error: { RebalanceInProgress: Kafka Error Code: 27", "heartbeat_failed", {"message_id": "kafka-node-rebalancing", "error_class": "RebalanceInProgress"}),
        ("kafka-node:ConsumerGroup pay-node Heartbeat error: { BrokerNotAvailableError: Broker not available", "heartbeat_failed", {"error_class": "BrokerNotAvailableError"}),
        ("kafka-node:ConsumerGroup pay-node owns topics:  { pay: [ 3, 4 ] } +0ms", "partitions_assigned", {"partition": 3}),
        ("kafka-node:ConsumerGroup SyncGroup Response +4ms", "sync", {"client_library": "kafka-node"}),
        ('kafka-node:ConsumerGroup joinGroupResponse {"members":[],"generationId":7,"groupProtocol":"roundrobin","leaderId":"a-1","memberId":"a-2"} from pay-node +1ms', "joined", {"generation": 7, "member_id": "a-2"}),
        ("kafka-node:ConsumerGroup pay-node leaving group +2s", "leave_group", {}),
        ('time=now level=INFO msg="heartbeat errored"', "heartbeat_failed", {"message_id": "franz-go-heartbeat-unsaid"}),
        ('{"level":"DEBUG","timestamp":"2026-01-05T10:00:00.204Z","logger":"kafkajs","message":"[Connection] Response Heartbeat(key: 12, version: 3)","broker":"b1:9092","clientId":"pay","error":"The group is rebalancing, so a rejoin is needed","correlationId":7,"payload":{"type":"Buffer","data":"[filtered]"}}', "other_kafka", {"message_id": "kafkajs-answer-again"}),
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
