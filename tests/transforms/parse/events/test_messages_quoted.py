# ruff: noqa: E501  # a log line stays one line
"""What notes, guides and programs quote of a client's log, with signs of their own around it and names left out."""

import textwrap

import pytest

from lab.layouts.score import events_in
from tests.transforms.parse.typed import CONSUMER, PRODUCER, event

APPLICATION = "com.example.orders.OrderService"
STREAMS_ERRORS = "org.apache.kafka.streams.errors."
TIMEOUT = "org.apache.kafka.common.errors.TimeoutException"
RETRIED = f"{PRODUCER}Got error produce response with correlation id 7 on topic-partition orders-0, retrying (2 attempts left). Error: NETWORK_EXCEPTION"
NO_MEMORY = "Failed to allocate memory within the configured max blocking time 60000 ms."
NOT_ASSIGNED = "Timed out waiting for a node assignment. Call: listNodes"


@pytest.mark.parametrize("sign", ["//      ", "--- ", "> - ", "# ", "2. ", "**2.** ", "3) "])
def test_a_message_behind_a_list_s_or_a_comment_s_sign_is_read(sign):
    found = events_in(f"    void send() {{\n        // It says:\n        {sign}{RETRIED}\n")
    assert [(one.kind, one.partition, one.attempts_left) for one in found] == [("produce_retry", 0, 2)]


@pytest.mark.parametrize(
    ("named", "partition"),
    [("orders-1 at offset 5", 1), ("orders-1", 1), ("xxx at offset 5", None), ("<topic>-<partition> at offset 5", None)],
)  # fmt: skip
def test_a_commit_that_failed_is_told_whatever_of_its_partition_was_left_out(named, partition):
    told = event(f"{CONSUMER}Offset commit failed on partition {named}: The request timed out.")
    assert (told.kind, told.partition) == ("commit_failed", partition)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"**1.** java.lang.Exception: Failed to send data: {NO_MEMORY}\n", "produce_failed"),
        (f"2026-03-01 12:00:05 INFO Topic t does not exist. Error: {NOT_ASSIGNED}\n", "request_timeout"),
    ],
)
def test_what_a_record_or_an_exception_gives_as_its_reason_was_said(text, kind):
    assert [one.kind for one in events_in(text)] == [kind]


def test_the_error_is_the_exception_that_says_it_and_none_that_wraps_it():
    wrapped = f"java.util.concurrent.ExecutionException: {TIMEOUT}: {NOT_ASSIGNED}"
    told = event(f"Not listed: {wrapped}\ncom.example.orders.NotListedException: {wrapped}", APPLICATION)
    assert told.error_class == "TimeoutException"


def test_an_exception_of_streams_names_the_task():
    aborted = f"{STREAMS_ERRORS}StreamsException: task [0_3] Abort sending since an error caught with a previous record to topic t due to {TIMEOUT}: Expiring 2 record(s) for t-0: 30106 ms has passed since batch creation"
    assert event(f"Caused by: {aborted}", APPLICATION).task_id == "0_3"
    sent = (
        f"{STREAMS_ERRORS}StreamsException: Error encountered sending record to topic t for task 1_2 due to:"
    )
    assert event(f"Replacing thread in the streams uncaught exception handler\n{sent}").task_id == "1_2"
    died = f'Exception in thread "pay-StreamThread-2" {STREAMS_ERRORS}StreamsException: Tasks [0_4] are corrupted'
    assert (event(died, None).client_id, event(died, None).task_id) == ("pay", "0_4")


def test_what_an_exception_says_is_whole_where_a_note_broke_it():
    refused = "CommitFailedException: Offset commit cannot be completed since the consumer is not\n  part of an active group for auto partition assignment"
    assert [one.kind for one in events_in(f"trying\n  \u274c {refused}\nonce more\n")] == ["commit_failed"]
    broken = f"{STREAMS_ERRORS}MissingSourceTopicException: The group member's\n  supported protocols are incompatible"
    for end in ("", "."):
        said = event(f"failed\n{broken}{end}\nwith those of others", APPLICATION).details["error_message"]
        assert said.endswith("are incompatible." if end else "are incompatible with those of others")


