"""What tells of runs is bounded, in rows and in files; the newest stays."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from deltalake import DeltaTable, write_deltalake

from conf.settings import load_conf
from expectations import TABLES
from jobs import runs
from jobs.runs import CHECKS, RUNS, log_run
from jobs.storage.lake import LakeWriter
from transforms.plans.run_result import RunResult

KEEP = replace(load_conf().lake, most_runs=8, most_checks=10)
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def lake(tmp_path):
    lake = LakeWriter(tmp_path / "lake")
    lake.prepare()
    return lake


def logged(lake, number, keep=KEEP, checks=0):
    rows = [
        {"run_id": f"run-{number}", "table_name": "t", "expectation": f"{one}", "success": True}
        for one in range(checks)
    ]
    write_deltalake(lake.path(CHECKS), TABLES[CHECKS].arrow_table(rows), mode="append")
    log_run(lake, RunResult(f"run-{number}"), "stream", FIRST + timedelta(hours=number), keep)


def runs_in(lake, table):
    return sorted(set(DeltaTable(lake.path(table)).to_pyarrow_table()["run_id"].to_pylist()))


def test_the_older_half_of_the_runs_goes(lake):
    for number in range(8):
        logged(lake, number)
    assert len(runs_in(lake, RUNS)) == 8
    logged(lake, 8)
    assert runs_in(lake, RUNS) == ["run-5", "run-6", "run-7", "run-8"]


def test_runs_that_find_nothing_leave_few_files(lake, monkeypatch):
    monkeypatch.setattr(runs, "MOST_FILES", 3)
    for number in range(8):
        logged(lake, number)
        assert len(DeltaTable(lake.path(RUNS)).file_uris()) <= 3
    assert len(runs_in(lake, RUNS)) == 8


def test_checks_of_older_runs_go_until_half_are_left(lake):
    for number in range(5):
        logged(lake, number, checks=2)
    assert len(runs_in(lake, CHECKS)) == 5
    logged(lake, 5)  # it was not checked
    logged(lake, 6, checks=2)
    assert runs_in(lake, CHECKS) == ["run-4", "run-6"]
    assert lake.count(CHECKS) == 4


def test_the_newest_checks_stay_however_many_they_are(lake):
    logged(lake, 0, checks=11)
    assert lake.count(CHECKS) == 11
    logged(lake, 1, checks=11)
    assert runs_in(lake, CHECKS) == ["run-1"]


def test_as_many_checks_stay_as_many_runs_are_logged(lake):
    """However often, at most one check's rows more than conf says."""
    for number in range(40):
        logged(lake, number, checks=3)
        assert lake.count(CHECKS) <= KEEP.most_checks
        assert lake.count(RUNS) <= KEEP.most_runs
