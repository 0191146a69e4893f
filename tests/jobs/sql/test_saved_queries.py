"""The saved queries of conf/queries: each question has one, runs, and tells what the tables hold."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from conf.settings import load_conf
from dashboards.queries import LakeReader
from dashboards.queries.what_if import margins_of
from jobs.cli import app
from jobs.commands.what_if import ask
from jobs.pipeline import Input, open_lake, trigger
from jobs.progress import Progress
from jobs.sql.query import query_rows
from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import NO_SESSION
from lab.soak.rows import rows_of
from transforms.diagnose.reports.margins import DELIVERY, POLL, SESSION, TASK
from transforms.errors import BadInput

pytestmark = pytest.mark.usefixtures("query_here")

CONF = load_conf()
QUERIES = sorted((Path(__file__).parents[3] / "conf" / "queries").glob("*.sql"))
MOST = 14
NAMES = ("p62-slow-poll-42/consumer-a.app.log.gz", "p62-slow-poll-42/broker.log.gz")


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    made = tmp_path_factory.mktemp("saved") / "lake"
    logs = [str(RECORDINGS / name) for name in NAMES]
    with open_lake(made, CONF) as opened:
        trigger(NO_SESSION, opened, Input(logs), CONF, Progress(is_shown=False), job="run")
    return made


def asked(lake, number):
    (file,) = [one for one in QUERIES if one.name.startswith(f"{number:02}-")]
    _, rows = query_rows(lake, file.read_text(encoding="utf-8"))
    return list(rows)


def rows(lake, table):
    return [json.loads(row) for row in rows_of(lake, table)]


def test_each_question_has_one():
    assert [int(file.name[:2]) for file in QUERIES] == list(range(1, MOST + 1))
    assert all(file.read_text(encoding="utf-8").startswith("-- ") for file in QUERIES)


@pytest.mark.parametrize("number", range(1, MOST + 1))
def test_it_runs(lake, number):
    asked(lake, number)


def test_one_that_begins_with_a_comment_is_no_option_of_the_command(lake):
    """As README gives it: kipwatch query "$(cat conf/queries/01-why-kicked-out.sql)"."""
    told = CliRunner().invoke(
        app, ["query", QUERIES[0].read_text(encoding="utf-8"), "--lake", str(lake), "--json"]
    )
    assert told.exit_code == 0
    assert [row["client_ids"] for row in json.loads(told.output)] == [["consumer-a"]]


def test_the_what_if_in_sql_is_that_of_the_command(lake):
    told = {(row["setting"], row["subject_id"]): row for row in asked(lake, 12)}
    kept = [row for row in told.values() if row["was_lost"] and row["outcome"] == "kept"]
    assert [(row["client_id"], row["kept_from_ms"]) for row in kept] == [("consumer-a", 14_055)]
    reader = LakeReader(lake)
    for setting in (POLL, SESSION, DELIVERY, TASK):
        for margin in margins_of(reader, setting)[1]:
            row = told.pop((setting, margin.subject_id))
            assert row["outcome"] == margin.with_limit(row["limit_ms"])
            assert (row["was_lost"], row["lost_to_ms"]) == (margin.is_lost, margin.lost_to_ms)
    assert told == {}


def test_the_command_says_what_another_limit_would_have_kept_and_cost(lake):
    said = CliRunner().invoke(app, ["what-if", "max.poll.interval.ms=600000", "--lake", str(lake)]).output
    assert said.splitlines() == [
        "With max.poll.interval.ms=600000 (10 min) 1 of 2 memberships would have been kept (2 of 3 were), "
        "1 can't be told (its limit is not in the log).",
        "  A rebalance in that time would have waited up to 6.1 s longer for a member that still processes.",
    ]
    with pytest.raises(BadInput, match="no rebuilt timer"):
        ask(lake, ["linger.ms=5"], None, None, False)
    with pytest.raises(BadInput, match="gives no time"):
        ask(lake, ["max.poll.interval.ms=long"], None, None, False)


def test_they_tell_what_the_tables_hold(lake):
    incidents = {row["incident_id"]: row for row in rows(lake, "gold.incidents")}
    (kicked_out,) = asked(lake, 1)
    told = incidents[kicked_out["incident_id"]]
    assert (kicked_out["title"], kicked_out["limit_ms"]) == (told["title"], told["limit_ms"])
    assert (kicked_out["actor"], kicked_out["limit_origin"]) == ("application", "logged")
    (back,) = [row for row in asked(lake, 2) if row["outcome"] == "poll_expired"]
    assert back["away_ms"] > 0
    assert {row["incident_id"] for row in asked(lake, 3)} == {
        one for one, row in incidents.items() if row["verdict"] == "benign"
    }
    assert {row["incident_id"] for row in asked(lake, 9)} == {
        one for one, row in incidents.items() if row["verdict"] != "benign"
    }
    assert {row["incident_id"] for row in asked(lake, 10)} == {
        one for one, row in incidents.items() if row["kind"] == "commit_refused"
    }
    assert len(asked(lake, 11)) == len(rows(lake, "gold.unjudged"))


OTHERS = ("p91-retries-exhausted-42", "p91-order-inflight1-42", "p580-static-35")


@pytest.fixture(scope="module")
def wider(tmp_path_factory):
    """A lake with batches that were lost, waits that do not grow, and a task whose timer runs where its log ends."""
    folder = tmp_path_factory.mktemp("wider")
    cut = folder / "cut" / "app.log"
    cut.parent.mkdir()
    text = gzip.decompress((RECORDINGS / "p572-task-recover-35" / "app.log.gz").read_bytes()).decode()
    until = text.index("\n", text.index("Remaining time to deadline")) + 1
    cut.write_text(text[: text.index("\n[", until) + 1], encoding="utf-8")
    logs = [str(RECORDINGS / name / "app.log.gz") for name in OTHERS]
    with open_lake(folder / "lake", CONF) as opened:
        trigger(NO_SESSION, opened, Input([*logs, str(cut)]), CONF, Progress(is_shown=False), job="run")
    return folder / "lake"


def test_lost_batches_are_those_of_the_table_newest_first(wider):
    told = asked(wider, 4)
    lost = {
        row["batch_id"]: row
        for row in rows(wider, "silver.batch_lifetimes")
        if row["outcome"] in ("expired", "failed")
    }
    assert {row["batch_id"] for row in told} == set(lost)
    assert {row["outcome"] for row in told} == {"expired", "failed"}
    for row in told:
        of = lost[row["batch_id"]]
        assert all(
            row[name] == of[name]
            for name in ("age_ms", "in_flight_ms", "waiting_ms", "attempts", "error_class")
        )
    assert [row["ended_at"] for row in told] == sorted((row["ended_at"] for row in told), reverse=True)


def test_what_runs_is_told_with_its_deadline(wider):
    (runs,) = [row for row in asked(wider, 5) if row["setting"] == "task.timeout.ms"]
    (timer,) = [row for row in rows(wider, "silver.task_timers") if row["outcome"] == "open"]
    assert (runs["limit_ms"], runs["attempts"]) == (timer["task_timeout_ms"], timer["attempts"])
    assert runs["limit_origin"] == timer["timeout_origin"] == "logged"
    assert len(asked(wider, 5)) == len(rows(wider, "gold.open_timers"))


def test_settings_are_those_of_the_table(wider):
    told = [(row["client_id"], row["name"], row["value"], row["origin"]) for row in asked(wider, 6)]
    names = {name for _, name, _, _ in told}
    wanted = [
        (row["client_id"], row["name"], row["value"], row["origin"])
        for row in rows(wider, "silver.client_settings")
        if row["name"] in names
    ]
    assert {"delivery.timeout.ms", "task.timeout.ms", "retry.backoff.ms"} <= names
    assert sorted(map(str, told)) == sorted(map(str, wanted))


def test_rebalances_are_counted_by_who_asked(lake):
    counted = Counter(
        (row["group_id"], row["trigger"], row["triggered_by"])
        for row in rows(lake, "silver.group_rebalances")
    )
    told = asked(lake, 7)
    assert {
        (row["group_id"], row["trigger"], row["triggered_by"]): row["rebalances"] for row in told
    } == counted
    assert [row["rebalances"] for row in told] == sorted(counted.values(), reverse=True)
    assert any(row["trigger"] == "left" for row in told)


def test_clients_that_do_not_back_off_are_those_of_the_findings(wider):
    told = {row["violation_id"]: row for row in asked(wider, 8)}
    wanted = {row["violation_id"]: row for row in rows(wider, "gold.violations") if row["kip"] == "KIP-580"}
    assert set(told) == set(wanted)
    assert {"kip580.no_growth"} <= {row["rule_id"] for row in told.values()}
    for one, row in told.items():
        assert (row["occurrences"], row["worst_ms"]) == (wanted[one]["occurrences"], wanted[one]["worst_ms"])
