"""The Dash app on a lake: `create_app(lake)` for tests and servers, `serve()` for the command.

Behind a server of your own: gunicorn 'dashboards.app:wsgi("/path/to/lake")'.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, dcc, html
from flask import Flask, Response

from dashboards.pages import finding, incidents, unjudged, violations
from dashboards.parts import freshness_strip, no_rows
from dashboards.queries import Answer, LakeQueries

FRESHNESS_EVERY_MS = 30_000
_LINKS = (("Violations", "/"), ("Incidents", "/incidents"), ("Unjudged", "/unjudged"))
_PAGES: dict[str, Callable[[LakeQueries], list[Any]]] = {
    "": violations.layout,
    "incidents": incidents.layout,
    "unjudged": unjudged.layout,
}
_PAGES_OF_ONE: dict[str, Callable[[LakeQueries, str], list[Any]]] = {
    "finding": finding.layout,
    "incident": finding.incident_layout,
}


def create_app(lake: Path) -> Dash:
    """The app; it reads the lake at every request and writes nothing anywhere."""
    queries = LakeQueries(lake)
    app = Dash(
        __name__,
        title="kipwatch",
        update_title="",
        suppress_callback_exceptions=True,  # pages come and go with the address
        serve_locally=True,
        meta_tags=[{"name": "viewport", "content": "width=device-width, initial-scale=1"}],
    )
    app.layout = _shell
    _connect(app, queries)
    _guard(app)
    return app


def page_of(queries: LakeQueries, pathname: str | None) -> list[Any]:
    """The page at an address."""
    parts = [part for part in (pathname or "/").split("/") if part]
    if len(parts) == 2 and parts[0] in _PAGES_OF_ONE:
        return _PAGES_OF_ONE[parts[0]](queries, parts[1])
    if len(parts) <= 1 and (name := "".join(parts)) in _PAGES:
        return _PAGES[name](queries)
    return [dmc.Alert("There is no such page.", title="Not found", color="yellow", id="state-not-found")]


def _shell() -> Any:
    bar = dmc.Group(
        [
            dcc.Link("kipwatch", href="/", className="brand"),
            dmc.Group([dcc.Link(name, href=href, className="nav") for name, href in _LINKS], gap="md"),
            html.Div(id="app-freshness", className="freshness"),
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
    return dmc.MantineProvider(
        [
            dcc.Location(id="app-url"),
            dcc.Interval(id="app-tick", interval=FRESHNESS_EVERY_MS),
            html.Header(bar),
            html.Main(id="app-page"),
        ],
        defaultColorScheme="auto",
        theme={"primaryColor": "blue", "fontFamily": "system-ui, 'Segoe UI', Roboto, sans-serif"},
    )


def _connect(app: Dash, queries: LakeQueries) -> None:
    @app.callback(Output("app-page", "children"), Input("app-url", "pathname"))
    def show_page(pathname: str | None) -> list[Any]:
        try:
            return page_of(queries, pathname)
        except Exception as failure:  # a page that fails must not look like an empty one
            app.server.logger.exception("page failed: %r", pathname)
            return [no_rows(Answer("failed", problem=f"{type(failure).__name__}: {failure}"), "")]

    @app.callback(
        Output("app-freshness", "children"), Input("app-url", "pathname"), Input("app-tick", "n_intervals")
    )
    def show_freshness(_pathname: str | None, _ticks: int | None) -> Any:
        return freshness_strip(queries.freshness(), round(time.time() * 1000))


def _guard(app: Dash) -> None:
    """Only our own scripts run, and no text is ever evaluated. Styles are set by components as they draw."""
    scripts = " ".join(app.csp_hashes())
    policy = (
        f"default-src 'self'; script-src 'self' {scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )

    @app.server.after_request  # type: ignore[untyped-decorator]
    def add_headers(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = policy
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response


def wsgi(lake: str) -> Flask:
    """The app as any WSGI server takes it."""
    server: Flask = create_app(Path(lake)).server
    return server


def serve(lake: Path, host: str = "127.0.0.1", port: int = 8050) -> None:
    """Serve until stopped: one process, a few threads. Anyone who can reach the port can read the lake."""
    from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]  # it ships no types

    class _Server(BaseApplication):  # type: ignore[misc]
        def load_config(self) -> None:
            for name, value in {"bind": f"{host}:{port}", "threads": 4, "loglevel": "warning"}.items():
                self.cfg.set(name, value)

        def load(self) -> Flask:
            return wsgi(str(lake))

    print(f"kipwatch dashboard: http://{host}:{port}/ (stop with Ctrl-C)", flush=True)
    _Server().run()
