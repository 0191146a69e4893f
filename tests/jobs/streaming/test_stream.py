"""The stream: triggers over one open lake, what they cost when nothing came, how they fail and are told."""

import gzip
import shutil
import signal
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake.exceptions import DeltaError

from conf.settings import Conf, load_conf, seconds_of
from jobs.engine.choice import Engines
from jobs.gauges.prometheus import FILE, Measured, served
from jobs.inputs.listing import list_files
from jobs.pipeline import Input, open_lake, run
from jobs.plans.plan import is_encoded
from jobs.progress import Progress
from jobs.storage.control_files import FolderFiles
from jobs.storage.lease import writer_lease
from jobs.streaming.stream import Stream, newest_of, stopped_by_signals
from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import run_over
from lab.soak.rows import differences, rows_of, versions
from tests.story import START, line
from transforms.errors import BadInput, KipwatchError, LakeBusy
from transforms.plans import plan as plans
from transforms.plans.chunks import Listed
from transforms.plans.source_state import SourceState

SCENARIO = "p62-slow-poll-42"
QUIET = Progress(is_shown=False)
NOT_STARTED = "Python worker failed to connect back"  # as Spark says it


def known(path: str, resume: int, read: int, *, is_encoded: bool = False) -> SourceState:
    return SourceState(
        source_id=path, source=path, service="s", instance="i", file_size=read, file_changed_ns=1,
        fingerprint_bytes=1024, is_encoded=is_encoded, bytes_read=read, resume_offset=resume,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("files", "most", "taken", "left"),
    [
        pytest.param([("a", 100)], 100, [("a", 100)], 0, id="as much as fits"),
        pytest.param([("a", 100)], 30, [("a", 30)], 70, id="cut at the limit"),
        pytest.param([("a", 50), ("b", 50)], 70, [("a", 50), ("b", 20)], 30, id="the rest of the next file"),
        pytest.param([("a", 50), ("b", 50)], 50, [("a", 50)], 50, id="nothing of the next file"),
        pytest.param([("grown", 100)], 30, [("grown", 80)], 20, id="from where it was read, less its tail"),
        pytest.param([("cut off", 10)], 30, [("cut off", 10)], 0, id="shorter than it was"),
        pytest.param(
            [("a.gz", 100), ("b", 5)], 30, [("a.gz", 100)], 5, id="a compressed file is taken whole"
        ),
    ],
)
def test_a_trigger_takes_no_more_than_its_limit(files, most, taken, left):
    by_path = {
        "grown": known("grown", 40, 50),
        "cut off": known("cut off", 40, 50),
        "a.gz": known("a.gz", 0, 9, is_encoded=True),
    }
    listed = [Listed(path, size, number) for number, (path, size) in enumerate(files)]
    portion = plans.within(listed, by_path, most, is_encoded=is_encoded)
    assert [(one.path, one.size) for one in portion.files] == taken
    assert portion.left_bytes == left
    assert (portion.left_files > 0) == (left > 0)


def test_a_trigger_takes_no_more_files_than_it_can_hold_and_last_those_that_could_not_be_read(monkeypatch):
    monkeypatch.setattr(plans, "MOST_FILES", 2)
    listed = [Listed(path, 10, number) for number, path in enumerate("abcd")]
    portion = plans.within(listed, {}, None, put_off={"a", "d"}, is_encoded=is_encoded)
    assert [one.path for one in portion.files] == ["b", "c"]
    assert (portion.left_bytes, portion.left_files) == (20, 0), "what can't be read is not waited for"
    assert [
        one.path for one in plans.within(listed, {}, None, put_off={"a"}, is_encoded=is_encoded).files
    ] == ["b", "c"]
    assert plans.within(listed, {}, None, is_encoded=is_encoded).left_files == 2


def test_a_file_that_rotation_took_away_is_nothing_new(tmp_path):
    gone = [str(tmp_path / "gone.log"), str(tmp_path / "*.log")]
    assert list_files(gone, may_vanish=True) == []
    for path in gone:
        with pytest.raises(BadInput):
            list_files([path])


def test_metrics_are_text_whatever_a_path_is_named():
    measured = Measured(
        newest={'a"b\\c\nd\udc80': 1.5} | {f"s{number}": float(number) for number in range(400)}
    )
    measured.add("rows_in", 3)
    text = measured.text()
    assert "kipwatch_rows_in_total 3.0\n" in text
    assert len([line for line in text.splitlines() if line.startswith("kipwatch_source_")]) == 200
    measured.newest = {'a"b\\c\nd\udc80': 1.5}
    assert measured.text().splitlines()[-1] == (
        r'kipwatch_source_newest_timestamp_seconds{source="a\"b\\c\nd?"} 1.5'
    )


def test_a_sources_newest_record_is_its_last(tmp_path):
    """Also where it is read again with what follows."""
    (tmp_path / "a.log").write_text(
        "\n".join(line(ms, "INFO", "org.apache.kafka.A", "one") for ms in (0, 3_600_000))
    )
    run_over(tmp_path / "lake", tmp_path / "a.log")
    with open_lake(tmp_path / "lake", load_conf()) as lake:
        assert list(newest_of(lake).values()) == [START.timestamp() + 3600]


def test_metrics_are_served_on_loopback():
    measured = Measured()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match="port"), served(measured, port):
            pass
    with served(measured, port), urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        assert "kipwatch_rows_in_total 0.0" in answer.read().decode().splitlines()


