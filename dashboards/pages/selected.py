"""The selected episode of a page: its facts, what rules found of it, its story, and the lines it was rebuilt from."""

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.pages.page import link
from dashboards.parts import category_badge, shown
from dashboards.queries import Lake, Row
from dashboards.queries.episodes import findings_of
from dashboards.queries.proof import Proof
from dashboards.story_parts import lines as shown_lines
from transforms.diagnose.told import iso
from transforms.diagnose.words import counted

MOST_LINES = 12
AROUND_MS = 5_000

# Where an episode of a table is shown: a violation's subject leads there.
PATHS = {
    "silver.task_timers": "timers",
    "silver.backoff_attempts": "backoff",
    "silver.batch_lifetimes": "batches",
    "silver.liveness_sessions": "liveness",
    "silver.group_rebalances": "liveness",
}


def episode_href(table: str, episode_id: str) -> str | None:
    """The address of an episode on the page of its kind; None for what has no such page."""
    return link(PATHS[table], selected=episode_id) if table in PATHS else None


def selected_part(
    lake: Lake,
    episode_id: str,
    title: str,
    facts: Sequence[tuple[str, str]],
    row: Row,
    bounds: tuple[int | None, int | None],
) -> list[Any]:
    """What stands of the selected episode. bounds: when it began and ended, ms; row: with `event_ids`."""
    event_ids = row.get("event_ids") or []
    lines = Proof(lake, row).lines(event_ids[:MOST_LINES])
    more = len(event_ids) - len(lines)
    return [
        dmc.Title(shown(title), order=2, size="h4", mb="xs"),
        html.Dl(
            [part for label, fact in facts for part in (html.Dt(label), html.Dd(shown(fact)))],
            className="facts",
        ),
        *_found(lake, episode_id),
        *_story(row, bounds),
        html.Details(
            [
                html.Summary(f"The lines it was rebuilt from: {counted(len(event_ids), 'event')}"),
                *([shown_lines(lines, set(), None)] if lines else []),
                *([dmc.Text(f"{more} more.", c="dimmed")] if more > 0 else []),
            ]
        ),
    ]


def _found(lake: Lake, episode_id: str) -> list[Any]:
    found = findings_of(lake, episode_id)
    return [
        dmc.Group(
            [
                category_badge(one["category"]),
                dcc.Link(shown(one["explanation"]), href=link("finding", one["finding_id"])),
            ],
            gap="sm",
            mt="sm",
        )
        for one in found
    ]


def _story(row: Row, bounds: tuple[int | None, int | None]) -> list[Any]:
    known = [at for at in bounds if at is not None]
    if not known:
        return []
    since, until = iso(min(known) - AROUND_MS), iso(max(known) + AROUND_MS)
    href = link("story", service=row.get("service"), **{"from": since, "to": until})
    return [html.Div(dcc.Link("Everything that happened around it", href=href), className="story-link")]
