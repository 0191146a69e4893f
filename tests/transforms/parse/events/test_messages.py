# ruff: noqa: E501  # a log line stays one line
"""What a record is an event of: one failure is one event, whoever tells it."""

import pytest

from tests.transforms.parse.typed import CONSUMER, NOON, PRODUCER, STREAMS, TASK, THREAD, event, events
from transforms.parse.lines.prefixes import streams_client_of
from transforms.parse.records.placing import record_id

APPLICATION = "com.example.orders.OrderService"
CLIENTS = "org.apache.kafka.clients."
TIMEOUT = "org.apache.kafka.common.errors.TimeoutException"
EXPIRING = f"{TIMEOUT}: Expiring 3 record(s) for orders-out-1:12003 ms has passed since batch creation"
KICKED_OUT = (
    "org.apache.kafka.clients.consumer.CommitFailedException: Commit cannot be completed since the group has "
    "already rebalanced and assigned the partitions to another member. This means that the time between subsequent "
    "calls to poll() was longer than the configured max.poll.interval.ms"
)
POLL_TEXT = (
    "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer"
)
NODE = "127.0.0.1:9092 (id: 2147483646 rack: null)"


def test_every_event_says_where_and_when_it_stands():
    told = event(f"{PRODUCER}Node 1 disconnected.", CLIENTS + "NetworkClient", offset=77, line=5, position=77)
    assert told.record_id == record_id("source", 77)
    assert told.event_id not in ("", told.record_id)
    assert (told.source, told.offset, told.line, told.position) == ("orders/app.log", 77, 5, 77)
    assert (told.happened_at, told.ordered_at) == (NOON, NOON)
    assert (told.unit_id, told.service, told.instance) == ("unit", "orders", "app")
    assert (told.client_kind, told.client_id) == ("producer", "orders-producer")


def test_a_record_without_time_is_kept_without_time():
    assert event(f"{PRODUCER}Node 1 disconnected.", logged_at=None, time_origin="none").happened_at is None


def test_the_service_that_a_record_names_goes_before_its_folder():
    assert event(f"{PRODUCER}Node 1 disconnected.", service="billing").service == "billing"


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Disconnecting from node 1 due to request timeout.", "request_timeout"),
        (
            "Cancelled in-flight PRODUCE request with correlation id 7 due to node 1 being disconnected (elapsed time since "
            "creation: 30010ms, elapsed time since send: 30004ms, throttle time: 0ms, request timeout: 30000ms)",
            "request_cancelled",
        ),
        (
            "Disconnecting from node 1 due to socket connection setup timeout. The timeout value is 9473 ms.",
            "connect_failed",
        ),
        ("Node 1 disconnected.", "disconnect"),
    ],
)
def test_a_lost_connection_is_told_once_by_its_cause(message, kind):
    assert event(PRODUCER + message, CLIENTS + "NetworkClient").kind == kind


def test_leaving_because_the_poll_timeout_expired_is_two_events():
    """2.4 to 2.8: the poll timeout has no line of its own."""
    found = events(
        f"{CONSUMER}Member m-1 sending LeaveGroup request to coordinator {NODE} due to {POLL_TEXT}",
        CLIENTS + "consumer.internals.AbstractCoordinator",
    )
    assert [told.kind for told in found] == ["poll_interval_expired", "leave_group"]
    assert {told.member_id for told in found} == {"m-1"}
    assert len({told.event_id for told in found}) == 2
    assert len({told.record_id for told in found}) == 1


def test_where_the_poll_timeout_has_its_own_line_leaving_is_leaving_only():
    logger = CLIENTS + "consumer.internals.ConsumerCoordinator"
    assert event(f"{CONSUMER}{POLL_TEXT}", logger, level="WARN").kind == "poll_interval_expired"
    leaves = f"{CONSUMER}Member m-1 sending LeaveGroup request to coordinator {NODE} due to consumer poll timeout has expired."
    assert event(leaves, logger).kind == "leave_group"


