# ruff: noqa: E501  # a line of a log is a line
"""Limits by the log's own arithmetic: a default stands in no title, and what the log refutes stands nowhere."""

import pytest

from tests.answered import answered
from tests.story import line, story, told
from transforms.diagnose.wording.limits import limit_from

NAME = "task.timeout.ms"
TASK = "org.apache.kafka.streams.processor.internals.StreamTask"
PREFIX = "stream-thread [orders-5d1f3b2e-StreamThread-1] task [0_1] "
COORDINATOR = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
CONSUMER = "[Consumer clientId=consumer-1, groupId=orders] "


@pytest.mark.parametrize(
    ("known", "words", "sentence"),
    [
        pytest.param({"ms": 10_000, "origin": "logged"}, f"{NAME} = 10 s", "from the client's own log", id="logged"),
        pytest.param(
            {"ms": 300_000, "origin": "default:3.5", "counted_down_ms": 10_000},
            f"{NAME} = 10 s", "from the client's own log", id="counted down, not the default",
        ),
        pytest.param(
            {"ms": 300_000, "origin": "default:3.5", "at_most_ms": 25_004},
            f"{NAME} (at most 25 s)", "at most 25 s", id="a default that ran out too early is refuted",
        ),
        pytest.param(
            {"ms": 300_000, "origin": "default:3.5", "at_most_ms": 1_570_000},
            NAME, "at most 26 min 10 s", id="that it is no longer than five times the default is no news for a title",
        ),
        pytest.param({"ms": 300_000, "origin": "default:3.5"}, NAME, "5 min if the default holds", id="a default alone"),
        pytest.param({"ms": None, "origin": None}, NAME, "not in this log", id="nothing"),
    ],
)  # fmt: skip
def test_a_limit_in_words(known, words, sentence):
    limit = limit_from(NAME, known.pop("ms"), known.pop("origin"), **known)
    assert limit.words == words
    assert sentence in limit.sentence
    assert (limit.ms is None) == ("=" not in words)


def countdown(*remaining):
    return [
        line(
            number * 4_000,
            "DEBUG",
            TASK,
            f"{PREFIX}Task did not make progress. Remaining time to deadline {ms}; retrying.",
        )
        for number, ms in enumerate(remaining)
    ]


def test_the_first_time_left_is_the_limit():
    (incident,) = told(*countdown(10_000, 6_000, 2_000))
    assert "8 s without progress so far, 2 s left of task.timeout.ms = 10 s" in incident.title
    assert "from its first line here, with 10 s left" in incident.cause
    assert (incident.limit_ms, incident.limit_origin) == (10_000, "logged")


def test_a_log_that_begins_within_a_run_does_not_know_it():
    (incident,) = told(*countdown(6_417, 2_403))
    assert incident.limit_ms is None
    assert "=" not in incident.title


def test_a_member_that_joined_ten_seconds_before_its_poll_timeout_has_no_longer_limit():
    lines = [
        line(0, "INFO", COORDINATOR, f"{CONSUMER}Successfully joined group with generation Generation{{generationId=5, memberId='consumer-1-0d3', protocol='range'}}"),
        line(10_100, "WARN", COORDINATOR, f"{CONSUMER}consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms"),
    ]  # fmt: skip
    (incident,) = [one for one in told(*lines) if one.verdict != "benign"]
    assert "limit max.poll.interval.ms (at most 10.1 s)" in incident.title
    assert "5 min" not in incident.title + incident.cause


EXPIRED = (
    "stream-thread [orders-5d1f3b2e-StreamThread-1] Encountered the following exception during processing and the thread is "
    "going to shut down:\n"
    "org.apache.kafka.streams.errors.StreamsException: org.apache.kafka.common.errors.TimeoutException: Task 0_1 did not make "
    "progress within 10000 ms. Adjust `task.timeout.ms` if needed.\n"
    "\tat org.apache.kafka.streams.processor.internals.AbstractTask.maybeInitTaskTimeoutOrThrow(AbstractTask.java:1)\n"
    "Caused by: org.apache.kafka.common.errors.TimeoutException: Task 0_1 did not make progress within 10000 ms. Adjust "
    "`task.timeout.ms` if needed."
)


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param("", id="cut"),
        pytest.param(
            "\n\tat org.apache.kafka.streams.processor.internals.TaskManager.process(TaskManager.java:1)",
            id="cut later",
        ),
        pytest.param(
            "\nCaused by: org.apache.kafka.common.errors.TimeoutException: Timeout expired after 60000ms while awaiting "
            "InitProducerId\n\t... 12 more",
            id="whole",
        ),
    ],
)
def test_a_stack_trace_that_may_be_cut_accuses_nobody(rest):
    thread = "org.apache.kafka.streams.processor.internals.StreamThread"
    found = story(
        line(0, "DEBUG", TASK, f"{PREFIX}Committed"),
        line(0, "INFO", "org.apache.kafka.common.utils.AppInfoParser", "Kafka version: 3.5.2"),
        line(20_000, "ERROR", thread, EXPIRED + rest),
    )
    assert [one.rule_id for one in found.findings if one.category == "broken_semantics"] == []
    assert {one.verdict for one in found.incidents} <= {"as_designed", "benign"}


def test_process_is_not_blamed_where_the_trace_names_init_transactions():
    text = (
        "stream-thread [orders-5d1f3b2e-StreamThread-1] Encountered the following exception during processing and the thread "
        "is going to shut down:\norg.apache.kafka.streams.errors.StreamsException: Exception caught in process. taskId=0_1\n"
        "Caused by: org.apache.kafka.common.errors.TimeoutException: Timeout expired after 60000ms while awaiting InitProducerId"
    )
    (incident,) = [
        one
        for one in told(line(0, "ERROR", "org.apache.kafka.streams.processor.internals.StreamThread", text))
        if one.verdict != "benign"
    ]
    assert "process()" not in incident.title + incident.cause + incident.advice


@pytest.mark.parametrize(
    ("waited_ms", "said"),
    [
        pytest.param(46, "By default it has longer than 46 ms: that is set to less here", id="less than the default"),
        pytest.param(243_540, "more than the default of 1 min, or the client itself came 3 min 3 s late", id="more than the default"),
    ],
)  # fmt: skip
def test_a_wait_is_held_against_the_default_of_a_limit_that_nobody_saw(tmp_path, waited_ms, said):
    text = f"%5|1763355988.132|REQTMOUT|pay#producer-1| [thrd:b0:9092/0]: b0:9092/0: Timed out MetadataRequest in flight (after {waited_ms}ms, timeout #0)"
    assert said in answered(text, tmp_path)[1]


def test_a_producer_without_an_id_has_sent_nothing(tmp_path):
    text = '2026-01-05 10:00:00,123 ERROR [main] c.a.Pay - "nested exception is org.apache.kafka.common.errors.TimeoutException: Timeout expired after 60000milliseconds while awaiting InitProducerId"'
    told_of_it = answered(text, tmp_path)[1]
    assert "No record was sent, so none is lost" in told_of_it
    assert "records were lost" not in told_of_it
