# ruff: noqa: E501  # a log line stays one line
"""What stands around what a client says: a page's lists and boxes, fields of an object, heads that somebody changed, other
exceptions; and what a paste did to an exception's own text."""

import pytest

from lab.layouts.score import events_in
from tests.answered import answered
from tests.transforms.parse.typed import CONSUMER, PRODUCER, event

APPLICATION = "com.example.orders.OrderService"
CLIENTS = "org.apache.kafka.clients."
TIMEOUT = "org.apache.kafka.common.errors.TimeoutException"
EXPIRING = f"{TIMEOUT}: Expiring 3 record(s) for orders-out-1:12003 ms has passed since batch creation"
ONLY_SAID = EXPIRING.partition(": ")[2]
NODE = "127.0.0.1:9092 (id: 2147483646 rack: null)"
FENCED = "org.apache.kafka.common.errors.ProducerFencedException: There is a newer producer with the same transactionalId"
REFUSED = "org.apache.kafka.clients.consumer.CommitFailedException: Commit cannot be completed since the group has already rebalanced"
SEND_FAILED = f"org.apache.kafka.streams.errors.StreamsException: Error encountered sending record to topic t for task 0_1 due to:\n{EXPIRING}"


REJOINS = f"{CONSUMER}(Re-)joining group"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{EXPIRING}\n{EXPIRING}\n", [("batch_expired", 1), ("batch_expired", 2)]),
        (f"We saw\n\n{EXPIRING}\n\n  // {TIMEOUT}: Topic t not present in metadata after 60000 ms.\n", [("batch_expired", 3), ("produce_failed", 5)]),
        (f"{EXPIRING}\n\tat a.B.c(D.java:1)\nCaused by: {TIMEOUT}: Topic t not present in metadata after 9 ms.\n", [("batch_expired", 1)]),
        ("We saw\n\n(...) retrying (7 attempts left). Error: NOT_ENOUGH_REPLICAS\n", [("produce_retry", 3)]),
        (f"{SEND_FAILED}\nException handler choose to FAIL the processing\n", [("batch_expired", 1)]),
        (f'{{\n  "id": 3,\n  "trace": "{EXPIRING}"\n}},\n],\n[2026-03-01 10:00:00,123] INFO {REJOINS}\n', [("batch_expired", 3), ("join", 6)]),
    ],
    ids=["each a line", "a comment below prose", "a cause", "the end of a message", "what a message goes on with", "an object above a log"],
)  # fmt: skip
def test_exceptions_below_each_other_are_each_a_failure(text, found):
    assert [(one.kind, one.line) for one in events_in(text)] == found


OF_JSON = '{"time":"2026-03-01T12:00:05Z","level":"ERROR","msg":"not sent","%s":"' + EXPIRING + '"}'


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (f"They say:\n- `{REJOINS}`\n2. `(Re-)joining group`;\n", ["join", "join"]),
        (f"They say:\n    - `{REJOINS}`\n    - and more\n", ["join"]),
        ("They say:\n- `(Re-)joining group` is what they say\n- say `(Re-)joining group`\n", []),
        (f"info: Worker[0]\n      {REJOINS}\nwarn: Worker[0]\n      {CONSUMER}Node 1 disconnected.\n", ["join", "disconnect"]),
        (f"\u250c\u2500\u2500\u2510\n\u2502 {OF_JSON % 'err'}   \u2502\n\u2514\u2500\u2500\u2518\n", ["batch_expired"]),
        (OF_JSON % "error" + "\n" + OF_JSON % "whatever" + "\n", ["batch_expired", "batch_expired"]),
        (OF_JSON.replace('"%s":', '"err":{"name":"Error","text":') + "}\n", ["batch_expired"]),
        (f'time="2026-03-01T12:00:05Z" level=error msg="not sent" error="{EXPIRING}"\n', ["batch_expired"]),
        (f'level=error ts=2026-03-01T12:00:05Z cause="{EXPIRING}" topic=orders msg="not sent"\n', ["batch_expired"]),
    ],
    ids=["items of a list", "indented items", "quoted by prose", "heads of .NET", "in a box", "JSON", "a member", "logfmt", "logfmt, before the message"],
)  # fmt: skip
def test_what_stands_around_what_a_client_says_hides_none_of_it(text, kinds):
    assert [one.kind for one in events_in(text)] == kinds