@pytest.mark.parametrize("logger", [APPLICATION, "OrderService", None])
@pytest.mark.parametrize(
    "message",
    [
        f"Publishing order-7 failed after 12010 ms: {EXPIRING}",
        f"send failed\n{EXPIRING}\n\tat org.apache.kafka.clients.producer.internals.ProducerBatch.done(ProducerBatch.java)",
        f"send failed\njava.util.concurrent.ExecutionException: {EXPIRING}\n\tat a.B.c(B.java:1)\nCaused by: {EXPIRING}",
        "giving up: Expiring 3 record(s) for orders-out-1:12003 ms has passed since batch creation",
    ],
    ids=["on its line", "as a stack trace", "wrapped, and repeated as its cause", "text only"],
)
def test_an_expiry_that_the_application_prints_is_the_expiry(message, logger):
    told = event(message, logger, level="WARN")
    assert (told.kind, told.message_id) == ("batch_expired", "producer-batch-expired")
    assert (told.topic, told.partition, told.elapsed_ms) == ("orders-out", 1, 12003)
    assert told.details["records"] == "3"
    assert told.happened_at == NOON


def test_what_failed_with_its_transaction_did_not_expire():
    aborted = "org.apache.kafka.common.errors.TransactionAbortableException: Transaction Request was aborted after exhausting retries."
    told = event(f"send failed\n{aborted}\nCaused by: {EXPIRING}", APPLICATION, level="ERROR")
    assert (told.kind, told.error_class, told.partition) == (
        "produce_failed",
        "TransactionAbortableException",
        None,
    )
    again = f"next call\norg.apache.kafka.common.KafkaException: Cannot execute transactional method because we are in an error state\nCaused by: {aborted}\nCaused by: {EXPIRING}"
    assert (
        event(again, APPLICATION, level="ERROR")
        .details["error_message"]
        .startswith("Cannot execute transactional")
    )


def test_an_expiry_names_its_class_where_it_is_printed():
    assert event(f"failed: {EXPIRING}", APPLICATION).error_class == "TimeoutException"


def test_an_old_expiry_says_what_it_counted_from():
    told = event("Expiring 1 record(s) for orders-0: 30012 ms has passed since last append", APPLICATION)
    assert (told.elapsed_ms, told.details["since"]) == (30012, "last append")


def test_a_commit_that_the_application_saw_fail():
    told = event(f"Commit failed\n{KICKED_OUT}\n\tat a.B.c(B.java:1)", APPLICATION, level="WARN")
    assert (told.kind, told.message_id) == ("commit_failed", "commit-failed-exception")
    assert told.error_class == "CommitFailedException"
    assert told.details["reason"] == "the group has already rebalanced"


@pytest.mark.parametrize(
    ("text", "kind", "limit_ms"),
    [
        ("Topic orders-audit not present in metadata after 60000 ms.", "produce_failed", 60000),
        ("Timeout of 5000ms expired before successfully committing offsets {}", "commit_failed", 5000),
        ("Timeout expired after 3000ms while awaiting InitProducerId", "produce_failed", 3000),
        (
            "Failed to allocate 16384 bytes within the configured max blocking time 60000 ms.",
            "produce_failed",
            60000,
        ),
        (
            "Call(callName=listTopics, deadlineMs=1, tries=1, nextAllowedTryMs=-1) timed out at 2 after 1 attempt(s)",
            "request_timeout",
            None,
        ),
    ],
)
def test_other_timeouts_that_the_application_prints(text, kind, limit_ms):
    told = event(f"call failed\n{TIMEOUT}: {text}", APPLICATION, level="ERROR")
    assert (told.kind, told.limit_ms, told.error_class) == (kind, limit_ms, "TimeoutException")
    assert told.details["error_message"] == text


@pytest.mark.parametrize(
    ("thrown", "kind"),
    [
        ("common.errors.ProducerFencedException: There is a newer producer", "fenced"),
        ("common.errors.FencedInstanceIdException: The broker rejected", "fenced"),
        ("common.errors.NotEnoughReplicasException: Messages are rejected", "produce_failed"),
        ("streams.errors.StreamsException: Exception caught in process", "streams_error"),
        ("common.errors.WakeupException", "other_kafka"),
    ],
)
def test_any_other_kafka_exception_in_an_application_line(thrown, kind):
    told = event(f"failed\norg.apache.kafka.{thrown}", APPLICATION)
    assert (told.kind, told.message_id) == (kind, "application-exception")
    assert told.error_class == thrown.split(":")[0].rsplit(".", 1)[-1]


