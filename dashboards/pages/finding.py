"""One finding or incident: its rebuilt timeline with the limit, what to do, and the lines that prove it."""

import re
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.figures.timeline import timeline as drawn_timeline
from dashboards.pages.page import Address, Page
from dashboards.parts import (
    MOST_LINES,
    category_badge,
    log_line,
    marks_list,
    no_rows,
    number,
    severity_badge,
    shown,
)
from dashboards.queries import Lake, Row
from dashboards.queries.findings import finding, incident
from dashboards.queries.proof import Proof
from transforms.diagnose.told import ProvingLine, Told, tell_finding, tell_incident
from transforms.diagnose.words import origin_words, span

SETTING = re.compile(r"[a-z]+(?:\.[a-z]+)+")  # a setting's name, as sentences and dumps write it
_FIGURE: Any = {"displayModeBar": False, "scrollZoom": False, "responsive": True}


def layout(lake: Lake, address: Address) -> list[Any]:
    """The page of a violation, or of a finding folded into one."""
    found = finding(lake, *address.parts)
    if not found.rows:
        return [
            _back(),
            no_rows(found, "No finding has this id. It may have been withdrawn: see gold.withdrawals."),
        ]
    row = found.rows[0]
    badges = [category_badge(row["category"]), severity_badge(row["severity"])]
    return _page(
        _back(),
        tell_finding(row, Proof(lake)),
        row["explanation"],
        [*badges, _plain(row["kip"]), _plain(row["rule_id"])],
    )


def incident_layout(lake: Lake, address: Address) -> list[Any]:
    """The page of an incident."""
    found = incident(lake, *address.parts)
    if not found.rows:
        return [_back("incidents", "/incidents"), no_rows(found, "No incident has this id.")]
    row = found.rows[0]
    back = _back("incidents", "/incidents")
    return _page(
        back,
        tell_incident(row, Proof(lake)),
        row["title"],
        [_plain(row["verdict"]), _plain(f"impact: {row['impact']}")],
    )


def _page(back: Any, told: Told, title: str, badges: list[Any]) -> list[Any]:
    return [
        back,
        html.Div(
            [
                dmc.Group(badges, gap="xs"),
                dmc.Title(shown(title), order=1, size="h2", mt="xs", id="finding-title"),
                dmc.Text(shown(told.who), c="dimmed", className="mono", size="sm", id="finding-who"),
            ]
        ),
        *_numbers(told.row),
        *_timelines(told),
        _section("What happened", _facts(told), "finding-facts"),
        *_what_to_do(told),
        _section("The lines that prove it", _lines(told), "finding-lines"),
    ]


def _back(what: str = "violations", href: str = "/violations") -> Any:
    return dcc.Link(f"← All {what}", href=href, id="finding-back")


def _plain(text: str) -> Any:
    return dmc.Badge(shown(text), color="gray", variant="default", size="lg", radius="sm", tt="none")


def _numbers(row: Row) -> list[Any]:
    observed, limit = row.get("observed_ms"), row.get("limit_ms")
    shown_numbers = []
    if observed is not None:
        shown_numbers.append(number("Observed", span(observed), f"{observed} ms"))
    if limit is not None:
        shown_numbers.append(
            number("Limit", span(limit), f"{limit} ms, {origin_words(row.get('limit_origin'))}")
        )
    if observed is not None and limit is not None:
        side = "over" if observed >= limit else "under"
        shown_numbers.append(
            number("Difference", f"{span(abs(observed - limit))} {side}", f"{observed - limit:+} ms", "red")
        )
    return [dmc.Group(shown_numbers, gap="md", id="finding-numbers")] if shown_numbers else []


def _timelines(told: Told) -> list[Any]:
    """A figure an episode; none where it is no story in time (a config dump), or no instant is known."""
    if not told.timelines:
        return []
    drawn = [
        html.Div(
            [
                dmc.Text(shown(timeline.title), fw=600),
                dcc.Graph(figure=drawn_timeline(timeline), config=_FIGURE, className="timeline"),
                marks_list(timeline),
            ]
        )
        for timeline in told.timelines
    ]
    return [_section("Timeline", html.Div(drawn), "finding-timeline")]


def _facts(told: Told) -> Any:
    return html.Dl(
        [part for label, sentence in told.facts for part in (html.Dt(label), html.Dd(shown(sentence)))],
        className="facts",
    )


def _what_to_do(told: Told) -> list[Any]:
    if not told.advice and not told.runbook:
        return []
    steps = [html.Ol([html.Li(step) for step in told.runbook])] if told.runbook else []
    advice = [dmc.Text(shown(told.advice))] if told.advice else []
    return [_section("What to do", html.Div([*advice, *steps]), "finding-advice")]


def _lines(told: Told) -> Any:
    if not told.lines:
        return dmc.Alert(
            "None of its events is in silver.client_events any more, so it can't be proven here.",
            color="yellow",
            id="finding-no-lines",
        )
    records = list({(line.source, line.line): line for line in told.lines}.values())
    decisive = _decisive(told.row, records)
    others = [line for line in records if line is not decisive]
    more = len(others) - (MOST_LINES - 1)
    names = set(SETTING.findall(" ".join(sentence for _, sentence in told.facts)))
    shown_lines = [log_line(decisive, names, True)]
    shown_lines += [log_line(line, names, False) for line in others[: MOST_LINES - 1]]
    if more > 0:
        shown_lines.append(dmc.Text(f"{more} more lines: kipwatch explain {told.id[:12]}", c="dimmed"))
    return html.Div(shown_lines)


def _decisive(row: Row, records: list[ProvingLine]) -> ProvingLine:
    """The last line at which it happened; where none stands there, the last of the proof."""
    at = row.get("happened_at")
    return next(
        (line for line in reversed(records) if at is not None and line.happened_at == at), records[-1]
    )


def _section(title: str, body: Any, part_id: str | None = None) -> Any:
    children = [dmc.Title(title, order=2, size="h4", mb="xs"), body]
    return html.Section(children, id=part_id) if part_id else html.Section(children)


PAGE = Page("finding", None, layout, takes=1)
INCIDENT_PAGE = Page("incident", None, incident_layout, takes=1)
