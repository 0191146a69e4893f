"""Parts of a page of rebuilt timers: its answer, filters, figures with their keys, and lists. Log text is text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
import plotly.graph_objects as go
from dash import dcc, html

from dashboards.grids import Column
from dashboards.grids import grid as make_grid
from dashboards.instants import stamp
from dashboards.pages.chosen import Chosen
from dashboards.parts import Fact, shown, unbroken
from dashboards.queries import Answer, LakeReader, Row
from dashboards.queries.episodes import Scope
from dashboards.queries.proof import EPISODE_IDS
from dashboards.theme import GRAPH_CONFIG

# A double click is told by assets/zoom.js: it shows all; what a drawing shows at first is only a part.
CONFIG: Any = {**GRAPH_CONFIG, "doubleClick": False}


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows of what was chosen.

    summary: the page's question, answered; tone: how it sounds (calm, warn, broken or none). notes: per figure, what it
    leaves out. lists: per list, its rows as they were read. rows: per list, its cells, each row's with `id`; selected: the
    id of the selected episode, and detail: what is told of it; EpisodePage makes these of the lists.
    """

    state: Answer
    summary: str = ""
    tone: str = "none"
    figures: tuple[go.Figure, ...] = ()
    notes: tuple[Sequence[str], ...] = ()
    lists: tuple[Sequence[Row], ...] = ()
    rows: tuple[list[dict[str, Any]], ...] = ()
    selected: str | None = None
    detail: Sequence[Any] = ()

    @property
    def has_rows(self) -> bool:
        """Whether there is something to show."""
        return any(self.rows)

    def rows_of(self, grid: int) -> list[dict[str, Any]]:
        """The rows of one list."""
        return self.rows[grid] if self.rows else []

    def selected_of(self, grid: int) -> list[dict[str, Any]]:
        """The selected row of one list, as the list takes it."""
        return [row for row in self.rows_of(grid) if row["id"] == self.selected]


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
class Told:
    """A selected episode. bounds: when it began and ended, ms."""

    title: str
    facts: Sequence[Fact]
    bounds: tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Grid:
    """A list of episodes of a table on a page. query: its rows in a scope; told: what stands of one that is selected."""

    heading: str
    table: str
    query: Callable[[LakeReader, Scope], Answer]
    columns: tuple[Column, ...]
    told: Callable[[Row], Told]

    @property
    def id_column(self) -> str:
        """What tells its episodes apart."""
        return EPISODE_IDS[self.table]


def answer(view: View) -> Any:
    """The page's question, answered."""
    if not view.summary:
        return []
    return dmc.Text(unbroken(shown(view.summary)), className=f"answer answer-{view.tone}")


def notes(found: Sequence[str]) -> list[Any]:
    """What a figure leaves out."""
    return [html.Div(shown(note)) for note in found]


def seen(is_seen: bool) -> dict[str, str]:
    """The style of what is there or not: a figure that is hidden keeps its place in the page's callbacks."""
    return {} if is_seen else {"display": "none"}


def filters(path: str, known: Sequence[Row], chosen: Chosen) -> Any:
    """Service, client and window. known: of queries.episodes.clients."""
    common: Any = {"clearable": True, "searchable": True, "size": "sm", "className": "scope-filter"}
    # Told on Enter or when left. With a time it would say its old value again after the address has changed it.
    written: Any = {"debounce": True, "size": "sm", "className": "scope-filter", "placeholder": "any"}
    button: Any = {"variant": "default", "size": "sm"}
    services, of_client = (
        _options(known, column, value)
        for column, value in (("service", chosen.service), ("client_id", chosen.client))
    )
    since, until = stamp(chosen.from_at) or "", stamp(chosen.to_at) or ""
    return html.Div(
        [
            dmc.Select(id=f"{path}-service", label="Service", data=services, value=chosen.service, **common),
            dmc.Select(id=f"{path}-client", label="Client", data=of_client, value=chosen.client, **common),
            dmc.TextInput(id=f"{path}-from", label="From, UTC", value=since, **written),
            dmc.TextInput(id=f"{path}-to", label="To, UTC", value=until, **written),
            dmc.Button("Whole time", id=f"{path}-whole", **button),
            dmc.Button("Clear all", id=f"{path}-all", **button),
        ],
        className="scope",
        role="search",
    )


def drawn(path: str, n: int, drawing: Drawing, view: View) -> Any:
    """A figure with its heading, what it leaves out, and its key."""
    named: Any = {"aria-label": drawing.label}
    return html.Section(
        [
            dmc.Title(drawing.heading, order=2, size="h4"),
            html.Div(
                notes(view.notes[n] if view.notes else ()),
                id={"page": path, "notes": n},
                className="dimmed notes",
            ),
            html.Div(_key(drawing), className="key"),
            dcc.Graph(
                id={"page": path, "figure": n},
                figure=view.figures[n] if view.figures else go.Figure(),
                config=CONFIG,
                className="drawn",
            ),
        ],
        **named,
    )


def listed(path: str, n: int, grid: Grid, view: View) -> Any:
    """A list of episodes; selecting one, by mouse or by the space bar, selects it on the whole page."""
    return html.Div(
        [
            dmc.Title(grid.heading, order=2, size="h4", mb="xs"),
            make_grid(
                {"page": path, "grid": n},
                view.rows_of(n),
                grid.columns,
                table=grid.table,
                page_size=10,
                page_sizes=[10, 50, 200],
                selected=view.selected_of(n),
            ),
        ],
        className="list",
    )


def _key(drawing: Drawing) -> list[Any]:
    """What the marks of a figure mean: text beside it, so that it wraps on a small screen and is read aloud."""
    silent: Any = {"aria-hidden": "true"}
    return [
        html.Span([html.Span(sign, style={"color": colour}, **silent), f" {words}"])
        for sign, colour, words in drawing.key
    ]


def _options(known: Sequence[Row], column: str, chosen: str | None) -> list[dict[str, str]]:
    names = {row[column] for row in known if row[column]} | ({chosen} if chosen else set())
    return [{"value": name, "label": shown(name)} for name in sorted(names)]
