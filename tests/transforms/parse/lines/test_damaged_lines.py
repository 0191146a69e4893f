# ruff: noqa: E501  # a log line stays one line
"""Lines that a page, a mail or a chat damaged say what they said: signs, blanks, marks, what is left of a context."""

import json

import pytest

from lab.layouts.score import events_in, read_events
from transforms.parse.layouts.detect import detect_layout
from transforms.parse.lines.heads import read_head
from transforms.parse.lines.pasted import plain_text
from transforms.parse.lines.prefixes import NO_PREFIX, prefix_of
from transforms.parse.lines.signs import PLAIN

HEAD = (
    "2026-03-01 12:00:05,123 INFO  [main] org.apache.kafka.clients.consumer.internals.ConsumerCoordinator - "
)
CONTEXT = "[Consumer clientId=c-1, groupId=orders] "
SAID = "Revoke previously assigned partitions a-0, a-1"
LINE = f"{HEAD}{CONTEXT}{SAID}"
AT = 1772366405123
STREAMS = "app-4bb1c7ae-1111-2222-3333-444455556666"


def revoked(text: str) -> list[tuple[object, ...]]:
    """What its revocations say of the client, and when."""
    found = [one for one in events_in(text) if one.kind == "partitions_revoked"]
    return [(one.client_id, one.group_id, one.level, one.happened_at) for one in found]


WHOLE = ("c-1", "orders", "INFO", AT)


@pytest.mark.parametrize("sign", [chr(sign) for sign, plain in PLAIN.items() if plain == " "], ids=ascii)
def test_blanks_of_any_width_are_blanks(sign):
    assert revoked(LINE.replace(" ", sign)) == [WHOLE]


@pytest.mark.parametrize("sign", [chr(sign) for sign, plain in PLAIN.items() if plain == ""], ids=ascii)
def test_signs_that_nobody_sees_are_none(sign):
    assert revoked(sign + LINE.replace("Id=", f"Id={sign}")) == [WHOLE]


@pytest.mark.parametrize("sign", [chr(sign) for sign, plain in PLAIN.items() if plain == "-"], ids=ascii)
def test_dashes_of_a_word_processor_are_dashes(sign):
    assert revoked(LINE.replace("-", sign)) == [WHOLE]


@pytest.mark.parametrize(
    "end", [chr(sign) for sign, plain in PLAIN.items() if plain == "\n"] + ["\r"], ids=ascii
)
def test_line_ends_of_any_kind_end_lines(end):
    assert revoked(end.join((LINE, LINE, LINE))) == [WHOLE] * 3


def test_signs_within_another_alphabet_are_left_alone():
    text = f"{LINE} — «да»"
    assert revoked(text) == [WHOLE]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_encodings_with_and_without_a_mark(encoding):
    data = f"{LINE}\r\n{LINE}\r\n".encode(encoding)
    assert [one.kind for one in read_events(data)] == ["partitions_revoked"] * 2


@pytest.mark.parametrize(
    ("form", "count"),
    [
        ("`{}`\n`{}`", 2),
        ("**{}**\n**{}**", 2),
        ("*{}*", 1),
        ("_`{}`_", 1),
        ("{} {}", 2),
        ("{}.{}", 2),
        ("| {} |\n| {} |", 2),
        ("```\n{}\n```", 1),
        ("We see `{}` every day.", 1),
        ("<tr> <td>{}</td></tr>", 1),
        ("- it says `{}` then", 1),
        ("| it stops | {}<br>{} |", 2),
    ],
    ids=[
        "code",
        "bold",
        "italic",
        "code in italic",
        "glued by a blank",
        "glued",
        "rows",
        "fenced",
        "in a sentence",
        "cell",
        "item",
        "a cell of several",
    ],
)
def test_marks_and_frames_are_none_of_a_line(form, count):
    found = revoked(form.format(LINE, LINE))
    assert [one[:2] for one in found] == [("c-1", "orders")] * count


def test_words_parted_by_several_blanks_or_tabs():
    assert revoked(LINE.replace("previously ", "previously   ").replace("assigned ", "assigned\t")) == [WHOLE]


def test_a_context_s_words_parted_by_several_blanks():
    assert revoked(LINE.replace("[Consumer ", "[Consumer   ").replace(", ", ",  ", 1)) == [WHOLE]


