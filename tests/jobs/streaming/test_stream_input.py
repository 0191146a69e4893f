"""What comes to a stream late, cut, broken or in its place: few lines, so no Spark."""

import gzip
import os
import time
from dataclasses import replace

import pytest

from conf.settings import load_conf
from jobs.pipeline import Input, open_lake
from jobs.progress import Progress
from jobs.streaming.stream import Stream
from lab.soak.kills import NO_SESSION, logs_of, run_over
from lab.soak.rows import balanced_accounting, differences, rows_of, versions

QUIET = Progress(is_shown=False)
CONF = load_conf()
HOUR_MS = 3_600_000
KAFKA = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
LINE = "[2026-01-0{day} 00:00:{second:02d},000] INFO [Consumer clientId=c, groupId=g] Successfully joined ({logger})\n"


def lines(day, count=40):
    return "".join(LINE.format(day=day, second=second, logger=KAFKA) for second in range(count))


def stream_of(lake, folder, conf=CONF, **how):
    how = {"most_bytes": 1 << 30, "may_vanish": True, "lateness_ms": 24 * HOUR_MS} | how
    return Stream(NO_SESSION, lake, Input([str(folder)], **how), conf, QUIET)


def streamed(root, folder, **how):
    with open_lake(root, CONF) as lake:
        return stream_of(lake, folder, **how).once()


@pytest.fixture
def logs(tmp_path):
    folder = tmp_path / "logs" / "svc"
    folder.mkdir(parents=True)
    return folder


def test_what_is_older_than_allowed_waits_for_the_next_run(logs, tmp_path):
    (logs / "app.log").write_text(lines(5))
    lake = tmp_path / "lake"
    streamed(lake, logs)
    (logs / "app.log.1").write_text(lines(2))
    late = streamed(lake, logs)
    assert late.late == 40
    assert len(rows_of(lake, "bronze.log_records")) == 80
    assert len(rows_of(lake, "silver.client_events")) == 40
    (logs / "app.log.1").write_text(lines(2, 41))  # what grew is read again from its last record on
    assert streamed(lake, logs).late == 2
    assert run_over(lake, logs).read == 2
    assert len(rows_of(lake, "silver.client_events")) == 81
    run_over(tmp_path / "at-once", logs)
    assert differences(tmp_path / "at-once", lake) == {}
    assert run_over(lake, logs).read == 0


def test_what_was_in_time_does_not_become_late(logs, tmp_path):
    """Days after it was read a rotated file is compressed: from its last record on it is read again."""
    lake = tmp_path / "lake"
    (logs / "app.log").write_text(lines(2))
    streamed(lake, logs)
    (logs / "app.log").rename(logs / "app.log.1")
    (logs / "app.log").write_text(lines(5))
    streamed(lake, logs)
    (logs / "app.log.2.gz").write_bytes(gzip.compress((logs / "app.log.1").read_bytes()))
    (logs / "app.log.1").unlink()
    assert streamed(lake, logs).late == 0
    assert len(rows_of(lake, "silver.client_events")) == 80
    run_over(tmp_path / "at-once", logs)
    assert differences(tmp_path / "at-once", lake) == {}


def test_what_is_within_the_lateness_is_folded_in_at_once(logs, tmp_path):
    (logs / "app.log").write_text(lines(5))
    streamed(tmp_path / "lake", logs)
    (logs / "app.log.1").write_text(lines(4))
    assert streamed(tmp_path / "lake", logs, lateness_ms=25 * HOUR_MS).late == 0
    run_over(tmp_path / "at-once", logs)
    assert differences(tmp_path / "at-once", tmp_path / "lake") == {}


@pytest.mark.parametrize("step", ["rebuild", "check_tables"])
def test_a_run_that_folds_in_may_be_cut_off(logs, tmp_path, monkeypatch, step):
    lake = tmp_path / "lake"
    for name, day in (("app.log", 5), ("app.log.1", 2)):
        (logs / name).write_text(lines(day))
        streamed(lake, logs)

    def cut_off(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(f"jobs.pipeline.{step}", cut_off)
        with pytest.raises(KeyboardInterrupt):
            run_over(lake, logs)
    run_over(lake, logs)
    run_over(tmp_path / "at-once", logs)
    assert differences(tmp_path / "at-once", lake) == {}


def test_rotated_renamed_and_copied_files_are_read_once(logs, tmp_path):
    lake = tmp_path / "lake"
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, logs)
        (logs / "app.log").write_text(lines(1))
        stream.once()
        (logs / "app.log").rename(logs / "app.log.1")
        (logs / "app.log").write_text(lines(2, 20))
        stream.once()
        (logs / "app.log.2.gz").write_bytes(gzip.compress((logs / "app.log.1").read_bytes()))
        (logs / "app.log.1").unlink()
        stream.once()
        with (logs / "app.log").open("a") as file:
            file.write(lines(3, 20))
        stream.once()
        assert stream.once().read == 0
    assert len(rows_of(lake, "bronze.log_records")) == 80
    balanced_accounting(lake)


