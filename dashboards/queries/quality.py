"""Whether what was read can be trusted: runs, table checks, and the accounting of every source."""

from dashboards.queries.base import MOST_ROWS, Answer, LakeReader, Row
from transforms.plans import balance
from transforms.plans.balance import COUNTED, Balance, Calm, summed

MOST_SOURCES = 100_000


def runs(lake: LakeReader, most: int = 20) -> Answer:
    """The latest runs, the last first."""
    return lake.read("gold.runs", None, (), [("started_at", "descending"), ("run_id", "ascending")], most)


def last_checked(lake: LakeReader) -> Row | None:
    """The latest run whose end had checks: of a stream's triggers only one in many has."""
    checked = {row["run_id"] for row in lake.count_by("gold.table_checks", ["run_id"]).rows}
    return next((run for run in runs(lake, MOST_ROWS).rows if run["run_id"] in checked), None)


def checks(lake: LakeReader, run_id: str) -> Answer:
    """The checks of one run, those that failed first."""
    order = [("success", "ascending"), ("table_name", "ascending"), ("expectation", "ascending")]
    return lake.read("gold.table_checks", None, [("run_id", "=", run_id)], order)


def accounting(lake: LakeReader) -> tuple[Answer, Balance]:
    """The sums over all sources, and what does not balance."""
    columns = (*COUNTED, "source", "status", "dropped_by_reason", "unparsed_by_reason")
    found = lake.read("bronze.accounting", columns, limit=MOST_SOURCES)
    return found, summed(found.rows)


def calm(lake: LakeReader) -> Calm:
    """What the absence of incidents means."""
    found, read = accounting(lake)
    if found.is_unread:
        return Calm(f"What was read is not known: {found.problem}.", is_clear=False)
    return balance.calm(read)
