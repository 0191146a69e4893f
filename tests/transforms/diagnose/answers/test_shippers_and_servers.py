# ruff: noqa: E501  # a line of a log is a line
"""What shippers, operators, servers and bindings say of Kafka at whatever level, and whose members brokers speak of."""

import pytest

from tests.answered import answered
from tests.story import CONSUMER, line, story, told
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.raw_scan import scan
from transforms.diagnose.unexplained.source_read import ReadRecord, SourceRead
from transforms.diagnose.unexplained.unexplained_lines import unexplained
from transforms.diagnose.wording.loudness import loudness_of
from transforms.diagnose.wording.named_clients import client_of_id

RDKAFKA = "%{}|1700000000.125|{}|rdkafka#consumer-1| [thrd:main]: {}"
EVICTED = "[2026-01-05 10:00:08,392] INFO [GroupCoordinator 1]: Member {}-0f0e0d0c-7d86-49d1-a55c-f09cf833ca4d in group orders has failed, removing it from the group (kafka.coordinator.group.GroupCoordinator)"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            "[2026/01/05 10:00:19] [ warn] [engine] failed to flush chunk '7-1767607219.5.flb', retry in 61 seconds: task_id=3, input=tail.2 > output=kafka.1 (out_id=1)",
            "shipper_chunk_failed", ["7-1767607219.5.flb", "tail.2", "kafka.1", "61 s"], id="an output's instance is no name of a metric",
        ),
        pytest.param(
            "[2026/01/05 10:01:19] [ warn] [engine] chunk '7-1767607219.5.flb' cannot be retried: task_id=3, input=tail.2 > output=kafka.1",
            "shipper_chunk_lost", ["7-1767607219.5.flb", "records are lost"], id="a chunk that is given up",
        ),
        pytest.param(
            "[2026-01-05 10:00:19,305] WARN [UnifiedLog partition=bills-2, dir=/data/kafka] LogSegment(baseOffset=70, size=512, lastModifiedTime=1767607219000, largestRecordTimestamp=1767693619000) contains future timestamp(s), making it ineligible to be deleted (LogFutureTimestampLogger)",
            "clock_ahead", ["bills-2", "clock", "largestRecordTimestamp"], id="a producer's clock is ahead of its broker's",
        ),
        pytest.param(
            "INFO  2026-01-05 10:00:00,228 [shard 0] kafka - connection_context.cc:34 - Detected error processing request: std::runtime_error (Unsupported version 1 for list offsets API)",
            "redpanda_version_refused", ["version 1 of list offsets"], id="what Redpanda refuses it says at INFO",
        ),
        pytest.param(
            "INFO  2026-01-05 10:00:00,459 [shard 0:main] kafka - 10.1.2.3:56888 failed authorization - connection_context.cc:179 - proto: kafka rpc protocol, sasl state: complete, acl op: create, principal: type {user} name {billing}, resource: {orders}",
            "denied_by_redpanda", ["billing", "10.1.2.3:56888", "create", "orders"], id="what Redpanda denies it says at INFO",
        ),
        pytest.param(
            "INFO  2026-01-05 10:00:00,459 [shard 0:main] kafka/authz - connection_context.cc:203 - proto: kafka rpc protocol, acl op: read, principal: type {user} name {billing}, resource: {pay}",
            "denied_by_redpanda", ["billing", "read", "pay"], id="Redpanda's newer words do not say that it failed",
        ),
        pytest.param(
            "failed authorization - connection_context.h:83 - proto: kafka rpc protocol, sasl state: complete, acl op: describe, resource: {orders}",
            "denied_by_redpanda", ["describe", "orders"], id="Redpanda's older words name nobody",
        ),
        pytest.param(
            "WARN  2026-01-05 10:00:00,860 [shard 0:main] pandaproxy - service.cc:364 - mitigate_error: kafka::client::topic_error ({orders}, { error_code: topic_authorization_failed [29] })",
            "not_authorized", ["orders"], id="a right that Redpanda's own client lacks is no failure of its brokers",
        ),
        pytest.param(
            "2026-01-05 10:00:46 INFO  KafkaRoller:284 - Reconciliation #7(watch) Kafka(pay/main): Could not restart pod 2, giving up after 10 attempts. Total delay between attempts 127750ms\nio.strimzi.operator.cluster.operator.resource.KafkaRoller$FatalProblem: Error while waiting for restarted pod main-kafka-2 to become ready",
            "operator_pod_not_ready", ["main-kafka-2", "Kafka(pay/main)", "10 attempts"], id="a pod that was restarted is not one that may not be",
        ),
        pytest.param(
            "2026-01-05 10:00:46 INFO  KafkaRoller:382 - Reconciliation #7(timer) Kafka(pay/main): Could not verify pod main-brokers-2/2 is up-to-date, giving up after 10 attempts. Total delay between attempts 127750ms\nio.strimzi.operator.cluster.operator.resource.KafkaRoller$FatalProblem: Pod is unschedulable or is not starting",
            "operator_pod_not_started", ["pod main-brokers-2 of Kafka(pay/main)", "gave up after 10 attempts"], id="a pod that Kubernetes does not start",
        ),
        pytest.param(
            " | ERROR | [ZkClient-EventThread-7- 10.1.2.3:2181] | Error handling event ZkEvent[New session event sent to kafka.consumer.ZookeeperConsumerConnector$ZKSessionExpireListener@1] | org.I0Itec.zkclient.ZkEventThread.run(ZkEventThread.java:77)\n    kafka.common.ConsumerRebalanceFailedException: pay_b1-1-2 can't rebalance after 4 retries\n    at kafka.consumer.ZookeeperConsumerConnector.x(Z.scala:6)",
            "old_rebalance_failed", ["pay_b1-1-2", "4 retries"], id="ZooKeeper's address in a thread's name is no broker's",
        ),
        pytest.param(
            "[2026-01-05 10:00:56,009] WARN Auto topic creation failed for __consumer_offsets with error 'INVALID_REPLICATION_FACTOR': Unable to replicate the partition 3 time(s) (kafka.server.DefaultAutoTopicCreationManager)",
            "own_topic_not_made", ["__consumer_offsets", "offsets.topic.replication.factor of the brokers"], id="a topic that a broker makes for clients",
        ),
        pytest.param(
            "[2026-01-05 10:00:28,763] ERROR Expected 3 brokers but found only 1. Brokers found [kafka1:9092 (id: 1 rack: null)]. (io.confluent.admin.utils.ClusterStatus:87)",
            "no_broker_at_start", ["1 of 3"], id="an image's check before its start",
        ),
        pytest.param(
            "2026-01-05 10:00:12.404 WARN [authz] DENY operation Describe on topic:pay principal User:billing from 10.1.2.3 (app-7): no rule of this Kafka cluster matches",
            "denied_by_own_authorizer", ["billing", "10.1.2.3", "Describe", "topic:pay"], id="an authorizer that is not Kafka's own",
        ),
        pytest.param(
            "2026-01-05 10:00:12 ERROR FailedToRebalanceConsumerError: Exception: NODE_EXISTS[-110] (kafka consumer of pay)",
            "kafka_node_rebalance_failed", ["NODE_EXISTS"], id="a consumer that shares out by ZooKeeper",
        ),
        pytest.param(
            'time="2026-01-05T10:00:04Z" level=error msg="Too many failed attempts at processing Kafka message: pay/0/41 [key=]. Error: context canceled." scope=dapr.contrib',
            "record_given_up", ["pay/0/41", "session ended"], id="a try that was broken off",
        ),
        pytest.param(
            "zk1  | [2026-01-05 10:00:22,401] ERROR Unexpected exception, exiting abnormally (org.apache.zookeeper.server.ZooKeeperServerMain)\nzk1  | java.io.IOException: No snapshot found, but there are log entries. Something is broken!\nzk1  | \tat org.apache.zookeeper.server.persistence.FileTxnSnapLog.restore(FileTxnSnapLog.java:240)",
            "zookeeper_snapshot_missing", ["No snapshot found"], id="a stack trace with a container's name before each line",
        ),
        pytest.param(
            "2026/01/05 10:00:44 Service for input kafka_consumer failed to start, exiting",
            "said_to_fail", ["failed to start"], id="a line without a level that says that its program ends",
        ),
        pytest.param(
            '{"throwable":{"file":"/app/Commit.php:20","code":22,"message":"Broker: Specified group generation id is not valid","class":"RdKafka\\\\Exception"}}',
            "commit_refused", ["librdkafka"], id="an object that holds nothing but what was thrown",
        ),
        pytest.param(
            "2026/01/05 10:00:59 [error] 83#83: *3959 [lua] producer.lua:268: buffered messages send to kafka err: not found broker, retryable: true, topic: pay, partition_id: 3, length: 34, context: ngx.timer",
            "broker_not_in_metadata", ["pay-3", "refresh_interval"], id="a producer of Lua's whose metadata is old",
        ),
        pytest.param(
            "2026/01/05 10:00:25 [error] 30#30: *25 [lua] batch-processor.lua:106: Batch Processor[kafka logger] exceeded the max_retry_count[2] dropping the entries, context: ngx.timer",
            "sender_gave_up", ["2 retries", "records are lost"], id="a plugin that drops what it could not send",
        ),
        pytest.param(
            "Failed to fire hook: Error sending event to Kafka - kafka server: Message contents does not match its CRC.",
            "message_corrupt", ["compacted"], id="a message that a broker refused is no broken disk",
        ),
        pytest.param(
            "rp  | WARN  2026-01-05 10:00:25,1 [shard 0] kafka - rejecting produce request: no disk space; bytes free less than configurable threshold",
            "storage_failed", ["no disk space"], id="a broker without space",
        ),
        pytest.param(
            "kroxy  | 2026-01-05 10:00:16 <epoll-5-6> WARN  io.proxy.internal.KafkaFrontendHandler:331 - Connection to target on 10.0.0.7:9092 failed: Connection refused: /10.0.0.7:9092",
            "connect_failed", ["10.0.0.7:9092"], id="a warning of a class that is named after Kafka",
        ),
        pytest.param(
            "[2026-01-05 10:00:12,404: WARNING] [^---Recovery]: No event received for active tp TP(topic='pay-seen-changelog', partition=4) in the last 30.0 seconds (last event received 1 minute ago)",
            "faust_recovery_waits", ["pay-seen-changelog-4", "30.0 seconds"], id="a worker that reads its tables",
        ),
        pytest.param(
            "|Schema Registry failed to start",
            "registry_start_failed", ["did not start"], id="who starts a registry knows no more than that it ended",
        ),
        pytest.param(
            '{"log":"2026-01-05 10:00:08,004 ERROR kafka said \\"no\\": it failed here\\n","stream":"stdout","time":"2026-01-05T10:00:08.1Z"}',
            "said_to_fail", ['kafka said "no": it failed here'], id="a container's line without its envelope",
        ),
    ],
)  # fmt: skip
def test_what_stands_around_kafka_is_understood_by_its_words(text, kind, words):
    (worded, *_), _ = told_by_words(scan("app.log", [f"{text}\n".encode()]).speaking, [])
    assert worded.incident.kind == kind
    assert [word for word in words if word not in f"{worded.incident.title} {worded.incident.cause}"] == []


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            RDKAFKA.format(4, "OFFSET", "pay [3]: offset reset (at offset 12 (leader epoch 4), broker 5) to offset BEGINNING (leader epoch -1): Unable to validate offset and epoch: Local: SSL error: Local: Partition log truncation detected"),
            "offset_check_failed", ["pay-3", "BEGINNING", "Local: SSL error"], id="a position that could not be checked",
        ),
        pytest.param(
            RDKAFKA.format(4, "OFFSET", "pay [3]: offset reset (at offset 12 (leader epoch 4), broker 5) to offset END (leader epoch -1): fetch failed due to requested offset not available on the broker: Broker: Offset out of range"),
            "offset_out_of_range", ["pay-3"], id="a position that is not there, with epochs",
        ),
        pytest.param(
            "KAFKA-4-LEADER: rdkafka#producer-8 Topic pay: partition [9] is unknown (partition_cnt 6)",
            "partition_beyond_metadata", ["partition 9", "6 partitions"], id="metadata that does not fit together",
        ),
        pytest.param(
            "2026-01-05 10:00:57,354 ERROR 12 bad:  Error: Local: Erroneous state\n    at KafkaConsumer.assign (/app/node_modules/node-rdkafka/lib/kafka-consumer.js:243:16)",
            "call_out_of_place", ["assign", "no broker was asked"], id="a call that librdkafka itself refuses",
        ),
        pytest.param(
            "Error: Local: Erroneous state\n    at KafkaConsumer.assign (/app/node_modules/node-rdkafka/lib/kafka-consumer.js:243:16)\n"
            + RDKAFKA.format(4, "ASSIGN", 'Group "pay": application *assign() call failed: Changes to the current assignment must be made using incremental_assign() or incremental_unassign() when rebalance protocol type is COOPERATIVE'),
            "assigned_at_once", ["group pay", "incremental_unassign()"], id="the same with librdkafka's own word on why",
        ),
        pytest.param(
            RDKAFKA.format(3, "FAIL", "sasl_ssl://pay.example:9093/bootstrap: SASL authentication error: The request was rejected by firewall checks (after 312ms in state AUTH_REQ)"),
            "barred_by_address", ["the address that it calls from", "were not judged"], id="a service that looks at the address first",
        ),
        pytest.param(
            "Fatal error: Local: Inconsistent state: Unable to reconstruct MessageSet (currently with 5 message(s)) with msgid range 1..15: last message added has msgid 5: unable to guarantee consistency",
            "client_fatal", ["msgid range 1..15", "does nothing more"], id="a fatal error that an application prints bare",
        ),
        pytest.param(
            "ERROR:kafka.conn:<BrokerConnection node_id=bootstrap-0 host=kafka1:9094 <authenticating> [IPv4 ('10.0.0.1', 9094)]>: socket disconnected",
            "auth_broken_off", ["while it authenticated"], id="the state of the connection, and that it ended",
        ),
        pytest.param(
            "ERROR:kafka.conn:<BrokerConnection node_id=bootstrap-0 host=kafka1:9094 <handshake> [IPv4 ('10.0.0.1', 9094)]>: socket disconnected",
            "tls_cut_off", ["before TLS was made"], id="the same within TLS",
        ),
        pytest.param(
            "`the kafka reader got an unknown error reading partition 4 of pay at offset 92: multiple Read calls return no data or error`",
            "read_failed", ["pay-4"], id="a line quoted as code",
        ),
        pytest.param(
            "\n".join(["WARNING:kafka.cluster:Topic pay is not available during auto-create initialization"] * 12),
            "topic_awaited", ["pay", "12 times"], id="a topic that does not come",
        ),
        pytest.param(
            RDKAFKA.format(7, "METADATA", "kafka1:9092/1: Error in metadata reply for topic pay (PartCnt 0): Broker: Topic authorization failed"),
            "not_authorized", ["pay"], id="a refusal that is said at DEBUG alone",
        ),
    ],
)  # fmt: skip
def test_what_a_client_says_is_told_for_what_it_is(text, kind, words):
    incident = next(one for one in told(text) if one.kind == kind)
    assert [word for word in words if word not in f"{incident.title} {incident.cause}"] == []


