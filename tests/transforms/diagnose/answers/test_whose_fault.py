# ruff: noqa: E501  # a line of a log is a line
"""Whose trouble it is: a registry's is not the broker's, a database's event no record, a member in a rebalance still one."""

import pytest

from tests.answered import answered
from tests.story import CONSUMER, PRODUCER, left_of, line, story, told
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.raw_scan import scan

KAFKA = "org.apache.kafka.common.errors."
ROCKSDB = "java.lang.UnsatisfiedLinkError: /unpacked/librocksdbjni77.so: Error loading shared library libstdc++.so.6: No such file or directory (needed by /unpacked/librocksdbjni77.so)"
BINDER = "org.springframework.cloud.stream.binder.kafka.provisioning.KafkaTopicProvisioner"
FATAL = "Member c-9 with epoch 0 transitioned to fatal state"
UNKNOWN_API = "The node does not support SHARE_GROUP_HEARTBEAT with version in range [0,0]. The supported range is [1,1]."


@pytest.mark.parametrize(
    ("text", "kind", "words", "never"),
    [
        pytest.param(
            f"{KAFKA}SerializationException: Error deserializing key/value for partition orders-3 at offset 71. If needed, please seek past the record to continue consumption.\nCaused by: {KAFKA}SerializationException: Error deserializing Avro message for id 12\nCaused by: javax.net.ssl.SSLHandshakeException: PKIX path building failed: unable to find valid certification path to requested target",
            "registry_tls_failed", ["schema registry", "schema 12", "schema.registry.ssl.truststore.location", "orders-3, offset 71"], ["TLS with the broker"], id="TLS within a deserializer is the registry's",
        ),
        pytest.param(
            f"org.apache.kafka.connect.errors.DataException: Failed to serialize Avro data: \n\tat io.confluent.connect.avro.AvroConverter.fromConnectData(AvroConverter.java:1)\nCaused by: {KAFKA}SerializationException: Error serializing Avro message\nCaused by: java.net.ConnectException: Connection refused\n\tat java.net.PlainSocketImpl.socketConnect(Native Method)",
            "registry_unreachable", ["schema.registry.url", "brokers have no part"], ["to a broker"], id="refused within a serializer, too",
        ),
        pytest.param(
            f"{KAFKA}SerializationException: Error serializing Avro message\nCaused by: java.io.IOException: No schema registered under subject!",
            "schema_unavailable", ["No schema registered under subject", "auto.register.schemas"], ["can't read"], id="what nobody registered can't be written",
        ),
        pytest.param(
            f"{KAFKA}SerializationException: Error serializing JSON message\nCaused by: java.lang.NullPointerException: amount",
            "serialization_failed", ["can't write a record", "amount"], ["deserializer", "can't read"], id="an object that its serializer does not take",
        ),
        pytest.param(
            f"{KAFKA}RebalanceInProgressException: Offset commit cannot be completed since the consumer is undergoing a rebalance for auto partition assignment. You can try completing the rebalance by calling poll() and then retry the operation.",
            "commit_in_rebalance", ["between two assignments", "poll()"], ["no member any more"], id="a commit within a rebalance",
        ),
        pytest.param(
            f"{KAFKA}CommitFailedException: OffsetCommit failed with stale member epoch. The member epoch is stale. The member must retry after receiving its updated member epoch via the ConsumerGroupHeartbeat API.",
            "commit_epoch_stale", ["the member is one", "poll()"], ["no member any more"], id="a commit with the epoch before",
        ),
        pytest.param(
            f'Exception in thread "app-1-StreamThread-1" {ROCKSDB}\n\tat org.rocksdb.RocksDB.loadLibrary(RocksDB.java:6)\n\tat org.apache.kafka.streams.state.internals.RocksDBStore.openDB(RocksDBStore.java:1)',
            "store_library_not_loaded", ["libstdc++.so.6 is missing", "glibc"], [], id="RocksDB on Alpine",
        ),
        pytest.param(
            "java.lang.IllegalStateException: Consumer is not subscribed to any topics or assigned any partitions\n\tat org.apache.kafka.clients.consumer.KafkaConsumer.poll(KafkaConsumer.java:1)",
            "nothing_subscribed", ["subscribe() or assign()"], [], id="a poll of nothing",
        ),
        pytest.param(
            "org.apache.kafka.streams.errors.StreamsException: java.nio.file.DirectoryNotEmptyException: D:\\tmp\\kafka-streams\\app\\global\n\tat org.apache.kafka.streams.KafkaStreams.cleanUp(KafkaStreams.java:1)\nCaused by: java.nio.file.DirectoryNotEmptyException: D:\\tmp\\kafka-streams\\app\\global",
            "state_directory_not_removed", ["cleanUp()", "D:\\tmp\\kafka-streams\\app\\global"], [], id="a state directory on Windows",
        ),
        pytest.param(
            f"2026-01-05 10:00:00.000 [main] ERROR org.springframework.cloud.stream.binding.BindingService - Failed to create producer binding; retrying in 30 seconds\norg.springframework.cloud.stream.provisioning.ProvisioningException: Provisioning exception encountered for orders; nested exception is java.util.concurrent.ExecutionException: {KAFKA}InvalidPartitionsException: Topic already has 8 partitions.",
            "partitions_there_already", ["(8)", "another one was first"], [], id="partitions that somebody else added",
        ),
        pytest.param(
            "Caused by: org.apache.kafka.common.KafkaException: javax.security.auth.login.LoginException: An internal error occurred while retrieving token from callback handler\n\tat org.apache.kafka.common.network.SaslChannelBuilder.configure(SaslChannelBuilder.java:1)",
            "token_not_given", ["authorization server", "No broker has refused"], ["The broker refused"], id="no token",
        ),
        pytest.param(
            "org.apache.kafka.common.KafkaException: Failed to construct kafka consumer\nCaused by: javax.security.auth.login.LoginException: Cannot locate KDC",
            "login_impossible", ["Cannot locate KDC", "No broker has refused"], ["The broker refused"], id="a login that failed before any broker was asked",
        ),
        pytest.param(
            line(0, "ERROR", "org.apache.kafka.connect.runtime.WorkerTask", "WorkerSinkTask{id=orders-0} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted\norg.apache.kafka.connect.errors.ConnectException: com.acme.DisconnectException: Error opening socket to server db1/10.0.0.9 on port 25,010 with message: Connection refused\n\tat com.acme.Sink.put(Sink.java:3)"),
            "connect_task_killed", ["Connection refused", "restart the task"], ["bootstrap.servers", "broker at that address"], id="a database that refused a sink",
        ),
        pytest.param(
            line(0, "ERROR", "org.apache.kafka.connect.runtime.WorkerTask", "WorkerSinkTask{id=orders-1} Task threw an uncaught and unrecoverable exception\norg.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.\n\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(WorkerSinkTask.java:4)"),
            "connect_task_killed", ["orders-1 was killed: it", "stood below these lines"], ["killed by"], id="a task whose exception was cut off",
        ),
        pytest.param(
            f"{KAFKA}GroupAuthorizationException: Not authorized to access group: Reader-1_offset_consumer_77_acme.billing.in",
            "not_authorized", ["no right to group: Reader-1_offset_consumer_77_acme.billing.in The"], [], id="a group's name with dots",
        ),
        pytest.param(
            f"{KAFKA}TopicAuthorizationException: Not authorized to access topics: [orders.v1, orders.v2]",
            "not_authorized", ["no right to topics: [orders.v1, orders.v2] The"], [], id="topics' names with dots",
        ),
        pytest.param(
            'produce failed: KafkaError{code=TOPIC_AUTHORIZATION_FAILED,val=29,str="Broker: Topic authorization failed"}',
            "not_authorized", ["no right to what it asked for The"], [], id="an error's code is no topic",
        ),
        pytest.param(
            'consume error: KafkaError{code=GROUP_AUTHORIZATION_FAILED,val=30,str="FindCoordinator response error: Group authorization failed."}',
            "not_authorized", ["no right to Group The"], [], id="a group that the line does not name",
        ),
        pytest.param(
            f"{KAFKA}KafkaException: Failed to construct kafka producer\nCaused by: org.apache.kafka.common.config.ConfigException: Invalid value com.acme.OrderSerializer for configuration value.serializer: Class com.acme.OrderSerializer could not be found.",
            "serde_not_made", ["com.acme.OrderSerializer", "native image"], [], id="a serializer that is not in the application",
        ),
        pytest.param(
            "switched from RUNNING to FAILED\norg.apache.kafka.connect.errors.ConnectException: ResumeToken not found. Cannot create a change stream cursor\n\tat com.mongodb.kafka.connect.source.MongoSourceTask.tryCreateCursor(MongoSourceTask.java:4)",
            "source_position_gone", ["oplog"], [], id="a place in MongoDB's oplog that is gone",
        ),
        pytest.param(
            "10:00:00.000 [pool-1] INFO  org.apache.kafka.streams.KafkaStreams - stream-client [app-1] State transition from REBALANCING to ERROR",
            "streams_in_error", ["app-1", "final"], [], id="a Streams client that ended in ERROR, said at INFO",
        ),
        pytest.param(
            "10:00:00.000 [pool-1] INFO  org.apache.kafka.streams.KafkaStreams - stream-client [app-1] State transition from RUNNING to PENDING_ERROR",
            "streams_in_error", ["app-1", "PENDING_ERROR"], [], id="a Streams client that closes by an error",
        ),
        pytest.param(
            "2026-01-05 10:00:00,123 INFO [Worker clientId=connect-1, groupId=etl] Join group failed with org.apache.kafka.common.errors.UnknownMemberIdException: The coordinator is not aware of this member. (org.apache.kafka.clients.consumer.internals.AbstractCoordinator)",
            "member_unknown", ["connect-1"], [], id="a join that failed, as 2.5 says it",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,123] INFO [GroupCoordinator id=1] Cannot upgrade classic group pay to consumer group because the online upgrade is disabled. (org.apache.kafka.coordinator.group.GroupMetadataManager)",
            "group_not_converted", ["pay", "group.consumer.migration.policy"], [], id="a classic group that stays one",
        ),
        pytest.param(
            "2026-01-05T10:00:00.000Z INFO  [ZookeeperConsumerConnector] [billing_h7-1700000000000-1a2b], Rebalancing attempt failed. Clearing the cache before the next rebalancing operation is triggered",
            "old_rebalance_tried_again", ["billing_h7-1700000000000-1a2b", "rebalance.backoff.ms"], [], id="an old consumer's attempt",
        ),
    ],
)  # fmt: skip
def test_what_was_read(text, kind, words, never):
    (incident,) = (one for one in told(text) if one.verdict != "benign")
    said = f"{incident.title} {incident.cause} {incident.advice}"
    assert incident.kind == kind, said
    assert [word for word in words if word not in said] == []
    assert [word for word in never if word in said] == []


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            "java.lang.IllegalStateException: Partition orders-2's offset was changed from 900 to 40, some data may have been missed.\nSome data may have been lost because they are not available in Kafka any more; either the\ndata was aged out by Kafka or the topic may have been deleted",
            "spark_offsets_went_back", ["offset 900 of orders-2, which ends at 40", "made anew"], id="a topic that ends before the checkpoint",
        ),
        pytest.param(
            "java.lang.IllegalArgumentException: requirement failed: numRecords must not be negative\nat org.apache.spark.streaming.kafka010.DirectKafkaInputDStream.compute(DirectKafkaInputDStream.scala:2)\n",
            "spark_offsets_went_back", ["further than its topic"], id="the same of a DStream",
        ),
        pytest.param(
            "26/01/05 10:00:00 WARN KafkaOffsetReaderAdmin: Found incorrect offsets in some partitions (partition, previous offset, fetched offset): ArrayBuffer((orders-2,7613,560))",
            "spark_offsets_went_back", ["offset 7613 of orders-2, which ends at 560"], id="the same, asked for once more",
        ),
        pytest.param(
            '{"timestamp":"2026-01-05 10:00:00.000","level":"ERROR","logger":"' + BINDER + '","message":"Cannot initialize Binder","exception":"\njava.lang.IllegalStateException: The number of expected partitions was: 6, but 2 have been found instead\nat ' + BINDER + ".lambda$getPartitionsForTopic$6(KafkaTopicProvisioner.java:5)",
            "binding_lacks_partitions", ["6 partitions", "has 2", "autoAddPartitions"], id="a topic with fewer partitions than the binder wants",
        ),
        pytest.param(
            "10:00:00.000 [pulsar-io-1] ERROR io.streamnative.pulsar.handlers.kop.KafkaCommandDecoder - error to get Response ByteBuf:\njava.lang.IllegalArgumentException: Invalid version for API key API_VERSIONS: 3\n\tat org.apache.kafka.common.protocol.ApiKeys.schemaFor(ApiKeys.java:3)\n",
            "api_unknown", ["API_VERSIONS in version 3"], id="a broker that is none of Kafka's own",
        ),
        pytest.param(
            "INFO An exception occurred when trying to get the next item from the Change Stream: Query failed with error code 286 and error message 'Resume of change stream was not possible, as the resume point may no longer be in the oplog.' (com.mongodb.kafka.connect.source.MongoSourceTask:5)",
            "source_position_gone", ["oplog"], id="the same, said at INFO",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] INFO Connector requires binlog file 'mysql-bin.000007', but MariaDB only has mysql-bin.000012, mysql-bin.000013 (io.debezium.connector.mysql.MySqlConnectorTask:5)",
            "source_position_gone", ["mysql-bin.000007"], id="the same of Debezium's",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] INFO Some of the GTIDs needed to replicate have been already purged (io.debezium.connector.mysql.MySqlConnectorTask:5)",
            "source_position_gone", ["binlog_expire_logs_seconds"], id="by GTIDs",
        ),
        pytest.param(
            f"{KAFKA}SerializationException: Can't convert value of class com.acme.Order to class org.apache.kafka.common.serialization.StringSerializer specified in value.serializer\nCaused by: java.lang.ClassCastException: com.acme.Order cannot be cast to java.lang.String\n",
            "serialization_failed", ["can't write", "That is a com.acme.Order, and value.serializer names"], id="a value of another class",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 (Sink-1) [ERROR - com.acme.KafkaSink.process(KafkaSink.java:9)] Unable to deliver event.\ncom.acme.DeliveryException: not published\n\tat com.acme.KafkaSink.process(KafkaSink.java:9)\nCaused by: java.lang.ClassCastException: java.lang.String cannot be cast to [B\n\tat kafka.serializer.DefaultEncoder.toBytes(Encoder.scala:3)\n",
            "serialization_failed", ["serializer.class"], id="a string for the old producer's encoder of bytes",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN Write of 7 records failed, remainingRetries=3 (io.confluent.connect.jdbc.sink.JdbcSinkTask)",
            "sink_write_failed", ["7 records", "3 retries are left"], id="a connector's own try, said at WARN",
        ),
        pytest.param(
            "kafka-connect_1 | com.acme.SocketOpenException: Exception opening socket\nkafka-connect_1 | \tat com.acme.Stream.open(Stream.java:3)\nkafka-connect_1 | Caused by: java.net.ConnectException: Connection refused (Connection refused)\n",
            "other_system_unreachable", ["Kafka's Java clients throw none such"], id="a database that took no connection",
        ),
        pytest.param(
            "11:22:02.864 [consumer-1] DEBUG o.a.kafka.common.network.Selector - Connection with localhost/127.0.0.1 disconnected\njava.net.ConnectException: Connection refused\n\tat sun.nio.ch.SocketChannelImpl.checkConnect(Native Method)\n\tat org.apache.kafka.common.network.PlaintextTransportLayer.finishConnect(PlaintextTransportLayer.java:5)\n",
            "connect_failed", ["bootstrap.servers"], id="a broker that took none, as the Selector prints it",
        ),
        pytest.param(
            '10:00:00 INFO [io.strimzi.kafka.oauth.common.HttpUtil] (kafka-expiring-relogin-thread-1) Action failed on try no. 1: io.strimzi.kafka.oauth.common.HttpException: POST request to https://sso.acme/token failed with status 401: {"error":"unauthorized_client"}',
            "token_not_given", ["(401)", "unauthorized_client", "https://sso.acme/token"], id="a token that was refused as it was renewed",
        ),
        pytest.param(
            "2026-01-05 10:00:00.000 ERROR 7 --- [db1.acme:3306] i.debezium.connector.mysql.BinlogReader  : Error while deserializing binlog event at offset {ts_sec=1, file=bin.000009, pos=4, server_id=2, event=8}.",
            "source_event_unreadable", ["bin.000009", "no record of Kafka's"], id="an event of a database, of a logger that Spring cut",
        ),
    ],
)  # fmt: skip
def test_in_words(text, kind, words):
    found, _ = told_by_words(left_of(text), [])
    (incident,) = (one.incident for one in found)
    said = f"{incident.title} {incident.cause} {incident.advice}"
    assert incident.kind == kind, said
    assert [word for word in words if word not in said] == []


