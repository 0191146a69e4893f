"""The first page: what is broken, for whom, since when; which timers run; what nears its limit; who is silent."""

import time
from collections.abc import Sequence, Set
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, dcc, html

from dashboards.grids import cells
from dashboards.pages import burndown, incidents
from dashboards.pages.page import Address, Page, link
from dashboards.parts import age, instant, line, no_rows, number, section, shown
from dashboards.queries import Answer, LakeReader, Row, findings, health
from dashboards.queries.health import MOST_LISTED, Now
from dashboards.sources_grid import FRESH, sources_grid
from transforms.diagnose.now.open_timers import NEAR
from transforms.diagnose.wording.words import counted

MOST_INCIDENTS = 6
NEVER_STALE = 10**15  # ms
# Parts of the page that are drawn anew, each by itself, when the lake has changed.
_PARTS = ("headline", "numbers", "broken", "timers", "warnings", "silent", "lately")


def layout(lake: LakeReader, _address: Address) -> list[Any]:
    """The page."""
    parts = _parts(lake)
    return [
        dmc.Title("Now", order=1, size="h2"),
        *(html.Div(parts[name], id=f"now-{name}") for name in _PARTS),
        section("Sources", sources_grid("now-sources", health.sources(lake), FRESH), "now-coverage"),
    ]


def connect(app: Dash, lake: LakeReader) -> None:
    """Draws its parts anew when the lake has changed."""

    @app.callback(
        [Output(f"now-{name}", "children") for name in _PARTS],
        Input("app-version", "data"),
        prevent_initial_call=True,
    )
    def follow(_version: str | None) -> list[Any]:
        parts = _parts(lake)
        return [parts[name] for name in _PARTS]

    @app.callback(Output("now-sources", "rowData"), Input("app-version", "data"), prevent_initial_call=True)
    def follow_sources(_version: str | None) -> list[dict[str, Any]]:
        return cells(FRESH, "source_id", health.sources(lake).rows)


def _parts(lake: LakeReader) -> dict[str, list[Any]]:
    told, at = health.now(lake), round(time.time() * 1000)
    parts: dict[str, list[Any]] = {name: [] for name in _PARTS}
    parts["lately"] = _lately(lake, findings.latest_incidents(lake, MOST_INCIDENTS))
    if told.state != "ok":
        parts["broken"] = [no_rows(Answer(told.state, problem=told.problem), "")]
        return parts
    if not (told.by_status or told.ended_as):
        parts["broken"] = [no_rows(Answer("ok"), "No client has been seen yet. Broker logs alone name none.")]
        return parts
    return parts | {
        "headline": [dmc.Text(headline(told), id="now-sentence", className="sentence")],
        "numbers": [_numbers(told)],
        "broken": _broken(lake, told, at),
        "timers": _timers(told, at),
        "warnings": _warnings(told, at),
        "silent": _silent(told.silent),
    }


def headline(told: Now) -> str:
    """The page in a sentence, as one on call would say it."""
    said = []
    if broken := told.by_status.get("broken", 0):
        said.append(f"{counted(broken, 'client')} {'is' if broken == 1 else 'are'} broken")
    if risky := told.by_status.get("at_risk", 0):
        said.append(
            f"{counted(risky, 'client')} can't go on, and {'its timer runs' if risky == 1 else 'their timers run'}"
        )
    if warned := told.warned.total:
        said.append(f"{counted(warned, 'client')} {'is' if warned == 1 else 'are'} near a limit")
    if silent := told.silent.total:
        ended = told.ended_as.get("broken", 0)
        as_broken = f", {ended if silent > 1 else 'and was'} broken as {'its log' if ended == 1 else 'their logs'} ended"
        said.append(
            f"{silent} {'writes' if silent == 1 else 'write'} no logs any more{as_broken if ended else ''}"
        )
    if said:
        sentence = "; ".join(said)
        return f"{sentence[0].upper()}{sentence[1:]}."
    return f"Nothing is broken, and nothing nears its limit: {counted(sum(told.by_status.values()), 'client')} seen."


def _numbers(told: Now) -> Any:
    known = told.by_status
    tiles = [
        ("Broken", known.get("broken", 0), "red"),
        ("At risk", known.get("at_risk", 0), "orange"),
        ("Near a limit", told.warned.total, "orange"),
        ("Silent", told.silent.total, "bright"),
        ("Well", known.get("ok", 0), "bright"),
        ("Closed", known.get("closed", 0), "bright"),
    ]
    return dmc.Group(
        [number(label, str(count), colour=colour if count else "dimmed") for label, count, colour in tiles],
        gap="sm",
    )


def _broken(lake: LakeReader, told: Now, at: int) -> list[Any]:
    if not told.broken.rows:
        return []
    wholes = findings.wholes(lake, filter(None, (row["incident_id"] for row in told.broken.rows)))
    cards = [_card(row, at, wholes.get(row["incident_id"])) for row in told.broken.rows]
    return [section("Broken", [html.Ul(cards, className="rows"), *_more(told.broken, "clients")])]


