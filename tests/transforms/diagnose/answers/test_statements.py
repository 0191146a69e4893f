# ruff: noqa: E501  # a line of a log is a line
"""Statements of Kafka's own sources and of what is built on it: of each class of them one, told rightly."""

import pytest

from tests.answered import answered

AT = "[2026-01-05 10:00:00,000]"
WORKER = f"{AT} INFO [pay-sink|task-0] WorkerSinkTask{{id=pay-sink-0}} Sink task finished initialization and start (org.apache.kafka.connect.runtime.WorkerSinkTask)\n"
CLIENT = f"{AT} INFO [Consumer clientId=pay-1, groupId=pay] Successfully joined group with generation Generation{{generationId=3, memberId='pay-1-7', protocol='range'}} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
BROKER = f"{AT} INFO [KafkaRaftServer nodeId=2] Kafka Server started (kafka.server.KafkaRaftServer)\n"
SPRING = "2026-01-05T10:00:00.000Z {} 1 --- [pay] [ntainer#0-0-C-1] {} : {}"
FRAMES = "\n\tat com.acme.Pay.write(Pay.java:7)\n\tat java.base/java.lang.Thread.run(Thread.java:840)"
NULL = f'\njava.lang.NullPointerException: Cannot invoke "Object.toString()" because "one" is null{FRAMES}'
FULL = f"\njava.io.IOException: No space left on device{FRAMES}"


