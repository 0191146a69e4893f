# ruff: noqa: E501  # a log line stays one line
"""Whose a line is where its text says so: a worker's connector and task, a coordinator's member; and what exceptions say."""

import pytest

from tests.transforms.parse.typed import CONSUMER, PRODUCER, event, events

CLIENTS = "org.apache.kafka.clients."
TIMEOUT = "org.apache.kafka.common.errors.TimeoutException"


@pytest.mark.parametrize("message", ["(Re-)joining group", "Asynchronous auto-commit of offsets failed"])
def test_a_bare_text_is_found_whatever_it_begins_with(message):
    assert event(message, None).kind in ("join", "commit_failed")


def test_a_streams_client_without_a_name_has_none():
    told = [
        event(f"{what} [] State transition from RUNNING to ERROR", None)
        for what in ("stream-thread", "stream-client")
    ]
    assert [(one.kind, one.client_id, one.thread) for one in told] == [("streams_state", None, None)] * 2


@pytest.mark.parametrize(
    ("message", "context", "named"),
    [
        ("WorkerSinkTask{id=jdbc-sink-2} Commit of offsets timed out", None, ("jdbc-sink", "jdbc-sink-2")),
        ("Commit of WorkerSinkTask{id=jdbc-sink-2} offsets timed out", None, ("jdbc-sink", "jdbc-sink-2")),
        ("WorkerConnector{id=jdbc-sink} Connector raised an error", None, ("jdbc-sink", None)),
        (
            "[Worker clientId=c, groupId=g] Rebalance started",
            "jdbc-sink|task-2|offsets",
            ("jdbc-sink", "jdbc-sink-2"),
        ),
        ("[Worker clientId=c, groupId=g] Rebalance started", "jdbc-sink|worker", ("jdbc-sink", None)),
    ],
)
def test_a_line_of_connect_names_its_connector_and_task(message, context, named):
    told = event(message, None, extra={"context": context} if context else {})
    assert told.client_kind == "connect"
    assert (told.details["connector"], told.details.get("task")) == named


@pytest.mark.parametrize(
    "client", ["consumer-a", "pay-6d0a76ac-ff10-4b02-9885-9ac3c09cad52-StreamThread-1-consumer"]
)
def test_the_member_that_a_coordinator_names_as_its_reason(client):
    member, other = (f"{name}-1e0a76ac-ff10-4b02-9885-9ac3c09cad52" for name in (client, "consumer-b"))
    told = event(
        f"[GroupCoordinator 1]: Preparing to rebalance group g in state PreparingRebalance with old generation 3 "
        f"(__consumer_offsets-1) (reason: removing member {member} on heartbeat expiration; client reason: {other})",
        "kafka.coordinator.group.GroupCoordinator",
    )
    assert told.member_id == member


SPACED = "order service 1-1e0a76ac-ff10-4b02-9885-9ac3c09cad52"


@pytest.mark.parametrize(
    "message",
    [
        f"Member {SPACED} sending LeaveGroup request to coordinator b:9092 (id: 7 rack: null) due to the consumer is being closed",
        f"Sending Heartbeat request with generation 1 and member id {SPACED} to coordinator b:9092 (id: 7 rack: null)",
        f"[GroupCoordinator 1]: Member {SPACED} in group g has failed, removing it from the group",
        f"[GroupCoordinator 1]: Dynamic member with unknown member id joins group g in Stable state. Created a new member id {SPACED} "
        "and requesting the member to rejoin with this id.",
        f"[GroupCoordinator 1]: Assignment received from leader {SPACED} for group g for generation 1. The group has 1 members",
        f"[GroupCoordinator 1]: Preparing to rebalance group g in state PreparingRebalance with old generation 3 "
        f"(reason: Adding new member {SPACED} with group instance id null; client reason: not provided)",
    ],
)
def test_a_member_id_has_the_blanks_of_its_client_id(message):
    assert event(message, CLIENTS + "consumer.internals.ConsumerCoordinator").member_id == SPACED


def test_closing_a_connection_oneself_is_no_second_disconnect():
    told = event(f"{PRODUCER}Client requested connection close from node 1", CLIENTS + "NetworkClient")
    assert told.kind == "other_kafka"
    assert told.benign is not None


def test_a_request_that_was_cancelled_names_its_client_and_its_one_partition():
    request = (
        "RequestSend(header={api_key=1,api_version=2,correlation_id=32,client_id=consumer-2}, body={replica_id=-1,"
        "topics=[{topic=orders,partitions=[{partition=3,fetch_offset=470,max_bytes=1048576}]}]})"
    )
    told = event(
        f"Cancelled FETCH request ClientRequest(expectResponse=true, request={request}) with correlation id 32 "
        "due to node 1 being disconnected",
        CLIENTS + "consumer.internals.ConsumerNetworkClient",
    )
    assert (told.kind, told.client_id, told.topic, told.partition) == (
        "request_cancelled",
        "consumer-2",
        "orders",
        3,
    )


