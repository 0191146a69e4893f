"""A story: one finding, one incident, or any window of time, on one time axis with its proof."""

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import MATCH, Dash, Input, Output, State, dcc, html, no_update

from dashboards import story_parts
from dashboards.instants import instant_of, misread, stamp
from dashboards.pages import incidents as incidents_page
from dashboards.pages.page import Address, Page, link, query_of, search_of, story_href
from dashboards.pages.selected import episode_links
from dashboards.parts import (
    category_badge,
    instant,
    marks_list,
    no_rows,
    section,
    severity_badge,
    shown,
    unbroken,
)
from dashboards.queries import Answer, LakeReader
from dashboards.queries.findings import finding, incident, verdicts
from dashboards.queries.proof import Proof
from dashboards.queries.source_file import Piece, lines_of_file
from dashboards.queries.story import (
    Window,
    episodes_of,
    incidents_in,
    libraries,
    lines_around,
    newest_line,
    services,
)
from dashboards.scenes import Drawn, draw, window_of
from dashboards.theme import GRAPH_CONFIG
from transforms.diagnose.reports.report import Report, report_finding, report_incident
from transforms.diagnose.wording.words import span
from transforms.episodes.answers import answers

LATEST_MS = 15 * 60_000  # what is shown where no window is asked for
MOST_EVENT_LINES = 240
MOST_LIBRARIES = 3  # of one process


def finding_layout(lake: LakeReader, address: Address) -> list[Any]:
    """The story of a violation, or of a finding folded into one."""
    found = finding(lake, *address.parts)
    back = _back("violations", "/violations")
    if not found.rows:
        gone = "No finding has this id. It may have been withdrawn: see gold.withdrawals."
        return [back, no_rows(found, gone)]
    row = found.rows[0]
    proof = Proof(lake, row)
    subject = [row["subject_id"], *filter(None, [proof.subject_of(row)])]
    badges = [category_badge(row["category"]), severity_badge(row["severity"]), _plain(row["kip"])]
    rule = dcc.Link(row["rule_id"], href=link("rules", rule=row["rule_id"]), className="rule-link mono")
    told = report_finding(row, proof)
    return _of_one(lake, told, row["explanation"], [back, *badges, rule], subject, [row["client_id"]])


def incident_layout(lake: LakeReader, address: Address) -> list[Any]:
    """The story of an incident."""
    found = incident(lake, *address.parts)
    back = _back("incidents", "/incidents")
    if not found.rows:
        return [back, no_rows(found, "No incident has this id.")]
    row = found.rows[0]
    markdown = link("export", "incident", f"{row['incident_id']}.md")
    badges = [
        _plain(row["verdict"].replace("_", " ")),
        _plain(f"impact: {row['impact']}"),
        *(incidents_page.to_same(row, name) for name in ("kind", "actor") if row[name]),
        html.A("Markdown", href=markdown, className="to-same", id="story-markdown"),
    ]
    told = report_incident(row, Proof(lake, row))
    return _of_one(lake, told, row["title"], [back, *badges], row["subject_ids"], row["client_ids"])


def window_layout(lake: LakeReader, address: Address) -> list[Any]:
    """The story of a window: `from`, `to` (instants in UTC) and `service` of the query string."""
    return [html.Div(_window_body(lake, address.query), id="story-body", className="page")]


def _window_body(lake: LakeReader, query: Mapping[str, str]) -> list[Any]:
    title = dmc.Title("Story", order=1, size="h2")
    try:
        window = _window(lake, query)
    except ValueError as failure:
        alert = dmc.Alert(shown(str(failure)), title="Not a window", color="yellow", id="state-not-a-window")
        return [title, _form(lake, query), alert]
    if window is None:
        of_service = f" of {shown(query['service'])}" if query.get("service") else ""
        nothing = no_rows(verdicts(lake, {}), f"No log line{of_service} has a time yet.")
        return [title, _form(lake, query), nothing]
    drawn = draw(lake, window)
    asked = {"from": stamp(window.since), "to": stamp(window.until), "service": window.service}
    return [title, _form(lake, asked), _moves(window), *_scene(lake, drawn)]


