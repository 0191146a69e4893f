"""Log lines from a topic: the same tables whatever way they come; topics and brokers that are not there."""

import gzip
import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable

from conf.settings import Conf, KafkaConf
from jobs.engine.choice import Engines
from jobs.inputs.brokers import BrokerAway, extent_of
from jobs.pipeline import Input, open_lake, run
from jobs.progress import Progress
from jobs.streaming.stream import Stream, run_available
from lab.corpus import ROOT as RECORDINGS
from lab.record.broker import Broker
from lab.record.producer import Producer
from lab.soak.rows import differences, rows_of, versions
from transforms.errors import BadInput, KipwatchError
from transforms.plans.topics import topic_of

SCENARIO = "p62-slow-poll-42"
QUIET = Progress(is_shown=False)


def accounts(lake: Path) -> dict[str, int]:
    table = DeltaTable(lake / "bronze" / "accounting").to_pyarrow_table()
    names = (
        "lines_read",
        "lines_in_records",
        "lines_unparsed",
        "lines_dropped",
        "bytes_read",
        "bytes_in_records",
    )
    sums = {name: sum(table[name].to_pylist()) for name in (*names, "bytes_unparsed", "bytes_dropped")}
    for unit in ("lines", "bytes"):
        parts = sums[f"{unit}_in_records"] + sums[f"{unit}_unparsed"] + sums[f"{unit}_dropped"]
        assert sums[f"{unit}_read"] == parts
    reasons = [dict(row) for row in table["dropped_by_reason"].to_pylist() if row]
    return sums | {"duplicates": sum(row.get("duplicate", 0) for row in reasons)}


def shipped(logs: Path) -> list[str]:
    """The files' lines as Filebeat sends them."""
    messages = []
    for log in sorted(logs.rglob("*.log")):
        offset = 0
        for line in log.read_bytes().split(b"\n"):
            place = {"offset": offset, "file": {"path": f"/var/log/{log.parent.name}/{log.name}"}}
            if line:
                messages.append(
                    json.dumps({"message": line.decode(), "log": place, "host": {"name": "web-1"}})
                )
            offset += len(line) + 1
    return messages


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "logs" / SCENARIO
    folder.mkdir(parents=True)
    for log in sorted((RECORDINGS / SCENARIO).glob("*.app.log.gz")):
        (folder / log.stem).write_bytes(gzip.decompress(log.read_bytes()))
    return folder.parent


@pytest.fixture(scope="module")
def at_once(
    engines: Engines, conf: Conf, broker: Broker, producer: Producer, logs: Path, tmp_path_factory
) -> Path:
    """The lake of one batch over a topic that has every line once and in order."""
    producer.anew("logs")
    producer.write("logs", *((0, value) for value in shipped(logs)))
    lake = tmp_path_factory.mktemp("at-once") / "lake"
    assert run(engines, lake, [f"kafka://{broker.address}/logs"], [], conf, QUIET).failed_checks == 0
    return lake


@contextmanager
def streaming(engines: Engines, conf: Conf, lake: Path, topic: str, **settings: int) -> Iterator[Stream]:
    changed = replace(conf, stream=replace(conf.stream, **settings))
    given = Input.given([topic], [], most_bytes=changed.stream.max_bytes, may_vanish=True)
    with open_lake(lake, changed) as opened:
        yield Stream(engines, opened, given, changed, QUIET)


def test_a_topic_gives_what_the_files_give(engines, conf, logs, at_once, tmp_path):
    run(engines, tmp_path / "lake", [str(logs)], [], conf, QUIET)
    for table in ("silver.liveness_sessions", "gold.violations", "gold.incidents", "silver.client_events"):
        assert len(rows_of(at_once, table)) == len(rows_of(tmp_path / "lake", table)), table
    assert accounts(at_once)["duplicates"] == 0
    assert accounts(at_once)["lines_read"] == len(shipped(logs))
    told = DeltaTable(at_once / "bronze" / "accounting").to_pyarrow_table().to_pylist()
    assert {row["identity"] for row in told} == {"shipper", "topic_offset"}


