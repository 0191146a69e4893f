"""A page that is drawn anew whole: when its address changes, by one of its choices or by a link, and when the lake does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, dcc, html, no_update

from dashboards.pages.page import Address, Page, if_changed, query_of, search_of
from dashboards.parts import shown
from dashboards.queries import LakeReader

Query = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of the address that can be chosen from a list. Those behind it are asked for anew when it changes.

    options: for an address; a value of the address that is none of them can be seen, and cleared, all the same. hint: what
    stands there while nothing is chosen. is_free: what is none of the options may be typed.
    """

    name: str
    label: str
    options: Callable[[LakeReader, Query], list[str]]
    width: int = 300
    hint: str = "any"
    is_free: bool = False

    def value(self, query: Query) -> str | None:
        """What of an address is chosen, as its list takes it."""
        return query.get(self.name, "" if self.is_free else None)


@dataclass(frozen=True, slots=True)
class Redrawn:
    """Such a page. body: all but its title and choices, for an address."""

    path: str
    title: str
    body: Callable[[LakeReader, Query], list[Any]]
    choices: tuple[Choice, ...] = ()

    def page(self) -> Page:
        """As the shell takes it."""
        return Page(self.path, self.title, self.layout, self.connect)

    def layout(self, lake: LakeReader, address: Address) -> list[Any]:
        """The whole page at an address."""
        form = html.Div([self._select(lake, address.query, one) for one in self.choices], className="form")
        return [
            dcc.Store(id=f"{self.path}-shown", data=search_of(address.query)),
            dmc.Title(self.title, order=1, size="h2"),
            *([form] if self.choices else []),
            html.Div(self.body(lake, address.query), id=f"{self.path}-body", className="page"),
        ]

    def connect(self, app: Dash, lake: LakeReader) -> None:
        """What is chosen goes into the address, and the page follows it, and the lake."""
        ids = [f"{self.path}-{one.name}" for one in self.choices]

        @app.callback(
            Output(f"{self.path}-shown", "data"),
            Output(f"{self.path}-body", "children"),
            *(Output(part, prop) for part in ids for prop in ("data", "value")),
            Input("app-url", "search"),
            Input("app-version", "data"),
            State("app-url", "pathname"),
            State(f"{self.path}-shown", "data"),
            prevent_initial_call=True,
        )
        def follow(search: str | None, _version: str | None, pathname: str | None, shown: str | None) -> Any:
            if pathname != f"/{self.path}":
                return (no_update,) * (2 + 2 * len(ids))
            query, before = query_of(search), query_of(shown)
            made = [
                (self._options(lake, query, one), if_changed(one.value(query), one.value(before)))
                for one in self.choices
            ]
            return (search, self.body(lake, query), *(value for pair in made for value in pair))

        if ids:
            app.callback(
                Output("app-url", "search", allow_duplicate=True),
                *(Input(part, "value") for part in ids),
                State("app-url", "search"),
                prevent_initial_call=True,
            )(self._ask)

    def _ask(self, *given: Any) -> Any:
        *values, search = given
        known = query_of(search)
        chosen = dict(known)
        for one, value in zip(self.choices, values, strict=True):
            if (value or None) != known.get(one.name):
                for later in self.choices[self.choices.index(one) :]:
                    chosen.pop(later.name, None)  # it was one of another choice
                chosen.pop("page", None)  # of a list that is no more
                if value:
                    chosen[one.name] = value
                return search_of(chosen)
        return no_update

    def _select(self, lake: LakeReader, query: Query, choice: Choice) -> Any:
        options = self._options(lake, query, choice)
        if choice.is_free:
            return dmc.Autocomplete(
                label=choice.label,
                data=options,
                value=choice.value(query),
                id=f"{self.path}-{choice.name}",
                debounce=600,
                placeholder=choice.hint,
                w=choice.width,
            )
        return dmc.Select(
            label=choice.label,
            data=options,
            value=choice.value(query),
            id=f"{self.path}-{choice.name}",
            searchable=True,
            clearable=True,
            placeholder=choice.hint if options else "none known",
            w=choice.width,
        )

    def _options(self, lake: LakeReader, query: Query, choice: Choice) -> list[dict[str, str]]:
        known = choice.options(lake, query)
        given = query.get(choice.name)
        return [
            {"value": one, "label": shown(one)}
            for one in dict.fromkeys([*known, *([given] if given else [])])
        ]


def of_column(table: str, column: str) -> Callable[[LakeReader, Query], list[str]]:
    """The values that a column of a table has, as options."""

    def options(lake: LakeReader, _query: Query) -> list[str]:
        found = {row[column] for row in lake.count_by(table, [column]).rows}
        return sorted(found - {None})

    return options
