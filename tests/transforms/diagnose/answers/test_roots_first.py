# ruff: noqa: E501  # a line of a log is a line
"""Of what lines tell in words and what was rebuilt of others, the root is told first, and the rest with it, once."""

import gzip
import io
import tarfile

import pytest

from tests.answered import answered
from transforms.diagnose.unexplained.no_logs import no_log

BROKER = "[2026-01-05 10:00:0{},000] {} {} ({})"
OF_PAY = "[2026-01-05 10:00:0{},000] {} [Consumer clientId=pay-1, groupId=pay] {}"
EXIT = BROKER.format(4, "ERROR", "Exiting Kafka.", "kafka.server.KafkaServerStartable")
OPEN_LONG = "2026-01-05 10:00:00,000 WARN  org.apache.flink.streaming.api.functions.sink.TwoPhaseCommitSinkFunction [] - Transaction KafkaTransactionState [transactionalId=Sink: Out-1, producerId=7, epoch=2] has been open for 90000 ms. This is close to or even exceeding the transaction timeout of 60000 ms."

TO_B1 = "|pay#producer-1| [thrd:b1:9092/1]: b1:9092/1: "
SET = f"{TO_B1}bills [0]: MessageSet with 4 message(s) (MsgId 0, BaseSeq -1)"
MADE = f"{TO_B1}bills [0]: Produce MessageSet with 4 message(s) (270 bytes, ApiVersion 7, MsgVersion 2, MsgId 0, BaseSeq -1, PID{{Invalid}}, uncompressed)"
TRIED_AGAIN = "\n".join([
    f"%7|1767607200.124|PRODUCE{MADE}",
    f"%7|1767607200.125|SEND{TO_B1}Sent ProduceRequest (v7, 328 bytes @ 0, CorrId 5)",
    f"%7|1767607200.131|RECV{TO_B1}Received ProduceResponse (v7, 50 bytes, CorrId 5, rtt 0.53ms)",
    f"%7|1767607200.131|MSGSET{SET} encountered error: Broker: Not enough in-sync replicas (actions Retry,MsgNotPersisted)",
    '2026-01-05 10:00:01 delivery failed: KafkaError{code=_MSG_TIMED_OUT,val=-192,str="Local: Message timed out"}',
    f"%7|1767607201.131|PRODUCE{MADE}",
    f"%7|1767607201.132|SEND{TO_B1}Sent ProduceRequest (v7, 328 bytes @ 0, CorrId 6)",
    f"%7|1767607201.140|RECV{TO_B1}Received ProduceResponse (v7, 50 bytes, CorrId 6, rtt 0.53ms)",
    f"%7|1767607201.140|MSGSET{SET} delivered",
])  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind", "words", "not_said"),
    [
        pytest.param(
            "kafka.zookeeper.ZooKeeperClientTimeoutException: Timed out waiting for connection while in state: CONNECTING\n"
            "\tat kafka.zookeeper.ZooKeeperClient.waitUntilConnected(ZooKeeperClient.scala:255)\n" + EXIT,
            "broker_found_no_zookeeper",
            ["zookeeper.connect", "did not start, or ended"],
            ["Not explained"],
            id="an exception without its head, above the end that it brought",
        ),
        pytest.param(
            "\n".join(
                [
                    OF_PAY.format(
                        1,
                        "WARN",
                        "Connection to node 3 (b3/10.0.0.7:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)",
                    ),
                    OF_PAY.format(
                        5,
                        "INFO",
                        "Group coordinator b3:9092 (id: 2147483644 rack: null) is unavailable or invalid due to cause: error response NOT_COORDINATOR.isDisconnected: false. Rediscovery will be attempted. (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
                    ),
                    OF_PAY.format(
                        5,
                        "WARN",
                        "Offset commit failed on partition orders-0 at offset 110: This is not the correct coordinator. (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
                    ),
                ]
            ),
            "connect_failed",
            ["could not connect to broker 3", "is not its coordinator, or not ready"],
            ["2. ", "In its words"],
            id="a broker that was down, and what it answers as it comes up again",
        ),
        pytest.param(
            "[2026-01-05 10:00:01,000] WARN [Consumer clientId=pay-49df8e61-c62d-4197-affa-13d915bf4612-StreamThread-1-consumer, groupId=pay] Error while fetching metadata with correlation id 4 : {clicks=UNKNOWN_TOPIC_OR_PARTITION} (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:00:02,000] INFO stream-client [pay-49df8e61-c62d-4197-affa-13d915bf4612] State transition from REBALANCING to PENDING_ERROR (org.apache.kafka.streams.KafkaStreams)",
            "topic_missing",
            ["(clicks)", "is in state PENDING_ERROR"],
            ["2. "],
            id="a source topic that is not there, and the Streams client that it ended",
        ),
        pytest.param(
            "2026-01-05T10:00:01.000Z ERROR 7 --- [pay] [-listener-0-C-1] org.apache.kafka.clients.NetworkClient   : [Consumer clientId=pay-1, groupId=pay] Connection to node -1 (kafka/10.0.0.7:9092) failed authentication due to: Authentication failed: Invalid username or password\n"
            "2026-01-05T10:00:01.010Z ERROR 7 --- [pay] [-listener-0-C-1] o.s.k.l.KafkaMessageListenerContainer    : Fatal consumer exception; stopping container",
            "auth_failed",
            ["refused the identity of pay-1", "The listener container of a client stopped"],
            ["2. "],
            id="a password, and the container that it stopped",
        ),
        pytest.param(
            "[2026-01-05 10:00:01,000] INFO [Consumer clientId=pay-1, groupId=pay] Group coordinator b1:9092 (id: 2147483646 rack: null) is unavailable or invalid, will attempt rediscovery (org.apache.kafka.clients.consumer.internals.AbstractCoordinator)\n"
            "[2026-01-05 10:00:20,000] ERROR [Consumer clientId=pay-1, groupId=pay] Offset commit failed (com.acme.Pay)\norg.apache.kafka.clients.consumer.CommitFailedException: Offset commit cannot be completed since the consumer is not part of an active group for auto partition assignment; it is likely that the consumer was kicked out of the group.\n"
            "[2026-01-05 10:00:20,100] ERROR [Consumer clientId=pay-1, groupId=pay] Attempt to join group failed due to fatal error: The group member's supported protocols are incompatible with those of existing members or first group member tried to join with empty protocol type or empty protocol list. (org.apache.kafka.clients.consumer.internals.AbstractCoordinator)",
            "commit_refused",
            ["2. pay-1 may not join its group pay: its assignors do not fit"],
            [],
            id="what stays until somebody changes a setting is told beside what passes",
        ),
        pytest.param(
            TRIED_AGAIN,
            "batch_expired",
            [
                "they were not delivered",
                "2. 1 batch of bills-0 of producer pay#producer-1 had to be sent again",
            ],
            [],
            id="records that were lost beside others that came late",
        ),
        pytest.param(
            "[2026-01-05 10:00:01,000] WARN [Consumer clientId=pay-1, groupId=pay] Connection to node 1 (/10.0.0.7:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:00:15,000] INFO [Consumer clientId=pay-1, groupId=pay] Attempt to heartbeat with Generation{generationId=3, memberId='pay-1-7', protocol='range'} and group instance id Optional.empty failed due to UNKNOWN_MEMBER_ID, resetting generation (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
            "connect_failed",
            ["10.0.0.7:9092"],
            ["2. "],
            id="no broker, and a membership that ended meanwhile",
        ),
        pytest.param(
            "broker-1 | 2026-01-05 10:00:00,130 ERROR [org.apa.kaf.sto.int.log.LogDirFailureChannel] (handler-6) Error while appending records to a-0 in dir /data: java.io.IOException: No space left on device\n"
            "broker-1 | 2026-01-05 10:00:00,137 ERROR [kaf.log.LogManager] (LogDirFailureHandler) Shutdown broker because all log dirs in /data have failed",
            "storage_failed_wholly",
            ["(/data)", "Before 2026-01-05 10:00:00.130: A broker has trouble with its disk"],
            ["Not explained"],
            id="a disk, and the end that it brought",
        ),
        pytest.param(
            OPEN_LONG
            + "\n2026-01-05 10:00:01,000 ERROR org.apache.flink.streaming.runtime.tasks.StreamTask [] - Error while committing transaction\n"
            "org.apache.kafka.common.errors.ProducerFencedException: Producer attempted an operation with an old epoch. Either there is a newer producer with the same transactionalId, or the producer's transaction has been expired by the broker.",
            "transaction_open_long",
            ["1 min 30 s (90000 ms)", "was fenced"],
            ["2. "],
            id="what says why, before what leaves it open",
        ),
        pytest.param(
            'ERROR connector_node: Engine has failed class="io.debezium.embedded.EmbeddedEngine" error="java.lang.OutOfMemoryError: Java heap space\\n\\tat java.base/java.lang.Thread.run(Thread.java:840)\\n"\n'
            'WARN connector_node: Flush of the offsets failed, canceling the flush. class="io.debezium.embedded.EmbeddedEngine" error="java.util.concurrent.TimeoutException"',
            "out_of_memory",
            ['ran out of memory: "java.lang.OutOfMemoryError: Java heap space"', "could not flush"],
            ["2. "],
            id="out of memory, and what followed",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,191] ERROR There was an error in one of the threads during logs loading: java.lang.NoSuchMethodError: org.apache.kafka.common.record.RecordVersion.of(I)Z (kafka.log.LogManager)\n"
            "[2026-01-05 10:00:00,196] ERROR [KafkaServer id=0] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "java.lang.NoSuchMethodError: org.apache.kafka.common.record.RecordVersion.of(I)Z\n\tat kafka.log.Log.init(Log.scala:360)",
            "libraries_differ",
            ["kafka-clients", "did not start, or ended"],
            ["2. "],
            id="libraries that differ, before the end",
        ),
        pytest.param(
            "When I began, I met the following: a deserializer that we could not configure for kafka.\n\n"
            "ERROR o.s.k.listener.LoggingErrorHandler - Error while processing: ConsumerRecord(topic = orders, partition = 2, offset = 32)\n\n"
            "org.springframework.kafka.listener.ListenerExecutionFailedException: Listener failed; nested exception is java.lang.IllegalArgumentException: The class 'com.acme.Order' is not in the trusted packages: [java.util, java.lang].",
            "class_not_trusted",
            ["com.acme.Order"],
            ["When I began"],
            id="who posted a log wrote no line of it",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] INFO [GroupCoordinator 1]: Stabilized group a generation 1 (kafka.coordinator.group.GroupCoordinator)\n"
            "[2026-01-05 10:00:09,642] WARN Unable to reconnect to ZooKeeper service, session 0x16d9eaefce70000 has expired (org.apache.zookeeper.ClientCnxn)",
            "zookeeper_session_expired",
            ["0x16d9eaefce70000"],
            ["nothing wrong"],
            id="a broker's own session at ZooKeeper",
        ),
        pytest.param(
            "Kafka consumer: worker on host My-Server:9092\nUnhandled exception:\nSocketException: Failed host lookup: 'My-Server' (OS Error: nodename nor servname provided, or not known, errno = 8)",
            "dns_failed",
            ["My-Server"],
            [],
            id="a broker's host without its port",
        ),
        pytest.param(
            "org.apache.kafka.common.errors.NotLeaderOrFollowerException: This server is not the leader for that topic-partition.",
            "leader_moved",
            ["Nothing where it passes in seconds", "reaches another broker"],
            ["the leader had moved"],
            id="an exception alone that clients get over: nothing shows that this one did",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,208] ERROR Encountered fatal fault: caught exception (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"
            "java.lang.IllegalStateException: Configured voter set: [0, 1, 2, 3, 4] is different from the voter set read from the state file: [0, 1, 2]. Check if the quorum configuration is up to date, or wipe out the local state file if necessary\n"
            "\tat org.apache.kafka.raft.QuorumState.initialize(QuorumState.java:132)",
            "quorum_voters_changed",
            ["has [0, 1, 2, 3, 4]", "quorum-state file [0, 1, 2]"],
            [],
            id="a static quorum that was scaled",
        ),
        pytest.param(
            'Exception in thread "main" java.lang.UnsupportedClassVersionError: org/apache/kafka/clients/tools/ToolsUtils has been compiled by a more recent version of the Java Runtime (class file version 61.0), this version of the Java Runtime only recognizes class file versions up to 55.0',
            "java_too_old",
            ["version 61, and this one reads 55", "JAVA_HOME"],
            ["bill of materials"],
            id="a Java that is too old is no matter of versions of Kafka's",
        ),
        pytest.param(
            "WARNING:kafka.conn:DNS lookup failed for broker-a:9092, exception was [Errno -2] Name or service not known. Is your advertised.listeners correct and resolvable?\n\nI can resolve this by adding the name to my hosts, but how do I fix it?",
            "dns_failed",
            ["broker-a:9092"],
            ["address this"],
            id="no word of prose for a host",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,638] ERROR [ReplicaManager broker=1] Error processing append operation on partition __consumer_offsets-32 (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.errors.NotEnoughReplicasException: Number of insync replicas for partition __consumer_offsets-32 is [1], below required minimum [2]",
            "coordinator_writes_refused",
            ["can't write to __consumer_offsets-32", "how many replicas __consumer_offsets has"],
            ["The producer tries again"],
            id="no producer writes to a topic of the coordinator's",
        ),
        pytest.param(
            '2026-01-05T10:00:00.541956Z ERROR rskafka::client::partition: request encountered fatal error e=Server error InvalidReplicationFactor with message "error getting metadata"',
            "replication_factor_too_large",
            ["At a start it passes"],
            ["That is final"],
            id="too few brokers may be more in a moment",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,118] ERROR WorkerSourceTask{id=pg-0} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask)\n"
            "io.debezium.DebeziumException: Could not execute heartbeat action (Error: 57P01)\nCaused by: org.postgresql.util.PSQLException: FATAL: terminating connection due to administrator command\n"
            "[2026-01-05 10:01:00,118] ERROR WorkerSourceTask{id=pg-0} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask)\n"
            'org.apache.kafka.connect.errors.ConnectException: Failed to start replication stream\nCaused by: org.postgresql.util.PSQLException: ERROR: replication slot "orders" is active for PID 8132',
            "connect_task_killed",
            [
                "restarted or failed over",
                "At the last of these lines: A source connector can't use its replication slot orders: it is active for PID 8132",
                "pg_terminate_backend",
            ],
            [],
            id="a task that died twice, of two things",
        ),
        pytest.param(
            "2026-01-05 10:00:30,572 WARN  a.kafka.internal.KafkaConsumerActor akka://orders/system/kafka-consumer-1 - [e64f6] Kafka commit is to be retried, after=70 ms, commitsInProgress=0, cause=org.apache.kafka.common.errors.CoordinatorLoadInProgressException: The coordinator is loading and hence can't process requests.\n"
            "2026-01-05 10:00:45,601 ERROR akka.stream.Materializer - [orders] Upstream failed.\nakka.kafka.CommitTimeoutException: Kafka commit took longer than: 15 seconds",
            "framework_commit_timed_out",
            ["commit-timeout", "The broker that a client asked is not its coordinator"],
            ["2. "],
            id="what ended the stream, before what passes",
        ),
        pytest.param(
            "E, [2026-01-05T10:00:27.538580 #18366] ERROR -- : Exception raised when processing orders/0 in offset range 1..9 -- Kafka::DeliveryFailed: Could not connect to any of the seed brokers:\n- kafka://10.0.0.9:9092: Connection timed out",
            "connect_timed_out",
            ["10.0.0.9:9092: nothing answered"],
            ["This alone does not say"],
            id="a connection that timed out had no answer",
        ),
        pytest.param(
            "[2026-01-05 10:00:17,306] ERROR Error starting the schema registry (io.confluent.kafka.schemaregistry.rest.SchemaRegistryRestApplication)\n"
            "io.confluent.kafka.schemaregistry.exceptions.SchemaRegistryException: Failed to get Kafka cluster ID\n\tat io.confluent.kafka.schemaregistry.storage.KafkaSchemaRegistry.kafkaClusterId(KafkaSchemaRegistry.java:1228)\nCaused by: java.util.concurrent.TimeoutException",
            "registry_not_started",
            ["It had not got so far", "has the prefix kafkastore."],
            [],
            id="a registry that could not even ask",
        ),
        pytest.param(
            "Preparing truststore for the listener of kafka\nkeytool error: java.io.IOException: keystore password was incorrect",
            "tls_files",
            ["keystore password was incorrect"],
            [],
            id="the tool that makes a broker's keystore",
        ),
        pytest.param(
            "Adding /opt/kafka/cluster-ca-certs/ca.crt to truststore\nError certificate has expired getting chain.",
            "certificate_expired",
            ["openssl made no keystore of it"],
            [],
            id="and the other one",
        ),
        pytest.param(
            '{"level":"ERROR","loggerName":"io.debezium.server.ConnectorLifecycle","message":"Connector completed: error = \'java.lang.OutOfMemoryError: Java heap space\'","threadName":"pool-7"}',
            "out_of_memory",
            ["Java heap space"],
            ['pool-7": '],
            id="an object's own value, not the rest of it",
        ),
        pytest.param(
            "%3|1700000000.987|FAIL|rdkafka#producer-2| 10.0.0.2:9092/0: Connection closed\n%3|1700000000.988|ERROR|rdkafka#producer-2| 10.0.0.2:9092/0: Connection closed\n"
            "%3|1700000001.987|FAIL|rdkafka#producer-2| 10.0.0.2:9092/0: Connect to ipv4#10.0.0.2:9092 failed: 无法连接的主机",
            "connection_not_made",
            ['0 (10.0.0.2:9092): "无法连接的主机"'],
            [],
            id="a quote is what the line itself says",
        ),
        pytest.param(
            "%3|1700000000.761|FAIL|rdkafka#producer-1| [thrd:sasl_plaintext://k:5001/bootstrap]: sasl_plaintext://k:5001/bootstrap: Failed to initialize SASL authentication: SASL handshake failed (step): SASL(-1): generic failure: GSSAPI Error: Unspecified GSS failure.  Minor code may provide more information (No Kerberos credentials available)",
            "login_impossible",
            ["login for k:5001: No Kerberos credentials available."],
            ["nothing to judge"],
            id="a login that lacks its ticket says so",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,515] WARN [RaftManager id=1] Connection to node 0 (c-0/10.6.6.9:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:00:01,800] INFO [RaftManager id=1] Election has timed out, backing off for 1000ms before becoming a candidate again (org.apache.kafka.raft.KafkaRaftClient)",
            "server_connect_failed",
            ["Then 2026-01-05 10:00:01.800: A KRaft controller was not elected"],
            ["2. "],
            id="controllers that are not reached, and the election that they fail",
        ),
        pytest.param(
            '[KafkaJS:Connection] Connection error: Client network socket disconnected before secure TLS connection was established {"broker":"k.example:9092","clientId":"kafkajs"}: Error: Client network socket disconnected before secure TLS connection was established\n'
            "    at TLSSocket.onConnectEnd (node:_tls_wrap:1727:19)",
            "tls_cut_off",
            ["k.example:9092 ended before TLS was made", 'established": by', "after connectionTimeout (1 s"],
            ["Not explained"],
            id="TLS that was not through in time",
        ),
        pytest.param(
            "java.lang.NullPointerException\n\tat org.apache.flink.streaming.connectors.kafka.internal.Kafka09PartitionDiscoverer.getAllPartitionsForTopics(Kafka09PartitionDiscoverer.java:77)\n"
            "\tat org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumerBase.open(FlinkKafkaConsumerBase.java:473)",
            "topic_missing_by_null",
            ["most likely one of them does not exist"],
            ["Not explained"],
            id="a topic that is not there, by the null that stands for it",
        ),
        pytest.param(
            "\n".join(
                [
                    OF_PAY.format(
                        1,
                        "ERROR",
                        "Offset commit failed on partition bills-3 at offset 17: The request timed out. (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
                    ),
                    OF_PAY.format(
                        1,
                        "INFO",
                        "Group coordinator b2:9092 (id: 2147483645 rack: null) is unavailable or invalid due to cause: error response REQUEST_TIMED_OUT.isDisconnected: false. Rediscovery will be attempted. (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
                    ),
                ]
            ),
            "commit_not_written",
            ["offset 17 arrived", "within offsets.commit.timeout.ms", "lost its coordinator broker 2"],
            ["got no answer in time", "2. "],
            id="a commit that its coordinator could not write, before the coordinator that was given up for it",
        ),
        pytest.param(
            "[...] ERROR org.apache.kafka.common.errors.TimeoutException: The AdminClient thread has exited. Call: listTopics\n"
            "[...] ERROR Uncaught exception in thread 'kafka-admin-client-thread | adminclient-4':\njava.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.nio.HeapByteBuffer.<init>(Unknown Source)",
            "out_of_memory_reading",
            ["A client ran out of memory"],
            ["thread ..."],
            id="dots in the place of a thread's name, which are none",
        ),
        pytest.param(
            "What we see at the start:\n"
            "  - `[2026-01-05 10:00:04,413] WARN [RaftManager id=2] Connection to node 1 (kb1/10.0.0.3:9093) could not be established. Node may not be available.`\n"
            "  - `[2026-01-05 10:00:04,436] WARN [RaftManager id=2] Error connecting to node kb3:9093 (id: 3 rack: null)`\n"
            "  - `java.net.UnknownHostException: kb3`\n"
            "- **Where**: the log of kb2",
            "dns_failed_of_server",
            ["kb3:9093, by its name: that does not resolve", "could not connect to node 1"],
            ["2. "],
            id="an exception that is an item of its own in a list of lines",
        ),
        pytest.param(
            "kb-1  | org.apache.kafka.common.KafkaException: Socket server failed to bind to kb:9093: Unresolved address.",
            "listener_unresolved",
            ["kb:9093 that it is to listen at does not resolve", "0.0.0.0"],
            ["mend bootstrap.servers"],
            id="a name to listen at, which no client asks for",
        ),
        pytest.param(
            "10:00:12 WARN [Producer] Got error produce response with correlation id 5 on topic-partition bills-1, retrying (3 attempts left). Error: NETWORK_EXCEPTION\n"
            "10:00:13 WARN [Producer] Connection to node 3 (kb3/10.0.0.3:9092) could not be established. Broker may not be available.",
            "connect_failed",
            ["A client could not connect to broker 3"],
            ["thread Producer"],
            id="a client's kind in brackets, which is no thread",
        ),
        pytest.param(
            "[2026-01-05 10:00:07,884] WARN [Producer clientId=pay-1] Received invalid metadata error in produce request on partition bills-0 due to org.apache.kafka.common.errors.NotLeaderOrFollowerException",
            "leader_moved",
            ["does not lead bills-0"],
            [],
            id="a partition, though the line was cut behind its error",
        ),
        pytest.param(
            "2026-01-05 10:00:09 [nioEventLoopGroup-3-15] ERROR o.s.k.s.LoggingProducerListener - Exception thrown when sending a message with key='null' and payload='{}' to topic bills:\n"
            "org.apache.kafka.common.errors.TimeoutException: Failed to update metadata after 60000 ms.",
            "metadata_timed_out",
            ["got no metadata of topic bills"],
            [],
            id="the topic of a send, which stands in Spring's line alone",
        ),
        pytest.param(
            "is `kafka` by default. Otherwise, the Schema Registry will fail to create the `_schemas` topic, which will cause a leader\n"
            "not available error. Its log will show `org.apache.kafka.common.errors.TimeoutException: Timeout expired while fetching topic metadata`",
            "topics_timed_out",
            [],
            ["got no schema"],
            id="what a guide says would follow, which nobody met",
        ),
        pytest.param(
            "\n".join(
                [
                    "[2026-01-05 10:00:10,242] WARN [out|task-0] Failed to check if index bills exists due to java.net.ConnectException: Timeout connecting to [es/10.0.0.3:9200]. Retrying attempt (7/1001) after backoff of 532500 ms (io.confluent.connect.elasticsearch.RetryUtil:171)",
                    "[2026-01-05 10:00:45,182] INFO [out|task-0] [Consumer clientId=out-0, groupId=out] Member out-0-aa sending LeaveGroup request to coordinator b:9092 (id: 2147483646 rack: null) due to consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator:1048)",
                    "[2026-01-05 10:09:03,193] INFO [out|task-0] [Consumer clientId=out-0, groupId=out] Lost previously assigned partitions bills-0 (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator:326)",
                ]
            ),
            "membership_poll_expired",
            ["lost its partitions bills-0", "It said", "Timeout connecting to [es/10.0.0.3:9200]"],
            ["2. "],
            id="what a member learns at its next poll, minutes later, and what its connector did meanwhile",
        ),
        pytest.param(
            "WARN [BrokerLifecycleManager id=1] Broker 1 sent a heartbeat request but received error REQUEST_TIMED_OUT.\n"
            "INFO [NodeToControllerChannelManager id=1 name=heartbeat] Disconnecting from node 1 due to request timeout.",
            "broker_heartbeat_slow",
            ["Node 1 did not answer"],
            ["2. "],
            id="a controller that answers no heartbeat, and the connection that was given up for it",
        ),
    ],
)
def test_the_root_is_told_first(text, kind, words, not_said, tmp_path):
    first, told = answered(text, tmp_path)
    assert first == kind
    for said in words:
        assert said in told
    for never in not_said:
        assert never not in told