@pytest.mark.parametrize("left", ["... 1] task [0_1] ", "stream-thread   [a-StreamThread-1]  task  [0_1] "])
def test_a_task_stays_where_its_thread_was_cut_or_blanks_doubled(left):
    assert [(one.kind, one.task_id) for one in events_in(f"{left}Initialized\n")] == [
        ("streams_state", "0_1")
    ]


@pytest.mark.parametrize("level", ["Error ", "FEHLER ", ""])
def test_a_line_of_streams_below_another_is_one_of_its_own_whatever_its_level(level):
    said = "stream-thread [a-StreamThread-1] State transition from CREATED to STARTING"
    assert len(events_in(f"INFO {CONTEXT}{SAID}\n{level}{said}\n")) == 2


@pytest.mark.parametrize("thread", ["main] ", "... [main] "])
def test_what_streams_says_on_a_second_line_is_no_record(thread):
    cause = "org.apache.kafka.common.errors.TimeoutException: Call(callName=createTopics, deadlineMs=9) timed out at 10 after 1 attempt(s)"
    (told,) = events_in(f"{thread}Creating topic orders-repartition timed out.\nError message was: {cause}\n")
    assert (told.kind, told.error_class) == ("streams_error", "TimeoutException")


def test_what_ends_a_client_is_told_behind_its_line_too():
    died = "stream-client [app] Encountered the following exception during processing and the registered exception handler opted to SHUTDOWN_CLIENT. The streams client is going to shut down now. "
    cause = "org.apache.kafka.streams.errors.StreamsException: org.apache.kafka.common.errors.TimeoutException: Task 0_1 did not make progress within 2054 ms. Adjust `task.timeout.ms` if needed."
    assert [one.kind for one in events_in(f"{HEAD}{died}{cause}\n")] == ["task_timeout_expired"]


def test_heads_that_end_within_their_context_go_on_below():
    head = HEAD.replace("INFO  ", "INFO ")
    lines = [f"{head}[Producer\nclientId=p-{number}] Node 1 disconnected." for number in range(4)]
    assert [one.level for one in events_in("\n".join(lines))] == ["INFO"] * 4


def test_syslogs_signs_are_lines_and_a_number_is_one():
    trace = "failed#012java.io.IOException: gone#012#011at a.b.C.d(C.java:1)"
    assert plain_text(trace)[0] == "failed\njava.io.IOException: gone\n\tat a.b.C.d(C.java:1)"
    assert plain_text("giving up order #01234 and #012")[0] == "giving up order #01234 and #012"


def test_a_dump_and_a_trace_are_not_parted_words():
    dump = f"{HEAD}ConsumerConfig values: \n\tauto.offset.reset = latest\n\tgroup.id = orders\n"
    trace = f"orders {LINE}\norders \tat a.B.c(B.java:1)\n"
    assert [detect_layout(text.encode()).wrappers for text in (dump, trace)] == [(), ()]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: {"event": {"original": text}},
        lambda text: {"fields": {"raw": [text]}, "id": 7},
        lambda text: {"kind": "log", "payload": {"body": {"text": text}}},
    ],
    ids=["a member's member", "a list", "deep"],
)
def test_a_line_in_an_object_of_nobodys(wrap):
    lines = "\n".join(json.dumps(wrap(LINE)) for _ in range(3))
    assert revoked(f"Hello,\nthis is what I see:\n{lines}\nThanks") == [WHOLE] * 3


