"""A log of more clients than a process is followed with: the same tables whatever the cuts, and all of them told."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conf.settings import Conf
from jobs.engine.choice import Engines
from jobs.folds import fold_input
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.storage.lake_reads import read_arrow
from lab.soak.rows import differences, rows_of
from tests.transforms.test_chapters import log
from transforms import fold_rows, unit_states
from transforms.plans.run_result import RunResult
from transforms.timers.clients import control_events as control

MOST, CLIENTS, PARTS = 4, 30, 5
QUIET = Progress(is_shown=False)
Run = Callable[..., RunResult]


@pytest.fixture(scope="module")
def few(conf: Conf) -> Conf:
    """Settings under which few clients are followed at once."""
    return replace(conf, lake=replace(conf.lake, most_clients=MOST))


@pytest.fixture(scope="module")
def text() -> bytes:
    """Clients come one after the other, and some of them again."""
    says = [f"{letter}{n}" for n in range(CLIENTS) for letter in ("wr", "jp", "dr", "wwjp")[n % 4]]
    says[40:40] = ["w1", "j5", "p5", "r2"]
    return log(*says).encode()


@pytest.fixture(scope="module")
def at_once(engines: Engines, few: Conf, text: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lake of one run."""
    folder = tmp_path_factory.mktemp("many-clients")
    log_file = folder / "svc" / "app.log"
    log_file.parent.mkdir()
    log_file.write_bytes(text)
    result = run(engines, folder / "lake", [str(log_file)], [], few, QUIET)
    assert (result.failed_checks, result.units) == (0, 1)
    return folder / "lake"


def _in_parts(engines: Engines, conf: Conf, text: bytes, folder: Path) -> Path:
    log_file = folder / "svc" / "app.log"
    log_file.parent.mkdir(parents=True, exist_ok=True)
    for part in range(1, PARTS + 1):
        log_file.write_bytes(text[: len(text) * part // PARTS])
        assert run(engines, folder / "lake", [str(log_file)], [], conf, QUIET).failed_checks == 0
    return folder / "lake"


def test_every_client_is_told_and_the_newest_have_health(at_once: Path) -> None:
    incidents = read_arrow(
        str(at_once / "gold" / "incidents"), ["client_ids", "plan", "scope_id"]
    ).to_pylist()
    told = {client for one in incidents for client in one["client_ids"]}
    assert {f"p-{n}" for n in range(CLIENTS) if n % 4 == 0} <= told
    assert {f"c-{n}" for n in range(CLIENTS) if n % 4 == 1} <= told
    health = read_arrow(str(at_once / "gold" / "client_health"), ["client_id"])["client_id"].to_pylist()
    assert len(health) == MOST
    assert f"p-{CLIENTS - 1}" not in told or f"p-{CLIENTS - 1}" in health
    sizes = read_arrow(str(at_once / "silver" / "unit_states"), ["scope_id", "state"])
    assert len(sizes) <= 1 + MOST  # of the process, and of its part in so many groups at most


def test_a_log_that_grows(engines: Engines, few: Conf, text: bytes, at_once: Path, tmp_path: Path) -> None:
    lake = _in_parts(engines, few, text, tmp_path)
    assert differences(at_once, lake) == {}
    health = [json.dumps(row, default=str) for row in rows_of(lake, "gold.client_health")]
    assert len(health) == MOST


def test_tasks_that_hold_nothing(
    engines: Engines, few: Conf, text: bytes, at_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (fold_input, fold_rows):
        monkeypatch.setattr(module, "TASK_ROWS", 20)
    monkeypatch.setattr(fold_input, "SPAN_BYTES", 20 * fold_input.ROW_BYTES)
    nothing_held = replace(few, lake=replace(few.lake, most_rows=0))
    assert differences(at_once, _in_parts(engines, nothing_held, text, tmp_path)) == {}


@pytest.mark.parametrize("kept", ["MOST_CONTROL", "MOST_OBJECTS"])
def test_clients_that_begin_print_and_end_are_told_alike_in_many_chapters(
    engines: Engines, conf: Conf, few: Conf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    """Also where their control events are held in columns, a few at once, and no state holds them, or none is kept."""
    log_file = tmp_path / "svc" / "app.log"
    log_file.parent.mkdir()
    text = log(*(f"{letter}{n}" for n in range(CLIENTS) for letter in "dvc")).encode()
    log_file.write_bytes(text)
    run(engines, tmp_path / "one", [str(log_file)], [], conf, QUIET)
    monkeypatch.setattr(control, "ROWS_PER_BATCH", 7)
    monkeypatch.setattr(unit_states, kept, 0)
    for part in (1, 2):
        log_file.write_bytes(text[: len(text) * part // 2])
        run(engines, tmp_path / "many", [str(log_file)], [], few, QUIET)
    rows = read_arrow(str(tmp_path / "many" / "silver" / "unit_states"), ["control", "state"])
    left_out, held = ("control", "state") if kept == "MOST_CONTROL" else ("state", "control")
    assert rows[left_out].null_count == len(rows) > rows[held].null_count
    # What is told for good has its plan, and who was heard of last has health.
    assert set(differences(tmp_path / "one", tmp_path / "many")) <= {"gold.unjudged", "gold.client_health"}


def test_another_number_of_clients_judges_all_anew(
    engines: Engines, conf: Conf, few: Conf, text: bytes, at_once: Path, tmp_path: Path
) -> None:
    """A state of another setting is not gone on from."""
    begun, whole = tmp_path / "begun", tmp_path / "whole"
    for folder in (begun, whole):
        (folder / "svc").mkdir(parents=True)
    half = len(text) // 2
    for lake, first in ((begun, few), (whole, conf)):
        (lake / "svc" / "app.log").write_bytes(text[:half])
        run(engines, lake / "lake", [str(lake / "svc" / "app.log")], [], first, QUIET)
        (lake / "svc" / "app.log").write_bytes(text)
        run(engines, lake / "lake", [str(lake / "svc" / "app.log")], [], conf, QUIET)
    assert differences(begun / "lake", whole / "lake") == {}