@pytest.mark.parametrize(
    ("message", "kinds"),
    [
        ("session timed out without receiving a heartbeat response", ["session_expired"]),
        ("- the session timed out without receiving a heartbeat response, so we raised its limit", []),
    ],
)
def test_a_cause_quoted_alone_is_told_and_prose_about_it_is_not(message, kinds):
    assert [told.kind for told in events(message, None)] == kinds


@pytest.mark.parametrize(
    ("thrown", "kind"),
    [
        ("TimeoutException: Batch containing 7 record(s) expired due to timeout while requesting metadata from brokers for orders-3", "batch_expired"),
        ("TimeoutException: Batch Expired", "batch_expired"),
        ("TimeoutException: Expiring xx record(s) for <topic>-<partition>:120000 ms has passed since batch creation", "batch_expired"),
        ("RebalanceInProgressException: Offset commit cannot be completed since the consumer is undergoing a rebalance for auto partition assignment.", "commit_failed"),
        ("TimeoutException: Timeout of 60000ms expired before successfully committing the current consumed offsets", "commit_failed"),
        ("TimeoutException: The request timed out.", "request_timeout"),
        ("TimeoutException: Failed to send request after 30000 ms.", "request_timeout"),
        ("TimeoutException: Aborted due to timeout.", "request_timeout"),
        ("DisconnectException: Cancelled listTopics request with correlation id 5 due to node 1 being disconnected", "request_cancelled"),
        ("InvalidPidMappingException: The producer attempted to use a producer id which is not currently assigned to its transactional id.", "fenced"),
        ("TimeoutException: Failed to allocate memory within the configured max blocking time", "produce_failed"),
        ("TimeoutException: Timeout expired while fetching topic metadata", "request_timeout"),
        ("TimeoutException: Exceeded maxRetries after 5 tries.", "request_timeout"),
        ("TimeoutException: Timed out while waiting to get end offsets for topic 'connect-offsets' on brokers at broker-1:9092", "request_timeout"),
        ("TimeoutException: OffsetFetch request for partitions [orders-0] could not complete before timeout expired.", "request_timeout"),
        ("TimeoutException: ListOffsetsEvent was 12 ms past its expiration of 1767225600000", "request_timeout"),
        ("TimeoutException: OffsetCommit request for offsets {orders-0=OffsetAndMetadata{offset=7, leaderEpoch=null, metadata=''}} could not complete before timeout expired.", "commit_failed"),
        ("TimeoutException: SyncCommitEvent was 12 ms past its expiration of 1767225600000", "commit_failed"),
    ],
)  # fmt: skip
def test_what_an_exception_says_whoever_prints_it(thrown, kind):
    told = event(
        f"giving up\norg.apache.kafka.common.errors.{thrown}\n\tat a.B.c(B.java:1)", "com.example.Orders"
    )
    assert told.kind == kind
    assert told.error_class == thrown.partition(":")[0]


def test_expiries_that_a_tool_prints_below_a_line_of_the_client_are_events_of_their_own():
    expiring = "org.apache.kafka.common.errors.TimeoutException: Expiring 16 record(s) for orders-0:120005 ms has passed since batch creation"
    retried = (
        f"{PRODUCER}Got error produce response with correlation id 31 on topic-partition orders-0, retrying (2 attempts left). "
        f"Error: REQUEST_TIMED_OUT\n...\n{expiring}\n{expiring}"
    )
    found = events(retried, CLIENTS + "producer.internals.Sender", level="WARN")
    assert [told.kind for told in found] == ["produce_retry", "batch_expired", "batch_expired"]
    assert [told.error_class for told in found] == [
        "REQUEST_TIMED_OUT",
        "TimeoutException",
        "TimeoutException",
    ]
    assert {told.elapsed_ms for told in found[1:]} == {120005}
    assert len({told.event_id for told in found}) == 3


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("InvalidPidMappingException", "fenced"),
        ("UnsupportedVersionException", "other_kafka"),
        ("TransactionalIdAuthorizationException", "other_kafka"),
        ("OutOfOrderSequenceException", "produce_failed"),
    ],
)
def test_what_ends_a_transaction_is_told_by_its_error(error, kind):
    text = f"{PRODUCER}Transiting to fatal error state due to org.apache.kafka.common.errors.{error}: refused"
    assert event(text, CLIENTS + "producer.internals.TransactionManager").kind == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Group coordinator a:9092 (id: 2147483646 rack: null) is unavailable or invalid due to cause: coordinator unavailable.", "coordinator_lost"),
        ("Group coordinator <host> (id: ... rack: null) is unavailable or invalid due to cause: session timed out without receiving a heartbeat response.isDisconnected: false.", "session_expired"),
        ("Member consumer-a-1 sending LeaveGroup request due to consumer poll timeout has expired.", "leave_group"),
        ("Marking the coordinator 2147483646 dead.", "coordinator_lost"),
        ("Disconnecting from node 2 due to socket connection setup timeout", "connect_failed"),
        ("Cancelled in-flight FETCH request with correlation id 7 due to node 2 being disconnected", "request_cancelled"),
        ("JoinGroup failed: This is not the correct coordinator. Marking coordinator unknown.", "other_kafka"),
    ],
)  # fmt: skip
def test_a_text_that_its_paste_cut_or_masked_is_still_of_its_family(text, kind):
    told = event(f"[Consumer clientId=a, groupId=g] {text}", None)
    assert told.kind == kind
    assert told.message_id != "unrecognized"


