"""A page of a large table: filters in the address, one page of rows at a time, a drawer with the evidence, exports, SQL."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, ctx, dcc, html, no_update
from flask import Response, request

from dashboards.exports import MOST_EXPORTED, as_csv, as_json
from dashboards.grids import Column, Of, cells, grid
from dashboards.pages.choices import Choice, Form
from dashboards.pages.page import Address, Page, follow, if_changed, query_of, search_of
from dashboards.parts import CATEGORIES, left_out, no_rows
from dashboards.queries import Answer, LakeReader, Row
from dashboards.queries.filters import Filter, Sorting, filter_of, in_address, select
from dashboards.queries.listing import of_process, page, versions
from dashboards.queries.story import services
from expectations import TABLES
from transforms.rules.registry import RULES

PAGE_ROWS = 50
# What a table may be narrowed by, as the address names it.
FILTERS = {
    one.name: one
    for one in (
        Choice("kip", "KIP", lambda _lake, _query: sorted({rule.kip for rule in RULES.values()})),
        Choice("rule", "Rule", lambda _lake, _query: sorted(RULES)),
        Choice(
            "category", "Category", lambda _lake, _query: [(name, it[1]) for name, it in CATEGORIES.items()]
        ),
        Choice("service", "Service", lambda lake, _query: services(lake)),
        Choice("client", "Client"),
        Choice("version", "Version", lambda lake, _query: versions(lake)),
        Choice("library", "Library", lambda lake, _query: sorted(of_process(lake, "library"))),
        Choice("from", "From (UTC)"),
        Choice("to", "To (UTC)"),
    )
}
FORMATS = {"csv": ("text/csv", as_csv), "json": ("application/json", as_json)}
# Not of use to who reads an export.
LEFT_OUT = ("unit_bucket",)
# Parts that follow the address, each with what of it does, in the order of what `made` gives.
DRAWN = (
    ("shown", ("data",)),
    ("grid", ("rowData", "selectedRows")),
    *((name, ("children",)) for name in ("head", "tools", "state")),
    ("page", ("total", "value", "style")),
    ("drawer", ("opened", "title", "children")),
)


@dataclass(frozen=True)
class Listing:
    """What differs between such pages.

    filters: names of FILTERS. columns: of the grid; row_id: what tells its rows apart. head: what
    stands above, for a filter. evidence: the drawer's heading and content for an id, given the rows on the page; None for an
    id that nothing has.
    reads: the columns that a page of rows needs; all by default, which is dear in a table with lists of ids.
    """

    path: str
    name: str
    title: str
    table: str
    filters: tuple[str, ...]
    sortings: tuple[Sorting, ...]
    columns: tuple[Column, ...]
    row_id: Of
    head: Callable[[LakeReader, Filter], Any]
    evidence: Callable[[LakeReader, str, Sequence[Row]], tuple[str, list[Any]] | None]
    empty: str
    reads: tuple[str, ...] | None = None

    @property
    def exported(self) -> tuple[str, ...]:
        """The columns of exports and of the SQL."""
        return tuple(name for name in TABLES[self.table].column_names if name not in LEFT_OUT)

    def page(self) -> Page:
        """As the shell takes it."""
        return Page(self.path, self.name, partial(layout, self), partial(connect, self))

    @property
    def form(self) -> Form:
        """Its filters, and the order of its rows."""
        orders = [(one.name, one.words) for one in self.sortings]
        order = Choice("sort", "Order", lambda _lake, _query: orders, default=self.sortings[0].name)
        return Form(self.path, (*(FILTERS[name] for name in self.filters), order))

    def part(self, name: str) -> str:
        """A component's id."""
        return f"{self.path}-{name}"


@dataclass(frozen=True, slots=True)
class Asked:
    """What an address asks for."""

    narrowed: Filter
    sorting: Sorting
    number: int
    open_id: str | None
    problem: str | None


def asked_of(listing: Listing, query: Mapping[str, str]) -> Asked:
    """The filter, order, page and opened row of an address; what is nonsense there is left out."""
    narrowed, problem = filter_of({name: value for name, value in query.items() if name in listing.filters})
    sorting = next((one for one in listing.sortings if one.name == query.get("sort")), listing.sortings[0])
    number = query.get("page", "1")
    is_number = number.isascii() and number.isdecimal() and len(number) < 8
    return Asked(narrowed, sorting, max(1, int(number)) if is_number else 1, query.get("open"), problem)