def first_kib():
    """Enough lines that the fingerprint stays as the file grows."""
    return lines(1).encode()


def in_utf16(text):
    return text.decode().encode("utf-16")


@pytest.mark.parametrize(
    ("name", "made", "first"),
    [
        pytest.param("app.log.gz", gzip.compress, ["app.log", "app.log.gz"], id="compressed, both at once"),
        pytest.param("app.log.gz", gzip.compress, ["app.log"], id="compressed, after its file"),
        pytest.param("app.log.gz", gzip.compress, ["app.log.gz"], id="compressed, before its file"),
        pytest.param("a.copy", bytes, ["app.log"], id="plain, and first by its name"),
        pytest.param("app.log.utf16", in_utf16, ["app.log", "app.log.utf16"], id="encoded"),
    ],
)
def test_a_copy_beside_its_file_is_looked_at_once(logs, tmp_path, name, made, first):
    whole = {"app.log": first_kib(), name: made(first_kib())}
    lake, head = tmp_path / "lake", first_kib()
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, logs)
        for names in (first, whole):
            for each in names:
                if not (logs / each).exists():
                    (logs / each).write_bytes(whole[each])
            stream.once()
        before = versions(lake), opened.version("bronze.accounting"), opened.version("gold.runs")
        for _ in range(2):
            assert stream.once().read == 0
        assert (versions(lake), opened.version("bronze.accounting"), opened.version("gold.runs")) == before
        with (logs / "app.log").open("ab") as file:
            file.write(lines(2, 5).encode())
        grown = stream.once()
        assert (grown.read, grown.records) == (1, 6)  # its last record may have grown
        assert stream.once().read == 0
        (logs / name).write_bytes(made(head + lines(2, 7).encode()))  # now the copy has more
        assert stream.once().read == 1
        assert stream.once().read == 0
        (logs / "app.log").unlink()
        stream.once()
        assert stream.once().read == 0
    assert len(rows_of(lake, "bronze.log_records")) == 47
    balanced_accounting(lake)


def test_a_copy_of_what_is_shorter_than_a_kib(logs, tmp_path):
    lake = tmp_path / "lake"
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, logs)
        for count in (2, 4, 40):
            (logs / "app.log").write_text(lines(1, count))
            if count == 2:
                (logs / "app.log.gz").write_bytes(gzip.compress(lines(1, count).encode()))
            assert stream.once().read == 1
            assert stream.once().read == 0
    assert len(rows_of(lake, "bronze.log_records")) == 40
    balanced_accounting(lake)


def test_a_copy_of_a_file_whose_last_record_is_waited_for(logs, tmp_path):
    """The file that is read stays the one; it is taken whole once it is quiet."""
    lake = tmp_path / "lake"
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, logs, flush_ms=HOUR_MS)
        (logs / "app.log").write_bytes(first_kib())
        (logs / "app.log.gz").write_bytes(gzip.compress(first_kib()))
        stream.once()
        assert stream.once().read == 0
        quiet = time.time() - 2 * HOUR_MS / 1000
        os.utime(logs / "app.log", (quiet, quiet))
        assert stream.once().read == 1
        assert stream.once().read == 0
    (account,) = balanced_accounting(lake)
    assert account["source"].endswith("app.log")
    assert len(rows_of(lake, "bronze.log_records")) == 40


def test_processes_that_began_alike_for_long_are_no_copies(logs, tmp_path):
    """A layout without times: the dumps of two replicas are the same text."""
    lake = tmp_path / "lake"
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, logs)
        for name, day in (("a.log", 2), ("b.log", 3)):
            (logs / name).write_text(lines(1) * 30 + lines(day))
        assert (logs / "a.log").stat().st_size > 2 * 64 << 10
        assert stream.once().read == 2
        assert stream.once().read == 0
    assert len(rows_of(lake, "bronze.log_records")) == 2 * 31 * 40
    assert len(balanced_accounting(lake)) == 2