@pytest.mark.parametrize(
    "message",
    [
        "Sending JoinGroup ((type: JoinGroupRequest, groupId=g, sessionTimeout=6000, rebalanceTimeout=300000, memberId=m-1, "
        "protocolType=consumer)) to coordinator b:9092 (id: 2147483646 rack: null)",
        "Received successful JoinGroup response: JoinGroupResponse(throttleTimeMs=0, error=NONE, generationId=1, "
        "groupProtocol=range, memberId=m-1, leaderId=m-2, members=)",
        "Sending follower SyncGroup to coordinator b:9092 (id: 2147483646 rack: null): (type=SyncGroupRequest, groupId=g, "
        "generationId=1, memberId=m-1, groupAssignment=)",
    ],
)
def test_before_requests_were_generated_they_name_the_member_without_quotes(message):
    told = event(f"[Consumer clientId=c, groupId=g] {message}", None, level="DEBUG")
    assert told.member_id == "m-1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Timeout of 60000ms expired before the position for partition orders-3 could be determined", (60000, None, "orders", 3)),
        ("Timeout of 60000ms expired before the last committed offset for partitions [orders-3] could be determined.", (60000, None, None, None)),
        ("Failed to get offsets by times in 30000 ms", (30000, None, None, None)),
        ("Failed to get offsets by times in 30017ms", (None, 30017, None, None)),
    ],
)  # fmt: skip
def test_a_call_of_the_consumer_that_was_not_answered(text, said):
    told = event(f"gave up\norg.apache.kafka.common.errors.TimeoutException: {text}", "com.example.Orders")
    assert told.kind == "request_timeout"
    assert (told.limit_ms, told.elapsed_ms, told.topic, told.partition) == said


def test_what_was_thrown_is_read_however_its_trace_is_indented():
    told = event(
        "Application run failed\n\n\t\torg.apache.kafka.common.errors.TimeoutException: The request timed out.\n\t\tat a.B.c(B.java:1)",
        "org.springframework.boot.SpringApplication",
    )
    assert (told.kind, told.error_class) == ("request_timeout", "TimeoutException")


def test_a_member_that_is_not_known_any_more_is_named():
    told = event("[Consumer clientId=a, groupId=g] Attempt to heartbeat failed since member id a-764a71ea-f9b3-462c-9986-8e6b2530d6e3 is not valid.")  # fmt: skip
    assert told.member_id == "a-764a71ea-f9b3-462c-9986-8e6b2530d6e3"


SAID_ALONE = [
    ("Topic orders not present in metadata after 60000 ms.", "produce_failed"),
    ("Failed to allocate memory within the configured max blocking time 60000 ms.", "produce_failed"),
    ("Timeout of 60000ms expired before the position for partition orders-0 could be determined", "request_timeout"),
    ("Timed out waiting for a node assignment. Call: describeTopics", "request_timeout"),
    ("Cancelled createTopics request with correlation id 4 due to node 1001 being disconnected", "request_cancelled"),
    ("There is a newer producer with the same transactionalId which fences the current one.", "fenced"),
    ("Messages are rejected since there are fewer in-sync replicas than required.", "produce_failed"),
    ("Commit cannot be completed since the group has already rebalanced and assigned the partitions to another member. This means that", "commit_failed"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), SAID_ALONE)