@pytest.mark.parametrize("joined", ['"\n    "', '" +\n    "', '"\n    + "'])
def test_a_program_s_string_over_two_lines_is_one_text(joined):
    line = f"2026-03-01 12:00:05 INFO {CONSUMER}Group coordinator a:9092 (id: 1 rack: null) is unavailable"
    found = events_in(f'LOG = ("{line} {joined}or invalid, will attempt rediscovery")\n')
    assert [(one.kind, one.group_id) for one in found] == [("coordinator_lost", "order-service")]


@pytest.mark.parametrize(
    ("context", "client_id"),
    [
        ("[Consumer clientId=..., groupId=g] ", None),
        ("[Consumer clientId=\u2026, groupId=g] ", None),
        ("tId=a, groupId=g] ", "a"),
        ("er-2, groupId=g] ", None),
    ],
)
def test_an_id_that_was_left_out_is_none_and_one_whose_name_was_cut_is_one(context, client_id):
    (told,) = events_in(f"{context}Attempt to heartbeat failed since group is rebalancing\n")
    assert (told.kind, told.client_id, told.group_id) == ("heartbeat_failed", client_id, "g")


ABORTED = "stream-thread\n[orders-app-3f1c-StreamThread-1] Timeout exception caught when initializing\ntransactions for task 0_1."
NOT_MADE = "[Consumer clientId=consumer-a,\ngroupId=order-service] Connection to node 1 could not be\nestablished. Broker may not be available."
ALONE = "[Consumer clientId=consumer-a, groupId=order-service]\nSetting newly assigned partitions: orders-0, orders-1"


@pytest.mark.parametrize(
    ("said", "kind", "field"),
    [
        (ABORTED, "streams_error", ("task_id", "0_1")),
        (NOT_MADE, "connect_failed", ("client_id", "consumer-a")),
        (ALONE, "partitions_assigned", ("group_id", "order-service")),
    ],
    ids=["Streams", "a context over two lines", "a context alone"],
)
@pytest.mark.parametrize("lead", ["", "2026-03-01 12:00:05,123 WARN ", "// 2026-03-01 12:00:05,123 WARN "])
def test_one_record_that_a_page_broke_among_its_own_words_is_whole(said, kind, field, lead):
    sign = "// " if lead.startswith("//") else ""
    text = f"{lead}{said}".replace("\n", f"\n{sign}")
    (told,) = events_in(f"Seen today:\n\n{text}\n\nAnd then it stopped.\n")
    assert (told.kind, getattr(told, field[0])) == (kind, field[1])


@pytest.mark.parametrize("head", ["WARN NetworkClient: ", "26/03/01 12:00:05 WARN NetworkClient: "])
@pytest.mark.parametrize("broken", ["\nConnection to", "Connection to\n"])
def test_what_only_two_lines_say_together_behind_a_context_is_whole_among_prose(head, broken):
    said = f"{head}[AdminClient clientId=a-1] {broken} node 1 (a/10.0.0.1:9092) could not be established."
    text = f"Seen today.\n\n```\n{said}\n[batch 3] 718 rows\n[batch 4] 227 rows\n```\n" + "So it was.\n" * 9
    assert [(one.kind, one.client_id) for one in events_in(text)] == [("connect_failed", "a-1")]


def test_a_message_that_begins_as_a_level_does_goes_on_with_the_context_above_it():
    said = "// [Consumer clientId=c-1, groupId=g]\n// Error connecting to node 5f2a:9092 (id: 7 rack: null)\n//java.net.UnknownHostException: 5f2a\n"
    (told,) = events_in(f"    run();\n}}\n{said}")
    assert (told.kind, told.client_id) == ("connect_failed", "c-1")