def test_the_stack_trace_of_a_kafka_line_tells_causes_and_is_no_second_event():
    told = event(
        f"{STREAMS}Failed to process stream task 0_1 due to the following error:\n"
        "org.apache.kafka.streams.errors.StreamsException: Exception caught in process. taskId=0_1\n"
        f"\tat org.apache.kafka.streams.A.b(A.java:1)\nCaused by: {TIMEOUT}: Topic x not present in metadata after 2000 ms.",
        "org.apache.kafka.streams.processor.internals.TaskExecutor",
        level="ERROR",
    )
    assert (told.kind, told.message_id, told.task_id) == ("streams_error", "streams-process-failed", "0_1")
    assert told.details["exceptions"] == "StreamsException|TimeoutException"
    assert (told.error_class, told.details["cause_class"]) == ("StreamsException", "TimeoutException")
    assert told.details["cause_message"] == "Topic x not present in metadata after 2000 ms."


def test_a_client_that_dies_of_a_task_timeout_tells_its_expiry():
    expiry = "Task 0_1 did not make progress within 10073 ms. Adjust `task.timeout.ms` if needed."
    told = event(
        "stream-client [orders-app-3f1c] Encountered the following exception during processing and the registered "
        "exception handler opted to SHUTDOWN_CLIENT. The streams client is going to shut down now. \n"
        f"org.apache.kafka.streams.errors.StreamsException: {TIMEOUT}: {expiry}\nCaused by: {TIMEOUT}: {expiry}\n"
        f"Caused by: {TIMEOUT}: Topic x not present in metadata after 2000 ms.",
        "org.apache.kafka.streams.KafkaStreams",
        level="ERROR",
    )
    assert (told.kind, told.message_id) == ("task_timeout_expired", "streams-client-dies")
    assert (told.task_id, told.elapsed_ms, told.client_id) == ("0_1", 10073, "orders-app-3f1c")


def test_streams_own_send_error_is_the_batch_expiry():
    told = event(
        f"{STREAMS}stream-task [0_0] Error encountered sending record to topic orders-out for task 0_0 due to:\n{EXPIRING}\n"
        f"The broker is either slow or in bad state\n{EXPIRING}",
        "org.apache.kafka.streams.processor.internals.RecordCollectorImpl",
        level="ERROR",
    )
    assert (told.kind, told.message_id, told.task_id) == ("batch_expired", "streams-send-error", "0_0")
    assert (told.topic, told.partition, told.elapsed_ms) == ("orders-out", 1, 12003)


def test_connect_prints_an_expiry_in_a_line_of_no_family():
    told = event(
        f"WorkerSourceTask{{id=jdbc-0}} failed to send record to orders-out: {EXPIRING}",
        "org.apache.kafka.connect.runtime.WorkerSourceTask",
        level="ERROR",
    )
    assert told.kind == "batch_expired"


@pytest.mark.parametrize(
    ("message", "logger"),
    [
        ("order-service: partitions assigned: [orders-0]", "o.s.k.l.KafkaMessageListenerContainer"),
        ("Task did not make progress. Remaining time to deadline 5; retrying.", APPLICATION),
        ("Member x sending LeaveGroup request to coordinator y", "com.example.club.MemberService"),
        ("Node 1 disconnected.", "org.acme.kiosk.NetworkService"),
        ("all is well", None),
    ],
)
def test_what_is_not_kafkas_is_no_event(message, logger):
    assert events(message, logger) == []


def test_a_kafka_line_of_no_family_is_kept_as_unrecognized():
    told = event(f"{CONSUMER}Something new in 5.0", CLIENTS + "consumer.internals.ConsumerCoordinator")
    assert (told.kind, told.message_id, told.client_id) == ("other_kafka", "unrecognized", "consumer-a")


@pytest.mark.parametrize(
    "logger",
    [
        "org.apache.kafka.clients.NetworkClient",
        "o.a.k.c.NetworkClient",
        "org.apa.kaf.cli.NetworkClient",
        "NetworkClient",
        None,
    ],
)
def test_loggers_are_known_however_the_layout_shortens_them(logger):
    assert event("Disconnecting from node 1 due to request timeout.", logger).kind == "request_timeout"


