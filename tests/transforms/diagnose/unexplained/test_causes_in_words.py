# ruff: noqa: E501  # a line of a log is a line
"""Causes that stand in the words of a line, whichever client wrote it and whatever its reader made of it."""

import pytest

from tests.story import CONSUMER, left_of, line, story, told
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.raw_scan import scan
from transforms.diagnose.unexplained.record_loudness import loudest_line
from transforms.diagnose.unexplained.source_read import ReadRecord, SourceRead
from transforms.diagnose.unexplained.unexplained_lines import unexplained
from transforms.diagnose.wording.catalogue import canonical

RDKAFKA = "%3|1700000000.125|{}|rdkafka#producer-1| [thrd:kafka1:9093/bootstrap]: kafka1:9093/bootstrap: {}"
KAFKA = "org.apache.kafka.common.errors."
CONNECT = "[2026-01-05 10:00:00,000] ERROR WorkerSinkTask{{id=search-0}} {} (org.apache.kafka.connect.runtime.WorkerSinkTask)"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            RDKAFKA.format("FAIL", "Disconnected: verify that security.protocol is correctly configured, broker might require SASL authentication (after 310ms in state UP)"),
            "protocol_doubted", ["kafka1:9093", "security.protocol"], id="librdkafka doubts the protocol",
        ),
        pytest.param(
            RDKAFKA.format("FAIL", "SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener? (after 2ms in state SSL_HANDSHAKE)"),
            "tls_at_plain_listener", ["speaks TLS at kafka1:9093", "PLAINTEXT"], id="TLS with a listener that has none",
        ),
        pytest.param(
            RDKAFKA.format("FAIL", "SASL authentication failure: Disconnected"),
            "auth_broken_off", ["kafka1:9093", "rdkafka#producer-1"], id="hung up while it authenticated",
        ),
        pytest.param(
            "[sarama] 2026/01/05 10:00:00 Failed to read response header while authenticating with SASL to broker kafka1:9093: EOF",
            "auth_broken_off", ["kafka1:9093", "sarama"], id="the same of sarama",
        ),
        pytest.param(
            "panic: kafka: client has run out of available brokers to talk to (Is your cluster reachable?)",
            "no_broker_left", ["bootstrap.servers"], id="no broker left, and no reason",
        ),
        pytest.param(
            f"{KAFKA}RecordTooLargeException: There are some messages at [Partition=Offset]: {{orders-2=40}} whose size is larger than the fetch size 1048576 and hence cannot be ever returned.",
            "record_too_large_to_fetch", ["orders-2", "1048576", "max.partition.fetch.bytes"], id="too large to be read is not too large to be sent",
        ),
        pytest.param(
            CONNECT.format("Offset commit failed, rewinding to last committed offsets") + "\norg.apache.kafka.connect.errors.ConnectException: Flush timeout expired with unflushed records: 2000\n\tat com.acme.Sink.flush(Sink.java:3)",
            "sink_flush_timed_out", ["search-0", "unflushed records: 2000", "flush.timeout.ms"], id="a ConnectException of Connect's is no connection",
        ),
        pytest.param(
            "%4|1700000000.125|METADATA|rdkafka#producer-1| 10.0.0.1:9092/2: Metadata request failed: Local: Message timed out",
            "metadata_failed", ["rdkafka#producer-1"], id="a request that timed out loses no message",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] INFO [AdminClient clientId=admin-1] Failed authentication with kafka1/10.0.0.1 (Invalid SASL mechanism response, server may be expecting a different protocol) (org.apache.kafka.common.network.Selector)",
            "wrong_protocol", ["kafka1", "security.protocol"], id="an authentication that met another protocol",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] INFO [AdminClient clientId=admin-1] Failed authentication with kafka1/10.0.0.1 (An error: (java.security.PrivilegedActionException: javax.security.sasl.SaslException: Failed to find AWS IAM Credentials) occurred when evaluating SASL token received from the Kafka Broker.) (org.apache.kafka.common.network.Selector)",
            "login_impossible", ["admin-1", "AWS IAM Credentials", "No broker has refused"], id="a client without credentials of its own",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] DEBUG [Consumer clientId=consumer-1, groupId=orders] Disconnecting from node -3 due to socket connection setup timeout. The timeout value is 9116 ms. (org.apache.kafka.clients.NetworkClient)",
            "connect_timed_out", ["consumer-1"], id="a set-up timeout that old releases say at DEBUG",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] INFO [AdminClient clientId=admin-1] Cancelled in-flight METADATA request with correlation id 1 due to node -1 being disconnected (elapsed time since creation: 35ms, elapsed time since send: 35ms, request timeout: 30000ms) (org.apache.kafka.clients.NetworkClient)",
            "protocol_doubted", ["admin-1"], id="closed over the first request is not idle",
        ),
        pytest.param(
            CONNECT.format("Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted") + "\norg.apache.kafka.connect.errors.ConnectException: Unrecoverable exception from producer send callback\n        at org.apache.kafka.connect.runtime.WorkerSourceTask.maybeThrowProducerSendException(WorkerSourceTask.java:266)",
            "connect_record_not_sent", ["search-0", "sent: ConnectException: Unrecoverable"], id="a frame is no exception",
        ),
        pytest.param(
            'KafkaError{code=_TIMED_OUT,val=-185,str="Failed to initialize Producer ID: Local: Timed out"}',
            "init_transactions_timed_out", ["__transaction_state"], id="a transaction that librdkafka could not begin",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 - kafka.conn - ERROR - Connect attempt to <BrokerConnection node_id=bootstrap host=kafka1/10.0.0.1 port=9093> returned error 111. Disconnecting.",
            "connect_failed", ["kafka1/10.0.0.1:9093"], id="a refusal by its number",
        ),
        pytest.param(
            "[Sarama] 2026/01/05 10:00:00 Failed to connect to broker kafka1.example:9092: dial tcp: lookup kafka1.example on 10.0.0.2:53: no such host",
            "dns_failed", ["kafka1.example"], id="a name that Go looked up",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN [Consumer clientId=c-1, groupId=orders] Error connecting to node kafka3:9092 (id: 3 rack: null) (org.apache.kafka.clients.NetworkClient)\njava.io.IOException: Can't resolve address: kafka3:9092\n\tat org.apache.kafka.common.network.Selector.doConnect(Selector.java:235)",
            "dns_failed", ["c-1", "kafka3:9092"], id="an address that did not resolve",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN [ReplicaFetcher replicaId=4, leaderId=7, fetcherId=0] Error in response for fetch request (type=FetchRequest, replicaId=4, maxWait=500) (kafka.server.ReplicaFetcherThread)\njava.io.IOException: Connection to 7 was disconnected before the response was read",
            "replica_fetch_failed", ["Broker 4", "broker 7", "in-sync"], id="a follower that lost its leader",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN [Producer clientId=p-1] Error while fetching metadata with correlation id 3 : {=INVALID_TOPIC_EXCEPTION} (org.apache.kafka.clients.NetworkClient)",
            "topic_name_invalid", ["p-1", "{=INVALID_TOPIC_EXCEPTION}", "was not filled in"], id="a topic without a name",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR stream-thread [shop-1-StreamThread-2] Encountered the following exception during processing (org.apache.kafka.streams.processor.internals.StreamThread)\norg.apache.kafka.streams.errors.StreamsException: Error encountered sending record to topic shop-changelog for task 0_3 due to:\nCaused by: org.apache.kafka.common.errors.UnknownServerException: The server experienced an unexpected error when processing the request.",
            "broker_erred", ["UnknownServerException", "log of the broker that answered"], id="a thread that died of its broker's error",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR Exception thrown while calling task.commitRecord() (org.apache.kafka.connect.runtime.WorkerSourceTask)\njava.lang.NullPointerException\n\tat com.acme.Source.commitRecord(Source.java:7)",
            "connect_record_callback_failed", ["NullPointerException", "Source.java:7", "no record is lost"], id="a connector's callback is no refused record",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [Worker clientId=w-1, groupId=mirror] Failed to reconfigure connector's tasks (checkpoints), retrying after backoff. (org.apache.kafka.connect.runtime.distributed.DistributedHerder)\norg.apache.kafka.connect.errors.RetriableException: Timeout while loading consumer groups.",
            "connect_tasks_not_made", ["checkpoints", "Timeout while loading consumer groups"], id="tasks that their connector could not name",
        ),
        pytest.param(
            "%7|1700000000.125|LEADERUA|rdkafka#producer-1| [thrd:kafka1:9092/1]: orders [6]: leader unavailable: produce: Broker: Not leader for partition",
            "leader_moved", ["rdkafka#producer-1", "orders-6"], id="what librdkafka says of a leader at DEBUG alone",
        ),
        pytest.param(
            "2023/01/05 10:00:00 WARN log.go:51 producer/broker/1 state change to [retrying] on orders/3 because kafka server: Tried to send a message to a replica that is not the leader for some partition",
            "leader_moved", ["A sarama client asked", "orders-3"], id="a word in brackets is no thread of Go",
        ),
        pytest.param(
            '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.000Z","logger":"kafkajs","message":"[Consumer] Crash: KafkaJSNumberOfRetriesExceeded: Not connected","groupId":"orders","retryCount":5}',
            "consumer_crashed", ["kafkajs consumer (group orders) stopped: Not connected"], id="what crashed a consumer, not its wrapper",
        ),
        pytest.param(
            "1700000000.125 RDKAFKA-3-FAIL: pay#producer-0: 127.0.0.1:9092/bootstrap: Failed to connect to broker at kafka1:9092: Connection refused",
            "connect_failed", ["pay#producer-0", "kafka1:9092"], id="the address that was tried, not the one that was asked first",
        ),
        pytest.param(
            "2026-01-05 10:00:00,749\tINFO\tREQTMOUT\t[thrd:kafka1:9092/1]: kafka1:9092/1: Timed out 1+0+0 requests",
            "request_timed_out", ["Broker 1 (kafka1:9092)"], id="requests as old releases count them",
        ),
        pytest.param(
            RDKAFKA.format("FAIL", "2 request(s) timed out: disconnect (after 907686ms in state UP)").replace("bootstrap: 2", "1: 2"),
            "request_timed_out", ["rdkafka#producer-1 in time A request"], id="how long a connection was good is no wait",
        ),
        pytest.param(
            '%7|1700000000.125|JOIN|pay#consumer-1| [thrd:main]: Group "pay": no matching topics based on 31ms old metadata: next metadata refresh in 299969ms',
            "no_topic_matches", ["pay#consumer-1", "group pay", "subscription"], id="a subscription that no topic fits, said at DEBUG alone",
        ),
        pytest.param(
            'shop   7   2026-01-05 10:00:00.592   Info   [thrd:main]: Deferring "manual" offset commit for 1 partition(s) in state query-coord: no coordinator available',
            "commit_deferred", ["no coordinator"], id="a commit that waits, in an application's own columns",
        ),
        pytest.param(
            "*** rdkafka_buf.c:199:rd_kafka_bufq_deq: assert: rkbufq->rkbq_cnt > 0 ***",
            "client_aborted", ["rd_kafka_bufq_deq", "rdkafka_buf.c:199"], id="an assertion that ends the process",
        ),
        pytest.param(
            "[sarama] 2026/01/05 10:00:00 consumer/broker/2 abandoned subscription to orders/3 because consuming was taking too long",
            "consuming_too_slow", ["orders-3", "Consumer.MaxProcessingTime", "no membership ends"], id="a slow handler of sarama's",
        ),
        pytest.param(
            'Level: Debug, Message: [thrd:main]: orders [3]: offset reset (at offset INVALID) to BEGINNING: Broker: Offset out of range: Broker: Offset out of range',
            "offset_out_of_range", ["orders-3"], id="records that were skipped, said at DEBUG alone",
        ),
        pytest.param(
            'Kafka log message: [thrd:main]: kafka1:9092/bootstrap: Group "orders" GroupCoordinator response error: Broker: Group coordinator not available',
            "coordinator_missing", ["group orders"], id="an answer without a coordinator, printed without a level",
        ),
        pytest.param(
            'KafkaError{code=UNKNOWN_TOPIC_OR_PART,val=3,str="Subscribed topic not available: orders: Broker: Unknown topic or partition"}',
            "topic_missing", ["do not know (orders)"], id="a subscribed topic that is not there",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [ReplicaFetcher replicaId=1, leaderId=3, fetcherId=0] Error for partition orders-4 at offset 0 (kafka.server.ReplicaFetcherThread)\norg.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host this topic-partition.",
            "replica_unknown_to_leader", ["Broker 1", "broker 3", "orders-4"], id="a follower is no client that asks for a topic",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] INFO [QuorumController id=3] processBrokerHeartbeat: event failed with StaleBrokerEpochException in 25 microseconds. Exception message: Expected broker epoch 4411, but got broker epoch 2903 (org.apache.kafka.controller.QuorumController)",
            "broker_epoch_stale", ["4411", "2903"], id="heartbeats of a registration that is over",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN Attempting to send response via channel for which there is no open connection, connection id 10.0.0.1:9092-10.0.0.2:24807-2 (kafka.network.Processor)",
            "broker_answers_nobody", ["A broker had answers"], id="answers that came too late",
        ),
        pytest.param(
            "".join(
                f"[2026-01-05 10:00:00,{ms}] INFO [Worker clientId=connect-1, groupId=connect] Current config state offset 3 does not match group assignment 7. Forcing rebalance. (org.apache.kafka.connect.runtime.distributed.DistributedHerder:2140)\n"
                for ms in ("027", "031")
            ),
            "connect_config_behind", ["offset 3 of 7", "config.storage.topic"], id="a worker that can't catch up",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR Error while creating ephemeral at /brokers/ids/7, node already exists and owner '72' does not match current session '73' (kafka.zk.KafkaZkClient$CheckedEphemeral)",
            "broker_registered_already", ["Broker 7", "broker.id"], id="a broker whose old registration lives",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] INFO [SessionExpirationListener on 4], ZK expired; shut down all controller components and try to re-elect (kafka.controller.KafkaController$SessionExpirationListener)",
            "broker_lost_zookeeper", ["zookeeper.session.timeout.ms"], id="a broker that ZooKeeper gave up",
        ),
        pytest.param(
            "%7|1795356710.413|OFFSET|rdkafka#consumer-1| [thrd:main]: kafka1:9093/1: Offset reply error for topic orders [4] (v2): Broker: Unknown topic or partition",
            "topic_missing", ["orders-4", "rdkafka#consumer-1"], id="a partition that its broker does not know",
        ),
        pytest.param(
            "2026-01-05 10:00:00,188\tWARNING\tbase\t__handle:694\t19951\tHeartbeat failed ([Error 15] GroupCoordinatorNotAvailableError); retrying",
            "coordinator_missing", ["kafka-python"], id="columns of the application before the message",
        ),
        pytest.param(
            "ERROR    Connect attempt to <BrokerConnection node_id=2 host=kafka2 port=9092> returned error 111. Disconnecting.",
            "connect_failed", ["kafka2:9092"], id="a connection that kafka-python did not get",
        ),
        pytest.param(
            "Failed to produce to topic 'orders' partition 3: Local: Queue full",
            "queue_full", ["did not take the record", "nothing sends it but the application"], id="a queue that takes no more is no error that passes by itself",
        ),
        pytest.param(
            "rebalance failed for consumer group, orders: joinGroup failed: [16] Not Coordinator For Group: the broker returns this error code",
            "coordinator_moved", ["group orders"], id="an answer is no connection that was given up",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,779] [WARNING] [Thread-8] Coordinator unknown during heartbeat -- will retry",
            "heartbeat_without_coordinator", ["knew no coordinator"], id="a heartbeat of Python's that had nobody to go to",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] INFO [QuorumController id=3] Fencing broker 2 at epoch 41 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)",
            "broker_fenced", ["Broker 2", "broker.session.timeout.ms"], id="a broker that its controller lost",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] INFO [Controller 0] Fencing broker 2 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)",
            "broker_fenced", ["Broker 2"], id="a broker that its controller lost, in the words of older releases",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\nkafka.common.InconsistentNodeIdException: Configured node.id `1` doesn't match stored node.id `2' in meta.properties.\n\tat kafka.server.KafkaRaftServer.<init>(KafkaRaftServer.scala:57)",
            "broker_of_another_id", ["InconsistentNodeIdException", "set to node.id 1", "those of 2"], id="a broker that did not start is never normal",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR User provided listener org.apache.kafka.streams.processor.internals.StreamThread$1 for group shop failed on partition assignment (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\njava.lang.NullPointerException\n\tat org.rocksdb.RocksDB.put(RocksDB.java:488)",
            "rebalance_listener_failed", ["group shop", "partition assignment", "NullPointerException", "RocksDB.java:488"], id="a listener that threw is no state that does not fit",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR stream-thread [shop-1-StreamThread-1] task [1_0] Failed to flush state store counts (org.apache.kafka.streams.processor.internals.ProcessorStateManager)\njava.lang.ClassCastException: java.lang.String\n\tat com.acme.Shop.apply(Shop.java:3)",
            "store_flush_failed", ["counts", "ClassCastException"], id="a flush hands records on: what failed is the innermost exception's",
        ),
    ],
)  # fmt: skip
def test_the_cause_is_the_one_that_the_words_name(text, kind, words):
    (incident,) = (one for one in told(text) if one.verdict != "benign")
    assert incident.kind == kind
    for word in words:
        assert word in f"{incident.title} {incident.cause} {incident.advice}"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param("OffsetCommit failed for group orders due to group error ([Error 25] UnknownMemberIdError: orders), will rejoin", "member_unknown", ["orders"], id="an error by Python's name"),
        pytest.param("2026-01-05T10:00:00Z ERROR rskafka::client: fatal error e=Server error InvalidReplicationFactor", "replication_factor_too_large", ["InvalidReplicationFactor"], id="a code in camel case"),
        pytest.param("[1700000000000] INFO  (api/68 on host): kafkajs: Connection timeout", "connect_timed_out", ["kafkajs"], id="a failure that kafkajs prints at INFO"),
        pytest.param("[2026-01-05 10:00:00,000] ERROR Error starting the schema registry (io.confluent.kafka.schemaregistry.rest.SchemaRegistryRestApplication)", "registry_not_started", ["schemas in a topic"], id="a registry that does not start is no client without a schema"),
        pytest.param("WARN  [io.sma.rea.mes.kafka] SRMSG18231: The record 7 from topic-partition 'orders-1' has waited for 61 seconds to be acknowledged. This waiting time is greater than the configured threshold (60000 ms).", "not_acknowledged", ["orders-1", "61 seconds", "60000 ms"], id="an application that does not acknowledge"),
        pytest.param('"orders": "[KO] - The record 7 from topic/partition \'orders-1\' has waited for 61 seconds to be acknowledged."', "not_acknowledged", ["orders-1", "61 seconds"], id="the same in the answer of a health check"),
        pytest.param("[2026-01-05 10:00:00,632: ERROR]: Producer for transactional id 'shop-0' fenced", "producer_fenced", ["A producer (transactional.id shop-0) was fenced"], id="a fence that a framework tells"),
        pytest.param("20260105 10:00:00.794 | ERROR | Topic orders is not authorized for this client |", "not_authorized", ["no right to orders"], id="a topic that Python's client may not see"),
        pytest.param("kafka producer threw exception, restarting {:exception=>#<KafkaError: Got FailedToSendMessageException: Failed to send messages after 3 tries.>}", "produce_failed", ["after 3 tries"], id="an exception within another's message"),
        pytest.param('[2026-01-05T10:00:00,510][INFO ][shop.output] send failed, will retry {:exception=>Java::OrgApacheKafkaCommonErrors::TimeoutException, :message=>"Topic orders not present in metadata after 15000 ms."}', "metadata_timed_out", ["orders", "15 s"], id="an exception of Kafka's that an application prints at INFO"),
        pytest.param("akka.kafka.CommitTimeoutException: Kafka commit took longer than: 15 seconds", "framework_commit_timed_out", ["15 seconds", "not Kafka's"], id="a limit of a framework's own"),
        pytest.param("2026-01-05 10:00:00 ERROR Selector:607 - [Producer clientId=p-1] Connection with kafka1/10.0.0.1 disconnected: java.net.ConnectException: Connection refused", "connect_failed", ["p-1", "kafka1/10.0.0.1"], id="whom a selector lost"),
        pytest.param("org.apache.spark.SparkException: Offsets not available on leader: OffsetRange(topic: 'orders', partition: 0, range: [788 -> 790])\n\tat org.apache.spark.streaming.kafka.KafkaUtils.checkOffsets(KafkaUtils.scala:200)", "spark_data_lost", ["788 to 790 of orders", "checkpoint"], id="offsets that Spark's old source could not read"),
        pytest.param("2026-01-05 10:00:00,009 ERROR [io.sma.rea.mes.kafka] SRMSG18217: Unable to read a record from Kafka topics '[orders]': java.lang.IllegalStateException: only a single Subscriber", "channel_not_read", ["stopped reading orders", "only a single Subscriber"], id="a framework's channel that ended"),
        pytest.param("[2026-01-05 10:00:00,204] [7] [WARNING] [^--Consumer]: Possible livelock: COMMIT OFFSET NOT ADVANCING FOR (TopicPartition(topic='orders', partition=5), None)", "stream_not_advancing", ["orders", "Faust"], id="a framework's stream that stands still"),
        pytest.param("kafka.errors.UnrecognizedBrokerVersion: UnrecognizedBrokerVersion", "broker_version_unknown", ["which version"], id="an error of Python's whose name does not say so"),
        pytest.param('{"level":"ERROR","logger":"kafkajs","message":"[BrokerPool] KafkaJSLockTimeout: Timeout while acquiring lock (29 waiting locks): \\"connect to broker kafka1\\""}', "lock_timed_out", ["connect to broker kafka1", "29"], id="calls of kafkajs that wait for each other"),
        pytest.param("2026-01-05T10:00:00Z E! Error writing to output [kafka]: FAILED to send kafka message: circuit breaker is open", "sender_breaker_open", ["sarama"], id="a producer that rests after failures"),
        pytest.param("[2026-01-05 10:00:00,433] ERROR KafkaStoreReader thread has died for an unknown reason. (io.confluent.kafka.schemaregistry.storage.KafkaStoreReaderThread:214)", "registry_reader_died", ["An exception ended the thread"], id="a registry that did not read on"),
        pytest.param("Exception: Cannot perform send because at least one previous transactional or idempotent request has failed with errors. (kafka)", "producer_in_error", ["The first error stands before"], id="a producer that repeats its first error"),
        pytest.param('{"severity":"ERROR","source":"kafka-client","message":"Broker transport failure at work"}', "broker_transport_failed", ['"Broker transport failure at work"'], id="of JSON the message is quoted"),
        pytest.param("java.lang.IllegalStateException: Cannot fetch offset 788 (GroupId: spark-1, TopicPartition: orders-8).", "spark_data_lost", ["788 of orders-8", "failOnDataLoss"], id="an offset that Spark could not fetch"),
        pytest.param(
            "26/01/05 10:00:00 WARN TaskSetManager: Lost task 4.0 in stage 7.0 (TID 812, worker3): java.lang.AssertionError: assertion failed: Failed to get records for spark-executor-pay orders 12 48811 after polling for 512\n\tat scala.Predef$.assert(Predef.scala:170)\n\tat org.apache.spark.streaming.kafka010.CachedKafkaConsumer.get(CachedKafkaConsumer.scala:74)",
            "spark_poll_timed_out", ["orders-12 at offset 48811", "512 ms"], id="a task of Spark that polled in vain",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN Write of 40 records failed, remainingRetries=3 (io.confluent.connect.jdbc.sink.JdbcSinkTask)\njava.sql.BatchUpdateException: relation \"pay\" does not exist\n\tat org.postgresql.jdbc.BatchResultHandler.handleError(BatchResultHandler.java:165)",
            "sink_write_failed", ["40 records", "3 retries", "does not exist"], id="a sink whose database refuses",
        ),
        pytest.param(
            '{"id":0,"state":"FAILED","worker_id":"10.0.0.4:8083","trace":"org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler"}',
            "connect_task_killed", ["was killed"], id="the status of a task that died",
        ),
        pytest.param(
            "kafka.common.InconsistentClusterIdException: The Cluster ID aaaaaaaaaaaaaaaaaaaaaa doesn't match stored clusterId Some(bbbbbbbbbbbbbbbbbbbbbb) in meta.properties.\n\tat kafka.server.KafkaServer.startup(KafkaServer.scala:218)",
            "broker_of_another_cluster", ["did not start", "aaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbb", "zookeeper.connect"], id="a broker of another cluster",
        ),
        pytest.param(
            "Uncaught error in kafka producer I/O thread\nTraceback (most recent call last):\n  File \"/srv/lib/kafka/producer/sender.py\", line 60, in run\n    self.run_once()\n  File \"/usr/lib/python3/socket.py\", line 232, in __init__\n    _socket.socket.__init__(self, family, type, proto, fileno)\nOSError: [Errno 24] Too many open files",
            "out_of_files", ["OSError: [Errno 24]"], id="a traceback ends with what was thrown",
        ),
        pytest.param(
            "2026-01-05 10:00:00 +0000 [warn]: #0 Send exception occurred: Kafka::MessageSizeTooLarge",
            "record_refused_as_too_large", ["ruby-kafka"], id="an error of Ruby's client",
        ),
        pytest.param(
            f"{KAFKA}InvalidRecordException: Timestamp 1700000000000 of message with offset 3 is out of range. The timestamp should be within [1767000000000, 1768000000000]",
            "record_time_refused", ["out of bounds", "[1767000000000, 1768000000000]"], id="a record's time, and no offset, is out of range",
        ),
        pytest.param(
            "E, [2026-01-05T10:00:00.852361 #4711] ERROR -- : [[pay] {}:] [join_group] Timed out while waiting for response 2",
            "said_to_fail", ["join_group", "ruby-kafka"], id="what only says that it failed",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,005] INFO [s3|task-0] [Consumer clientId=connector-consumer-s3-0, groupId=connect-s3] Failed to create channel due to  (org.apache.kafka.common.network.SaslChannelBuilder:227)\norg.apache.kafka.common.errors.SaslAuthenticationException: Failed to configure SaslClientAuthenticator\nCaused by: org.apache.kafka.common.errors.SaslAuthenticationException: Failed to create SaslClient with mechanism AWS_MSK_IAM",
            "login_impossible", ["AWS_MSK_IAM", "No broker"], id="a login that the client can't make",
        ),
    ],
)  # fmt: skip
def test_lines_that_no_reader_knows_are_told_by_their_words(text, kind, words):
    (worded,), _ = told_by_words(left_of(f"{text}\n"), [])
    assert worded.incident.kind == kind
    for word in words:
        assert word in f"{worded.incident.title} {worded.incident.cause}"


