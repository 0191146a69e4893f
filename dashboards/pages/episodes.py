"""What the pages of rebuilt timers share: filters, figures, a grid and the selected episode, all linked by the address.

A page says what it shows (`View`) for what was chosen; everything else is here. What the viewer does (a filter, a zoom, a
click in a figure, a row of the grid) writes the query string, and only the query string changes the page: so links, reload
and the back button all show the same.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
import plotly.graph_objects as go
from dash import ALL, Dash, Input, Output, State, ctx, dcc, html, no_update, set_props

from dashboards.pages.chosen import NOT_A_TIME, WHOLE, Chosen, chosen_of, instant_of
from dashboards.pages.page import Address, Page, query_of
from dashboards.parts import no_rows, shown
from dashboards.queries import Answer, Lake, Row
from dashboards.queries.episodes import clients
from dashboards.theme import GRAPH_CONFIG
from transforms.diagnose.told import iso
from transforms.diagnose.words import span

# A double click shows all of it; what it shows at first is only a part.
CONFIG: Any = {**GRAPH_CONFIG, "doubleClick": "autosize"}


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows of what was chosen.

    said: the page's question, answered; tone: how it sounds (calm, warn, broken or none). notes: per figure, what it leaves
    out. rows: per grid, each row with `id`. detail: of the selected episode.
    """

    state: Answer
    said: str = ""
    tone: str = "none"
    figures: tuple[go.Figure, ...] = ()
    notes: tuple[tuple[str, ...], ...] = ()
    rows: tuple[list[dict[str, Any]], ...] = ()
    selected: str | None = None
    detail: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure's place on a page.

    label: what it is, for those who can't see it. key: what its marks mean, as (sign, colour, words). on_clock: its x
    axis is UTC, and zooming it chooses the window.
    """

    heading: str
    label: str
    key: tuple[tuple[str, str, str], ...] = ()
    on_clock: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A list of episodes on a page."""

    heading: str
    columns: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class EpisodePage:
    """A page of rebuilt timers. table: whose services and clients can be chosen; empty: what no row means."""

    path: str
    name: str
    table: str
    drawings: tuple[Drawing, ...]
    grids: tuple[Grid, ...]
    load: Callable[[Lake, Chosen], View]
    empty: str

    def page(self) -> Page:
        """As the shell takes it."""
        return Page(self.path, self.name, self.layout, self.connect)

    def id(self, part: str) -> str:
        """A component's id."""
        return f"{self.path}-{part}"

    def layout(self, lake: Lake, address: Address) -> list[Any]:
        """The page at an address."""
        chosen = chosen_of(address.query)
        view = self.load(lake, chosen)
        return [
            html.Div(
                [
                    dmc.Title(self.name, order=1, size="h2"),
                    html.Div(_said(view), id=self.id("answer"), role="status"),
                ]
            ),
            self._filters(lake, chosen),
            html.Div(self._state(view), id=self.id("state")),
            html.Div(
                [
                    *(self._drawn(n, drawing, view) for n, drawing in enumerate(self.drawings)),
                    html.Section(list(view.detail), id=self.id("detail"), style=_seen(bool(view.detail))),
                    *(self._listed(n, grid, view) for n, grid in enumerate(self.grids)),
                ],
                id=self.id("body"),
                className="page",
                style=_seen(_has_rows(view)),
            ),
        ]

    def connect(self, app: Dash, lake: Lake) -> None:
        """Its two callbacks: the viewer changes the address, the address changes the page."""
        self._connect_doings(app)
        self._connect_address(app, lake)

    def _connect_doings(self, app: Dash) -> None:
        graph = {"page": self.path, "figure": ALL}

        @app.callback(
            Output("app-url", "search", allow_duplicate=True),
            Output(self.id("from"), "error"),
            Output(self.id("to"), "error"),
            Input(self.id("service"), "value"),
            Input(self.id("client"), "value"),
            Input(self.id("from"), "value"),
            Input(self.id("to"), "value"),
            Input(self.id("whole"), "n_clicks"),
            Input(self.id("all"), "n_clicks"),
            Input(graph, "clickData"),
            Input(graph, "relayoutData"),
            Input({"page": self.path, "grid": ALL}, "selectedRows"),
            State("app-url", "search"),
            State("app-url", "pathname"),
            prevent_initial_call=True,
        )
        def do(service: Any, client: Any, since: Any, until: Any, *more: Any) -> Any:
            search, pathname = more[-2:]
            if pathname != f"/{self.path}":
                return no_update, no_update, no_update
            chosen = chosen_of(query_of(search))
            written = {"service": service, "client": client, "from": since, "to": until}
            errors = [NOT_A_TIME if text and instant_of(text) is None else None for text in (since, until)]
            done = self._done(chosen, written)
            if ctx.triggered_id == self.id("all"):  # also what could not be read as a time
                set_props(self.id("from"), {"value": ""})
                set_props(self.id("to"), {"value": ""})
                errors = [None, None]
            return (done.search if done != chosen else no_update), *errors

    def _done(self, chosen: Chosen, written: dict[str, Any]) -> Chosen:
        """What is chosen after the viewer did what triggered the callback."""
        for told in ctx.triggered:
            component, _, name = told["prop_id"].rpartition(".")
            value = told["value"]
            if component == self.id("service"):
                chosen = (
                    chosen if value == chosen.service else replace(chosen, service=value or None, client=None)
                )
            elif component == self.id("client"):
                chosen = replace(chosen, client=value or None)
            elif component in (self.id("from"), self.id("to")):
                chosen = _between(chosen, written)
            elif component == self.id("whole") and value:
                chosen = replace(chosen, from_at=None, to_at=None, view=WHOLE)
            elif component == self.id("all") and value:
                chosen = Chosen()
            elif name == "clickData":
                chosen = replace(chosen, selected=clicked(value) or chosen.selected)
            elif name == "relayoutData" and self.drawings[json.loads(component)["figure"]].on_clock:
                chosen = zoomed(chosen, value)
            elif name == "selectedRows" and value:
                chosen = replace(chosen, selected=value[0]["id"])
        return chosen

    def _connect_address(self, app: Dash, lake: Lake) -> None:
        graph = {"page": self.path, "figure": ALL}
        notes = {"page": self.path, "notes": ALL}

        @app.callback(
            Output(self.id("answer"), "children"),
            Output(self.id("state"), "children"),
            Output(self.id("body"), "style"),
            Output(graph, "figure"),
            Output(notes, "children"),
            Output(self.id("detail"), "children"),
            Output(self.id("detail"), "style"),
            Output({"page": self.path, "grid": ALL}, "rowData"),
            Input("app-url", "search"),
            Input("app-version", "data"),
            State("app-url", "pathname"),
            prevent_initial_call=True,
        )
        def follow(search: str | None, _version: str | None, pathname: str | None) -> Any:
            if pathname != f"/{self.path}":
                same: list[Any] = [no_update] * len(self.drawings)
                rows: list[Any] = [no_update] * len(self.grids)
                return no_update, no_update, no_update, same, same, no_update, no_update, rows
            chosen = chosen_of(query_of(search))
            view = self.load(lake, chosen)
            # Not outputs: these also start `do`, which finds nothing new in them.
            set_props(self.id("service"), {"value": chosen.service})
            set_props(self.id("client"), {"value": chosen.client})
            set_props(self.id("from"), {"value": iso(chosen.from_at) or ""})
            set_props(self.id("to"), {"value": iso(chosen.to_at) or ""})
            for n in range(len(self.grids)):
                set_props({"page": self.path, "grid": n}, {"selectedRows": _selected(view, n)})
            kept: list[Any] = [no_update] * len(self.drawings)
            return (
                _said(view),
                self._state(view),
                _seen(_has_rows(view)),
                list(view.figures) or kept,
                [_notes(one) for one in view.notes] or kept,
                list(view.detail),
                _seen(bool(view.detail)),
                _rows(view, len(self.grids)),
            )

    def _state(self, view: View) -> list[Any]:
        return [] if _has_rows(view) else [no_rows(view.state, self.empty)]

    def _filters(self, lake: Lake, chosen: Chosen) -> Any:
        known = clients(lake, self.table)
        services = sorted({row["service"] for row in known if row["service"]} | {chosen.service or ""} - {""})
        of_client = sorted(
            {row["client_id"] for row in known if row["client_id"]} | {chosen.client or ""} - {""}
        )
        common: Any = {"clearable": True, "searchable": True, "size": "sm", "className": "filter"}
        written: Any = {"debounce": 600, "size": "sm", "className": "filter", "placeholder": "any"}
        return html.Div(
            [
                dmc.Select(
                    id=self.id("service"),
                    label="Service",
                    data=_options(services),
                    value=chosen.service,
                    **common,
                ),
                dmc.Select(
                    id=self.id("client"),
                    label="Client",
                    data=_options(of_client),
                    value=chosen.client,
                    **common,
                ),
                dmc.TextInput(
                    id=self.id("from"), label="From, UTC", value=iso(chosen.from_at) or "", **written
                ),
                dmc.TextInput(id=self.id("to"), label="To, UTC", value=iso(chosen.to_at) or "", **written),
                dmc.Button("Whole time", id=self.id("whole"), variant="default", size="sm"),
                dmc.Button("Clear all", id=self.id("all"), variant="default", size="sm"),
            ],
            className="filters",
            role="search",
        )

    def _drawn(self, n: int, drawing: Drawing, view: View) -> Any:
        figure = view.figures[n] if view.figures else go.Figure()
        notes = view.notes[n] if view.notes else ()
        named: Any = {"aria-label": drawing.label}
        return html.Section(
            [
                dmc.Title(drawing.heading, order=2, size="h4"),
                html.Div(_notes(notes), id={"page": self.path, "notes": n}, className="dimmed notes"),
                html.Div(_key(drawing), className="key"),
                dcc.Graph(
                    id={"page": self.path, "figure": n}, figure=figure, config=CONFIG, className="drawn"
                ),
            ],
            **named,
        )

    def _listed(self, n: int, grid: Grid, view: View) -> Any:
        return html.Div(
            [
                dmc.Title(grid.heading, order=2, size="h4", mb="xs"),
                dag.AgGrid(
                    id={"page": self.path, "grid": n},
                    rowData=_rows(view, len(self.grids))[n],
                    columnDefs=grid.columns,
                    selectedRows=_selected(view, n),
                    getRowId="params.data.id",
                    defaultColDef={
                        "sortable": True,
                        "filter": False,
                        "resizable": True,
                        "wrapHeaderText": True,
                    },
                    dashGridOptions={
                        "domLayout": "autoHeight",
                        "pagination": True,
                        "paginationPageSize": 20,
                        "rowSelection": {
                            "mode": "singleRow",
                            "checkboxes": False,
                            "enableClickSelection": True,
                        },
                        "tooltipShowDelay": 300,
                    },
                    style={"height": None},
                ),
            ]
        )


