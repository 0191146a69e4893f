"""What a run found, as text: counts, then violations and incidents, worst first."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from expectations.place import LakePlace
from jobs.explain.by_id import report_of
from jobs.explain.text import print_report
from jobs.runs import RunResult
from jobs.storage.lake import LakeWriter, read_arrow
from transforms.diagnose.render import shown
from transforms.rules.rule import CATEGORIES, SEVERITIES

MOST_LISTED = 20
# A demo is read to its end: the worst violation of each KIP, and each kind of incident once.
MOST_TOLD = 12

Row = dict[str, Any]


def print_summary(root: LakePlace, result: RunResult, console: Console) -> None:
    """One screen: what was read, what was found, where to look on."""
    violations, incidents, unjudged = _found(root)
    console.print(_counts(result, violations, incidents, unjudged), overflow="fold")
    for row in violations[:MOST_LISTED]:
        console.print(_line(row["violation_id"], row["category"], row["explanation"]), overflow="fold")
    for row in incidents[:MOST_LISTED]:
        console.print(_line(row["incident_id"], row["verdict"], row["title"]), overflow="fold")
    if violations or incidents:
        left = max(0, len(violations) - MOST_LISTED) + max(0, len(incidents) - MOST_LISTED)
        more = f"{left} more in gold.violations and gold.incidents. " if left else ""
        console.print(
            f"\n{more}One with its proof: kipwatch explain ID --lake {root}", overflow="fold", soft_wrap=True
        )


def print_findings(root: LakePlace, result: RunResult, console: Console, as_json: bool) -> None:
    """The demo's screen: the findings of each category and KIP once, with timeline and log lines."""
    violations, incidents, unjudged = _found(root)
    chosen = _one_of_each(violations, incidents)
    told = [report_of(root, found_id) for found_id in chosen]
    if as_json:
        typer.echo(json.dumps({"run": asdict(result), "found": [one.as_dict() for one in told]}))
        return
    for one in told:
        print_report(one, console)
    console.print(_counts(result, violations, incidents, unjudged), overflow="fold")


def severities_in(root: LakePlace) -> list[str]:
    """The severities of the lake's violations."""
    return [row["severity"] for row in _rows(root, "gold.violations", ["severity"])]


def _found(root: LakePlace) -> tuple[list[Row], list[Row], list[Row]]:
    violations = _rows(
        root,
        "gold.violations",
        ["violation_id", "rule_id", "kip", "category", "severity", "explanation", "first_at"],
    )
    incidents = _rows(
        root, "gold.incidents", ["incident_id", "kind", "verdict", "title", "started_at", "impact"]
    )
    violations.sort(
        key=lambda row: (
            CATEGORIES.index(row["category"]),
            SEVERITIES.index(row["severity"]),
            row["violation_id"],
        )
    )
    incidents = [row for row in incidents if row["verdict"] != "benign"]
    incidents.sort(key=lambda row: (row["verdict"] != "broken", str(row["started_at"]), row["incident_id"]))
    return violations, incidents, _rows(root, "gold.unjudged", ["subjects"])


def _one_of_each(violations: Sequence[Row], incidents: Sequence[Row]) -> list[str]:
    chosen: dict[tuple[str, ...], str] = {}
    for row in violations:
        chosen.setdefault(("violation", row["kip"]), row["violation_id"])
    for row in incidents:
        chosen.setdefault(("incident", row["kind"]), row["incident_id"])
    return list(chosen.values())[:MOST_TOLD]


def _counts(
    result: RunResult, violations: Sequence[Row], incidents: Sequence[Row], unjudged: Sequence[Row]
) -> str:
    by_category = Counter(row["category"] for row in violations)
    found = ", ".join(f"{by_category[name]} {name}" for name in CATEGORIES if by_category[name]) or "none"
    open_questions = sum(row["subjects"] for row in unjudged)
    return (
        f"{result.sources} sources, {result.records} new records of {result.units} processes. Violations: {found}. "
        f"Incidents: {len(incidents)}. Not judged for lack of evidence: {open_questions} (gold.unjudged)."
    )


def _line(found_id: str, mark: str, sentence: str) -> Text:
    return Text.assemble((found_id[:12], "cyan"), "  ", (mark, "bold"), "  ", shown(sentence))


def _rows(root: LakePlace, table: str, columns: list[str]) -> list[Row]:
    rows: list[Row] = read_arrow(LakeWriter(root).path(table), columns).to_pylist()
    return rows
