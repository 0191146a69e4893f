"""A head is read around its message, in whatever order it stands; and what is no log line has none."""

import pytest

from transforms.parse.lines.heads import read_head
from transforms.parse.lines.pasted import plain_text, several_in, uncoloured

LOGGER = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
SHORT = "o.a.k.c.c.i.ConsumerCoordinator"
MESSAGE = "[Consumer clientId=c-1, groupId=g] Discovered group coordinator b:9092 (id: 2147483646 rack: null)"
AT = "2026-11-21 03:39:50,531"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"[{AT}] INFO {MESSAGE} ({LOGGER})", (AT, "INFO", LOGGER, None)),
        (f"[{AT}] INFO [sink|task-0] {MESSAGE} ({LOGGER}:123)", (AT, "INFO", LOGGER, None)),
        (f"{AT}  INFO 1 --- [ntainer#0-0-C-1] {SHORT}  : {MESSAGE}", (AT, "INFO", SHORT, "ntainer#0-0-C-1")),
        (f"{AT}  INFO 1 --- [shop] [main] {SHORT}  : {MESSAGE}", (AT, "INFO", SHORT, "main")),
        (f"03:39:50,531 main INFO  {LOGGER} [] - {MESSAGE}", ("03:39:50,531", "INFO", LOGGER, "main")),
        (f"26/11/21 03:39:50 WARN Sender: {MESSAGE}", ("26/11/21 03:39:50", "WARN", "Sender", None)),
        (f"INFO  {AT} || {MESSAGE}   [{LOGGER}]", (AT, "INFO", LOGGER, None)),
        (f"{AT} INFO [Timer Thread-5] {SHORT} {MESSAGE}", (AT, "INFO", SHORT, "Timer Thread-5")),
        (f"{AT} {SHORT} Thread-1[1] [ERROR] {MESSAGE}", (AT, "ERROR", SHORT, "Thread-1[1]")),
        (f"Nov 21 03:39:51 host app[123]: {AT} [main] DEBUG {LOGGER} - {MESSAGE}", (AT, "DEBUG", LOGGER, "main")),
        (f"> {AT} [main] DEBUG {LOGGER} - {MESSAGE}", (AT, "DEBUG", LOGGER, "main")),
        (f"pod-1 app {AT} [main] DEBUG {LOGGER} - {MESSAGE}", (AT, "DEBUG", LOGGER, "main")),
        (f'time="{AT}" level=info msg="{MESSAGE}" logger={LOGGER} thread=main', (AT, "INFO", LOGGER, "main")),
        (f"{AT} INFO  [{LOGGER}] (kafka-thread | g) {MESSAGE}", (AT, "INFO", LOGGER, "kafka-thread | g")),
        (f"{AT} | INFO | main | ConsumerCoordinator | 44 - kafka | {MESSAGE}", (AT, "INFO", "ConsumerCoordinator", "main")),
        (f"{AT} INFO [main] {LOGGER}.lookup {MESSAGE}", (AT, "INFO", LOGGER, "main")),
        (f"Nov 21, 2026 3:39:50 AM {LOGGER} lookup\nINFO: {MESSAGE}", ("Nov 21, 2026 3:39:50 AM", "INFO", LOGGER, None)),
        (f"{AT} INFO traceId=abc spanId=def [main] {LOGGER} - {MESSAGE}", (AT, "INFO", LOGGER, "main")),
        (f'"{AT}","INFO","main","{MESSAGE}"', (AT, "INFO", None, None)),
        (f"{AT} W! {MESSAGE}", (AT, "WARN", None, None)),
        (f"{AT[:19]}:DEBUG pool-1 {LOGGER} - {MESSAGE}", (AT[:19], "DEBUG", LOGGER, "pool-1")),
        (f">1[{AT}] INFO {MESSAGE} ({LOGGER})", (AT, "INFO", LOGGER, None)),
        (f"INFO [{AT}]: {MESSAGE}", (AT, "INFO", None, None)),
        (f"{AT}; INFO ; 1491413183; {MESSAGE}", (AT, "INFO", None, None)),
        (f"{AT} - {MESSAGE}", (AT, None, None, None)),
        (f"{LOGGER}  : {MESSAGE}", (None, None, LOGGER, None)),
        (f"[app-StreamThread-1] INFO {LOGGER} - {MESSAGE}", (None, "INFO", LOGGER, "app-StreamThread-1")),
        (MESSAGE, (None, None, None, None)),
    ],
)  # fmt: skip
def test_the_message_is_found_and_its_head_around_it(line, said):
    head = read_head(line)
    assert head is not None
    assert head.message == MESSAGE
    assert (head.at, head.level, head.logger, head.thread) == said