@pytest.mark.parametrize("text", ["", "10", "0s", "1.5s", "-1s", "10 s", "1d"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(BadInput):
        seconds_of(text)
    assert seconds_of("2m") == 120


def test_the_first_signal_stops_and_the_second_is_the_usual_one():
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        stop = stopped_by_signals()
        signal.raise_signal(signal.SIGTERM)
        assert stop.is_set()
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_lease_that_another_took_is_lost(tmp_path):
    with writer_lease(FolderFiles(tmp_path), 60) as check:
        check()
        (tmp_path / "lease.json").write_text('{"host": "other", "pid": 1}')
        with pytest.raises(LakeBusy, match="lost"):
            check()
    assert (tmp_path / "lease.json").exists()  # it is the other's


@pytest.fixture(scope="module")
def logs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "logs" / SCENARIO
    folder.mkdir(parents=True)
    for log in sorted((RECORDINGS / SCENARIO).glob("*log.gz")):
        (folder / log.stem).write_bytes(gzip.decompress(log.read_bytes()))
    return folder.parent


@pytest.fixture(scope="module")
def at_once(engines: Engines, conf: Conf, logs: Path, tmp_path_factory) -> Path:
    lake = tmp_path_factory.mktemp("at-once") / "lake"
    run(engines, lake, [str(logs)], [], conf, QUIET)
    return lake


Streaming = Callable[..., Iterator[Stream]]


@pytest.fixture
def streaming(engines: Engines, conf: Conf) -> Streaming:
    @contextmanager
    def opened(root: Path, folder: Path, **settings: int):
        changed = replace(conf, stream=replace(conf.stream, **settings))
        with open_lake(root, changed) as lake:
            given = Input([str(folder)], most_bytes=changed.stream.max_bytes, may_vanish=True)
            yield Stream(engines, lake, given, changed, QUIET)

    return opened


def test_a_run_of_more_files_than_a_plan_takes_makes_several_and_gives_the_tables_of_one(
    engines, conf, logs, at_once, tmp_path, monkeypatch
):
    monkeypatch.setattr(plans, "MOST_FILES", 2)
    files = [one for one in logs.rglob("*") if one.is_file()]
    (logs / "empty.log").touch()
    try:
        result = run(engines, tmp_path / "lake", [str(logs)], [], conf, QUIET)
    finally:
        (logs / "empty.log").unlink()
    assert (result.read, result.left_files) == (len(files) + 1, 0)
    assert differences(at_once, tmp_path / "lake") == {}


def test_limited_triggers_give_the_tables_of_one_batch(streaming, logs, at_once, tmp_path):
    largest = max(path.stat().st_size for path in logs.rglob("*.log"))
    with streaming(tmp_path / "lake", logs, max_bytes=max(65536, largest // 2)) as stream:
        triggers = 0
        while (result := stream.once()) is None or result.left_bytes:
            triggers += 1
        assert triggers >= 2
        assert stream.measured.values["rows_in"] >= len(rows_of(tmp_path / "lake", "bronze.log_records"))
        before = versions(tmp_path / "lake")
        assert stream.once().read == 0
        assert versions(tmp_path / "lake") == before  # an idle trigger commits nothing, in no table
    assert differences(at_once, tmp_path / "lake") == {}
    runs = rows_of(tmp_path / "lake", "gold.runs")
    assert len(runs) == triggers + 1
    assert "kipwatch_triggers_total" in (tmp_path / "lake" / "_kipwatch" / FILE).read_text()


def test_a_trigger_that_fails_is_tried_again(streaming, logs, at_once, tmp_path, monkeypatch, capsys):
    with streaming(tmp_path / "lake", logs, attempts=3) as stream:
        with monkeypatch.context() as patched:

            def full(*_, **__):
                raise DeltaError("No space left on device; password=hunter2")

            patched.setattr("jobs.pipeline.rebuild", full)
            assert stream.once() is None
            assert stream.once() is None
            with pytest.raises(KipwatchError, match="3 triggers failed in a row"):
                stream.once()
        assert "hunter2" not in capsys.readouterr().err
        assert stream.once() is not None
        assert stream.measured.values["failures"] == 3
    assert differences(at_once, tmp_path / "lake") == {}


@pytest.mark.parametrize("lost", ["_kipwatch", "bronze/accounting"])
def test_what_is_known_of_a_lake_may_be_lost(streaming, logs, at_once, tmp_path, lost):
    """Control files: the accounting knows. Accounting: everything is read again, and takes the place of what stood there."""
    lake = tmp_path / "lake"
    shutil.copytree(at_once, lake)
    shutil.rmtree(lake / lost)
    with streaming(lake, logs) as stream:
        stream.once()
    assert differences(at_once, lake) == {}


def test_it_runs_until_it_is_told_to_stop(spark, streaming, logs, at_once, tmp_path, capsys):
    """Spark gives the process that it asks for offsets 10 s to start. On a busy machine that takes longer; then the stream
    tries again, for as often as it may. Nothing else may fail."""
    lake = tmp_path / "lake"
    shutil.copytree(at_once, lake)
    stop = threading.Event()
    with streaming(lake, logs, attempts=30) as stream:
        once = stream.once

        def then_stop():
            result = once()
            if stream.measured.values["triggers"] > 2:
                stop.set()
            return result

        stream.once = then_stop
        stream.run(0.05, stop)
    assert stream.measured.values["triggers"] > 1
    failed = [line for line in capsys.readouterr().err.splitlines() if "a trigger failed" in line]
    assert [line for line in failed if NOT_STARTED not in line] == []
    assert stream.measured.values["failures"] == len(failed)
    assert not (lake / "_kipwatch" / "lease.json").exists()
