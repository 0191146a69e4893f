"""The frame around every page: navigation, freshness, light and dark, refresh, the viewer's time zone."""

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html

from dashboards.pages import PAGES

REFRESH_MS = 5_000


def shell(version: str) -> Any:
    """The layout of the app; `app-page` is where a page is drawn.

    version: of the lake as the first page is drawn, so that it is not drawn again at once.
    """
    return dmc.MantineProvider(
        [
            dcc.Location(id="app-url", refresh=False),
            dcc.Interval(id="app-tick", interval=REFRESH_MS),
            dcc.Store(id="app-version", data=version),
            html.A("Skip to the page", href="#app-page", className="skip"),
            dmc.AppShell(
                [
                    dmc.AppShellHeader(_bar()),
                    dmc.AppShellNavbar(_navigation(), id="app-pages", **{"aria-label": "Pages"}),
                    dmc.AppShellMain(_main()),
                ],
                id="app-shell",
                header={"height": {"base": 96, "sm": 52}},
                navbar={"width": 148, "breakpoint": "sm", "collapsed": {"mobile": True}},
                padding="md",
                transitionDuration=0,
            ),
        ],
        defaultColorScheme="auto",
        theme={"primaryColor": "blue", "fontFamily": "system-ui, 'Segoe UI', Roboto, sans-serif"},
    )


def connect(app: Dash) -> None:
    """What the frame does by itself, in the browser (assets/shell.js)."""
    app.clientside_callback(  # type: ignore[no-untyped-call]
        ClientsideFunction("shell", "menu"),
        Output("app-shell", "navbar"),
        Output("app-menu", "opened"),
        Output("app-menu", "aria-expanded"),
        Output("app-pages", "className"),
        Input("app-menu", "opened"),
        Input("app-url", "pathname"),
        State("app-shell", "navbar"),
    )


def _bar() -> Any:
    menu: Any = {"aria-label": "Menu", "aria-controls": "app-pages", "aria-expanded": "false"}
    return html.Div(
        [
            dmc.Burger(id="app-menu", size="sm", hiddenFrom="sm", opened=False, **menu),
            dcc.Link("kipwatch", href="/", className="brand"),
            html.Div(id="app-freshness", className="freshness", role="status"),
            html.Button(
                "",
                id="app-zone",
                className="zone",
                title="Times in your zone, or in UTC; hovering shows the other",
            ),
            dmc.ColorSchemeToggle(
                lightIcon="☀",
                darkIcon="☾",
                variant="subtle",
                color="gray",
                id="app-scheme",
                **{"aria-label": "Light or dark"},
            ),
        ],
        className="bar",
    )


def _navigation() -> Any:
    links = [
        dmc.NavLink(label=page.name, href=page.href, active="exact", id=f"app-to-{page.path or 'now'}")
        for page in PAGES
        if page.name
    ]
    return html.Div(links)


def _main() -> Any:
    waiting = [dmc.Skeleton(height=34, width=260), dmc.Skeleton(height=110), dmc.Skeleton(height=360)]
    return html.Div(
        html.Div(waiting, id="state-loading", className="page"),
        id="app-page",
        className="page",
        tabIndex="-1",
    )
