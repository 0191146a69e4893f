"""What a run says at its end: the worst of what stands, counted in all."""

import io
import random

import pytest
from rich.console import Console

from expectations import TABLES
from jobs.storage.lake import LakeWriter
from jobs.summary import print_summary, severities_in
from tests.expectations.rows import row
from transforms.explain.summary import MOST_LISTED
from transforms.plans.run_result import RunResult

MANY = 3 * MOST_LISTED


@pytest.fixture
def lake(tmp_path) -> LakeWriter:
    lake = LakeWriter(tmp_path)
    lake.prepare()
    return lake


def put(lake: LakeWriter, table: str, rows: list) -> None:
    random.Random(7).shuffle(rows)
    lake.add(TABLES[table].arrow_table(rows), table)


def said(lake: LakeWriter, tmp_path, width: int = 200) -> list[str]:
    text = io.StringIO()
    print_summary(tmp_path, RunResult("run"), Console(file=text, width=width))
    return text.getvalue().splitlines()


def test_the_worst_are_listed_and_all_are_counted(lake, tmp_path):
    verdicts, whole = ("as_designed", "broken", "benign"), {"impact": "lost", "parent_incident_id": None}
    told = [
        row("gold.incidents", incident_id=f"i{n:03}", started_at=1000 * n, verdict=verdicts[n % 3], **whole)
        for n in range(MANY)
    ]
    put(lake, "gold.incidents", told)
    categories = ("misconfiguration", "broken_semantics")
    violations = [
        row("gold.violations", violation_id=f"v{n:03}", rule_id=f"r{n:03}", category=categories[n % 2])
        for n in range(MANY)
    ]
    put(lake, "gold.violations", violations)
    first, *lines = said(lake, tmp_path)
    assert f"Violations: {MANY // 2} broken_semantics, {MANY // 2} misconfiguration" in first
    assert f"Incidents: {2 * MANY // 3}." in first
    ids = [line.split()[0] for line in lines[: 2 * MOST_LISTED]]
    assert ids[:MOST_LISTED] == [f"v{n:03}" for n in range(1, 2 * MOST_LISTED, 2)]
    # All that are broken, the oldest first.
    assert ids[MOST_LISTED:] == [f"i{n:03}" for n in range(1, MANY, 3)]
    assert f"{MANY - MOST_LISTED + 2 * MANY // 3 - MOST_LISTED} more in gold.violations" in " ".join(lines)


def test_what_went_wrong_goes_before_what_is_set_badly_and_each_is_said_once(lake, tmp_path):
    badly = {"rule_id": "kip91.retries", "category": "misconfiguration"}
    broken = {"rule_id": "kip572.reset", "category": "broken_semantics"}
    put(lake, "gold.violations", [
        *(row("gold.violations", violation_id=f"m{n}", **badly) for n in range(4)),
        row("gold.violations", violation_id="b", **broken),
    ])  # fmt: skip
    designed = {"verdict": "as_designed", "parent_incident_id": None}
    put(lake, "gold.incidents", [
        row("gold.incidents", incident_id="late", started_at=1, impact="delayed", **designed),
        row("gold.incidents", incident_id="lost", started_at=2, impact="lost", **designed),
        row("gold.incidents", incident_id="part", started_at=0, impact="lost", **designed | {"parent_incident_id": "lost"}),
    ])  # fmt: skip
    first, *lines = said(lake, tmp_path)
    assert [line.split()[0] for line in lines[:4]] == ["b", "lost", "late", "m0"]
    assert lines[1].startswith("lost  impact: lost  ")
    assert lines[3].endswith("(and 3 more of kip91.retries)")
    assert "Incidents: 3." in first
    assert "4 more in gold.violations and gold.incidents" in lines[-1]


def test_a_lake_without_findings(lake, tmp_path):
    (line,) = said(lake, tmp_path)
    assert "Violations: none. Incidents: 0." in line
    assert severities_in(tmp_path) == []


def test_metrics_of_no_log_are_no_all_clear(lake, tmp_path):
    bound = [
        row("silver.metric_clients", client_id=f"c{n}", process_unit_id=unit)
        for n, unit in enumerate((None, None, "u"))
    ]
    put(lake, "silver.metric_clients", bound)
    assert "Metrics of 2 clients belong to no log that was read" in " ".join(said(lake, tmp_path))


def test_the_command_at_the_end_is_whole_on_a_narrow_screen(lake, tmp_path):
    put(lake, "gold.violations", [row("gold.violations", violation_id="v1")])
    assert said(lake, tmp_path, width=40)[-1].endswith(f"kipwatch explain ID --lake {tmp_path}")