def test_lines_beyond_those_that_an_incident_keeps_are_told_too(tmp_path):
    said = [
        f"[2026-01-05 10:00:{n:02},000] WARN [Consumer clientId=c, groupId=g] Error while fetching metadata with correlation id {n} : {{orders=LEADER_NOT_AVAILABLE, {chr(97 + n) * 9}=LEADER_NOT_AVAILABLE}} (org.apache.kafka.clients.NetworkClient)"
        for n in range(25)
    ]
    kind, told = answered("\n".join(said), tmp_path)
    assert kind == "leader_awaited"
    assert "Not explained" not in told


def test_what_is_no_log_is_told_to_go_elsewhere(tmp_path):
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        member = tarfile.TarInfo("app.log")
        member.size = 5
        archive.addfile(member, io.BytesIO(b"kafka"))
    assert "unpack it" in (no_log(gzip.decompress(gzip.compress(tar.getvalue()))[:1024]) or "")
    assert "--metrics" in (
        no_log(b'# HELP kafka_consumer_lag x\nkafka_consumer_lag{client_id="a"} 1\n') or ""
    )
    assert no_log(b"2026-01-05 10:00:00,000 INFO kafka took 5\n") is None
    assert no_log(b"version: 3\nlog: kafka is away\n") is None
    assert no_log(b'{"@timestamp":"2026-01-05","fields":{"a":1},"message":"kafka"}\n') is None
    _, told = answered('# TYPE kafka_lag gauge\nkafka_lag{client_id="a"} 1', tmp_path)
    assert "`kipwatch run --metrics` takes it" in told


