"""What is promised: every rule with its source, its runbook, and how often it fired in this lake."""

import re
from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.pages.page import Query, link
from dashboards.pages.redrawn import Redrawn
from dashboards.parts import CATEGORIES, facts_list, no_rows, section, severity_badge, shown
from dashboards.queries import LakeReader
from dashboards.queries.findings import Fired, fired
from transforms.diagnose.wording.words import counted
from transforms.rules.docstrings import parts_of
from transforms.rules.promises import promises
from transforms.rules.registry import RULES
from transforms.rules.rule import Rule

PLACE = re.compile(r"\{\w+\}")  # of what an occurrence has there


def _body(lake: LakeReader, query: Query) -> list[Any]:
    """All rules, or with `rule` of the query string that one alone."""
    answer, of_rule = fired(lake, list(RULES))
    chosen = query.get("rule")
    parts: list[Any] = [_summary(of_rule) if answer.state == "ok" else no_rows(answer, "")]
    if chosen in RULES:
        parts.append(_chosen(RULES[chosen], of_rule[chosen]))
        return parts
    if chosen:
        unknown = f"There is no rule {shown(chosen)[:80]}."
        parts.append(dmc.Alert(unknown, title="Not found", color="yellow", id="state-no-rule"))
    for kip in sorted({rule.kip for rule in RULES.values()}, key=lambda one: int(one.removeprefix("KIP-"))):
        listed = [_line(rule, of_rule[rule.rule_id]) for rule in RULES.values() if rule.kip == kip]
        heading = dmc.Title(kip, order=2, size="h4", mb="xs")
        parts.append(html.Section([heading, *listed], id=f"rules-{kip.lower()}"))
    return parts


def _summary(of_rule: Mapping[str, Fired]) -> Any:
    active = sum(1 for one in of_rule.values() if one.violations)
    silent = sum(1 for one in of_rule.values() if one.unjudged and not one.violations)
    said = (
        f"{len(RULES)} rules watch; {active} found something here, {silent} found nothing and could not judge all. "
        "A rule that found nothing and judged all is good news."
    )
    return dmc.Text(said, c="dimmed", id="rules-summary")


def _line(rule: Rule, of_it: Fired) -> Any:
    """A rule in a line, few components: a page has all of them."""
    return html.A(
        [
            html.Span(rule.rule_id, className="mono rule-name"),
            html.Span(promises().get(rule.rule_id, ""), className="promise"),
            html.Span(_counts(of_it), className="fired" if of_it.violations else "fired dimmed"),
        ],
        href=link("rules", rule=rule.rule_id),
        className="rule",
    )


def _chosen(rule: Rule, of_it: Fired) -> Any:
    """One rule whole: its promise, where it stands, when it is silent, its runbook."""
    parts = parts_of(rule.judge)
    facts = [
        ("Promise", promises().get(rule.rule_id, "")),
        ("Source", parts.get("Source", "")),
        ("Silent when", parts.get("Silent when", "")),
        ("Says", PLACE.sub("…", rule.says)),
        ("Categories", ", ".join(CATEGORIES[one][1] for one in rule.gives)),
        ("Here", _counts(of_it)),
    ]
    links = [
        severity_badge(rule.severity),
        dcc.Link("Violations", href=link("violations", rule=rule.rule_id)),
        dcc.Link("Unjudged", href=link("unjudged", rule=rule.rule_id)),
        html.A("All rules", href="/rules"),
    ]
    body = [
        dmc.Group(links, gap="md", mb="sm"),
        facts_list(facts),
        dmc.Title("Runbook", order=3, size="h5", mt="sm"),
        html.Ol([html.Li(step) for step in rule.runbook]),
        dmc.Text(rule.advice, mt="xs"),
    ]
    return section(rule.rule_id, html.Div(body), "rules-chosen")


def _counts(of_it: Fired) -> str:
    told = []
    if of_it.violations:
        more = f" ({of_it.occurrences} times)" if of_it.occurrences > of_it.violations else ""
        told.append(f"{counted(of_it.violations, 'violation')}{more}")
    if of_it.unjudged:
        told.append(f"{of_it.unjudged} unjudged")
    return ", ".join(told) or "silent"


PAGE = Redrawn("rules", "Rules", _body).page()
