"""An incident, or what went wrong in a shift, as Markdown with links: for a ticket, or for who comes next. Times: UTC."""

from collections.abc import Iterator, Mapping

from dash import Dash
from flask import Response, request

from dashboards.queries import LakeReader, Row, quality
from dashboards.queries.base import Where
from dashboards.queries.findings import incident
from dashboards.queries.proof import Proof
from dashboards.queries.sql import equal
from transforms.diagnose.markdown import plain, report_as_markdown
from transforms.diagnose.report import iso, report_incident
from transforms.diagnose.words import counted, span

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
        if not (hours.isascii() and hours.isdigit() and 0 < int(hours[:6]) <= LONGEST_HOURS):
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
    return "\n".join([*told, f"\n{_link(root, rows[0])}"]) + "\n"


def shift_markdown(lake: LakeReader, hours: int, query: Mapping[str, str], root: str) -> str:
    """What began or went on in the last hours that the lake knows of, what goes on first, then the latest.

    query: `service` narrows it.
    """
    until = lake.largest("silver.client_events", "happened_at")
    if until is None:
        return "# Hand-over\n\nNo log line has a time yet.\n"
    since = until - hours * HOUR_MS
    where: list[Where] = [("verdict", "!=", "benign"), ("parent_incident_id", "null", True)]
    where += [("started_at", "meets", ("ended_at", since, until))]
    where += equal(service=query.get("service"))
    order = [("started_at", "descending"), ("incident_id", "ascending")]
    found = lake.read("gold.incidents", where=where, order=order, limit=MOST_TOLD)
    lines = [
        f"# Hand-over, {iso(since)} to {iso(until)} (UTC)\n",
        *_told(lake, found.rows, found.total, root),
    ]
    if found.state != "ok":
        lines = [lines[0], f"The lake could not be read: {plain(found.problem or '')}"]
    return "\n".join(lines) + "\n"


def _told(lake: LakeReader, rows: list[Row], total: int, root: str) -> Iterator[str]:
    if not rows:
        yield f"No incident in this time. Of the whole lake: {plain(quality.calm(lake).sentence)}"
        return
    more = f", the latest {len(rows)} of them here" if total > len(rows) else ""
    yield f"{counted(total, 'incident')}{more}.\n"
    for heading, some in (
        ("Goes on", [row for row in rows if row["ended_at"] is None]),
        ("Over", [row for row in rows if row["ended_at"] is not None]),
    ):
        if some:
            yield f"## {heading}\n"
            yield from (line for row in some for line in _one(row, root))


def _one(row: Row, root: str) -> Iterator[str]:
    lasted = (
        ""
        if row["ended_at"] is None
        else f", for {span(row['ended_at'] - row['started_at'])}"
        if row["started_at"]
        else ""
    )
    yield f"- **{plain(row['title'])}**"
    verdict = row["verdict"].replace("_", " ")
    yield f"  - When: {iso(row['started_at']) or 'time unknown'}{lasted}; {verdict}, impact {row['impact']}"
    yield f"  - Why: {plain(row['cause'])}"
    yield f"  - Do: {plain(row['advice'])}"
    yield f"  - {_link(root, row)}"


def _link(root: str, row: Row) -> str:
    return f"[{row['incident_id'][:12]}]({root}incident/{row['incident_id']})"


def _end_of(source: str) -> str:
    """A source's folder and name, without what stands above them on its machine."""
    return "/".join(source.replace("\\", "/").split("/")[-2:])


def _file(text: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="kipwatch-{name}.md"'}
    return Response(text, mimetype="text/markdown", headers=headers)