def connect(app: Dash, lake: LakeReader) -> None:
    """The lines around a line on demand, and the window that was chosen in the form."""

    @app.callback(
        Output({"type": "story-around-lines", "event": MATCH}, "children"),
        Input({"type": "story-around", "event": MATCH}, "n_clicks"),
        State({"type": "story-around", "event": MATCH}, "id"),
        prevent_initial_call=True,
    )
    def show_around(clicks: int, asked: dict[str, str]) -> Any:
        return _around(lake, asked["event"]) if clicks % 2 else None

    @app.callback(
        Output("story-body", "children"),
        Input("app-url", "search"),
        State("app-url", "pathname"),
        prevent_initial_call=True,
    )
    def follow(search: str | None, pathname: str | None) -> Any:
        return _window_body(lake, query_of(search)) if pathname == PAGE.href else no_update

    @app.callback(
        Output("story-window-figure", "figure"),
        Input("app-version", "data"),
        State("app-url", "search"),
        prevent_initial_call=True,
    )
    def look_again(_version: str | None, search: str | None) -> Any:
        window = _window(lake, query_of(search))
        return draw(lake, window).figure if window else no_update

    @app.callback(
        Output("app-url", "search"),
        Input("story-show", "n_clicks"),
        State("story-from", "value"),
        State("story-to", "value"),
        State("story-service", "value"),
        prevent_initial_call=True,
    )
    def show_window(clicks: int, since: str, until: str, service: str | None) -> Any:
        return search_of({"from": since, "to": until, "service": service}) if clicks else no_update


def _of_one(
    lake: LakeReader,
    told: Report,
    title: str,
    badges: list[Any],
    subjects: Sequence[str],
    clients: Sequence[str | None],
) -> list[Any]:
    row = told.row
    whole = link("incident", row.get("parent_incident_id") or "")
    episodes = episodes_of(lake, subjects)
    known = [line.happened_at for line in told.lines if line.happened_at is not None]
    instants = known if told.timelines else []
    named = [client for client in clients if client]
    window = window_of(episodes, instants, row["service"]) if told.timelines or episodes else None
    drawn = draw(lake, window, [*subjects], named) if window else None
    origin = story_parts.origins(drawn.settings) if drawn else {}
    clocks = drawn.scene.clocks if drawn else {}
    return [
        html.Div(
            [
                dmc.Group([*badges, _who(told, libraries(lake, row))], gap="xs"),
                dmc.Title(unbroken(shown(title)), order=1, size="h3", mt=6, id="finding-title"),
            ]
        ),
        *story_parts.numbers(answers(row, episodes, clocks, origin)),
        *(_figure(drawn, row["service"]) if drawn and not drawn.is_empty else []),
        html.Div(
            [
                section(
                    "What happened",
                    html.Div([story_parts.facts(told, whole), *episode_links(episodes)]),
                    "finding-facts",
                ),
                *(
                    [section("What to do", story_parts.what_to_do(told), "finding-advice")]
                    if told.advice or told.runbook
                    else []
                ),
            ],
            className="beside",
        ),
        *_limits(drawn, named),
        section("The lines that prove it", story_parts.proof(told), "finding-lines"),
        *_in_words(told),
    ]


def _figure(drawn: Drawn, service: str | None, part_id: str = "story-figure") -> list[Any]:
    window = drawn.window
    href = story_href(window.since, window.until, service)
    return [
        html.Div(
            [
                dcc.Graph(figure=drawn.figure, config=GRAPH_CONFIG, className="timeline", id=part_id),
                html.Div(
                    [
                        html.Span(drawn.left_out(), className="dimmed"),
                        dcc.Link("All of this window", href=href, id="story-to-window"),
                    ],
                    className="under-figure",
                ),
            ],
            id="finding-timeline",
        )
    ]


def _limits(drawn: Drawn | None, clients: Sequence[str]) -> list[Any]:
    table = story_parts.settings_table(drawn.settings, clients) if drawn else []
    return [section("Limits that held", html.Div(table), "story-settings")] if table else []


def _in_words(told: Report) -> list[Any]:
    """The episodes mark by mark, for who can't see the figure or needs each ms."""
    if not told.timelines:
        return []
    written = [html.Div([dmc.Text(shown(one.title), fw=600), marks_list(one)]) for one in told.timelines]
    return [html.Details([html.Summary("The timeline in words"), *written], id="story-words")]