def test_a_line_of_json_that_was_cut_within_its_message_before_its_level_is_read():
    begin = '{"@timestamp":"2026-03-01T12:00:05.123Z","@version":"1","message":"' + CONSUMER
    whole = (
        begin + 'Node 1 disconnected.","logger_name":"org.apache.kafka.clients.NetworkClient","level":"INFO"}'
    )
    found = events_in(f"{whole}\n{begin}(Re-)joining gr\n")
    assert [(one.kind, one.happened_at) for one in found] == [
        ("disconnect", 1772366405123),
        ("join", 1772366405123),
    ]


@pytest.mark.parametrize(
    ("text", "limit_ms", "elapsed_ms"),
    [
        (f"{TIMEOUT}: Timeout of 60000ms expired before the\nposition for partition orders-1 could be determined", 60000, None),
        (f"not sent: {TIMEOUT}: Expiring 3 record(s) for\n    // orders-1:12003 ms has passed since batch creation\n\tat a.B.c(D.java:1)", None, 12003),
    ],
)  # fmt: skip
def test_an_exception_s_text_that_a_paste_broke_is_whole(text, limit_ms, elapsed_ms):
    told = event(text, APPLICATION)
    assert (told.partition, told.limit_ms, told.elapsed_ms) == (1, limit_ms, elapsed_ms)


def test_the_error_is_the_exception_that_tells_what_happened():
    fenced = event(
        f"org.apache.kafka.common.KafkaException: in an error state\n\tat a.B.c(D.java:1)\nCaused by: {FENCED}",
        APPLICATION,
    )
    assert (fenced.kind, fenced.error_class) == ("fenced", "ProducerFencedException")


def test_an_application_s_class_may_be_called_as_kafkas_is():
    refused = event(f"poll timed out\n{REFUSED}\n\tat a.B.c(D.java:1)", "KafkaConsumer", level="ERROR")
    assert (refused.kind, refused.error_class) == ("commit_failed", "CommitFailedException")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (f"  ```\n  [orders] [ntainer#0-0-C-1] {CLIENTS}NetworkClient : {CONSUMER}Node -1 disconnected.\n  got a record\n", ["disconnect"]),
        (f"1. refused ->\n      that is so:\n      o.a.k.c.NetworkClient  - {CONSUMER}Node -1 disconnected.\n      then we stop\n", ["disconnect"]),
        (f"error: Bootstrap broker {NODE} disconnected ({CLIENTS}NetworkClient)\nWe get an error: Bootstrap broker {NODE} disconnected\n", ["disconnect"]),
        ("\u9519\n\u65e5\u5fd7: Attempt to heartbeat failed since group is rebalancing\n\u65e5\u5fd7\uff1aThis member will leave the group because consumer poll timeout has expired.\n", ["heartbeat_failed", "poll_interval_expired"]),
        ("So:\n\n{quote}Attempt to heartbeat failed since group is rebalancing{quote}\n", ["heartbeat_failed"]),
        ("08:20:22  TimeoutException: Timeout of 60000ms expired before successfully committing offsets\n    {t-1=OffsetAndMetadata{offset=9}}\n08:21:00  other\n", ["commit_failed"]),
    ],
    ids=["a head cut to its logger", "a head below prose", "a label", "a label of other letters", "a macro of Jira", "a time before what was thrown"],
)  # fmt: skip
def test_what_a_client_says_behind_a_head_that_a_page_changed_is_read(text, kinds):
    assert [one.kind for one in events_in(text)] == kinds


@pytest.mark.parametrize(
    "line",
    ['log.error("TimeoutException: Batch Expired, again: {}", key);', f'var found = match("{FENCED}");', f'  sample("expired", "{EXPIRING}"),'],
)  # fmt: skip
def test_what_a_program_gives_a_call_was_said_by_nobody(line):
    assert {one.kind for one in events_in(f"try {{\n{line}\n}}\n")} <= {"other_kafka"}


def test_an_exception_s_text_behind_a_comment_s_sign_is_all_of_its_line():
    for sign in ("//", "# ", " * "):
        (told,) = events_in(
            f"{sign}it fails:\n{sign}Topic orders not present in metadata after 60000 ms.\nclass A {{\n"
        )
        assert (told.kind, told.topic) == ("produce_failed", "orders")


@pytest.mark.parametrize(
    "head", [f"2026-03-01 12:00:05,123 ERROR [http-1] {APPLICATION} - not sent: ", "ERROR ", "12:00:05 ", ""]
)
def test_the_class_before_what_an_exception_says_is_no_part_of_a_head(head):
    (told,) = events_in(f"{head}{REFUSED.replace(': C', ': Offset c')}\n")
    assert (told.kind, told.error_class) == ("commit_failed", "CommitFailedException")


