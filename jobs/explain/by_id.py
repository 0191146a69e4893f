"""`kipwatch explain ID --lake DIR`: what one id of a lake stands for, with timeline and proof; no Spark."""

from rich.console import Console

from dashboards.queries.base import LakeReader, Row, noticing
from dashboards.queries.proof import EPISODE_IDS, Proof
from expectations import versions
from expectations.place import LakePlace
from jobs.explain.forms import print_as
from jobs.storage.store_files import asking
from transforms.diagnose.reports.report import Report, report_finding, report_incident, tell_episode
from transforms.errors import BadInput
from transforms.when_used import when_used

ID = when_used(r"[0-9a-f]{8,64}")
# Where an id may stand, in order of preference: a violation and its first finding may share their id.
ID_COLUMNS = {
    "gold.violations": "violation_id",
    "gold.incidents": "incident_id",
    "silver.findings": "finding_id",
    **EPISODE_IDS,
}


def explain_id(lake: LakePlace, given: str, console: Console, form: str = "text") -> None:
    """Print the story of a violation, finding, incident or episode; a unique beginning of its id is enough.

    Raises: BadInput where the id is none, is not in the lake, or begins several.
    """
    print_as(form, report_of(lake, given), console)


def report_of(lake: LakePlace, given: str) -> Report:
    """Find the id, or its only continuation, and gather its story. Raises: BadInput for no id, or no lake."""
    prefix = given.strip().lower()
    if not ID.fullmatch(prefix):
        raise BadInput(
            f"{given!r} is no id",
            where="explain",
            todo="give 8 to 64 hexadecimal digits, or a log file's path",
        )
    with asking(lake):
        if not lake.is_dir():
            raise BadInput(
                "no such folder", where=f"--lake {lake}", todo="give the lake that `kipwatch run` filled"
            )
    tables = LakeReader(lake)
    with noticing() as lacking:
        told = _report(tables, *_found(tables, lake, prefix))
    if lacking:
        raise BadInput(versions.told(*lacking), where=str(lake), todo=versions.TODO)
    return told


def _report(tables: LakeReader, table: str, full: str) -> Report:
    rows = tables.by_id(table, ID_COLUMNS[table], full).rows
    row = rows[0] if rows else {}
    evidence = Proof(tables, row)
    if not rows:  # the table lacks columns, and the caller says which
        return Report(what=table.split(".")[1], id=full, heading=table, who="", when="", facts=[])
    if table in EPISODE_IDS:
        return tell_episode(table, sorted(rows, key=_place), evidence, full)
    return report_incident(row, evidence) if table == "gold.incidents" else report_finding(row, evidence)


def _found(tables: LakeReader, lake: LakePlace, prefix: str) -> tuple[str, str]:
    """The table and the whole of the id that begins so.

    Raises: BadInput where there is none, or several, or a table can't be read.
    """
    matches: dict[str, str] = {}
    for table, column in ID_COLUMNS.items():
        # All digits are hexadecimal, so that "g" stands behind every continuation.
        found = tables.count_by(table, [column], [(column, ">=", prefix), (column, "<", f"{prefix}g")])
        if found.state == "failed":
            raise BadInput(found.problem or "can't be read", where=str(lake), todo="look at the lake's files")
        for row in found.rows:
            matches.setdefault(row[column], table)
    if not matches:
        raise BadInput(
            f"nothing has the id {prefix}", where=str(lake), todo="take an id from `kipwatch query`"
        )
    if len(matches) > 1:
        some = ", ".join(
            f"{full[: len(prefix) + 4]} ({table})" for full, table in sorted(matches.items())[:5]
        )
        raise BadInput(
            f"{len(matches)} ids begin with {prefix}: {some}", where=str(lake), todo="give more digits"
        )
    full, table = next(iter(matches.items()))
    return table, full


def _place(row: Row) -> tuple[int, int]:
    """A wait's place in its sequence; other episodes have one row."""
    return (row.get("failures") or 0, row.get("failed_at") or 0)
