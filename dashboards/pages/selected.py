"""The selected episode of a page: its facts, what rules found of it, its story, and the lines it was rebuilt from."""

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.pages.episode_parts import Told
from dashboards.pages.page import link, story_href
from dashboards.parts import category_badge, facts_list, shown
from dashboards.queries import LakeReader, Row
from dashboards.queries.episodes import findings_of
from dashboards.queries.proof import EPISODE_IDS, Proof
from dashboards.story_parts import lines as shown_lines

MOST_LINES = 40
MOST_LINKS = 3
AROUND_MS = 5_000

# Where an episode of a table is shown: a violation's subject leads there.
PATHS = {
    "silver.task_timers": "timers",
    "silver.backoff_attempts": "backoff",
    "silver.batch_lifetimes": "batches",
    "silver.liveness_sessions": "liveness",
    "silver.group_rebalances": "liveness",
}
NAMES = {"timers": "Task timers", "backoff": "Backoff", "batches": "Batches", "liveness": "Liveness"}


def episode_href(table: str, episode_id: str) -> str | None:
    """The address of an episode on the page of its kind; None for what has no such page."""
    return link(PATHS[table], selected=episode_id) if table in PATHS else None


def episode_links(episodes: Sequence[tuple[str, Row]]) -> list[Any]:
    """Links from a finding or an incident to the episodes it tells of, each on the page of its kind."""
    hrefs = [episode_href(table, row[EPISODE_IDS[table]]) for table, row in episodes if table in EPISODE_IDS]
    known = list(dict.fromkeys(href for href in hrefs if href))
    return [
        html.Div(
            dcc.Link(f"Among the others of its kind: {NAMES[href.split('?')[0][1:]]}", href=href),
            className="story-link",
        )
        for href in known[:MOST_LINKS]
    ]


def selected_part(lake: LakeReader, path: str, episode_id: str, service: str | None, told: Told) -> list[Any]:
    """What stands of the selected episode of a service on the page at `path`."""
    return [
        dmc.Title(shown(told.title), order=2, size="h4", mb="xs"),
        facts_list(told.facts),
        *_found(lake, episode_id),
        *_story(service, told.bounds),
        dmc.Button(
            "Show the lines it was rebuilt from",
            id={"page": path, "show-lines": episode_id},
            variant="default",
            size="xs",
        ),
        html.Div(id={"page": path, "lines": episode_id}),
    ]


def proving_lines(lake: LakeReader, episode_id: str) -> Any:
    """The log lines of an episode: read only when they are asked for, as it takes longest."""
    proof = Proof(lake)
    _, rows = proof.episodes(episode_id) or ("", [])
    event_ids = list(dict.fromkeys(event_id for row in rows for event_id in row["event_ids"]))
    lines = Proof(lake, rows[0] if rows else None).lines(event_ids[:MOST_LINES])
    if not lines:
        return dmc.Text("None of its lines is in the lake any more.", c="dimmed")
    more = len(event_ids) - len(lines)
    return [shown_lines(lines, set(), None), *([dmc.Text(f"{more} more.", c="dimmed")] if more > 0 else [])]


def _found(lake: LakeReader, episode_id: str) -> list[Any]:
    return [
        dmc.Group(
            [
                category_badge(one["category"]),
                dcc.Link(shown(one["explanation"]), href=link("finding", one["finding_id"])),
            ],
            gap="sm",
            mt="sm",
        )
        for one in findings_of(lake, episode_id)
    ]


def _story(service: str | None, bounds: tuple[int | None, int | None]) -> list[Any]:
    known = [at for at in bounds if at is not None]
    if not known:
        return []
    href = story_href(min(known) - AROUND_MS, max(known) + AROUND_MS, service)
    return [html.Div(dcc.Link("Everything that happened around it", href=href), className="story-link")]