def test_a_line_that_names_several_partitions_is_one_event_with_the_first():
    told = event(f"{CONSUMER}Lost previously assigned partitions orders-3, orders-audit-1")
    assert (told.topic, told.partition) == ("orders", 3)
    assert told.details["partitions"] == "orders-3,orders-audit-1"


def test_no_partition_is_no_partition():
    told = event(f"{CONSUMER}Adding newly assigned partitions: []")
    assert (told.topic, told.partition, told.details["partitions"]) == (None, None, "")


def test_a_commit_of_several_tasks_names_them_all():
    told = event(f"{STREAMS}Committing task(s) 0_3, 1_2 failed.", level="ERROR")
    assert (told.task_id, told.details["tasks"], told.thread) == ("0_3", "0_3,1_2", THREAD)


def test_a_timer_line_tells_task_thread_and_time_left():
    told = event(
        f"{TASK}Task did not make progress. Remaining time to deadline 8000; retrying.\n{TIMEOUT}: x",
        level="DEBUG",
    )
    assert (told.kind, told.message_id) == ("task_timeout_continue", "task-timeout-armed")
    assert (told.task_id, told.thread, told.remaining_ms) == ("0_1", THREAD, 8000)
    assert (told.client_kind, told.client_id) == ("streams", "orders-app-3f1c")


def test_a_retry_says_what_the_broker_answered():
    told = event(
        f"{PRODUCER}Got error produce response with correlation id 17 on topic-partition orders-1, retrying "
        "(2147483646 attempts left). Error: NETWORK_EXCEPTION. Error Message: Disconnected from node 1",
        CLIENTS + "producer.internals.Sender",
        level="WARN",
    )
    assert (told.kind, told.api, told.correlation_id) == ("produce_retry", "PRODUCE", 17)
    assert (told.topic, told.partition, told.attempts_left) == ("orders", 1, 2147483646)
    assert (told.error_class, told.details["error_message"]) == (
        "NETWORK_EXCEPTION",
        "Disconnected from node 1",
    )


RESPONSE = "Received {} response from node 1 for request with header RequestHeader(apiKey={}, apiVersion=9, clientId=a, correlationId=4, headerVersion=2): {}"
DATA = "ProduceResponseData(responses=[TopicProduceResponse(name='orders', partitionResponses=[{}])], throttleTimeMs=0)"
BY_ID = "TopicProduceResponse(name='', topicId=rAf7a4s6SwWCg6kxgMOMag, partitionResponses=[{}])"


@pytest.mark.parametrize(
    ("api", "body", "error", "failed"),
    [
        ("HEARTBEAT", "HeartbeatResponseData(throttleTimeMs=0, errorCode=0)", "0", None),
        ("HEARTBEAT", "HeartbeatResponseData(throttleTimeMs=0, errorCode=27)", "27", None),
        ("SYNC_GROUP", "{throttle_time_ms=0,error_code=25,assignment=java.nio.HeapByteBuffer}", "25", None),
        (
            "OFFSET_COMMIT",
            "OffsetCommitResponseData(topics=[A(partitions=[B(partitionIndex=0, errorCode=0), B(partitionIndex=1, errorCode=22)])])",
            "22",
            None,
        ),
        ("PRODUCE", DATA.format("P(index=0, errorCode=0, baseOffset=7), P(index=1, errorCode=0)"), "0", None),
        (
            "PRODUCE",
            DATA.format("P(index=0, errorCode=0, baseOffset=7), P(index=1, errorCode=19)"),
            "19",
            "orders-1=19",
        ),
        (
            "PRODUCE",
            f"ProduceResponseData(responses=[{BY_ID.format('P(index=2, errorCode=10)')}])",
            "10",
            "-2=10",
        ),
        (
            "PRODUCE",
            "{responses=[{topic=o,partition_responses=[{partition=0,error_code=0,base_offset=1}]},{topic=p,"
            "partition_responses=[{partition=0,error_code=7,base_offset=-1},{partition=3,error_code=19}]}]}",
            "7",
            "p-0=7,p-3=19",
        ),
        ("FETCH", "FetchResponseData(throttleTimeMs=0, errorCode=3)", None, None),
        ("HEARTBEAT", "", None, None),
    ],
)
def test_a_response_says_whether_it_is_an_error(api, body, error, failed):
    told = event(f"{PRODUCER}{RESPONSE.format(api, api, body)}", CLIENTS + "NetworkClient", level="DEBUG")
    assert (told.message_id, told.api, told.correlation_id) == ("net-received", api, 4)
    assert (told.details.get("response_error"), told.details.get("failed_partitions")) == (error, failed)


