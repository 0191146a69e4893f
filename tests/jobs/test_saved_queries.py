"""The saved queries of conf/queries: each of the eleven questions has one, runs, and tells what the tables hold."""

import json
from pathlib import Path

import pytest

from jobs.conf import load_conf
from jobs.pipeline import Input, open_lake, trigger
from jobs.progress import Progress
from jobs.query import query_rows
from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import NO_SESSION
from lab.soak.rows import rows_of

CONF = load_conf()
QUERIES = sorted((Path(__file__).parents[2] / "conf" / "queries").glob("*.sql"))
NAMES = ("p62-slow-poll-42/consumer-a.app.log.gz", "p62-slow-poll-42/broker.log.gz")


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    made = tmp_path_factory.mktemp("saved") / "lake"
    logs = [str(RECORDINGS / name) for name in NAMES]
    with open_lake(NO_SESSION, made, CONF) as opened:
        trigger(NO_SESSION, opened, Input(logs), CONF, Progress(is_shown=False), job="run")
    return made


def asked(lake, number):
    (file,) = [one for one in QUERIES if one.name.startswith(f"{number:02}-")]
    _, rows = query_rows(lake, file.read_text(encoding="utf-8"))
    return list(rows)


def rows(lake, table):
    return [json.loads(row) for row in rows_of(lake, table)]


def test_each_of_the_eleven_questions_has_one():
    assert [int(file.name[:2]) for file in QUERIES] == list(range(1, 12))
    assert all(file.read_text(encoding="utf-8").startswith("-- ") for file in QUERIES)


@pytest.mark.parametrize("number", range(1, 12))
def test_it_runs(lake, number):
    asked(lake, number)


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
