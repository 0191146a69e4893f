"""What is broken, for whom, since when: one row a violation, its evidence in a drawer."""

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards import story_parts
from dashboards.grids import WRAPPED, count, instant, plain
from dashboards.pages import listing
from dashboards.pages.page import link
from dashboards.parts import CATEGORIES, category_badge, facts_list, limit_of, number, severity_badge, shown
from dashboards.queries import LakeReader, Row
from dashboards.queries.filters import Filter, Sorting
from dashboards.queries.findings import finding
from dashboards.queries.listing import counts, total
from dashboards.queries.proof import Proof
from transforms.diagnose.reports.report import report_finding
from transforms.diagnose.wording.words import span

_BY_ID = ("violation_id", "ascending")
SORTINGS = (
    Sorting("urgent", "most urgent", (("category", tuple(CATEGORIES)), ("last_at", "descending"), _BY_ID)),
    Sorting("latest", "latest", (("last_at", "descending"), _BY_ID)),
    Sorting("first", "earliest", (("first_at", "ascending"), _BY_ID)),
    Sorting("times", "most often", (("occurrences", "descending"), _BY_ID)),
    Sorting("worst", "longest", (("worst_ms", "descending"), _BY_ID)),
)


def _head(lake: LakeReader, narrowed: Filter) -> Any:
    """How many of each category the filter leaves, and how much could not be judged at all."""
    of_category = counts(lake, "gold.violations", "category", narrowed)
    made = [
        number(
            words[0].upper() + words[1:],
            str(of_category.get(category, 0)),
            colour=colour if of_category.get(category) else "dimmed",
        )
        for category, (colour, words) in CATEGORIES.items()
    ]
    subjects = total(lake, "gold.unjudged", "subjects", narrowed)
    made.append(number("Could not be judged", "?" if subjects is None else str(subjects)))
    return html.Div(made, className="answers", id="violations-counts")


def who(row: Row) -> str:
    """The client and its service, a line each; without a client the process, which tells such rows apart."""
    named = (row["client_id"], row["service"])
    told = named if row["client_id"] else ("client unknown", row["unit_id"] or row["service"])
    return "\n".join(shown(one) for one in told if one)


def _bound(row: Row) -> str:
    observed, limit = row["observed_ms"], row["limit_ms"]
    told = [span(observed)] if observed is not None else []
    if limit is not None:
        told.append(f"of {span(limit)}, {row['limit_origin'] or 'origin unknown'}")
    return "\n".join(told)


def _evidence(lake: LakeReader, violation_id: str, _rows: Sequence[Row]) -> tuple[str, list[Any]] | None:
    """The rule's promise, the limit and its origin, the proving lines, and the way to the whole story."""
    found = finding(lake, violation_id)
    if not found.rows:
        return None
    row = found.rows[0]
    told = report_finding(row, Proof(lake, row))
    facts = [*told.facts, ("Limit", limit_of(row["limit_ms"], row["limit_origin"], "none"))]
    return row["rule_id"], [
        dmc.Group([category_badge(row["category"]), severity_badge(row["severity"])], gap="xs"),
        dmc.Text(shown(f"{told.who}, {told.when}"), className="mono dimmed", size="sm", my="xs"),
        dmc.Group(
            [
                dcc.Link("The whole story", href=link("finding", violation_id), id="violations-story"),
                dcc.Link("The rule", href=link("rules", rule=row["rule_id"])),
                dcc.Link("All of this rule", href=link("violations", rule=row["rule_id"])),
            ],
            gap="md",
            mb="sm",
        ),
        facts_list(facts),
        dmc.Title("What to do", order=3, size="h5", mt="md"),
        story_parts.what_to_do(told),
        dmc.Title("The lines that prove it", order=3, size="h5", mt="md"),
        story_parts.proof(told),
    ]


READ = (
    "violation_id", "category", "rule_id", "client_id", "service", "unit_id", "observed_ms", "limit_ms", "limit_origin",
    "occurrences", "last_at", "happened_at", "explanation",
)  # fmt: skip
_LINES: dict[str, Any] = {"cellClass": "lines", **WRAPPED}
COLUMNS = (
    plain(
        "rule_id",
        "Rule",
        width=228,
        cellRenderer="Rule",
        **WRAPPED,
        beside={
            "category": "category",
            "words": lambda row: CATEGORIES.get(row["category"], ("gray", row["category"]))[1],
        },
    ),
    plain("who", "Client, service", who, width=186, tooltipField="who", **_LINES),
    plain("bound", "Observed, limit", _bound, width=140, **_LINES),
    count("occurrences", "Times", width=76),
    instant(
        "last_at",
        "Last",
        lambda row: row["happened_at"] if row["last_at"] is None else row["last_at"],
        136,
        **WRAPPED,
    ),
    plain(
        "explanation", "What happened", lambda row: shown(row["explanation"]), minWidth=230, flex=1, **WRAPPED
    ),
)
LISTING = listing.Listing(
    path="violations",
    name="Violations",
    title="Violations",
    table="gold.violations",
    filters=("kip", "rule", "category", "service", "client", "version", "library", "from", "to"),
    sortings=SORTINGS,
    columns=COLUMNS,
    row_id="violation_id",
    head=_head,
    evidence=_evidence,
    reads=READ,
    empty="No rule found a broken promise. What could not be judged stands under Unjudged.",
)
PAGE = LISTING.page()
