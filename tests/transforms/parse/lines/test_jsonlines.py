"""Fields of JSON loggers under the names that each gives them."""

import io

import pytest

from transforms.parse.layouts.detect import detect_layout
from transforms.parse.lines.jsonlines import behind, cut_off, load, records_of
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.streams import open_source
from transforms.records import LogRecord


@pytest.mark.parametrize(
    ("value", "level", "message"),
    [
        ({"level": 50, "time": 1700000000000, "msg": "away"}, "ERROR", "away"),
        ({"level": 20, "time": 1700000000000, "msg": "there"}, "DEBUG", "there"),
        ({"severity": 4, "message": "slow"}, "WARN", "slow"),
        ({"@t": "2026-01-05T10:00:00Z", "@l": "Warning", "@m": "slow"}, "WARN", "slow"),
        ({"level": "WARN", "fields": {"message": "slow"}, "target": "pay::consumer"}, "WARN", "slow"),
        ({"@t": "2026-01-05T10:00:00Z", "@mt": "there", "SourceContext": "Orders.Worker"}, None, "there"),
        ({"level_name": "ERROR", "message": "away"}, "ERROR", "away"),
        ({"level": "ERROR", "message": {"message": "away", "code": 7}}, "ERROR", "away"),
        ({"level": "ERROR", "message": {"text_of": "away", "code": 7}}, "ERROR", "away"),
        ({"content": {"message": "away", "attributes": {"level": "ERROR"}}}, "ERROR", "away"),
        (
            {"app_time": "2026-01-05T10:00:00Z", "app_level": "WARN", "app_message": "slow", "id": 7},
            "WARN",
            "slow",
        ),
    ],
    ids=[
        "pino",
        "bunyan",
        "syslog",
        "Serilog",
        "Rust's tracing",
        "Serilog at its usual level",
        "Monolog",
        "a message's own",
        "alone in it",
        "an exporter's",
        "a word before each",
    ],
)
def test_level_and_message_are_found(value, level, message):
    (record,) = records_of(value)
    assert (record.level, record.message) == (level, message)


def test_a_message_alone_that_has_a_word_before_it_makes_no_record():
    assert not list(records_of({"error_message": "away", "id": 7}))
    assert not list(records_of({"error_message": "away", "log_level": "WARN"}))


@pytest.mark.parametrize(
    "value",
    [
        {"asctime": "2026-01-05 10:00:00,125", "levelname": "ERROR", "name": "kafkajs", "message": "away"},
        {"level": "error", "message": "away", "extra": {"logger": "kafkajs", "timestamp": "2026-01-05 10:00:00,125"}},
    ],
    ids=["Python's names", "what winston keeps apart"],
)  # fmt: skip
def test_a_logger_and_a_time_are_found(value):
    (record,) = records_of(value)
    assert (record.logger, record.at) == ("kafkajs", "2026-01-05 10:00:00,125")


@pytest.mark.parametrize("node", [{"node": {"name": "pay-1"}}, {"node.name": "pay-1"}])
def test_of_a_dotted_name_any_part_may_be_an_object(node):
    (record,) = records_of({"log.level": "WARN", "message": "slow", "service": {"name": "pay", **node}})
    assert (record.service, record.instance) == ("pay", "pay-1")


@pytest.mark.parametrize("elision", ["...", ", ...", ', ..., "topic": "a"', "\u2026"])
def test_an_object_of_which_an_author_left_fields_out_has_the_others(elision):
    value = cut_off(f'{{"level":"INFO","logger":"kafkajs","message":"[Consumer] Starting"{elision}}}')
    assert value is not None
    assert value["message"] == "[Consumer] Starting"


def test_a_trace_that_a_paste_cut_is_read_as_far_as_it_goes():
    fields = '"level":"ERROR","logger":"com.acme.Pay","message":"failed"'
    value = cut_off(
        f'{{{fields},"stack_trace":"org.apache.kafka.common.errors.TimeoutException: away\\n\\tat org.ap'
    )
    assert value is not None
    assert value["stack_trace"] == "org.apache.kafka.common.errors.TimeoutException: away\n\tat org.ap"


def test_an_object_that_lost_its_first_brace_is_read():
    logger = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
    line = (
        f'"@timestamp":"2026-01-05T10:00:00.125Z","message":"away","logger_name":"{logger}","level":"INFO"}}'
    )
    assert behind(line) == "{" + line


@pytest.mark.parametrize("sign", [",", " \\", '"', "|", "];", "  "])
def test_what_a_list_or_a_program_puts_behind_an_object_is_none_of_it(sign):
    assert load(f'{{"level":"ERROR","message":"[Consumer] Starting"}}{sign}') is not None


@pytest.mark.parametrize("quote", [b'"', b"'"])
def test_an_object_that_node_printed_over_several_lines_is_one_record(quote):
    data = (
        b"It says:\n{\n  clientId: 'pay',\n  level: 'ERROR',\n  logger: 'kafkajs',\n"
        b"  message: '[Connection] Response OffsetCommit(key: 8, version: 2)',\n"
        b"  timestamp: '2026-01-05T10:00:00.125Z'\n}\n"
    )
    data = data.replace(b"'", quote)
    (record,) = ChunkReader(detect_layout(data), "s").read(open_source(io.BytesIO(data)))
    assert isinstance(record, LogRecord)
    assert (record.line, record.line_count, record.logged_at) == (2, 7, 1767607200125)


@pytest.mark.parametrize(
    ("behind", "is_whole"), [(b"", True), (b"\n```\n2026-01-05 10:00:01 INFO began\n```\n", False)]
)
def test_an_object_over_several_lines_in_the_only_fence_of_a_page_is_one_record(behind, is_whole):
    fields = b'"level": "ERROR",\n  "timestamp": "2026-01-05T10:00:00.125Z",\n  "message": "away"'
    data = b"It says:\n\n```json\n{\n  " + fields + b"\n}\n```\n"
    assert (detect_layout(data + behind).layout == "json") == is_whole
