"""A stream that alerts: what a trigger finds is sent once, whatever starts again, and a backfill is sent to nobody."""

import json
from dataclasses import replace
from pathlib import Path

from conf.settings import Conf, load_conf
from jobs.pipeline import Input
from lab.corpus import ROOT
from lab.soak.kills import until_nothing_is_new
from lab.soak.rows import rows_of
from tests.jobs.alerts.test_sender import Received

LOGS = ROOT / "p62-slow-poll-24"  # at INFO: so few lines need no session
YEARS = 24 * 365 * 10


def told(lake: Path, conf: Conf) -> list[tuple[str, str]]:
    """What has been sent after one more start over the same logs."""
    until_nothing_is_new(lake, Input([str(LOGS)]), conf)
    return sorted(
        (row["incident_id"], row["state"]) for row in map(json.loads, rows_of(lake, "gold.notifications"))
    )


def test_once_for_each_incident_and_none_for_a_backfill(tmp_path: Path) -> None:
    received = Received()
    conf = load_conf()
    targets = {"t": f"alertmanager+http://{received.address}"}
    at_all = replace(conf, alerts=replace(conf.alerts, targets=targets, max_age_hours=YEARS))
    lately = replace(conf, alerts=replace(conf.alerts, targets=targets))
    lake = tmp_path / "lake"
    assert told(lake, lately) == []
    first = told(lake, at_all)
    incidents = [
        row
        for row in map(json.loads, rows_of(lake, "gold.incidents"))
        if row["verdict"] != "benign" and row["parent_incident_id"] is None and row["started_at"] is not None
    ]
    assert {incident_id for incident_id, _ in first} == {row["incident_id"] for row in incidents}
    assert len(received.bodies) == len(first) > 0
    assert set(first) <= set(told(lake, at_all))
    again = told(lake, at_all)
    assert told(lake, at_all) == again  # all is told, and its end: nothing goes out twice
    assert len(received.bodies) == len(again)
    received.server.shutdown()
    received.server.server_close()