def test_a_broker_line_names_group_and_member():
    told = event(
        "[GroupCoordinator id=1 topic=__consumer_offsets partition=0] Member consumer-a-1 in group orders has failed, "
        "removing it from the group.",
        "org.apache.kafka.coordinator.group.GroupMetadataManager",
    )
    assert (told.kind, told.client_kind) == ("broker_member_failed", "broker")
    assert (told.group_id, told.member_id) == ("orders", "consumer-a-1")


@pytest.mark.parametrize(
    ("printed", "instance"),
    [
        ("Optional[node-a]", "node-a"),
        ("Some(node-a)", "node-a"),
        ("node-a", "node-a"),
        ("Optional.empty", None),
        ("None", None),
    ],
)
def test_a_static_members_id_is_read_out_of_its_option(printed, instance):
    text = f"Attempt to heartbeat with Generation{{generationId=1, memberId='m', protocol='range'}} and group instance id {printed} failed due to UNKNOWN_MEMBER_ID, resetting generation"
    told = event(CONSUMER + text)
    assert (told.group_instance_id, told.error_class, told.generation, told.member_id) == (
        instance,
        "UNKNOWN_MEMBER_ID",
        1,
        "m",
    )


@pytest.mark.parametrize(
    "message",
    [
        f"{PRODUCER}Idle connection to node 3 disconnected.",
        f"{PRODUCER}Node -1 disconnected.",
        f"{CONSUMER}JoinGroup failed due to non-fatal error: MEMBER_ID_REQUIRED. Will set the member id as m-1 and then rejoin.",
        f"{CONSUMER}Request joining group due to: need to re-join with the given member-id: m-1",
        f"{CONSUMER}Join group failed with org.apache.kafka.common.errors.MemberIdRequiredException: The group member needs to have a valid member id",
        f"{CONSUMER}Resetting generation and member id due to: consumer pro-actively leaving the group",
        f"{CONSUMER}Member m sending LeaveGroup request to coordinator {NODE} due to the consumer is being closed",
        f"{CONSUMER}Attempt to heartbeat failed since group is rebalancing",
        f"{CONSUMER}ConsumerGroupHeartbeatRequest failed because of unexpected exception.\n"
        "org.apache.kafka.common.errors.DisconnectException",
    ],
)
def test_what_looks_like_an_error_and_is_normal_says_why(message):
    assert event(message).benign


@pytest.mark.parametrize(
    "message",
    [
        f"{PRODUCER}Node 3 disconnected.",
        f"{CONSUMER}Resetting generation and member id due to: encountered UNKNOWN_MEMBER_ID from HEARTBEAT response",
        f"{CONSUMER}Member m sending LeaveGroup request to coordinator {NODE} due to consumer poll timeout has expired.",
    ],
)
def test_what_is_not_normal_says_nothing(message):
    assert event(message).benign is None


def test_losing_the_coordinator_by_the_sessions_end_is_the_sessions_end():
    text = f"{CONSUMER}Group coordinator {NODE} is unavailable or invalid due to cause: {{}}.isDisconnected: false. Rediscovery"
    expired = event(text.format("session timed out without receiving a heartbeat response"))
    assert (expired.kind, expired.message_id) == ("session_expired", "coordinator-unknown")
    assert event(text.format("coordinator unavailable")).kind == "coordinator_lost"


def test_a_second_line_about_the_same_failed_commit_is_no_second_failure():
    gone = "The coordinator is not aware of this member."
    generation = "Generation{generationId=3, memberId='m-1', protocol='range'}"
    assert (
        event(f"{CONSUMER}Offset commit failed on partition orders-1 at offset 5: {gone}").kind
        == "commit_failed"
    )
    assert event(f"{CONSUMER}OffsetCommit failed with {generation}: {gone}").kind == "other_kafka"
    unsent = event(
        f"{CONSUMER}Failing OffsetCommit request since the consumer is not part of an active group"
    )
    assert unsent.kind == "commit_failed"


