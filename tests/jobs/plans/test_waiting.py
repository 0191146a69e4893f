"""A record that may still grow is waited for (stream.flush_after): never there in parts, never lost, nothing else late."""

import json
import os
import time

import pytest
from deltalake import DeltaTable

from conf.settings import load_conf
from jobs.pipeline import Input, open_lake, trigger
from jobs.progress import Progress
from jobs.streaming.stream import Stream
from lab.soak.kills import NO_SESSION
from lab.soak.rows import all_rows, balanced_accounting, differences, versions
from transforms.errors import BadInput

QUIET = Progress(is_shown=False)
CONF = load_conf()
HOUR_MS = 3_600_000
HOUR_NS = HOUR_MS * 1_000_000
KAFKA = "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
HEAD = "".join(
    f"[2026-01-01 00:00:{second:02d},000] INFO [Consumer clientId=c, groupId=g] Successfully joined group {KAFKA}\n"
    for second in range(12)
)  # longer than the KiB that a file is known by
TRACE = f"""\
[2026-01-01 00:01:00,000] ERROR [Consumer clientId=c, groupId=g] Offset commit failed {KAFKA}
org.apache.kafka.clients.consumer.CommitFailedException: the group has rebalanced
\tat org.apache.kafka.clients.consumer.KafkaConsumer.commitSync(KafkaConsumer.java:1)

\tat the.Application.run(Application.java:2)
Caused by: org.apache.kafka.common.errors.TimeoutException: x
\t... 2 more
""".splitlines(keepends=True)
NEXT = f"[2026-01-01 00:02:00,000] INFO [Consumer clientId=c, groupId=g] Successfully joined group {KAFKA}\n"


@pytest.fixture
def log(tmp_path):
    folder = tmp_path / "logs" / "svc"
    folder.mkdir(parents=True)
    return folder / "app.log"


def stream_of(lake, log, **how):
    how = {"most_bytes": 1 << 30, "may_vanish": True, "flush_ms": HOUR_MS} | how
    return Stream(NO_SESSION, lake, Input([str(log.parent)], **how), CONF, QUIET)


def grow(log, text):
    with log.open("a") as file:
        file.write(text)


def is_quiet(log):
    """Nothing came to it for two hours."""
    long_ago = time.time_ns() - 2 * HOUR_NS
    os.utime(log, ns=(long_ago, long_ago))


def records(root):
    table = DeltaTable(root / "bronze" / "log_records").to_pyarrow_table()
    rows = table.select(["record_id", "offset", "line_count"]).to_pylist()
    return {row["offset"]: (row["record_id"], row["line_count"]) for row in rows}


def balanced(root):
    """The bytes that are in the accounting."""
    return sum(row["bytes_read"] for row in balanced_accounting(root))


@pytest.fixture(scope="module")
def at_once(tmp_path_factory):
    """One batch over the whole log; and over it up to its stack trace."""
    lakes = []
    for text in (HEAD, HEAD + "".join(TRACE) + NEXT):
        folder = tmp_path_factory.mktemp("at-once")
        (folder / "logs" / "svc").mkdir(parents=True)
        log = folder / "logs" / "svc" / "app.log"
        log.write_text(text)
        with open_lake(folder / "lake", CONF) as lake:
            trigger(NO_SESSION, lake, Input([str(log.parent)]), CONF, QUIET, job="run")
        lakes.append(folder / "lake")
    return lakes