@pytest.mark.parametrize(
    "line",
    [
        'log.info("Kafka version: 3.1")',
        "    - 'Attempt to heartbeat failed since group is rebalancing'",
        "I saw Discovered group coordinator b:9092 (id: 2147483646 rack: null) in the log",
        'log.warn("[Consumer clientId={}, groupId={}] Offset commit failed", clientId, groupId);',
        "they all wait with `Discovered group coordinator b:9092 (id: 2147483646 rack: null)` in their logs",
        "| it waits | `[Consumer clientId=..., groupId=...] Node 4 disconnected.` | see its broker |",
        "KafkaProducer.send() failed: org.apache.kafka.common.errors.TimeoutException: away",
        "org.apache.kafka.clients.producer.KafkaProducer.send(KafkaProducer.java:9) ... 2 more",
        "",
    ],
)
def test_what_only_quotes_a_message_has_none(line):
    assert read_head(line) is None


def test_a_sentence_that_has_a_client_s_line_as_code_says_what_that_does():
    head = read_head(
        "since then it reports`[Producer clientId=p-1] Node 4 disconnected.`all the time, 为什么"
    )
    assert head is not None
    assert head.message == "[Producer clientId=p-1] Node 4 disconnected."


def test_a_word_in_code_that_begins_what_is_said_is_not_all_of_it():
    head = read_head("11:02:53 | `pay` gave it up: `Expiring 1 record(s) for bills-1:120004 ms`")
    assert head is not None
    assert head.message.startswith("pay` gave it up: `Expiring")


def test_what_a_paste_did_is_undone():
    assert plain_text("a &lt;b&gt;<br>c")[0] == "a <b>\nc"
    assert plain_text(r"x: y\n\tat com.example.A.b(A.java:1)")[0] == "x: y\n\tat com.example.A.b(A.java:1)"
    assert plain_text("> a\n> \tat b", "> ")[0] == "a\n\tat b"
    assert (
        plain_text("`a WARN b`\\\n`com.example.A: c`\\\n`        at d`")[0]
        == "a WARN b\ncom.example.A: c\n        at d"
    )


def test_records_glued_into_one_line_come_apart():
    one, other = f"{AT} INFO {MESSAGE}", f"{AT} WARN {MESSAGE}"
    assert several_in(f"{one} {other}") == [one, other]
    assert several_in(one) == [one]
    ended = f"{AT} INFO Kafka version: 3.5.2"
    assert several_in(f"{ended}{other}") == [ended, other]
    own = "%4|1795356710.782|MAXPOLL|pay#consumer-1| [thrd:main]: left"
    assert several_in(f"{own} {own}") == [own, own]
    cut = "identical error(s) suppressed) (_TRANSPORT): identical to the last error of it"
    assert several_in(f"{cut} {own} {own}") == [cut, own, own]
    behind = f"o.a.k.c.c.internals.AbstractCoordinator : {MESSAGE}"
    assert several_in(f"{behind} {one}") == [behind, one]
    quoting = f"{behind} at {AT} ERROR"  # another client's line it is not
    assert several_in(quoting) == [quoting]


def test_a_message_that_a_narrow_page_put_below_its_columns_is_theirs():
    below = "            | [Consumer clientId=consumer-a, groupId=null] Node 2 disconnected."
    head = read_head(
        f"2022-12-07 | 14:49:44.796 |  INFO | pool-1 | org.apache.kafka.clients.NetworkClient\n{below}"
    )
    assert head is not None
    assert (head.at, head.thread) == ("2022-12-07 | 14:49:44.796", "pool-1")
    assert head.message.startswith("[Consumer clientId=consumer-a")


@pytest.mark.parametrize("lead", ["\t\t//", "-service] "])
def test_what_a_comment_or_a_cut_prefix_leaves_before_a_message_is_none_of_it(lead):
    said = "Group coordinator b:9092 (id: 2147483646 rack: null) is unavailable or invalid, will attempt rediscovery"
    head = read_head(lead + said)
    assert head is not None
    assert head.message == said