def test_a_coordinator_s_lines_that_were_broken_at_a_width_are_two():
    first = "[GroupCoordinator] Member c-1-a in group shop-orders has failed, removing it\n  from the group\n"
    text = f"Look for this:\n\n```\n{first}[GroupCoordinator] Preparing to rebalance group shop-orders in state\n  PreparingRebalance with old generation 7 (reason: removing member\n  c-1-a on heartbeat expiration)\n```\n"
    assert [one.kind for one in events_in(text)] == ["broker_member_failed", "broker_rebalance"]


def test_what_a_terminal_broke_within_a_word_goes_on_though_its_rest_says_something():
    head = "Jan 05 10:00:{} ERROR rdkafka::client: librdkafka: Global error: BrokerTransportFailure (Local: Broker transport failure): {}\n"
    first = (
        head.format("23.101", "b7x") + "y.example.org:9092/1: Disconnected (after 5731ms in state UP)    \n"
    )
    lost = head.format("23.202", "Gro") + "upCoordinator: Disconnected (after 4729ms in state UP)    \n"
    refused = "upCoordinator: Connect to ipv4#10.0.0.7:9092 failed: Connection refused (after 0ms in state CONNECT)    \n"
    found = events_in(f"So:\n\n```syslog\n{first}{lost}{head.format('28.303', 'Gro')}{refused}```\n")
    assert [(one.kind, one.elapsed_ms) for one in found] == [
        ("disconnect", 5731),
        ("disconnect", 4729),
        ("connect_failed", 0),
    ]


def test_messages_without_heads_below_each_other_were_broken_by_nobody():
    text = f"{CONSUMER}Attempt to heartbeat failed since group is rebalancing\n(Re-)joining group\n"
    assert [one.kind for one in events_in(text)] == ["heartbeat_failed", "join"]


@pytest.mark.parametrize(
    "cut", ["Bootstrap broker a:9092 (id: -3 ra", "Bootstrap broker XXXXX (id: -3 rack: null"]
)
def test_a_message_cut_within_an_address_is_read(cut):
    assert [(one.kind, one.node_id) for one in events_in(f"{PRODUCER}{cut}\n")] == [("disconnect", -3)]


def test_a_message_in_a_program_s_comment_is_said_only_where_it_says_whose_it_is():
    message = "Received successful Heartbeat response"
    assert events_in(f"    void beat() {{\n        // {message}\n") == []


@pytest.mark.parametrize(
    "label", ["**Error:** `{}`", "- **Symptom**: `{}`", "현상: `{}`", '  message: "{}",', "  log: '{}'"]
)
def test_a_line_that_is_a_label_and_a_message_in_quotes_was_said(label):
    found = events_in(
        f"Seen today:\n\n{label.format(f'{PRODUCER}Node 1 disconnected.')}\n\nAnd then it stopped.\n"
    )
    assert [(one.kind, one.client_id) for one in found] == [("disconnect", "orders-producer")]


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("The client says `(Re-)joining group` here.", 0),
        ('  summary: "Group coordinator is unavailable or invalid"', 0),
        ("**Error:** `Attempt to heartbeat failed since group is rebalancing`", 1),
    ],
)
def test_a_label_before_a_text_that_names_nobody_is_a_program_s_unless_it_is_code(line, count):
    assert len(events_in(f"{line}\n")) == count


@pytest.mark.parametrize("context", ["[Consumerclientid=a, groupId=g] ", "Consumer clientId=a, groupId=g: "])
def test_a_context_that_lost_a_blank_or_its_brackets_names_its_client(context):
    context = context.replace("clientid", "clientId")
    (told,) = events_in(f"{context}Attempt to heartbeat failed since group is rebalancing\n")
    assert (told.client_id, told.group_id) == ("a", "g")


def test_what_an_exception_says_below_its_class_and_colon_is_its_own():
    text = f"Common errors\n\n{TIMEOUT}:\nFailed to update metadata after 60000 ms\n\n{TIMEOUT}:\nTopic t not present in metadata after 9 ms\n"
    found = [(one.kind, one.line, one.limit_ms, one.error_class) for one in events_in(text)]
    assert found == [
        ("produce_failed", 3, 60000, "TimeoutException"),
        ("produce_failed", 6, 9, "TimeoutException"),
    ]


