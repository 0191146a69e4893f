"""A page that is drawn anew whole: when its address changes, by one of its choices or by a link, and when the lake does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Output, dcc, html

from dashboards.pages.choices import Choice, Form
from dashboards.pages.page import Address, Page, Query, follow, query_of, search_of
from dashboards.queries import LakeReader


@dataclass(frozen=True, slots=True)
class Redrawn:
    """Such a page. body: all but its title and choices, for an address."""

    path: str
    title: str
    body: Callable[[LakeReader, Query], list[Any]]
    choices: tuple[Choice, ...] = ()

    @property
    def form(self) -> Form:
        """Its choices, each of which may hang on those before it."""
        return Form(self.path, self.choices, is_chain=True)

    def page(self) -> Page:
        """As the shell takes it."""
        return Page(self.path, self.title, self.layout, self.connect)

    def layout(self, lake: LakeReader, address: Address) -> list[Any]:
        """The whole page at an address."""
        form = html.Div(self.form.components(lake, address.query), className="form")
        return [
            dcc.Store(id=f"{self.path}-shown", data=search_of(address.query)),
            dmc.Title(self.title, order=1, size="h2"),
            *([form] if self.choices else []),
            html.Div(self.body(lake, address.query), id=f"{self.path}-body", className="page"),
        ]

    def connect(self, app: Dash, lake: LakeReader) -> None:
        """What is chosen goes into the address, and the page follows it, and the lake."""

        def made(search: str | None, shown: str | None) -> list[Any]:
            query, before = query_of(search), query_of(shown)
            return [search, self.body(lake, query), *self.form.values(lake, query, before)]

        parts = Output(f"{self.path}-shown", "data"), Output(f"{self.path}-body", "children")
        follow(app, self.path, [*parts, *self.form.outputs], made)
        if self.choices:
            self.form.connect(app)