def _scene(lake: LakeReader, drawn: Drawn) -> list[Any]:
    if drawn.is_empty:
        read = Answer(drawn.scene.state, problem=drawn.scene.problem)
        nothing = "Nothing that a timer could tell of happened in this window."
        service = drawn.window.service
        words = f"The last minutes of {shown(service)}" if service else "The last minutes of the lake"
        to_newest = dcc.Link(words, href=link("story", service=service), id="story-newest")
        return [no_rows(Answer("ok") if read.state == "missing" else read, nothing), to_newest]
    listed = [
        html.Li([incidents_page.to(row), " ", instant(row["started_at"], "clock")])
        for row in incidents_in(lake, drawn.window)
    ]
    told = [section("What went wrong in it", html.Ul(listed), "story-incidents")] if listed else []
    trouble = [event["event_id"] for event in drawn.scene.events if not event["benign"]]
    proof = Proof(lake, {"service": drawn.window.service}).lines(trouble[:MOST_EVENT_LINES])
    more = f"; {len(trouble)} events in all" if len(trouble) > MOST_EVENT_LINES else ""
    written = [story_parts.lines(proof, set(), None, more)] if proof else []
    return [
        *_figure(drawn, drawn.window.service, "story-window-figure"),
        *told,
        *_limits(drawn, ()),
        *(section("Its lines", lines, "story-lines") for lines in written),
    ]


def _form(lake: LakeReader, asked: Any) -> Any:
    """Times are UTC, as they stand in the address."""
    return html.Div(
        [
            dmc.TextInput(label="From (UTC)", value=asked.get("from") or "", id="story-from", w=230),
            dmc.TextInput(label="To (UTC)", value=asked.get("to") or "", id="story-to", w=230),
            dmc.Select(
                label="Service", data=services(lake), value=asked.get("service"), id="story-service",
                searchable=True, clearable=True, placeholder="all", w=260,
            ),
            dmc.Button("Show", id="story-show", n_clicks=0),
        ],
        className="form",
        id="story-form",
    )  # fmt: skip


def _moves(window: Window) -> Any:
    length = window.until - window.since
    moves = (
        ("← Earlier", -length, -length),
        ("Later →", length, length),
        ("Wider", -length, length),
        ("Narrower", length // 4, -length // 4),
    )
    links = [
        dcc.Link(name, href=story_href(window.since + left, window.until + right, window.service))
        for name, left, right in moves
        if window.until + right - window.since - left >= 100
    ]
    return dmc.Group([dmc.Text(span(length), size="sm", c="dimmed"), *links], gap="md", id="story-moves")


def _window(lake: LakeReader, query: Any) -> Window | None:
    """The window asked for; without one the last minutes of what the lake holds, or has of the service asked for.

    Raises: ValueError with a sentence where it is none.
    """
    if problem := misread(query):
        raise ValueError(problem)
    since, until = instant_of(query.get("from")), instant_of(query.get("to"))
    if since is None and until is None:
        until = newest_line(lake, query.get("service"))
        if until is None:
            return None
    if since is None or until is None:
        since, until = (
            (until - LATEST_MS, until) if until is not None else (since or 0, (since or 0) + LATEST_MS)
        )
    if until <= since:
        raise ValueError("the window ends before it begins: give `from` before `to`")
    return Window(since, until, query.get("service") or None)


def _around(lake: LakeReader, event_id: str) -> Any:
    found = lake.by_id("silver.client_events", "event_id", event_id).rows
    if not found:
        return dmc.Text("The event is no longer in the lake.", c="dimmed", size="sm")
    event = found[0]
    kept = lines_around(lake, event["source_id"], event["position"])
    piece = (
        lines_of_file(event["source"], event["source_id"], event["offset"])
        if lake.reads_files
        else Piece(problem="the file itself is not read where the lake is asked through a SQL warehouse")
    )
    return story_parts.around(piece, kept, event["record_id"])


def _who(told: Report, clients: Sequence[str]) -> Any:
    """Whose it is and when it was, in the viewer's zone."""
    at = told.row.get("happened_at") or told.row.get("started_at")
    by = f" · {shown(', '.join(clients[:MOST_LIBRARIES]))}" if any(clients) else ""
    parts = [shown(told.who), by, " · ", instant(at)]
    return html.Span(parts, className="mono dimmed who", id="finding-who")


def _back(what: str, href: str) -> Any:
    return dcc.Link(f"← All {what}", href=href, id="finding-back")


def _plain(text: str) -> Any:
    return dmc.Badge(shown(text), color="gray", variant="default", size="lg", radius="sm", tt="none")


PAGE = Page("story", "Story", window_layout, connect)
FINDING_PAGE = Page("finding", None, finding_layout, takes=1)
INCIDENT_PAGE = Page("incident", None, incident_layout, takes=1)