@pytest.mark.parametrize(
    ("text", "kind", "words", "unsaid"),
    [
        pytest.param(
            f"{WORKER}{AT} ERROR [pay-sink|task-0] Commit 7 failed for table bills (3 consecutive failures, terminating) (org.apache.iceberg.connect.channel.Coordinator){NULL}",
            "connector_erred", ["NullPointerException"], "nothing wrong", id="what a connector's library says within its task",
        ),
        pytest.param(
            f"{WORKER}{AT} ERROR [pay-sink|task-0] The vault of bills is shut (com.acme.sink.Vault)",
            "said_at_error", ["The vault of bills is shut"], "nothing wrong", id="an error of a plugin that nobody knows",
        ),
        pytest.param(
            f"{WORKER}2026-01-05 10:00:01,000 ERROR The vault of bills is shut (com.acme.sink.Vault) [task-thread-pay-sink-0]",
            "said_at_error", ["The vault of bills is shut"], "nothing wrong", id="and by the thread of its task",
        ),
        pytest.param(
            f"{WORKER}{AT} WARN [pay-sink|task-0] The vault of bills is small (com.acme.sink.Vault)",
            "nothing_wrong", [], "vault", id="a warning of such a plugin that says nothing of failing",
        ),
        pytest.param(
            f"{WORKER}{AT} WARN [pay-sink|task-0] Failed to write 7 rows to bills, will retry (com.acme.sink.Vault)",
            "said_to_fail", ["Failed to write 7 rows to bills"], "nothing wrong", id="and one that does",
        ),
        pytest.param(
            f"{WORKER}{AT} ERROR [pay-sink|task-0] Giving up; met java.sql.SQLException: Connection is closed on the last write (io.confluent.connect.jdbc.sink.JdbcSinkTask)",
            "source_connection_lost", ["the database"], "to a broker", id="what a connector says of another's exception",
        ),
        pytest.param(
            f"{WORKER}{AT} ERROR [pay-sink|task-0] Could not read bills (io.confluent.connect.jdbc.source.TableQuerier)\njava.sql.SQLException: Connection is closed{FRAMES}",
            "source_connection_lost", ["the database"], "to a broker", id="a connection to a database is none to a broker",
        ),
        pytest.param(
            f"{WORKER}{AT} ERROR [pay-sink|task-0] Failed to close bills.tmp (com.acme.sink.Vault){FULL}",
            "own_disk_failed", ["No space left on device", "on the host where this process runs"], "A broker has", id="the disk of a worker",
        ),
        pytest.param(
            f"{CLIENT}{AT} ERROR Could not read properties from file /opt/pay/login.properties (org.apache.kafka.common.config.provider.FileConfigProvider)\njava.io.IOException: Input/output error{FRAMES}",
            "own_disk_failed", ["Input/output error"], "A broker has", id="the disk of a client",
        ),
        pytest.param(
            f"{BROKER}{AT} ERROR Error while flushing log for pay-3 in dir /data (kafka.server.LogDirFailureChannel){FULL}",
            "disk_full", ["A broker has no space left on its disk"], "where this process runs", id="and the disk of a broker",
        ),
        pytest.param(
            f"{BROKER}{AT} ERROR Failed to access checkpoint file cleaner-offset-checkpoint in dir /data/a (kafka.log.LogCleanerManager){NULL}",
            "broker_files_erred", ["log files"], "Streams", id="a checkpoint of a broker's cleaner is no state of Streams'",
        ),
        pytest.param(
            f"{BROKER}{AT} WARN Logs for partitions pay-1,pay-2 are offline and logs for future partitions  are offline due to failure on log directory /data/a (kafka.log.LogManager)",
            "storage_failed", ["trouble with its disk"], "could not be judged", id="logs that are offline",
        ),
        pytest.param(
            f"{BROKER}{AT} WARN [QuorumController id=2] Directories Aa1 in broker 3 marked offline, remaining directories: Bb2 (org.apache.kafka.controller.ReplicationControlManager)",
            "storage_failed", ["trouble with its disk"], "could not be judged", id="what a controller hears of one",
        ),
        pytest.param(
            f"{BROKER}{AT} WARN [FinalizedFeatureChangeListener] Unexpected exception in feature ZK node change event processing; will continue processing. (kafka.server.FinalizedFeatureChangeListener$ChangeNotificationProcessorThread){NULL}",
            "said_to_fail", ["NullPointerException"], "could not be judged", id="a warning of a broker's about what it caught",
        ),
        pytest.param(
            f"{AT} WARN cleanup event threw exception (org.apache.kafka.queue.KafkaEventQueue){NULL}",
            "said_to_fail", ["NullPointerException"], "could not be judged", id="one of Kafka's own code",
        ),
        pytest.param(
            f"{AT} WARN Error while closing the pay store (org.apache.kafka.connect.runtime.Worker){NULL}",
            "not_judged", ["could not be judged"], "said that something failed", id="what is being closed may fail",
        ),
        pytest.param(
            f"{AT} WARN Fetching the pay of 7 threw an exception. Retrying. (org.apache.kafka.connect.runtime.Worker){NULL}",
            "not_judged", ["could not be judged"], "said that something failed", id="what is tried again may succeed",
        ),
        pytest.param(
            CLIENT + SPRING.format(" WARN", "r.k.r.internals.ConsumerEventLoop       ", "Commit failed with exceptionjava.lang.RuntimeException: no, retries remaining 12"),
            "said_to_fail", ["Commit failed"], "nothing wrong", id="a framework whose packages are shortened",
        ),
        pytest.param(
            CLIENT + SPRING.format(" WARN", "o.a.c.c.k.c.s.s.KafkaRecordProcessor    ", "Error during processing pay-3 due to no money"),
            "said_to_fail", ["Error during processing"], "nothing wrong", id="another, at WARN",
        ),
        pytest.param(
            CLIENT + SPRING.format(" WARN", ".c.c.k.c.s.s.KafkaPayStreamingProcessor ", "Error during processing pay-3 due to no money"),
            "said_to_fail", ["Error during processing"], "nothing wrong", id="and one whose logger was cut off on its left",
        ),
        pytest.param(
            f"{WORKER}{AT} WARN [pay-sink|task-0] Errant record written to DLQ due to: no ink (com.acme.sink.Vault)",
            "said_to_fail", ["Errant record"], "nothing wrong", id="a record that was put aside",
        ),
        pytest.param(
            CLIENT + SPRING.format(" WARN", "o.s.k.l.KafkaMessageListenerContainer   ", "These offsets could not be committed; partition(s) lost during rebalance: {pay-3=OffsetAndMetadata{offset=7}}"),
            "said_to_fail", ["could not be committed"], "could not be judged", id="what could not be done",
        ),
        pytest.param(
            "26/01/05 10:00:00 INFO AppInfoParser: Kafka version: 3.9.1\n26/01/05 10:00:01 WARN KafkaDataConsumer: Found a disappeared offset 7. Some data may be lost. (org.apache.spark.sql.kafka010.consumer.KafkaDataConsumer)",
            "said_to_fail", ["Some data may be lost"], "could not be judged", id="data that may be lost",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 WARN [Timer-Driven Process Thread-4] o.a.n.k.s.p.KafkaTransactionalProducerWrapper Failed to commit producer transaction after 3 attempts, each timing out.\n",
            "said_to_fail", ["Failed to commit producer transaction"], "nothing wrong", id="a speaker without a sign behind it",
        ),
        pytest.param(
            "Jan 05, 2026 10:00:00 AM org.apache.kafka.common.utils.AppInfoParser$AppInfo <init>\nINFO: Kafka version: 3.9.1\nJan 05, 2026 10:00:01 AM org.apache.beam.sdk.io.kafka.ReadFromKafkaDoFn processElement\nSEVERE: The expected value (7) was not reached in 10 seconds.",
            "said_at_error", ["The expected value (7) was not reached"], "nothing wrong", id="java.util.logging says whose a line is above it",
        ),
        pytest.param(
            f"{WORKER}{AT} WARN [pay-sink|task-0] put took long. If there is CommitFailedException in the log, read the guide (com.snowflake.kafka.connector.SnowflakeSinkTask)",
            "not_judged", [], "was refused", id="an exception that there may be",
        ),
        pytest.param(
            f"{AT} WARN Ignored invalid checkpoint record at offset 7 (org.apache.kafka.connect.mirror.CheckpointStore)\norg.apache.kafka.common.protocol.types.SchemaException: Error computing size{FRAMES}",
            "not_judged", [], "does not support", id="a record that is not of the form is no version of a broker's",
        ),
        pytest.param(
            f"{BROKER}{AT} WARN [GroupCoordinator id=2] Failed to parse Consumer Protocol consumer:range of group pay. Consumer group coordinator is not aware of the subscribed topics. (org.apache.kafka.coordinator.group.classic.ClassicGroup)\norg.apache.kafka.common.protocol.types.SchemaException: Error computing size{FRAMES}",
            "said_to_fail", [], "as a member", id="a coordinator that does not know topics knows its members",
        ),
        pytest.param(
            CLIENT + SPRING.format(" WARN", "o.s.c.s.b.k.p.KafkaTopicProvisioner     ", "Attempt to create topic: pay. Topic already exists."),
            "nothing_wrong", [], "could not bind", id="a topic that another made first",
        ),
        pytest.param(
            f"{AT} ERROR [Worker clientId=c-1, groupId=pay] Failed to configure pay-sink (org.apache.kafka.connect.mirror.MirrorHerder)\njava.lang.IllegalStateException: no more ink{FRAMES}",
            "connect_erred", ["no more ink"], "no more ink: no more ink", id="what is said once",
        ),
        pytest.param(
            f"{CLIENT}{AT} WARN [Consumer clientId=pay-1, groupId=pay] OffsetFetch request to remove not found in the outbound buffer: x (org.apache.kafka.clients.consumer.internals.CommitRequestManager)",
            "client_error", ["outbound buffer"], "as a member", id="a request that is not there is no member that is not",
        ),
        pytest.param(
            f"{BROKER}{AT} WARN [GroupCoordinator id=2] Failed to write empty metadata for group pay: no ink (org.apache.kafka.coordinator.group.GroupMetadataManager)",
            "broker_coordinator_erred", ["no ink"], "finds no coordinator", id="a coordinator that could not write is one",
        ),
        pytest.param(
            f"{CLIENT}{AT} ERROR [ShareConsumer clientId=pay-1, groupId=pay] Topic name not found in metadata for topicId Yb3xSjX1Q1mBqk0Xo1Yb2w and partitionIndex 3 (org.apache.kafka.clients.consumer.internals.ShareConsumeRequestManager)",
            "topic_missing", [], "(name)", id="a topic's name is no topic",
        ),
        pytest.param(
            f"{CLIENT}{AT} WARN stream-thread [pay-StreamThread-1] Failed to write offset checkpoint file to /data/pay/0_1/.checkpoint (org.apache.kafka.streams.processor.internals.ProcessorStateManager){FULL}",
            "own_disk_failed", ["No space left on device"], "A broker has", id="the disk of a Streams client",
        ),
        pytest.param(
            SPRING.format("ERROR", "o.s.kafka.listener.LoggingCommitCallback", f"Commit failed for {{pay-3=OffsetAndMetadata{{offset=7}}}}{NULL}"),
            "commit_failed", [], "own listener", id="a commit that is logged in a package of listeners",
        ),
        pytest.param(
            f"{CLIENT}{AT} ERROR Failed to resolve broker set with exception:  (com.linkedin.kafka.cruisecontrol.model.ClusterBrokerState)\ncom.linkedin.kafka.cruisecontrol.exception.BrokerSetResolutionException: no file{FRAMES}",
            "cruise_control_erred", ["no file"], "does not resolve", id="a set of brokers is no name",
        ),
        pytest.param(
            "2026-01-05 10:00:00 ERROR InternalCa:214 - Reconciliation #12(timer) Kafka(kafka/pay): Failed to parse existing certificate\njava.security.cert.CertificateException: no header" + FRAMES,
            "operator_failed", [], "agree on TLS", id="a file that is read is no handshake",
        ),
        pytest.param(
            f"{CLIENT}{AT} ERROR Error when updating leader, we will not be able to forward requests to the leader (io.confluent.kafka.schemaregistry.leaderelector.kafka.KafkaGroupLeaderElector)\nio.confluent.kafka.schemaregistry.exceptions.SchemaRegistryException: no ink{FRAMES}",
            "registry_erred", [], "got no schema", id="a registry is no client of its own",
        ),
        pytest.param(
            CLIENT + SPRING.format(" WARN", "o.s.k.requestreply.ReplyingKafkaTemplate", "Reply timed out for: ProducerRecord(topic=pay, partition=3) with correlationId: 7"),
            "said_to_fail", ["Reply timed out"], "could not be judged", id="a reply that did not come",
        ),
        pytest.param(
            f"{CLIENT}{AT} WARN Unable to create topic pay. (com.linkedin.kafka.cruisecontrol.KafkaCruiseControlUtils)\njava.lang.InterruptedException: sleep interrupted{FRAMES}",
            "interrupted", ["while it waited"], "call of Kafka", id="who was interrupted may have waited for anything",
        ),
        pytest.param(
            f"{BROKER}{AT} ERROR [PartitionStateMachine controllerId=2] Controller moved to another broker when moving some partitions to OnlinePartition state (kafka.controller.ZkPartitionStateMachine)\norg.apache.kafka.common.errors.ControllerMovedException: moved{FRAMES}",
            "controller_erred", [], "nothing wrong", id="a controller that lost its office in the midst of its work",
        ),
        *[
            pytest.param(
                f"{CLIENT}{AT} ERROR Pay run ended (com.acme.pay.Pay)\n{thrown}\n\tat org.apache.kafka.common.{where}.apply(A.java:7){FRAMES}",
                kind, [], unsaid, id=name,
            )
            for thrown, where, kind, unsaid, name in [
                ("org.apache.kafka.common.errors.InvalidConfigurationException: SSL key store is not specified, but key store password is specified.", "security.ssl.DefaultSslEngineFactory", "config_refused", "The broker refused", "settings that a client refuses itself"),
                ("org.apache.kafka.common.InvalidRecordException: Found invalid record count 7 in magic v2 batch", "record.DefaultRecordBatch", "message_corrupt", "The broker refused", "a record that a client can't read"),
                ("org.apache.kafka.common.InvalidRecordException: This record has failed the validation on broker and hence will be rejected.", "record.Sender", "record_refused", "is not valid of", "and one that a broker refused"),
                ("org.apache.kafka.common.config.ConfigException: Invalid value null for configuration key.deserializer: must be non-null.", "config.ConfigDef", "config_refused", "can't read a record", "a deserializer that is not set"),
                ("org.apache.kafka.streams.errors.TopologyException: Invalid topology: Must provide at least one state store name.", "Topology", "internal_topics_wrong", "local state", "a topology that is wrong"),
                ("org.apache.kafka.common.errors.TimeoutException: Operation timed out before completion", "AsyncKafkaConsumer", "kafka_exception", "could not connect", "an operation that took too long"),
                ("org.apache.kafka.connect.runtime.rest.errors.ConnectRestException: Request timed out", "HerderRequestHandler", "kafka_exception", "A broker did not answer", "a call of a worker"),
                ("java.io.IOException: Malformed line in checkpoint file [/data/cleaner-offset-checkpoint]: 7", "CheckpointFile", "said_at_error", "local state", "a file of a broker's"),
                ("org.apache.kafka.common.errors.InvalidConfigurationException: Unknown topic config name: retention", "KafkaAdminClient", "topic_refused", "can't work", "settings of a topic that a broker refused"),
                ("org.apache.kafka.common.errors.SerializationException: Error while serializing value schema value 7", "SchemaRegistrySerializer", "serialization_failed", "can't read", "what can't be written"),
                ("org.apache.kafka.common.KafkaException: Topic id does not exist for topic partition: pay-3", "RemoteLogManager", "topic_missing", "(id)", "an id is no topic"),
                ("java.lang.IllegalArgumentException: Cannot resign from epoch 7 since we are not the leader", "KafkaRaftClient", "said_to_fail", "does not lead", "who is no leader itself"),
                ("java.io.EOFException: File ended prematurely.", "OffsetCheckpoint", "file_cut_short", "lost its connection", "a file's end is no connection's"),
            ]
        ],
    ],
)  # fmt: skip
def test_a_statement_of_trouble(text, kind, words, unsaid, tmp_path):
    found, told = answered(text, tmp_path)
    assert found == kind
    assert [one for one in words if one not in told] == []
    assert unsaid not in told