def test_one_fault_of_one_client_is_told_once_by_words():
    text = "Heartbeat session expired - marking coordinator dead\nAuto offset commit failed: [Error 25] UnknownMemberIdError: orders\n"
    (worded,), _ = told_by_words(left_of(text), [])
    assert worded.incident.kind == "session_timed_out"


@pytest.mark.parametrize(
    "text",
    [
        '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.000Z","logger":"kafkajs","message":"[Runner] The group is rebalancing, re-joining","groupId":"orders"}',
        "1700000000.125 RDKAFKA-3-ERROR: pay#producer-0: 0/2 brokers are down",
        "java.lang.InterruptedException\n\tat java.base/java.util.concurrent.CountDownLatch.await(CountDownLatch.java:278)\n\tat kafka.utils.ShutdownableThread.pause(ShutdownableThread.scala:82)",
        "[2026-01-05 10:00:00,027] WARN Found a corrupted index file due to requirement failed: Corrupt index found. deleting /data/orders-0/0.index and rebuilding index... (kafka.log.Log)",
    ],
)
def test_what_clients_print_at_error_in_their_ordinary_course_is_normal(text):
    assert {one.verdict for one in told(text)} <= {"benign"}


@pytest.mark.parametrize(("said", "is_left"), [
    ("INFO\tTHROTTLE\t[thrd:kafka1:9092/1]: kafka1:9092/1: fetching of orders failed for a reason of tomorrow", True),
    ("INFO\tTHROTTLE\t[thrd:kafka1:9092/1]: kafka1:9092/1: a thing of tomorrow that went well", False),
    ("INFO\tFAIL\t[thrd:kafka1:9092/1]: kafka1:9092/1: Closed for a reason of tomorrow", True),
    ("DEBUG\tTHROTTLE\t[thrd:kafka1:9092/1]: kafka1:9092/1: fetching of orders failed for a reason of tomorrow", False),
])  # fmt: skip
def test_what_a_binding_prints_at_info_of_librdkafka_is_no_all_clear_where_it_failed(said, is_left):
    head = f"2026-01-05 10:00:00,749\t{said}"
    (event,) = story(head).events
    record = ReadRecord("app.log", 1, 1, said.split("\t")[0], None, "assumed", head)
    quiet = ReadRecord("app.log", 2, 1, "INFO", None, "assumed", "2026-01-05 10:00:01 INFO on it goes")
    read = SourceRead("app.log", scan("app.log", [head.encode()]), "", 1)
    records = {event.record_id: record, "later": quiet}
    assert bool(unexplained([read], records, [event], set())) is is_left