@pytest.mark.parametrize(
    ("left", "kind", "client", "group"),
    [
        ("[Consumer clientId=c-1, groupId=orders] ", "consumer", "c-1", "orders"),
        ("Consumer clientId=c-1, groupId=orders] ", "consumer", "c-1", "orders"),
        ("[Consumer clientId=c-1, groupId=orders ", "consumer", "c-1", "orders"),
        ("Consumer clientId=c-1, groupId=orders ", "consumer", "c-1", "orders"),
        (
            "...onsumer clientId=c-1, groupId=orders] ",
            None,
            "c-1",
            "orders",
        ),  # a consumer, or one that shares
        ("ducer clientId=p] ", "producer", "p", None),
        ("clientId=c-1, groupId=orders] ", None, "c-1", "orders"),
        ("1, groupId=orders] ", None, None, "orders"),
        ("entId=c-1] ", None, "c-1", None),
        ("roupId=orders] ", None, None, "orders"),
        ("[Consumer secret, groupId=orders] ", "consumer", None, "orders"),
        ("[CONSUMER CLIENTID=c-1, GROUPID=orders] ", None, "c-1", "orders"),
        ("[Consumer clientId=c-1, groupId=orders]   ", "consumer", "c-1", "orders"),
        (f"{STREAMS}] ", "streams", STREAMS, None),
        (f"stream-client [{STREAMS}]", "streams", STREAMS, None),
        (f"stream-thread {STREAMS}-StreamThread-1 ", "streams", STREAMS, None),
        (f"{STREAMS}-StreamThread-1-producer] ", None, f"{STREAMS}-StreamThread-1-producer", None),
        ("...am-thread [main] ", "streams", None, None),
    ],
)
def test_what_is_left_of_a_context_says_whose_line_it_is(left, kind, client, group):
    prefix = prefix_of(left + SAID)
    assert (prefix.client_kind, prefix.client_id, prefix.group_id) == (kind, client, group)
    assert (left + SAID)[prefix.length :] == SAID


@pytest.mark.parametrize(
    "said",
    [
        "Request clientId=7 was refused",
        "orders for clientId=7, groupId=8 were created",
        "a, b] c",
        "requestId=7] was refused",
        "partitions [a-0, a-1] of topic a",
        "(clientId=7, groupId=8) created",
    ],
)
def test_what_an_application_says_of_a_client_is_no_context(said):
    assert prefix_of(said) is NO_PREFIX


def test_a_log_that_begins_within_a_context_names_its_group():
    (told, _) = events_in(
        f"roupId=orders] Attempt to heartbeat failed since group is rebalancing (o.a.k.A)\n{LINE}\n"
    )
    assert (told.kind, told.group_id) == ("heartbeat_failed", "orders")


@pytest.mark.parametrize("gap", ["\n", "\n    ", " \n"])
def test_a_context_or_a_head_on_a_line_of_its_own(gap):
    below = f"{HEAD}{CONTEXT.rstrip()}{gap}{SAID}\n"
    assert revoked(below * 2) == [WHOLE] * 2
    assert revoked(f"{HEAD.rstrip()}{gap}{CONTEXT}{SAID}\n" * 2) == [WHOLE] * 2


@pytest.mark.parametrize(
    ("word", "level"),
    [
        ("WARNUNG", "WARN"),
        ("Warnung", "WARN"),
        ("ERREUR", "ERROR"),
        ("INFORMACIÓN", "INFO"),
        ("警告", "WARN"),
        ("严重", "ERROR"),
    ],
)
def test_a_level_in_another_language(word, level):
    (found,) = revoked(LINE.replace("INFO ", word))
    assert found[2] == level


def test_lines_that_a_mail_broke_around_long_names_are_joined():
    text = (
        f"> 2026-03-01 12:00:05,123 INFO\n"
        f"> org.apache.kafka.clients.consumer.internals.ConsumerCoordinator -\n"
        f"> {CONTEXT}Revoke previously\n> assigned partitions a-0, a-1\n"
    )
    assert [one[:3] for one in revoked(text * 3)] == [("c-1", "orders", "INFO")] * 3


def test_members_of_an_object_are_no_array_of_lines():
    error = "org.apache.kafka.common.errors.TimeoutException: Expiring 2 record(s) for orders-0:10001 ms has passed"
    member = {"t": "2026-01-05T10:00:00.000Z", "exc": error}
    text = json.dumps({"facts": [member, member], "clients": [{"mode": "streams"}]}, indent=2)
    assert detect_layout(text.encode()).wrappers == ()
    assert detect_layout(json.dumps([LINE, LINE], indent=2).encode()).wrappers == ("strings",)


