"""Bad input neither stops a run nor disappears: accounting balances, reasons are given, what is whole later is read so."""

import contextlib
import os
import re
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
from deltalake import DeltaTable

from expectations import TABLES
from jobs.pipeline import run
from jobs.progress import Progress
from tests.jobs import broken
from tests.jobs.broken import MIB
from transforms.plans.run_result import RunResult
from transforms.unit_states import STATES

WHOLE = broken.recording("p62-slow-poll-42", "consumer-a.app.log")
PACKED = (broken.RECORDINGS / "p62-slow-poll-42" / "consumer-a.app.log.gz").read_bytes()
OTHER = broken.recording("p580-exp-42", "app.log")
ENDLESS_BYTES = 256 * MIB  # 2 GB take the same way, for longer
LONG_LINES = 3
WORKER_BYTES = 512 * MIB


@dataclass
class Broken:
    """The folder, the lake it was read into, and the accounting and unparsed pieces after the first run, by file name."""

    folder: Path
    lake: Path
    result: RunResult
    accounts: dict[str, dict]
    reasons: dict[str, set[str]]
    worker_peaks: list[int]


def rows(lake, table):
    """All rows of a table."""
    return DeltaTable(str(lake.joinpath(*table.split(".")))).to_pyarrow_table().to_pylist()


def by_name(lake):
    """Rows of bronze.accounting by file name."""
    return {Path(row["source"]).name: row for row in rows(lake, "bronze.accounting")}


def workers():
    """This run's Python workers: the only ones are descendants of this process."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    ours = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return [Path(f"/proc/{pid}") for pid in ours if _is_worker(Path(f"/proc/{pid}"))]


def _is_worker(process):
    with contextlib.suppress(OSError):
        return b"tests.spark_daemon" in (process / "cmdline").read_bytes()
    return False


def peaks_of_workers():
    """Peak resident bytes of each, by its process."""
    status = {}
    for process in workers():
        with contextlib.suppress(OSError):
            status[process.name] = (process / "status").read_text()
    found = {pid: re.search(r"VmHWM:\s+(\d+) kB", text) for pid, text in status.items()}
    return {pid: int(one[1]) * 1024 for pid, one in found.items() if one}


@contextlib.contextmanager
def watched():
    """By how much the workers grow while the block runs. Spark ends those that are idle for a minute; others worked before,
    and hold what they held.
    """
    peaks: list[int] = []
    for process in workers():
        with contextlib.suppress(OSError):
            (process / "clear_refs").write_text("5")  # the peak begins anew: proc(5)
    before = peaks_of_workers()
    is_over = threading.Event()

    def watch():
        while not is_over.wait(0.5):
            peaks.extend(peak - before.get(pid, 0) for pid, peak in peaks_of_workers().items())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peaks
    finally:
        is_over.set()
        thread.join()


@pytest.fixture(scope="module")
def ran(by_spark, conf, tmp_path_factory):
    """Everything that can be wrong, in one folder, read once by Spark's tasks, whose memory is looked at."""
    folder, lake = tmp_path_factory.mktemp("broken"), tmp_path_factory.mktemp("lake")
    (folder / "truncated.log.gz").write_bytes(broken.truncated(PACKED))
    (folder / "encoding.log").write_bytes(broken.with_bad_encoding(OTHER))
    (folder / "empty.log").touch()
    (folder / "binary.log").write_bytes(broken.binary())
    broken.write_long_lines(folder / "long.log", b"first of long.log\n" + OTHER, LONG_LINES)
    broken.write_without_newline(folder / "endless.log", ENDLESS_BYTES)
    with watched() as peaks:
        result = run(by_spark, lake, [str(folder)], [], conf, Progress(is_shown=False))
    reasons: dict[str, set[str]] = {}
    for row in rows(lake, "bronze.unparsed"):
        reasons.setdefault(Path(row["source"]).name, set()).add(row["reason"])
    return Broken(folder, lake, result, by_name(lake), reasons, peaks)


def test_every_source_is_in_the_books(ran):
    assert ran.result.status == "done"
    assert ran.accounts.keys() == {path.name for path in ran.folder.iterdir()}


def assert_balanced(account):
    reasons = dict(account["dropped_by_reason"]), dict(account["bytes_dropped_by_reason"])
    assert account["lines_read"] == account["lines_in_records"] + account["lines_unparsed"] + sum(
        reasons[0].values()
    )
    assert account["bytes_read"] == account["bytes_in_records"] + account["bytes_unparsed"] + sum(
        reasons[1].values()
    )