HEARTBEAT = "[2026-01-05 10:00:00,000] WARN [BrokerLifecycleManager id=6] Broker 6 sent a heartbeat request but received error {}. (kafka.server.BrokerLifecycleManager)"
SYNCED = "[Consumer clientId=till, groupId=g] SyncGroup failed: The group began another rebalance. Need to re-join the group. Sent generation was Generation{generationId=5, memberId='till-1', protocol='range'}"
LOOKED_UP = "10:00:00.524 [main] DEBUG org.apache.kafka.clients.consumer.internals.AbstractCoordinator - [Consumer clientId=till, groupId=g] Group coordinator lookup failed: The coordinator is not available."
FOUND = "10:00:00.624 [main] INFO org.apache.kafka.clients.consumer.internals.AbstractCoordinator - [Consumer clientId=till, groupId=g] Discovered group coordinator b1:9092 (id: 2147483646 rack: null)"
SCHEDULED = "[2026-01-05 10:00:00,799] ERROR Uncaught exception in scheduled task 'kafka-log-retention' (kafka.utils.KafkaScheduler)\njava.nio.file.NoSuchFileException: /data/till-0/0.index"
COMMENTED = "# [2026-01-05 10:00:00,827] ERROR WorkerSinkTask{id=till-0} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted. (org.apache.kafka.connect.runtime.WorkerSinkTask)\n# com.acme.PathException: no such path"
HERDER = "ERROR [Worker clientId=connect-1] Uncaught exception in herder work thread, exiting:\n  at org.apache.kafka.connect.util.TopicAdmin.verify"
NO_NODE = "\n".join(
    f"[2026-01-05 10:00:00,{at}] DEBUG [Producer clientId=till] Give up sending metadata request since no node is available (org.apache.kafka.clients.NetworkClient)"
    for at in (100, 150)
)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(HEARTBEAT.format("BROKER_ID_NOT_REGISTERED"), "broker_heartbeat_refused", ["broker 6: BROKER_ID_NOT_REGISTERED"], id="a broker that its controller does not know"),
        pytest.param(HEARTBEAT.format("REQUEST_TIMED_OUT"), "broker_heartbeat_slow", ["no heartbeat of broker 6 in time"], id="a controller that is slow"),
        pytest.param(HEARTBEAT.format("STALE_BROKER_EPOCH"), "nothing_wrong", [], id="once, of an earlier registration"),
        pytest.param(HERDER, "connect_worker_died", ["it ended the process."], id="a thread of a worker has no name of its own"),
        pytest.param(NO_NODE, "no_node_to_ask", ["till has no broker that it could ask (2 times"], id="a client whose addresses all failed, told at DEBUG alone"),
        pytest.param(SYNCED, "nothing_wrong", [], id="another rebalance that had begun, once"),
        pytest.param(
            "java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.InvalidRequestException: Invalid value org.apache.kafka.common.config.ConfigException: Dynamic reconfiguration of listeners is not yet supported",
            "settings_change_refused", ["A change of settings was refused", "Dynamic reconfiguration of listeners"], id="a setting is no record",
        ),
        pytest.param("`OffsetOutOfRangeException: Fetch position FetchPosition{offset=8390112...} is out of range for\npartition till-7`", "offset_out_of_range", ["asked for an offset that is not there."], id="an offset of which a part was left out"),
        pytest.param(LOOKED_UP, "coordinator_missing", ["till finds no coordinator for group g"], id="a coordinator that is not there, told at DEBUG alone"),
        pytest.param(f"{LOOKED_UP}\n{FOUND}", "nothing_wrong", ["May look like trouble"], id="one that is found then"),
        pytest.param(SCHEDULED, "broker_task_failed", ["task kafka-log-retention failed: NoSuchFileException: /data/till-0", "Then restart that broker"], id="a task of a broker's, which is no client and goes on"),
        pytest.param(COMMENTED, "connect_task_killed", ["killed by PathException: no such path"], id="an exception that is not Kafka's within a comment"),
        pytest.param("# kafka.common.InconsistentClusterIdException: The Cluster ID aX7_w doesn\u2019t match stored clusterId Some(bY8_w) in meta.properties", "broker_of_another_cluster", ["another cluster (bY8_w)"], id="a quotation mark that a page put in"),
        pytest.param("\n".join([SYNCED] * 3), "join_overtaken", ["(3 times"], id="rebalances that go on"),
    ],
)  # fmt: skip
def test_what_workers_and_servers_say_is_told_with_its_limits(text, kind, words, tmp_path):
    found, said = answered(text, tmp_path)
    assert found == kind
    assert [word for word in words if word not in said] == []