@pytest.mark.parametrize("level", ["WARN", "ERROR"])
def test_what_an_application_reports_without_the_exception_s_class(text, kind, level):
    told = event(f"giving up order 17: {text}", "com.example.Orders", level=level)
    assert (told.kind, told.details["error_message"]) == (kind, text)


@pytest.mark.parametrize(("text", "kind"), SAID_ALONE[:-1])
def test_what_stands_alone_on_its_line_is_said_and_in_a_sentence_is_quoted(text, kind):
    assert [told.kind for told in events(text, level=None)] == [kind]
    assert events(f"If you see {text} then look at the broker", level=None) == []


@pytest.mark.parametrize(
    ("printed", "kind", "error_class"),
    [
        ("ProducerFencedException: There is a newer producer with the same transactionalId", "fenced", "ProducerFencedException"),
        ("InvalidProducerEpochException: Producer attempted to produce with an old epoch.", "fenced", "InvalidProducerEpochException"),
        ("NotEnoughReplicasException: Messages are rejected since there are fewer in-sync replicas than required.", "produce_failed", "NotEnoughReplicasException"),
        ("java.lang.RuntimeException: org.apache.kafka.common.errors.FencedInstanceIdException: The broker rejected this static consumer since another consumer with the same group.instance.id has registered with a different member.id.", "fenced", "FencedInstanceIdException"),
    ],
)  # fmt: skip
def test_an_error_s_own_text_is_told_with_its_class_whole_or_without_its_package(printed, kind, error_class):
    told = event(printed, None, level=None)
    assert (told.kind, told.error_class) == (kind, error_class)


def test_a_record_that_is_too_large_for_the_broker_is_no_time_that_ran_out():
    thrown = "org.apache.kafka.common.errors.RecordTooLargeException: The request included a message larger than the max message size the server will accept."
    told = event(
        f"Error when sending message to topic orders with key: null, value: 9 bytes with error:\n{thrown}",
        CLIENTS + "producer.internals.ErrorLoggingCallback",
        level="ERROR",
    )
    assert (told.kind, told.error_class) == ("produce_failed", "RecordTooLargeException")


def test_the_limit_that_somebody_wrote_beside_the_setting_is_the_limit():
    said = "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms"
    assert event(f"{CONSUMER}{said} (240000 ms).").limit_ms == 240000
    assert event(f"{CONSUMER}{said}, which typically implies").limit_ms is None


def test_how_a_send_ended_is_told_below_a_line_of_the_client():
    ended = "org.apache.kafka.common.errors.NotEnoughReplicasException: Messages are rejected since there are fewer in-sync replicas than required."
    retried = (
        f"{PRODUCER}Got error produce response with correlation id 5 on topic-partition orders-0, retrying (2 attempts left). "
        f"Error: NOT_ENOUGH_REPLICAS\n.\n.\n{ended}"
    )
    found = events(retried, CLIENTS + "producer.internals.Sender", level="WARN")
    assert [(told.kind, told.error_class) for told in found] == [
        ("produce_retry", "NOT_ENOUGH_REPLICAS"),
        ("produce_failed", "NotEnoughReplicasException"),
    ]
    refused = "[AdminClient clientId=a] Connection to node -1 (b1/10.0.0.1:9092) could not be established. Node may not be available."
    given_up = f"{refused}\nError while executing topic command : Timed out waiting for a node assignment. Call: createTopics"
    found = events(given_up, CLIENTS + "NetworkClient", level="WARN")
    assert [told.kind for told in found] == ["connect_failed", "request_timeout"]


def test_what_a_tool_prints_below_the_settings_of_a_client_is_told():
    dump = "ProducerConfig values:\n\tacks = 1\n\tbatch.size = 16384\nError when sending message to topic: 'bills'\n"
    found = events(
        f"{dump}{TIMEOUT}: Topic bills not present in metadata after 60000 ms.",
        CLIENTS + "producer.ProducerConfig",
    )
    assert [(one.kind, one.topic) for one in found] == [("config_dump", None), ("produce_failed", "bills")]


@pytest.mark.parametrize(
    ("thrown", "kind"),
    [
        ("TimeoutException: Topic bills not present in metadata after 60000 ms.", "produce_failed"),
        (
            "RecordTooLargeException: The message is 1048665 bytes when serialized which is larger than 1048576",
            "produce_failed",
        ),
        ("TopicAuthorizationException: Not authorized to access topics: [bills]", "other_kafka"),
    ],
)
def test_a_send_that_was_refused_before_a_batch_was_made(thrown, kind):
    said = f"{PRODUCER}Exception occurred during message send:\norg.apache.kafka.common.errors.{thrown}"
    assert event(said, CLIENTS + "producer.KafkaProducer", level="DEBUG").kind == kind


