"""The Dash app on a lake: `create_app(lake)` for tests and servers, `serve()` for the command."""

import signal
import sys
import time
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, no_update
from flask import Response, jsonify

from dashboards import hand_over, shell
from dashboards.access import Access, control
from dashboards.freshness import freshness_strip
from dashboards.pages import PAGES
from dashboards.pages.page import Address, query_of
from dashboards.parts import no_rows, other_version
from dashboards.queries import Answer, LakeReader
from dashboards.queries.base import noticing
from dashboards.queries.bounds import Bounds
from dashboards.queries.freshness import freshness
from dashboards.queries.reader import Reader
from dashboards.security import guard
from dashboards.server import Limits, Server
from expectations.place import LakePlace
from expectations.versions import TODO, told
from transforms.well_formed import well_formed

THIS_MACHINE, NO_MORE = Access(), Bounds()


def create_app(place: LakePlace | Reader, access: Access = THIS_MACHINE, bounds: Bounds = NO_MORE) -> Dash:
    """The app on a folder of tables or another reader; it reads the lake at every request and writes nothing anywhere."""
    lake = LakeReader(place, bounds)
    app = Dash(
        __name__,
        title="kipwatch",
        update_title="",
        suppress_callback_exceptions=True,  # pages come and go with the address
        serve_locally=True,
        meta_tags=[{"name": "viewport", "content": "width=device-width, initial-scale=1"}],
    )
    app.index_string = app.index_string.replace("<html>", '<html lang="en">')
    app.layout = lambda: shell.shell(lake.version())
    shell.connect(app)
    _connect(app, lake)
    for page in PAGES:
        if page.connect:
            page.connect(app, lake)
    hand_over.connect(app, lake)
    control(app.server, access)
    guard(app)
    _tell_health(app, lake)
    return app


def page_of(lake: LakeReader, pathname: str | None, search: str | None = None) -> list[Any]:
    """The page at an address; above it what it lacks of a lake of another version, where it doesn't say so in its place."""
    with noticing() as lacks:
        page = _page(lake, pathname, search)
    written = repr(page) if lacks else ""
    untold = [fact for fact in lacks if fact not in written]
    return [other_version(f"{told(*untold)}; {TODO}"), *page] if untold else page


def _page(lake: LakeReader, pathname: str | None, search: str | None) -> list[Any]:
    parts = [part for part in well_formed(pathname or "/").split("/") if part]
    for page in PAGES:
        head = [page.path] if page.path else []
        if parts[: len(head)] == head and len(parts) == len(head) + page.takes:
            return page.layout(lake, Address(tuple(parts[len(head) :]), query_of(search)))
    return [
        dmc.Title("Not found", order=1, size="h2"),
        dmc.Alert("There is no such page.", color="yellow", id="state-not-found"),
    ]


def _connect(app: Dash, lake: LakeReader) -> None:
    @app.callback(Output("app-page", "children"), Input("app-url", "pathname"), State("app-url", "search"))
    def show_page(pathname: str | None, search: str | None) -> list[Any]:
        try:
            return page_of(lake, pathname, search)
        except Exception as failure:  # a page that fails must not look like an empty one
            app.server.logger.exception("page failed: %r", pathname)
            return [no_rows(Answer("failed", problem=f"{type(failure).__name__}: {failure}"), "")]

    @app.callback(
        Output("app-freshness", "children"),
        Output("app-version", "data"),
        Input("app-tick", "n_intervals"),
        State("app-version", "data"),
    )
    def look_again(ticks: int | None, known: str | None) -> Any:
        version = lake.version()
        is_known = version == known
        if is_known and ticks:
            return no_update, no_update
        strip = freshness_strip(freshness(lake), round(time.time() * 1000))
        return strip, no_update if is_known else version


def _tell_health(app: Dash, lake: LakeReader) -> None:
    @app.server.route("/health")  # type: ignore[untyped-decorator]
    def health() -> tuple[Response, int]:
        """For a probe: 200 where the lake can be read, 503 where not; no more is told to who may not look."""
        state = lake.read("gold.runs", ["run_id"], limit=1).state
        return jsonify(
            status="ok" if state == "ok" else "unavailable", lake=state
        ), 200 if state == "ok" else 503


def serve(
    lake: LakePlace | Reader,
    host: str = "127.0.0.1",
    port: int = 8050,
    access: Access = THIS_MACHINE,
    bounds: Bounds = NO_MORE,
) -> None:
    """Serve until stopped, in this process, which holds what it read."""
    app = create_app(lake, access, bounds).server
    app.test_client().get("/health")  # what reads the lake is loaded now, not at the first viewer's question
    server = Server(app, host, port, Limits())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(f"kipwatch dashboard: http://{host}:{port}/ (stop with Ctrl-C)", flush=True)
    server.run()