@pytest.mark.parametrize(
    "text",
    [
        f"{AT} WARN Interrupted while waiting for the optimizer to shutdown. (com.linkedin.kafka.cruisecontrol.analyzer.GoalOptimizer)",
        f"{AT} WARN Interrupted during graceful shutdown; will return immediately (org.apache.kafka.connect.runtime.health.HealthCheckThread)\njava.lang.InterruptedException: sleep interrupted{FRAMES}",
        f"{AT} WARN Error while loading version: (io.confluent.connect.jdbc.util.Version){NULL}",
        f"{AT} WARN AK versions prior to 2.6 do not support the errant record reporter. (io.confluent.connect.s3.S3SinkTask)\njava.lang.NoSuchMethodError: errantRecordReporter{FRAMES}",
        "26/01/05 10:00:01 WARN KafkaSourceProvider: maxOffsetsPerTrigger option ignored in batch queries (org.apache.spark.sql.kafka010)",
        f"{AT} WARN Config auto.register is not supported in Kafka REST and will be ignored. It will fail in a future release. (io.confluent.kafkarest.KafkaRestConfig)",
        f"{AT} WARN WAL is explicitly disabled by Streams in RocksDB. Setting option 'walDir' will be ignored (org.apache.kafka.streams.state.internals.RocksDBGenericOptionsToDbOptionsColumnFamilyOptionsAdapter)",
        f"{AT} WARN Coordinator loader is already shutting down. (kafka.coordinator.group.CoordinatorLoaderImpl)",
        f"{AT} WARN [GroupCoordinator id=2] Setting empty assignments for members pay-1-7, pay-2-8 of pay for generation 3. (org.apache.kafka.coordinator.group.GroupMetadataManager)",
        f"{AT} WARN [QuorumController id=2] Upgrading metadata.version from 3.8-IV0 to 3.9-IV0. (org.apache.kafka.controller.FeatureControlManager)",
        f"{AT} ERROR Client disconnected while processing and sending response (io.confluent.rest.exceptions.JettyEofExceptionWriterInterceptor)\norg.eclipse.jetty.io.EofException: gone{FRAMES}",
        f"{AT} WARN Current thread for partition Yb3xSjX1Q1mBqk0Xo1Yb2w:pay-3 is interrupted (org.apache.kafka.server.log.remote.storage.RemoteLogManager)\njava.lang.InterruptedException: sleep interrupted{FRAMES}",
        f"{AT} WARN [Consumer clientId=pay-1, groupId=pay] The fetch buffer was already closed (org.apache.kafka.clients.consumer.internals.FetchBuffer)",
        f"{AT} INFO [Consumer clientId=pay-1, groupId=pay] Attempt to heartbeat with stale Generation{{generationId=3, memberId='pay-1-7', protocol='range'}} and group instance id Optional[a] failed due to UNKNOWN_MEMBER_ID, ignoring the error (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
        f"{AT} WARN Config windowed.inner.class.serde is deprecated. Please use windowed.inner.deserializer.class instead. (org.apache.kafka.streams.kstream.SessionWindowedDeserializer)",
        f"{AT} INFO [Controller id=1] Controller moved to another broker when processing TopicChange. (kafka.controller.KafkaController)\norg.apache.kafka.common.errors.ControllerMovedException: moved{FRAMES}",
        f"{AT} INFO Failed to get method values() since we are probably on kafka 3.0.0 or older:  (com.linkedin.kafka.cruisecontrol.metricsreporter.Reporter)\njava.lang.NoSuchMethodException: values{FRAMES}",
    ],
)
def test_a_statement_that_is_normal(text, tmp_path):
    found, told = answered(CLIENT + text, tmp_path)
    assert found == "nothing_wrong", told