def layout(listing: Listing, lake: LakeReader, address: Address) -> list[Any]:
    """The whole page, as the address says."""
    asked = asked_of(listing, address.query)
    found = _rows(listing, lake, asked)
    title = dmc.Title(listing.title, order=1, size="h2")
    if found.state != "ok":
        return [title, no_rows(found, listing.empty)]
    heading, content = _evidence(listing, lake, asked, found)
    return [
        dcc.Store(id=listing.part("shown"), data=search_of(address.query)),
        title,
        html.Div(listing.head(lake, asked.narrowed), id=listing.part("head")),
        html.Div(
            listing.form.components(lake, address.query), className="filters", id=listing.part("filters")
        ),
        html.Div(_tools(listing, asked, found), id=listing.part("tools"), className="tools"),
        html.Div(_state(listing, asked, found), id=listing.part("state")),
        _grid(listing, asked, found),
        dmc.Pagination(
            id=listing.part("page"), total=_pages(found), value=asked.number, size="sm", withEdges=True,
            style={"display": "none"} if _pages(found) < 2 else {},
        ),
        dmc.Drawer(
            content, id=listing.part("drawer"), title=heading, opened=asked.open_id is not None, position="right",
            size="min(640px, 100%)", withOverlay=False, lockScroll=False, trapFocus=False, closeOnClickOutside=False,
            closeButtonProps={"aria-label": "Close"},
        ),
    ]  # fmt: skip


def connect(listing: Listing, app: Dash, lake: LakeReader) -> None:
    """Filters, order, page and the opened row go into the address; the page follows the address, and the lake."""
    part, form = listing.part, listing.form
    form.connect(app)

    @app.callback(
        Output("app-url", "search", allow_duplicate=True),
        Input(part("page"), "value"),
        State("app-url", "search"),
        prevent_initial_call=True,
    )
    def turn(number: int, search: str | None) -> Any:
        known = query_of(search)
        is_there = str(number) == known.get("page", "1")
        return no_update if is_there else search_of({**known, "page": str(number) if number != 1 else None})

    outputs = [Output(part(name), what) for name, drawn in DRAWN for what in drawn]

    def made(search: str | None, shown: str | None, selected: Any) -> list[Any]:
        query, known = query_of(search), query_of(shown)
        asked, before = asked_of(listing, query), asked_of(listing, known)
        found = _rows(listing, lake, asked)
        heading, content = _evidence(listing, lake, asked, found)
        is_selected = search == shown or _ids(selected) == _ids(_selected(asked))
        return [
            search,
            cells(listing.columns, listing.row_id, found.rows),
            no_update if is_selected else _selected(asked),
            listing.head(lake, asked.narrowed),
            _tools(listing, asked, found),
            _state(listing, asked, found),
            _pages(found),
            if_changed(asked.number, before.number),
            {"display": "none"} if _pages(found) < 2 else {},
            if_changed(asked.open_id is not None, before.open_id is not None),
            heading,
            content,
            *form.values(lake, query, known),
        ]

    follow(app, listing.path, [*outputs, *form.outputs], made, State(part("grid"), "selectedRows"))

    @app.callback(
        Output("app-url", "search", allow_duplicate=True),
        Input(part("grid"), "selectedRows"),
        Input(part("drawer"), "opened"),
        State("app-url", "search"),
        prevent_initial_call=True,
    )
    def open_row(selected: Any, is_open: bool, search: str | None) -> Any:
        known = query_of(search)
        opened = known.get("open")
        if ctx.triggered_id == part("drawer"):
            opened = opened if is_open else None
        elif isinstance(selected, list) and selected:
            opened = selected[0]["id"]
        return no_update if opened == known.get("open") else search_of({**known, "open": opened})

    def export(fmt: str) -> Response:
        return _exported(listing, lake, fmt)

    app.server.add_url_rule(f"/export/{listing.path}.<fmt>", part("export"), export)


def _rows(listing: Listing, lake: LakeReader, asked: Asked) -> Answer:
    first = (asked.number - 1) * PAGE_ROWS
    return page(lake, listing.table, asked.narrowed, asked.sorting, listing.reads, first, PAGE_ROWS)