def test_a_record_that_came_too_late_for_its_store_is_normal():
    (incident,) = told(
        line(
            0,
            "WARN",
            "org.apache.kafka.streams.state.internals.AbstractRocksDBSegmentedBytesStore",
            "Skipping record for expired segment.",
        )
    )
    assert (incident.kind, incident.verdict) == ("store_record_too_late", "benign")
    assert "iterators" not in incident.cause


def test_a_member_that_gave_up_is_told_with_what_ended_it():
    manager = "org.apache.kafka.clients.consumer.internals.Share{}Manager"
    found = told(
        line(0, "ERROR", manager.format("HeartbeatRequest"), f"{CONSUMER}ShareGroupHeartbeatRequest failed due to fatal error: {UNKNOWN_API}"),
        line(1, "ERROR", manager.format("Membership"), f"{CONSUMER}{FATAL}"),
    )  # fmt: skip
    assert [one.kind for one in found] == ["unsupported"]


def test_a_member_that_gave_up_alone():
    (incident,) = told(line(0, "ERROR", "org.apache.kafka.clients.consumer.internals.ConsumerMembershipManager", CONSUMER + FATAL))  # fmt: skip
    assert incident.kind == "member_gave_up"
    assert "later release" not in incident.advice


def test_threads_that_died_are_told_once():
    found = story(
        line(0, "ERROR", "org.apache.kafka.streams.processor.internals.StreamThread", "stream-thread [app-1-StreamThread-1] Encountered the following exception during processing and the thread is going to shut down: \njava.lang.IllegalStateException: odd\n\tat com.acme.Topology.run(Topology.java:3)"),
        line(5, "INFO", "org.apache.kafka.streams.processor.internals.StreamThread", "stream-thread [app-1-StreamThread-1] State transition from PENDING_SHUTDOWN to DEAD"),
        line(6, "INFO", "org.apache.kafka.streams.KafkaStreams", "stream-client [app-1] State transition from RUNNING to ERROR"),
    ).incidents  # fmt: skip
    assert len(found) == 1, [one.title for one in found]
    assert "odd" in found[0].title


