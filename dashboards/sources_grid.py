"""Every source: how fresh it is, how much of it was understood, and whether its accounting balances."""

from collections.abc import Sequence
from typing import Any

from dashboards.grids import WRAPPED, Column, cells, count, grid, instant, plain, text
from dashboards.parts import no_rows, shown
from dashboards.queries import Answer, Row
from transforms.plans.balance import is_balanced


def sources_grid(grid_id: str, found: Answer, columns: Sequence[Column]) -> list[Any]:
    """The grid, or why there is none."""
    if not found.rows:
        return [no_rows(found, "No source has been read yet.")]
    rows = cells(columns, "source_id", found.rows)
    return [grid(grid_id, rows, columns, table="bronze.accounting", column={"filter": True}, page_size=10)]


def _name(row: Row) -> str:
    """Whose source it is, or where it was read where that is not known."""
    return shown("/".join(part for part in (row["service"], row["instance"]) if part) or row["source"])


def _understood(row: Row) -> str:
    read = row["lines_read"]
    return f"{100 * (read - row['lines_unparsed']) / read:.1f} %" if read else ""


_NAME = plain(
    "name", "Source", _name, flex=2, minWidth=240, tooltipField="source", **WRAPPED,
    beside={"source": lambda row: shown(row["source"])},
)  # fmt: skip
_LAYOUT = text("layout", "Layout", unknown="none", width=110, tooltipField="layout")
_STATUS = text("status", "Reading", width=110)
FRESH = (
    _NAME,
    instant("newest_at", "Last line", filter=False),
    count("lines_read", "Lines", width=96, filter=False),
    count("covered", "Understood", _understood, width=120, filter=False),
    count("lines_unparsed", "Unparsed", width=110, filter=False),
    _LAYOUT,
    _STATUS,
)
ACCOUNTED = (
    _NAME,
    _LAYOUT,
    _STATUS,
    count("lines_read", "Lines", width=96, filter=False),
    count("lines_in_records", "In records", width=118, filter=False),
    count("lines_unparsed", "Unparsed", width=110, filter=False),
    count("lines_dropped", "Dropped", width=105, filter=False),
    plain(
        "balance", "Balance", lambda row: "balanced" if is_balanced(row) else "off", width=110, filter=False
    ),
)