def test_a_message_without_a_head_below_a_client_s_line_without_a_time_is_said():
    text = "WARN Bootstrap broker a:9092 disconnected\nConnection to node -1 could not be established. Broker may not be available.\n"
    assert [one.kind for one in events_in(text)] == ["disconnect", "connect_failed"]


@pytest.mark.parametrize(
    "line",
    [
        "[2024-10-30 12:50:16,298] WARN [AdminClient clientId=a-1] Node -1 disconnected. (org.apache.kafka.clients.NetworkClient)",
        "2024-10-30T12:50:16.298Z  WARN 1 --- [ad | a-1] org.apache.kafka.clients.NetworkClient   : [AdminClient clientId=a-1] Node -1 disconnected.",
    ],
)
def test_a_message_without_a_head_right_below_a_client_s_whole_line_is_said(line):
    text = f"{line}\nConnection to node -1 (localhost/127.0.0.1:9092) could not be established. Broker may not be available.\n"
    assert [one.kind for one in events_in(text)] == ["disconnect", "connect_failed"]


def test_a_sentence_before_what_else_begins_a_message_is_no_head():
    line = "2026-03-01T12:00:05.123Z WARN o.a.k.c.c.i.ConsumerCoordinator - Member m-1 sending LeaveGroup because consumer poll timeout has expired"
    (told,) = events_in(f"{line}\n")
    assert (told.kind, told.member_id) == ("leave_group", "m-1")


def test_a_fence_glued_to_a_line_s_end_is_no_part_of_what_it_names():
    head = "INFO  [2026-03-01 12:00:05,123] [ConsumerCoordinator:397] [] [] - "
    text = f"```{head}(Re-)joining group pay\n{head}Revoking previously assigned partitions [] for group pay```\n"
    assert [one.group_id for one in events_in(text) if one.kind == "partitions_revoked"] == ["pay"]


def test_an_exception_right_behind_a_client_s_context_is_its_own():
    refused = "CommitFailedException: Offset commit cannot be completed since\n  the consumer is not part of an active group for auto partition\n  assignment; it is likely that the consumer was kicked out of\n  the group.\n"
    (told,) = events_in(f"ERROR [Consumer clientId=app-1, groupId=pay]\n  {refused}")
    assert (told.kind, told.client_id, told.error_class) == (
        "commit_failed",
        "app-1",
        "CommitFailedException",
    )


def test_what_a_consumer_could_not_fetch_is_no_send_that_failed():
    too_large = "org.apache.kafka.common.errors.RecordTooLargeException: There are some messages at [Partition=Offset]: {orders-0=17} whose size is larger than the fetch size"
    assert event(f"Error due to\n{too_large}", APPLICATION, level="ERROR").kind == "other_kafka"


def test_a_line_that_is_code_and_nothing_else_is_said_however_it_is_indented():
    text = "  * It may fail, with errors like:\\\n    `Commit of offsets timed out [WorkerSinkTask]`\n"
    assert [(one.kind, one.line) for one in events_in(text)] == [("commit_failed", 2)]


def test_a_package_that_a_page_wrote_with_a_capital_is_kafka_s():
    line = "[2026-03-01 12:00:05,123] INFO Setting newly assigned partitions [orders-0] for group g (org.apache.Kafka.clients.consumer.internals.ConsumerCoordinator)"
    assert [(one.client_library, one.topic) for one in events_in(f"{line}\n")] == [("java", "orders")]


def test_a_leave_whose_reason_a_page_broke_tells_that_the_poll_timed_out():
    leave = "Member m-1 sending LeaveGroup request due to consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms"
    broken = "\n".join(textwrap.wrap(leave, 80))
    text = f"Logs full of:\n\n```\n{broken}\n```\n\nIndefinitely.\n"
    assert [one.kind for one in events_in(text)] == ["poll_interval_expired", "leave_group"]


