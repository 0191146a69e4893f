"""What is broken, for whom, since when: one row a violation."""

from collections import Counter
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc

from dashboards.pages.page import Address, Page
from dashboards.parts import CATEGORIES, no_rows, number, shown
from dashboards.queries import Answer, Lake, Row, findings
from transforms.diagnose.told import iso
from transforms.diagnose.words import origin_words, span

_TEXT = {"filter": "agTextColumnFilter", "floatingFilter": True, "cellDataType": "text"}
_MS = {"type": "rightAligned", "cellRenderer": "Words", "filter": False}
_PLAIN = {"filter": False, "cellDataType": "text"}
_WRAPPED = {"wrapText": True, "autoHeight": True}
_COLUMNS: list[dict[str, Any]] = [
    {"field": "words", "headerName": "Category", "width": 136, "cellRenderer": "CategoryBadge", **_TEXT},
    {
        "field": "rule_id",
        "headerName": "Rule",
        "width": 176,
        "cellRenderer": "FindingLink",
        "tooltipField": "rule_id",
        **_WRAPPED,
        **_TEXT,
    },
    {"field": "client", "headerName": "Client", "width": 136, "tooltipField": "client", **_WRAPPED, **_TEXT},
    {"field": "observed", "headerName": "Observed", "width": 88, **_MS},
    {"field": "limit", "headerName": "Limit", "width": 66, **_MS},
    {"field": "origin", "headerName": "Limit is", "width": 78, "tooltipField": "origin_words", **_PLAIN},
    {"field": "occurrences", "headerName": "Times", "width": 64, "type": "rightAligned", "filter": False},
    {"field": "last_at", "headerName": "Last, UTC", "width": 106, "cellClass": "mono", **_WRAPPED, **_PLAIN},
    {"field": "explanation", "headerName": "What happened", "minWidth": 200, "flex": 1, **_WRAPPED, **_TEXT},
]


def layout(lake: Lake, _address: Address) -> list[Any]:
    """The page."""
    found = findings.violations(lake)
    title = dmc.Title("Violations", order=1, size="h2")
    if not found.rows:
        return [
            title,
            no_rows(found, "No rule found a broken promise. What could not be judged stands under Unjudged."),
        ]
    return [title, _counts(found, findings.unjudged(lake)), _grid(found)]


def _counts(found: Answer, unjudged: Answer) -> Any:
    by_category = Counter(row["category"] for row in found.rows)
    numbers = [
        number(
            words[0].upper() + words[1:],
            str(by_category[category]),
            colour=colour if by_category[category] else "dimmed",
        )
        for category, (colour, words) in CATEGORIES.items()
    ]
    subjects = sum(row["subjects"] for row in unjudged.rows)
    told = str(subjects) if unjudged.state == "ok" else "?"
    numbers.append(number("Could not be judged", told))
    return dmc.Group(numbers, gap="md", id="violations-counts")


def _grid(found: Answer) -> Any:
    grid = dag.AgGrid(
        id="violations-grid",
        rowData=[_row(row) for row in found.rows],
        columnDefs=_COLUMNS,
        defaultColDef={"sortable": True, "filter": True, "resizable": True, "wrapHeaderText": True},
        dashGridOptions={
            "domLayout": "autoHeight",
            "pagination": True,
            "paginationPageSize": 50,
            "enableCellTextSelection": True,
            "tooltipShowDelay": 300,
        },
        style={"height": None},
    )
    if found.total <= len(found.rows):
        return grid
    return dmc.Stack([dmc.Text(f"The first {len(found.rows)} of {found.total}.", c="orange"), grid])


def _row(row: Row) -> dict[str, Any]:
    return {
        "id": row["violation_id"],
        "category": row["category"],
        "words": CATEGORIES.get(row["category"], ("gray", row["category"]))[1],
        "rule_id": row["rule_id"],
        "client": shown(row["client_id"] or "unknown"),
        "observed": row["observed_ms"],
        "observed_words": span(row["observed_ms"]) if row["observed_ms"] is not None else "",
        "limit": row["limit_ms"],
        "limit_words": span(row["limit_ms"]) if row["limit_ms"] is not None else "",
        "origin": shown(row["limit_origin"] or ""),
        "origin_words": origin_words(row["limit_origin"]),
        "occurrences": row["occurrences"],
        "last_at": (iso(row["last_at"] or row["happened_at"]) or "unknown").replace("T", " ")[:19],
        "explanation": shown(row["explanation"]),
    }


PAGE = Page("violations", "Violations", layout)
