# ruff: noqa: E501 (lines of logs are written whole)
"""Chunks, growth, long and broken input: the same records, and every byte and line booked once."""

import gzip
import io
import json
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.layouts.records import Entry
from lab.layouts.render import LAYOUTS, WRAPPERS, write
from transforms.parse.layouts.detect import detect_layout
from transforms.parse.layouts.layout import SourceLayout
from transforms.parse.layouts.starts import starts_of
from transforms.parse.records.books import Books
from transforms.parse.records.build import Place, RecordBuilder, Unparsed
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.spans import ReadSettings
from transforms.parse.records.streams import fingerprint, open_source
from transforms.records import LogRecord

SMALL = ReadSettings(keep="all", max_record_bytes=300, block_bytes=64)
KAFKA = "org.apache.kafka.clients.NetworkClient"
HEAD = "[2026-11-21 02:19:38,772] INFO "


def read(
    data: bytes, keep: str = "kafka", layout: SourceLayout | None = None, **settings: int
) -> tuple[list[LogRecord], list[Unparsed], Books]:
    layout = layout or detect_layout(data)
    reader = ChunkReader(layout, "s", settings=ReadSettings(keep=keep, **settings))
    pieces = list(reader.read(open_source(io.BytesIO(data))))
    assert reader.books.is_balanced
    return (
        [piece for piece in pieces if isinstance(piece, LogRecord)],
        [piece for piece in pieces if isinstance(piece, Unparsed)],
        reader.books.total,
    )


# What the drawn files are made of: heads, continuations, blank lines, other layouts, odd bytes.
LINES = [
    b"[2026-11-21 02:19:38,772] INFO Kafka version: 4.2.1 (org.apache.kafka.common.utils.AppInfoParser)",
    b"[2026-11-21 02:19:39,001] WARN order 7 is late (com.example.orders.OrderService)",
    b"[2026-11-21 02:19:39,500] INFO ProducerConfig values: ",
    b"\tacks = -1",
    b" (org.apache.kafka.clients.producer.ProducerConfig)",
    b"org.apache.kafka.common.errors.TimeoutException: Expiring 3 record(s) for t-0:120001 ms has passed",
    b"\tat org.apache.kafka.clients.producer.internals.Sender.run(Sender.java:240)",
    b"",
    b"   ",
    b"2026-11-21 02:19:40.000  INFO 1 --- [main] o.a.k.clients.NetworkClient : Node 1 disconnected.",
    b'{"@timestamp":"2026-11-21T02:19:41Z","level":"INFO","logger_name":"org.apache.kafka.A","message":"m"}',
    b'{"@timestamp":"2026-11-21T02:19:41Z","level"',
    b"caf\xe9 \xff\x00",
    b"x" * 400,
    b"[2026-11-21 02:19:42,000] ERROR " + b"y" * 400,
    b"\r",
]
FILES = st.lists(st.sampled_from(LINES), max_size=30).flatmap(
    lambda lines: st.sampled_from([b"\n".join(lines), b"\n".join(lines) + b"\n"])
)
TEXT = detect_layout(b"[2026-11-21 02:19:38,772] INFO x (org.apache.kafka.clients.Metadata)\n" * 3)
JSON = detect_layout(
    b'{"@timestamp":"2026-11-21T02:19:38Z","level":"INFO","logger_name":"a.B","message":"x"}\n' * 3
)
PLAIN = SourceLayout("plain", *starts_of("plain", (), ""))


def pieces_of(data: bytes, layout: SourceLayout, start: int, end: int | None, line: int, keep: str):  # type: ignore[no-untyped-def]
    reader = ChunkReader(
        layout, "s", start, end, line, ReadSettings(keep=keep, max_record_bytes=300, block_bytes=64)
    )
    pieces = list(reader.read(io.BytesIO(data)))
    assert reader.books.is_balanced
    return pieces, reader.books


def lines_of(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and len(data) > 0)