def test_a_retried_send_of_which_a_page_left_only_the_error_is_one():
    text = "**Result**: failed\n\n```\n[Producer] Got error produce response: NOT_LEADER_OR_FOLLOWER\n```\n"
    assert [(one.kind, one.line, one.error_class) for one in events_in(text)] == [
        ("produce_retry", 4, "NOT_LEADER_OR_FOLLOWER")
    ]


# A line with a time, so that the source has a layout, and its other lines have to be told from what goes on with it.
ABOVE = (
    f"[2026-03-01 12:00:05,123] INFO {PRODUCER}Node 1 disconnected. (org.apache.kafka.clients.NetworkClient)"
)
EXPIRED = (
    f"{TIMEOUT}: Expiring 2 record(s) for orders-1: 30012 ms has passed since batch creation plus linger time"
)


@pytest.mark.parametrize(
    ("below", "kinds"),
    [
        (f"## Producers\n1. Caused by: {EXPIRED}\n", ["batch_expired"]),
        (f"Later, in the batch job:\n\n  {EXPIRED}\n\tat a.B.c(B.java:1)\n", ["batch_expired"]),
        (f"\n{EXPIRED}\n", ["batch_expired"]),
        ("2. Group coordinator a:9092 (id: 2147483647 rack: null) is unavailable or invalid\n", ["coordinator_lost"]),
        ("Discovered group coordinator a:9092 (id: 2147483647 rack: null)\n", ["coordinator_found"]),
        ("2. java.lang.Exception: Failed to send: Failed to allocate memory within the configured max blocking time 9 ms\n", ["produce_failed"]),
        (f"{TIMEOUT}: The request timed out.\n\tat a.B.c(B.java:1)\n", []),
        ("It was the network, of which the team says more.\n", []),
    ],
    ids=["listed", "after prose", "far below", "a listed message", "a paragraph", "an application's", "logback's", "prose"],
)  # fmt: skip
def test_another_paragraph_of_a_note_tells_what_the_line_above_it_does_not(below, kinds):
    assert [one.kind for one in events_in(f"{ABOVE}\n\n{below}")] == ["disconnect", *kinds]


def test_a_context_glued_to_its_client_s_name_names_it():
    (told,) = events_in("[ConsumerClientId=a, groupId=g] (Re-)joining group\n")
    assert (told.client_id, told.group_id) == ("a", "g")


def test_lines_that_a_page_glued_are_apart_where_the_first_lost_its_head():
    at = "2026-03-01 12:00:0{} INFO 6 --- [main] o.a.k.c.c.internals.AbstractCoordinator : "
    said = ["Group coordinator a:9092 (id: 1 rack: null) is unavailable or invalid", "(Re-)joining group", "Attempt to heartbeat failed since group is rebalancing"]  # fmt: skip
    glued = f"{said[0]} {at.format(1)}{CONSUMER}{said[1]} {at.format(2)}{CONSUMER}{said[2]}"
    text = f"{at.format(0)}{CONSUMER}(Re-)joining group\n\no.a.k.c.c.internals.AbstractCoordinator : {CONSUMER}{glued}\n"
    assert [one.kind for one in events_in(text)] == ["join", "coordinator_lost", "join", "heartbeat_failed"]


def test_a_line_with_a_time_and_nothing_else_before_its_words_keeps_them_all():
    said = "[10:15:35] kafka-producer-network-thread | c-1 - Expiring 6 record(s) for orders-5:180000 ms has passed since batch creation"
    (told,) = events_in(f"{said}\n")
    assert (told.kind, told.topic, told.elapsed_ms) == ("batch_expired", "orders", 180000)


def test_a_name_that_was_not_resolved_ends_where_columns_of_a_layout_follow():
    said = "org.apache.kafka.clients.ClientUtils | 2026-03-01T12:00:05.123Z | WARN | Removing server kafka-9:9093 from bootstrap.servers as DNS resolution failed for kafka-9 |  | reactor-6"
    (told,) = events_in(f"{said}\n")
    assert told.details["host"] == "kafka-9"


