"""An episode that a link names and the lists do not hold: it is told all the same, and where it lies is said."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import dash_mantine_components as dmc
from dash import dcc

from dashboards.pages.chosen import Chosen
from dashboards.pages.episode_parts import View
from dashboards.pages.page import link
from dashboards.pages.selected import PATHS
from dashboards.queries import LakeReader, Row
from dashboards.queries.proof import EPISODE_IDS
from dashboards.queries.story import SPANS

OUTSIDE = "This one lies outside what is chosen above: the figures and lists are without it."
NOT_LISTED = "There are more than the list holds, and this one is not among them."


def with_selected(
    lake: LakeReader, path: str, load: Callable[[LakeReader, Chosen], View], chosen: Chosen
) -> View:
    """The view of a page; where its rows are without the selected episode, the detail is of it and says so first."""
    view = load(lake, chosen)
    if view.detail or not chosen.selected:
        return view
    for table in (table for table, its in PATHS.items() if its == path):
        rows = lake.by_id(table, EPISODE_IDS[table], chosen.selected).rows
        if rows:
            told = next(
                (found for near in _near(table, rows, chosen.selected) if (found := load(lake, near).detail)),
                (),
            )
            return replace(view, detail=[*_said(path, table, rows, chosen), *told] if told else ())
    return view


def _near(table: str, rows: list[Row], selected: str) -> list[Chosen]:
    """What to choose so that a page holds the episode, the narrowest first: that is read quickly."""
    since, until = _bounds(table, rows)
    own = Chosen(rows[0]["service"], rows[0]["client_id"], since, until, selected)
    return [own, replace(own, service=None, client=None), Chosen(selected=selected)]


def _said(path: str, table: str, rows: list[Row], chosen: Chosen) -> list[Any]:
    since, until = _bounds(table, rows)
    is_inside = (
        chosen.service in (None, rows[0]["service"])
        and chosen.client in (None, rows[0]["client_id"])
        and (chosen.from_at is None or until is None or until >= chosen.from_at)
        and (chosen.to_at is None or since is None or since <= chosen.to_at)
    )
    href = link(path, service=rows[0]["service"], client=rows[0]["client_id"], selected=chosen.selected)
    return [
        dmc.Alert(
            [NOT_LISTED if is_inside else OUTSIDE, " ", dcc.Link("Show it among its client's.", href=href)],
            color="blue",
            variant="light",
            mb="sm",
            id=f"{path}-outside",
        )
    ]


def _bounds(table: str, rows: list[Row]) -> tuple[int | None, int | None]:
    """When it began and ended, ms, as far as that is known: of a sequence over all its waits."""
    known = [at for row in rows for name in SPANS[table] if (at := row[name]) is not None]
    return (min(known), max(known)) if known else (None, None)
