"""What a page is to the shell: an address, a name, a layout, and its own callbacks.

A new page is a module with a PAGE, and its place in `dashboards.pages.PAGES`. Mostly it says only what it shows, as an
`EpisodePage` (figures and lists of rebuilt timers), a `Listing` (a large table) or a `Redrawn` (all else).

How a page stays calm and can be linked:
- `layout` draws the whole page once, from the address and its query string: the deep link.
- What changes later is patched by the page's callbacks. `Input("app-version", "data")` fires when a table of the lake
  changed, and never else: give new rows to a grid (with `getRowId`, so that scroll and selection stay), a new figure to a
  graph (with a constant `uirevision`, so that zoom stays).
- A filter or a selection writes `Output("app-url", "search")`; the same page hears `Input("app-url", "search")` and patches
  itself, so the back button works. The shell redraws only when the path changes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from dash import Dash, Input, Output, State, no_update
from dash.exceptions import PreventUpdate

from dashboards.instants import stamp
from dashboards.queries import LakeReader
from transforms.well_formed import well_formed

Query = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Address:
    """Where the viewer is. parts: of the path, without the page's own; query: what follows the question mark."""

    parts: tuple[str, ...] = ()
    query: Query = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page:
    """One page. path: first part of its address, empty for the first page; name: in the navigation, None for none.

    takes: how many parts follow in the address (`/finding/<id>` takes one).
    """

    path: str
    name: str | None
    layout: Callable[[LakeReader, Address], list[Any]]
    connect: Callable[[Dash, LakeReader], None] | None = None
    takes: int = 0

    @property
    def href(self) -> str:
        """Its address without parts."""
        return f"/{self.path}"


def query_of(search: str | None) -> dict[str, str]:
    """A query string as a mapping; of a name given twice, the last. What is posted may hold half a character."""
    return dict(parse_qsl(well_formed(search or "").removeprefix("?")))


def search_of(query: Mapping[str, str | None]) -> str:
    """A mapping as a query string; what is empty is left out. The same mapping always gives the same text."""
    kept = {name: value for name, value in query.items() if value}
    return f"?{urlencode(kept)}" if kept else ""


def if_changed(now: Any, before: Any) -> Any:
    """For a component that the viewer also sets: what did not change is left alone, as he may have gone on since."""
    return no_update if now == before else now


def link(path: str, *parts: str, **query: str | None) -> str:
    """An address inside the app; ids and names may hold anything."""
    return "/" + "/".join(quote(part, safe="") for part in (path, *parts) if part) + search_of(query)


def story_href(since: int, until: int, service: str | None) -> str:
    """The address of what happened in a time, ms."""
    return link("story", **{"from": stamp(since), "to": stamp(until), "service": service})


def follow(app: Dash, path: str, outputs: Sequence[Output], made: Callable[..., Any], *held: State) -> None:
    """Parts of a page are made anew when its address or the lake changes, while it is the page that is looked at.

    made: of the query string, that which the page was last made for, and what `held` names.
    """

    @app.callback(
        *outputs,
        Input("app-url", "search"),
        Input("app-version", "data"),
        State("app-url", "pathname"),
        State(f"{path}-shown", "data"),
        *held,
        prevent_initial_call=True,
    )
    def look(
        search: str | None, _version: str | None, pathname: str | None, shown: str | None, *more: Any
    ) -> Any:
        if pathname != f"/{path}":
            raise PreventUpdate
        return made(search, shown, *more)
