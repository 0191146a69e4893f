# ruff: noqa: E501  # a log line stays one line
"""Lines that a paste shortened or broke, and what others print of a client, are the same events."""

import pytest

from lab.layouts.score import events_in
from tests.transforms.parse.typed import CONSUMER, PRODUCER, THREAD, event, events

APPLICATION = "com.example.orders.OrderService"
CLIENTS = "org.apache.kafka.clients."
TIMEOUT = "org.apache.kafka.common.errors.TimeoutException"
EXPIRING = f"{TIMEOUT}: Expiring 3 record(s) for orders-out-1:12003 ms has passed since batch creation"
POLL_TEXT = (
    "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer"
)
NODE = "127.0.0.1:9092 (id: 2147483646 rack: null)"


@pytest.mark.parametrize(
    "message",
    [
        f"{CONSUMER}Member m-1 sending LeaveGroup request to coordinator due to {POLL_TEXT}",
        f"{CONSUMER}Member m-1 sending LeaveGroup request to coordinator{NODE} due to {POLL_TEXT}",
        f"{CONSUMER}Member m-1 sending LeaveGroup request to coordinator\ndue to consumer poll timeout has\nexpired. This means",
        "[Consumer clientId=consumer-a,\n    groupId=order-service] Member m-1 sending LeaveGroup request\n    due to "
        f"{POLL_TEXT}",
        f"[Consumer clientId=consumer-a, groupId=order-service]\nMember m-1 sending LeaveGroup request due to {POLL_TEXT}",
    ],
    ids=[
        "its coordinator left out",
        "glued to its coordinator",
        "broken in its text",
        "broken in its prefix",
        "broken behind its prefix",
    ],
)
def test_a_paste_that_shortened_or_broke_the_line_says_the_same(message):
    found = events(message, CLIENTS + "consumer.internals.AbstractCoordinator")
    assert [told.kind for told in found] == ["poll_interval_expired", "leave_group"]
    assert {(told.client_id, told.group_id, told.member_id) for told in found} == {
        ("consumer-a", "order-service", "m-1")
    }


def test_a_generation_of_which_notes_left_a_part_out_is_one():
    logger = CLIENTS + "consumer.internals.ConsumerCoordinator"
    for rest, member in (("", None), (", memberId=m-1, protocol=range", "m-1")):
        joined = event(
            f"{CONSUMER}Successfully joined group with generation Generation{{generationId=4{rest}}}", logger
        )
        assert (joined.kind, joined.generation, joined.member_id) == ("joined", 4, member)


def test_the_code_for_which_a_coordinator_was_given_up_is_the_error():
    given_up = f"{CONSUMER}Group coordinator {NODE} is unavailable or invalid due to cause: {{}}. isDisconnected: false. Rediscovery"
    logger = CLIENTS + "consumer.internals.ConsumerCoordinator"
    assert event(given_up.format("error response NOT_COORDINATOR"), logger).error_class == "NOT_COORDINATOR"
    assert event(given_up.format("coordinator unavailable"), logger).error_class is None


def test_a_call_of_the_admin_client_for_metadata_that_ran_out_of_time():
    call = f"{TIMEOUT}: Call(callName=fetchMetadata, deadlineMs=1700000000000) timed out at 1700000000001 after 1 attempt(s)"
    logger = CLIENTS + "admin.internals.AdminMetadataManager"
    assert event(f"[AdminClient clientId=a] Metadata update failed\n{call}", logger).kind == "request_timeout"
    assert event("[AdminClient clientId=a] Metadata update failed", logger).kind == "other_kafka"


def test_a_death_that_the_jvm_prints_below_a_client_s_line_tells_what_it_died_of():
    gone = f'Exception in thread "main" java.util.concurrent.ExecutionException: {TIMEOUT}: Topic orders not present in metadata after 60000 ms.'
    lost, died = events(
        f"{PRODUCER}Bootstrap broker a:9092 (id: -1 rack: null) disconnected\n{gone}\n\tat a.B.c(B.java:1)"
    )
    assert (lost.kind, died.kind, died.limit_ms) == ("disconnect", "produce_failed", 60000)
    assert (died.error_class, died.topic) == ("TimeoutException", "orders")
    large = "org.apache.kafka.common.errors.RecordTooLargeException: The message is 9 bytes when serialized which is larger than 8"
    wrapped = f'Exception in thread "pay-1" org.apache.kafka.streams.errors.StreamsException: Error encountered sending\n{large}'
    lost, died = events(f"{PRODUCER}Bootstrap broker a:9092 (id: -1 rack: null) disconnected\n{wrapped}")
    assert (lost.kind, died.kind, died.error_class) == (
        "disconnect",
        "produce_failed",
        "RecordTooLargeException",
    )


