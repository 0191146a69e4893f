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
        ("ERROR", f"{CONSUMER}ConsumerGroupHeartbeatRequest failed due to fenced instance id pay-1: x", "clients.consumer.internals.ConsumerHeartbeatRequestManager", "membership_fenced", "Two processes run with one identity"),
        ("INFO", f"{CONSUMER}ConsumerGroupHeartbeatRequest failed for member m-1 because epoch 5 is fenced.", "clients.consumer.internals.ConsumerHeartbeatRequestManager", "member_unknown", "no longer knew"),
        ("WARN", f"{CONSUMER}Unexpected error from b1.example/10.0.0.7; closing connection", "common.network.Selector", "connection_closed_at_error", "closed a connection itself"),
        ("WARN", "[Producer clientId=pay] Overriding close timeout 5000 ms to 0 ms in order to prevent useless blocking due to self-join. This means you have incorrectly invoked close with a non-zero timeout from the producer call-back.", "clients.producer.KafkaProducer", "closed_by_its_callback", "from another thread"),
        ("ERROR", "Uncaught exception in thread 'kafka-producer-network-thread | pay':", "common.utils.KafkaThread", "client_error", "it ended the thread kafka-producer-network-thread | pay"),
    ],
    ids=["all threads died", "the application ends", "an assignment's error", "source topics missing", "a thread that dropped out", "an abort without an answer", "a log that was cut back", "a fetch's unknown error", "the heartbeats' thread", "a commit without a right", "an instance id taken", "an epoch that is over", "closed by itself", "closed in a callback", "an uncaught exception"],
)  # fmt: skip
def test_it_is_told_as_what_it_is(level, text, logger, kind, words, tmp_path):
    found, said = answered(f"[2026-01-05 10:00:00,123] {level} {text} (org.apache.kafka.{logger})", tmp_path)
    assert (found, words if words in said else said) == (kind, words)