def test_cells_of_a_row_are_in_quotes_only_where_they_must_be():
    row = '"Mar 1, 2026 @ 12:00:05.123",INFO,"%s",orders'
    found = events_in(
        "".join(
            row.replace("%s", CONSUMER + text) + "\n"
            for text in ("(Re-)joining group", "Node 1 disconnected.")
        )
    )
    assert [(one.kind, one.happened_at) for one in found] == [
        ("join", 1772366405123),
        ("disconnect", 1772366405123),
    ]


def test_a_retry_whose_numbers_a_guide_left_out_names_its_error():
    for said in (
        "response with correlation id X on topic-partition t-0, retrying (N attempts left).",
        "response on topic-partition t-0, retrying.",
    ):
        retry = event(f"{PRODUCER}Got error produce {said} Error: NETWORK_EXCEPTION", None)
        assert (retry.kind, retry.topic, retry.error_class, retry.attempts_left) == (
            "produce_retry",
            "t",
            "NETWORK_EXCEPTION",
            None,
        )


def test_a_commit_that_timed_out_names_the_partitions_of_its_offsets():
    metadata = '{"topology":"orders-2-17"}'
    text = f"{TIMEOUT}: Timeout of 60000ms expired before successfully committing offsets {{t-1=OffsetAndMetadata{{offset=9, metadata='{metadata}'}}, t-0=OffsetAndMetadata{{offset=8}}}}"
    told = event(text, APPLICATION)
    assert (told.topic, told.partition, told.details["partitions"]) == ("t", 1, "t-1,t-0")


def test_a_context_whose_blank_was_lost_names_its_client():
    for what in ("Consumer", "CONSUMER"):
        told = event(f"[{what}clientId=c-1, groupId=orders] (Re-)joining group", None)
        assert (told.kind, told.client_id, told.group_id) == ("join", "c-1", "orders")


def test_a_rebalance_that_says_no_more_than_its_group_names_it():
    told = event(
        "[GroupCoordinator 1]: Preparing to rebalance group orders",
        "kafka.coordinator.group.GroupCoordinator",
    )
    assert (told.kind, told.group_id) == ("broker_rebalance", "orders")


KIBANA = (
    '{"@timestamp":"2026-03-01T12:00:05.123Z","level":"WARN","logger_name":"' + CLIENTS
    + 'NetworkClient","message":"' + CONSUMER + 'Node 1 disconnected."}'
)  # fmt: skip
OF_DOCKER = (
    '{"log":"2026-03-01 12:00:05,123 INFO '
    + REJOINS
    + '\\n","stream":"stdout","time":"2026-03-01T13:00:05Z"}'
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"Mar 1, 2026 @ 20:00:05.123\nlog: {KIBANA}\n```\n", "disconnect"),
        (f"| Mar 1, 2026 @ 20:00:05.123 | log: {KIBANA} |\n| --- | --- |\n", "disconnect"),
        (f"- what it says:\n  ```txt\n  filebeat, then\n\n  # its log\n  {OF_DOCKER}\n  ```\n", "join"),
    ],
    ids=["below a viewer's time", "in a column of a table", "an envelope among a page's lines"],
)
def test_an_object_among_other_text_is_read(text, kind):
    assert [(one.kind, one.happened_at) for one in events_in(text)] == [(kind, 1772366405123)]


def test_an_envelope_among_other_text_says_whose_its_line_is():
    shipped = '{"message":"2026-03-01 12:00:05,123 INFO ' + REJOINS + '","service":{"name":"orders"}}'
    (told,) = events_in(f"- what it says:\n  ```txt\n  filebeat, then\n\n  # its log\n  {shipped}\n  ```\n")
    assert (told.kind, told.service) == ("join", "orders")


def test_lines_of_docker_s_driver_that_a_paste_cut_say_what_is_left():
    begin = '{"log":"2026-03-01 12:00:05,123 INFO ' + CONSUMER
    text = f'{begin}(Re-)joining group\\n","stream":"stdout","ti\n{begin}Node 1 disconnected.\\n","time":"2026-03-01T12:00:05Z"}}\n{begin}Attempt to heartbeat failed since\n'
    assert [one.kind for one in events_in(text)] == ["join", "disconnect", "heartbeat_failed"]


MEMBER = "consumer-order-service-1-8f14e45f-ceea-467f-a9d1-2f1d1d6f8e11"
SAID = [
    f"{CONSUMER}Attempt to heartbeat failed since group is rebalancing",
    f"{CONSUMER}(Re-)joining group",
    f"{CONSUMER}Successfully joined group with generation Generation{{generationId=12, memberId='{MEMBER}', protocol='range'}}",
    f"{PRODUCER}Got error produce response with correlation id 4021 on topic-partition orders-created-1, retrying (2147483641 attempts left). Error: NOT_LEADER_OR_FOLLOWER",
    f"{CONSUMER}Offset commit failed on partition orders-created-1 at offset 4711: The coordinator is not aware of this member.",
]


