"""How old what is shown is: asked by the bar on every page."""

from dataclasses import dataclass

from dashboards.queries import health
from dashboards.queries.base import LakeReader, Row
from dashboards.queries.quality import last_checked


@dataclass(frozen=True, slots=True)
class Freshness:
    """newest_line_at: largest time of a log line, ms; run: last row of gold.runs; silent: of the clients whose process
    writes no more, the one that fell silent last. None for what is not known.
    """

    newest_line_at: int | None
    run: Row | None
    failed_checks: int | None
    silent: Row | None = None
    silent_clients: int = 0


def freshness(lake: LakeReader) -> Freshness:
    """How old the data is."""
    runs = lake.read("gold.runs", order=[("started_at", "descending")], limit=1).rows
    run = runs[0] if runs else None
    # What another version's table has not, the bar doesn't ask for: it is on every page.
    quiet = health.silent(lake, 1, ("service", "client_id", "silent_since_at"))
    return Freshness(
        newest_line_at=lake.largest("silver.client_events", "happened_at"),
        run=run,
        failed_checks=_failed_checks(lake, last_checked(lake)),
        silent=quiet.rows[0] if quiet.rows else None,
        silent_clients=quiet.total,
    )


def _failed_checks(lake: LakeReader, run: Row | None) -> int | None:
    if run is None:
        return None
    checks = lake.count_by("gold.table_checks", ["success"], [("run_id", "=", run["run_id"])])
    return sum(row["rows"] for row in checks.rows if not row["success"]) if checks.rows else None
