# ruff: noqa: E501  # a line of a log is a line
"""Lines that say what happened by themselves: the first sentence says that, and not that something is wrong somewhere."""

import pytest

from tests.answered import answered

CONSUMER = "[Consumer clientId=pay-7, groupId=pay] "
STREAMS = "stream-client [pay-49df8e61-c62d-4197-affa-13d915bf4612] "
THREAD = "stream-thread [pay-49df8e61-c62d-4197-affa-13d915bf4612-StreamThread-1] "
COORDINATOR = "clients.consumer.internals.ConsumerCoordinator"


@pytest.mark.parametrize(
    ("level", "text", "logger", "kind", "words"),
    [
        ("ERROR", f"{STREAMS}All stream threads have died. The instance will be in error state and should be closed.", "streams.KafkaStreams", "streams_in_error", "processes nothing any more"),
        ("ERROR", f"{THREAD}Detected that shutdown was requested. All clients in this app will now begin to shutdown", "streams.processor.internals.StreamThread", "streams_application_ends", "SHUTDOWN_APPLICATION"),
        ("ERROR", f"{THREAD}Received error code ASSIGNMENT_ERROR", "streams.processor.internals.StreamThread", "streams_assignment_failed", "the instance that led the group"),
        ("ERROR", f"{THREAD}The following source topics are missing/unknown: [orders, refunds]. Please make sure all source topics have been pre-created", "streams.processor.internals.StreamsPartitionAssignor", "topic_missing", "[orders, refunds]"),
        ("WARN", f"{THREAD}Detected that the thread is being fenced. This implies that this thread missed a rebalance and dropped out of the consumer group. Will close out all assigned tasks and rejoin the consumer group.", "streams.processor.internals.StreamThread", "task_migrated", "kept the thread from polling"),
        ("WARN", f"{THREAD}Aborting transaction failed due to timeout. Will rely on broker to eventually abort the transaction after the transaction timeout passed.", "streams.processor.internals.StreamsProducer", "streams_abort_timed_out", "transaction.timeout.ms"),
        ("WARN", f"{CONSUMER}Truncation detected for partition orders-3 at offset 4711", "clients.consumer.internals.SubscriptionState", "log_truncated", "an election took a leader that was not in sync"),
        ("WARN", f"{CONSUMER}Unknown server error while fetching offset 4711 for topic-partition orders-3", "clients.consumer.internals.Fetcher", "fetch_refused", "log of the broker that leads"),
        ("ERROR", f"{CONSUMER}Heartbeat thread failed due to unexpected error", COORDINATOR, "heartbeat_thread_failed", "The next poll() throws it"),
        ("ERROR", f"{CONSUMER}OffsetCommit failed due to not authorized to commit to topics [orders]", "clients.consumer.internals.CommitRequestManager", "not_authorized", "kafka-acls"),
        ("ERROR", f"{CONSUMER}ConsumerGroupHeartbeatRequest failed due to fenced instance id pay-1: x", "clients.consumer.internals.ConsumerHeartbeatRequestManager", "membership_fenced", "Give each member its own group.instance.id"),
        ("INFO", f"{CONSUMER}ConsumerGroupHeartbeatRequest failed for member m-1 because epoch 5 is fenced.", "clients.consumer.internals.ConsumerHeartbeatRequestManager", "member_unknown", "no longer knew"),
        ("WARN", f"{CONSUMER}Unexpected error from b1.example/10.0.0.7; closing connection", "common.network.Selector", "connection_closed_at_error", "closed a connection itself"),
        ("WARN", "[Producer clientId=pay] Overriding close timeout 5000 ms to 0 ms in order to prevent useless blocking due to self-join. This means you have incorrectly invoked close with a non-zero timeout from the producer call-back.", "clients.producer.KafkaProducer", "closed_by_its_callback", "from another thread"),
        ("ERROR", "Uncaught exception in thread 'kafka-producer-network-thread | pay':", "common.utils.KafkaThread", "client_error", "it ended the thread kafka-producer-network-thread | pay"),
        ("ERROR", "Uncaught exception in thread 'kafka-producer-network-thread | pay'\njava.lang.NoClassDefFoundError: com/acme/json/Node", "common.utils.KafkaThread", "libraries_differ", "it ended the thread kafka-producer-network-thread | pay."),
        ("WARN", f"{THREAD}Producer of StreamTask 0_1 fenced; closing zombie task", "streams.processor.internals.AssignedTasks", "task_migrated", "dropped out of its group"),
        ("INFO", f"{THREAD}at state RUNNING: partitions [orders-0, orders-1] lost due to missed rebalance.", "streams.processor.internals.StreamsRebalanceListener", "task_migrated", "dropped out of its group"),
        ("ERROR", "Failed to discover Converter in /opt/plugins/jdbc", "connect.runtime.isolation.PluginScanner", "connect_plugin_unusable", "It goes on without it"),
        ("INFO", "Revoking current running assignment x because after 5 retries the worker has not caught up with the latest Connect cluster updates", "connect.runtime.distributed.DistributedHerder", "connect_config_unread", "leaves its group"),
        ("ERROR", "[GroupCoordinator id=1] Group pay could not complete rebalance because no members rejoined", "coordinator.group.GroupMetadataManager", "rebalance_without_members", "did not join a rebalance again in time"),
        ("INFO", "[GroupCoordinator id=1] [GroupId pay] Static member pay-1-aa with instance id pay-1 is fenced by existing member pay-1-bb", "coordinator.group.GroupMetadataManager", "static_member_replaced", "two run with the same group.instance.id (pay-1)"),
        ("WARN", "[AdminClient clientId=pay-admin] Aborted call describeTopics is still in callsInFlight.", "clients.admin.KafkaAdminClient", "admin_odd_answer", "An admin client met what it does not expect"),
        ("ERROR", "Commit cannot be completed since the group has already rebalanced and assigned the partitions to another member.", COORDINATOR, "commit_refused", "was no member any more"),
        ("INFO", f"{CONSUMER}Resetting the last seen epoch of partition orders-3 to 5 since the associated topicId changed from 3vGnQ9xkT2aXkqk7eZ0f1A to 5wHoR0ylU3bYlrl8fa1g2B", "clients.Metadata", "topic_recreated", "that of orders-3 was deleted and made anew"),
        ("INFO", f"{CONSUMER}Resetting the last seen epoch of partition orders-3 to 5 since the associated topicId changed from null to 5wHoR0ylU3bYlrl8fa1g2B", "clients.Metadata", "nothing_wrong", "nothing wrong"),
        ("ERROR", f"{CONSUMER}JoinGroup failed: Inconsistent Protocol Type, received consumer but expected connect", COORDINATOR, "join_impossible", "poll() throws it"),
        ("ERROR", f"{CONSUMER}Reconciliation failed.", "clients.consumer.internals.ConsumerMembershipManager", "reconciliation_failed", "rebalance listener"),
        ("WARN", f"{THREAD}Detected task 0_1 that got migrated to another thread. This implies that this thread missed a rebalance", "streams.processor.internals.StreamThread", "task_migrated", "dropped out of its group"),
        ("WARN", f"{THREAD}Detected the states of tasks {{0_1=[pay-changelog-1]}} are corrupted. Will close the task as dirty", "streams.processor.internals.StreamThread", "task_corrupted", "restore its state"),
        ("WARN", f"{THREAD}RackId doesn't exist for process 49df8e61", "streams.processor.internals.assignment.RackAwareTaskAssignor", "tasks_assigned_oddly", "RackId doesn't exist"),
        ("ERROR", "stream-thread [main] Creating internal topic pay-repartition timed out.", "streams.processor.internals.InternalTopicManager", "streams_error", 'reports an error: "stream-thread [main] Creating internal topic pay-repartition timed out."'),
        ("WARN", "Configuration 'retry.backoff.ms' with value '1500' is greater than configuration 'retry.backoff.max.ms' with value '600'. A static backoff with value '600' will be applied.", "clients.CommonClientConfigs", "nothing_wrong", "warns of its configuration: \"Configuration 'retry.backoff.ms'"),
        ("WARN", f"{CONSUMER}No action taken to join the group with the updated subscription because the member is in FATAL state", "clients.consumer.internals.AbstractMembershipManager", "member_gave_up", "will not join again by itself"),
        ("WARN", f"{CONSUMER}Member m-1 won't send leave group request because it is already out of the group.", "clients.consumer.internals.AbstractMembershipManager", "nothing_wrong", "nothing wrong"),
        ("ERROR", f"{CONSUMER}Member m-1 callback to release assignment failed. It will proceed to clear its assignment and send a leave group heartbeat", "clients.consumer.internals.AbstractMembershipManager", "rebalance_listener_failed", "when partitions come and go failed"),
        ("WARN", f"{THREAD}Exception caught during Deserialization, taskId: 0_1, topic: orders, partition: 3, offset: 4711", "streams.errors.LogAndContinueExceptionHandler", "record_handled_by_skipping", "skipped a record of orders-3 at offset 4711 that failed in Deserialization"),
        ("WARN", f"{THREAD}Exception caught during message processing, processor node: sum, taskId: 0_1, source topic: orders, source partition: 3, source offset: 4711", "streams.errors.LogAndContinueProcessingExceptionHandler", "record_handled_by_skipping", "skipped a record of orders-3 at offset 4711 that failed in processing"),
        ("ERROR", f"{THREAD}Exception caught during Deserialization, taskId: 0_1, topic: orders, partition: 3, offset: 4711", "streams.errors.LogAndFailExceptionHandler", "deserialization_failed", "can't read a record of orders-3 at offset 4711"),
        ("WARN", "Found invalid messages in log segment /data/kafka/orders-3/00000000000000004000.log at byte offset 4711.", "storage.internals.log.LogSegment", "broker_log_cut", "found the log of orders-3 damaged as it was loaded, and cut it at 4711"),
        ("ERROR", "Error processing message, terminating consumer process: \norg.apache.kafka.common.errors.TimeoutException", "tools.consumer.ConsoleConsumer", "nothing_wrong", "nothing wrong"),
    ],
    ids=["all threads died", "the application ends", "an assignment's error", "source topics missing", "a thread that dropped out", "an abort without an answer", "a log that was cut back", "a fetch's unknown error", "the heartbeats' thread", "a commit without a right", "an instance id taken", "an epoch that is over", "closed by itself", "closed in a callback", "an uncaught exception", "a library that is not there", "a task of a producer that was fenced", "partitions of a missed rebalance", "a plugin", "an assignment given back", "a rebalance without its members", "a static member fenced", "a call in flight", "a commit behind a rebalance", "a topic made anew", "a topic whose id came", "a join that is refused for good", "a reconciliation", "a task elsewhere", "corrupted tasks", "a rack", "an error of Streams in its words", "a setting in its words", "a member in a fatal state", "a member that has left", "a callback on leaving", "a record skipped unread", "a record skipped unprocessed", "a record that ends its thread", "a log cut as it was loaded", "a console consumer that waited"],
)  # fmt: skip
def test_it_is_told_as_what_it_is(level, text, logger, kind, words, tmp_path):
    found, said = answered(f"[2026-01-05 10:00:00,123] {level} {text} (org.apache.kafka.{logger})", tmp_path)
    assert (found, words if words in said else said) == (kind, words)


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ("[2026-01-05 10:00:00,123] INFO Rejected connection from /10.0.0.7, address already has the configured maximum of 100 connections. (kafka.network.Acceptor)", "connections_limited", "max.connections.per.ip"),
        ("[2026-01-05 10:00:00,123] WARN Failed to send producer request with correlation id 7 to broker 0 with data for partitions [orders,0] (kafka.producer.async.DefaultEventHandler)", "old_producer_retries", "message.send.max.retries times"),
        ("[2026-01-05 10:00:00,123] ERROR Failed to send requests for topics orders with correlation ids in [0,8] (kafka.producer.async.DefaultEventHandler)", "batches_failed", "of orders failed. Do: Read the lines before it"),
        ("[2026-01-05 10:00:00,123] ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-0 (kafka.server.ReplicaManager)\norg.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR : 1 is insufficient to satisfy the min.isr requirement of 2 for partition orders-0", "not_enough_replicas", "Writes to orders-0 are refused"),
        ("[2026-01-05 10:00:00,123] ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-0 (kafka.server.ReplicaManager)\norg.apache.kafka.common.errors.UnknownProducerIdException: Found no record of producerId=7 on the broker at offset 90in partition orders-0. It is possible that the last message with the producerId=7 has been removed due to hitting the retention limit.", "producer_id_unknown_here", "Broker 1 no longer knows a producer (id 7) in orders-0"),
        ("[2026-01-05 10:00:00,123] ERROR Error while creating ephemeral at /controller, node already exists and owner '72' does not match current session '71' (kafka.zk.KafkaZkClient$CheckedEphemeral)", "nothing_wrong", "nothing wrong"),
        ("[2026-01-05 10:00:00,123] ERROR Error while creating ephemeral at /brokers/ids/2, node already exists and owner '72' does not match current session '71' (kafka.zk.KafkaZkClient$CheckedEphemeral)", "broker_registered_already", "Broker 2 did not start"),
        ("[2026-01-05 10:00:00,123] ERROR [KafkaApi-0] Error when handling request: clientId=4, correlationId=9, api=UPDATE_METADATA, body={controller_id=4} (kafka.server.KafkaApis)\norg.apache.kafka.common.errors.ClusterAuthorizationException: Request Request(processor=1, connectionId=10.0.0.7:1-10.0.0.8:2-0, session=Session(User:CN=b4,/10.0.0.8), listenerName=ListenerName(SSL), securityProtocol=SSL, buffer=null) is not authorized.", "request_not_authorized", "A broker refused User:CN=b4 (4) at 10.0.0.8 a request (UPDATE_METADATA)"),
        ("[2026-01-05 10:00:00,123] ERROR Acknowledgement failed (com.example.Pay)\norg.apache.kafka.common.errors.InvalidRecordStateException: The record state is invalid. The acknowledgement of delivery could not be completed.", "share_lock_lost", "group.share.record.lock.duration.ms"),
        ("[2026-01-05 10:00:00,123] INFO [RaftManager id=4] Completed transition to ProspectiveState(epoch=12, leaderId=OptionalInt.empty, retries=3) from ProspectiveState(epoch=12, leaderId=OptionalInt.empty, retries=2) (org.apache.kafka.raft.QuorumState)", "quorum_election_failed", "was not elected: it got no majority"),
        ("%5|1795356710.782|REQTMOUT|pay#producer-1| [thrd:a:9092/1]: a:9092/1: Timed out ProduceRequest in flight (after 779ms, timeout #0): possibly held back by preceeding ProduceRequest with timeout in 233ms", "request_timed_out", "Broker 1 (a:9092) did not answer"),
        ("%5|1795356710.782|REQTMOUT|pay#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator/1: Timed out HeartbeatRequest in flight (after 6012ms, timeout #0)", "request_timed_out", "gave the connection up. From one client alone"),
        ('%7|1795356710.782|LOST|pay#consumer-1| [thrd:main]: Group "orders": current assignment of 3 partition(s) lost: member fenced - rejoining', "membership_unknown", "why is not in these logs"),
        ('%3|1795356710.782|HEARTBEAT|pay#consumer-1| [thrd:main]: ConsumerGroupHeartbeat failed due to coordinator (a:9092/1) no longer available: Broker: Not coordinator: re-querying for coordinator', "coordinator_moved", "asked is not its coordinator, or not ready"),
        ("%3|1795356710.782|TXNERR|pay#producer-1| [thrd:main]: Current transaction failed in state InTransaction: records did not come through (_PURGE_QUEUE)", "transaction_failed", "A transaction of pay#producer-1 failed"),
        ("%0|1795356710.782|FATAL|pay#consumer-1| [thrd:main]: Fatal error: Broker: Static consumer fenced by other consumer with same group.instance.id: Fatal consumer error", "membership_fenced", "another member took its group.instance.id."),
        ("%7|1795356710.782|MSGSET|pay#producer-1| [thrd:a:9092/1]: a:9092/1: orders [1]: MessageSet with 2 message(s) (MsgId 0, BaseSeq -1) encountered error: Broker: Not enough in-sync replicas (actions Retry,MsgNotPersisted)", "not_enough_replicas", "Writes to orders-1 are refused"),
        ("[sarama] 2026/01/05 10:00:00 JoinGroup failed: group instance id pay-1 has been fenced", "member_fenced", "another consumer runs with the same group.instance.id (pay-1)"),
        ("[sarama] 2026/01/05 10:00:00 kafka: Failed to produce message to topic orders: circuit open", "produce_failed", "The producer gave it up: \"circuit open\""),
        ("2026-01-05T10:00:00.123Z ERROR Kafka (topic=pay): dropping too large message of size 1048626.", "record_too_large", "A record is over the limit"),
        ("[sarama] 2026/01/05 10:00:00 client is not authorized to access this topic. The topics were: [orders]", "not_authorized", "kafka-acls"),
        ("[sarama] 2026/01/05 10:00:00 client was not authorized to access group pay while attempting to find coordinator", "not_authorized", "has no right to group pay"),
        ("[sarama] 2026/01/05 10:00:00 client/metadata no available broker to send metadata request to", "no_broker_left", "has no broker left that it can use"),
        ("[sarama] 2026/01/05 10:00:00 client/metadata failed SASL authentication", "auth_failed", "refused the identity of a sarama client"),
        ("[sarama] 2026/01/05 10:00:00 Kerberos service ticket error for kafka/b1.example: no cached ticket", "login_failed", "no cached ticket"),
        ("[sarama] 2026/01/05 10:00:00 consumer/orders/7 still retrying after 10 consecutive failures", "partition_not_consumed", "can't consume orders-7 (10 failures in a row)"),
        ("[sarama] 2026/01/05 10:00:00 Topic orders Partition 7 is assigned more than one consumer", "assigned_twice", "claim one partition orders-7"),
    ],
    ids=["connections above a limit", "an old producer's try", "an old producer's end", "a broker's refusal", "a producer that a broker forgot", "a race to be controller", "an id that is taken", "a request of another broker", "a record's lock", "an election", "held back by nothing that waits", "a heartbeat's own limit", "a member put out", "a coordinator gone", "a transaction of librdkafka", "an instance id without its name", "a batch's error at DEBUG", "an instance id of sarama", "a reason in words", "a record too large for beats", "a right of sarama's to a topic", "to a group", "no broker of sarama's", "an identity of sarama's", "a ticket of sarama's", "a partition of sarama's", "a partition of two"],
)  # fmt: skip
def test_so_it_is_of_others(line, kind, words, tmp_path):
    found, said = answered(line, tmp_path)
    assert (found, words if words in said else said) == (kind, words)
