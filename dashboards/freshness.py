"""The bar on every page: how old what is shown is. Ages go on counting in the browser (assets/shell.js)."""

from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.parts import age, instant, shown
from dashboards.queries import Row
from dashboards.queries.freshness import Freshness

STALE_MS = 15 * 60_000  # three rounds of a five-minute schedule


def freshness_strip(told: Freshness, now: int) -> Any:
    """Newest log line, last run, and whether its checks held."""
    parts = [
        age("Data is", told.newest_line_at, now, STALE_MS, "old")
        if told.newest_line_at
        else dmc.Text("No log line with a time yet", size="sm")
    ]
    if told.silent is not None:
        parts.append(_silent(told.silent, told.silent_clients))
    if told.run is None:
        parts.append(dmc.Text("No run recorded", size="sm", c="orange"))
    else:
        ended = told.run["ended_at"] or told.run["started_at"]
        parts.append(age(f"Last {told.run['job']} {told.run['status']}", ended, now, STALE_MS))
    if told.failed_checks:
        parts.append(dmc.Text(f"{told.failed_checks} checks failed", size="sm", c="red", fw=600))
    elif told.failed_checks == 0:
        parts.append(dmc.Text("checks held", size="sm", c="dimmed"))
    return html.Div(parts, className="strip", id="freshness-strip")


def _silent(row: Row, clients: int) -> Any:
    who = shown(row["service"] or row["client_id"])
    more = f" (+{clients - 1} more)" if clients > 1 else ""
    said = [f"no logs from {who} since ", instant(row["silent_since_at"], "clock"), more]
    return dcc.Link(said, href="/", className="age stale")