def test_an_expiry_quoted_in_a_list_names_its_class():
    assert (
        event(f"\t- `Caused by: a.b.SendError: gave up due to {EXPIRING}`").error_class == "TimeoutException"
    )


@pytest.mark.parametrize(
    ("thrown", "kind"),
    [("UnsupportedVersionException", "produce_failed"), ("ProducerFencedException", "fenced")],
)
def test_what_springs_listener_says_of_a_send_is_a_send_that_failed(thrown, kind):
    said = "Exception thrown when sending a message with key='k' and payload='v' to topic orders:"
    told = event(f"{said}\n\norg.apache.kafka.common.errors.{thrown}: no", APPLICATION, level="ERROR")
    assert (told.kind, told.error_class) == (kind, thrown)


@pytest.mark.parametrize(
    ("pasted", "errors"),
    [
        ("{orders-au\ndit=LEADER_NOT_AVAILABLE}", "{orders-audit=LEADER_NOT_AVAILABLE}"),
        (
            "{orders=LEADER_NOT_AVAILABLE,\npay=INVALID_TOPIC}",
            "{orders=LEADER_NOT_AVAILABLE, pay=INVALID_TOPIC}",
        ),
        ("{orders=LEADER_NOT_AVAILABLE}\nelsewhere {}", "{orders=LEADER_NOT_AVAILABLE}"),
        ("{orders\nelsewhere", "{orders"),
    ],
)
def test_a_list_that_a_paste_broke_is_read_to_its_end(pasted, errors):
    said = f"{CONSUMER}Error while fetching metadata with correlation id 3 : {pasted}"
    assert event(said, CLIENTS + "NetworkClient", level="WARN").details["errors"] == errors


@pytest.mark.parametrize(
    ("printed", "elapsed_ms"),
    [
        (f"{TIMEOUT}: Expiring 3 record(s) for orders-1 due to 30012 ms has passed since last append", 30012),
        (f"{TIMEOUT}: Expiring N record(s) for orders-1:8xxx ms has passed since batch creation", None),
        (
            "**Batch containing 3 record(s) expired due to timeout while requesting metadata from brokers for orders-1**",
            None,
        ),
    ],
)
def test_expiries_are_known_whoever_prints_them_and_whatever_is_masked(printed, elapsed_ms):
    told = event(printed, APPLICATION)
    assert (told.kind, told.topic, told.partition, told.elapsed_ms) == (
        "batch_expired",
        "orders",
        1,
        elapsed_ms,
    )


def test_a_heartbeat_that_failed_is_one_where_the_line_is_cut_before_its_reason():
    said = f"{CONSUMER}Attempt to heartbeat with stale Generation{{generationId=3, memberId='m-1', protocol='range'}} and group instance id Optional.empty failed"
    told = event(said, CLIENTS + "consumer.internals.AbstractCoordinator")
    assert (told.kind, told.member_id) == ("heartbeat_failed", "m-1")


def test_a_refused_commit_that_an_application_printed_below_a_client_s_line_is_told():
    left = (
        CONSUMER
        + "Member c-1 sending LeaveGroup request to coordinator a:9092 (id: 1 rack: null) due to consumer poll timeout has expired."
    )
    printed = "\n  -> CommitFailedException: Offset commit cannot be completed since the consumer is not\n     part of it"
    leave, refused = events(left + printed, f"{CLIENTS}consumer.internals.ConsumerCoordinator")
    assert (leave.kind, refused.kind, refused.error_class) == (
        "leave_group",
        "commit_failed",
        "CommitFailedException",
    )
    trace = "\norg.apache.kafka.clients.consumer.CommitFailedException: Commit cannot be completed since"
    (alone,) = events(left + trace, f"{CLIENTS}consumer.internals.ConsumerCoordinator")
    assert alone.kind == "leave_group"


def test_an_exception_that_logstash_prints_by_jrubys_name_is_kafkas():
    message = 'producer send failed, will retry sending {:exception=>Java::OrgApacheKafkaCommonErrors::TimeoutException, :message=>"Topic pay not present in metadata after 15000 ms."}'
    failed = event(message, "logstash.outputs.kafka")
    assert (failed.kind, failed.topic, failed.limit_ms, failed.error_class) == (
        "produce_failed",
        "pay",
        15000,
        "TimeoutException",
    )