def test_a_file_that_is_cut_off_begins_anew(logs, tmp_path):
    """copytruncate: the same name, another beginning, and shorter than it was."""
    lake = tmp_path / "lake"
    (logs / "app.log").write_text(lines(1))
    streamed(lake, logs)
    (logs / "app.log").write_text(lines(2, 10))
    streamed(lake, logs)
    assert len(rows_of(lake, "bronze.log_records")) == 50
    balanced_accounting(lake)


def test_a_file_that_is_cut_off_and_begins_as_before(logs, tmp_path):
    """A start's dump of fixed times, say: the first KiB is the same, and the lines after it are others."""
    lake, head = tmp_path / "lake", lines(1)
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, logs)
        for day in (2, 3, 4):
            (logs / "app.log").write_text(head + lines(day))
            stream.once()
            with (logs / "app.log").open("a") as file:
                file.write(lines(day + 1, 5))
            stream.once()
            assert stream.once().read == 0
            (logs / "app.log").write_text(head)
            stream.once()
    assert len(rows_of(lake, "bronze.log_records")) == 3 * (40 + 40 + 5) + 40
    balanced_accounting(lake)


def test_half_a_record_at_the_end_grows_under_its_id(logs, tmp_path):
    whole = (
        lines(1, 20)
        + f"[2026-01-01 01:00:00,000] ERROR x ({KAFKA})\njava.lang.IllegalStateException: y\n\tat a.B\n"
    )
    whole += lines(2, 1)
    lake = tmp_path / "lake"
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, logs)
        begin = whole.index("ERROR") - 30
        for end in range(begin, len(whole) + 1, 17):
            (logs / "app.log").write_text(whole[:end])
            stream.once()
        (logs / "app.log").write_text(whole)
        stream.once()
    run_over(tmp_path / "at-once", logs)
    assert differences(tmp_path / "at-once", lake) == {}
    balanced_accounting(lake)


def test_broken_input_stops_nothing(logs, tmp_path):
    lake = tmp_path / "lake"
    packed = gzip.compress(lines(1).encode() * 50)
    text = next(iter(logs_of(("p62-slow-poll-42",)).values()))
    one_chunk = replace(CONF, reader=replace(CONF.reader, chunk_bytes=1 << 30))
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, logs, one_chunk)
        (logs / "broken.gz").write_bytes(packed[: len(packed) // 2])
        (logs / "encoding.log").write_bytes(
            lines(2).encode() + b"[2026-01-02 01:00:00,000] INFO \xff\xfe x (a.B)\n"
        )
        (logs / "long.log").write_bytes(lines(3).encode() + b"x" * (64 << 20) + b"\n" + lines(4).encode())
        (logs / "zeros.log").write_bytes(b"\0" * 5000)
        (logs / "good.log").write_bytes(text[:5000])
        assert stream.once().read == 5
        (logs / "broken.gz").write_bytes(packed)
        (logs / "good.log").write_bytes(text)
        assert stream.once().read == 2
        assert stream.once().read == 0
        assert stream.measured.values["failures"] == 0
    balanced_accounting(lake)
    only_good = tmp_path / "good" / "svc"
    only_good.mkdir(parents=True)
    (only_good / "good.log").write_bytes(text)
    run_over(tmp_path / "of-good", only_good)
    sessions = rows_of(tmp_path / "of-good", "silver.liveness_sessions")
    assert set(sessions) <= set(rows_of(lake, "silver.liveness_sessions"))


@pytest.mark.parametrize("text", ["", "{", "{}", '{"commit": {"number": 1}, "chunks": []}'])
def test_a_plan_that_cannot_be_read_is_made_anew(logs, tmp_path, monkeypatch, text):
    lake = tmp_path / "lake"
    (logs / "app.log").write_text(lines(1))
    with monkeypatch.context() as patched:
        patched.setattr("jobs.pipeline.rebuild", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_over(lake, logs)
    (lake / "_kipwatch" / "plan.json").write_text(text)
    run_over(lake, logs)
    run_over(tmp_path / "at-once", logs)
    assert differences(tmp_path / "at-once", lake) == {}
