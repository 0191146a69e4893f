"""What the pages of rebuilt timers share: filters, figures, lists and the selected episode, all linked by the address.

A page says what it shows (`View`) for what was chosen; everything else is here. What the viewer does (a filter, a zoom, a
click in a figure, a row of a list) writes the query string, and only the query string changes the page: so links, reload
and the back button all show the same.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, MATCH, Dash, Input, Output, State, ctx, dcc, html, no_update, set_props

from dashboards.grids import cells
from dashboards.instants import NOT_A_TIME, instant_of, stamp
from dashboards.pages import episode_parts as parts
from dashboards.pages.chosen import WHOLE, Chosen, chosen_of
from dashboards.pages.episode_parts import Drawing, Grid, View
from dashboards.pages.page import Address, Page, follow, link, query_of
from dashboards.pages.selected import proving_lines, selected_part
from dashboards.parts import left_out, no_rows
from dashboards.queries import LakeReader, Row
from dashboards.queries.base import at_once
from dashboards.queries.episodes import Scope, clients

OUTSIDE = "This one lies outside what is chosen above: the figures and lists are without it."
NOT_LISTED = "There are more than the list holds, and this one is not among them."


@dataclass(frozen=True, slots=True)
class EpisodePage:
    """A page of rebuilt timers: the first of its lists says whose services and clients can be chosen.

    load: what was chosen, all but the cells and what is selected; empty: what no row means.
    """

    path: str
    name: str
    drawings: tuple[Drawing, ...]
    grids: tuple[Grid, ...]
    load: Callable[[LakeReader, Chosen], View]
    empty: str

    def page(self) -> Page:
        """As the shell takes it."""
        return Page(self.path, self.name, self.layout, self.connect)

    @property
    def table(self) -> str:
        """Whose services and clients can be chosen."""
        return self.grids[0].table

    def view(self, lake: LakeReader, chosen: Chosen) -> View:
        """What the page shows of what was chosen: its lists, and the selected episode, also where no list has it."""
        view = self.load(lake, chosen)
        lists = tuple(zip(self.grids, view.lists, strict=False))
        rows = tuple(cells(grid.columns, grid.id_column, listed) for grid, listed in lists)
        found = [
            (grid, row) for grid, listed in lists for row in listed if row[grid.id_column] == chosen.selected
        ]
        detail = self._told(lake, *found[0]) if found else self._unlisted(lake, chosen)
        return replace(view, rows=rows, selected=chosen.selected, detail=detail)

    def _told(self, lake: LakeReader, grid: Grid, row: Row) -> list[Any]:
        return selected_part(lake, self.path, row[grid.id_column], row["service"], grid.told(row))

    def _unlisted(self, lake: LakeReader, chosen: Chosen) -> list[Any]:
        """An episode that a link names and the lists do not hold: it is told all the same, and where it lies is said."""
        for grid in self.grids if chosen.selected else ():
            for row in grid.query(lake, Scope(only=chosen.selected)).rows:
                said = NOT_LISTED if chosen.holds(row, grid.told(row).bounds) else OUTSIDE
                whose = {"service": row["service"], "client": row["client_id"]}
                href = link(self.path, **whose, selected=chosen.selected)
                return [
                    dmc.Alert(
                        [said, " ", dcc.Link("Show it among its client's.", href=href)],
                        color="blue",
                        variant="light",
                        mb="sm",
                        id=self.id("outside"),
                    ),
                    *self._told(lake, grid, row),
                ]
        return []

    def id(self, part: str) -> str:
        """A component's id."""
        return f"{self.path}-{part}"

    def layout(self, lake: LakeReader, address: Address) -> list[Any]:
        """The page at an address: the first figure, the list with what is selected of it, then the others."""
        chosen = chosen_of(address.query)
        view, known = at_once(lambda: self.view(lake, chosen), lambda: clients(lake, self.table))
        drawn = [parts.drawn(self.path, n, one, view) for n, one in enumerate(self.drawings)]
        listed = [parts.listed(self.path, n, one, view) for n, one in enumerate(self.grids)]
        detail = html.Section(
            self._detail(view), id=self.id("detail"), style=parts.seen(bool(view.detail)), className="detail"
        )
        body = [drawn[0], html.Div([listed[0], detail], className="pair"), *drawn[1:], *listed[1:]]
        title = dmc.Title(self.name, order=1, size="h2")
        return [
            dcc.Store(id=self.id("shown"), data=chosen.search),
            html.Div([title, html.Div(parts.answer(view), id=self.id("answer"), role="status")]),
            parts.filters(self.path, known, chosen),
            html.Div(self._state(view, chosen), id=self.id("state")),
            html.Div(body, id=self.id("body"), className="page", style=parts.seen(view.has_rows)),
        ]

    def connect(self, app: Dash, lake: LakeReader) -> None:
        """The viewer changes the address, the address changes the page; lines are read when they are asked for."""
        self._connect_doings(app)
        self._connect_address(app, lake)

        @app.callback(
            Output({"page": self.path, "lines": MATCH}, "children"),
            Input({"page": self.path, "show-lines": MATCH}, "n_clicks"),
            State({"page": self.path, "show-lines": MATCH}, "id"),
            prevent_initial_call=True,
        )
        def show_lines(clicks: int | None, asked: dict[str, str]) -> Any:
            return proving_lines(lake, asked["show-lines"]) if clicks else no_update

    def _connect_doings(self, app: Dash) -> None:
        """What the viewer does goes into the address.

        A callback for each thing that can be done: one that is triggered anew drops its answer that is under way, and a
        figure tells of its zoom also when it was only drawn, which would drop the row that was just selected.
        """

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
            State("app-url", "search"),
            State("app-url", "pathname"),
            State(self.id("shown"), "data"),
            prevent_initial_call=True,
        )
        def filter_by(_service: Any, _client: Any, since: Any, until: Any, *more: Any) -> Any:
            search, pathname, shown = more[-3:]
            if pathname != f"/{self.path}":
                return no_update, no_update, no_update
            if ctx.triggered_id == self.id("all"):  # also what could not be read as a time
                set_props(self.id("from"), {"value": ""})
                set_props(self.id("to"), {"value": ""})
                return "", None, None
            errors = [NOT_A_TIME if text and instant_of(text) is None else None for text in (since, until)]
            return self._asked(search, shown, since, until), *errors

        figures, grids = range(len(self.drawings)), range(len(self.grids))
        for part, n, told in (
            *(("figure", n, told) for n in figures for told in ("clickData", "relayoutData")),
            *(("grid", n, "selectedRows") for n in grids),
        ):
            app.callback(
                Output("app-url", "search", allow_duplicate=True),
                Input({"page": self.path, part: n}, told),
                State("app-url", "search"),
                State("app-url", "pathname"),
                State(self.id("shown"), "data"),
                prevent_initial_call=True,
            )(self._point)

    def _point(self, _told: Any, search: str | None, pathname: str | None, shown: str | None) -> Any:
        return self._asked(search, shown) if pathname == f"/{self.path}" else no_update

    def _asked(
        self, search: str | None, shown: str | None, since: str | None = None, until: str | None = None
    ) -> Any:
        chosen = chosen_of(query_of(search))
        done = self._done(chosen, chosen_of(query_of(shown)), since, until)
        return done.search if done != chosen else no_update

    def _done(self, chosen: Chosen, shown: Chosen, since: str | None, until: str | None) -> Chosen:
        """What is chosen after the viewer did what triggered the callback.

        shown: what the page was last made for. A filter or selection that says the same is the page's own: the viewer may
        have gone on since.
        """
        for told in ctx.triggered:
            component, _, name = told["prop_id"].rpartition(".")
            value = told["value"]
            if component == self.id("service") and value != shown.service:
                chosen = replace(chosen, service=value or None, client=None)
            elif component == self.id("client") and value != shown.client:
                chosen = replace(chosen, client=value or None)
            elif component in (self.id("from"), self.id("to")):
                chosen = between(chosen, shown, since, until)
            elif component == self.id("whole") and value:
                chosen = replace(chosen, from_at=None, to_at=None, view=WHOLE)
            elif name == "clickData":
                chosen = replace(chosen, selected=clicked(value) or chosen.selected)
            elif name == "relayoutData" and self.drawings[json.loads(component)["figure"]].on_clock:
                chosen = zoomed(chosen, value)
            elif name == "selectedRows" and value and value[0]["id"] != shown.selected:
                chosen = replace(chosen, selected=value[0]["id"])
        return chosen

    def _connect_address(self, app: Dash, lake: LakeReader) -> None:
        outputs = [
            Output(self.id("answer"), "children"),
            Output(self.id("state"), "children"),
            Output(self.id("body"), "style"),
            Output({"page": self.path, "figure": ALL}, "figure"),
            Output({"page": self.path, "notes": ALL}, "children"),
            Output(self.id("detail"), "children"),
            Output(self.id("detail"), "style"),
            Output({"page": self.path, "grid": ALL}, "rowData"),
        ]

        def made(search: str | None, shown: str | None, selected: Any) -> list[Any]:
            chosen, before = chosen_of(query_of(search)), chosen_of(query_of(shown))
            view = self.view(lake, chosen)
            if chosen != before:  # a lake that changed chooses nothing
                self._show_chosen(chosen, before, view, selected)
            kept = [no_update] * len(self.drawings)
            return [
                parts.answer(view),
                self._state(view, chosen),
                parts.seen(view.has_rows),
                list(view.figures) or kept,
                [parts.notes(one) for one in view.notes] or kept,
                self._detail(view),
                parts.seen(bool(view.detail)),
                [view.rows_of(n) for n in range(len(self.grids))],
            ]

        follow(app, self.path, outputs, made, State({"page": self.path, "grid": ALL}, "selectedRows"))

    def _show_chosen(self, chosen: Chosen, before: Chosen, view: View, selected: Sequence[Any]) -> None:
        """Filters and selection follow the address: those that it changed, as the viewer may have gone on with another.

        No outputs: they also start what a doing starts, which finds them as `shown`.
        """
        set_props(self.id("shown"), {"data": chosen.search})
        for part, now, was in (
            ("service", chosen.service, before.service),
            ("client", chosen.client, before.client),
            ("from", stamp(chosen.from_at) or "", stamp(before.from_at) or ""),
            ("to", stamp(chosen.to_at) or "", stamp(before.to_at) or ""),
        ):
            if now != was:
                set_props(self.id(part), {"value": now})
        for n, held in enumerate(selected):
            wanted = view.selected_of(n)
            if [row["id"] for row in held or ()] != [row["id"] for row in wanted]:
                set_props({"page": self.path, "grid": n}, {"selectedRows": wanted})

    def _state(self, view: View, chosen: Chosen) -> list[Any]:
        """Why there are no rows; then what was selected stands under it, as the lists are hidden."""
        problem = left_out(chosen.problem)
        if view.has_rows:
            return problem
        told = [html.Section(list(view.detail), className="detail")] if view.detail else []
        return [*problem, no_rows(view.state, self.empty), *told]

    def _detail(self, view: View) -> list[Any]:
        return list(view.detail) if view.has_rows else []


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


def between(chosen: Chosen, shown: Chosen, since: str | None, until: str | None) -> Chosen:
    """The window as written; unchanged where a bound can't be read, or where it is the one that was shown."""
    bounds = (instant_of(since), instant_of(until))
    is_unreadable = (bool(since) and bounds[0] is None) or (bool(until) and bounds[1] is None)
    is_same = bounds == (shown.from_at, shown.to_at)
    return chosen if is_unreadable or is_same else chosen.within(*bounds)