@pytest.mark.parametrize(
    ("cut", "kind", "group_id"),
    [
        ("Preparing to rebalance group pay in state PreparingRebalance with old generation 4 (__consumer_offsets-0) (reason: Adding new mem", "broker_rebalance", "pay"),
        ("Preparing to rebalance group pay in state PreparingRebalance with old generation 4", "broker_rebalance", "pay"),
        ("Successfully synced group in generation Generation{generationId=3", "sync", None),
        ("given member.id 1-15 is identified as a known static member 1,but not matching the expected member.id 1-14 (kafka.coord", "fenced", None),
    ],
)  # fmt: skip
def test_a_line_that_is_cut_behind_what_it_tells_is_read(cut, kind, group_id):
    told = event(cut, None)
    assert (told.kind, told.group_id) == (kind, group_id)


def test_commits_of_a_first_release_name_their_partitions():
    told = event(
        "Auto-commit of offsets {pay-1=OffsetAndMetadata{offset=9, metadata=''}} failed for group g: Commit cannot be completed since the group has already rebalanced",
        None,
    )
    assert (told.topic, told.partition, told.group_id) == ("pay", 1, "g")


def test_a_thread_of_streams_whose_send_was_refused_by_a_newer_epoch_is_fenced():
    message = f"stream-thread [{THREAD}] stream-task [1_7] Error encountered sending record to topic pay for task 1_7 due to:\n"
    fenced = event(
        message
        + "org.apache.kafka.common.errors.InvalidProducerEpochException: Producer attempted to produce with an old epoch.",
        "org.apache.kafka.streams.processor.internals.RecordCollectorImpl",
        level="ERROR",
    )
    assert (fenced.kind, fenced.task_id) == ("fenced", "1_7")


@pytest.mark.parametrize(
    ("pasted", "kind", "client_id"),
    [
        (f"{CONSUMER[:-1]} \n Sending Heartbeat request with generation 5 and member id m-1 to coordinator b:9092 (id: 1 rack: null)", "heartbeat", "consumer-a"),
        (f"{CONSUMER}This member will leave the group", "poll_interval_expired", "consumer-a"),
        ("[Consumer client-id=consumer-a]\n  (Re-)joining group order-service", "join", "consumer-a"),
        ("Got error produce response ... on topic-partition\norders-0, retrying (2 attempts left). Error: NOT_ENOUGH_REPLICAS", "produce_retry", None),
        ("Got error produce response with correlation id xxx on topic-partition xxxxx, retrying (9 attempts left). Error: NETWORK_EXCEPTION", "produce_retry", None),
        ("Got error produce response in correlation id [X] on topic-partition [Y], splitting and retrying (0 attempts left). Error: MESSAGE_TOO_LARGE", "produce_retry", None),
        ("Offset commit failed on partition .. at offset ..: The coordinator is not aware of this member.", "commit_failed", None),
        ("Disconnecting from node x due to request timeout.", "request_timeout", None),
        ("Node <node-number> disconnected.", "disconnect", None),
        ("[Consumer ...] Successfully joined group with generation ...", "joined", None),
        ("[Consumer clientId=consumer-a, ...] Successfully joined group with generation 3", "joined", "consumer-a"),
        ("CommitFailedException: Offset commit cannot be completed since the consumer is not part of the active group", "commit_failed", None),
        ("Error sending fetch request (sessionId=...) to node x:\n  DisconnectException: null", "disconnect", None),
        ("Commit cannot be completed since the group has already rebalanced and assigned the partitions to another member.", "commit_failed", None),
        (f"{PRODUCER}Got error produce response with correlation id ... on topic-partition orders-0, retrying ({{left}} attempts left). Error: NETWORK_EXCEPTION", "produce_retry", "orders-producer"),
        ("Successfully joined group with generation Generation{generationId=?, memberId='xxx', protocol='range'}", "joined", None),
        ("Bootstrap broker kafka:9092 (id: -1 rack: null) disconnected", "disconnect", None),
    ],
)  # fmt: skip
def test_what_a_poster_masked_elided_or_broke_is_what_it_was(pasted, kind, client_id):
    found = event(pasted)
    assert (found.kind, found.client_id, found.node_id) == (
        kind,
        client_id,
        {"heartbeat": 1, "disconnect": found.node_id and -1}.get(kind),
    )