def _exported(listing: Listing, lake: LakeReader, fmt: str) -> Response:
    """All rows of the filter as a file; 413 with what to do where they are too many, 503 where they can't be read."""
    if fmt not in FORMATS:
        return Response("There are .csv and .json.\n", 404, mimetype="text/plain")
    asked = asked_of(listing, request.args)
    found = page(lake, listing.table, asked.narrowed, asked.sorting, listing.exported, 0, MOST_EXPORTED)
    if found.state != "ok":
        return Response(f"{found.problem}\n", 503, mimetype="text/plain")
    if found.total > MOST_EXPORTED:
        todo = f"narrow the filter, or: kipwatch query --format {fmt} 'SELECT ...'"
        return Response(f"{found.total} rows are too many for one file; {todo}\n", 413, mimetype="text/plain")
    kind, written = FORMATS[fmt]
    made = written(listing.exported, found.rows)
    name = f'attachment; filename="kipwatch-{listing.path}.{fmt}"'
    return Response(made, mimetype=kind, headers={"Content-Disposition": name})


def _evidence(listing: Listing, lake: LakeReader, asked: Asked, found: Answer) -> tuple[str, list[Any]]:
    """What was opened, also where the filters, or the page of rows, are without it: that is said then."""
    if not asked.open_id:
        return "", []
    told = listing.evidence(lake, asked.open_id, found.rows)
    if told is None:
        gone = "Nothing in the lake has this id: it was withdrawn since (gold.withdrawals), or is another lake's."
        return "Not here", [dmc.Alert(gone, color="yellow", id=listing.part("gone"))]
    heading, content = told
    if asked.open_id in (row["id"] for row in cells((), listing.row_id, found.rows)):
        return heading, content
    said = "This one is not among the rows of this page: the filters, or the page of rows, are without it."
    return heading, [
        dmc.Alert(said, color="blue", variant="light", mb="sm", id=listing.part("outside")),
        *content,
    ]


def _tools(listing: Listing, asked: Asked, found: Answer) -> list[Any]:
    """How many rows there are, and ways to take them away."""
    first = (asked.number - 1) * PAGE_ROWS
    told = f"{first + 1} to {first + len(found.rows)} of {found.total}" if found.rows else "0 rows"
    statement = select(listing.table, listing.exported, asked.narrowed, asked.sorting)
    query = in_address(asked.narrowed) | {"sort": asked.sorting.name}
    files = [
        html.A(name, href=f"/export/{listing.path}.{fmt}{search_of(query)}", id=listing.part(f"to-{fmt}"))
        for name, fmt in (("CSV", "csv"), ("JSON", "json"))
    ]
    copy = html.Span(
        ["Copy as SQL", dcc.Clipboard(content=statement, id=listing.part("copy"), title="Copy as SQL")],
        className="copy",
    )
    shown = html.Details(
        [html.Summary("SQL"), html.Pre(statement, className="log-text", id=listing.part("sql"))]
    )
    return [dmc.Text(told, size="sm", id=listing.part("count")), *files, copy, shown]


def _state(listing: Listing, asked: Asked, found: Answer) -> list[Any]:
    made = left_out(asked.problem)
    if not found.rows:
        narrowed = (
            "No row fits these filters." if asked.narrowed.is_any or asked.number > 1 else listing.empty
        )
        made.append(no_rows(found, narrowed))
    return made


def _grid(listing: Listing, asked: Asked, found: Answer) -> Any:
    # The order is that of all rows, not of this page: it is chosen above.
    return grid(
        listing.part("grid"),
        cells(listing.columns, listing.row_id, found.rows),
        listing.columns,
        table=listing.table,
        column={"sortable": False},
        selected=_selected(asked),
        suppressNoRowsOverlay=True,
        enableCellTextSelection=True,
    )


def _selected(asked: Asked) -> Any:
    """The opened row, as the grid takes it."""
    return {"ids": [asked.open_id]} if asked.open_id else []


def _ids(selected: Any) -> list[str]:
    """Of the selected rows, as the grid was given them or tells them."""
    return selected["ids"] if isinstance(selected, dict) else [row["id"] for row in selected or ()]


def _pages(found: Answer) -> int:
    return -(-found.total // PAGE_ROWS)