def clicked(data: Any) -> str | None:
    """The episode of the mark that was clicked; None where it stands for none."""
    for point in (data or {}).get("points", ()):
        custom = point.get("customdata")
        if custom and custom[0]:
            return str(custom[0])
    return None


def zoomed(chosen: Chosen, moved: Any) -> Chosen:
    """The window after a zoom or a double click; other movements (a resize) change nothing."""
    moved = moved or {}
    if moved.get("xaxis.autorange"):
        return replace(chosen, from_at=None, to_at=None, view=WHOLE)
    ends = moved.get("xaxis.range") or [moved.get(f"xaxis.range[{n}]") for n in (0, 1)]
    since, until = (instant_of(str(end)) for end in ends)
    return chosen if since is None or until is None else chosen.within(since, until)


def client_cells(row: Row) -> dict[str, Any]:
    """Whose it is, as cells."""
    return {
        "client": shown(row["client_id"] or "unknown"),
        "service": shown(f"{row['service'] or 'unknown'}/{row['instance'] or 'unknown'}"),
    }


def ms_cells(**values: int | None) -> dict[str, Any]:
    """Durations as cells: sorted by their ms, shown in words."""
    cells: dict[str, Any] = {}
    for name, ms in values.items():
        cells |= {name: ms, f"{name}_words": "" if ms is None else span(ms)}
    return cells


