"""The first page: what is broken, for whom, since when."""

from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, html

from dashboards.pages import incidents
from dashboards.pages.page import Address, Page
from dashboards.queries import Lake


def layout(lake: Lake, _address: Address) -> list[Any]:
    """The page."""
    return [html.Div(_body(lake), id="now-body", className="page")]


def connect(app: Dash, lake: Lake) -> None:
    """Redraws itself when the lake has changed."""

    @app.callback(Output("now-body", "children"), Input("app-version", "data"), prevent_initial_call=True)
    def follow(_version: str | None) -> list[Any]:
        return _body(lake)


def _body(lake: Lake) -> list[Any]:
    return [dmc.Title("Now", order=1, size="h2"), *incidents.layout(lake, Address())[1:]]


PAGE = Page("", "Now", layout, connect)