@pytest.mark.parametrize("seed", [1, 2])
def test_shuffled_cut_and_twice_it_is_the_same(
    engines, conf, broker, producer, logs, at_once, tmp_path, seed
):
    chance = random.Random(seed)
    producer.anew("logs", 3)
    messages = shipped(logs)
    twice = chance.sample(messages, len(messages) // 20)
    messages += twice
    if seed == 1:  # any order at all
        chance.shuffle(messages)
    else:  # as partitions shuffle them: a little
        places = [place + chance.random() * 200 for place in range(len(messages))]
        messages = [message for _, message in sorted(zip(places, messages, strict=True))]
    sent = [(chance.randrange(3), message) for message in messages]
    lake = tmp_path / "lake"
    with streaming(engines, conf, lake, f"kafka://{broker.address}/logs") as stream:
        for begin in range(0, len(sent), -(-len(sent) // 4)):
            producer.write("logs", *sent[begin : begin + -(-len(sent) // 4)])
            assert stream.once().read
        before = versions(lake)
        assert stream.once().read == 0
        assert versions(lake) == before
    assert differences(at_once, lake) == {}
    assert accounts(lake)["duplicates"] == len(twice)


def test_few_messages_at_a_time_are_the_same(engines, conf, broker, producer, logs, at_once, tmp_path):
    producer.anew("logs", 2)
    messages = shipped(logs)
    producer.write("logs", *((number % 2, message) for number, message in enumerate(messages)))
    limited = replace(conf, stream=replace(conf.stream, max_messages=len(messages) // 3))
    result = run(engines, tmp_path / "lake", [f"kafka://{broker.address}/logs"], [], limited, QUIET)
    assert result.read > 2
    assert differences(at_once, tmp_path / "lake") == {}


def test_queries_of_spark_take_a_topic(engines, conf, broker, producer, logs, tmp_path, request):
    """Their batches are on threads of Spark's, each with a class loader of its own."""
    producer.anew("logs")
    messages = shipped(logs)
    lake, url = tmp_path / "lake", f"kafka://{broker.address}/logs"
    half = len(messages) // 2
    for part in (messages[:half], messages[half:]):
        producer.write("logs", *((0, message) for message in part))
        assert run_available(engines, lake, [url], [], conf, QUIET).read
    with pytest.raises(BadInput, match="no such topic"):
        run_available(engines, lake, [f"kafka://{broker.address}/never"], [], conf, QUIET)
    assert accounts(lake)["lines_read"] == len(messages)
    assert differences(request.getfixturevalue("at_once"), lake) == {}


def test_a_topics_extent_and_its_id_as_java_writes_it(broker, producer):
    """As lakes of all releases have it. A lake that knew a topic by another would read it anew."""
    ids = set()
    for number in range(
        8
    ):  # of two one has a character by which the base64 of URLs differs from the plain one
        name = f"known{number}"  # of one name the broker may still tell that the one before is gone
        producer.anew(name, 2)
        producer.write(name, *((1, str(line)) for line in range(5)))
        producer.forget(name, 1, 2)
        extent = extent_of(topic_of(f"kafka://{broker.address}/{name}", "--logs"), KafkaConf())
        assert extent.offsets == {0: (0, 0), 1: (2, 5)}
        (of_java,) = {
            found[1]
            for found in re.finditer(
                r"topic_id: (\S+)", (broker.folder / "data" / f"{name}-1" / "partition.metadata").read_text()
            )
        }
        assert extent.topic_id == of_java
        ids.add(of_java)
    assert len(ids) == 8


def test_asking_leaves_nothing_behind(broker, producer, monkeypatch, capfd):
    """No thread, no file, not a word: a stream asks every few seconds, for months, of brokers that may be away."""
    monkeypatch.setattr("jobs.inputs.brokers.ANSWER_SECONDS", 1)
    producer.anew("asked")
    producer.write("asked", (0, "a line"))
    seen = []
    for _ in range(4):
        extent_of(topic_of(f"kafka://{broker.address}/asked", "--logs"), KafkaConf())
        with pytest.raises(
            BrokerAway, match=r"no answer from the brokers \(Local: Broker transport failure\)"
        ):
            extent_of(topic_of("kafka://127.0.0.1:1/asked", "--logs"), KafkaConf())
        seen.append((threads(), files()))
    assert seen[-1] == seen[0]
    assert capfd.readouterr() == ("", "")


def threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


LINE = "[2026-01-01 00:00:0{},000] INFO [Consumer clientId=c, groupId=g] x (org.apache.kafka.clients.NetworkClient)"


def test_a_topic_that_is_not_there(engines, conf, broker, producer, tmp_path, capsys):
    url = f"kafka://{broker.address}/nowhere"
    with pytest.raises(BadInput, match="no such topic"):
        run(engines, tmp_path / "lake", [url], [], conf, QUIET)
    with streaming(engines, conf, tmp_path / "lake", url) as stream:
        assert stream.once().read == 0  # it may be made yet
        assert "no such topic" in capsys.readouterr().err
        producer.anew("nowhere")
        producer.write("nowhere", (0, LINE.format(1)))
        assert stream.once().records == 1


def test_a_topic_made_anew_and_messages_that_were_deleted(engines, conf, broker, producer, tmp_path, capsys):
    producer.anew("again")
    lake, url = tmp_path / "lake", f"kafka://{broker.address}/again"
    with streaming(engines, conf, lake, url) as stream:
        producer.write("again", (0, LINE.format(1)), (0, "\tat a.B.c(B.java:1)"), (0, LINE.format(2)))
        assert stream.once().records == 2
        producer.anew("again")
        producer.write("again", (0, LINE.format(3)))
        assert stream.once().records == 1
        assert len(rows_of(lake, "bronze.log_records")) == 3
        producer.write("again", *((0, LINE.format(4)) for _ in range(3)))
        producer.forget("again", 0, 3)
        assert stream.once().records >= 1
    assert "2 messages were deleted before they were read" in capsys.readouterr().err
    told = DeltaTable(lake / "bronze" / "accounting").to_pyarrow_table().to_pylist()
    assert sorted(row["status"] for row in told) == ["complete"] * 3 + ["truncated"]
    accounts(lake)


def test_a_broker_that_is_stopped_and_started(engines, conf, broker, producer, tmp_path, monkeypatch, capsys):
    """Also in the middle of a plan: it waits for the broker, and is carried out once."""
    monkeypatch.setattr("jobs.inputs.brokers.ANSWER_SECONDS", 2)
    producer.anew("stopped")
    lake, url = tmp_path / "lake", f"kafka://{broker.address}/stopped"
    producer.write("stopped", (0, LINE.format(1)), (0, "\tat a.B.c(B.java:1)"))
    with streaming(engines, conf, lake, url, attempts=1) as stream:
        with monkeypatch.context() as patched:
            patched.setattr("jobs.pipeline.read_plan.read", lambda *_: 1 / 0)
            with pytest.raises(KipwatchError):
                stream.once()
        broker.stop()
        for _ in range(3):
            assert stream.once() is None
        assert "no answer from the brokers" in capsys.readouterr().err
        broker.start()
        assert stream.once().records == 0  # what was planned before is done first
        producer.write("stopped", (0, "\tat a.B.d(B.java:2)"), (0, LINE.format(2)))
        stream.once()
    records = DeltaTable(lake / "bronze" / "log_records").to_pyarrow_table().to_pylist()
    assert sorted(row["line_count"] for row in records) == [1, 3]
    assert accounts(lake)["lines_read"] == 4