def test_books_balance_and_nothing_plain_is_left_out(ran):
    for name, account in ran.accounts.items():
        assert_balanced(account)
        path = ran.folder / name
        if not name.endswith(".gz"):
            assert account["bytes_read"] == path.stat().st_size, name
    assert ran.accounts["encoding.log"]["lines_read"] == OTHER.count(b"\n") + 1
    assert ran.accounts["long.log"]["lines_read"] == OTHER.count(b"\n") + LONG_LINES + 2
    assert ran.accounts["endless.log"]["lines_read"] == 1


def test_of_a_truncated_gz_what_decompressed_is_kept(ran):
    account = ran.accounts["truncated.log.gz"]
    assert account["status"] == "broken_gzip"
    assert dict(account["unparsed_by_reason"])["broken_gzip"] == 1
    assert "broken_gzip" in ran.reasons["truncated.log.gz"]
    assert len(WHOLE) // 4 < account["bytes_read"] < len(WHOLE)


def test_bytes_that_are_no_utf8_are_counted_and_the_record_kept(ran):
    assert ran.accounts["encoding.log"]["decode_errors"] == 1
    kept = [row["text"] for row in rows(ran.lake, "bronze.log_records") if "caf\ufffd" in row["text"]]
    assert len(kept) == 1


def test_of_a_long_line_the_beginning_is_kept_and_the_rest_counted(ran):
    cut = [row for row in rows(ran.lake, "bronze.log_records") if row["is_truncated"]]
    assert [row["text_bytes"] for row in cut] == [64 * MIB] * LONG_LINES
    assert all(len(row["text"]) <= MIB and "endless" in row["text"] for row in cut)
    after = [row for row in rows(ran.lake, "silver.client_events") if row["client_id"] == "long"]
    assert after, "the line after the long ones is read as any other"


def test_what_is_no_log_is_named(ran):
    assert ran.accounts["empty.log"]["status"] == "empty"
    assert ran.accounts["binary.log"]["status"] == "binary"
    assert ran.reasons["binary.log"] == {"binary"}
    assert dict(ran.accounts["endless.log"]["dropped_by_reason"]) == {"not_kafka": 1}


@pytest.mark.skipif(
    not Path("/proc/self/status").is_file(), reason="no /proc to ask for the memory of workers"
)
def test_workers_stay_small(ran):
    assert ran.worker_peaks
    assert max(ran.worker_peaks) < WORKER_BYTES


def comparable(lake, table, source):
    """Rows of one unit without what may differ between two lakes, as sorted text."""
    contract = TABLES[table]
    left_out = contract.volatile | {"run_id", "detected_at", "ingested_at", "unit_bucket"}
    unit = f"{source.parent.name}/truncated.log"
    return sorted(
        repr(sorted((name, value) for name, value in row.items() if name not in left_out))
        for row in rows(lake, table)
        if row.get("unit_id") == unit
    )


def test_the_whole_gz_is_as_if_it_had_always_been_whole(ran, engines, conf, tmp_path):
    path = ran.folder / "truncated.log.gz"
    path.write_bytes(PACKED)
    run(engines, ran.lake, [str(ran.folder)], [], conf, Progress(is_shown=False))
    fresh = tmp_path / "fresh"
    run(engines, fresh, [str(path)], [], conf, Progress(is_shown=False))

    # States are kept by plan, and there were two.
    compared = [name for name, table in TABLES.items() if "unit_id" in table.column_names and name != STATES]
    for table in compared:
        assert comparable(ran.lake, table, path) == comparable(fresh, table, path), table
    assert comparable(fresh, "silver.liveness_sessions", path)

    again, alone = by_name(ran.lake)[path.name], by_name(fresh)[path.name]
    assert again["status"] == "complete"
    assert_balanced(again)
    for name in (
        "bytes_read",
        "lines_read",
        "lines_in_records",
        "bytes_in_records",
        "lines_unparsed",
        "bytes_unparsed",
    ):
        assert again[name] == alone[name], name
    assert dict(again["unparsed_by_reason"]) == dict(alone["unparsed_by_reason"])
    left = [row["reason"] for row in rows(ran.lake, "bronze.unparsed") if row["source"] == str(path)]
    assert left == [row["reason"] for row in rows(fresh, "bronze.unparsed")]
    others = {name: account for name, account in by_name(ran.lake).items() if name != path.name}
    assert others == {name: account for name, account in ran.accounts.items() if name != path.name}
