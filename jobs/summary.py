"""What a run found, as text: counts, then violations and incidents, worst first."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from heapq import nsmallest

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
from transforms.explain.summary import Found, Key, Row, counts_line, incident_key, one_of_each, violation_key
from transforms.plans.run_result import RunResult

MOST_LISTED = 20
# A demo is read to its end: the worst violation of each KIP, and each kind of incident once.
MOST_TOLD = 12

VIOLATION = ("violation_id", "rule_id", "kip", "category", "severity", "explanation", "first_at")
INCIDENT = ("incident_id", "kind", "verdict", "title", "started_at", "impact")


def print_summary(root: LakePlace, result: RunResult, console: Console) -> None:
    """One screen: what was read, what was found, where to look on."""
    found = _found(root, lambda rows, key: nsmallest(MOST_LISTED, rows, key))
    console.print(counts_line(result, found), overflow="fold")
    for row in found.violations:
        console.print(_line(row["violation_id"], row["category"], row["explanation"]), overflow="fold")
    for row in found.incidents:
        console.print(_line(row["incident_id"], row["verdict"], row["title"]), overflow="fold")
    if found.violations or found.incidents:
        more = f"{found.left} more in gold.violations and gold.incidents. " if found.left else ""
        console.print(f"\n{more}One with its proof: kipwatch explain ID --lake {root}", soft_wrap=True)


def print_findings(root: LakePlace, result: RunResult, console: Console, as_json: bool) -> None:
    """The demo's screen: the findings of each category and KIP once, with timeline and log lines."""
    found = _found(root, one_of_each)
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


def _found(root: LakePlace, chosen: Callable[[Iterable[Row], Key], list[Row]]) -> Found:
    """chosen: takes rows, and what puts the worst first; gives those to be shown, the worst first."""
    categories: Counter[str] = Counter()
    told = 0

    def violations() -> Iterator[Row]:
        for row in _rows(root, "gold.violations", VIOLATION):
            categories[row["category"]] += 1
            yield row

    def incidents() -> Iterator[Row]:
        nonlocal told
        for row in _rows(root, "gold.incidents", INCIDENT):
            if row["verdict"] != "benign":
                told += 1
                yield row

    worst = chosen(violations(), violation_key), chosen(incidents(), incident_key)
    open_questions = sum(row["subjects"] for row in _rows(root, "gold.unjudged", ["subjects"]))
    clients = _rows(root, "silver.metric_clients", ["process_unit_id"])
    unbound = sum(row["process_unit_id"] is None for row in clients)
    return Found(*worst, categories, told, open_questions, unbound)


def _line(found_id: str, mark: str, sentence: str) -> Text:
    return Text.assemble((found_id[:12], "cyan"), "  ", (mark, "bold"), "  ", shown(sentence))


def _rows(root: LakePlace, table: str, columns: Sequence[str]) -> Iterator[Row]:
    batches = batches_where(LakeWriter(root).path(table), columns, pc.scalar(True))
    return (row for batch in batches for row in batch.to_pylist())
