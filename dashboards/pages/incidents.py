"""What went wrong in on-call language, the latest first, with what is only noise told apart."""

from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.pages.choices import Choice, of_column
from dashboards.pages.incident_classes import hand_over, share, since, tells
from dashboards.pages.page import Query, link
from dashboards.pages.redrawn import Redrawn
from dashboards.parts import instant, no_rows, shown
from dashboards.queries import LakeReader, Row, findings, quality
from dashboards.queries.classes import classes_of
from transforms.diagnose.fleets.fleet import SCOPE as FLEET
from transforms.diagnose.fleets.since import Class
from transforms.diagnose.wording.words import span

_VERDICTS = {
    "broken": ("red", "broken"),
    "as_designed": ("blue", "as designed"),
    "benign": ("teal", "benign"),
}
# As many cards as a browser draws at once: a hundred take it seconds.
MOST = 25
CHOSEN = {"kind": "Kind", "actor": "Who has to act", "service": "Service"}


def _body(lake: LakeReader, query: Query) -> list[Any]:
    chosen = {name: query[name] for name in CHOSEN if query.get(name)}
    found = findings.verdicts(lake, chosen)
    if not found.rows:
        return (
            [no_rows(found, "No incident is of this kind.")]
            if chosen or found.state != "ok"
            else [calm(lake)]
        )
    counts = {row["verdict"]: row["rows"] for row in found.rows}
    normal = counts.pop("benign", 0)
    trouble = sum(counts.values())
    page = _page(query, max(trouble, normal))
    service = query.get("service")
    known = classes_of(lake, service) if service else {}  # of all services that would take seconds
    parts = [hand_over(service), _cards(lake, chosen, page, trouble, known)] if trouble else [calm(lake)]
    if service and query.get("kind") and trouble:
        of_processes = [row for row in findings.processes(lake, chosen) if row["scope_id"] != FLEET]
        parts.insert(1, share(lake, of_processes, "incidents-shared"))
    if normal:
        summary = html.Summary(f"{normal} that may look like trouble, and are normal")
        cards = _cards(lake, chosen, page, normal, {}, is_benign=True)
        parts.append(html.Details([summary, cards], className="normal"))
    return [*parts, *_turn(query, page, max(trouble, normal))]


def _page(query: Query, rows: int) -> int:
    """The page asked for, from 0; the last where there are not so many, the first where it is no number."""
    asked = query.get("page", "")
    return min(max(int(asked) - 1, 0), (rows - 1) // MOST) if asked.isdecimal() and len(asked) < 9 else 0


def _turn(query: Query, page: int, rows: int) -> list[Any]:
    """Links to what is older and newer, where not all of it is shown."""

    def to(words: str, number: int) -> Any:
        href = link("incidents", **{**query, "page": str(number + 1)})
        return dcc.Link(words, href=href, id=f"incidents-{words.lower()}")

    newer = [to("Newer", page - 1)] if page else []
    older = [to("Older", page + 1)] if (page + 1) * MOST < rows else []
    return [dmc.Group([*newer, *older])] if newer or older else []


def calm(lake: LakeReader) -> Any:
    """What no trouble means: how much was read, and what was not."""
    told = quality.calm(lake)
    return dmc.Alert(shown(told.sentence), color="teal" if told.is_clear else "orange", id="incidents-calm")


def _cards(
    lake: LakeReader,
    chosen: Mapping[str, str],
    page: int,
    total: int,
    known: Mapping[str, Class],
    *,
    is_benign: bool = False,
) -> Any:
    found = findings.incidents(lake, chosen, is_benign=is_benign, most=MOST, skip=page * MOST)
    if found.state != "ok":
        return no_rows(found, "")
    which = f"{page * MOST + 1} to {page * MOST + len(found.rows)} of {total}, the latest first."
    more = [dmc.Text(which, c="dimmed")] if 0 < len(found.rows) < total else []
    cards = [card(row, known.get(row["fingerprint"] or "")) for row in found.rows]
    return dmc.Stack([*cards, *more], gap="sm", id="incidents-normal" if is_benign else "incidents-list")


def card(row: Row, of_class: Class | None = None) -> Any:
    """One incident, its title a link to its story. of_class: what is known of its like."""
    colour, words = _VERDICTS.get(row["verdict"], ("gray", row["verdict"]))
    ended = row["ended_at"]
    lasted = ", no end is logged" if ended is None and row["started_at"] else ""
    if ended and row["started_at"] and ended > row["started_at"]:
        lasted = f", lasted {span(ended - row['started_at'])}"
    when = [instant(row["started_at"]), lasted]
    return dmc.Paper(
        [
            dmc.Group(
                [
                    dmc.Badge(words, color=colour, variant="light", radius="sm"),
                    dmc.Badge(
                        f"impact: {row['impact']}", color="gray", variant="default", radius="sm", tt="none"
                    ),
                    *(to_same(row, name) for name in ("kind", "actor") if row[name]),
                    dmc.Text(when, size="sm", c="dimmed", className="mono"),
                ],
                gap="sm",
            ),
            to(row, "incident-title"),
            *([dmc.Text(since(of_class), size="sm", c="dimmed")] if of_class and tells(of_class) else []),
            dmc.Text([html.Span("Why: ", className="dimmed"), shown(row["cause"])], size="sm"),
            dmc.Text([html.Span("Do: ", className="dimmed"), shown(row["advice"])], size="sm"),
        ],
        className="incident",
        withBorder=True,
        radius="md",
    )


def to(row: Row, kind: str | None = None) -> Any:
    """A link to its story, by its title. kind: its class."""
    return dcc.Link(shown(row["title"]), href=link("incident", row["incident_id"]), className=kind)


def to_same(row: Row, name: str) -> Any:
    """Its kind, or who has to act: a link to all of the same."""
    words = row[name].replace("_", " ") if name == "kind" else f"to act: {row[name]}"
    return dcc.Link(shown(words), href=link("incidents", **{name: row[name]}), className="to-same")


PAGE = Redrawn(
    "incidents",
    "Incidents",
    _body,
    tuple(Choice(name, label, of_column("gold.incidents", name), 240) for name, label in CHOSEN.items()),
).page()