def _since(since: int | None, now: int) -> list[Any]:
    if since is None:
        return ["since an unknown time"]
    return ["since ", instant(since), " (", age("", since, now, NEVER_STALE), ")"]


def _card(row: Row, at: int, whole: Row | None) -> Any:
    """A broken client. whole: the incident of several processes that its own is a part of, which tells why."""
    why = [html.Div(["part of: ", incidents.to(whole)], className="who")] if whole else []
    return line([_reason(row, "incident-title"), *why, _who(row)], _since(row["since_at"], at), "row-broken")


def _reason(row: Row, look: str | None = None) -> Any:
    """Why a client is broken, or was as its log ended."""
    stories = (("incident", row["incident_id"]), ("finding", row["violation_id"]))
    href = next((link(*story) for story in stories if story[1]), None)
    reason = shown(row["reason"] or "")
    return dcc.Link(reason, href=href, className=look) if href else html.Span(reason)


def _timers(told: Now, at: int) -> list[Any]:
    """Those that end in harm are open to the eye; of the others each group and each retry has one."""
    silent = {row["unit_id"] for row in told.silent.rows}
    live, stood = _apart(told.timers.rows, silent)
    others, others_stood = _apart(told.others.rows, silent)
    body: list[Any] = [burndown.rows(live, at), *_more(told.timers, "timers")] if live else []
    if others:
        said = f"{counted(told.others.total - len(others_stood), 'timer')} of memberships and retries, as in any group"
        rows = [burndown.rows(others, at), *_more(told.others, "timers")]
        body.append(html.Details([html.Summary(said), *rows]))
    if ended := stood + others_stood:
        said = f"{counted(len(ended), 'timer')} ran when the log ended; how they went on is not known"
        body.append(html.Details([html.Summary(said), burndown.rows(ended, None)]))
    return [section("Timers that run", body)] if body else []


def _apart(timers: Sequence[Row], silent: Set[str]) -> tuple[list[Row], list[Row]]:
    """Timers of processes that write, and of those that are silent."""
    live = [row for row in timers if row["unit_id"] not in silent]
    return live, [row for row in timers if row["unit_id"] in silent]


def _warnings(told: Now, at: int) -> list[Any]:
    if not told.warned.rows:
        return []
    ends: dict[tuple[str, str], int] = {}
    for timer in (*told.others.rows, *told.timers.rows):
        if timer["kind"] != "backoff" and at - timer["started_at"] >= NEAR * timer["limit_ms"]:
            ends.setdefault((timer["unit_id"], timer["client_id"]), timer["deadline_at"])
    rows = []
    for row in told.warned.rows:
        end = ends.get((row["unit_id"], row["client_id"]))
        said = [*(html.Div(shown(text)) for text in row["warnings"]), _who(row)]
        rows.append(line(said, None if end is None else burndown.countdown(end, at), "row-warned"))
    return [section("Early warnings", [html.Ul(rows, className="rows"), *_more(told.warned, "clients")])]


def _silent(silent: Answer) -> list[Any]:
    """One line a process, as its clients fall silent together; with what was broken as its log ended."""
    if not silent.rows:
        return []
    by_unit: dict[str, list[Row]] = {}
    for row in silent.rows:
        by_unit.setdefault(row["unit_id"], []).append(row)
    rows = []
    for of in by_unit.values():
        clients = shown(", ".join(row["client_id"] for row in of[:3]))
        since = [html.Span("no logs since "), instant(of[0]["silent_since_at"])]
        reasons = [_reason(row) for row in of if row["status"] == "broken"]
        broken = [html.Div(["broken then: ", reason], className="who") for reason in reasons]
        who = [html.Strong(_process(of[0])), html.Span(f" ({clients})")]
        rows.append(line([*who, *broken], since, "row-silent"))
    return [section("Silent", [html.Ul(rows, className="rows"), *_more(silent, "clients")])]


def _lately(lake: LakeReader, found: Answer) -> list[Any]:
    if found.state != "ok":
        return [no_rows(found, "")]
    body = [incidents.card(row) for row in found.rows] or [incidents.calm(lake)]
    to_all = dcc.Link("All incidents", href="/incidents")
    return [section("What happened last", [dmc.Stack(body, gap="sm"), to_all])]


def _who(row: Row) -> Any:
    whose = " ".join(
        filter(None, (row["client_library"], row["client_kind"] or "client", row["client_version"]))
    )
    return html.Div(shown(f"{row['client_id']}, {whose}, {_process(row)}"), className="dimmed mono who")


def _process(row: Row) -> str:
    return shown("/".join(part for part in (row["service"], row["instance"]) if part) or row["unit_id"])


def _more(found: Answer, what: str) -> list[Any]:
    left = found.total - len(found.rows)
    return (
        [dmc.Text(f"{left} more {what}: the first {MOST_LISTED} are shown.", c="dimmed", size="sm")]
        if left
        else []
    )


PAGE = Page("", "Now", layout, connect)