def test_the_error_within_what_spring_nests_is_the_exception_that_says_it():
    nested = f"org.springframework.web.util.NestedServletException: Request processing failed; nested exception is java.util.concurrent.ExecutionException: {TIMEOUT}: "
    for said in ("Timed out waiting for a node assignment.", "The request timed out."):
        told = event(nested + said, None)
        assert (told.kind, told.error_class) == ("request_timeout", "TimeoutException")


def test_a_topic_that_a_sentence_ends_with_has_not_its_dot():
    assert event(f"{CONSUMER}Not authorized to read from topic pay.orders.").topic == "pay.orders"


def test_a_message_cut_at_its_end_is_known_on_the_line_below_its_context():
    told = event(
        "[Consumer clientId=a, groupId=g]\n  Revoke previously assigned partitions",
        CLIENTS + "consumer.internals.ConsumerCoordinator",
    )
    assert told.kind == "partitions_revoked"


def test_the_error_is_the_exception_that_proves_and_not_another_s_below():
    told = event(
        "order 17\norg.apache.kafka.common.errors.TimeoutException: Call(callName=createTopics, deadlineMs=1, tries=1, nextAllowedTryMs=2) timed out at 3 after 1 attempt(s)\n"
        "Caused by: org.apache.kafka.common.errors.DisconnectException: Cancelled createTopics request with correlation id 3 due to node 0 being disconnected",
        "com.example.Orders",
    )
    assert (told.kind, told.error_class) == ("request_timeout", "TimeoutException")


def test_a_disconnect_written_below_a_fetch_without_its_package_is_the_error():
    told = event("Error sending fetch request (sessionId=INVALID) to node 3:\n  DisconnectException: null")
    assert (told.kind, told.error_class) == ("disconnect", "DisconnectException")


def test_what_was_thrown_is_the_error_where_it_stands_behind_the_message_and_its_frames_below():
    said = f"{CONSUMER}Error connecting to node b3:9092 (id: 3 rack: null)"
    thrown = "java.net.UnknownHostException: b3"
    frame = "\tat java.base/java.net.InetAddress.getAllByName(InetAddress.java:1524)"
    joined = event(f"{said}: {thrown}\n{frame}", level="WARN")
    assert (joined.kind, joined.error_class) == ("connect_failed", "UnknownHostException")
    assert event(f"{said}\n{thrown}\n{frame}", level="WARN").error_class == joined.error_class


def test_an_exception_s_text_in_a_client_s_line_that_lost_its_beginning_is_what_it_says():
    cut = "ta{offset=5, leaderEpoch=null, metadata=''}} failed: Commit cannot be completed since the group has already rebalanced"
    coordinator = CLIENTS + "consumer.internals.ConsumerCoordinator"
    assert event(cut, coordinator, level=None).kind == "commit_failed"
    assert event(f"{CONSUMER}{cut}", coordinator, level=None).kind == "other_kafka"


@pytest.mark.parametrize("before", ["signal: '", "// ", "producer.send(a);\n  // ", "What if it is "])
def test_code_and_prose_that_cite_an_error_s_own_text_tell_nothing(before):
    assert (
        events(f"{before}ProducerFencedException: There is a newer producer with the same", level=None) == []
    )


def test_a_text_behind_an_error_s_code_is_another_client_s():
    said = "The request included a message larger than the max message size the server will accept."
    assert event(f"giving up order 7: {said}", level="ERROR").kind == "produce_failed"
    (told,) = events(f"giving up order 7: MESSAGE_TOO_LARGE: {said}", level="ERROR")
    assert (told.kind, told.client_library) == ("produce_failed", "franz-go")


@pytest.mark.parametrize("sent", ["failed to publish order 7", "write message error", "order 7: send failed"])
@pytest.mark.parametrize(
    ("said", "library"),
    [
        ("Broker: Unknown topic or partition", "librdkafka"),
        ("kafka server: Request was for a topic or partition that does not exist on this broker", "sarama"),
        ("[3] Unknown Topic Or Partition: the request is for a topic", "kafka-go"),
        ("[Error 3] UnknownTopicOrPartitionError", "kafka-python"),
    ],
)
def test_an_error_behind_words_of_a_failed_send_is_a_record_that_was_not_delivered(sent, said, library):
    told = event(f"{sent}: {said}", level="ERROR")
    assert (told.kind, told.client_library) == ("produce_failed", library)
    other = event(f"reading of orders: {said}", level="ERROR")
    assert (other.kind, other.client_library) == ("other_kafka", library)
