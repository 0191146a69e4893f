"""The reader: order, ids, and the four ways of having no rows."""

import shutil

import pytest

from dashboards.pages.violations import SORTINGS
from dashboards.queries import LakeReader
from dashboards.queries.filters import Filter
from dashboards.queries.findings import finding
from dashboards.queries.freshness import freshness
from dashboards.queries.listing import page
from dashboards.queries.proof import Proof
from tests.dashboards.lake import NOON, SESSION, episode_row, good_lake, sha, violation, write
from transforms.diagnose.reports.report import report_finding
from transforms.timers.episodes import BackoffAttempt


def violations(lake):
    return page(lake, "gold.violations", Filter(), SORTINGS[0])


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return good_lake(tmp_path_factory.mktemp("lake"))


def test_broken_promises_come_first(lake):
    categories = [row["category"] for row in violations(LakeReader(lake)).rows]
    assert categories[:3] == ["broken_semantics", "departs_from_kip", "misconfiguration"]


def test_no_lake_no_table_no_rows_and_no_luck_are_told_apart(tmp_path):
    assert violations(LakeReader(tmp_path / "none")).state == "no_lake"
    assert violations(LakeReader(tmp_path)).state == "missing"
    write(tmp_path, "gold.violations", [])
    empty = violations(LakeReader(tmp_path))
    assert (empty.state, empty.rows) == ("ok", [])
    write(tmp_path, "gold.violations", [violation("v", "s", ["e"])])
    for file in tmp_path.glob("gold/violations/*.parquet"):
        file.unlink()
    broken = violations(LakeReader(tmp_path))
    assert broken.state == "failed"
    assert broken.problem.startswith("gold.violations: ")


def test_a_broken_log_fails_too(tmp_path):
    write(tmp_path, "gold.violations", [violation("v", "s", ["e"])])
    for file in tmp_path.glob("gold/violations/_delta_log/*.json"):
        file.write_text("{", encoding="utf-8")
    assert violations(LakeReader(tmp_path)).state == "failed"


@pytest.mark.parametrize("wanted", ["", "x", "' OR 1=1 --", "../../etc", "f" * 63, sha("unknown")])
def test_an_id_that_is_none_finds_nothing(lake, wanted):
    answer = finding(LakeReader(lake), wanted)
    assert (answer.state, answer.rows) == ("ok", [])


def test_a_violation_an_episode_and_lines_by_their_ids(lake):
    proof = Proof(LakeReader(lake))
    (row,) = finding(proof.lake, sha("late-leave")).rows
    table, (episode,) = proof.episodes(row["subject_id"])
    assert table == "silver.liveness_sessions"
    assert episode["ended_at"] == SESSION.ended_at
    lines = proof.lines([sha("leave"), sha("unknown"), sha("joined")])
    assert [line.event_id for line in lines] == [sha("leave"), sha("joined")]
    assert [line.happened_at for line in lines] == [NOON, NOON - 60_000]


def test_what_is_said_once_per_client_is_drawn_by_its_worst_occurrence(lake):
    proof = Proof(LakeReader(lake))
    (row,) = finding(proof.lake, sha("late-batch")).rows
    assert proof.episodes(row["subject_id"]) is None
    assert proof.subject_of(row) == sha("batch")
    (told,) = report_finding(row, proof).timelines
    assert told.title == "Batch of 3 records for orders-0"


def test_of_several_waits_the_one_of_the_proof_is_drawn(tmp_path):
    waits = [
        BackoffAttempt(
            unit_id="u",
            sequence_id=sha("s"),
            failures=n,
            failed_at=NOON + n,
            event_ids=[sha(f"{n}"), sha(f"{n + 1}")],
        )
        for n in (1, 2, 3)
    ]
    write(tmp_path, "silver.backoff_attempts", [episode_row(wait) for wait in waits])
    row = violation("v", sha("s"), [sha("2"), sha("3")])
    assert report_finding(row, Proof(LakeReader(tmp_path))).timelines[0].title.startswith("Wait 2 ")


def test_freshness_is_read_from_statistics_and_the_last_run(lake):
    fresh = freshness(LakeReader(lake))
    assert fresh.newest_line_at == NOON + 3_950
    assert (fresh.run["run_id"], fresh.failed_checks) == ("run-1", 0)


def test_checks_are_those_of_the_latest_run_that_has_some(lake):
    """Of a stream's triggers one in many has."""
    far = 4_000_000_000_000  # ms
    runs = [{"run_id": f"run-{n}", "job": "stream", "started_at": far + n, "status": "done"} for n in (2, 3)]
    write(lake, "gold.runs", runs, mode="append")
    fresh = freshness(LakeReader(lake))
    assert (fresh.run["run_id"], fresh.failed_checks) == ("run-3", 0)


def test_freshness_of_nothing(tmp_path):
    fresh = freshness(LakeReader(tmp_path))
    assert (fresh.newest_line_at, fresh.run, fresh.failed_checks) == (None, None, None)


def test_a_table_that_is_being_written_for_the_first_time_is_missing(tmp_path):
    good_lake(tmp_path)
    shutil.rmtree(tmp_path / "gold" / "unjudged" / "_delta_log")
    assert LakeReader(tmp_path).read("gold.unjudged").state == "missing"
