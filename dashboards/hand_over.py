"""An incident, or what went wrong in a shift, as Markdown with links: for a ticket, or for who comes next. Times: UTC."""

from collections.abc import Mapping

from dash import Dash
from flask import Response, request

from dashboards.queries import LakeReader, quality
from dashboards.queries.findings import WHOLE, incident
from dashboards.queries.proof import Proof
from dashboards.queries.sql import Where, equal
from transforms.diagnose.reports.markdown import link, plain, report_as_markdown, shift_as_markdown
from transforms.diagnose.reports.report import iso, report_incident

SHIFTS = (8, 24)  # hours
LONGEST_HOURS = 24 * 31
MOST_TOLD = 200
HOUR_MS = 3_600_000


def connect(app: Dash, lake: LakeReader) -> None:
    """The addresses of both."""

    def of_incident(incident_id: str) -> Response:
        text = incident_markdown(lake, incident_id, request.url_root)
        return (
            _file(text, f"incident-{incident_id[:12]}")
            if text
            else Response("No incident has this id.\n", 404)
        )

    def of_shift() -> Response:
        hours = request.args.get("hours", "8")
        if not (hours.isascii() and hours.isdecimal() and 0 < int(hours[:6]) <= LONGEST_HOURS):
            return Response(
                f"hours is a whole number from 1 to {LONGEST_HOURS}.\n", 400, mimetype="text/plain"
            )
        return _file(shift_markdown(lake, int(hours), request.args, request.url_root), "hand-over")

    app.server.add_url_rule("/export/incident/<incident_id>.md", "export-incident", of_incident)
    app.server.add_url_rule("/export/hand-over.md", "export-hand-over", of_shift)


def incident_markdown(lake: LakeReader, incident_id: str, root: str) -> str | None:
    """One incident with its proof, as `kipwatch explain ID --format markdown`; None where there is none."""
    rows = incident(lake, incident_id).rows
    if not rows:
        return None
    told = report_as_markdown(report_incident(rows[0], Proof(lake, rows[0])), _end_of)
    return "\n".join([*told, f"\n{link(root, rows[0])}"]) + "\n"


def shift_markdown(lake: LakeReader, hours: int, query: Mapping[str, str], root: str) -> str:
    """What began or went on in the last hours that the lake knows of, what goes on first, then the latest.

    query: `service` narrows it.
    """
    until = lake.largest("silver.client_events", "happened_at")
    if until is None:
        return "# Hand-over\n\nNo log line has a time yet.\n"
    since = until - hours * HOUR_MS
    where: list[Where] = [WHOLE, ("verdict", "!=", "benign")]
    where += [("started_at", "meets", ("ended_at", since, until))]
    where += equal(service=query.get("service"))
    order = [("started_at", "descending"), ("incident_id", "ascending")]
    found = lake.read("gold.incidents", where=where, order=order, limit=MOST_TOLD)
    if found.state != "ok":
        told = iter([f"The lake could not be read: {plain(found.problem or '')}"])
    else:
        told = shift_as_markdown(found.rows, found.total, quality.calm(lake).sentence, root)
    return "\n".join([f"# Hand-over, {iso(since)} to {iso(until)} (UTC)\n", *told]) + "\n"


def _end_of(source: str) -> str:
    """A source's folder and name, without what stands above them on its machine."""
    return "/".join(source.replace("\\", "/").split("/")[-2:])


def _file(text: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="kipwatch-{name}.md"'}
    return Response(text, mimetype="text/markdown", headers=headers)
