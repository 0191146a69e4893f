"""The fleet as Prometheus sees it: what is open now, what was broken, and what ends next; alerts and dashboard over it."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from grafana_foundation_sdk.models.dashboard import Dashboard

from jobs.gauges.fleet_now import fleet_now
from jobs.gauges.prometheus import Measured
from jobs.storage.lake import LakeWriter
from lab import grafana
from tests.dashboards.lake import NOON, good_lake, sha, write
from tests.dashboards.lake import incident_row as incident
from transforms.explain.gauges import FleetNow

PROMETHEUS = Path(__file__).parents[3] / "conf" / "prometheus"
NOW = NOON / 1000 + 60
HOUR = 3600.0


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> LakeWriter:
    root = good_lake(tmp_path_factory.mktemp("gauges"))
    changes: list[dict[str, Any]] = [
        {"incident_id": sha("a"), "ended_at": None},
        {"incident_id": sha("b"), "ended_at": None, "service": "bills"},
        {"incident_id": sha("over"), "ended_at": NOON + 1},
        {"incident_id": sha("benign"), "ended_at": None, "verdict": "benign"},
        {"incident_id": sha("old"), "ended_at": None, "started_at": NOON - 7 * 3_600_000},
        {"incident_id": sha("undated"), "ended_at": None, "started_at": None},
    ]
    write(root, "gold.incidents", [incident("poll_expired", "as_designed") | change for change in changes])
    return LakeWriter(root)


def test_open_is_what_began_lately_and_has_no_end(lake: LakeWriter) -> None:
    found = fleet_now(lake, NOW, 6 * HOUR)
    assert found.incidents == {
        ("orders", "poll_expired", "as_designed", "lost"): 1,
        ("bills", "poll_expired", "as_designed", "lost"): 1,
    }


def test_of_a_backfill_nothing_is_open(lake: LakeWriter) -> None:
    found = fleet_now(lake, NOW + 24 * HOUR, 6 * HOUR)
    assert found.incidents == {}
    assert found.deadlines == {}
    assert sum(found.violations.values()) == 5


def test_the_least_time_left_is_by_the_clock_of_the_scrape(lake: LakeWriter) -> None:
    found = fleet_now(lake, NOW, 6 * HOUR)
    assert found.deadlines == {("task", "orders"): NOON / 1000 + 3_595}
    (left,) = [family for family in found.families(NOW) if "remaining" in family.name]
    assert [sample.value for sample in left.samples] == [3_535.0]


def test_labels_may_hold_anything() -> None:
    measured = Measured(fleet=FleetNow(incidents={('a"b\\c\n', "k", "broken", "lost"): 2}))
    line = 'kipwatch_incidents_open{impact="lost",kind="k",service="a\\"b\\\\c\\n",verdict="broken"} 2.0'
    assert line in measured.text().splitlines()


def test_the_dashboard_is_what_its_builder_makes() -> None:
    text = grafana.FILE.read_text(encoding="utf-8")
    assert text == grafana.built()
    assert Dashboard.from_json(json.loads(text)).title == "kipwatch"


def test_alerts_and_dashboard_name_gauges_there_are() -> None:
    named = set(re.findall(r"kipwatch_[a-z_]+", Measured().text()))
    used = "".join(path.read_text(encoding="utf-8") for path in PROMETHEUS.iterdir())
    assert set(re.findall(r"(?<=[ (])kipwatch_[a-z_]+(?=[{ )\[]|\\)", used)) <= named


def test_alerts_fire_as_they_say(tmp_path: Path) -> None:
    """By Prometheus' own promtool (`make prometheus`)."""
    promtool = shutil.which("promtool")
    assert promtool is not None, "install promtool (Debian: apt-get install prometheus)"
    shutil.copy(PROMETHEUS / "rules.yml", tmp_path)
    shutil.copy(Path(__file__).with_name("prometheus_rules_test.yml"), tmp_path / "rules_test.yml")
    for command in (["check", "rules", "rules.yml"], ["test", "rules", "rules_test.yml"]):
        done = subprocess.run([promtool, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