@pytest.mark.parametrize("layout", [TEXT, JSON, PLAIN], ids=lambda layout: layout.name)
@pytest.mark.parametrize("keep", ["all", "kafka"])
@settings(max_examples=120)
@given(data=FILES, cuts=st.lists(st.integers(0, 1500), max_size=5))
def test_any_cut_into_chunks_gives_the_same(layout, keep, data, cuts):
    whole, books = pieces_of(data, layout, 0, None, 1, keep)
    assert books.total.bytes_read == len(data)
    assert books.total.lines_read == lines_of(data)
    borders = sorted({0, *(cut for cut in cuts if cut < len(data))})
    found, total = [], Books()
    for start, end in zip(borders, [*borders[1:], None], strict=True):
        pieces, books = pieces_of(data, layout, start, end, data.count(b"\n", 0, start) + 1, keep)
        found += pieces
        total.add(books.total)
    assert found == whole
    assert total == pieces_of(data, layout, 0, None, 1, keep)[1].total


@pytest.mark.parametrize("layout", [TEXT, JSON, PLAIN], ids=lambda layout: layout.name)
@settings(max_examples=150)
@given(data=FILES, cut=st.integers(0, 1500))
def test_a_file_that_grew_gives_the_same_as_if_read_at_once(layout, data, cut):
    whole, books = pieces_of(data, layout, 0, None, 1, "all")
    first, before = pieces_of(data[:cut], layout, 0, None, 1, "all")
    resume, line = before.resume_offset or 0, before.resume_line or 1
    second, after = pieces_of(data, layout, resume, None, line, "all")
    assert [piece for piece in first if piece.offset < resume] + second == whole
    total = Books()
    total.add(before.settled)
    total.add(after.total)
    assert total == books.total