def test_what_stands_in_a_field_behind_its_exception_is_what_it_said():
    (told,) = events_in(
        f"{TIMEOUT} message=Expiring 1 record(s) for orders-0:9 ms has passed since batch creation.\n"
    )
    assert told.details["error_message"].startswith("Expiring 1 record(s)")


def test_a_level_that_fills_its_width_begins_a_record_as_one_that_is_padded_does():
    first = " WARN 7 --- [| admin-1] org.apache.kafka.clients.NetworkClient   : [AdminClient clientId=admin-1] Node -1 disconnected."
    last = f"ERROR 7 --- [nio-8080-exec-3] com.example.orders.OrderService  : Received message={TIMEOUT}: {NOT_ASSIGNED}"
    assert [one.kind for one in events_in(f"{first}\n{last}\n")] == ["disconnect", "request_timeout"]


def test_the_key_that_ended_a_program_hides_no_time():
    line = "26/03/01 12:00:05 INFO internals.ConsumerCoordinator: [Consumer clientId=c-1, groupId=g] Revoke previously assigned partitions orders-0"
    (told,) = events_in(f"^C{line}\n")
    assert (told.kind, told.happened_at) == ("partitions_revoked", 1_772_366_405_000)


def test_what_a_tool_prints_below_a_client_s_line_is_told_with_its_words():
    line = "[2026-03-01 12:00:05,123] WARN [AdminClient clientId=a-1] Node -1 disconnected. (org.apache.kafka.clients.NetworkClient)"
    told = events_in(f"{line}\nError while executing topic command : {NOT_ASSIGNED}\n")[-1]
    assert (told.kind, told.details["error_message"]) == ("request_timeout", NOT_ASSIGNED)


def test_answers_to_fetches_that_stand_alone_are_each_their_own():
    said = "was unable to process the fetch request with (sessionId=6, epoch=13): FETCH_SESSION_ID_NOT_FOUND."
    text = (
        f"2026-01-05 10:00:00 INFO [main] {APPLICATION} - began\n\n```\nNode 1 {said}]\nNode 2 {said}]\n```\n"
    )
    assert [one.node_id for one in events_in(text) if one.message_id == "fetch-session-error"] == [1, 2]


def test_a_message_that_a_note_puts_into_brackets_behind_a_time_is_said():
    (left,) = events_in(
        "- moved at 10:00:26 (This member will leave the group because consumer poll timeout has expired.)"
    )
    assert left.kind == "poll_interval_expired"
    assert (
        events_in("they moved (This member will leave the group because consumer poll timeout has expired.)")
        == []
    )


def test_a_reason_on_the_line_below_its_message_is_no_message():
    said = "[hb | pay] INFO ConsumerCoordinator -\nMember pay-... sending LeaveGroup request to coordinator ... due to\nconsumer poll timeout has expired."
    assert [one.kind for one in events_in(said)] == ["leave_group"]


def test_a_message_that_a_note_broke_within_its_code_is_whole():
    said = "**Seen:** `Connection to node -1 (localhost/127.0.0.1:9092) could not be\nestablished. Broker may not be available.`\n**Why:** the address is `b1:9092`,\nno other.\n"
    assert [(one.kind, one.line) for one in events_in(f"### Nobody is there\n{said}")] == [
        ("connect_failed", 2)
    ]


def test_a_reason_below_the_colon_of_a_message_in_a_fence_is_its_own():
    failed = "Offset commit failed on partition bills-3 at offset 71:\nThe coordinator is not aware of this member."
    (told,) = events_in(f"They say it again and again:\n\n```\n{failed}\n```\n")
    assert (told.kind, told.details["error_message"]) == (
        "commit_failed",
        "The coordinator is not aware of this member.",
    )


