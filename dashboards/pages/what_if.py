"""What another limit would have kept of what was rebuilt, what it would have cost, and what nobody can tell."""

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.figures.what_if import kept_by_limit
from dashboards.pages.choices import Choice
from dashboards.pages.page import Query
from dashboards.pages.redrawn import Redrawn
from dashboards.pages.selected import episode_href
from dashboards.parts import first_of, no_rows, section, shown, table
from dashboards.queries import LakeReader
from dashboards.queries.story import services
from dashboards.queries.what_if import KINDS, MOST_EPISODES, margins_of
from dashboards.theme import GRAPH_CONFIG
from transforms.diagnose.reports.margins import NOUNS, POLL, Margin
from transforms.diagnose.reports.what_if import (
    LOST,
    SETTINGS,
    UNTOLD,
    Told,
    WhatIf,
    costs,
    least_limit,
    sentence,
    what_if,
)
from transforms.diagnose.wording.words import span

MOST_ROWS = 60
FACTORS = (0.5, 2, 5, 10)
LONGEST = 15  # digits


def _body(lake: LakeReader, query: Query) -> list[Any]:
    setting = query.get("setting", POLL)
    if setting not in NOUNS:
        return [
            dmc.Alert(
                f"No rebuilt timer has the setting {shown(setting)[:80]}.",
                color="yellow",
                id="state-no-setting",
            )
        ]
    found, margins = margins_of(lake, setting, query.get("service"))
    if not margins:
        return [no_rows(found, f"No {NOUNS[setting]} is known that {setting} decides.")]
    limit = _limit(query.get("limit"))
    told = None if limit is None else what_if(margins, setting, limit)
    noun = NOUNS[setting]
    made = [_answer(setting, told, margins, query.get("limit"))]
    if found.total > MOST_EPISODES:
        made.append(dmc.Text(f"Of the latest {MOST_EPISODES:,} of {found.total:,}.", c="dimmed", size="sm"))
    graph = dcc.Graph(figure=kept_by_limit(margins, limit), config=GRAPH_CONFIG, id="what-if-figure")
    made.append(section(f"Each {noun} by itself, at any limit", graph, "what-if-limits"))
    if told is not None:
        changed = [one for one in told.told if one.is_saved or one.is_newly_lost]
        made += _list("Would have ended otherwise", changed, "what-if-changed")
        made += _list(
            "Lost all the same",
            [o for o in told.told if o.outcome == LOST and o.margin.is_lost],
            "what-if-lost",
        )
        made += _list("Can't be told", [one for one in told.told if one.outcome == UNTOLD], "what-if-untold")
    return made


def _answer(setting: str, told: WhatIf | None, margins: Sequence[Margin], given: str | None) -> Any:
    if told is not None:
        colour = "red" if told.newly_lost else "teal" if told.saved else "blue"
        price = [html.Li(cost) for cost in costs(told)]
        body = [dmc.Text(sentence(told)), *([html.Ul(price)] if price else [])]
        return dmc.Alert(body, color=colour, variant="light", id="what-if-answer")
    lost = sum(1 for one in margins if one.is_lost)
    said = f"{lost} of {len(margins)} were lost by the {setting} that held. "
    least = least_limit(margins, setting)
    said += (
        f"{least} ms ({span(least)}) would have kept all of which lines tell it."
        if least
        else "No line tells what would have kept one."
    )
    if given:
        said = f"{shown(given)[:40]} is no number of ms. {said}"
    return dmc.Alert(said, color="yellow" if given else "blue", variant="light", id="what-if-answer")


def _list(title: str, told: Sequence[Told], part_id: str) -> list[Any]:
    if not told:
        return []
    head = ("Client", "Was", "Would be", "Limit it had", "Lost up to", "Kept from")
    rows = [_row(one) for one in told[:MOST_ROWS]]
    body = html.Div([table(head, rows, part_id), *first_of(len(rows), len(told))])
    return [section(f"{title}: {len(told):,}", body, f"{part_id}-part")]


def _row(one: Told) -> list[Any]:
    margin = one.margin
    who = shown(f"{margin.client_id or 'client unknown'} ({margin.service or 'service unknown'})")
    href = episode_href(KINDS[margin.setting].table, margin.subject_id)
    return [
        dcc.Link(who, href=href) if href else who,
        "lost" if margin.is_lost else "kept",
        margin.why if one.outcome == UNTOLD else one.outcome,
        *(
            html.Span("not known" if ms is None else span(ms), className="nowrap")
            for ms in (margin.limit_ms, margin.lost_to_ms, margin.kept_from_ms)
        ),
    ]


def _limit(given: str | None) -> int | None:
    is_number = given is not None and given.isascii() and given.isdecimal() and len(given) <= LONGEST
    return int(given) if is_number and given else None


def _limits(lake: LakeReader, query: Query) -> list[str]:
    """Limits worth asking about: parts and multiples of the one that held, and the least that keeps all."""
    setting = query.get("setting", POLL)
    _, margins = margins_of(lake, setting, query.get("service")) if setting in NOUNS else (None, ())
    held = max((one.limit_ms for one in margins if one.limit_ms), default=None)
    least = least_limit(margins, setting)
    found = {round(held * factor) for factor in FACTORS} if held else set()
    return [str(ms) for ms in sorted(found | ({least} if least else set()))]


def _settings(_lake: LakeReader, _query: Query) -> list[str]:
    return list(SETTINGS)


def _services(lake: LakeReader, _query: Query) -> list[str]:
    return services(lake)


PAGE = Redrawn(
    "what-if",
    "What if",
    _body,
    (
        Choice("setting", "Setting", _settings, 240, POLL),
        Choice("service", "Service", _services, 240),
        Choice("limit", "Its limit would have been, ms", _limits, 240, "such as 600000", is_free=True),
    ),
).page()