def test_a_level_that_only_librdkafka_s_own_head_names_is_heard():
    text = "1700000000.125 RDKAFKA-4-PROTOERR: rdkafka#consumer-0: kafka1:9092/7: Previous parsing error for topic orders [1]"
    (event,) = story(text).events
    record = ReadRecord("app.log", 1, 1, None, None, "none", text)
    read = SourceRead("app.log", scan("app.log", [text.encode()]), "", 1)
    (worded,), _ = told_by_words(unexplained([read], {event.record_id: record}, [event], set()), [])
    assert worded.incident.kind == "answer_not_understood"
    assert "kafka1:9092 for orders" in worded.incident.title


def test_of_an_object_of_many_lines_the_message_is_told():
    text = '{\n  "level": "ERROR",\n  "logger": "kafkajs",\n  "error": "This server does not host this topic-partition"\n}'
    quoted = loudest_line(ReadRecord("app.log", 1, 5, "ERROR", None, "none", text), "level", [])
    assert "does not host this topic-partition" in quoted.text


@pytest.mark.parametrize("name", ["UNKNOWN_MEMBER_ID", "UnknownMemberIdError", "UnknownMemberIdException", "Local_UnknownMemberId", "_UNKNOWN_MEMBER_ID"])  # fmt: skip
def test_an_error_has_one_name(name):
    assert canonical(name) == "unknownmemberid"


