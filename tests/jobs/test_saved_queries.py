"""The saved queries of conf/queries: each question has one, runs, and tells what the tables hold."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dashboards.queries import LakeReader
from dashboards.queries.what_if import margins_of
from jobs.cli import app
from jobs.conf import load_conf
from jobs.errors import BadInput
from jobs.pipeline import Input, open_lake, trigger
from jobs.progress import Progress
from jobs.query import query_rows
from jobs.what_if import ask
from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import NO_SESSION
from lab.soak.rows import rows_of
from transforms.diagnose.margins import DELIVERY, POLL, SESSION, TASK

CONF = load_conf()
QUERIES = sorted((Path(__file__).parents[2] / "conf" / "queries").glob("*.sql"))
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