@pytest.mark.parametrize(("tries", "kind"), [("0", "other_kafka"), ("1", "admin_retry")])
def test_an_admin_call_queued_again_is_a_retry(tries, kind):
    call = f"Call(callName=listTopics, deadlineMs=1795, tries={tries}, nextAllowedTryMs=1700)"
    told = event(f"[AdminClient clientId=a] Queueing {call} with a timeout 100 ms from now.")
    assert (told.kind, told.details["next_allowed_try_ms"]) == (kind, "1700")


@pytest.mark.parametrize(
    "message",
    [
        f"{PRODUCER}Disconnecting from node {'9' * 5000} due to request timeout.",
        f"{CONSUMER}Lost previously assigned partitions orders-{'9' * 5000}",
        "[" * 5000,
        "stream-thread [" * 1000,
        f"{PRODUCER}Cancelled request {'a ' * 20000}",
        "Failed to allocate " * 5000 + "org.apache.kafka.",
        "Expiring 1 record(s) for " * 2000,
    ],
    ids=["long number", "long partition", "brackets", "prefixes", "cancelled", "text", "expiring"],
)
def test_hostile_text_neither_stops_nor_stalls(message):
    for told in events(message, CLIENTS + "NetworkClient"):
        assert told.node_id is None


def test_what_is_no_partition_is_a_topic():
    """An assignor's list in another's spelling: the line is told all the same."""
    (told,) = events(
        f"{CONSUMER}Found multiple consumers c-1 and c-2 claiming the same TopicPartition orders:0 in the same generation 3",
        CLIENTS + "consumer.internals.AbstractStickyAssignor",
    )
    assert (told.message_id, told.topic, told.partition) == ("assignor-claimed-twice", "orders:0", None)


def test_streams_client_of():
    base = "orders-49df8e61-c62d-4197-affa-13d915bf4612"
    for part in (
        "StreamThread-1",
        "StreamThread-12-consumer",
        "StateUpdater-1-restore-consumer",
        "admin",
        "global-consumer",
    ):
        assert streams_client_of(f"{base}-{part}") == base
    assert streams_client_of("payments-StreamThread-1-producer") == "payments"
    assert streams_client_of("payments-admin") is None
    assert streams_client_of(None) is None


def test_ids_depend_on_the_place_alone():
    first = event(f"{PRODUCER}Node 1 disconnected.")
    again = event(f"{PRODUCER}Node 2 disconnected.")
    assert first.event_id == again.event_id
    assert event(f"{PRODUCER}Node 1 disconnected.", offset=1).event_id != first.event_id


@pytest.mark.parametrize(
    ("shown", "thread"),
    [
        pytest.param("orders-1c2d-StreamThread-1", "orders-1c2d-StreamThread-1", id="whole"),
        pytest.param("-StreamThread-1", None, id="cut by Spring Boot: the same for all applications"),
        pytest.param("treamThread-123", None, id="cut, of many threads"),
        pytest.param("balStreamThread", None, id="cut, the global one"),
        pytest.param("pool-1-thread-1", "pool-1-thread-1", id="as long as a cut one"),
    ],
)
def test_a_thread_name_that_the_layout_cut_is_not_known(shown, thread):
    text = "stream-client [orders-1c2d] State transition from RUNNING to ERROR"
    assert event(text, "org.apache.kafka.streams.KafkaStreams", thread=shown).thread == thread


def test_where_springs_listener_sent_what_failed_is_told():
    """Source: spring-kafka, LoggingProducerListener.onError."""
    said = "Exception thrown when sending a message with key='1' and payload='a\nb' to topic pay and partition 3:"
    thrown = "org.apache.kafka.common.errors.OutOfOrderSequenceException: The broker received an out of order sequence number."
    found = event(
        f"{said}\n{thrown}", "org.springframework.kafka.support.LoggingProducerListener", level="ERROR"
    )
    assert (found.kind, found.topic, found.partition) == ("produce_failed", "pay", 3)
