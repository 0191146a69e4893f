# ruff: noqa: E501  # a line of a log is a line
"""What stands around Kafka's clients says of its trouble: workers, frameworks, operators, clients of its first years."""

from io import StringIO

import pytest
from rich.console import Console

from conf.settings import load_conf
from jobs.explain.files import explain_logs
from tests.story import left_of, line, told
from transforms.diagnose.unexplained.by_words import told_by_words


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            "org.apache.kafka.connect.errors.ConnectException: Task already exists in this worker: search-0\n    at org.apache.kafka.connect.runtime.Worker.startTask(Worker.java:4)",
            "connect_task_doubled", ["search-0"], id="a task whose older run has not ended",
        ),
        pytest.param(
            "Schema Registry: KafkaStoreReaderThread failed to reach target offset within the timeout interval. targetOffset: 88, offsetReached: 51, timeout(ms): 500",
            "registry_store_failed", ["offset 51", "to get to 88"], id="a registry whose own reader comes late is no client without a schema",
        ),
        pytest.param(
            "Caused by: io.confluent.kafka.schemaregistry.storage.exceptions.StoreTimeoutException: Put operation timed out while waiting for an ack from Kafka",
            "registry_store_failed", ["writes a new one there"], id="a write of a registry's that was not confirmed is no connection that was not made",
        ),
        pytest.param(
            "org.apache.kafka.common.errors.SerializationException: Error registering Avro schema: {}\nCaused by: io.confluent.kafka.schemaregistry.client.rest.exceptions.RestClientException: Register operation timed out; error code: 50002",
            "registry_store_failed", ["has no part in it"], id="a registry's answer that it could not write",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR Error starting the schema registry (io.confluent.kafka.schemaregistry.rest.SchemaRegistryRestApplication)\nio.confluent.kafka.schemaregistry.exceptions.SchemaRegistryInitializationException: Error initializing kafka store\nCaused by: io.confluent.kafka.schemaregistry.storage.exceptions.StoreTimeoutException: KafkaStoreReaderThread failed to reach target offset within the timeout interval. targetOffset: 88, offsetReached: 51, timeout(ms): 60000",
            "registry_not_started", ["did not start"], id="a registry whose reader came too late for its start",
        ),
        pytest.param(
            "org.apache.pekko.kafka.InitialPollFailed: Initial consumer poll(50) with bootstrap servers kafka7:9092,kafka8:9092 did not succeed, correct address?",
            "poll_woken_up", ["kafka7:9092,kafka8:9092"], id="a first poll of Akka's or Pekko's connector",
        ),
        pytest.param(
            "[WARN] [01/05/2026 10:00:00.123] [app-akka.actor.default-dispatcher-3] [akka://app/system/kafka-consumer-1] Consumer poll(50) interrupted with WakeupException (#6 of max-wakeups = 10, wakeup-timeout = 3 seconds).",
            "poll_woken_up", ["3 seconds"], id="a poll that the connector woke up for the sixth time",
        ),
        pytest.param(
            "10:00:00.000 [main] ERROR c.a.KafkaTestBase - no Kafka for these tests\norg.testcontainers.containers.ContainerLaunchException: Timed out waiting for log output matching '.*started.*'\n\tat org.testcontainers.containers.GenericContainer.start(GenericContainer.java:3)",
            "test_container_failed", ["log output matching '.*started.*'"], id="a broker that a test waits for",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [ReplicaFetcherThread-0-7], Error for partition [bills,3] to broker 7:org.apache.kafka.common.errors.NotLeaderForPartitionException: This server is not the leader for that topic-partition. (kafka.server.ReplicaFetcherThread)",
            "replica_leader_moved", ["does not lead bills,3, broker 7"], id="a leader that another broker is by now",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [KafkaApi-7] Error processing ProducerRequest with correlation id 3 from client app on partition [bills,3] (kafka.server.KafkaApis) kafka.common.MessageSizeTooLargeException: Message size is 2000000 bytes which exceeds the maximum configured message size of 1000012.",
            "record_too_large", ["too large"], id="an old broker's exception behind its line",
        ),
        pytest.param(
            "[2026-01-05T10:00:00,000][ERROR][category=kafka.server.ReplicaManager] [ReplicaManager broker=7] Error processing fetch from replica [3] on partition bills-0: (fetchOffset=7)\njava.lang.InternalError: a fault occurred in a recent unsafe memory access operation in compiled Java code\n\tat kafka.log.OffsetIndex.lookup(OffsetIndex.scala:3)",
            "mapped_file_unreadable", ["bills-0", "disk is full"], id="an index that can't be read",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR Error while creating ephemeral at /brokers/ids/7 (kafka.zk.KafkaZkClient)\norg.apache.zookeeper.KeeperException$NoAuthException: KeeperErrorCode = NoAuth for /brokers/ids\n\tat org.apache.zookeeper.KeeperException.create(KeeperException.java:1)",
            "zookeeper_denied", ["/brokers/ids", "NoAuth"], id="a node of ZooKeeper's that others own",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [Broker id=7] Topic Id in memory: aaaaaaaaaaaaaaaaaaaaaa does not match the topic Id for partition bills-3 provided in the request: bbbbbbbbbbbbbbbbbbbbbb. (state.change.logger)",
            "topic_id_differs", ["A broker (7)", "bills-3", "aaaaaaaaaaaaaaaaaaaaaa"], id="a broker that speaks of itself in the controller's log",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [Producer clientId=producer-1] Interrupted while joining ioThread (org.apache.kafka.clients.producer.KafkaProducer)\njava.lang.InterruptedException\n\tat java.base/java.lang.Thread.join(Thread.java:1)",
            "interrupted", ["producer-1"], id="a close() that came after the interrupt",
        ),
        pytest.param(
            "10:00:00.000 [pool-1] ERROR c.a.KafkaErrors - Kafka consumer [App@1] produced error: No entry found for connection 3\njava.lang.IllegalStateException: No entry found for connection 3\n\tat org.apache.kafka.clients.ClusterConnectionStates.nodeState(ClusterConnectionStates.java:3)",
            "node_unresolved", ["(broker 3)", "KAFKA-7974"], id="an old client, and a name that does not resolve",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN No broker partitions consumed by consumer thread g_h-2 for topic orders (kafka.consumer.RangeAssignor)",
            "threads_without_partitions", ["orders"], id="an old consumer with more threads than partitions",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN Fetching topic metadata with correlation id 4 for topics [Set(orders)] from broker [id:3,host:kafka3,port:9092] failed (kafka.client.ClientUtils$)\njava.nio.channels.ClosedChannelException\n\tat kafka.network.BlockingChannel.send(BlockingChannel.scala:1)",
            "scala_client_erred", ["host:kafka3"], id="a client of Kafka's first years",
        ),
        pytest.param(
            "10:00:00 ERROR [io.sm.re.me.kafka] (executor-8) SRMSG18207: Unable to dispatch message to Kafka: io.smallrye.mutiny.subscription.BackPressureFailure: Cannot emit item due to lack of requests",
            "stream_overrun", ["asked for"], id="a stream that was overrun",
        ),
        pytest.param(
            "2026-01-05 10:00:00.000 ERROR 1 --- [ntainer#0-0-C-1] o.s.kafka.listener.DefaultErrorHandler : Backoff FixedBackOff{interval=0, currentAttempts=10, maxAttempts=9} exhausted for orders-0@17",
            "record_given_up", ["orders-0@17"], id="a record that was tried often enough",
        ),
        pytest.param(
            "ERROR Failed to start stream thread stream-thread [pay-StreamThread-1] \norg.apache.kafka.streams.errors.ProcessorStateException: \nState store directory [/state/pay/1_0] is missing",
            "state_store_failed", ["/state/pay/1_0"], id="a message below its exception's colon",
        ),
        pytest.param(
            "Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerSinkTask) [task-thread-search-0]",
            "connect_task_killed", ["search-0"], id="a line whose level was cut off",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 WARN Disk quota exceeded (kafka.utils.CoreUtils$) [pool-6-thread-1]\njava.io.IOException: Disk quota exceeded\n\tat kafka.log.AbstractIndex.resize(AbstractIndex.scala:1)",
            "storage_failed", ["Disk quota"], id="a full disk is no lost connection",
        ),
        pytest.param(
            'Exception: java.lang.OutOfMemoryError thrown from the UncaughtExceptionHandler in thread "data-plane-kafka-request-handler-0"',
            "broker_out_of_memory", ["A broker"], id="a thread that only brokers have",
        ),
        pytest.param(
            'log: {"@timestamp":"2026-01-05T10:00:00.000Z","level":"WARN","logger_name":"org.apache.kafka.clients.consumer.internals.ConsumerCoordinator","thread":"kafka-coordinator-heartbeat-thread | g","message":"[Consumer clientId=c-2, groupId=g] consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured [max.poll.interval.ms](http://max.poll.interval.ms)"}',
            "poll_too_slow", ["Consumer c-2", "group g"], id="an object behind a collector's word is Java's",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 WARN org.apache.kafka.clients.consumer.internals.ConsumerHeartbeatRequestManager - [Consumer clientId=c-3, groupId=g] Time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, exceeded approximately by 912 ms. Member Wq2-x will rejoin the group now.",
            "poll_too_slow_noticed", ["Consumer c-3 called poll() 912 ms later", "does not say which"], id="a late poll alone is no leave",
        ),
        pytest.param(
            "Not polling on partition [orders-0]. It has [250] uncommitted offsets, which exceeds the limit of [250]",
            "spout_stopped_polling", ["orders-0", "250"], id="a spout at its limit",
        ),
        pytest.param(
            "2026-01-05 10:00:00.000 ERROR 1 --- [main] o.s.cloud.stream.binding.BindingService : Failed to create consumer binding; retrying in 30 seconds\norg.springframework.cloud.stream.provisioning.ProvisioningException: Provisioning exception encountered for orders\n\tat org.springframework.cloud.stream.binder.kafka.provisioning.KafkaTopicProvisioner.createTopic(KafkaTopicProvisioner.java:3)",
            "binding_failed", ["orders"], id="a channel of Spring's is no connector",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [ReplicaFetcher replicaId=4, leaderId=7, fetcherId=0] Unexpected error occurred while processing data for partition bills-3 at offset 71 (kafka.server.ReplicaFetcherThread)\njava.lang.IllegalStateException: Offset mismatch for bills-3",
            "replica_given_up", ["Broker 4", "bills-3", "marked as failed", "Offset mismatch"], id="a follower that gave a partition up",
        ),
        pytest.param(
            'Exception in thread "main" java.lang.IllegalStateException: Some partitions have no leader: [__consumer_offsets-0, pay-0]\n\tat org.shop.Main.main(Main.java:1)',
            "no_leader", ["no leader"], id="a tool that names Kafka by its internal topic alone",
        ),
    ],
)  # fmt: skip
def test_what_products_around_kafka_say(text, kind, words):
    found = [one for one in told(text) if one.kind == kind]
    worded, _ = told_by_words(left_of(f"{text}\n"), [])
    incident = next(iter(found or [one.incident for one in worded]))
    assert incident.kind == kind
    for word in words:
        assert word in f"{incident.title} {incident.cause}"


