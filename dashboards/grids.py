"""Grids: rows by id, so that scroll and selection outlive a refresh, as high as they are long."""

from collections.abc import Mapping, Sequence
from typing import Any

import dash_ag_grid as dag

COLUMN = {"sortable": True, "filter": False, "resizable": True, "wrapHeaderText": True}
# Selecting a row, by mouse or by the space bar, is what a grid is for where it can be done.
SELECTING = {"mode": "singleRow", "checkboxes": False, "enableClickSelection": True}
# The tab key goes past the rows; arrows go from cell to cell (ARIA's pattern of a grid).
KEYS = {"tabToNextCell": {"function": "false"}}


def grid(
    grid_id: Any,
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[Mapping[str, Any]],
    *,
    column: Mapping[str, Any] | None = None,
    page_size: int = 0,
    page_sizes: Any = False,
    selected: Any = None,
    **options: Any,
) -> Any:
    """A grid. column: what differs from COLUMN; selected: rows, or their ids, where rows can be selected at all."""
    paged = {"pagination": True, "paginationPageSize": page_size, "paginationPageSizeSelector": page_sizes}
    selecting = {"rowSelection": SELECTING} if selected is not None else {}
    return dag.AgGrid(
        id=grid_id,
        rowData=list(rows),
        columnDefs=list(columns),
        getRowId="params.data.id",
        defaultColDef=COLUMN | dict(column or {}),
        dashGridOptions={"domLayout": "autoHeight", "tooltipShowDelay": 300, **KEYS}
        | (paged if page_size else {})
        | selecting
        | options,
        style={"height": None},
        **({"selectedRows": selected} if selected is not None else {}),
    )