def test_a_record_of_a_retry_topic_whose_time_has_not_come_is_no_failure(tmp_path):
    said = (
        "2026-01-05 10:00:0{}.711 [try-500-0-C-1] essageListenerContainer$ListenerConsumer : Seek to current after exception;"
        " nested exception is org.springframework.kafka.listener.ListenerExecutionFailedException: Listener failed; nested"
        " exception is {}\n"
    )
    early = "org.springframework.kafka.listener.KafkaBackoffException: Partition 0 from topic bills-retry-500 is not ready for consumption, backing off for approx. 410 millis."
    kind, _ = answered(said.format(1, early), tmp_path)
    assert kind == "nothing_wrong"
    kind, told = answered(
        said.format(1, early) + said.format(2, "com.acme.BillException: no such bill"), tmp_path
    )
    assert (kind, "no such bill" in told) == ("record_read_again", True)


def test_partitions_lost_after_the_member_was_back_are_a_loss_of_their_own(tmp_path):
    of_pay = "2026-01-05 {} INFO [Consumer clientId=pay-1, groupId=pay] {} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
    joined = "Successfully joined group with generation Generation{{generationId={}, memberId='pay-1-{}', protocol='range'}}"
    expired = "Member pay-1-a sending LeaveGroup request to coordinator b:9092 (id: 2147483646 rack: null) due to consumer poll timeout has expired."
    lost = "Lost previously assigned partitions bills-0"
    lines = [
        of_pay.format("10:00:00,000", joined.format(4, "a")),
        of_pay.format("10:10:00,000", expired),
        of_pay.format("10:18:00,000", lost),
        of_pay.format("10:18:03,000", joined.format(6, "b")),
        of_pay.format("14:18:00,000", lost),
    ]
    _, told = answered("\n".join(lines), tmp_path)
    assert "1. " in told
    assert "2. " in told
    _, told = answered("\n".join(lines[:3]), tmp_path)
    assert "2. " not in told


def test_what_a_schema_registry_s_serializer_says_needs_no_package(tmp_path):
    text = "SerializationException: Error retrieving Avro value schema for id 5\nCaused by: RestClientException: Schema 5 not found; error code: 40403\n"
    kind, told = answered(text, tmp_path)
    assert kind not in ("nothing_wrong", "not_judged")
    assert "got no schema 5" in told


def test_why_one_member_left_goes_before_what_another_only_learnt(tmp_path):
    text = "\n".join(
        [
            "2026-01-05 10:00:00,000 INFO [Consumer clientId=pay-1, groupId=pay] Giving away all assigned partitions as lost since generation/memberID has been reset,indicating that consumer is in old state or no longer part of the group",
            "2026-01-05 10:03:00,000 WARN [Consumer clientId=pay-2, groupId=pay] consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, which typically implies that the poll loop is spending too much time processing messages.",
        ]
    )
    kind, said = answered(text, tmp_path)
    assert kind == "membership_poll_expired"
    assert said.index("pay-2") < said.index("pay-1")
    assert answered(text.split("\n")[0], tmp_path)[0] == "partitions_lost"
