"""Whatever order and cut the input comes in, the tables are the same (DESIGN 2.2)."""

import gzip
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conf.settings import Conf, SourceHint
from expectations.rows import staged_schemas
from jobs.engine.choice import Engines
from jobs.engine.staging import Staged
from jobs.folds import fold_input
from jobs.folds.rebuild import Folded, _put
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from lab.corpus import ROOT as RECORDINGS
from lab.soak.rows import differences, rows_of, versions
from transforms import fold_rows
from transforms.folding import UNIT_TABLES
from transforms.plans.commit import NONE
from transforms.plans.run_result import RunResult

# A batch that expires, a member that leaves and comes back with its broker, a Streams task that dies; plain and DEBUG.
SCENARIOS = ("p91-overlap-produce-poll-42", "p62-slow-poll-42", "p572-process-timeout-38")

Run = Callable[..., RunResult]
QUIET = Progress(is_shown=False)


@pytest.fixture(scope="module")
def run_logs(engines: Engines, conf: Conf) -> Run:
    """Runs the pipeline over a folder, without progress."""

    def run_once(lake: Path, folder: Path, settings: Conf = conf, job: str = "run") -> RunResult:
        return run(engines, lake, [str(folder)], [], settings, QUIET, job=job)

    return run_once


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scenarios' logs, decompressed: files that can grow and be renamed."""
    folder = tmp_path_factory.mktemp("whole") / "logs"
    for name in SCENARIOS:
        (folder / name).mkdir(parents=True)
        for log in sorted((RECORDINGS / name).glob("*log.gz")):
            (folder / name / log.stem).write_bytes(gzip.decompress(log.read_bytes()))
    return folder