def test_a_stack_trace_that_comes_line_by_line_is_never_there_in_parts(log, tmp_path, at_once):
    root = tmp_path / "lake"
    before, whole = at_once
    with open_lake(root, CONF) as lake:
        stream = stream_of(lake, log)
        grow(log, HEAD + TRACE[0])
        assert stream.once().read == 1
        assert differences(before, root) == {}  # what is complete does not wait
        assert balanced(root) == len(HEAD)
        stood = versions(root)
        for line in TRACE[1:]:
            for part in (line[: len(line) // 2], line[len(line) // 2 :]):
                grow(log, part)
                assert stream.once().read == 0
        assert versions(root) == stood
        grow(log, NEXT)
        assert stream.once().read == 1
        assert records(root)[len(HEAD)][1] == len(TRACE)
        assert balanced(root) == len(HEAD + "".join(TRACE))
        is_quiet(log)
        assert stream.once().read == 1
        assert stream.once().read == 0
    assert differences(whole, root) == {}
    assert balanced(root) == log.stat().st_size


@pytest.mark.parametrize("cut", range(1, len(TRACE)))
def test_when_nothing_came_for_so_long_it_is_there_and_replaced_under_its_id(log, tmp_path, at_once, cut):
    root = tmp_path / "lake"
    with open_lake(root, CONF) as lake:
        stream = stream_of(lake, log)
        grow(log, HEAD + "".join(TRACE[:cut]))
        is_quiet(log)
        assert stream.once().read == 1
        record_id, lines = records(root)[len(HEAD)]
        assert lines == len("".join(TRACE[:cut]).rstrip("\n").split("\n"))
        grow(log, "".join(TRACE[cut:]))
        assert stream.once().read == 0  # it goes on: as it was told, until it is whole
        assert balanced(root) == len(HEAD + "".join(TRACE[:cut]))
        grow(log, NEXT)
        stream.once()
        assert records(root)[len(HEAD)] == (record_id, len(TRACE))
        is_quiet(log)
        stream.once()
    assert differences(at_once[1], root) == {}


def test_a_run_takes_all_at_once_and_a_killed_stream_loses_nothing(log, tmp_path, at_once, monkeypatch):
    root = tmp_path / "lake"
    grow(log, HEAD + "".join(TRACE))
    with open_lake(root, CONF) as lake:
        with monkeypatch.context() as patched:
            patched.setattr("jobs.pipeline.ingest.write_accounting", lambda *_: 1 / 0)
            assert stream_of(lake, log).once() is None
        stream_of(lake, log).once()
        assert balanced(root) == len(HEAD)
        grow(log, NEXT)
        trigger(NO_SESSION, lake, Input([str(log.parent)]), CONF, QUIET, job="run")
    assert differences(at_once[1], root) == {}
    assert balanced(root) == log.stat().st_size


def test_in_a_containers_envelopes_too(log, tmp_path):
    def wrapped(text):
        said = (
            {"log": line, "stream": "stdout", "time": "2026-01-01T00:00:00Z"}
            for line in text.splitlines(True)
        )
        return "".join(json.dumps(one) + "\n" for one in said)

    root = tmp_path / "lake"
    with open_lake(root, CONF) as lake:
        stream = stream_of(lake, log)
        grow(log, wrapped(HEAD + TRACE[0]))
        stream.once()
        for line in TRACE[1:]:
            grow(log, wrapped(line))
            assert stream.once().read == 0
        assert {lines for _, lines in records(root).values()} == {1}
        grow(log, wrapped(NEXT))
        stream.once()
        assert records(root)[len(wrapped(HEAD))][1] == len(TRACE)
        assert balanced(root) == len(wrapped(HEAD + "".join(TRACE)))


def test_small_triggers_and_short_files(log, tmp_path):
    """A file that is shorter than a KiB has another id with every byte; a trigger may take less than a record."""
    root = tmp_path / "lake"
    text = "".join(TRACE) + NEXT
    with open_lake(root, CONF) as lake:
        stream = stream_of(lake, log)
        for begin in range(0, len(text), 100):
            grow(log, text[begin : begin + 100])
            stream.once()
            assert {lines for _, lines in (records(root) or {0: (0, len(TRACE))}).values()} == {len(TRACE)}
        assert balanced(root) == len("".join(TRACE))
        stream = stream_of(lake, log, most_bytes=300)
        grow(log, HEAD)
        is_quiet(log)
        while stream.once().left_bytes:
            pass
        assert balanced(root) == log.stat().st_size
    with open_lake(tmp_path / "at-once", CONF) as lake:
        trigger(NO_SESSION, lake, Input([str(log.parent)]), CONF, QUIET, job="run")
    assert all_rows(tmp_path / "at-once") == all_rows(root)


def test_conf_refuses_a_time_below_nothing(tmp_path):
    extra = tmp_path / "conf.yaml"
    extra.write_text("stream: {flush_after: -1}")
    with pytest.raises(BadInput, match="flush_after is -1"):
        load_conf(extra)
