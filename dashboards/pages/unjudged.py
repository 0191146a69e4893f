"""What could not be judged, and the evidence that would settle it: silence is never taken for health."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.grids import WRAPPED, count, plain
from dashboards.pages import listing
from dashboards.pages.page import link
from dashboards.pages.violations import who
from dashboards.parts import facts_list, instant, shown
from dashboards.queries import LakeReader, Row, Where
from dashboards.queries.filters import Filter, Sorting
from dashboards.queries.listing import counts
from expectations import TABLES
from transforms.diagnose.reports.report import promise_of
from transforms.rules.registry import RULES

# Rows of equal subjects in the order of their key, so that a page always holds the same ones.
_BY_KEY = tuple((name, "ascending") for name in ("rule_id", "unit_id", "incarnation", "client_id", "reason"))
SORTINGS = (
    Sorting("most", "most often", (("subjects", "descending"), *_BY_KEY)),
    Sorting("latest", "latest", (("last_at", "descending"), *_BY_KEY)),
    Sorting("rule", "by rule", _BY_KEY),
)
COLUMNS = (
    plain("rule_id", "Rule", width=220, cellRenderer="RuleId", **WRAPPED),
    plain("who", "Client, service", who, width=220, tooltipField="who", cellClass="lines", **WRAPPED),
    count("subjects", "Subjects", width=104),
    plain("reason", "Why", lambda row: shown(row["reason"]), minWidth=160, flex=1, **WRAPPED),
    plain(
        "missing", "What would settle it", lambda row: shown(row["missing"]), minWidth=220, flex=2, **WRAPPED
    ),
)
MOST_REASONS = 4
TABLE = TABLES["gold.unjudged"]


def _head(lake: LakeReader, narrowed: Filter) -> Any:
    """The reasons that stand most often."""
    of_reason = counts(lake, "gold.unjudged", "reason", narrowed)
    most = sorted(of_reason.items(), key=lambda one: (-one[1], one[0]))[:MOST_REASONS]
    said = ", ".join(f"{shown(reason)} ({rows})" for reason, rows in most)
    return dmc.Text(f"Most often: {said}." if said else "", c="dimmed", size="sm")


def _id(row: Row) -> str:
    """Its key as one word, from which it is found again."""
    key = [row[name] for name in TABLE.key]
    return urlsafe_b64encode(json.dumps(key).encode()).decode()


def _by_id(lake: LakeReader, row_id: str) -> Row | None:
    """The row of an id, whatever is filtered; None for what is none, or is no longer there."""
    try:
        key = json.loads(urlsafe_b64decode(row_id))
        values = dict(zip(TABLE.key, key, strict=True))
    except (ValueError, TypeError):
        return None
    if not all(value is None or isinstance(value, str | int) for value in values.values()):
        return None
    where: list[Where] = [
        (name, "null", True) if value is None else (name, "=", value) for name, value in values.items()
    ]
    found = lake.read(TABLE.name, where=where, limit=1).rows
    return found[0] if found else None


def _evidence(lake: LakeReader, row_id: str, rows: Sequence[Row]) -> tuple[str, list[Any]] | None:
    """The promise that could not be looked at, what is missing, and what it was asked of."""
    row = next((one for one in rows if _id(one) == row_id), None) or _by_id(lake, row_id)
    if row is None:
        return None
    rule = RULES.get(row["rule_id"])
    promised = [("Promised", promise_of(row["rule_id"], rule.judge))] if rule else []
    facts = [
        *promised,
        ("Why", row["reason"]),
        ("Would settle it", row["missing"]),
        ("Subjects", str(row["subjects"])),
    ]
    since = [html.Span("From "), instant(row["first_at"]), html.Span(" to "), instant(row["last_at"])]
    return row["rule_id"], [
        dmc.Text(
            shown(f"{row['client_id'] or 'client unknown'}, {row['unit_id']}"),
            className="mono dimmed",
            size="sm",
        ),
        html.Div(since, className="dimmed"),
        facts_list(facts),
        dmc.Group(
            [
                dcc.Link("The rule", href=link("rules", rule=row["rule_id"])),
                dcc.Link(
                    "Its settings", href=link("settings", service=row["service"], client=row["client_id"])
                ),
                dcc.Link("All of this rule", href=link("unjudged", rule=row["rule_id"])),
            ],
            gap="md",
            mt="sm",
        ),
        dmc.Text(
            "Some of them: " + ", ".join(one[:12] for one in row["example_subject_ids"]),
            size="xs",
            c="dimmed",
            mt="sm",
        ),
    ]


LISTING = listing.Listing(
    path="unjudged",
    name="Unjudged",
    title="Could not be judged",
    table="gold.unjudged",
    filters=("kip", "rule", "service", "client", "version", "library", "from", "to"),
    sortings=SORTINGS,
    columns=COLUMNS,
    row_id=_id,
    head=_head,
    evidence=_evidence,
    empty="Every subject of every rule was judged.",
)
PAGE = LISTING.page()
