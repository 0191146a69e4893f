"""Whether the answers can be trusted: what was read and what was not, whether the tables' checks held, how the runs went."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import dash_mantine_components as dmc
from dash import html

from dashboards.pages.page import Query
from dashboards.pages.redrawn import Redrawn
from dashboards.parts import instant, no_rows, number, section, shown, table
from dashboards.queries import Answer, LakeReader, Row, health
from dashboards.queries.quality import accounting, checks, last_checked, runs
from dashboards.sources_grid import ACCOUNTED, sources_grid
from transforms.diagnose.wording.words import span
from transforms.plans.balance import Balance, is_balanced

MOST_CHECKS = 50


def _body(lake: LakeReader, _query: Query) -> list[Any]:
    of_runs = runs(lake)
    found, told = accounting(lake)
    return [
        *_numbers(found, told),
        *_checks(lake, last_checked(lake)),
        section(
            "Accounting: read = in records + unparsed + dropped",
            sources_grid("quality-sources", _worst_first(health.sources(lake)), ACCOUNTED),
            "quality-accounting",
        ),
        section("Runs", _runs(of_runs), "quality-runs"),
    ]


def _numbers(found: Answer, told: Balance) -> list[Any]:
    if found.state != "ok":
        return []
    read, kept = told.sums["lines_read"], told.sums["lines_in_records"]
    made = [
        number("Sources", _grouped(told.sources), _listed(told.not_complete) or "all read to their end"),
        number("Lines read", _grouped(read)),
        number("In records", _share(kept, read), f"{_grouped(kept)} lines"),
        number("Unparsed", _grouped(told.sums["lines_unparsed"]), _listed(told.unparsed),
               "orange" if told.sums["lines_unparsed"] else "dimmed"),
        number("Dropped", _grouped(told.sums["lines_dropped"]), _listed(told.dropped)),
        number("Sources that don't balance", str(len(told.off)), "", "red" if told.off else "dimmed"),
    ]  # fmt: skip
    return [html.Div(made, className="answers", id="quality-numbers")]


def _checks(lake: LakeReader, last: Row | None) -> list[Any]:
    if last is None:
        return []
    found = checks(lake, last["run_id"])
    if found.state != "ok" or not found.rows:
        return [section("Table checks", no_rows(found, "No table was looked at."), "quality-checks")]
    failed = [row for row in found.rows if not row["success"]]
    held = len(found.rows) - len(failed)
    said = f"{held} of {len(found.rows)} checks held when they ran last."
    body: list[Any] = [dmc.Text(said, c="red" if failed else "teal", fw=600, id="quality-checks-said")]
    if failed:
        rows = [
            [row["table_name"], row["expectation"], row["unexpected_count"] or "", row["sample"] or ""]
            for row in failed
        ]
        body.append(
            table(("Table", "Expected", "Rows", "Some of them"), rows[:MOST_CHECKS], "quality-failed")
        )
    by_table = Counter(row["table_name"] for row in found.rows)
    listed = table(
        ("Table", "Checks"), [[name, count] for name, count in sorted(by_table.items())], "quality-tables"
    )
    body.append(html.Details([html.Summary(f"{len(by_table)} tables were looked at"), listed]))
    return [section("Table checks", html.Div(body), "quality-checks")]


def _worst_first(found: Answer) -> Answer:
    """The sources that do not balance, then those with most that no reader understood."""
    worst = sorted(found.rows, key=lambda row: (is_balanced(row), -row["lines_unparsed"], row["source"]))
    return replace(found, rows=worst)


def _runs(found: Answer) -> Any:
    if not found.rows:
        return no_rows(found, "No run has been recorded.")
    rows = [
        [
            instant(row["started_at"]),
            row["job"],
            html.Strong(row["status"], className="bad") if row["status"] == "failed" else row["status"],
            span(row["ended_at"] - row["started_at"]) if row["ended_at"] is not None else "",
            row["rows_in"] if row["rows_in"] is not None else "",
            row["rows_out"] if row["rows_out"] is not None else "",
            span(row["lag_ms"]) if row["lag_ms"] is not None else "",
        ]
        for row in found.rows
    ]
    return table(
        ("Started", "Job", "Status", "Took", "Rows in", "Rows out", "Lag"), rows, "quality-last-runs"
    )


def _listed(counts: Mapping[str, int]) -> str:
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(
        f"{shown(name.replace('_', ' '))} {_grouped(count)}" for name, count in most[:4] if count
    )


def _share(part: int, whole: int) -> str:
    return f"{part * 100 / whole:.1f} %" if whole else "none"


def _grouped(count: int) -> str:
    return f"{count:,}".replace(",", "\u202f")


PAGE = Redrawn("quality", "Quality", _body).page()