BESIDE = "line at ERROR or above beside them says nothing of Kafka, and was not judged: "


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        pytest.param(
            f"{AT} ERROR The vault of bills is shut (com.acme.Vault)", True, id="an application's own"
        ),
        pytest.param(f"{AT} ERROR The vault is shut (com.acme.Vault){NULL}", True, id="with what was thrown"),
        pytest.param(f"{AT} WARN The vault of bills is shut (com.acme.Vault)", False, id="a warning"),
        pytest.param(f"{AT} INFO No error: 0 bills failed (com.acme.Vault)", False, id="none"),
    ],
)
def test_an_all_clear_tells_of_errors_that_are_not_kafkas(text, is_said, tmp_path):
    found, told = answered(CLIENT + text, tmp_path)
    assert found == "nothing_wrong"
    assert told.count(f"1 {BESIDE}") == is_said, told


def test_of_many_such_errors_the_first_is_named(tmp_path):
    lines = "\n".join(f"{AT} ERROR Bill {number} is lost (com.acme.Vault)" for number in range(3))
    found, told = answered(CLIENT + lines, tmp_path)
    assert found == "nothing_wrong"
    assert (
        "3 lines at ERROR or above beside them say nothing of Kafka, and were not judged: the first is "
        in told
    )
    assert "app.log:2." in told


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param(f"{AT} WARN Failed to hand over 7 bills, 3 left (com.acme.kafka.Tube)", "said_to_fail", id="a class in a package of that name"),
        pytest.param(f"{AT}  WARN {{com.acme.io.KafkaTube}} - Failed to hand over 7 bills, 3 left", "said_to_fail", id="one named after it, in braces"),
        pytest.param(f"{AT} WARN Failed to hand over 7 bills, 3 left (com.acme.Tube)", "nothing_wrong", id="an application's own"),
        pytest.param(f"{AT} WARN 7 bills, 3 left (com.acme.kafka.Tube)", "nothing_wrong", id="nothing that failed"),
        pytest.param(f"{AT} WARN Unable to set the depth, set to default 7 (com.acme.kafka.Tube)", "not_judged", id="a default in its place"),
        pytest.param(f"{AT} ERROR java.sql.SQLException: Table bills not found (com.acme.kafka.Tube)", "nothing_wrong", id="another's exception"),
        pytest.param('{"time":"2026-01-05T10:00:00Z","level":"WARN","msg":"[kafka] flush error","error":"7 bills left"}', "said_to_fail", id="a message that calls itself so"),
        pytest.param('level=error msg="failed to create kafka client" err="unsupported SASL mechanism: GSSAPI"', "mechanism_unknown_here", id="a program's own look at its settings"),
        pytest.param('level=error msg="failed to create kafka client" err="Broker: Unsupported SASL mechanism: broker\'s supported mechanisms: PLAIN"', "mechanism_not_offered", id="and a broker's answer"),
        pytest.param("2026-01-05 10:00:00.114 [41] main/118/kafka kafka E> Consumer poll logs error: Broken consumer", "said_to_fail", id="a level before an angle"),
    ],
)  # fmt: skip
def test_who_speaks_stands_elsewhere(text, kind, tmp_path):
    found, told = answered(CLIENT + text, tmp_path)
    assert found == kind, told