@pytest.mark.parametrize(
    "message",
    [
        "Node 1 connection failed -- refreshing metadata",
        "<BrokerConnection client_id=pay-1, node_id=1 host=pay:9092 <connecting> [unspecified None]>: connecting to pay",
        "OffsetCommit failed for group pay due to group error ([Error 25] UnknownMemberIdError: pay), will rejoin",
        "till3 Exception TILL-0042 An unexpected error org.apache.kafka.common.KafkaException was met at b1",
        "till3 Exception TILL-0042 Supplementary information: record 7 org.apache.kafka.common.KafkaException of b1",
    ],
)
def test_words_behind_a_time_alone_are_no_head(message):
    head = read_head(f"{AT} - {message}")
    assert head is not None
    assert (head.at, head.message, head.shape) == (AT, message, "<time> - <message>")


def test_a_class_name_behind_another_client_s_logger_is_its_message_s():
    head = read_head("2026-01-05 10:00:00,125 DEBUG kafka.coordinator Heartbeat: orders[7] pay-1")
    assert head is not None
    assert (head.logger, head.message) == ("kafka.coordinator", "Heartbeat: orders[7] pay-1")


def test_a_name_in_a_bracket_is_no_colour_unless_a_code_stands_before_it():
    said = "Shrinking ISR for partition [m from 1,2 to 1"
    assert uncoloured(said) == said
    assert uncoloured("[32mINFO [m ready") == "INFO  ready"


@pytest.mark.parametrize(
    "said",
    [
        "Error creating new reader: EOF",
        "Warning about pay: it is old",
        "Got error produce response: EOF",
        "Unknown error while reading: EOF",
        "Failed fetch offsets from 7: NodeNotReadyError: it is not ready",
        "Consumer of orders failed: kafka.errors.KafkaTimeoutError: it took too long",
    ],
)
def test_a_sentence_behind_a_time_is_all_message(said):
    head = read_head(f"2026/01/05 10:00:00 {said}")
    assert head is not None
    assert (head.level, head.message) == (None, said)


@pytest.mark.parametrize(
    "written",
    [
        "Error: failed to connect",
        "Error no-broker",
        "[Error] connecting to pay",
        "Orders error Failed to pay",
    ],
)
def test_a_level_in_a_title_s_letters_is_one(written):
    head = read_head(f"2026/01/05 10:00:00 {written}")
    assert head is not None
    assert head.level == "ERROR"


@pytest.mark.parametrize(
    "written", ["E 261121 03:39:50 conn:107", "E 2026-11-21 03:39:50,123 conn:107", "ERROR 03:39:50 x"]
)
def test_a_level_may_stand_before_the_time_in_a_bracket(written):
    head = read_head(f"[{written}] Topic orders not found in cluster metadata")
    assert (head.level, head.message) == ("ERROR", "Topic orders not found in cluster metadata")


@pytest.mark.parametrize(
    ("written", "shape"),
    [
        ("[2026-01-05 10:00:00,123: ERROR]: ", "[<time>: <level>]: <message>"),
        ("[2026-01-05 10:00:00,123: ERROR/MainProcess] ", "[<time>: <level>/<any>] <message>"),
        ("[2026-01-05 10:00:00,123|ERROR|main] ", "[<time>|<level>|<any>] <message>"),
        ("[E 260105 10:00:00 conn:107] ", "[<level> <any> <time> <any>] <message>"),
        ("[ERROR 2026-01-05 10:00:00,123] ", "[<level> <time>] <message>"),
        ("[2026-01-05 10:00:00,123] ERROR ", "[<time>] <level> <message>"),
        ("[2026-01-05 10:00:00] production.ERROR: ", "[<time>] <logger>.<level>: <message>"),
    ],
)
def test_what_brackets_around_a_time_hold_is_in_the_shape(written, shape):
    head = read_head(f"{written}Committing failed")
    assert (head.shape, head.level, head.message) == (shape, "ERROR", "Committing failed")


def test_records_glued_behind_many_blanks_have_none_before_them():
    one, other = f"{AT} INFO {MESSAGE}", f"{AT} WARN {MESSAGE}"
    assert several_in(f"{' ' * 70}{one} {other}") == [one, other]
    assert several_in(" " * 70) == [""]