def test_streams_and_producers_of_old_releases_name_themselves_by_a_task_or_an_id():
    failed = event(
        "task [0_1] Error sending record to topic orders. No more offsets will be recorded",
        "RecordCollectorImpl",
    )
    assert (failed.kind, failed.task_id, failed.topic) == ("produce_failed", "0_1", "orders")
    begun = event("[TransactionalId orders-0_1] ProducerId set to 7 with epoch 3", "TransactionManager")
    assert (begun.message_id, begun.client_kind, begun.transactional_id) == (
        "producer-pid",
        "producer",
        "orders-0_1",
    )


def test_a_connection_that_was_refused_below_an_io_error_of_0_8_never_was_one():
    said = "Error in I/O with b-1/10.0.0.1\njava.net.ConnectException: Connection refused"
    assert event(said, "org.apache.kafka.common.network.Selector", level="WARN").kind == "connect_failed"


def test_what_an_application_caught_and_printed_by_its_name_is_told():
    refused = event(
        "[worker-3] commit did not work: CommitFailedException: Offset commit cannot be completed since the consumer is not part of an active group",
        APPLICATION,
    )
    assert (refused.kind, refused.error_class) == ("commit_failed", "CommitFailedException")
    expired = event("gave up: TimeoutException: Expiring 2 record(s) for orders-1:120003 ms has")
    assert (expired.kind, expired.error_class, expired.elapsed_ms) == (
        "batch_expired",
        "TimeoutException",
        120003,
    )
    assert event(f"{TIMEOUT}: Topic not present in metadata after 60000 ms", APPLICATION).limit_ms == 60000


GLUED = "[GroupCoordinator 0]: Stabilized group {} generation 4 (__consumer_offsets-1) with 2 members (kafka.coordinator.group.GroupCoordinator)"
DATED = f"[2026-03-01 12:00:05,123] INFO {GLUED}"
LINES = (GLUED.format("a"), GLUED.format("b"))


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("".join(LINES), ["a", "b"]),
        (DATED.format("a") + DATED.format("b"), ["a", "b"]),
        ("log = [\n" + "".join(f"    '{DATED.format(name)}',\n" for name in "ab") + "]", ["a", "b"]),
        ("What the broker says:\n      1. it is asked\n      Stabilized group a generation 4 with 2 members\n", ["a"]),
        ("kafka is asked\nStabilized group a generation 4 with 2 members\n", ["a"]),
        ("-1, groupId=orders] Revoke previously assigned partitions orders-0\n" + DATED.format("a"), ["orders", "a"]),
    ],
    ids=["glued", "glued with times", "strings of a program", "indented below prose", "below prose", "cut in its context"],
)  # fmt: skip
def test_records_that_a_paste_glued_quoted_indented_or_cut_are_found(text, groups):
    assert [one.group_id for one in events_in(text)] == groups


def test_a_sentence_with_a_number_that_may_be_a_time_keeps_its_words():
    (told,) = events_in(
        "Could not send 19 of JPM at 1744244716274: Expiring 1 record(s) for t-0:115 ms has passed since batch creation\n"
    )
    assert (told.kind, told.elapsed_ms) == ("batch_expired", 115)


def test_the_time_of_an_object_that_a_viewer_cut_is_its_own():
    line = (
        '| Mar 1, 2026 @ 20:00:05.123 | log: {"@timestamp":"2026-03-01T12:00:05.123Z","level":"WARN","logger_name":"org.apache.kafka'
        '.clients.consumer.internals.ConsumerCoordinator","message":"[Consumer clientId=c-1, groupId=g] consumer poll timeout has expi'
    )
    (told,) = events_in(line + "\n")
    assert (told.kind, told.client_id, told.happened_at) == (
        "poll_interval_expired",
        "c-1",
        1_772_366_405_123,
    )