OF_MQTT = "org.eclipse.paho.client.mqttv3.MqttException: Unable to connect to broker"
LOG = "2026-01-05 10:00:00,000 ERROR com.acme.Pay [main] - "


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param(f"{LOG}{OF_MQTT}", "nothing_wrong", id="a broker of another kind"),
        pytest.param(f"{LOG}Sending failed\n{OF_MQTT}{FRAMES}", "nothing_wrong", id="below what says so"),
        pytest.param(f"{LOG}io.grpc.StatusRuntimeException: UNAVAILABLE: no healthy upstream broker", "nothing_wrong", id="a proxy's"),
        pytest.param(f"{LOG}com.acme.io.SendException: Unable to reach a broker", "said_to_fail", id="the program's own"),
        pytest.param(f"{LOG.replace('com.acme.Pay', 'c.a.Pay')}com.acme.io.SendException: Unable to reach a broker", "said_to_fail", id="and its logger shortened"),
        pytest.param(f"{LOG}net.lib.SendException: Unable to reach a Kafka broker", "said_to_fail", id="one that names Kafka"),
        pytest.param(f"{LOG}java.lang.IllegalStateException: Unable to reach a broker", "said_to_fail", id="one of Java's"),
    ],
)  # fmt: skip
def test_what_another_library_throws_speaks_of_its_own_brokers(text, kind, tmp_path):
    found, told = answered(CLIENT + text, tmp_path)
    assert found == kind, told