@pytest.mark.parametrize("sign", ["", "> "])
@pytest.mark.parametrize("head", ["", f"[main] INFO {CLIENTS}NetworkClient - "], ids=["no head", "no time"])
@pytest.mark.parametrize("width", [80, 120])
def test_lines_without_a_time_that_were_broken_at_a_width_are_whole(width, head, sign):
    lines = [head + said for said in SAID]
    broken = [line[i : i + width] for line in lines for i in range(0, len(line), width)]
    whole = events_in("\n".join(lines) + "\n")
    found = events_in("\n".join(sign + line for line in broken) + "\n")
    fields = [(one.kind, one.client_id, one.group_id, one.member_id, one.partition) for one in whole]
    assert len(fields) == len(SAID)
    assert [(one.kind, one.client_id, one.group_id, one.member_id, one.partition) for one in found] == fields


def test_a_context_that_a_page_broke_within_names_its_client():
    head = "09:16:20.118 WARN  o.a.k.c.c.i.ConsumerCoordinator - "
    text = f"{head}[Consumer clientId=worker-1,\n             groupId=orders] Member worker-1-a sending LeaveGroup request to coordinator {NODE}\n"
    assert [(one.kind, one.client_id, one.group_id) for one in events_in(text)] == [
        ("leave_group", "worker-1", "orders")
    ]
    broken = f"{head}[Consumer clientId=consumer-40605fed-50e5-4a98\n69530-81, groupId=orders] Offset commit failed on partition orders-1 at offset 9: The request timed out.\n"
    assert [one.kind for one in events_in(broken)] == ["commit_failed"]


@pytest.mark.parametrize("dots", ["[...] ", "[\u2026] ", "... "])
def test_a_context_that_a_poster_left_out_hides_no_message(dots):
    told = event(f"{dots}Revoke previously assigned partitions orders-3", CLIENTS + "ConsumerCoordinator")
    assert (told.kind, told.partition) == ("partitions_revoked", 3)
    text = f"INFO  o.a.k.c.c.i.ConsumerCoordinator : {CONSUMER}Node 1 disconnected.\nINFO  o.a.k.c.c.i.ConsumerCoordinator : {dots}(Re-)joining group\n"
    assert [one.kind for one in events_in(text)] == ["disconnect", "join"]


def test_a_program_s_list_of_texts_is_said_by_nobody():
    text = f'{{\n  className: "{TIMEOUT}",\n  messages: [\n    "Expiring 16 record(s) for clicks-0:120000 ms has passed since batch creation.",\n    "Broken pipe.",\n  ],\n}},\n'
    assert "batch_expired" not in [one.kind for one in events_in(text)]


@pytest.mark.parametrize(
    "code",
    [
        f'        private final Exception failure = new ExecutionException(\n                new {TIMEOUT}(\n                        "{ONLY_SAID}"));\n',
        f'                message: Some(\n                    "{ONLY_SAID} \\\n                     since."\n                ),\n',
        f'        var found = match("{EXPIRING}");\n',
    ],
)
def test_a_text_on_the_line_below_its_call_is_said_by_nobody(code, tmp_path):
    assert events_in(code) == []
    assert answered(code, tmp_path)[0] == "not_judged"


def test_what_a_program_throws_is_said_by_nobody():
    code = f'            onOutcome(Failed(TimeoutException("{EXPIRING.partition(": ")[2]}")))\n        }})\n'
    assert events_in(code) == []


@pytest.mark.parametrize("dots", ["...", "[...]", "(...)"])
def test_lines_that_a_poster_left_out_end_no_exception(dots):
    text = f"java.lang.IllegalStateException: This error handler cannot process '{REFUSED.partition(': ')[0]}'s\n\n{dots}\n\nCaused by: {REFUSED}\n"
    assert [(one.kind, one.line) for one in events_in(text)] == [("commit_failed", 1)]


def test_what_an_exception_says_below_its_colon_begins_no_message():
    refused = "CommitFailedException:\n  Offset commit cannot be completed since the consumer is not part of an active\n  group"
    text = f'They say\n{CONSUMER}Node 1 disconnected.\n\nException in thread "main" org.apache.kafka.clients.consumer.{refused}\n'
    assert [(one.kind, one.error_class) for one in events_in(text)] == [
        ("disconnect", None),
        ("commit_failed", "CommitFailedException"),
    ]


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
