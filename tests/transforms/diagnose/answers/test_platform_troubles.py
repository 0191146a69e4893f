# ruff: noqa: E501  # a line of a log is a line
"""What brokers, Connect, operators and ksqlDB say of their trouble: whose it is, and the settings and numbers that belong to it."""

import pytest

from tests.answered import answered

AT = "[2026-01-05 10:00:00,000]"
ROLLER = "2026-01-05 10:00:00 INFO  KafkaRoller:327 - Reconciliation #7(watch) Kafka(shop/pay):"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            f"{AT} WARN [Producer clientId=pay-1] Got error produce response in correlation id 4 on topic-partition orders-0, splitting and retrying (2147483647 attempts left). Error: MESSAGE_TOO_LARGE (org.apache.kafka.clients.producer.internals.Sender)",
            "batch_split", ["Nothing is lost", "batch.size", "max.message.bytes", "2147483647"], id="a batch that is split is not lost",
        ),
        pytest.param(
            f"{AT} ERROR Error while accepting connection (kafka.network.Acceptor)\njava.io.IOException: Too many open files\n\tat kafka.network.Acceptor.accept(SocketServer.scala:7)",
            "broker_out_of_files", ["A broker", "LimitNOFILE", "whoever runs the brokers"], id="files of a broker are its own",
        ),
        pytest.param(
            f"{AT} ERROR Processor got uncaught exception. (kafka.network.Processor)\njava.lang.OutOfMemoryError: Cannot reserve 3000 bytes of direct buffer memory (allocated: 2000, limit: 4000)",
            "broker_out_of_direct_memory", ["3000 bytes", "4000 bytes", "socket.request.max.bytes", "MaxDirectMemorySize"], id="direct memory of a broker",
        ),
        pytest.param(
            f"{AT} ERROR Error while appending records to orders-1 in dir /data (kafka.server.LogDirFailureChannel)\njava.io.IOException: Map failed\n\tat kafka.log.OffsetIndex.<init>(OffsetIndex.scala:7)",
            "maps_exhausted", ["vm.max_map_count", "whoever runs the brokers"], id="maps are no heap",
        ),
        pytest.param(
            "kafka_1 | # Native memory allocation (mmap) failed to map 1073741824 bytes for committing reserved memory.",
            "jvm_without_memory", ["1073741824 bytes", "KAFKA_HEAP_OPTS"], id="a host without memory for the heap",
        ),
        pytest.param(
            f"{AT} ERROR [KafkaServer id=2] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\norg.apache.kafka.common.KafkaException: Socket server failed to bind to 0.0.0.0:9092: Address already in use.\n\tat kafka.network.Acceptor.openServerSocket(SocketServer.scala:7)",
            "port_taken", ["0.0.0.0:9092", "listeners"], id="a port that another has",
        ),
        pytest.param(
            f"{AT} FATAL [Kafka Server 1], Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\nkafka.common.KafkaException: Socket server failed to bind to 198.51.100.7:9092: Cannot assign requested address.\n\tat kafka.network.Acceptor.openServerSocket(SocketServer.scala:7)",
            "address_not_of_host", ["198.51.100.7:9092", "advertised.listeners"], id="an address from outside",
        ),
        pytest.param(
            f"{AT} ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\norg.apache.kafka.common.KafkaException: No `meta.properties` found in /data/kraft (have you run `kafka-storage.sh` to format the directory?)\n\tat kafka.server.BrokerMetadataCheckpoint$.x(X.scala:1)",
            "log_dir_not_formatted", ["/data/kraft", "kafka-storage.sh format"], id="a directory that was never formatted",
        ),
        pytest.param(
            f"{AT} ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\norg.apache.kafka.common.KafkaException: Failed to acquire lock on file .lock in /data/kafka. A Kafka instance in another process or thread is using this directory.\n\tat kafka.log.LogManager.x(LogManager.scala:1)",
            "log_dir_taken", ["/data/kafka", "log.dirs"], id="a directory of another process",
        ),
        pytest.param(
            f"{AT} INFO [Partition orders-3 broker=1] Shrinking ISR from 1,2,3 to 1. Leader: (highWatermark: 812, endOffset: 830). Out of sync replicas: (brokerId: 2, endOffset: 812) (brokerId: 3, endOffset: 815). (kafka.cluster.Partition)",
            "isr_shrunk", ["orders-3", "1,2,3 to 1", "brokerId: 2", "replica.lag.time.max.ms 30 s (30000 ms)"], id="followers that fell behind",
        ),
        pytest.param(
            f"{AT} INFO [Controller id=1] Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1,3 (kafka.controller.KafkaController)",
            "broker_gone", ["Broker 2 left", "1,3"], id="a broker that ZooKeeper lists no more",
        ),
        pytest.param(
            f"{AT} INFO [Controller id=1] Newly added brokers: 2, deleted brokers: , bounced brokers: , all live brokers: 1,2,3 (kafka.controller.KafkaController)",
            "nothing_wrong", [], id="a broker that came is none that went",
        ),
        pytest.param(
            f"{AT} INFO I wrote this conflicted ephemeral node [v] at /consumers/shop/ids/shop_host-1 a while back in a different session, hence I will backoff for this node to be deleted by Zookeeper and retry (kafka.utils.ZkUtils$)",
            "zookeeper_node_kept", ["group shop", "/consumers/shop/ids/shop_host-1"], id="a registration that does not go",
        ),
        pytest.param(
            f"{AT} WARN [RaftManager id=1] Connection to node 2 (c2/10.0.0.2:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)",
            "server_connect_failed", ["A broker or controller", "c2/10.0.0.2:9093", "controller.quorum.voters"], id="controllers that do not reach each other",
        ),
        pytest.param(
            f"{AT} ERROR Invalid call to OffsetStorageWriter flush() while already flushing, the framework should not allow this (org.apache.kafka.connect.storage.OffsetStorageWriter)",
            "connect_flush_doubled", ["flush before it", "offset.flush.timeout.ms 5 s (5000 ms)"], id="a flush that had not ended",
        ),
        pytest.param(
            f"{AT} WARN Commit of WorkerSinkTask{{id=search-0}} offsets timed out (org.apache.kafka.connect.runtime.WorkerSinkTask)",
            "connect_commit_timed_out", ["search-0", "offset.flush.timeout.ms 5 s (5000 ms)"], id="a sink has no producer",
        ),
        pytest.param(
            "\n".join(
                f"[2026-01-05 10:0{minute}:00,000] WARN WorkerSinkTask{{id=search-0}} Ignoring invalid task provided offset orders-2/OffsetAndMetadata{{offset={minute}, metadata=''}} -- partition not assigned (org.apache.kafka.connect.runtime.WorkerSinkTask)"
                for minute in range(3)
            ),
            "connect_offset_refused", ["orders-2", "partition not assigned"], id="offsets of partitions that went",
        ),
        pytest.param(
            f"{AT} WARN WorkerSinkTask{{id=search-0}} Ignoring invalid task provided offset orders-2/OffsetAndMetadata{{offset=9223372036854775807, metadata=''}} -- not yet consumed, taskOffset=9223372036854775807 currentOffset=12 (org.apache.kafka.connect.runtime.WorkerSinkTask)",
            "connect_offset_impossible", ["orders-2", "stands at 12"], id="an offset that no record has",
        ),
        pytest.param(
            f"{AT} ERROR WorkerSinkTask{{id=lake-0}} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask)\norg.apache.kafka.connect.errors.ConnectException: com.amazonaws.SdkClientException: Unable to load AWS credentials from any provider in the chain: [EnvironmentVariableCredentialsProvider: none]\n\tat org.example.lake.LakeSinkTask.start(L.java:1)",
            "connector_login_impossible", ["lake-0", "no credentials", "no part in it"], id="a connector's own login",
        ),
        pytest.param(
            f"{AT} ERROR Failed to execute batch 3 of 1 records after total of 6 attempt(s) (io.confluent.connect.elasticsearch.bulk.BulkProcessor)\norg.apache.kafka.connect.errors.ConnectException: Bulk request failed: [{{\"type\":\"mapper_parsing_exception\",\"reason\":\"failed to parse field [price]\"}}]\n\tat io.confluent.connect.elasticsearch.bulk.BulkProcessor.x(B.java:1)",
            "sink_document_refused", ["[price]", "behavior.on.malformed.documents"], id="a document that does not fit",
        ),
        pytest.param(
            f"{AT} ERROR WorkerSourceTask{{id=shop-0}} Task threw an uncaught and unrecoverable exception (org.apache.kafka.connect.runtime.WorkerTask)\norg.apache.kafka.connect.errors.ConnectException: The connector is trying to read binlog starting at binlog file 'bin.000007', pos=12, skipping 0 events plus 0 rows, but this is no longer available on the server. Reconfigure the connector to use a snapshot when needed.\n\tat io.debezium.connector.mysql.MySqlConnectorTask.start(M.java:1)",
            "connect_task_killed", ["shop-0", "bin.000007", "snapshot.mode=when_needed"], id="the task that died of it",
        ),
        pytest.param(
            "io.debezium.DebeziumException: The connector is trying to read binlog starting at binlog file 'bin.000007', pos=12, skipping 0 events plus 0 rows, but this is no longer available on the server. Reconfigure the connector to use a snapshot when needed.\n\tat io.debezium.connector.mysql.MySqlConnectorTask.start(M.java:1)",
            "source_position_gone", ["bin.000007", "snapshot.mode=when_needed"], id="a place in a log that is gone",
        ),
        pytest.param(
            f"{ROLLER} Could not roll pod {{pay-kafka-2}} due to io.strimzi.operator.cluster.operator.resource.KafkaRoller$UnforceableProblem: Pod pay-kafka-2 is currently not rollable, retrying after at least 2000ms\n"
            "2026-01-05 10:00:00 INFO  KafkaAvailability:135 - Reconciliation #7(watch) Kafka(shop/pay): orders/0 will be under-replicated (ISR={0,2}, replicas=[1,0,2], min.insync.replicas=2) if broker 2 is restarted.",
            "operator_roll_waits", ["pay-kafka-2", "Kafka(shop/pay)", "min.insync.replicas = 2", "orders/0", "2 s"], id="a pod that may not be restarted",
        ),
        pytest.param(
            f"{ROLLER} Could not roll pod 0, giving up after 10 attempts/127750ms",
            "operator_roll_waits", ["gave up after 10 attempts", "127750 ms"], id="a pod that was given up",
        ),
        pytest.param(
            f"{ROLLER} Could not roll pod {{pay-kafka-0}} due to io.strimzi.operator.cluster.operator.resource.KafkaRoller$ForceableProblem: Pod pay-kafka-0 is currently the controller and there are other pods still to roll, retrying after at least 250ms",
            "not_judged", [], id="the controller is the last to be restarted",
        ),
        pytest.param(
            "2026-01-05 10:00:00 WARN  BatchingTopicController:1175 - Reconciliation #2(upsert) KafkaTopic(shop/orders): Reconciliation failed: Replication factor change not supported, but required for partitions []",
            "topic_not_reconciled", ["KafkaTopic(shop/orders)", "Replication factor change not supported", "reassign"], id="a topic that can't be made so",
        ),
        pytest.param(
            "Could not write the statement 'DROP STREAM S;' into the command topic.\nCaused by: Timeout while waiting for command topic consumer to process command topic",
            "ksql_command_not_written", ["command topic", "command runner"], id="a statement that waits for those before",
        ),
        pytest.param(
            "com.linkedin.cruisecontrol.exception.NotEnoughValidWindowsException: There is no window available in range [-1, 1701684649907] (index [1, -1]). Window index (current: 0, oldest: 0).\n\tat com.linkedin.kafka.cruisecontrol.monitor.LoadMonitor.clusterModel(LoadMonitor.java:5)",
            "cruise_control_has_no_windows", ["__CruiseControlMetrics", "metric.reporters"], id="samples that are missing",
        ),
        pytest.param(
            "Caused by: io.confluent.kafka.schemaregistry.exceptions.SchemaRegistryRequestForwardingException: Unexpected error while forwarding the registering schema request {version=0, id=-1} to http://registry-1:8081\n\tat io.confluent.kafka.schemaregistry.storage.KafkaSchemaRegistry.x(K.java:1)\nCaused by: java.net.UnknownHostException: registry-1\n\tat java.net.X.connect(X.java:1)",
            "registry_forward_failed", ["http://registry-1:8081", "UnknownHostException: registry-1", "host.name"], id="a registry that can't reach its leader",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 ERROR [main] io.confluent.kafka.schemaregistry.client.rest.RestService sendHttpRequest RestService:176 - Failed to send HTTP request to endpoint: http://registry:8081/subjects/orders-value/versions\njava.net.ConnectException: Connection refused (Connection refused)",
            "registry_unreachable", ["http://registry:8081", "schema.registry.url"], id="a registry is no broker",
        ),
        pytest.param(
            f"{AT} WARN [SocketServer brokerId=0] Unexpected error from /10.0.0.7; closing connection (org.apache.kafka.common.network.Selector)\norg.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = 369295616 larger than 104857600)\n\tat org.apache.kafka.common.network.NetworkReceive.readFrom(N.java:1)",
            "other_protocol_arrived", ["10.0.0.7", "104857600", "first four bytes of TLS", "security.protocol"], id="TLS at a plain listener",
        ),
        pytest.param(
            f"{AT} WARN [SocketServer brokerId=0] Unexpected error from /10.0.0.7; closing connection (org.apache.kafka.common.network.Selector)\norg.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = 1195725856 larger than 104857600)\n\tat org.apache.kafka.common.network.NetworkReceive.readFrom(N.java:1)",
            "other_protocol_arrived", ["letters of HTTP"], id="HTTP at a listener",
        ),
        pytest.param(
            f"{AT} INFO [SocketServer brokerId=0] Failed authentication with /10.0.0.7 (SSL handshake failed) (org.apache.kafka.common.network.Selector)",
            "tls_failed_here", ["10.0.0.7", "ssl.client.auth", "ssl.truststore.location"], id="a handshake as the broker sees it",
        ),
        pytest.param(
            f"{AT} ERROR [KafkaServer id=1] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\norg.apache.kafka.common.config.ConfigException: Invalid value javax.net.ssl.SSLHandshakeException: No available authentication scheme for configuration A client SSLEngine created with the provided settings can't connect to a server SSLEngine created with those settings.\n\tat org.apache.kafka.common.security.ssl.SslFactory.configure(SslFactory.java:100)",
            "tls_stores_at_odds", ["own certificate: No available authentication scheme.", "holds no certificate with a private key", "no client had a part"], id="a broker's own stores: no key",
        ),
        pytest.param(
            f"{AT} ERROR [KafkaServer id=1] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\norg.apache.kafka.common.config.ConfigException: Invalid value javax.net.ssl.SSLHandshakeException: PKIX path building failed: sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target for configuration A client SSLEngine created with the provided settings can't connect to a server SSLEngine created with those settings.\n\tat org.apache.kafka.common.security.ssl.SslFactory.configure(SslFactory.java:100)",
            "tls_stores_at_odds", ["does not hold the CA", "ssl.truststore.*"], id="a broker's own stores: no CA",
        ),
        pytest.param(
            f"{AT} ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\nkafka.zookeeper.ZooKeeperClientTimeoutException: Timed out waiting for connection while in state: CONNECTING\n\tat kafka.zookeeper.ZooKeeperClient.waitUntilConnected(Z.scala:1)",
            "broker_found_no_zookeeper", ["CONNECTING", "zookeeper.connect", "zookeeper.connection.timeout.ms"], id="a broker without ZooKeeper",
        ),
        pytest.param(
            '2026-01-05 10:00:00,000 WARN   Postgres|shop|postgres-connector-task  Cannot obtain valid replication slot \'shop_slot\' for plugin \'pgoutput\' and database \'shop\' [during attempt 9 out of 90, concurrent tx probably blocks taking snapshot.   [io.debezium.connector.postgresql.connection.PostgresConnection]',
            "replication_slot_taken", ["shop_slot", "attempt 9 out of 90", "slot.name"], id="a slot that is not ready",
        ),
        pytest.param(
            f"{AT} ERROR Uncaught exception in herder work thread, exiting: (org.apache.kafka.connect.runtime.distributed.DistributedHerder)\norg.apache.kafka.connect.errors.ConnectException: Error while attempting to create/find topic(s) 'shop-offsets'\n\tat org.apache.kafka.connect.util.TopicAdmin.createTopics(T.java:1)",
            "connect_topics_not_made", ["shop-offsets", "offset.storage.topic", "bootstrap.servers"], id="a worker without its topics",
        ),
        pytest.param(
            f"{AT} ERROR Scheduler for MirrorSourceConnector caught exception in scheduled task: creating upstream offset-syncs topic (org.apache.kafka.connect.mirror.Scheduler)\norg.apache.kafka.connect.errors.ConnectException: Error while attempting to create/find topic 'mm2-offset-syncs.b.internal'\n\tat org.apache.kafka.connect.mirror.MirrorUtils.createCompactedTopic(M.java:1)",
            "connect_topics_not_made", ["Connect could not create", "mm2-offset-syncs.b.internal", "goes on without its own"], id="a mirror without its topic",
        ),
        pytest.param(
            f"{AT} WARN [Producer clientId=p1] Received unknown topic or partition error in produce request on partition orders-8. The topic-partition may not exist or the user may not have Describe access to it (org.apache.kafka.clients.producer.internals.Sender)",
            "partition_not_seen", ["p1 can't use orders-8", "create it for a producer"], id="a producer reads nothing",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 INFO [Task] [main] Sending failed\norg.apache.kafka.common.KafkaException: Partition orders-8 may not exist or user may not have Describe access to topic\n\tat org.apache.kafka.clients.consumer.KafkaConsumer.commitSync(K.java:1)",
            "partition_not_seen", ["orders-8", "Describe"], id="a partition that is gone",
        ),
        pytest.param(
            f"{AT} ERROR [KafkaServer id=3] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\njava.lang.OutOfMemoryError: Java heap space\n\tat kafka.log.SkimpyOffsetMap.<init>(OffsetMap.scala:45)",
            "server_out_of_memory", ["A broker or controller 3", "KAFKA_HEAP_OPTS", "log.cleaner.dedupe.buffer.size", "whoever runs the brokers"], id="the heap of a broker",
        ),
        pytest.param(
            f"{AT} ERROR [KafkaServer id=3] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\njava.lang.IllegalArgumentException: Could not find a 'KafkaServer' or 'external.KafkaServer' entry in the JAAS configuration. System property 'java.security.auth.login.config' is not set",
            "broker_login_not_configured", ["entry KafkaServer (or external.KafkaServer)", "KAFKA_OPTS", "whoever runs the brokers"], id="a listener without a login",
        ),
        pytest.param(
            "WARN SASL configuration failed: javax.security.auth.login.LoginException: No JAAS configuration section named 'Client' was found in specified JAAS configuration file: '/etc/kafka/jaas.conf'. Will continue connection to Zookeeper server without SASL authentication, if Zookeeper server allows it. (org.apache.zookeeper.ClientCnxn)\n"
            f"{AT} ERROR [ZooKeeperClient Kafka server] Auth failed. (kafka.zookeeper.ZooKeeperClient)",
            "nothing_wrong", ["without a login"], id="ZooKeeper without a login",
        ),
        pytest.param(
            f"{AT} ERROR sending failed (com.acme.App)\norg.apache.kafka.common.errors.InvalidConfigurationException: Unauthorized; error code: 401",
            "registry_refused_login", ["401", "schema registry", "basic.auth.user.info"], id="a key that the registry does not know",
        ),
        pytest.param(
            "Caused by: java.lang.RuntimeException: Failed to register subject meter, server replied with status 403",
            "registry_refused_login", ["403", "subject meter", "basic.auth.credentials.source"], id="a subject that is not this client's",
        ),
        pytest.param(
            f"{AT} ERROR WorkerSourceTask{{id=shop-0}} failed to send record to carts: {{}} (org.apache.kafka.connect.runtime.WorkerSourceTask)\norg.apache.kafka.common.errors.RecordTooLargeException: The message is 4794004 bytes when serialized which is larger than 1048576, which is the value of the max.request.size configuration.",
            "record_too_large", ["4794004 bytes", "producer.override.max.request.size"], id="a record of a connector",
        ),
        pytest.param(
            f"{AT} ERROR Error while loading log dir /data (kafka.log.LogManager)\njava.io.IOException: No space left on device at sun.nio.ch.FileDispatcherImpl.write0(Native Method) at sun.nio.ch.IOUtil.write(IOUtil.java:65)",
            "disk_full", ["no space left on its disk: /data. Do"], id="frames on the line of what was thrown",
        ),
        pytest.param(
            f"{AT} WARN [ReplicaManager broker=2] Broker 2 stopped fetcher for partitions orders-1 and stopped moving logs for partitions  because they are in the failed log directory /data. (kafka.server.ReplicaManager)",
            "storage_failed", ["A broker (2)", "log.dirs"], id="a directory that failed",
        ),
        pytest.param(
            f"{AT} ERROR [MetadataCache brokerId=0] Listeners are not identical across brokers: Map(1 -> Map(ListenerName(IN) -> k1:9092 (id: 1 rack: null)), 0 -> Map(ListenerName(OUT) -> k0:9093 (id: 0 rack: null))) (kafka.server.MetadataCache)",
            "listeners_differ", ["advertised.listeners", "LISTENER_NOT_FOUND"], id="listeners that differ",
        ),
        pytest.param(
            f"{AT} INFO Principal = User:shop is Denied Operation = Describe from host = 10.0.0.7 on resource = Topic:LITERAL:orders (kafka.authorizer.logger)",
            "denied_by_authorizer", ["User:shop at 10.0.0.7", "Describe on Topic:LITERAL:orders", "kafka-acls"], id="what an authorizer denied",
        ),
        pytest.param(
            " User:CN=cart 7, OU=shop is Denied Operation = Alter from host = 10.0.0.9 on resource = Cluster:LITERAL:kafka-cluster",
            "denied_by_authorizer", ["User:CN=cart 7, OU=shop at 10.0.0.9", "Alter on Cluster:LITERAL:kafka-cluster"], id="what an authorizer denied, its line cut in front",
        ),
        pytest.param(
            "java.lang.IllegalArgumentException: requirement failed: inter.broker.listener.name must be a listener name defined in advertised.listeners.\n\tat kafka.server.KafkaConfig.validateValues(K.scala:1)",
            "broker_config_refused", ["inter.broker.listener.name", "advertised.listeners", "whoever runs the brokers"], id="a broker whose listeners do not fit",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR WorkerSinkTask{id=shop-0} Task threw an uncaught and unrecoverable exception (org.apache.kafka.connect.runtime.WorkerTask)\norg.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.\n\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(W.java:1)\nCaused by: java.lang.ClassCastException: java.util.HashMap cannot be cast to org.apache.kafka.connect.data.Struct\n\tat io.confluent.connect.jdbc.sink.PreparedStatementBinder.bindRecord(P.java:1)",
            "connect_task_killed", ["shop-0", "ClassCastException", "value.converter.schemas.enable"], id="records without a schema end a task",
        ),
        pytest.param(
            f"{AT} ERROR [RemoteLogManager=2 partition=abc:orders-0] Error occurred while copying log segments of partition: abc:orders-0 (kafka.log.remote.RemoteLogManager$RLMCopyTask)\njava.lang.NullPointerException: file is null\n\tat kafka.log.remote.RemoteLogManager$RLMCopyTask.copyLogSegment(R.java:1)",
            "remote_storage_erred", ["tiered", "orders-0", "file is null"], id="segments that are not copied",
        ),
        pytest.param(
            f"{AT} INFO [QuorumController id=1] CreateTopics result(s): CreatableTopic(name='__consumer_offsets', numPartitions=50, replicationFactor=3, assignments=[], configs=[]): INVALID_REPLICATION_FACTOR (Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be reached because only 1 broker(s) are registered.) (org.apache.kafka.controller.ReplicationControlManager)",
            "replication_factor_too_large", ["__consumer_offsets", "factor of 3 with 1 broker", "offsets.topic.replication.factor=1"], id="a topic of its own that a controller can't make",
        ),
        pytest.param(
            f"{AT} INFO [QuorumController id=1] CreateTopics result(s): CreatableTopic(name='orders', numPartitions=1, replicationFactor=1, assignments=[], configs=[]): SUCCESS (org.apache.kafka.controller.ReplicationControlManager)",
            "nothing_wrong", [], id="a topic that was made",
        ),
        pytest.param(
            f"{AT} INFO [BrokerLifecycleManager id=1] Unable to register broker 1 because the controller returned error DUPLICATE_BROKER_REGISTRATION (kafka.server.BrokerLifecycleManager)",
            "broker_not_registered", ["A broker (1)", "DUPLICATE_BROKER_REGISTRATION", "broker.session.timeout.ms"], id="a broker that is not registered",
        ),
        pytest.param(
            f"{AT} ERROR [Controller id=1 epoch=5] Controller 1 epoch 5 failed to change state for partition orders-0 from OfflinePartition to OnlinePartition (state.change.logger)\nkafka.common.StateChangeFailedException: Failed to elect leader for partition orders-0 under strategy OfflinePartitionLeaderElectionStrategy(false)",
            "partition_without_leader", ["orders-0", "unclean.leader.election.enable"], id="a partition that nobody may lead",
        ),
        pytest.param(
            f"{AT} WARN [RequestSendThread controllerId=0] Controller 0's connection to broker kafka1:9092 (id: 1 rack: null) was unsuccessful (kafka.controller.RequestSendThread)\njava.io.IOException: Connection to kafka1:9092 (id: 1 rack: null) failed.",
            "controller_reaches_no_broker", ["broker 1 at kafka1:9092", "advertised.listeners"], id="a broker that its controller does not reach",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,702] WARN [NodeToControllerChannelManager id=1 name=heartbeat] Connection to node 7 (kafka-7.kafka/10.0.0.7:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)",
            "server_connect_failed", ["node 7 (kafka-7.kafka/10.0.0.7:9093)"], id="a controller is no broker",
        ),
        pytest.param(
            f"{AT} ERROR IO error forwarding REST request:  (org.apache.kafka.connect.runtime.rest.RestClient)\njava.util.concurrent.ExecutionException: java.net.ConnectException: Connection refused",
            "connect_forward_failed", ["rest.advertised.host.name", "leader"], id="a worker is no broker",
        ),
        pytest.param(
            '{"error_code":500,"message":"Failed to find any class that implements Connector and which name matches io.debezium.connector.mysql.MySqlConnector, available connectors are: none"}',
            "plugin_missing", ["io.debezium.connector.mysql.MySqlConnector", "plugin.path"], id="a plugin that is not there",
        ),
        pytest.param(
            "org.apache.kafka.connect.errors.ConnectException: Encountered change event for table shop.orders whose schema isn't known to this connector",
            "source_not_ready", ["table shop.orders", "snapshot.mode=recovery"], id="a table that the history lacks",
        ),
        pytest.param(
            f"{AT} ERROR [KafkaServer id=0] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\norg.apache.kafka.common.KafkaException: Found directory /data/lost+found, 'lost+found' is not in the form of topic-partition or topic-partition.uniqueId-delete (if marked for deletion).",
            "log_dir_foreign", ["/data/lost+found", "log.dirs"], id="a directory of something else",
        ),
        pytest.param(
            f"{AT} FATAL [mirrormaker-thread-0] Mirror maker thread failure due to  (kafka.tools.MirrorMaker$MirrorMakerThread)\njava.lang.IllegalStateException: No entry found for node -2",
            "mirror_thread_died", ["mirrormaker-thread-0", "No entry found for node -2"], id="a thread of MirrorMaker",
        ),
        pytest.param(
            'Exception in thread "main" joptsimple.UnrecognizedOptionException: zookeeper is not a recognized option\n\tat kafka.admin.TopicCommand$TopicCommandOptions.<init>(TopicCommand.scala:567)',
            "tool_option_unknown", ["--zookeeper", "--bootstrap-server"], id="an option that went",
        ),
        pytest.param(
            "java.lang.IllegalArgumentException: requirement failed: Configured end points pay.shop:9092 in advertised listeners are already registered by broker 4",
            "endpoint_of_another_broker", ["pay.shop:9092", "broker 4", "advertised.listeners"], id="one address for two brokers",
        ),
        pytest.param(
            f"{AT} ERROR [BrokerServer id=3] Received a fatal error while waiting for the controller to acknowledge that we are caught up (kafka.server.BrokerServer)\njava.util.concurrent.CancellationException\n\tat kafka.server.BrokerLifecycleManager$ShutdownEvent.run(BrokerLifecycleManager.scala:5)\n{AT} ERROR [BrokerServer id=3] Fatal error during broker startup. Prepare to shutdown (kafka.server.BrokerServer)",
            "broker_not_registered_in_time", ["Broker 3 did not start", "initial.broker.registration.timeout.ms", "With it came: "], id="a broker that did not join",
        ),
        pytest.param(
            f"{AT} ERROR [ControllerServer id=3] Fatal error during controller startup. Prepare to shutdown (kafka.server.ControllerServer)\njava.lang.RuntimeException: no",
            "broker_ended", ["3", "RuntimeException"], id="a controller that did not start",
        ),
        pytest.param(
            "org.apache.kafka.common.InvalidRecordException: One or more records have been rejected due to 2 record errors in total, and only showing the first three errors at most: [RecordError(batchIndex=0, message='Compacted topic cannot accept message without key in topic partition pay-3.')]",
            "record_without_key", ["pay-3 is compacted", "2 of that batch", "cleanup.policy"], id="a compacted topic wants keys",
        ),
        pytest.param(
            f"{AT} ERROR [ReplicaManager broker=2] Error processing append operation on partition pay-1 (kafka.server.ReplicaManager)\norg.apache.kafka.common.errors.OutOfOrderSequenceException: Out of order sequence number for producer 7 at offset 40 in partition pay-1: 9 (incoming seq. number), 5 (current end sequence number)",
            "sequence_refused_here", ["Broker 2 refused", "(id 7) in pay-1", "number 9 where 5"], id="what a broker refuses is not lost yet",
        ),
        pytest.param(
            f"{AT} ERROR Processor got uncaught exception. (kafka.network.Processor)\njava.lang.ArrayIndexOutOfBoundsException: 18\n\tat org.apache.kafka.common.protocol.ApiKeys.forId(ApiKeys.java:68)\n\tat kafka.network.RequestChannel$Request.<init>(RequestChannel.scala:79)",
            "api_unknown", ["number 18", "ApiVersions", "upgrade the broker"], id="a client newer than an old broker",
        ),
        pytest.param(
            f"{AT} INFO [Worker clientId=connect-1, groupId=pay] Current config state offset -1 does not match group assignment 6. Forcing rebalance. (org.apache.kafka.connect.runtime.distributed.DistributedHerder)",
            "connect_config_empty", ["group pay", "offset 6", "config.storage.topic"], id="another topic than its group's, at once",
        ),
        pytest.param(
            f"{AT} INFO [Worker clientId=connect-1, groupId=pay] Current config state offset 5 does not match group assignment 6. Forcing rebalance. (org.apache.kafka.connect.runtime.distributed.DistributedHerder)",
            "nothing_wrong", ["offset 5 of 6"], id="a worker that is behind for once",
        ),
        pytest.param(
            f"{AT} WARN Write of 20 records failed, remainingRetries=0 (io.confluent.connect.jdbc.sink.JdbcSinkTask)\njava.sql.SQLException: deadlock",
            "sink_write_failed", ["0 retries are left, this was the last one"], id="the last of a sink's tries",
        ),
        pytest.param(
            f"{AT} WARN Write of 20 records failed, remainingRetries=2 (io.confluent.connect.jdbc.sink.JdbcSinkTask)\njava.sql.SQLException: deadlock",
            "sink_write_failed", ["2 retries are left; after that"], id="a try that is not the last",
        ),
        pytest.param(
            f"{AT} ERROR WorkerSinkTask{{id=pay-0}} Task threw an uncaught and unrecoverable exception (org.apache.kafka.connect.runtime.WorkerTask)\njava.lang.NullPointerException\n\tat com.acme.Writer.close(Writer.java:299)\n\tat com.acme.PayTask.close(PayTask.java:12)",
            "connect_task_killed", ["It was thrown in close()", "stands before it"], id="an exception of putting away",
        ),
        pytest.param(
            f"{AT} ERROR stream-client [pay] Encountered the following exception during processing and sent shutdown request for the entire application. (org.apache.kafka.streams.KafkaStreams)\norg.apache.kafka.streams.errors.StreamsException: Exception caught in process. taskId=0_0, processor=KSTREAM-SOURCE-0000000000, topic=orders, partition=0, offset=3\nCaused by: java.lang.IllegalStateException: no",
            "streams_died", ["ended the entire application", "SHUTDOWN_APPLICATION", "IllegalStateException: no"], id="more than a thread ended",
        ),
        pytest.param(
            f"{AT} ERROR [RemoteLogManager=4 partition=TopicIdPartition{{topicId=zRimZy3gQf-VBdjdqPdgMA, topicPartition=pay-3}}] Error occurred while copying log segments of partition: TopicIdPartition{{topicId=zRimZy3gQf-VBdjdqPdgMA, topicPartition=pay-3}} (kafka.log.remote.RemoteLogManager$RLMTask)\njava.lang.RuntimeException: no",
            "remote_storage_erred", ["storage of pay-3:"], id="a partition with its topic's id before it",
        ),
        pytest.param(
            f"{AT} WARN Exception causing close of session 0x0: ZooKeeperServer not running (org.apache.zookeeper.server.NIOServerCnxn)",
            "zookeeper_without_quorum", ["ZooKeeper serves nobody", "2888"], id="an ensemble without a leader",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 [myid:1] - WARN  [WorkerSender[myid=1]:QuorumCnxManager@588] - Cannot open channel to 2 at election address zk2/10.0.0.2:3888\njava.net.ConnectException: Connection refused",
            "zookeeper_peer_unreached", ["server 2", "zk2/10.0.0.2:3888"], id="a server of the ensemble that is away",
        ),
        pytest.param(
            f"{AT} WARN fsync-ing the write ahead log in SyncThread:1 took 2345ms which will adversely effect operation latency. (org.apache.zookeeper.server.persistence.FileTxnLog)",
            "zookeeper_disk_slow", ["took 2345 ms", "dataLogDir"], id="a slow disk of ZooKeeper's",
        ),
        pytest.param(
            f"{AT} ERROR Unable to load database on disk (org.apache.zookeeper.server.quorum.QuorumPeer)\njava.io.IOException: No snapshot found, but there are log entries. Something is broken!",
            "zookeeper_snapshot_missing", ["No snapshot found", "snapshot.trust.empty"], id="data that ZooKeeper can't read",
        ),
        pytest.param(
            f"{AT} WARN Too many connections from /10.0.0.9 - max is 60 (org.apache.zookeeper.server.NIOServerCnxnFactory)",
            "zookeeper_clients_too_many", ["10.0.0.9", "60", "maxClientCnxns"], id="one address with too many connections",
        ),
        pytest.param(
            f"{AT} ERROR Something of its own went astray (org.apache.zookeeper.server.SyncRequestProcessor)",
            "zookeeper_erred", ["went astray"], id="an error of ZooKeeper's server",
        ),
        pytest.param(
            f"{AT} WARN caught end of stream exception (org.apache.zookeeper.server.NIOServerCnxn)\nEndOfStreamException: Unable to read additional data from client sessionid 0x0, likely client has closed socket\n\tat org.apache.zookeeper.server.NIOServerCnxn.doIO(NIOServerCnxn.java:239)",
            "nothing_wrong", ["read by their level and words alone"], id="whoever asks ZooKeeper and goes",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 - WARN  [SendWorker:188978561024:QuorumCnxManager$SendWorker@679] - Interrupted while waiting for message on queue",
            "nothing_wrong", ["read by their level and words alone"], id="a link between ZooKeeper's servers that was replaced",
        ),
        pytest.param(
            "2026-01-05 10:00:00 host com.example.daemon[41]: failed heartbeat, rebalance of 3 brokers",
            "not_judged", ["no line of a Kafka client"], id="words that Kafka has in common with others",
        ),
        pytest.param(
            f"{AT} WARN BROKER_FAILURE detected {{\n    Broker 3 failed at 05/01/2026 09:44:42\n}}. Self healing start time 05/01/2026 10:14:42. (com.linkedin.kafka.cruisecontrol.detector.notifier.SelfHealingNotifier)",
            "cruise_control_found_broker_down", ["broker 3", "09:44:42"], id="a broker that Cruise Control misses",
        ),
        pytest.param(
            f"{AT} WARN Skip generating broker metric sample for broker 3 because all broker metrics are missing. (com.linkedin.kafka.cruisecontrol.monitor.sampling.CruiseControlMetricsProcessor)",
            "cruise_control_lacks_metrics", ["metric.reporters", "__CruiseControlMetrics"], id="a reporter that says nothing",
        ),
        pytest.param(
            "com.linkedin.kafka.cruisecontrol.exception.OptimizationFailureException: [RackAwareGoal] Insufficient number of racks to distribute each replica (Current: 1, Needed: 2).",
            "cruise_control_goal_unmet", ["RackAwareGoal", "Insufficient number of racks"], id="a goal that can't be met",
        ),
        pytest.param(
            f"{AT} ERROR Unexpected exception (com.linkedin.kafka.cruisecontrol.detector.GoalViolationDetector)\njava.lang.IllegalArgumentException: Index 9 is out of range [7, 7]",
            "cruise_control_erred", ["Index 9 is out of range"], id="an error of Cruise Control's",
        ),
        pytest.param(
            "2026-01-05 10:00:00.000 DEBUG 12 [  XNIO-1 task-6] o.s.w.s.FrameworkServlet : Failed to complete request: org.apache.kafka.common.errors.TimeoutException: Timeout of 60000ms expired before the position for partition pay-2 could be determined",
            "position_timed_out", ["pay-2", "60000 ms"], id="what an application prints at DEBUG of Kafka's",
        ),
        pytest.param(
            f"{AT} ERROR Disk error while locking directory /data/pay (kafka.server.LogDirFailureChannel)\njava.io.IOException: No locks available\n\tat sun.nio.ch.FileDispatcherImpl.lock0(Native Method)",
            "log_dir_without_locks", ["/data/pay", "No locks available", "local disk"], id="a file system without locks",
        ),
        pytest.param(
            f"{AT} FATAL [Kafka Server 0], Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\njava.io.IOException: Permission denied\n\tat java.io.File.createNewFile(File.java:1006)\n\tat kafka.utils.FileLock.<init>(FileLock.scala:28)",
            "log_dir_foreign", ["Permission denied", "no right to it", "chown"], id="a directory of another user",
        ),
        pytest.param(
            f"{AT} ERROR Shutdown broker because none of the specified log dirs from /data/a, /data/b can be created or validated (kafka.log.LogManager)",
            "log_dir_foreign", ["/data/a, /data/b", "log.dirs"], id="no directory that can be used",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 ERROR [io.qua.application] (main) Failed to start application (with profile prod): org.apache.kafka.common.errors.TimeoutException: Failed to get offsets by times in 30000ms",
            "position_timed_out", ["within 30 s", "advertised address"], id="offsets that nobody told",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 ERROR [io.sma.rea.mes.provider] (main) SRMSG00230: Unable to create the publisher or subscriber during initialization: java.lang.IllegalArgumentException: SRMSG18010: Unable to create an instance of `com.acme.Pay_Serializer_5c89`",
            "serde_not_made", ["com.acme.Pay_Serializer_5c89", "value.serializer"], id="a serializer that is not there",
        ),
        pytest.param(
            f"{AT} ERROR [Worker clientId=connect-1, groupId=pay] Uncaught exception in herder work thread, exiting:  (org.apache.kafka.connect.runtime.distributed.DistributedHerder)\norg.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [pay-offsets]",
            "not_authorized", ["[pay-offsets]", "The Connect worker ended by it"], id="a worker without a right to its topics",
        ),
        pytest.param(
            f"{AT} ERROR Commit of WorkerSinkTask{{id=pay-0}} offsets threw an unexpected exception:  (org.apache.kafka.connect.runtime.WorkerSinkTask:180)\ncom.wepay.kafka.connect.bigquery.exception.BigQueryConnectException: Exception occurred while executing write threads",
            "sink_write_failed", ["Exception occurred while executing write threads", "Kafka's side delivered"], id="a commit that a sink's writing kept back",
        ),
        pytest.param(
            f"{AT} ERROR Task failed with com.wepay.kafka.connect.bigquery.exception.BigQueryConnectException error: Failed to write rows after BQ table creation or schema update within 30 attempts for: GenericData{{classInfo=[a], {{datasetId=shop, tableId=Orders}}}} (com.wepay.kafka.connect.bigquery.write.batch.KCBQThreadPoolExecutor)",
            "sink_write_failed", ["for table Orders", "after 30 attempts"], id="rows that a table does not take",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 ERROR  Postgres|shop|streaming  Producer failure   [io.debezium.pipeline.ErrorHandler]\norg.postgresql.util.PSQLException: Database connection failed when reading from copy",
            "source_connection_lost", ["reading from copy", "will be restarted"], id="a database that went away",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 ERROR  Postgres|shop|streaming  Producer failure   [io.debezium.pipeline.ErrorHandler]\norg.apache.kafka.connect.errors.RetriableException: An exception occurred in the change event producer. This connector will be restarted.\nCaused by: java.lang.IllegalStateException: no",
            "source_stopped", ["It says itself that it will be restarted", "IllegalStateException: no"], id="a source that is begun again",
        ),
        pytest.param(
            f"{AT} WARN [RequestSendThread controllerId=4] Controller 4 epoch 2 fails to send request (type: UpdateMetadataRequest=, controllerId=4) to broker pay:9092 (id: 7 rack: null). Reconnecting to broker. (kafka.controller.RequestSendThread)\njava.io.IOException: Connection to 7 was disconnected before the response was read",
            "controller_unanswered", ["broker 4", "got no answer from broker 7 at pay:9092 to UpdateMetadata"], id="a controller whose request was cut off",
        ),
        pytest.param(
            'Exception in thread "main" io.confluent.ksql.util.KsqlException: Unable to check broker compatibility against a broker without any topics',
            "ksqldb_not_started", ["without any topics"], id="a ksqlDB that did not start",
        ),
        pytest.param(
            "Error: Executing consumer group command failed due to java.lang.IllegalArgumentException: Invalid negative offset\njava.util.concurrent.ExecutionException: java.lang.IllegalArgumentException: Invalid negative offset\n\tat org.apache.kafka.common.internals.KafkaFutureImpl.get(KafkaFutureImpl.java:260)",
            "offset_below_zero", ["KAFKA-9507", "newer tool"], id="an offset that was never committed",
        ),
        pytest.param(
            f"{AT} WARN Creating topic ksql_command_topic with replication factor of 1 which is less than 2. This is not advisable in a production environment.  (io.confluent.ksql.rest.util.KsqlInternalTopicUtils)",
            "nothing_wrong", ["read by their level and words alone"], id="advice for production is no trouble",
        ),
        *(
            pytest.param(f'{AT} ERROR {{"type":{number},"deserializationError":null,"{what}":{{"errorMessage":"{said}","cause":["{cause}"]}},"kafkaStreams":null}} (processing.CTAS_PAY_7.{place})', kind, [*words, "CTAS_PAY_7"], id=f"ksqlDB's processing log: {what}")
            for number, what, said, cause, place, kind, words in [
                (1, "recordProcessingError", "Error computing expression CAST(AGE AS BIGINT)", "no number", "Project", "ksql_not_computed", ["CAST(AGE AS BIGINT)"]),
                (3, "serializationError", "Error serializing message to topic: PAID", "no schema", "Sink.serializer", "ksql_not_written", ["to topic: PAID"]),
                (4, "kafkaStreamsThreadError", "Unhandled exception caught in streams thread", "all went up", "uncaught", "ksql_thread_ended", ["all went up"]),
                (4, "kafkaStreamsThreadError", "Unhandled exception caught in streams thread", "Fatal user code error in TimestampExtractor callback for record ConsumerRecord(topic = pay, partition = 3", "uncaught", "timestamp_not_extracted", ["of pay"]),
            ]
        ),
        pytest.param(
            f"{AT} WARN [ReplicaFetcher replicaId=7, leaderId=2, fetcherId=0] Based on replica's leader epoch, leader replied with an unknown offset in pay-4. The initial fetch offset 0 will be used for truncation. (kafka.server.ReplicaFetcherThread)",
            "nothing_wrong", ["replica of pay-4 goes on"], id="a replica that begins to follow",
        ),
        pytest.param(
            "Error: Executing consumer group command failed due to java.util.concurrent.ExecutionException: org.apache.kafka.common.KafkaException: Failed to find brokers to send ListGroups",
            "admin_found_no_brokers", ["could not ask the brokers for ListGroups", "--command-config"], id="a tool that was told of no brokers",
        ),
        pytest.param(
            f"{AT} WARN Restarting (com.acme.Pay)\norg.apache.kafka.common.errors.TimeoutException: Timeout expired after 60000ms while awaiting AddOffsetsToTxn",
            "transaction_call_timed_out", ["AddOffsetsToTxn", "1 min (60000 ms)"], id="a transaction's call that its coordinator did not answer",
        ),
        pytest.param(
            "[ERROR] Could not execute SQL statement. Reason:\norg.apache.kafka.connect.errors.ConnectException: The MySQL server is not configured to use a FULL binlog_row_image, which is required for this connector to work properly.",
            "source_not_ready", ["binlog_row_image is not FULL"], id="a database that logs too little of a row",
        ),
        pytest.param(
            f"{AT} ERROR no luck (com.acme.Etl)\norg.apache.kafka.connect.errors.ConnectException: Error while attempting to read\n\tat io.debezium.connector.mongodb.MongoDbStreamingChangeEventSource.read(MongoDbStreamingChangeEventSource.java:170)",
            "source_stopped", ["Error while attempting to read"], id="what a source threw, by whose code",
        ),
        pytest.param(
            '{\n  "done": false,\n  "exception": "org.apache.kafka.common.KafkaException: Failed to create new KafkaAdminClient",\n  "plan": null\n}',
            "kafka_exception", ["Failed to create new KafkaAdminClient. Do"], id="an exception in a field of an object",
        ),
        pytest.param(
            "\n".join(f"2026-01-05 10:00:00,{n}00 WARN [Producer clientId=p] Error while fetching metadata with correlation id {n} : {{orders.{n}=LEADER_NOT_AVAILABLE}} (org.apache.kafka.clients.NetworkClient)" for n in range(5)),
            "nothing_wrong", ["found no leader of orders.0, orders.1", "(5 times in 400 ms)"], id="topics that are made one after another",
        ),
    ],
)  # fmt: skip
def test_the_trouble_of_the_platform_is_named(text, kind, words, tmp_path):
    found, said = answered(text, tmp_path)
    assert (found, [word for word in words if word not in said]) == (kind, [])


def test_the_error_of_a_cause_is_named(tmp_path):
    text = 'Exception in thread "pay-StreamThread-1" org.apache.kafka.streams.errors.StreamsException: task [0_0] Abort sending due to org.apache.kafka.common.errors.InvalidPidMappingException: The producer attempted to use a producer id which is not currently assigned to its transactional id.'
    _, said = answered(text, tmp_path)
    assert "InvalidPidMappingException" in said.partition("Log lines")[0]
    assert "transactional.id.expiration.ms 7 days (604800000 ms)" in said