def test_the_code_that_stands_where_a_coordinator_s_line_was_left_out_is_the_error():
    said = "Group coordinator b1:9092 is unavailable or invalid {} NOT_COORDINATOR"
    told = [event(f"{CONSUMER}{said.format(dots)}", None) for dots in ("...", "\u2026")]
    assert {(one.kind, one.error_class) for one in told} == {("coordinator_lost", "NOT_COORDINATOR")}


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-01 12:00:05,123 INFO main LogSettings Setting log level 'ERROR' for logger: '{name}'",
        "2026-03-01 12:00:05,123 INFO main LogSettings Changed level of logger {name} to OFF",
        "{name}: ERROR",
        '"{name}": "debug",',
        "{name} = off",
    ],
)
def test_an_exception_whose_name_is_a_logger_s_was_thrown_by_nobody(line):
    found = events_in(f"{line.format(name=TIMEOUT)}\n")
    assert [one.error_class for one in found if one.error_class] == []


@pytest.mark.parametrize(
    ("thrown", "told"),
    [
        (f"{TIMEOUT}: Timeout of 7000ms expired before the position for partition orders-2 could be determined", ("request_timeout", 2, 7000)),
        ("java.lang.IllegalStateException: no store", ("other_kafka", None, None)),
    ],
)  # fmt: skip
def test_a_listener_whose_own_call_had_no_answer_is_that_timeout(thrown, told):
    line = f"2026-03-01 12:00:05,123 ERROR [main] ConsumerCoordinator - {CONSUMER}User provided listener com.acme.L failed on partition assignment"
    (one,) = events_in(f"{line}\n{thrown}\n\tat com.acme.L.on(L.java:1)\n")
    assert (one.kind, one.partition, one.limit_ms) == told


def test_an_exception_that_a_program_s_comment_links_was_thrown_by_nobody():
    text = "\t/**\n\t * Stops it when a\n\t * {@link org.apache.kafka.common.errors.ProducerFencedException} is thrown.\n\t */\n"
    assert [one.kind for one in events_in(text) if one.error_class] == []


def test_a_string_that_a_program_s_call_ends_with_is_said_by_nobody():
    string = '"Not sent: Expiring 9 record(s) for orders-4: 7000 ms has passed since batch creation plus linger time"'
    call = f'    known.add(new Known(\n        new String[]{{"Not sent:",\n            "orders-4:"}},\n        {string}));\n'
    assert events_in(call) == []
    assert [one.kind for one in events_in(f"{string}\n")] == ["batch_expired"]


@pytest.mark.parametrize(
    ("said", "kind", "generation"),
    [
        ("(Re-)joining group ...", "join", None),
        ("(Re-)joining group\u2026", "join", None),
        ("Successfully synced group in generation 7", "sync", 7),
    ],
)
def test_a_member_s_round_is_read_where_a_note_shortened_it(said, kind, generation):
    (one,) = events_in(f"12:14:35.702  {said}\n")
    assert (one.kind, one.generation) == (kind, generation)


@pytest.mark.parametrize(
    ("rest", "place"),
    [
        ("", (None, None)),
        (" at offset 5, partition 2.", (None, 2)),
        (", old timestamp=[1700000000900] new timestamp=[1700000000100]. topic=[pay-rates] partition=[2] offset=[5].", ("pay-rates", 2)),
    ],
)  # fmt: skip
def test_the_table_of_an_older_update_is_told_with_its_place(rest, place):
    line = f"2026-03-01 12:00:05,123 WARN [main] KTableSource - Detected out-of-order KTable update for rates{rest}"
    (one,) = events_in(f"{line}\n")
    assert (one.details["store"], (one.topic, one.partition)) == ("rates", place)


def test_what_a_pipeline_of_jruby_s_names_as_cause_is_the_cause_and_no_part_of_the_text():
    thrown = "#<Java::OrgApacheKafkaCommon::KafkaException: Failed to {}>"
    line = f"[ERROR] [[pay]-pipeline-manager] kafka - Unable to create Kafka producer {{:kafka_error_message=>{thrown.format('construct kafka producer')}, :cause=>{thrown.format('load a login')}}}"
    (one,) = events_in(f"{line}\n")
    assert one.details["error_message"] == "Failed to construct kafka producer"
    assert "Failed to load a login" in one.details["cause_message"]