TASK = f"stream-thread [{STREAMS}-StreamThread-1] task [0_3] Initialized"
STREAMS_HEAD = HEAD.replace("clients.consumer.internals.ConsumerCoordinator", "streams.processor.internals.X")
RETRIED = (
    f"stream-thread [{STREAMS}-StreamThread-1] Could not complete processing records for 0_1 due to the "
    "following exception; will move to next task and retry later"
)
TIMEOUT = "org.apache.kafka.common.errors.TimeoutException: Topic a not present in metadata after 2000 ms."
NOT_CREATED = "Creating topic app-<n>-repartition timed out.\nError message was: " + TIMEOUT


@pytest.mark.parametrize(
    ("text", "kind", "told"),
    [
        (f"{STREAMS_HEAD}{TASK}\nHas anybody seen this?", "streams_state", {"task_id": "0_3"}),
        (f"{STREAMS_HEAD}{TASK}```", "streams_state", {"task_id": "0_3"}),
        (f"{STREAMS_HEAD}{RETRIED} {TIMEOUT}", "task_timeout_start", {"error_class": "TimeoutException"}),
        (f"{STREAMS_HEAD}stream-thread main] {NOT_CREATED}", "streams_error", {"topic": None, "level": "INFO"}),
        (f"{STREAMS_HEAD}stream-thread [main {NOT_CREATED}", "streams_error", {"level": "INFO"}),
        (f"{STREAMS_HEAD}stream-thread [main] {NOT_CREATED}".replace("\n", "#012"), "streams_error", {"error_class": "TimeoutException"}),
        ("..hread [main] Could not create topics within 6000 milliseconds. This can", "streams_error", {}),
        ("…30dc-4e83-9f56-da692d52fa96] Global thread has died. The streams application", "streams_error", {}),
        ("INFO  - stream-client orders] Streams client stopped completely", "lifecycle", {"client_id": "orders"}),
        (f"{HEAD}[Consumer  clientId=c-1,\tgroupId=orders] Revoke\tpreviously   assigned partitions a-0", "partitions_revoked", {"group_id": "orders"}),
        (f"| INFO | {CONTEXT}| {SAID} |", "partitions_revoked", {"client_id": "c-1", "level": "INFO"}),
        (f"{HEAD}{CONTEXT}Node -<n> disconnected.", "disconnect", {"node_id": None, "client_id": "c-1"}),
        (f"The only thing is this ({HEAD}{CONTEXT}{SAID}).", "partitions_revoked", {"happened_at": AT}),
        ("INFO [Consumer clientId=c-1, groupId=orders] Discovered group coordinator a:9092 (id:\n2147483646 rack: null)", "coordinator_found", {"happened_at": None}),
        ("INFO  [2026-03-01 12:00:05,123]\n    org.apache.kafka.clients.consumer.internals.ConsumerCoordinator: [Consumer\n    clientId=c-1, groupId=orders] Revoke previously\n    assigned partitions a-0", "partitions_revoked", {"client_id": "c-1", "happened_at": AT}),
        (f"{STREAMS_HEAD}stream-client [orders] Kafka Streams version: 4.2.1 ...", "lifecycle", {"client_version": "4.2.1"}),
        (f"2026-03-01 12:00:05,123 ERROR com.example.App - Streams did not start org.apache.kafka.streams.errors.StreamsException: It failed at a.B.c(B.java:1) Caused by: {TIMEOUT}", "produce_failed", {"error_class": "TimeoutException"}),
    ],
)  # fmt: skip
def test_what_a_page_left_of_a_line_tells_what_it_told(text, kind, told):
    (found,) = [one for one in events_in(text + "\n") if one.kind == kind]
    assert {name: getattr(found, name) for name in told} == told


@pytest.mark.parametrize("sign", [" +", " \\"])
def test_a_program_s_string_that_goes_on_on_its_next_line_is_no_row(sign):
    begin = f'"{HEAD}{CONTEXT}Revoke previously "{sign}'
    assert revoked("\n".join([begin, '    "assigned partitions a-0, a-1"'] * 3)) == [WHOLE] * 3


def test_objects_that_nothing_ends_are_each_a_line():
    one = json.dumps({"event": {"original": LINE}})
    assert revoked(one + one + " " + one) == [WHOLE] * 3


def test_lines_that_begin_with_what_is_left_of_a_context_were_not_broken():
    left = [f"{STREAMS}-StreamThread-{at}] task [0_{at}] Suspended from RUNNING" for at in range(3)]
    text = "\n".join((f"{STREAMS}-StreamThread-11] Shutdown complete", *left))
    assert [one.task_id for one in events_in(text) if one.task_id] == ["0_0", "0_1", "0_2"]