def test_what_is_printed_below_a_dump_is_no_setting():
    dump = (
        "[2026-01-05 10:00:00,000] INFO AvroDataConfig values: \n\tschemas.cache.config = 1\n (io.confluent.connect.avro.AvroDataConfig)\n"
        f"Error when sending message to topic: 'orders'\n{KAFKA}TimeoutException: Topic orders not present in metadata after 60000 ms.\n"
    )
    (incident,) = (one for one in told(dump) if one.verdict != "benign")
    assert incident.kind == "metadata_timed_out"


def test_the_address_that_the_cluster_names_is_advertised():
    line = "2026-01-05 10:00:00,000 WARN [AdminClient clientId=admin-1] Connection to node 2 (localhost/127.0.0.1:9094) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"
    (incident,) = (one for one in told(line) if one.verdict != "benign")
    assert "advertised.listeners" in incident.cause
    (bootstrap,) = (one for one in told(line.replace("node 2 ", "node -1 ")) if one.verdict != "benign")
    assert "The cluster itself" not in bootstrap.cause


def test_a_log_that_ends_in_a_stack_trace_is_no_all_clear():
    first = "2026-01-05 10:00:00 DEBUG Selector:607 - [Producer clientId=p] Connection with kafka1/10.0.0.1 disconnected"
    trace = "java.io.IOException: Connection reset by peer\n\tat sun.nio.ch.FileDispatcherImpl.read0(Native Method)"
    record = ReadRecord("app.log", 1, 3, "DEBUG", None, "assumed", f"{first}\n{trace}")
    read = SourceRead("app.log", scan("app.log", [record.text.encode()]), "", 3)
    (left,) = unexplained([read], {"r1": record}, [], set())
    assert left.loudness == "exception"
    later = ReadRecord("app.log", 4, 1, "INFO", None, "assumed", "2026-01-05 10:00:01 INFO on it goes")
    assert not unexplained([read], {"r1": record, "r2": later}, [], set())