def test_a_listener_container_of_another_system_is_not_kafkas():
    text = "2026-01-05 10:00:00.000  WARN 7 --- [ntContainer#1-2] o.s.a.r.l.SimpleMessageListenerContainer : Consumer raised exception, processing can restart if the connection factory supports it. Exception summary: org.springframework.amqp.AmqpConnectException: java.net.ConnectException: Connection refused"
    assert not scan("app.log", [text.encode()]).speaking
    cut = "2026-01-05 10:00:00.000 ERROR 7 --- [x-0-C-1] essageListenerContainer$ListenerConsumer : Consumer exception"
    assert scan("app.log", [cut.encode()]).speaking


def test_a_member_that_an_error_ended_did_not_stand_still(tmp_path):
    """Its coordinator says later that its session expired: it had sent no heartbeat any more."""
    member = "[Consumer clientId=pay-1, groupId=pay] "
    internals = "org.apache.kafka.clients.consumer.internals"
    coordinator = "[GroupCoordinator id=1 topic=__consumer_offsets partition=0] [GroupId pay] "
    lines = [
        (1, "INFO", f"{member}Member qwE1rT2yU3iO4pAsDfGhJk with epoch 1 transitioned from JOINING to RECONCILING.", f"{internals}.ConsumerMembershipManager"),
        (5, "ERROR", f"{member}ConsumerGroupHeartbeatRequest failed due to group authorization failure: Not authorized to access group: pay", f"{internals}.ConsumerHeartbeatRequestManager"),
        (5, "INFO", f"{member}Member qwE1rT2yU3iO4pAsDfGhJk with epoch 2 transitioned from STABLE to FATAL.", f"{internals}.ConsumerMembershipManager"),
        (11, "INFO", f"{coordinator}Member qwE1rT2yU3iO4pAsDfGhJk fenced from the group because the member session expired.", "org.apache.kafka.coordinator.group.GroupMetadataManager"),
    ]  # fmt: skip
    text = "\n".join(
        f"[2026-01-05 10:00:{at:02d},000] {level} {said} ({logger})" for at, level, said, logger in lines
    )
    kind, said = answered(text, tmp_path)
    assert kind == "not_authorized"
    assert "an error that is final had ended it" in said
    assert "garbage collection" not in said