def _said(view: View) -> Any:
    return dmc.Text(shown(view.said), className=f"answer answer-{view.tone}") if view.said else []


def _notes(notes: Sequence[str]) -> list[Any]:
    return [html.Div(shown(note)) for note in notes]


def _seen(is_seen: bool) -> dict[str, str]:
    return {} if is_seen else {"display": "none"}


def _has_rows(view: View) -> bool:
    return any(view.rows)


def _rows(view: View, grids: int) -> list[list[dict[str, Any]]]:
    return list(view.rows) or [[] for _ in range(grids)]


def _selected(view: View, grid: int) -> list[dict[str, Any]]:
    return [row for row in (view.rows[grid] if view.rows else ()) if row["id"] == view.selected]


def _key(drawing: Drawing) -> list[Any]:
    """What the marks of a figure mean: text beside it, so that it wraps on a small screen and is read aloud."""
    silent: Any = {"aria-hidden": "true"}
    return [
        html.Span([html.Span(sign, style={"color": colour}, **silent), f" {words}"])
        for sign, colour, words in drawing.key
    ]


def _options(names: Sequence[str]) -> list[dict[str, str]]:
    return [{"value": name, "label": shown(name)} for name in names]


def _between(chosen: Chosen, written: dict[str, Any]) -> Chosen:
    """The window as written; none where one of its bounds can't be read, and the one that is where it is the same."""
    bounds = [instant_of(written[name]) for name in ("from", "to")]
    is_unreadable = any(written[name] and at is None for name, at in zip(("from", "to"), bounds, strict=True))
    is_same = bounds == [chosen.from_at, chosen.to_at]
    return chosen if is_unreadable or is_same else chosen.within(*bounds)
