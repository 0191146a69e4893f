"""Metrics beside logs: in whatever order and cut both arrive, the tables are the same (DESIGN 2.2)."""

import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conf.settings import Conf, SourceHint
from jobs.engine.choice import Engines
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.storage.lake_reads import read_arrow
from lab.corpus import ROOT as RECORDINGS
from lab.soak.rows import differences, rows_of, versions
from transforms.plans.run_result import RunResult

# Consumers with three collectors, Streams threads.
SCENARIOS = ("p62-slow-poll-42", "p572-task-recover-35")
WHOSE = {"consumer-a": "consumer-a.app.log", "streams": "app.log"}


class Inputs:
    """The recordings' logs and metrics as folders that grow, and runs over them."""

    def __init__(self, engines: Engines, conf: Conf, folder: Path) -> None:
        self.engines, self.folder = engines, folder
        hints = [
            SourceHint(f"*/{name}/prom/{client}.*", service=name, instance=log)
            for name in SCENARIOS
            for client, log in WHOSE.items()
        ]
        self.conf = replace(conf, sources=tuple(hints))

    def put(self, kind: str, number: int = 1, of: int = 1) -> None:
        """The first part of every file of a kind (`logs` or `metrics`), and of all scrapes the first ones."""
        for name in SCENARIOS:
            files = _files(name, kind)
            scrapes = sorted(path for path in files if path.parent.name == "prom")
            for path in [path for path in files if path not in scrapes]:
                whole = gzip.decompress(path.read_bytes())
                self._write(path, kind, whole[: len(whole) * number // of])
            for path in scrapes[: len(scrapes) * number // of]:
                self._write(path, kind, gzip.decompress(path.read_bytes()))

    def _write(self, path: Path, kind: str, content: bytes) -> None:
        target = self.folder / kind / path.relative_to(RECORDINGS).with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def run(self, lake: Path, kinds: Sequence[str]) -> RunResult:
        paths = {kind: [str(self.folder / kind)] if kind in kinds else [] for kind in ("logs", "metrics")}
        quiet = Progress(is_shown=False)
        result = run(self.engines, lake, paths["logs"], paths["metrics"], self.conf, quiet)
        assert result.failed_checks == 0
        return result


def _files(scenario: str, kind: str) -> list[Path]:
    of_kind = (
        ["*app.log.gz", "broker.log.gz"] if kind == "logs" else ["*metrics.jsonl.gz", "*.csv.gz", "prom/*.gz"]
    )
    return sorted(path for pattern in of_kind for path in (RECORDINGS / scenario).glob(pattern))


@pytest.fixture(scope="module")
def inputs(engines: Engines, conf: Conf, tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    found = Inputs(engines, conf, tmp_path_factory.mktemp("whole"))
    found.put("logs")
    found.put("metrics")
    return found


@pytest.fixture(scope="module")
def at_once(inputs: Inputs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("at-once") / "lake"
    inputs.run(lake, ["logs", "metrics"])
    return lake


def test_every_client_with_a_log_is_bound_to_it(at_once: Path) -> None:
    clients = read_arrow(
        str(at_once / "silver" / "metric_clients"), ["unit_id", "client_id", "process_unit_id"]
    )
    bound = {
        (row["unit_id"], row["process_unit_id"])
        for row in clients.to_pylist()
        if row["client_id"].startswith(("consumer-", "order-")) and "," not in row["client_id"]
    }
    one, other = SCENARIOS
    assert bound == {
        (f"{one}/consumer-a.app.log", f"{one}/consumer-a.app.log"),  # jmx_exporter's, as conf says
        (f"{one}/consumer-a.jmxtool.csv", f"{one}/consumer-a.app.log"),
        (f"{one}/consumer-a.metrics.jsonl", f"{one}/consumer-a.app.log"),
        (f"{one}/consumer-b.metrics.jsonl", f"{one}/consumer-b.app.log"),
        (f"{other}/app.log", f"{other}/app.log"),
        (f"{other}/metrics.jsonl", f"{other}/app.log"),
    }


def test_metrics_after_the_logs(inputs: Inputs, at_once: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    inputs.run(lake, ["logs"])
    assert rows_of(lake, "silver.metric_clients") == []
    assert inputs.run(lake, ["metrics"]).units == 3
    assert differences(at_once, lake) == {}
    before = versions(lake)
    assert inputs.run(lake, ["logs", "metrics"]).units == 0
    assert versions(lake) == before


def test_logs_after_the_metrics_in_parts(inputs: Inputs, at_once: Path, tmp_path: Path) -> None:
    """In the second part a log names a client for the first time, and files of metrics grow."""
    parts = Inputs(inputs.engines, inputs.conf, tmp_path)
    parts.conf = inputs.conf
    parts.put("metrics", 1, 2)
    parts.run(tmp_path / "lake", ["metrics"])
    for part in (1, 2):
        parts.put("logs", part, 2)
        parts.put("metrics", part, 2)
        parts.run(tmp_path / "lake", ["logs", "metrics"])
    assert differences(at_once, tmp_path / "lake") == {}


def test_what_spark_reads_and_folds_is_the_same(
    inputs: Inputs, by_spark: Engines, at_once: Path, tmp_path: Path
) -> None:
    """Nothing is held by the driver: tasks read the lake's files themselves."""
    conf = replace(inputs.conf, lake=replace(inputs.conf.lake, most_rows=0))
    parts = Inputs(by_spark, conf, inputs.folder)
    parts.run(tmp_path / "lake", ["logs", "metrics"])
    assert differences(at_once, tmp_path / "lake") == {}


def test_a_run_that_is_interrupted_is_finished_by_the_next(
    inputs: Inputs, at_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / "lake"
    inputs.run(lake, ["logs"])

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for step in ("jobs.folds.rebuild._withdraw", "jobs.pipeline.write_bindings"):
        with monkeypatch.context() as patched:
            patched.setattr(step, interrupted)
            with pytest.raises(KeyboardInterrupt):
                inputs.run(lake, ["metrics"])
    inputs.run(lake, ["metrics"])
    assert differences(at_once, lake) == {}


def test_a_second_log_that_names_the_client_sets_it_free(
    engines: Engines, conf: Conf, tmp_path: Path
) -> None:
    """Whose samples they are can't be told any more: the first is judged without them again, as if they never were."""
    scenario, folder, other = RECORDINGS / "p580-exp-42", tmp_path / "svc", tmp_path / "other" / "svc"
    for path, to in (
        ("app.log", folder / "one.log"),
        ("metrics.jsonl", folder / "m.jsonl"),
        ("app.log", other / "two.log"),
    ):
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(gzip.decompress((scenario / f"{path}.gz").read_bytes()))
    with (other / "two.log").open("rb+") as log:  # another process: its file begins otherwise
        log.write(b"[2026-11-21 02:00")

    def bring(lake: str, logs: list[Path], metrics: list[Path]) -> RunResult:
        names = [[str(path) for path in paths] for paths in (logs, metrics)]
        return run(engines, tmp_path / lake, *names, conf, Progress(is_shown=False))

    bring("lake", [folder / "one.log"], [folder / "m.jsonl"])
    assert bring("lake", [other / "two.log"], []).units == 2
    bring("at-once", [folder / "one.log", other / "two.log"], [folder / "m.jsonl"])
    assert differences(tmp_path / "at-once", tmp_path / "lake") == {}
    (client,) = rows_of(tmp_path / "lake", "silver.metric_clients")
    assert "several_logs" in client
