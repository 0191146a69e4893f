"""The fleet's incidents in a lake: one row with members, the same however often a run looks, and for a lake of before."""

import json

import pytest

from conf.settings import load_conf
from jobs.explain.by_id import report_of
from jobs.folds.fleet import write_fleet
from jobs.pipeline import Input, open_lake, trigger
from jobs.progress import Progress
from lab.soak.kills import NO_SESSION
from lab.soak.rows import rows_of, versions
from tests.dashboards.lake import without
from tests.story import line
from transforms.diagnose.fleets.fleet import SCOPE

CONF = load_conf()
TABLE = "gold.incidents"
ADDED = ("actor", "fingerprint", "parent_incident_id", "places", "tells_more")
REFUSED = (
    "Connection to node {0} (kafka{0}/10.0.0.{0}:9092) could not be established. Node may not be available."
)


def log(client, seconds, node=1):
    who = f"[Consumer clientId={client}, groupId=g-{client}] "
    logger = "org.apache.kafka.clients.NetworkClient"
    return "".join(f"{line(at * 1_000, 'WARN', logger, who + REFUSED.format(node))}\n" for at in seconds)


def run(lake, logs):
    with open_lake(lake, CONF) as opened:
        trigger(NO_SESSION, opened, Input([str(logs)]), CONF, Progress(is_shown=False), job="run")
    return [json.loads(row) for row in rows_of(lake, TABLE)]


@pytest.fixture
def logs(tmp_path):
    folder = tmp_path / "logs"
    for name in ("a", "b"):
        (folder / name).mkdir(parents=True)
        (folder / name / "app.log").write_text(log(f"consumer-{name}", (0, 1)))
    return folder


def test_one_outage_of_two_processes_is_one_row_with_members(tmp_path, logs):
    rows = run(tmp_path / "lake", logs)
    (fleet,) = [row for row in rows if row["scope_id"] == SCOPE]
    members = [row for row in rows if row["scope_id"] != SCOPE]
    assert (fleet["kind"], fleet["places"]) == ("fleet_broker", ["broker:1"])
    assert {row["parent_incident_id"] for row in members} == {fleet["incident_id"]}
    part, whole = (
        dict(report_of(tmp_path / "lake", row["incident_id"]).facts) for row in (members[0], fleet)
    )
    assert part["Part of"] == f"{fleet['title']} ({fleet['incident_id'][:12]})"
    assert "Part of" not in whole
    before = versions(tmp_path / "lake")
    with open_lake(tmp_path / "lake", CONF) as opened:
        assert write_fleet(opened) is False
    assert versions(tmp_path / "lake") == before


def test_an_outage_over_200_clients_is_one_row_and_another_brokers_stays_another(tmp_path):
    folder = tmp_path / "logs"
    for number in range(22):
        process = folder / f"p{number:02d}"
        process.mkdir(parents=True)
        node = 1 if number < 20 else 2
        of_each = (log(f"c-{number}-{client}", (client % 5, 9), node) for client in range(10))
        (process / "app.log").write_text("".join(of_each))
    rows = run(tmp_path / "lake", folder)
    fleet = [row for row in rows if row["scope_id"] == SCOPE]
    assert {tuple(row["places"]): len(row["client_ids"]) for row in fleet} == {
        ("broker:1",): 200,
        ("broker:2",): 20,
    }
    assert all(row["parent_incident_id"] for row in rows if row["scope_id"] != SCOPE)


def test_a_process_that_comes_later_joins_it(tmp_path, logs):
    lake = tmp_path / "lake"
    run(lake, logs / "a")
    (logs / "c").mkdir()
    (logs / "c" / "app.log").write_text(log("consumer-c", (2, 3)))
    rows = run(lake, logs)
    (fleet,) = [row for row in rows if row["scope_id"] == SCOPE]
    assert len(fleet["subject_ids"]) == 3
    anew = run(tmp_path / "other", logs)
    assert sorted(map(str, rows)) == sorted(map(str, anew))


def test_a_lake_of_before_is_given_the_columns_and_told_anew_where_lines_come(tmp_path, logs):
    lake = tmp_path / "lake"
    run(lake, logs / "a")
    without(lake, TABLE, *ADDED)
    with (logs / "a" / "app.log").open("a") as grown:
        grown.write(log("consumer-a", (2, 3)))
    rows = run(lake, logs)
    (fleet,) = [row for row in rows if row["scope_id"] == SCOPE]
    assert len(fleet["subject_ids"]) == 2
    assert set(ADDED) <= set(rows[0])
