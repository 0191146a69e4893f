"""Every source with how fresh it is and how much of it was understood."""

from typing import Any

from dashboards.grids import WRAPPED, Column, cells, count, grid, instant, text
from dashboards.parts import no_rows, shown
from dashboards.queries import Answer, Row


def sources_grid(grid_id: str, found: Answer) -> list[Any]:
    """The grid, or why there is none."""
    if not found.rows:
        return [no_rows(found, "No source has been read yet.")]
    return [grid(grid_id, sources_rows(found), _COLUMNS, column={"filter": True}, page_size=10)]


def sources_rows(found: Answer) -> list[dict[str, Any]]:
    """Rows of the grid."""
    return cells(_COLUMNS, "source_id", found.rows)


def source_name(row: Row) -> str:
    """Whose source it is, or where it was read where that is not known."""
    return "/".join(part for part in (row["service"], row["instance"]) if part) or str(row["source"])


def _understood(row: Row) -> str:
    read = row["lines_read"]
    return f"{100 * (read - row['lines_unparsed']) / read:.1f} %" if read else ""


_COLUMNS = (
    Column(
        {
            "field": "name",
            "headerName": "Source",
            "flex": 2,
            "minWidth": 240,
            "tooltipField": "source",
            **WRAPPED,
        },
        lambda row: {"name": shown(source_name(row)), "source": shown(row["source"])},
    ),
    instant("newest_at", "Last line", filter=False),
    count("lines_read", "Lines", width=96, filter=False),
    count("covered", "Understood", _understood, width=120, filter=False),
    count("lines_unparsed", "Unparsed", width=110, filter=False),
    text("layout", "Layout", unknown="none", width=110, tooltipField="layout"),
    text("status", "Reading", width=110),
)
