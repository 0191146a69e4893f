"""Every source with how fresh it is and how much of it was understood."""

from typing import Any

from dashboards.grids import grid
from dashboards.parts import no_rows, shown
from dashboards.queries import Answer, Row

_PLAIN: dict[str, Any] = {"filter": False}
_COUNT = _PLAIN | {"type": "rightAligned"}
_COLUMNS: list[dict[str, Any]] = [
    {"field": "name", "headerName": "Source", "flex": 2, "minWidth": 240, "tooltipField": "source"},
    {"field": "newest_at", "headerName": "Last line", "width": 240, "cellRenderer": "Instant", **_PLAIN},
    {"field": "lines_read", "headerName": "Lines", "width": 96, **_COUNT},
    {"field": "covered", "headerName": "Understood", "width": 120, **_COUNT},
    {"field": "lines_unparsed", "headerName": "Unparsed", "width": 110, **_COUNT},
    {"field": "layout", "headerName": "Layout", "width": 110},
    {"field": "status", "headerName": "Reading", "width": 110},
]


def sources_grid(grid_id: str, found: Answer) -> list[Any]:
    """The grid, or why there is none."""
    if not found.rows:
        return [no_rows(found, "No source has been read yet.")]
    return [grid(grid_id, sources_rows(found), _COLUMNS, column={"filter": True}, page_size=10)]


def sources_rows(found: Answer) -> list[dict[str, Any]]:
    """Rows of the grid."""
    return [_row(row) for row in found.rows]


def source_name(row: Row) -> str:
    """Whose source it is, or where it was read where that is not known."""
    return "/".join(part for part in (row["service"], row["instance"]) if part) or str(row["source"])


def _row(row: Row) -> dict[str, Any]:
    understood = row["lines_read"] - row["lines_unparsed"]
    return {
        "id": row["source_id"],
        "source": shown(row["source"]),
        "name": shown(source_name(row)),
        "newest_at": row["newest_at"],
        "lines_read": row["lines_read"],
        "covered": f"{100 * understood / row['lines_read']:.1f} %" if row["lines_read"] else "",
        "lines_unparsed": row["lines_unparsed"],
        "layout": shown(row["layout"] or "none"),
        "status": shown(row["status"]),
    }
