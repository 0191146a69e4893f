"""What the page Incidents says beside incidents: since when their like is there, what they share, how to hand them over."""

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html

from dashboards.hand_over import SHIFTS
from dashboards.pages.page import link
from dashboards.parts import instant, section, shown, table
from dashboards.queries import LakeReader, Row
from dashboards.queries.classes import in_common
from transforms.diagnose.fleets.since import FIRST, KNOWN, NEW, Class
from transforms.diagnose.wording.words import counted


def hand_over(service: str | None) -> Any:
    """Links to a shift's incidents as Markdown, for who comes next."""
    links = [
        html.A(
            f"the last {hours} h",
            href=link("export", "hand-over.md", hours=str(hours), service=service),
            className="to-same",
        )
        for hours in SHIFTS
    ]
    return dmc.Group(
        [dmc.Text("Hand over as Markdown:", size="sm"), *links], gap="sm", id="incidents-hand-over"
    )


def share(lake: LakeReader, rows: Sequence[Row], part_id: str) -> Any:
    """What the processes of some incidents share, and others of their services have not."""
    bad, good, found = in_common(lake, rows)
    if not good:
        said = (
            "There is no other process of these services to compare with."
            if bad
            else "No process has it by itself."
        )
        return section("What do they share?", dmc.Text(said, c="dimmed"), part_id)
    if not found:
        said = f"Nothing that is known tells the {counted(bad, 'process')} with it from the {good} without."
        return section("What do they share?", dmc.Text(said, c="dimmed"), part_id)
    head = ("What", "Value", "With it", "Without it")
    cells = [
        [one.name, one.value, f"{one.bad} of {one.bad_of}", f"{one.good} of {one.good_of}"] for one in found
    ]
    said = f"Of {counted(bad, 'process')} with it and {good} without, as far as known. Counts, no proof of a cause."
    return section(
        "What do they share?",
        html.Div([dmc.Text(said, c="dimmed", size="sm"), table(head, cells, f"{part_id}-table")]),
        part_id,
    )


def tells(known: Class) -> bool:
    """Whether it tells more than when the incident began."""
    return known.times > 1 or known.state != FIRST


def since(known: Class) -> list[Any]:
    """Since when there is its like, and since what."""
    often = f", {known.times} times" if known.times > 1 else ""
    if known.since is None or known.state == FIRST:
        return [
            "Its like is there since ",
            instant(known.first_at),
            f"{often}; nothing is known of a time before its service's first start.",
        ]
    if known.state == KNOWN:
        return ["Its like is there since ", instant(known.first_at), f"{often}, also after later changes."]
    words = "New" if known.state == NEW else "Back"
    return [
        html.Strong(f"{words} since {shown(known.since.what)} "),
        "(",
        instant(known.since.at),
        f"){often}.",
    ]
