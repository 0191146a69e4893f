"""Lines of a topic that may be part of a record that grows: waited for in the row of their origin; without a broker."""

import json

import pytest
from deltalake import DeltaTable

from conf.settings import load_conf
from jobs.pipeline import Input, open_lake, trigger
from jobs.progress import Progress
from jobs.streaming.stream import Stream
from lab.soak.kills import NO_SESSION
from lab.soak.rows import balanced_accounting, differences, versions
from lab.soak.topic_double import Paper, shipped
from transforms.plans.topics import topic_of

QUIET = Progress(is_shown=False)
CONF = load_conf()
TOPIC = topic_of("kafka://paper:9092/logs", "--logs")
HOUR_MS = 3_600_000
KAFKA = "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
JOINED = "[2026-01-01 00:0{}:00,000] INFO [Consumer clientId=c, groupId=g] Successfully joined group " + KAFKA
TRACE = [
    f"[2026-01-01 00:01:00,000] ERROR [Consumer clientId=c, groupId=g] Offset commit failed {KAFKA}",
    "org.apache.kafka.clients.consumer.CommitFailedException: the group has rebalanced",
    "\tat org.apache.kafka.clients.consumer.KafkaConsumer.commitSync(KafkaConsumer.java:1)",
    "Caused by: org.apache.kafka.common.errors.TimeoutException: x",
    "\t... 2 more",
]
LOG = [JOINED.format(0), *TRACE, JOINED.format(2)]


def bare(lines, _begin):
    return lines


def with_places(lines, begin):
    """As a shipper sends them."""
    at = sum(len(line) + 1 for line in LOG[:begin])
    return [json.dumps(one) for one in shipped([f"{line}\n".encode() for line in lines], "/log/app.log", at)]


class Clock:
    now = 1_800_000_000_000_000_000

    def pass_hours(self, hours):
        self.now += hours * HOUR_MS * 1_000_000


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr("jobs.pipeline.time.time_ns", lambda: made.now)
    return made


@pytest.fixture
def topic():
    paper = Paper()
    with paper.read():
        yield paper


def stream_of(lake, **how):
    how = {"may_vanish": True, "flush_ms": HOUR_MS} | how
    return Stream(NO_SESSION, lake, Input([], topics=[TOPIC], **how), CONF, QUIET)


def records(root):
    rows = DeltaTable(root / "bronze" / "log_records").to_pyarrow_table().to_pylist()
    return {row["logged_at"].minute: (row["record_id"], row["line_count"]) for row in rows}


def lines_read(root):
    return sum(row["lines_read"] for row in balanced_accounting(root))


@pytest.mark.parametrize("make", [bare, with_places])
def test_a_stack_trace_line_by_line(topic, clock, tmp_path, make):
    root = tmp_path / "lake"
    with open_lake(root, CONF) as lake:
        stream = stream_of(lake)
        for number, line in enumerate(LOG[:-1]):
            topic.write(*make([line], number))
            stream.once()
            assert {lines for _, lines in records(root).values()} <= {1}
            assert set(records(root)) == ({0} if number else set())  # what is complete does not wait
        assert lines_read(root) == 1
        stood = versions(root)
        assert stream.once().read == 0
        assert versions(root) == stood
        topic.write(*make(LOG[-1:], len(LOG) - 1))
        stream.once()
        assert {minute: lines for minute, (_, lines) in records(root).items()} == {0: 1, 1: len(TRACE)}
        assert lines_read(root) == len(LOG) - 1
        clock.pass_hours(1)
        assert stream.once().read == 1  # without any new message
        assert set(records(root)) == {0, 1, 2}
        assert lines_read(root) == len(LOG)
        assert stream.once().read == 0
    with open_lake(tmp_path / "at-once", CONF) as lake:
        trigger(NO_SESSION, lake, Input([], topics=[TOPIC]), CONF, QUIET, job="run")
    assert differences(tmp_path / "at-once", root) == {}


@pytest.mark.parametrize("make", [bare, with_places])
def test_it_is_given_when_nothing_came_and_replaced_under_its_id(topic, clock, tmp_path, make, monkeypatch):
    """Also where the stream is killed while it gives it, and where the brokers are gone by then."""
    root = tmp_path / "lake"
    with open_lake(root, CONF) as lake:
        topic.write(*make(LOG[:3], 0))
        stream_of(lake).once()
        assert set(records(root)) == {0}
        clock.pass_hours(1)
        with monkeypatch.context() as patched:
            patched.setattr("jobs.pipeline.ingest.write_accounting", lambda *_: 1 / 0)
            assert stream_of(lake).once() is None
        Stream(NO_SESSION, lake, Input([], flush_ms=HOUR_MS), CONF, QUIET).once()
        record_id, lines = records(root)[1]
        assert lines == 2
        assert lines_read(root) == 3
        topic.write(*make(LOG[3:5], 3))
        stream_of(lake).once()
        assert records(root)[1] == (record_id, 4)  # what was given is given as it grows
        topic.write(*make(LOG[5:], 5))
        stream_of(lake).once()
        assert records(root)[1] == (record_id, len(TRACE))
        assert set(records(root)) == {0, 1}
        trigger(NO_SESSION, lake, Input([], topics=[TOPIC]), CONF, QUIET, job="run")  # takes all at once
        assert set(records(root)) == {0, 1, 2}
        assert lines_read(root) == len(LOG)
    with open_lake(tmp_path / "at-once", CONF) as lake:
        trigger(NO_SESSION, lake, Input([], topics=[TOPIC]), CONF, QUIET, job="run")
    assert differences(tmp_path / "at-once", root) == {}