ENTRIES = [
    Entry(1_800_000_000_000 + number * 7, level, logger, message)
    for number, (level, logger, message) in enumerate(
        [
            ("INFO", KAFKA, "[Producer clientId=p] Node 1 disconnected."),
            ("INFO", "org.apache.kafka.clients.producer.ProducerConfig", "ProducerConfig values: \n\tacks = -1\n\tretries = 3"),
            ("ERROR", "com.example.App", "failed\norg.apache.kafka.common.errors.TimeoutException: x\n\n\tat a.B.c(B.java:1)"),
            ("WARN", KAFKA, "z" * 20_000),
            ("INFO", KAFKA, "[Producer clientId=p] Node 2 disconnected."),
        ]
    )
]  # fmt: skip


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_an_enveloped_file_that_grew_gives_the_same(wrapper):
    data = WRAPPERS[wrapper](write(ENTRIES, LAYOUTS[0])).encode()
    layout = detect_layout(data)
    assert layout.wrappers
    settings = ReadSettings(keep="all")

    def read_from(upto: bytes, start: int, line: int):  # type: ignore[no-untyped-def]
        reader = ChunkReader(layout, "s", start, None, line, settings)
        pieces = sorted(reader.read(io.BytesIO(upto)), key=lambda piece: piece.offset)
        assert reader.books.is_balanced
        return pieces, reader.books

    whole, books = read_from(data, 0, 1)
    assert books.total.bytes_read == len(data)
    assert books.total.lines_read == lines_of(data)
    for cut in range(0, len(data), max(len(data) // 150, 1)):
        first, before = read_from(data[:cut], 0, 1)
        resume, line = before.resume_offset or 0, before.resume_line or 1
        second, after = read_from(data, resume, line)
        settled = [piece for piece in first if piece.offset < resume]
        assert sorted(settled + second, key=lambda piece: piece.offset) == whole, cut
        total = Books()
        total.add(before.settled)
        total.add(after.total)
        assert total == books.total, cut


def test_an_interleaved_source_is_one_chunk():
    data = WRAPPERS["compose"](write(ENTRIES, LAYOUTS[0])).encode()
    layout = detect_layout(data)
    assert not layout.is_splittable
    with pytest.raises(ValueError, match="one chunk"):
        ChunkReader(layout, "s", 0, 100)


def test_what_kafka_keep_leaves_out():
    lines = [
        f"{HEAD}Node 1 disconnected. (org.apache.kafka.clients.NetworkClient)",
        f"{HEAD}sent to kafka topic (com.example.kafka.Sender)",
        f"{HEAD}failed: Expiring 3 record(s) for t-0:120001 ms has passed since batch creation (com.example.A)",
        f"{HEAD}bye (com.example.A)",
        "java.lang.RuntimeException: org.apache.kafka.common.errors.TimeoutException: x",
        "",
        "",
    ]
    records, unparsed, books = read("\n".join(lines).encode())
    assert [record.line for record in records] == [1, 3, 4]
    assert not unparsed
    assert dict(books.lines_dropped) == {"not_kafka": 1, "blank": 1}


@pytest.mark.parametrize(
    "logger",
    ["o.a.k.c.NetworkClient", "o.a.kafka.clients.NetworkClient", "o.apache.kafka.clients.NetworkClient",
     "org.apache.kafka.clients.NetworkClient", "kafka.server.KafkaServer", "NetworkClient",
     ".a.k.s.p.i.a.HighAvailabilityTaskAssignor", "state.change.logger"],
)  # fmt: skip
def test_loggers_of_kafka_however_written(logger):
    data = f"2026-11-21 02:19:38,772 [main] INFO {logger} - Connection closed\n".encode() * 3
    records, _, _ = read(data)
    assert [record.logger for record in records] == [logger] * 3


def test_a_headless_dump_is_kept():
    data = f"\tacks = -1\n\tbatch.size = 16384\n (org.apache.kafka.clients.producer.ProducerConfig)\n{HEAD}x ({KAFKA})\n"
    (dump, _), unparsed, _ = read(data.encode())
    assert not unparsed
    assert (dump.offset, dump.line_count, dump.time_origin) == (0, 3, "none")
    assert dump.logger == "org.apache.kafka.clients.producer.ProducerConfig"
    assert "acks = -1" in dump.message


def test_lines_before_the_first_record_are_unparsed():
    _, (piece,), books = read(f"Starting service\nas root\n{HEAD}x ({KAFKA})\n".encode())
    assert (piece.reason, piece.line, piece.lines, piece.bytes) == ("no_record_start", 1, 2, 25)
    assert books.lines_unparsed == 2


def test_a_banner_and_then_json():
    line = json.dumps(
        {"@timestamp": "2026-11-21T02:19:38Z", "level": "INFO", "logger_name": KAFKA, "message": "m"}
    )
    thrown = "a.B$CException: no\n\tat a.B.c(B.java:1)"  # below its object it is its own
    data = f"Picked up JAVA_TOOL_OPTIONS\n{line}\nwords\n{line}\n{thrown}\n{HEAD}x ({KAFKA})\n".encode()
    records, unparsed, _ = read(data)
    assert [record.line for record in records] == [2, 4, 7]
    assert records[1].message == f"m\n{thrown}"
    assert [(piece.reason, piece.line) for piece in unparsed] == [
        ("no_record_start", 1),
        ("no_record_start", 3),
    ]


def test_broken_json_is_unparsed():
    line = json.dumps(
        {"@timestamp": "2026-11-21T02:19:38Z", "level": "INFO", "logger_name": KAFKA, "message": "m"}
    )
    data = f'{line}\n{{"level": "INFO", \n{line}\n{{"a": 1}}\n{line[:40]}'.encode()
    records, unparsed, _ = read(data, keep="all")
    assert [record.line for record in records] == [1, 3]
    assert [(piece.reason, piece.line) for piece in unparsed] == [
        ("bad_json", 2),
        ("unknown_json", 4),
        ("unfinished", 5),
    ]


def test_several_records_in_an_otlp_line():
    record = {"timeUnixNano": "1800000000123456789", "severityText": "INFO", "body": {"stringValue": "m"}}
    scope = {"scope": {"name": KAFKA}, "logRecords": [record, record]}
    data = json.dumps({"resourceLogs": [{"scopeLogs": [scope]}]}).encode() + b"\n"
    records, _, books = read(data)
    assert len({found.offset for found in records}) == 2
    assert {found.logged_at for found in records} == {1_800_000_000_123}
    assert (books.records, books.lines_in_records, books.bytes_in_records) == (2, 1, len(data))


def test_newest_first():
    lines = [f"[2026-11-21 02:19:{59 - n:02d},000] INFO {n} ({KAFKA})" for n in range(20)]
    records, _, _ = read("\n".join(lines).encode())
    assert [record.position for record in records] == [-record.offset for record in records]
    assert sorted(records, key=lambda record: record.position)[0].message == "19"


def test_invalid_utf8_is_kept_and_counted():
    data = f"{HEAD}caf".encode() + b"\xe9" + f" ({KAFKA})\n".encode()
    (record,), _, books = read(data)
    assert record.message == "caf\ufffd"
    assert books.decode_errors == 1


def test_utf16_with_a_mark():
    (record,), _, _ = read(b"".join(_utf16(f"{HEAD}café ({KAFKA})\r\n")), layout=TEXT)
    assert record.message == "café"


def _utf16(text: str) -> list[bytes]:
    return [text.encode("utf-16")]


def test_a_binary_file_is_one_row():
    data = bytes(range(256)) * 5000
    records, (piece,), books = read(data)
    assert not records
    assert (piece.reason, piece.bytes) == ("binary", len(data))
    assert books.bytes_unparsed == len(data)


def test_an_empty_file():
    assert read(b"")[:2] == ([], [])


@pytest.mark.parametrize("damage", [0, 9, 1_000])
def test_of_a_damaged_gzip_all_that_comes_before_the_damage_is_given(damage):
    lines = b"".join(b"%d\n" % (number * 7919 % 100_003) for number in range(60_000))
    packed = gzip.compress(lines)
    assert len(packed) > 110_000
    broken = packed[: -8 - damage] + b"\xff" * 8 + packed[len(packed) - damage :]
    source = open_source(io.BytesIO(broken))
    found = source.read()
    assert source.problem == "broken_gzip"
    assert len(found) > len(lines) - 4 * damage - 100
    assert found[: len(lines) - 4 * damage - 100] == lines[: len(lines) - 4 * damage - 100]


def test_gzip_by_its_magic_several_members_and_truncated():
    text = f"{HEAD}one ({KAFKA})\n".encode()
    packed = gzip.compress(text) + gzip.compress(text.replace(b"one", b"two"))
    source = open_source(io.BytesIO(packed))
    assert source.is_compressed
    assert source.read() == text + text.replace(b"one", b"two")
    many = text * 5000
    cut = gzip.compress(many)[:-20]
    layout = detect_layout(text)
    reader = ChunkReader(layout, "s")
    pieces = list(reader.read(open_source(io.BytesIO(cut))))
    assert pieces[-1].reason == "broken_gzip"  # type: ignore[union-attr]
    assert pieces[-1].bytes == 0  # type: ignore[union-attr]
    assert len(pieces) > 1000
    assert reader.books.is_balanced
    again = ChunkReader(layout, "s", reader.books.resume_offset or 0, None, reader.books.resume_line or 1)
    rest = list(again.read(open_source(io.BytesIO(gzip.compress(many)))))
    settled = [p for p in pieces if isinstance(p, LogRecord) and p.offset < (reader.books.resume_offset or 0)]
    assert len(settled) + len(rest) == 5000


def test_a_fingerprint_is_of_the_first_kib():
    assert fingerprint(b"a" * 1024 + b"b") == fingerprint(b"a" * 1024 + b"c")


class Endless(io.RawIOBase):
    """A file of one letter, made as it is read."""

    def __init__(self, size: int, begin: bytes = b"", period: int = 0) -> None:
        self.size, self.at, self.begin, self.period = size, 0, begin, period

    def seek(self, offset: int, whence: int = 0) -> int:
        self.at = offset
        return offset

    def read(self, size: int = -1) -> bytes:
        count = min(size, self.size - self.at)
        if count <= 0:
            return b""
        piece = bytearray(b"x" * count)
        for begin in range(0, self.size, self.period or self.size):
            offset = begin - self.at
            if -len(self.begin) < offset < count:
                for number, byte in enumerate(self.begin):
                    if 0 <= offset + number < count:
                        piece[offset + number] = byte
        self.at += count
        return bytes(piece)


@pytest.mark.parametrize(
    ("stream", "records"),
    [
        pytest.param(Endless(160 << 20), 0, id="no newline at all"),
        pytest.param(
            Endless(10 * (16 << 20), f"\n{HEAD}org.apache.kafka. ".encode(), 16 << 20), 10, id="10 long lines"
        ),
    ],
)
@pytest.mark.parametrize("layout", [TEXT, JSON, replace(TEXT, wrappers=("cri",), is_splittable=False)])
def test_long_lines_take_little_memory(stream, records, layout):
    tracemalloc.start()
    reader = ChunkReader(layout, "s")
    stream.seek(0)
    pieces = list(reader.read(stream))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20
    assert reader.books.is_balanced
    assert reader.books.total.bytes_read == stream.size
    found = [piece for piece in pieces if isinstance(piece, LogRecord)]
    assert len(found) == records
    for record in found:
        assert record.is_truncated
        assert len(record.text) <= 1 << 20


@pytest.mark.parametrize(
    "written",
    [
        '{"msg":"ERROR [Connection] Connection timeout {\\"timestamp\\":\\"2026-01-05T10:00:00.000Z\\",\\"logger\\":\\"kafkajs\\"}"}',
        'ERROR [ServerKafka] ERROR [Connection] Connection timeout {"timestamp":"2026-01-05T10:00:00.000Z","logger":"kafkajs"}',
        '[Nest] 1 - 01/05/2026, 10:00:00 AM ERROR [ServerKafka] ERROR [Connection] Connection timeout {"timestamp":"2026-01-05T10:00:00.000Z","logger":"kafkajs"}',
    ],
    ids=[
        "in a string of another object",
        "behind words without a time",
        "behind a date whose day may be a month",
    ],
)
def test_an_object_within_a_line_without_a_readable_time_tells_it(written):
    (record,), _, _ = read(written.encode() + b"\n")
    assert record.logged_at == 1_767_607_200_000


def test_lines_of_ruby_s_logger_are_records_of_their_own():
    data = (
        b"I, [2026-01-05T10:00:00.960411 #38385]  INFO -- : Joining group `orders`\n"
        b"E, [2026-01-05T10:00:00.961334 #38385] ERROR -- : Failed to find coordinator for group `orders`; retrying...\n"
        b"D, [2026-01-05T10:00:01.961334 #38385] DEBUG -- : Waiting for response 1 from b1:9092\n"
    )
    records, _, _ = read(data)
    assert [(one.line, one.line_count, one.level) for one in records] == [
        (1, 1, "INFO"),
        (2, 1, "ERROR"),
        (3, 1, "DEBUG"),
    ]


def test_records_that_one_span_holds_stand_on_their_own_lines():
    """Where a line looked as if it went on with the one before it, and is a record of its own."""
    at = "2026-01-05 10:00:00,{} ERROR [Consumer clientId=c, groupId=g] Request joining group due to: {} (a.b.C)"
    builder = RecordBuilder(SourceLayout("plain"), "source", True)
    place = Place(0, 41, 300, 2)
    pieces = builder.build("\n".join(at.format(number, "x") for number in (123, 124)), place)
    assert [(piece.line, piece.line_count) for piece in pieces] == [(41, 1), (42, 1)]
    pieces = builder.build("<br>".join(at.format(number, "x") for number in (123, 124)), Place(0, 41, 300, 1))
    assert [(piece.line, piece.line_count) for piece in pieces] == [(41, 1), (41, 1)]


def test_what_is_indented_does_not_make_a_log_a_plain_text():
    head = (
        "10:00:0{}.659 [info]  group coordinator (groupId=orders,memberId=,generation=0,pid=#PID<0.189.0>):\n"
    )
    text = (
        head.format(0)
        + "failed to join group\nreason:{:sock_down,\n"
        + "  {:a, :b, 2, [file: 'c', line: 3]},\n" * 20
    )
    data = (text + head.format(1) + "elected=true\n").encode()
    assert detect_layout(data).layout != "plain"


BARE = b"Got error produce response with correlation id 7 on topic-partition orders-3, retrying (4 attempts left). Error: NETWORK_EXCEPTION"


@pytest.mark.parametrize(
    "above",
    [
        b"2026-01-05 10:00:00,123 INFO  [main] OrderPage - handled",
        b'10.1.2.3 - - [05/Jan/2026:10:00:00 +0000] "GET /health HTTP/1.1" 200 12 "-" "probe/1.2"',
        b"what node-2  wrote (all) of it:",
    ],
    ids=["an application's record", "a request", "words"],
)
def test_what_a_client_says_below_a_line_of_others_is_a_record_of_its_own(above):
    bare = [BARE, b"Marking the coordinator dead (node 2)for group orders.", b"Leaving consumer group orders"]
    records, _, _ = read(b"\n".join([above, *bare, b"  of which nothing is said"]) + b"\n")
    assert [(one.line, one.message.partition("\n")[0].encode()) for one in records if one.line > 1] == [
        *zip((2, 3, 4), bare, strict=True)
    ]


def test_a_trace_and_an_exception_stay_with_the_record_above_them():
    thrown = b"org.apache.kafka.common.errors.TimeoutException: Expiring 3 record(s) for t-0:120001 ms has passed since batch creation"
    data = (
        b"2026-01-05 10:00:00,123 ERROR [main] com.example.App - lost\n"
        + thrown
        + b"\n\tat a.B.c(B.java:1)\n"
    )
    assert [(one.line, one.line_count) for one in read(data)[0]] == [(1, 3)]


def test_dots_that_a_paste_left_of_a_head_are_no_word_of_the_message():
    data = (
        b"[main] INFO App - polling\n... Revoke previously assigned partitions [orders-0]      <- close()\n"
    )
    data += b"... App info kafka.consumer for c unregistered\n[main] INFO App - closed\n"
    assert [(one.line, one.message.split(" ")[0]) for one in read(data)[0]] == [(2, "Revoke"), (3, "App")]


CUT = b'{"@timestamp":"2026-11-21T02:19:38Z","level":"WARN","message":"[Consumer clientId=c, groupId=g] m","logger_name":"org.apache.kafka.A","thread_name":"ma'


@pytest.mark.parametrize("before", [b"", b"```"], ids=["alone", "behind a fence"])
def test_an_object_that_was_cut_is_read_up_to_its_last_whole_field(before):
    (whole, cut), unparsed, _ = read(CUT + b'in"}\n' + before + CUT + b"\n")
    assert (cut.logged_at, cut.level, cut.logger, cut.message) == (
        whole.logged_at,
        "WARN",
        "org.apache.kafka.A",
        "[Consumer clientId=c, groupId=g] m",
    )
    assert (cut.thread, unparsed) == (None, [])


def test_an_object_that_was_cut_within_its_message_is_read_as_far_as_it_goes():
    begun = b'{"level":"WARN","logger":"org.apache.kafka.A","message":"[Consumer clientId=c, groupId=g] '
    (_, cut), unparsed, _ = read(begun + b'm"}\n' + begun + b"(Re-)joi\n")
    assert (cut.message, unparsed) == ("[Consumer clientId=c, groupId=g] (Re-)joi", [])


def test_an_array_with_an_object_on_each_line_holds_a_record_on_each():
    records, _, _ = read(b"[\n" + (CUT + b'in"},\n') * 3)
    assert [one.line for one in records] == [2, 3, 4]


def test_an_address_that_a_page_made_a_link_to_itself_is_the_address():
    data = b"%3|1700000000.123|FAIL|pay#producer-1| [thrd:[10.0.0.1:9092/1](http://10.0.0.1:9092/1)]: [10.0.0.1:9092/1](http://10.0.0.1:9092/1): Disconnected\n"
    (record,), _, _ = read(data)
    assert record.text.endswith("[thrd:10.0.0.1:9092/1]: 10.0.0.1:9092/1: Disconnected")