REVOKED = "Revoke previously assigned partitions orders-0"


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        ("Consumer clientId=c-1, groupId=orders] ", ("consumer", "c-1", "orders")),
        ("dminClient clientId=c-1] ", ("admin", "c-1", None)),
        ("sumer clientId=c-1, groupId=orders] ", (None, "c-1", "orders")),  # a consumer, or one that shares
        ("[Consumer clientId=c-1 groupId=orders] ", ("consumer", "c-1", "orders")),
        ("[Consumer clientId=c-1, groupId=orders]", ("consumer", "c-1", "orders")),
    ],
    ids=[
        "its bracket cut",
        "a letter more",
        "cut within its name",
        "its comma left out",
        "glued to its message",
    ],
)
def test_a_context_that_is_not_whole_still_says_whose_line_it_is(begin, said):
    text = f"What the console shows:\n\n{begin}{REVOKED}\n{{\n  at => 2026-03-01T12:00:05.123Z,\n}}\n"
    (revoked,) = events_in(text)
    assert revoked.kind == "partitions_revoked"
    assert (revoked.client_kind, revoked.client_id, revoked.group_id) == said


def test_a_logger_that_a_terminal_broke_is_whole_again_and_its_message_below_it():
    head = "2026-03-01 12:00:05,123 INFO  org.apache.kafka.clients.consumer.internals.ConsumerCo\nordinator [] - "
    (revoked,) = events_in(f"{head}[Consumer clientId=c-1, groupId=orders] {REVOKED}\nRESULT: 10\n")
    assert (revoked.kind, revoked.client_id, revoked.happened_at) == (
        "partitions_revoked",
        "c-1",
        1772366405123,
    )


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Topic orders not present in metadata after 60000 ms.\n", ["produce_failed"]),
        ("  ```\n  Topic orders not present in metadata after 60000 ms.\n  ```\n", ["produce_failed"]),
        (
            "Failed to allocate 16384 bytes within the configured max blocking time 60000 ms. Total memory: 33554432 bytes."
            " Available memory: 0 bytes. Poolable size: 16384 bytes\n",
            ["produce_failed"],
        ),
        ("It says that Topic orders not present in metadata after 60000 ms.\n", []),
        ("Topic orders not present in metadata after 60000 ms is what it says.\n", []),
        ('throw new TimeoutException("Topic orders not present in metadata after 60000 ms.");\n', []),
    ],
)
def test_an_exception_s_message_without_its_class_is_told_where_it_is_all_of_its_line(text, kinds):
    assert [one.kind for one in events_in(text)] == kinds


def test_a_comment_s_sign_before_a_date_masks_nothing_of_it():
    head = (
        "26/11/21 03:39:50 WARN NetworkClient: [Consumer clientId=c-1, groupId=orders] Node 1 disconnected."
    )
    (node,) = events_in(f"# asked\n#{head}\n\n# answered\nshow(1)\n")
    assert (node.kind, node.happened_at) == ("disconnect", 1795232390000)


@pytest.mark.parametrize("sign", [" * ", "   * ", "* ", "// "])
def test_messages_alone_behind_a_comment_s_sign_are_each_their_own(sign):
    text = f"* {REVOKED}\n{sign}Adding newly assigned partitions: orders-0\n{sign}Adding newly assigned partitions: orders-1\n"
    found = [(one.kind, one.partition, one.line) for one in events_in(text)]
    assert found == [
        ("partitions_revoked", 0, 1),
        ("partitions_assigned", 0, 2),
        ("partitions_assigned", 1, 3),
    ]


def test_lines_within_a_fence_were_broken_at_their_own_width():
    said = (
        "Member m-1 sending LeaveGroup request to coordinator due to consumer poll timeout\n"
        "has expired. This means the time between subsequent calls to poll() was longer\n"
        "than the configured max.poll.interval.ms, which typically implies that the poll\n"
        "loop is spending too much time processing messages."
    )
    assert [one.kind for one in events_in(f"```\n{said}\n```\n")] == ["poll_interval_expired", "leave_group"]


def test_lines_of_two_fences_were_not_broken_from_each_other():
    said = (
        "Member m-1 sending LeaveGroup request to coordinator due to consumer poll timeout\n"
        "has expired. This means the time between subsequent calls to poll() was longer\n"
        "than the configured max.poll.interval.ms."
    )
    command = "kafka-topics.sh --describe"
    found = events_in(f"```\n{said}\n```\n```\n{command}\n```\n")
    assert [one.kind for one in found] == ["poll_interval_expired", "leave_group"]


def test_what_a_page_says_behind_its_fence_is_no_part_of_the_line_above():
    found = events_in(
        "2026-02-03 10:00:00 ERROR pay: KafkaJSError: The producer is disconnected\n```\nA note on Kafka.\n"
    )
    assert [one.details["said"].count("note") for one in found] == [0]