@pytest.mark.parametrize(
    "text",
    [
        RDKAFKA.format(3, "GZIP", "Failed to finish gzip compression of 23 bytes for topic pay [2]:  (0): sending uncompressed"),
        "WARNING:kafka.cluster:Topic pay is not available during auto-create initialization",
        RDKAFKA.format(7, "PARTCNT", "Topic pay partition count changed from 6 to 0"),
    ],
    ids=["sent uncompressed", "a topic that is being made", "a client that is closed takes its partitions away"],
)  # fmt: skip
def test_what_is_normal_is_told_as_such(text):
    assert [one.kind for one in told(text) if one.verdict != "benign" and one.impact != "none"] == []


@pytest.mark.parametrize(
    ("member", "library", "is_by_processing"),
    [
        ("aiokafka-0.12.0", "aiokafka", True),
        ("kafkajs", "kafkajs", True),
        ("rdkafka", "librdkafka", False),
        ("consumer-orders-1", "java", False),
        ("sarama", "sarama", False),
        ("pay-service", None, None),
    ],
)
def test_whether_slow_processing_keeps_heartbeats_back_depends_on_the_library(
    member, library, is_by_processing
):
    assert client_of_id(member) == library
    (incident,) = (one for one in told(EVICTED.format(member)) if one.kind == "membership_session_expired")
    said = "does this. Else" in incident.cause, "Slow processing does not do this" in incident.cause
    assert said == {True: (True, False), False: (False, True), None: (False, False)}[is_by_processing]