@pytest.fixture(scope="module")
def at_once(run_logs: Run, logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lake of one run over everything."""
    lake = tmp_path_factory.mktemp("at-once") / "lake"
    assert run_logs(lake, logs).failed_checks == 0
    return lake


def _parts(logs: Path, into: Path, number: int, of: int) -> None:
    """Every file up to number/of of its bytes, wherever that cuts."""
    for log in sorted(logs.rglob("*.log")):
        target = into / log.relative_to(logs)
        target.parent.mkdir(parents=True, exist_ok=True)
        whole = log.read_bytes()
        target.write_bytes(whole[: len(whole) * number // of])


def test_there_is_something_to_compare(at_once: Path) -> None:
    for table in (
        "silver.batch_lifetimes",
        "silver.liveness_sessions",
        "silver.task_timers",
        "gold.violations",
    ):
        assert rows_of(at_once, table), table


def test_a_second_run_adds_nothing(run_logs: Run, logs: Path, at_once: Path) -> None:
    before = versions(at_once)
    assert run_logs(at_once, logs).records == 0
    assert versions(at_once) == before


def test_half_first_and_the_rest_after(run_logs: Run, logs: Path, at_once: Path, tmp_path: Path) -> None:
    grown = tmp_path / "logs"
    for part in (1, 2):
        _parts(logs, grown, part, 2)
        run_logs(tmp_path / "lake", grown)
    assert differences(at_once, tmp_path / "lake") == {}


@pytest.mark.parametrize("step", ["rebuild", "check_tables"])
def test_a_run_that_is_interrupted_is_finished_by_the_next(
    run_logs: Run, logs: Path, at_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Whatever was written before the end is not written twice."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    lake = tmp_path / "lake"
    with monkeypatch.context() as patched:
        patched.setattr(f"jobs.pipeline.{step}", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_logs(lake, logs)
    run_logs(lake, logs)
    assert differences(at_once, lake) == {}
    before = versions(lake)
    run_logs(lake, logs)
    assert versions(lake) == before


@pytest.fixture(params=["here", "by Spark"])
def in_tasks(request: pytest.FixtureRequest, engines: Engines, by_spark: Engines) -> Engines:
    return engines if request.param == "here" else by_spark


def test_what_tasks_write_is_the_same(
    in_tasks: Engines, logs: Path, at_once: Path, conf: Conf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more rows than the driver should hold, tasks do all: here of any. A process is folded span by span."""
    for module in (fold_input, fold_rows):
        monkeypatch.setattr(module, "TASK_ROWS", 400)
    monkeypatch.setattr(fold_input, "SPAN_BYTES", 400 * fold_input.ROW_BYTES)
    nothing_held = replace(conf, lake=replace(conf.lake, most_rows=0))
    grown, lake = tmp_path / "logs", tmp_path / "lake"
    for part in (1, 2):
        _parts(logs, grown, part, 2)
        assert run(in_tasks, lake, [str(grown)], [], nothing_held, QUIET).failed_checks == 0
    assert differences(at_once, lake) == {}
    before = versions(lake)
    run(in_tasks, lake, [str(grown)], [], nothing_held, QUIET)
    assert versions(lake) == before


def test_a_stream_in_three_parts(
    by_spark: Engines, logs: Path, at_once: Path, conf: Conf, tmp_path: Path
) -> None:
    """However little it is, all goes through Spark's tasks here."""
    grown = tmp_path / "logs"
    for part in (1, 2, 3):
        _parts(logs, grown, part, 3)
        run(by_spark, tmp_path / "lake", [str(grown)], [], conf, QUIET, job="stream")
    assert differences(at_once, tmp_path / "lake") == {}


def test_files_renamed_with_declared_names_read_in_small_chunks(
    run_logs: Run, logs: Path, at_once: Path, tmp_path: Path, conf: Conf
) -> None:
    renamed = tmp_path / "logs"
    shutil.copytree(logs, renamed)
    hints = []
    for number, log in enumerate(sorted(renamed.rglob("*.log"))):
        moved = log.with_name(f"other-{number}.txt")
        hints.append(SourceHint(match=str(moved), service=log.parent.name, instance=log.name))
        log.rename(moved)
    small_chunks = replace(conf.reader, chunk_bytes=65_536)
    run_logs(tmp_path / "lake", renamed, replace(conf, sources=tuple(hints), reader=small_chunks))
    assert differences(at_once, tmp_path / "lake") == {}


def test_a_renamed_file_is_not_read_again(run_logs: Run, logs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "svc"
    folder.mkdir(parents=True)
    shutil.copy(logs / SCENARIOS[0] / "consumer-a.app.log", folder / "app.log")
    first = run_logs(tmp_path / "lake", folder)
    before = versions(tmp_path / "lake")
    (folder / "app.log").rename(folder / "app.log.1")
    assert first.records > 0
    assert run_logs(tmp_path / "lake", folder).records == 0
    assert versions(tmp_path / "lake") == before


def test_processes_that_begin_alike_are_two(run_logs: Run, tmp_path: Path) -> None:
    head = (
        "[2026-01-01 00:00:00,000] INFO Kafka version: 4.2.1 (org.apache.kafka.common.utils.AppInfoParser)\n"
        * 20
    )
    folder = tmp_path / "logs" / "svc"
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        logger = "org.apache.kafka.clients.producer.KafkaProducer"
        line = f"[2026-01-01 00:00:01,000] INFO [Producer clientId={name}] x ({logger})\n"
        (folder / f"{name}.log").write_text(head + line)
    run_logs(tmp_path / "lake", folder)
    assert len(rows_of(tmp_path / "lake", "bronze.log_records")) == 42


def test_what_later_evidence_refutes_is_withdrawn(run_logs: Run, at_once: Path, tmp_path: Path) -> None:
    lake = LakeWriter(tmp_path / "lake")
    shutil.copytree(at_once, lake.root)
    found = read_arrow(lake.path("gold.violations"), ["scope_id", "violation_id"]).to_pylist()[0]
    commit = lake.next_commit("a-run")
    nothing = Staged(staged_schemas(UNIT_TABLES), {}, {})
    gone = Folded(nothing, UNIT_TABLES, {found["scope_id"]: NONE})
    assert _put(lake, [gone], commit, 0)["gold.violations"]
    withdrawn = rows_of(lake.root, "gold.withdrawals")
    assert any(found["violation_id"] in row for row in withdrawn)
    assert not any(found["violation_id"] in row for row in rows_of(lake.root, "gold.violations"))
