"""What a run found, as text: counts, then incidents and violations, worst first."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import pyarrow.compute as pc
import typer
from rich.console import Console
from rich.text import Text

from expectations.place import LakePlace
from jobs.explain.by_id import report_of
from jobs.explain.forms import print_as
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import batches_where, distinct
from transforms.diagnose.wording.render import shown
from transforms.explain.summary import EACH_ONCE, INCIDENT, VIOLATION, WORST, Chosen, Found, Row, counts_line
from transforms.plans.run_result import RunResult

# A demo is read to its end: the worst violation of each KIP, and each kind of incident once.
MOST_TOLD = 12


def print_summary(root: LakePlace, result: RunResult, console: Console) -> None:
    """One screen: what was read, what was found, where to look on."""
    found = _found(root, WORST)
    console.print(counts_line(result, found), overflow="fold")
    for line in found.lines():
        console.print(_line(*line), overflow="fold")
    if found.violations or found.incidents:
        more = f"{found.left} more in gold.violations and gold.incidents. " if found.left else ""
        console.print(f"\n{more}One with its proof: kipwatch explain ID --lake {root}", soft_wrap=True)


def print_findings(root: LakePlace, result: RunResult, console: Console, as_json: bool) -> None:
    """The demo's screen: the findings of each category and KIP once, with timeline and log lines."""
    found = _found(root, EACH_ONCE)
    chosen = [row["violation_id"] for row in found.violations] + [
        row["incident_id"] for row in found.incidents
    ]
    told = [report_of(root, found_id) for found_id in chosen[:MOST_TOLD]]
    if as_json:
        typer.echo(json.dumps({"run": asdict(result), "found": [one.as_dict() for one in told]}))
        return
    for one in told:
        print_as("text", one, console)
    console.print(counts_line(result, found), overflow="fold")


def severities_in(root: LakePlace) -> list[str]:
    """The severities of the lake's violations."""
    return sorted(distinct(LakeWriter(root).path("gold.violations"), "severity"))


def _found(root: LakePlace, chosen: Chosen) -> Found:
    categories, rules = Counter[str](), Counter[str]()
    told = 0

    def violations() -> Iterator[Row]:
        for row in _rows(root, "gold.violations", VIOLATION):
            categories[row["category"]] += 1
            rules[row["rule_id"]] += 1
            yield row

    def incidents() -> Iterator[Row]:
        nonlocal told
        for row in _rows(root, "gold.incidents", INCIDENT):
            if row["verdict"] != "benign":
                told += 1
                yield row

    worst = chosen.violations(violations()), chosen.incidents(incidents())
    open_questions = sum(row["subjects"] for row in _rows(root, "gold.unjudged", ["subjects"]))
    clients = _rows(root, "silver.metric_clients", ["process_unit_id"])
    unbound = sum(row["process_unit_id"] is None for row in clients)
    return Found(*worst, categories, rules, told, open_questions, unbound)


def _line(found_id: str, mark: str, sentence: str) -> Text:
    return Text.assemble((found_id[:12], "cyan"), "  ", (mark, "bold"), "  ", shown(sentence))


def _rows(root: LakePlace, table: str, columns: Sequence[str]) -> Iterator[Row]:
    batches = batches_where(LakeWriter(root).path(table), columns, pc.scalar(True))
    return (row for batch in batches for row in batch.to_pylist())