@pytest.mark.parametrize(
    ("text", "loudness"),
    [
        ("10:00 INFO </offsets/orders> commit failed: err=(request timeout)", "words"),
        ('level=info msg="fetched" err="EOF"', "words"),
        ('level=info msg="fetched" err="<nil>"', ""),
        ('{"level":"info","msg":"kafka is there","error":""}', ""),
        ('level=debug msg="fetched" err="EOF"', ""),
        ("W0105 10:00:44.400926 39686 data_consumer.cpp:322] kafka is slow", "warn"),
        ("E260105 10:00:44.400926 39686 kafka.go:322 kafka is away", "error"),
        ("I0105 10:00:44.400926 39686 data_consumer.cpp:238] kafka consume timed out", ""),
    ],
)
def test_an_error_that_a_quiet_line_names_is_heard(text, loudness):
    assert loudness_of(text) == loudness


@pytest.mark.parametrize(("who", "is_left"), [("kafka1:9092/1", False), ("GroupCoordinator", True)])
def test_what_a_binding_prints_again_is_judged_with_what_librdkafka_said(who, is_left):
    said = f"{who}: kafka1:9092: Disconnected (after 7951331ms in state UP)"
    head = RDKAFKA.format(6, "FAIL", said)
    again = f'level=warning msg="Kafka consumer error" error="{said}"'
    (event,) = story(head).events
    records = {event.record_id: ReadRecord("app.log", 1, 1, "INFO", None, "assumed", head)}
    read = SourceRead("app.log", scan("app.log", [f"{head}\n{again}\n".encode()]), "", 2)
    assert [line.line for line in unexplained([read], records, [event], {event.record_id})] == [2] * is_left


