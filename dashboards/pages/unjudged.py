"""What could not be judged, and the evidence that would settle it: silence is never taken for health."""

from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc

from dashboards.pages.page import Address, Page
from dashboards.parts import no_rows, shown
from dashboards.queries import Lake, findings

_COLUMNS: list[dict[str, Any]] = [
    {"field": "rule_id", "headerName": "Rule", "width": 280},
    {"field": "client_id", "headerName": "Client", "width": 220},
    {"field": "subjects", "headerName": "Subjects", "type": "rightAligned", "width": 110},
    {
        "field": "reason",
        "headerName": "Why",
        "minWidth": 260,
        "flex": 1,
        "wrapText": True,
        "autoHeight": True,
    },
    {
        "field": "missing",
        "headerName": "What would settle it",
        "minWidth": 320,
        "flex": 2,
        "wrapText": True,
        "autoHeight": True,
    },
]


def layout(lake: Lake, _address: Address) -> list[Any]:
    """The page."""
    title = dmc.Title("Could not be judged", order=1, size="h2")
    found = findings.unjudged(lake)
    if not found.rows:
        return [title, no_rows(found, "Every subject of every rule was judged.")]
    names = [column["field"] for column in _COLUMNS]
    grid = dag.AgGrid(
        id="unjudged-grid",
        rowData=[{name: _cell(row[name]) for name in names} for row in found.rows],
        columnDefs=_COLUMNS,
        defaultColDef={"sortable": True, "filter": True, "resizable": True, "floatingFilter": True},
        dashGridOptions={"domLayout": "autoHeight", "pagination": True, "paginationPageSize": 50},
        style={"height": None},
    )
    return [title, grid]


def _cell(value: Any) -> Any:
    return shown(value) if isinstance(value, str) else value


PAGE = Page("unjudged", "Unjudged", layout)