def test_frames_without_their_head_are_no_all_clear():
    frame = "2026-01-05T10:00:00Z \tat org.apache.kafka.clients.consumer.KafkaConsumer.commitSync(KafkaConsumer.java:1203)"
    record = ReadRecord("app.log", 1, 1, None, None, "assumed", frame)
    read = SourceRead("app.log", scan("app.log", [frame.encode()]), "", 1)
    later = ReadRecord("app.log", 2, 1, "INFO", None, "assumed", "2026-01-05 10:00:01 INFO on it goes")
    (left,) = unexplained([read], {"r1": record, "r2": later}, [], set())
    assert left.loudness == "exception"


def test_a_last_stack_trace_that_an_incident_tells_of_is_not_told_again():
    text = "2026-01-05 10:00:00 INFO Error sending fetch request to node 0:\norg.apache.kafka.common.errors.DisconnectException"
    record = ReadRecord("app.log", 1, 2, "INFO", None, "assumed", text)
    read = SourceRead("app.log", scan("app.log", [text.encode()]), "", 2)
    assert not unexplained([read], {"r1": record}, [], {"r1"})


def test_a_coordinator_that_is_named_again_was_not_reached_by_that():
    lost = "Group coordinator 10.0.0.9:9094 (id: 2147483647 rack: null) is unavailable or invalid due to cause: coordinator unavailable. isDisconnected: true. Rediscovery will be attempted."
    found = "Discovered group coordinator 10.0.0.9:9094 (id: 2147483647 rack: null)"
    refused = "Connection to node 2147483647 (/10.0.0.9:9094) could not be established. Broker may not be available."
    lines = [
        line(0, "WARN", "org.apache.kafka.clients.NetworkClient", f"{CONSUMER}{refused}"),
        *(
            line(
                at,
                "INFO",
                "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator",
                f"{CONSUMER}{text}",
            )
            for at, text in ((1, lost), (3, found), (500, lost), (502, found))
        ),
    ]
    (incident,) = (one for one in told(*lines) if one.verdict != "benign")
    assert incident.kind == "connect_failed"
    assert "got on again" not in incident.cause
    assert "in-sync" not in incident.cause


