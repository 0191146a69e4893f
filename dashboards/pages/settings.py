"""What clients run with: contradictions first, then where a fleet differs, then each client's effective configuration."""

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.grids import WRAPPED, cells, grid, instant, plain, text
from dashboards.pages.choices import Choice, of_column
from dashboards.pages.incident_classes import share
from dashboards.pages.page import Query, link
from dashboards.pages.redrawn import Redrawn
from dashboards.parts import first_of, no_rows, section, shown, table
from dashboards.queries import Answer, LakeReader, Row, Where
from dashboards.queries.settings import contradictions, of_service
from transforms.diagnose.fleets.differences import Difference, differences, latest
from transforms.diagnose.wording.words import listed, origin_words

MOST_DIFFERENCES = 60
SETTINGS = "silver.client_settings"
COLUMNS = (
    text("name", "Setting", width=300, cellClass="mono", **WRAPPED),
    plain(
        "value", "Value", lambda row: shown(row["value"]), minWidth=160, flex=1, cellClass="mono", **WRAPPED
    ),
    plain(
        "origin",
        "Origin",
        width=110,
        tooltipField="origin_words",
        **WRAPPED,
        beside={"origin_words": lambda row: origin_words(row["origin"])},
    ),
    instant("from_at", "Held from", width=220),
)


def _rows(lake: LakeReader, query: Query) -> tuple[Answer, list[Row]]:
    """The values that held last of the service of an address, and how they came about."""
    found = of_service(lake, query["service"]) if query.get("service") else Answer("ok")
    return found, latest(found.rows)


def _clients(lake: LakeReader, query: Query) -> list[str]:
    return sorted({row["client_id"] or row["unit_id"] for row in _rows(lake, query)[1]})


def _body(lake: LakeReader, query: Query) -> list[Any]:
    service = query.get("service")
    told = _of_service(*_rows(lake, query), service, query.get("client")) if service else []
    return [*_contradictions(lake, service), *(_in_trouble(lake, service) if service else []), *told]


def _in_trouble(lake: LakeReader, service: str) -> list[Any]:
    """What the processes of a service that have trouble share."""
    where: list[Where] = [("service", "=", service), ("verdict", "!=", "benign")]
    rows = lake.read("gold.incidents", ("unit_id", "service"), where).rows
    return [share(lake, rows, "settings-shared")] if rows else []


def _contradictions(lake: LakeReader, service: str | None) -> list[Any]:
    found = contradictions(lake, service)
    if found.state != "ok":
        return [no_rows(found, "")]
    if not found.rows:
        calm = "No setting that is known contradicts another, or the KIP's advice."
        return [section("Contradictions", dmc.Text(calm, c="teal"), "settings-contradictions")]
    rows = [
        [
            dcc.Link(row["rule_id"], href=link("finding", row["violation_id"]), className="mono"),
            row["client_id"] or "client unknown",
            row["service"] or "",
            row["explanation"],
        ]
        for row in found.rows
    ]  # fmt: skip
    told = table(("Rule", "Client", "Service", "What contradicts"), rows, "settings-contradicting")
    more = first_of(len(found.rows), found.total)
    return [section("Contradictions", html.Div([told, *more]), "settings-contradictions")]


def _of_service(found: Answer, rows: Sequence[Row], service: str, client: str | None) -> list[Any]:
    if not found.rows:
        return [no_rows(found, f"No configuration of {shown(service)} was logged or declared.")]
    made = [section("Where its clients differ", _differences(differences(rows)), "settings-differences")]
    if client:
        of_client = [row for row in rows if client in (row["client_id"], row["unit_id"])]
        body = (
            _effective(of_client)
            if of_client
            else no_rows(Answer("ok"), "No client of this service has this name.")
        )
        made.append(section(f"Effective configuration of {shown(client)}", body, "settings-effective"))
    return made


def _differences(found: Sequence[Difference]) -> Any:
    if not found:
        return dmc.Text("Clients of one kind have the same values, but for names of their own.", c="dimmed")
    rows = [
        [
            html.Span(shown(one.name), className="mono"),
            one.client_kind,
            html.Div([html.Div(_who(value, clients)) for value, clients in one.values]),
        ]
        for one in found[:MOST_DIFFERENCES]
    ]
    more = [dmc.Text(f"{len(found) - MOST_DIFFERENCES} more settings differ.", c="dimmed", size="sm")]
    made = table(("Setting", "Clients", "Values, and who has them"), rows, "settings-differing")
    return html.Div([made, *(more if len(found) > MOST_DIFFERENCES else [])])


def _who(value: str, clients: Sequence[str]) -> list[Any]:
    names = listed(list(clients)) if len(clients) <= 3 else f"{len(clients)} clients"
    return [
        html.Span(shown(value) or "(empty)", className="mono"),
        html.Span(f"  {shown(names)}", className="dimmed"),
    ]


def _effective(rows: Sequence[Row]) -> Any:
    made = cells(
        COLUMNS,
        lambda row: f"{row['unit_id']} {row['client_kind']} {row['name']}",
        sorted(rows, key=lambda row: row["name"]),
    )
    searched = {"filter": True, "floatingFilter": True}
    return grid(
        "settings-grid",
        made,
        COLUMNS,
        table="silver.client_settings",
        column=searched,
        enableCellTextSelection=True,
    )


SERVICE = Choice("service", "Service", of_column(SETTINGS, "service"), hint="choose one")
PAGE = Redrawn(
    "settings", "Settings", _body, (SERVICE, Choice("client", "Client", _clients, 360, "choose one"))
).page()