def test_a_line_that_says_what_another_one_told_of_says_is_explained_with_it():
    lines = [
        f'2026-01-05 10:00:{second:02d} delivery failed: KafkaError{{code=_MSG_TIMED_OUT,val=-192,str="Local: Message timed out"}}'
        for second in range(40)
    ]
    lines.append(
        '2026-01-05 10:00:50 delivery failed: KafkaError{code=_PURGE_QUEUE,val=-152,str="Local: Purged in queue"}'
    )
    events = story(*lines).events
    records = {
        event.record_id: ReadRecord("app.log", number, 1, None, None, "assumed", text)
        for number, (event, text) in enumerate(zip(events, lines, strict=True), 1)
    }
    read = SourceRead("app.log", scan("app.log", ["\n".join(lines).encode()]), "", 41)
    assert len(unexplained([read], records, events, set())) == 41
    assert [line.line for line in unexplained([read], records, events, {events[0].record_id})] == [41]


def test_a_quiet_record_is_explained_whole_with_the_alike_one_that_is_told_of():
    found = "FindCoordinator request hit fatal exception\norg.apache.kafka.common.errors.GroupAuthorizationException: Not authorized to access group: pay"
    logger = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
    texts = [line(at, "INFO", logger, f"{CONSUMER}{found}") for at in (1, 2, 3)]
    events = story(*texts).events
    ids = list(dict.fromkeys(event.record_id for event in events))
    records = {
        record_id: ReadRecord("app.log", 2 * number + 1, 2, "INFO", None, "assumed", text)
        for number, (record_id, text) in enumerate(zip(ids, texts, strict=True))
    }
    read = SourceRead("app.log", scan("app.log", ["\n".join(texts).encode()]), "", 6)
    assert unexplained([read], records, events, set())
    assert not unexplained([read], records, events, {ids[0]})


def test_an_error_of_kafka_s_own_below_a_line_at_debug_is_a_part_of_it():
    logger = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
    failed = "Coordinator discovery failed, refreshing metadata\norg.apache.kafka.clients.consumer.internals.NoAvailableBrokersException"
    texts = [
        line(1, "DEBUG", logger, f"{CONSUMER}{failed}"),
        line(2, "INFO", logger, f"{CONSUMER}(Re-)joining group"),
    ]
    events = story(*texts).events
    records = {
        event.record_id: ReadRecord("app.log", at, lines, level, None, "assumed", text)
        for event, at, lines, level, text in zip(
            events, (1, 3), (2, 1), ("DEBUG", "INFO"), texts, strict=True
        )
    }
    read = SourceRead("app.log", scan("app.log", ["\n".join(texts).encode()]), "", 3)
    assert not unexplained([read], records, events, {"another"})