def test_a_refusal_goes_before_a_silence_of_the_same_address():
    text = "[2026-01-05 10:00:{}] [kafkajs] [Connection] Connection {}"
    lines = (
        text.format("01", "error: connect ECONNREFUSED 10.0.0.9:9092"),
        text.format("09", "timeout"),
    )
    (incident,) = (one for one in told(*lines) if one.verdict != "benign")
    assert incident.kind == "connect_failed"
    assert "refused none" not in incident.cause


def test_what_kafkajs_was_answered_is_no_loss():
    text = "[2026-01-05 10:00:01] [kafkajs] [Connection] Response Produce(key: 0, version: 7)\nerror: This server is not the leader for that topic-partition"
    assert {one.impact for one in told(text)} == {"delayed"}


def test_a_client_that_worked_before_speaks_the_right_protocol():
    network = "org.apache.kafka.clients.NetworkClient"
    cancelled = f"{CONSUMER}Cancelled in-flight API_VERSIONS request with correlation id 1 due to node -1 being disconnected (elapsed time since creation: 3ms, elapsed time since send: 3ms, throttle time: 0ms, request timeout: 30000ms)"
    bootstrap = f"{CONSUMER}Bootstrap broker 10.0.0.9:9092 (id: -1 rack: null) disconnected"
    found = "Discovered group coordinator 10.0.0.9:9092 (id: 2147483646 rack: null)"
    worked = line(
        0, "INFO", "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator", f"{CONSUMER}{found}"
    )
    lines = [line(9_000, "INFO", network, cancelled), line(9_001, "WARN", network, bootstrap)]
    assert {one.kind for one in told(*lines)} == {"protocol_doubted"}
    assert {one.kind for one in told(lines[1])} == {"no_metadata_yet"}
    assert {one.kind for one in told(worked, *lines)} == {"disconnected"}


