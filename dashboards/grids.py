"""Grids: rows by id, so that scroll and selection outlive a refresh, as high as they are long.

A column says its heading and what of a row stands in it, so that a list is told once, by its columns.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import dash_ag_grid as dag

from dashboards.parts import shown
from dashboards.queries import Row
from expectations import TABLES
from transforms.diagnose.wording.words import span

_ZONE = re.compile(r"^UTC(?:[,;] |$)")  # of the table; here an instant is told in the viewer's
Of = Callable[[Row], Any] | str | None
COLUMN = {"sortable": True, "filter": False, "resizable": True, "wrapHeaderText": True}
# Selecting a row, by mouse or by the space bar, is what a grid is for where it can be done.
SELECTING = {"mode": "singleRow", "checkboxes": False, "enableClickSelection": True}
# The tab key goes past the rows; arrows go from cell to cell (ARIA's pattern of a grid).
KEYS = {"tabToNextCell": {"function": "false"}}


WRAPPED: dict[str, Any] = {"wrapText": True, "autoHeight": True, "cellDataType": "text"}


@dataclass(frozen=True, slots=True)
class Column:
    """looks: as the grid takes it, with `field`; cells: of a row, its own and what its renderer needs beside it.

    shows: the row's own column that it shows, where it shows one: what that is, its table's contract says.
    """

    looks: Mapping[str, Any]
    cells: Callable[[Row], Mapping[str, Any]]
    shows: str | None = None

    def looks_in(self, table: str | None) -> Mapping[str, Any]:
        """As the grid of a table's rows takes it: pointing at the heading tells what the column is."""
        if table is None or self.shows not in TABLES[table].column_names:
            return self.looks
        told = _ZONE.sub("", TABLES[table].comment_of(self.shows))
        return {**self.looks, "headerTooltip": told} if told else self.looks


def plain(
    name: str, heading: str, of: Of = None, beside: Mapping[str, Of] | None = None, **looks: Any
) -> Column:
    """A column of values as they are. of: the row's column, or what makes the value of it; by default that of its name.

    beside: what its renderer or its tooltip needs of the row.
    """
    values = {one: _value_of(one, its) for one, its in {name: of, **(beside or {})}.items()}
    return Column(
        {"field": name, "headerName": heading, **looks},
        lambda row: {one: value(row) for one, value in values.items()},
        None if callable(of) else of or name,
    )


def text(name: str, heading: str, of: Of = None, unknown: str = "unknown", **looks: Any) -> Column:
    """A column of log text; as wide as there is room, where `width` doesn't say how wide."""
    value = _value_of(name, of)
    wide: dict[str, Any] = {} if "width" in looks else {"minWidth": 150, "flex": 1, "tooltipField": name}
    made = plain(name, heading, lambda row: shown(str(value(row) or unknown)), **wide | looks)
    return made if callable(of) else replace(made, shows=of or name)


def count(name: str, heading: str, of: Of = None, **looks: Any) -> Column:
    """A column of numbers."""
    return plain(name, heading, of, type="rightAligned", **looks)


def instant(name: str, heading: str, of: Of = None, width: int = 240, **looks: Any) -> Column:
    """A column of instants, ms, which the browser tells in the viewer's zone."""
    return plain(name, heading, of, width=width, cellRenderer="Instant", **looks)


def lasting(
    name: str, heading: str, of: Of = None, words: Callable[[Row], str] | None = None, **looks: Any
) -> Column:
    """A column of durations: sorted by their ms, shown in words."""
    value = _value_of(name, of)
    in_words = words or (lambda row: "" if value(row) is None else span(value(row)))
    return count(name, heading, of, beside={f"{name}_words": in_words}, cellRenderer="Words", **looks)


def cells(columns: Iterable[Column], row_id: Of, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The rows of a grid. row_id: the column that tells them apart, or what makes an id of a row."""
    found = _value_of("id", row_id)
    return [
        {"id": found(row)} | {name: value for one in columns for name, value in one.cells(row).items()}
        for row in rows
    ]


def grid(
    grid_id: Any,
    rows: Sequence[Mapping[str, Any]],
    columns: Iterable[Column],
    *,
    table: str | None = None,
    column: Mapping[str, Any] | None = None,
    page_size: int = 0,
    page_sizes: Any = False,
    selected: Any = None,
    **options: Any,
) -> Any:
    """A grid. table: whose rows they are; column: what differs from COLUMN.

    selected: rows, or their ids, where rows can be selected at all.
    """
    paged = {"pagination": True, "paginationPageSize": page_size, "paginationPageSizeSelector": page_sizes}
    selecting = {"rowSelection": SELECTING} if selected is not None else {}
    return dag.AgGrid(
        id=grid_id,
        rowData=list(rows),
        columnDefs=[one.looks_in(table) for one in columns],
        getRowId="params.data.id",
        defaultColDef=COLUMN | dict(column or {}),
        dashGridOptions={"domLayout": "autoHeight", "tooltipShowDelay": 300, **KEYS}
        | (paged if page_size else {})
        | selecting
        | options,
        style={"height": None},
        **({"selectedRows": selected} if selected is not None else {}),
    )


def _value_of(name: str, of: Of) -> Callable[[Row], Any]:
    return of if callable(of) else lambda row: row[of or name]
