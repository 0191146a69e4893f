"""What went wrong in on-call language, the latest first, with what is only noise told apart."""

from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.pages.page import Address, Page
from dashboards.parts import instant, no_rows, shown
from dashboards.queries import LakeReader, Row, findings
from transforms.diagnose.words import span

_VERDICTS = {
    "broken": ("red", "broken"),
    "as_designed": ("blue", "as designed"),
    "benign": ("teal", "benign"),
}
MOST = 100


def layout(lake: LakeReader, _address: Address) -> list[Any]:
    """The page."""
    title = dmc.Title("Incidents", order=1, size="h2")
    found = findings.incidents(lake)
    if not found.rows:
        return [title, no_rows(found, "Nothing went wrong that the logs show.")]
    trouble = [row for row in found.rows if row["verdict"] != "benign"]
    normal = [row for row in found.rows if row["verdict"] == "benign"]
    parts: list[Any] = [title, _cards(trouble, "incidents-list")]
    if not trouble:
        parts[1] = dmc.Alert("Nothing went wrong that the logs show.", color="teal", id="incidents-calm")
    if normal:
        summary = html.Summary(f"{len(normal)} that may look like trouble, and are normal")
        parts.append(html.Details([summary, _cards(normal, "incidents-normal")], className="normal"))
    return parts


def _cards(rows: list[Row], part_id: str) -> Any:
    more = [dmc.Text(f"The latest {MOST} of {len(rows)}.", c="dimmed")] if len(rows) > MOST else []
    return dmc.Stack([*(card(row) for row in rows[:MOST]), *more], gap="sm", id=part_id)


def card(row: Row) -> Any:
    """One incident, its title a link to its story."""
    colour, words = _VERDICTS.get(row["verdict"], ("gray", row["verdict"]))
    ended = row["ended_at"]
    lasted = (
        f"lasted {span(ended - row['started_at'])}"
        if ended and row["started_at"] and ended > row["started_at"]
        else ""
    )
    when = [instant(row["started_at"]), f", {lasted}" if lasted else ""]
    return dmc.Paper(
        [
            dmc.Group(
                [
                    dmc.Badge(words, color=colour, variant="light", radius="sm"),
                    dmc.Badge(
                        f"impact: {row['impact']}", color="gray", variant="default", radius="sm", tt="none"
                    ),
                    dmc.Text(when, size="sm", c="dimmed", className="mono"),
                ],
                gap="sm",
            ),
            dcc.Link(shown(row["title"]), href=f"/incident/{row['incident_id']}", className="incident-title"),
            dmc.Text(shown(row["cause"]), size="sm"),
        ],
        className="incident",
        withBorder=True,
        radius="md",
    )


PAGE = Page("incidents", "Incidents", layout)
