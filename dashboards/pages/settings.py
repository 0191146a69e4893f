"""What clients run with: contradictions first, then where a fleet differs, then each client's effective configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, ctx, dcc, html, no_update

from dashboards.pages.page import Address, Page, link, query_of, search_of
from dashboards.parts import no_rows, shown
from dashboards.plain import section, table
from dashboards.queries import Answer, LakeReader, Row
from dashboards.queries.settings import (
    Difference,
    contradictions,
    differences,
    latest,
    of_service,
    services,
)
from transforms.diagnose.words import listed, origin_words

MOST_DIFFERENCES = 60
_WRAPPED = {"wrapText": True, "autoHeight": True, "cellDataType": "text"}
COLUMNS: list[dict[str, Any]] = [
    {"field": "name", "headerName": "Setting", "width": 300, "cellClass": "mono", **_WRAPPED},
    {"field": "value", "headerName": "Value", "minWidth": 160, "flex": 1, "cellClass": "mono", **_WRAPPED},
    {"field": "origin", "headerName": "Origin", "width": 110, "tooltipField": "origin_words", **_WRAPPED},
    {"field": "from_at", "headerName": "Held from", "width": 220, "cellRenderer": "Instant"},
]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What an address asks for, and what there is to choose. rows: the service's values that held last."""

    service: str | None
    client: str | None
    services: list[str]
    clients: list[str]
    found: Answer
    rows: list[Row]


def layout(lake: LakeReader, address: Address) -> list[Any]:
    """The page of a service and one of its clients, as the address says."""
    chosen = _chosen(lake, address.query)
    return [
        dmc.Title("Settings", order=1, size="h2"),
        html.Div(
            [
                dmc.Select(
                    label="Service",
                    data=chosen.services,
                    value=chosen.service,
                    id="settings-service",
                    searchable=True,
                    clearable=True,
                    placeholder="choose one",
                    w=300,
                ),
                dmc.Select(
                    label="Client",
                    data=chosen.clients,
                    value=chosen.client,
                    id="settings-client",
                    searchable=True,
                    clearable=True,
                    placeholder="choose one",
                    w=360,
                    disabled=not chosen.clients,
                ),
            ],
            className="form",
        ),
        html.Div(_body(lake, chosen), id="settings-body", className="page"),
    ]


def connect(app: Dash, lake: LakeReader) -> None:
    """Service and client go into the address, and the page follows it, and the lake."""

    @app.callback(
        Output("app-url", "search", allow_duplicate=True),
        Input("settings-service", "value"),
        Input("settings-client", "value"),
        State("app-url", "search"),
        prevent_initial_call=True,
    )
    def ask(service: str | None, client: str | None, search: str | None) -> Any:
        known = query_of(search)
        if service != known.get("service"):
            client = None  # it was one of another service
        elif client == known.get("client"):
            return no_update
        return search_of({"service": service, "client": client})

    @app.callback(
        Output("settings-body", "children"),
        Output("settings-client", "data"),
        Output("settings-client", "disabled"),
        Output("settings-service", "value"),
        Output("settings-client", "value"),
        Input("app-url", "search"),
        Input("app-version", "data"),
        State("app-url", "pathname"),
        prevent_initial_call=True,
    )
    def follow(search: str | None, _version: str | None, pathname: str | None) -> Any:
        if pathname != PAGE.href:
            return (no_update,) * 5
        chosen = _chosen(lake, query_of(search))
        is_asked = ctx.triggered_id == "app-url"
        values = (chosen.service, chosen.client) if is_asked else (no_update, no_update)
        return _body(lake, chosen), chosen.clients, not chosen.clients, *values


def _chosen(lake: LakeReader, query: Mapping[str, str]) -> Chosen:
    known = services(lake)
    service = query.get("service")
    found = of_service(lake, service) if service else Answer("ok")
    rows = latest(found.rows)
    clients = sorted({row["client_id"] or row["unit_id"] for row in rows})
    return Chosen(service, query.get("client"), known, clients, found, rows)


def _body(lake: LakeReader, chosen: Chosen) -> list[Any]:
    told = _of_service(chosen.found, chosen.rows, chosen.service, chosen.client) if chosen.service else []
    return [*_contradictions(lake, chosen.service), *told]


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
    told = [table(("Rule", "Client", "Service", "What contradicts"), rows, "settings-contradicting")]
    if found.total > len(found.rows):
        told.append(dmc.Text(f"The first {len(found.rows)} of {found.total}.", c="dimmed", size="sm"))
    return [section("Contradictions", html.Div(told), "settings-contradictions")]


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
    return dag.AgGrid(
        id="settings-grid",
        rowData=[
            {
                "id": f"{row['unit_id']} {row['client_kind']} {row['name']}",
                "name": shown(row["name"]),
                "value": shown(row["value"]),
                "origin": row["origin"],
                "origin_words": origin_words(row["origin"]),
                "from_at": row["from_at"],
            }
            for row in sorted(rows, key=lambda row: row["name"])
        ],
        columnDefs=COLUMNS,
        getRowId="params.data.id",
        defaultColDef={"sortable": True, "filter": True, "floatingFilter": True, "resizable": True},
        dashGridOptions={"domLayout": "autoHeight", "enableCellTextSelection": True, "tooltipShowDelay": 300},
        style={"height": None},
    )


PAGE = Page("settings", "Settings", layout, connect)
