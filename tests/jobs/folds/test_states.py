"""A trigger goes on from kept states: what it writes is what a run over everything writes, and little is written."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable

from conf.settings import Conf, SourceHint
from jobs.engine.choice import Engines
from jobs.folds import states
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.storage.lake import LakeWriter
from lab.corpus import ROOT as RECORDINGS
from lab.soak.rows import differences, versions
from transforms.plans.commit import NONE
from transforms.plans.run_result import RunResult

NAMES = ("p62-slow-poll-42", "p572-task-recover-35", "p91-overlap-produce-poll-42")
PARTS = 5

Run = Callable[..., RunResult]


@pytest.fixture(scope="module")
def run_logs(engines: Engines, conf: Conf) -> Run:
    def run_once(lake: Path, folder: Path, settings: Conf = conf) -> RunResult:
        return run(engines, lake, [str(folder)], [], settings, Progress(is_shown=False))

    return run_once


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, list[bytes]]:
    """Lines of each log, by where it lies in its folder."""
    found = {}
    for name in NAMES:
        for log in sorted((RECORDINGS / name).glob("*log.gz")):
            found[Path(name) / log.stem] = gzip.decompress(log.read_bytes()).splitlines(keepends=True)
    return found


@pytest.fixture(scope="module")
def at_once(run_logs: Run, logs: dict[Path, list[bytes]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("at-once")
    grow(folder / "logs", logs, PARTS)
    assert run_logs(folder / "lake", folder / "logs").failed_checks == 0
    return folder / "lake"


def grow(
    folder: Path, logs: dict[Path, list[bytes]], part: int, cut: Callable[..., int] | None = None
) -> None:
    """The first `part` of PARTS of each log. cut: moves the place where it ends."""
    for name, lines in logs.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        end = len(lines) * part // PARTS
        path.write_bytes(b"".join(lines[: cut(lines, end) if cut else end]))


def between_records(lines: list[bytes], end: int) -> int:
    """No record that was cut grows later, and no client tells later with which settings and version it began."""
    end = max([end, *(number + 1 for number, line in enumerate(lines) if b"startTimeMs" in line)])
    while end < len(lines) and not lines[end].startswith(b"["):
        end += 1
    return end


def follows(lake: Path) -> dict[int, list[int]]:
    """By plan: the plans of the states that units went on from."""
    found: dict[int, list[int]] = {}
    rows = DeltaTable(str(lake / "silver" / "unit_states")).to_pyarrow_table().to_pylist()
    for row in rows:
        if row["scope_id"] == row["unit_id"]:
            found.setdefault(row["plan"], []).append(row["follows"])
    return found


def removed(lake: Path, table: str, since: int) -> int:
    """How many files commits of a table took away since a version."""
    made = DeltaTable(str(lake.joinpath(*table.split("."))))
    return sum(
        int(commit.get("operationMetrics", {}).get("num_removed_files", 0))
        for commit in made.history()
        if int(commit["version"]) > since
    )


def test_parts_go_on_from_states_and_give_the_same(
    run_logs: Run, logs: dict[Path, list[bytes]], at_once: Path, tmp_path: Path
) -> None:
    """The first part cuts dumps of settings, which are other events once they are whole: they are replaced."""
    lake = tmp_path / "lake"
    stood = {}
    for part in range(1, PARTS + 1):
        grow(tmp_path / "logs", logs, part, None if part == 1 else between_records)
        run_logs(lake, tmp_path / "logs")
        stood[part] = versions(lake)["silver.client_events"]
    assert differences(at_once, lake) == {}
    resumed = [plan for of in follows(lake).values() for plan in of if plan != NONE]
    assert len(resumed) > len(logs)
    assert removed(lake, "silver.client_events", stood[1]) == 1
    assert removed(lake, "silver.client_events", stood[2]) == 0
    assert stood[PARTS] > stood[2]


@pytest.mark.parametrize("written", ["silver.client_events", "silver.findings", "silver.unit_states"])
def test_a_trigger_that_is_cut_off_is_finished_by_the_next(
    run_logs: Run,
    logs: dict[Path, list[bytes]],
    at_once: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    written: str,
) -> None:
    """Right after the write of a table: what is new is told by what stood before the plan, not by what it wrote itself."""
    lake = tmp_path / "lake"
    grow(tmp_path / "logs", logs, 3)
    run_logs(lake, tmp_path / "logs")
    grow(tmp_path / "logs", logs, PARTS)
    write = LakeWriter._write

    def interrupted(self: LakeWriter, rows: object, table: str, *given: object, **how: object) -> None:
        write(self, rows, table, *given, **how)  # type: ignore[arg-type]  # passed on as they came
        if table == written:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(LakeWriter, "_write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_logs(lake, tmp_path / "logs")
    run_logs(lake, tmp_path / "logs")
    assert differences(at_once, lake) == {}


def test_another_version_of_the_code_judges_all_anew(
    run_logs: Run,
    logs: dict[Path, list[bytes]],
    at_once: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also processes of which nothing is new."""
    lake, (grown, *_) = tmp_path / "lake", logs
    grow(tmp_path / "logs", logs, PARTS)
    grow(tmp_path / "logs", {grown: logs[grown]}, 4)
    run_logs(lake, tmp_path / "logs")
    monkeypatch.setattr(states, "code_of_transforms", lambda: "another")
    grow(tmp_path / "logs", logs, PARTS)
    run_logs(lake, tmp_path / "logs")
    assert follows(lake)[max(follows(lake))] == [NONE] * len(logs)
    assert differences(at_once, lake) == {}


def test_a_dump_that_comes_late_is_known_to_all_events(
    run_logs: Run, logs: dict[Path, list[bytes]], conf: Conf, tmp_path: Path
) -> None:
    """The process's first lines, with its settings, are in a file that is read last."""
    name = Path(NAMES[2]) / "consumer-a.app.log"
    lines = logs[name]
    half = len(lines) // 2
    hints = (SourceHint(match="*", service="orders", instance="a"),)
    settings = replace(conf, sources=hints)
    for folder, order in (("together", ("first", "then", "last")), ("late", ("then", "last", "first"))):
        pieces = {"first": lines[:200], "then": lines[200:half], "last": lines[half:]}
        (tmp_path / folder / "logs").mkdir(parents=True)
        for piece in order:
            (tmp_path / folder / "logs" / f"{piece}.log").write_bytes(b"".join(pieces[piece]))
            if folder == "late":
                run_logs(tmp_path / folder / "lake", tmp_path / folder / "logs", settings)
    run_logs(tmp_path / "together" / "lake", tmp_path / "together" / "logs", settings)
    assert differences(tmp_path / "together" / "lake", tmp_path / "late" / "lake") == {}