@pytest.mark.parametrize(
    "text",
    [
        "The worker has been configured with one or more internal converter properties ([internal.key.converter]). Support for these properties was deprecated in version 2.0",
        "A provider org.apache.kafka.connect.runtime.rest.resources.RootResource registered in SERVER runtime does not implement any provider interfaces applicable in the SERVER runtime.",
        "WorkerSinkTask{id=search-0} Ignoring invalid task provided offset orders-0/OffsetAndMetadata{offset=7} -- not yet consumed, taskOffset=7 currentOffset=5",
        "All plugins have ServiceLoader manifests, consider reconfiguring plugin.discovery=service_load",
        "WARNING: sun.misc.Unsafe::invokeCleaner has been called by org.apache.kafka.common.utils.ByteBufferUnmapper (file:/opt/kafka/libs/kafka-clients-4.3.0.jar)",
        "[Broker id=1] Ignoring LeaderAndIsr request from controller 1 with correlation id 18 epoch 2 for partition orders-0 since its associated leader epoch 1 is not higher than the current leader epoch 1",
        "Ignoring invalid completion time 1767607200456 since it is before this stage's start time of 1767607200460",
        "Recreating stream consumer for topic partition orders_REALTIME-orders-0, reason: Total idle time: 183820 ms exceeded idle timeout: 180000 ms",
    ],
)
def test_what_a_worker_warns_of_as_it_starts_is_normal(text):
    found = told(line(0, "WARN", "org.apache.kafka.connect.runtime.WorkerConfig", text))
    assert [one.verdict for one in found] == ["benign"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param('"kafka-consumer-1@1" daemon prio=5 runnable\n  at org.apache.kafka.clients.NetworkClient.poll(NetworkClient.java:260)', "not_judged", id="a thread dump"),
        pytest.param('10:00:00 INFO Kafka version: 3.9.0 (org.apache.kafka.common.utils.AppInfoParser)', "nothing_wrong", id="a log"),
        pytest.param('10:00:00 INFO Kafka version: 3.9.0 (org.apache.kafka.common.utils.AppInfoParser)\n10:00:01 ERROR c.a.Shop - Exception sending producer record: no bytes of it', "trouble", id="an application's failed send"),
        pytest.param("\\tat org.apache.kafka.clients.consumer.KafkaConsumer.commitSync(KafkaConsumer.java:1) ~[app.jar:3.0.2]", "not_judged", id="a frame whose tab is written out"),
    ],
)  # fmt: skip
def test_text_about_kafka_is_no_all_clear(tmp_path, text, kind):
    log = tmp_path / "app.log"
    log.write_text(f"{text}\n")
    told = explain_logs([str(log)], Console(file=StringIO()), conf=load_conf(checks=False))
    assert told.ending.kind == kind