def test_marks_of_a_page_are_told_by_lines_of_the_log_not_of_its_traces():
    trace = "\n".join(f"\tat org.apache.kafka.clients.X.y(X.java:{at})" for at in range(20))
    assert revoked(f"{HEAD}{CONTEXT}<em>{SAID}</em>\n{trace}") == [WHOLE]


def test_a_number_in_a_sentence_is_no_time_of_a_head():
    said = "Error message was: Call(callName=x, tries=1) timed out at 1795227962749 after 1 attempt(s)"
    assert read_head(f"{said} (org.apache.kafka.clients.admin.KafkaAdminClient)") is None


def test_lines_of_other_signs_were_broken_at_a_width():
    head = HEAD.replace(" - ", " \u2013 ")
    text = f"{head}[Consumer\n    clientId=c-1, groupId=orders] Revoke previously assigned partitions that are a-0,\n    a-1"
    assert revoked("\n".join((text, text, text))) == [WHOLE] * 3


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("%5|1772366405.123|PARTCNT|c#1| [thrd:main]: Topic o partition count changed from\n2 to 0", "rdkafka-partition-count"),
        ("ERROR:kafka.conn:Connect attempt to <BrokerConnection node_id=3 host=a:9092\n<connecting> [IPv4 ('10.0.0.7', 9092)]> returned error 60. Disconnecting.", "python-connect-failed"),
        ("\t// Seen: Application maximum poll interval (300000ms)\n\t// exceeded by 98ms: leaving group", "rdkafka-max-poll"),
    ],
)  # fmt: skip
def test_a_line_of_another_client_that_a_page_broke_is_whole(text, family):
    assert [one.message_id for one in events_in(f"{text}\n")] == [family]


OF_HEAD = (("c-1", "orders", "INFO", AT),)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("".join(f'{{"content": "{LINE}", "id": "a-{at}"}}\n' for at in range(3)).replace("Coordinator - ", "Coordin\nator - "), 3),
        ("".join(f"2026-03-01T12:00:05.2Z stdout F {part}\n" for part in (f"{HEAD}", f"{CONTEXT}Revoke previously", "assigned partitions a-0, a-1") * 3), 3),
        (f'"{HEAD}" +\n    "{CONTEXT}{SAID}"\n' * 3, 3),
        (f'"{HEAD}{CONTEXT}"\n    "{SAID}"\n' * 3, 3),
        (f'id,title,body\n17,"It stops","{LINE}\n{LINE}"\n18,"Another","None"\n', 2),
        (f"{LINE} {LINE}  {LINE}\n", 3),
    ],
    ids=["JSON that was broken", "broken before a runtime", "a string", "a string of two", "a cell", "on one line"],
)  # fmt: skip
def test_lines_are_whole_before_anything_is_taken_off_them(text, times):
    assert revoked(text) == [*OF_HEAD] * times


def test_records_on_one_line_need_no_time():
    line = f"INFO  org.apache.kafka.clients.consumer.internals.ConsumerCoordinator: {CONTEXT}{SAID}"
    assert revoked(f"{line} {line}\n") == [("c-1", "orders", "INFO", None)] * 2


def test_a_colour_hides_no_beginning_whatever_its_escape_became():
    line = "{0}[32mINFO{0}[0m  o.a.k.c.c.internals.ConsumerCoordinator: " + f"{CONTEXT}{SAID}"
    text = "\n".join(line.format(sign) for sign in ("#033", "\\x1b", "\u241b", "^["))
    assert revoked(f"{text}\n") == [("c-1", "orders", "INFO", None)] * 4


def test_a_logger_with_its_function_begins_lines_without_a_time():
    first = "WARNING  | aiokafka.consumer.fetcher:_fetch:658 - Failed fetch messages from 3: KafkaConnectionError: Connection at a:9092 closed"
    text = f"{first}\nERROR    | aiokafka.client:_get_conn:460 - Unable connect to node with id 3: [WinError 1232]\n"
    assert [one.kind for one in events_in(text)] == ["disconnect", "connect_failed"]