@pytest.mark.parametrize(("apart_ms", "kind"), [(1, "client_spins"), (60, "rebootstrapped")])
def test_tries_that_no_backoff_parts_are_told_for_themselves(apart_ms, kind):
    """Source: a recording of 4.0.1 with group.protocol=consumer, 73,000 such lines in 20 s; classic ones have 50 ms at least."""
    again = f"{CONSUMER}Rebootstrapping with [broker1/10.0.0.7:9092]"
    lines = [line(n * apart_ms, "INFO", "org.apache.kafka.clients.Metadata", again) for n in range(120)]
    refused = line(
        0,
        "WARN",
        "org.apache.kafka.clients.NetworkClient",
        f"{CONSUMER}Connection to node -1 (broker1/10.0.0.7:9092) could not be established. Node may not be available.",
    )
    found = {one.kind: one for one in told(refused, *lines)}
    assert set(found) == ({"connect_failed", kind} if kind == "client_spins" else {"connect_failed"})
    assert (kind == "client_spins") == any("(120 times" in one.title for one in found.values())


def test_what_was_lost_goes_before_what_is_sent_again():
    retried = f"{PRODUCER}Got error produce response with correlation id 168 on topic-partition pay-0, retrying (1 attempts left). Error: REQUEST_TIMED_OUT. Error Message: Disconnected from node 1 due to timeout"
    sender = "org.apache.kafka.clients.producer.internals.Sender"
    failed = "delivery failed\norg.apache.kafka.common.errors.TimeoutException: Disconnected from node 1 due to timeout"
    (incident,) = told(
        line(0, "ERROR", "com.example.Pay", failed), *(line(1, "WARN", sender, retried) for _ in range(3))
    )
    assert (incident.kind, incident.impact) == ("produce_unanswered", "lost")