@pytest.mark.parametrize(
    "thrown",
    [
        "java.net.UnknownHostException: vault.acme",
        "java.net.SocketTimeoutException: Read timed out",
    ],
)
@pytest.mark.parametrize("logger", ["com.acme.sink.Vault", "io.confluent.connect.jdbc.sink.JdbcSinkTask"])
def test_what_a_connector_does_not_reach_is_no_broker(thrown, logger, tmp_path):
    text = f"{AT} ERROR [pay-sink|task-0] Could not write 7 rows ({logger})\n{thrown}\n\tat java.base/java.net.Socket.connect(Socket.java:7){FRAMES}"
    found, told = answered(WORKER + text, tmp_path)
    assert found == "other_system_failed"
    assert thrown.partition(": ")[2] in told
    assert "the broker's address" not in told


def test_what_kills_a_task_by_a_name_is_no_brokers_name(tmp_path):
    killed = "WorkerSinkTask{id=pay-sink-0} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted"
    text = f"{AT} ERROR [pay-sink|task-0] {killed} (org.apache.kafka.connect.runtime.WorkerTask)\norg.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.\n\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(W.java:7)\nCaused by: java.net.UnknownHostException: vault.acme{FRAMES}"
    found, told = answered(WORKER + text, tmp_path)
    assert "vault.acme" in told
    assert "the broker's address" not in told, found