def test_a_line_of_librdkafka_that_a_program_s_comment_broke_is_whole():
    broken = (
        '// "%6|1700000000.957|FAIL|pay#producer-1| [thrd:a:9092/3]: \n// a:9092/3: Disconnected: x\n// by y"'
    )
    assert [one.kind for one in events_in(f"    // Once:\n    {broken}\n    call(x)\n")] == ["disconnect"]


def test_an_expiry_that_is_cut_behind_its_partition_is_one():
    expired = event(f"{TIMEOUT}: Expiring 2 record(s) for orders-1:", APPLICATION)
    assert (expired.kind, expired.partition, expired.elapsed_ms) == ("batch_expired", 1, None)
    broken = event(
        f"{TIMEOUT}: Expiring 2 record(s) for orders-1:\n120001 ms has passed since batch creation",
        APPLICATION,
    )
    assert (broken.partition, broken.elapsed_ms) == (1, 120001)
    assert events("Expiring 2 record(s) for orders-1 is what it says", APPLICATION) == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Topic orders not pres", "produce_failed"),
        ("Topic not present", "produce_failed"),
        ("Failed to allocate memory with", "produce_failed"),
        ("Timed out waiting for a", "request_timeout"),
        ("Topic orders", "other_kafka"),
        ("Timeout ", "other_kafka"),
        ("Topic orders is not one of ours", "other_kafka"),
    ],
)
def test_an_exception_s_text_that_is_cut_tells_what_it_begins_to_say(said, kind):
    assert event(f"{TIMEOUT}: {said}", APPLICATION).kind == kind


@pytest.mark.parametrize(
    ("thrown", "kind"),
    [
        ("InvalidReceiveException: Invalid receive (size = 1195725856 larger than 104857600)", "other_kafka"),
        ("NoOffsetForPartitionException: Undefined offset with no reset policy for partitions: [pay-0]", "other_kafka"),
        ("InvalidStateStoreException: The state store, sums, may have migrated to another instance.", "other_kafka"),
        ("MissingSourceTopicException: One or more source topics were missing during rebalance", "other_kafka"),
        ("TaskCorruptedException: Tasks [0_1] are corrupted and hence needs to be re-initialized", "streams_error"),
        ("TaskMigratedException: Consumer committing offsets failed, indicating the corresponding thread is no longer part of the group; it means all tasks belonging to this thread should be migrated.", "fenced"),
    ],
)  # fmt: skip
def test_what_only_an_exception_of_kafka_s_says_needs_no_package(thrown, kind):
    text = "**Error:**\n```\n{}\n```\n"
    found = [(one.kind, one.error_class) for one in events_in(text.format(thrown))]
    assert found == [(kind, thrown.partition(":")[0])]
    whole = events_in(text.format(f"org.apache.kafka.common.errors.{thrown}"))
    assert [(one.kind, one.error_class) for one in whole] == found


def test_items_of_a_list_that_are_lines_as_code_are_each_their_own_and_an_exception_is_of_the_one_above():
    found = events_in(
        "What the tool says:\n"
        "- `[main] INFO org.apache.kafka.clients.NetworkClient - [AdminClient clientId=a-1] Disconnecting from node 7 due to request timeout.`\n"
        "- `Cancelled createTopics request with correlation id 4 due to node 7 being disconnected`\n"
        "- `[main] WARN org.apache.kafka.clients.NetworkClient - [AdminClient clientId=a-1] Error connecting to node kb:9092 (id: 7 rack: null)`\n"
        "- `java.net.UnknownHostException: kb`\n"
        "- It ended\n"
    )
    told = [(one.line, one.kind, one.error_class) for one in found]
    assert told == [
        (2, "request_timeout", None),
        (3, "request_cancelled", None),
        (4, "connect_failed", "UnknownHostException"),
    ]


def test_the_name_of_a_container_before_one_line_of_a_note_is_none_of_its_message():
    (found,) = events_in(
        "### It does not start\n```\nbill-api | Connection to node -1 could not be established\n```\nStart it later.\n"
    )
    assert (found.kind, found.line) == ("connect_failed", 3)


def test_a_page_s_link_on_an_exception_s_class_is_no_part_of_it():
    (found,) = events_in(
        "A 500 error has occurred: nested exception is [org.apache.kafka.common.errors.TimeoutException](https://pages.example/post/4#):"
        " Timeout of 60000ms expired before the position for partition bills-2 could be deter\n"
    )
    assert (found.kind, found.topic, found.partition) == ("request_timeout", "bills", 2)
