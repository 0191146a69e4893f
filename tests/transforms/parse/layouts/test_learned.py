"""What a source's lines share is learned from all of them; a line read by it says what it says on its own."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.layouts.records import Entry
from lab.layouts.render import LAYOUTS
from transforms.parse.layouts.detect import SOME_LINES, detect_layout
from transforms.parse.layouts.leads import prefix_of_lines
from transforms.parse.layouts.learned import learn
from transforms.parse.lines.heads import read_head
from transforms.parse.lines.templates import template_of
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.spans import ReadSettings
from transforms.records import LogRecord

THREADS = ("main", "http-nio-8080-exec-3", "Thread-15")
LOGGERS = ("NetworkClient", "Metadata", "FeaturesPublisher")
MESSAGES = (
    "[Consumer clientId=c-1, groupId=g] Discovered group coordinator b:9092 (id: 2147483646 rack: null)",
    "[Producer clientId=p] Node 1 disconnected.",
    "Kafka version: 4.2.1",
)
TRACE = "org.apache.kafka.common.errors.TimeoutException: late\n\tat a.B.c(B.java:1)"


def lines_of(pattern: str) -> list[str]:
    """Nine lines of a pattern, of all threads, loggers, levels and messages."""
    return [
        pattern.format(
            at=f"2026-11-21 02:19:{number:02d},500", level=("info", "warn", "debug")[number % 3],
            thread=THREADS[number % 3], logger=LOGGERS[number // 3], message=MESSAGES[number % 3],
        )
        for number in range(9)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "shape"),
    [
        ("{{{thread}}} {{}} [{at}] {logger}.poll {level}\t{message}", "{<thread>} {} [<time>] <logger> <level> <message>"),
        ("{level} {logger} {at} [{thread}]|{message}", "<level> <logger> <time> [<thread>]|<message>"),
        (
            "{logger} {thread} [orders] {at} - level={level} >> {message}",
            "<logger> <thread> [<any>] <time> - level=<level> >> <message>",
        ),
        ("{at}:{logger}.poll:{level}:4711:{thread}:{message}", "<time>:<logger>:<level>:<any>:<thread>:<message>"),
        ("[INFO] [stdout] {at} {level:<5}|{thread}| {message}", "[<any>] [<any>] <time> <level>|<thread>| <message>"),
    ],
)  # fmt: skip
def test_a_part_is_told_by_what_stands_in_its_place_in_all_lines(pattern, shape):
    (learned,) = learn(lines_of(pattern))
    assert learned[0] == shape
    said = [template_of(*learned).read(line) for line in lines_of(pattern)]
    assert [one.level for one in said if one] == ["INFO", "WARN", "DEBUG"] * 3
    assert [one.thread for one in said if one] == list(THREADS) * 3
    assert [one.message for one in said if one] == list(MESSAGES) * 3


EVENTS = "group-coordinator-event-processor-0"
FETCHER = "ReplicaFetcherThread-0-1"
ON_FETCHER = "[ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] "
STABLE = "Stabilized group pay generation 5 with 1 members."


@pytest.mark.parametrize(
    ("thread", "logger", "said"),
    [
        (EVENTS, "coordinator.group.GroupMetadataManager", f"[GroupCoordinator id=0 partition=8] {STABLE}"),
        (EVENTS, "coordinator.common.runtime.CoordinatorRuntime", "Metrics reporters closed"),
        (FETCHER, "server.ReplicaFetcherThread", f"{ON_FETCHER}Truncating partition pay-0 to offset 7"),
    ],
)
def test_a_thread_of_a_part_of_a_broker_is_no_context(thread, logger, said):
    head = f"[{thread}] org.apache.kafka.{logger} poll - app=kafka, server=0 - "
    lines = [f"[INFO] 2026-01-05 10:00:0{at},834 {head}{said}" for at in (0, 1)]
    ((shape, notation),) = learn(lines)
    assert shape.startswith("[<level>] <time> [<thread>] <logger> ")
    read = template_of(shape, notation).read(lines[1])
    assert read is not None
    assert (read.thread, read.message) == (thread, said)


def test_a_task_that_a_message_begins_with_is_no_thread():
    said = "task [0_8] Failed to write offset checkpoint file to [/var/pay/0_8/.checkpoint]"
    ((shape, _),) = learn(
        [
            f"[2026-01-05 10:00:00,{at}] WARN {said} (org.apache.kafka.streams.processor.internals.ProcessorStateManager)"
            for at in (100, 200, 300)
        ]
    )
    assert shape == "[<time>] <level> <message> (<logger>)"


def test_where_no_message_is_known_nothing_is_learned():
    assert learn(["2026-11-21 02:19:38,500 INFO com.example.Orders - order 7 is late"] * 5) == []


@pytest.mark.parametrize(
    "lead",
    [
        "<14>Oct 0{n} 07:06:4{n} node-1 orders[4711]: ",
        "2096-10-02T07:06:4{n}.00{n}Z {{app=\"orders\", pod=\"orders-{n}d\"}} ",
        "build\tRun tests\t2096-10-02T07:06:4{n}Z ",
        "logs/app.log:10{n}:",
        "# ",
    ],
)  # fmt: skip
def test_what_stands_before_the_inside_of_a_record_stands_before_every_line(lead):
    text = "\n".join(f"2026-11-21 02:19:38,50{n} WARN {MESSAGES[n % 2]}\n{TRACE}" for n in range(3))
    lines = [lead.format(n=number % 9 + 1) + line for number, line in enumerate(text.split("\n"))]
    layout = detect_layout("\n".join(lines).encode())
    assert layout.prefix
    records = list(
        ChunkReader(layout, "s", settings=ReadSettings()).read(io.BytesIO("\n".join(lines).encode()))
    )
    assert [(record.line, record.line_count, record.level) for record in records if isinstance(record, LogRecord)] == [
        (1, 3, "WARN"), (4, 3, "WARN"), (7, 3, "WARN"),
    ]  # fmt: skip


def test_the_entries_of_a_dump_are_no_indentation_of_the_source():
    dump = ["2026-11-21 02:19:38,500 INFO ConsumerConfig values: ", *(f"\tkey.{n} = 1" for n in range(40))]
    assert prefix_of_lines(tuple(dump)) == ""


def test_a_message_that_goes_on_with_an_exception_is_no_lead():
    said = (
        "[2026-01-05 10:00:0{n},894] WARN [Producer clientId=pay] Received invalid metadata error in produce request on "
        "partition orders-{n} due to org.apache.kafka.common.errors.NetworkException: Disconnected from node 2"
    )
    assert prefix_of_lines((said.format(n=1), said.format(n=2))) == ""


def test_numbers_that_a_page_glued_to_lines_are_none_of_theirs():
    frames = [
        "1017\tat org.apache.kafka.common.internals.KafkaFutureImpl.get(KafkaFutureImpl.java:260)",
        "1018Caused by: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment.",
    ]
    thrown = "1016java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException: Timed out"
    lines = ["[main] INFO c.e.Ready - asking", "1015[main] ERROR c.e.Ready - no answer", thrown, *frames]
    assert re.fullmatch(prefix_of_lines(tuple(lines)), "1015")
    assert re.fullmatch(prefix_of_lines(tuple(lines[1:])), "1015")


TEXT = [
    layout
    for layout in LAYOUTS
    if "JSON" not in layout.name and layout.name not in ("ECS", "Logstash", "OTLP")
]


@pytest.mark.parametrize("layout", TEXT, ids=lambda layout: layout.name)
@settings(max_examples=40)
@given(
    at=st.integers(1_700_000_000_000, 1_900_000_000_000),
    level=st.sampled_from(("INFO", "WARN", "ERROR", "DEBUG")),
    message=st.sampled_from(MESSAGES[:2]),
    words=st.text(st.characters(codec="ascii", categories=("L", "N"), include_characters=" .,-=()"), max_size=60),
    thread=st.sampled_from(THREADS),
)  # fmt: skip
def test_by_template_a_line_says_what_it_says_on_its_own(layout, at, level, message, words, thread):
    logger = "org.apache.kafka.clients.NetworkClient"
    source = [Entry(1_800_000_000_000 + n, "INFO", logger, MESSAGES[0], thread) for n in range(5)]
    found = detect_layout("".join(map(layout.write, source)).encode())
    line = layout.write(Entry(at, level, logger, f"{message} {words}".rstrip(), thread)).rstrip("\n")
    alone = read_head(line)
    by_template = next(
        (head for one in found.templates if (head := template_of(*one).read(line)) is not None), None
    )
    if by_template is not None:
        assert alone is not None
        assert (by_template.at, by_template.level, by_template.logger, by_template.message) == (
            alone.at, alone.level, alone.logger, alone.message,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "lead"),
    [
        (["a/app.log:7:INFO x", "a/app.log:9:INFO y", "b.log:3:INFO z"], "a/app.log:7:"),
        (["app.log:INFO x", "app.log.1:INFO y", "app.log:INFO z"], "app.log:"),
        (["12:53:07 INFO x", "12:53:08 INFO y", "12:53:09 INFO z"], ""),
        (["21/Nov/2026:10:53:21 INFO x", "21/Nov/2026:10:54:21 INFO y"], ""),
        (["7: INFO x", "9: INFO y", "10: INFO z"], "7: "),
    ],
)
def test_files_and_numbers_that_grep_puts_before_lines(lines, lead):
    found = re.match(prefix_of_lines(tuple(lines)), lines[0])
    assert found is not None
    assert found[0] == lead


def _records(data: bytes) -> list[LogRecord]:
    reader = ChunkReader(detect_layout(data), "s", settings=ReadSettings())
    return [one for one in reader.read(io.BytesIO(data)) if isinstance(one, LogRecord)]


def test_a_collectors_time_alone_on_its_line_neither_begins_a_record_nor_splits_a_trace():
    collected, own = "2026-01-05 15:30:00 ", "2026-01-05 10:00:0{}.159 ERROR 7 --- [main] {} : {}"
    lines = [
        own.format(
            1, "o.a.k.c.c.i.ConsumerCoordinator", "[Consumer clientId=c, groupId=g] (Re-)joining group"
        ),
        collected,
        own.format(2, "c.e.Orders", "gave up"),
        collected,
        "java.lang.IllegalStateException: no answer",
        collected,
        "    at com.example.Orders.run(Orders.java:7)",
        collected,
        "Caused by: org.apache.kafka.clients.consumer.CommitFailedException: Offset commit cannot be completed since",
    ]
    records = _records("\n".join(lines).encode())
    assert [(one.line, one.logged_at) for one in records] == [(1, 1767607201159), (3, 1767607202159)]


def test_a_line_that_opens_with_what_brackets_hold_goes_on_with_the_message_before_it():
    text = b"Member m-1 sending LeaveGroup request to coordinator\n(reason: consumer poll timeout has expired. This means\n"
    records = _records(text + b"(Re-)joining group orders\n")
    assert [(one.line, one.line_count) for one in records] == [(1, 2), (3, 1)]


@pytest.mark.parametrize("context", ["orders-sink|task-0", "orders-sink|worker"])
def test_a_connectors_context_that_few_lines_have_is_none_of_the_message(context):
    own = "[2026-01-05 10:00:0{},159] INFO {}Kafka version: 4.2.1 (org.apache.kafka.common.utils.AppInfoParser:119)\n"
    lines = [own.format(number % 10, "") for number in range(99)]
    records = _records("".join([*lines, own.format(9, f"[{context}] ")]).encode())
    assert {one.message for one in records} == {"Kafka version: 4.2.1"}
    assert records[-1].extra == {"context": context}


LINE = "[2026-01-05 10:00:{:02d},123] INFO [Consumer clientId=a, groupId=g] Resetting generation (org.apache.kafka.Logs)\n"


def test_the_number_of_a_line_is_no_container() -> None:
    numbered = "".join(f"{number:4} | {LINE.format(number)}" for number in range(1, 40))
    assert detect_layout(numbered.encode()).wrappers == ()


def test_of_lines_that_are_all_alike_some_say_what_all_would():
    alike = "".join(LINE.format(number % 60) for number in range(200))
    found = detect_layout(alike.encode())
    assert (found.layout, found.evidence["lines"]) == ("[<time>] <level> <message> (<logger>)", SOME_LINES)
    # A dump at the beginning tells of one head alone, and another head that the lines before didn't have is looked for.
    dump = LINE.format(0).replace(" (org.apache.kafka.Logs)", "") + "\tacks = all\n" * 99
    assert detect_layout((dump + alike).encode()).layout == found.layout
    other = "2026-01-05 10:01:00 WARN [main] o.a.k.clients.NetworkClient : [Producer clientId=p] Closing\n"
    assert len(detect_layout((LINE.format(1) * 20 + other * 30 + alike).encode()).templates) == 2


@pytest.mark.parametrize(
    "end",
    [
        "Unhandled exception. Confluent.Kafka.ConsumeException: Broker: Unknown topic or partition",
        "panic: kafka: client has run out of available brokers to talk to",
        "thread 'main' panicked at 'KafkaError (Message consumption error: BrokerTransportFailure)', src/main.rs:7:5",
        "ERRO[0017] the consumer said: read tcp 10.0.0.2:5->10.0.0.9:9092: i/o timeout",
        "Error: Executing consumer group command failed due to org.apache.kafka.common.errors.TimeoutException: x",
    ],
)
@pytest.mark.parametrize("container", ["", "pay-1  | "])
def test_what_a_runtime_or_another_logger_prints_is_none_of_the_record_above(end, container):
    said = "%4|1795356710.782|SESSTMOUT|pay#consumer-1| [thrd:main]: Consumer group session timed out (join-state steady)\n"
    records = _records(f"{container}{said}{container}{end}\n".encode())
    assert [one.line for one in records] == [1, 2]


def test_a_name_of_python_between_underscores_is_no_emphasis():
    said = "2026-01-05 10:00:00,123 WARNING         base                    {}    107   1396373 Heartbeat failed; retrying\n"
    assert "emphasised" not in detect_layout(said.format("__call__:61").encode()).evidence
    assert detect_layout(said.format("__done 61__").encode()).evidence["emphasised"] == 1


@pytest.mark.parametrize(
    "head", ["[2026-01-05 10:00:00,123: ERROR]: ", "[2026-01-05 10:00:00,123: ERROR/MainProcess] "]
)
def test_a_trace_below_a_level_that_its_brackets_hold_is_of_its_record(head):
    said = f"{head}Committing raised: CommitFailedError('Commit cannot be completed')\n"
    trace = 'Traceback (most recent call last):\n  File "x.py", line 7\nkafka.errors.UnknownError: [Error -1] UnknownError\n'
    records = _records(f"{said}{trace}{said}".encode())
    assert [(one.line, one.line_count) for one in records] == [(1, 4), (5, 1)]


def test_an_object_that_is_printed_before_a_log_makes_no_layout_of_it():
    said = '{\n  "message": "22",\n  "type": "log"\n}\n'
    line = (
        "2026/01/05 10:0{}:00 client.go:60: ERR kafka: client has run out of available brokers to talk to\n"
    )
    records = _records(f"{said}{line.format(1)}{line.format(2)}".encode())
    assert [(one.line, one.level) for one in records] == [(5, "ERROR"), (6, "ERROR")]


def test_objects_of_json_are_lines_of_their_own_however_a_comment_indents_them():
    said = '{{"level":"INFO","timestamp":"2026-01-05T10:00:0{}.101Z","logger":"kafkajs","message":"[Consumer] {}"}}'
    lines = [
        "/**",
        *(f"    {said.format(at, word)}" for at, word in enumerate(("Starting", "Stopped"))),
        " */",
    ]
    records = _records("\n".join(lines).encode())
    assert [one.line for one in records if one.logged_at is not None] == [2, 3]