def test_a_broker_without_telemetry_is_normal():
    text = "org.apache.kafka.common.errors.UnsupportedVersionException: The node does not support GET_TELEMETRY_SUBSCRIPTIONS\n"
    left = left_of(text)
    assert left
    assert told_by_words(left, []) == ([], [])


@pytest.mark.parametrize(("level", "below", "left"), [
    ("DEBUG", "org.apache.kafka.common.errors.CoordinatorNotAvailableException: The coordinator is not available.", 0),
    ("INFO", "org.apache.kafka.common.errors.CoordinatorNotAvailableException: The coordinator is not available.", 1),
    ("DEBUG", "org.apache.kafka.common.errors.TimeoutException: gone\n\tat com.acme.App.main(App.java:3)", 1),
])  # fmt: skip
def test_an_error_without_frames_below_a_debug_line_is_its_own(level, below, left):
    head = f"2026-01-05 10:00:00 {level} Coordinator discovery failed, refreshing metadata"
    text = f"{head}\n{below}"
    record = ReadRecord("a", 1, text.count("\n") + 1, level, None, "none", text)
    end = ReadRecord("a", 9, 1, "INFO", None, "none", "quiet")
    source = SourceRead("a", scan("a", [f"{text}\n".encode()]), "", 2)
    found = unexplained([source], {"r": record, "end": end}, [], set())
    assert len(found) == left


def test_of_faults_that_words_tell_what_lost_records_is_first():
    text = "10:00:00,641 ERROR ShopKafkaProducer - TimeoutException at orders\n10:00:00,748 ERROR ShopKafkaProducer - Batch Expired\n"
    worded, _ = told_by_words(left_of(text), [])
    assert [one.incident.kind for one in worded] == ["batch_expired_old", "call_timed_out"]


def test_a_producer_that_waits_for_its_id_once_is_normal_and_a_fenced_one_is_not():
    text = "%4|170000000{}.125|GETPID|rdkafka#producer-1| [thrd:main]: Failed to acquire idempotence PID from broker kafka1:9092/1: Broker: {}: retrying"
    loading, newer = (
        "Coordinator load in progress",
        "There is a newer producer with the same transactionalId which fences the current one",
    )
    assert {one.verdict for one in told(text.format(1, loading))} == {"benign"}
    assert {one.kind for one in told(*(text.format(at, loading) for at in range(4)))} == {"producer_id_waits"}
    assert {one.kind for one in told(text.format(1, newer))} == {"producer_fenced"}
