"""What is broken now, which timers run, who is silent, and what each source gave."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from dashboards.queries.base import MOST_ROWS, Answer, LakeReader, at_once
from transforms.plans.balance import COUNTED

HEALTH, TIMERS = "gold.client_health", "gold.open_timers"
MOST_LISTED = 50
WRITES, SILENT = (("silent_since_at", "null", True), ("silent_since_at", "null", False))
# Where one of these passes its limit, something is lost. The others run in every group, and at every retry.
HARMFUL = ("task", "batch")
# In a source's state (SourceState.dump), in whose texts a backslash stands before each quote; an older one has the second.
LATEST_AT = r' "(?:latest|resume)_at": (?P<at>-?\d+)'


@dataclass(frozen=True, slots=True)
class Now:
    """One look at all clients. state: as of Answer; totals count what the lists cut.

    by_status: clients by status, of processes that write or said that they end; silent: clients whose process writes no
    more, ended_as: these by the status at its log's end; broken: of processes that write; warned: clients with an early
    warning; timers: of tasks and batches; others: all other timers that run.
    """

    state: str
    problem: str | None = None
    by_status: dict[str, int] = field(default_factory=dict)
    ended_as: dict[str, int] = field(default_factory=dict)
    broken: Answer = field(default_factory=lambda: Answer("ok"))
    warned: Answer = field(default_factory=lambda: Answer("ok"))
    silent: Answer = field(default_factory=lambda: Answer("ok"))
    timers: Answer = field(default_factory=lambda: Answer("ok"))
    others: Answer = field(default_factory=lambda: Answer("ok"))


def now(lake: LakeReader) -> Now:
    """What the first page tells. A list that can't be read fails it whole: its absence would look like good news."""
    is_broken, latest = [WRITES, ("status", "=", "broken")], [("since_at", "descending")]
    counts, ended, *lists = at_once(
        lambda: lake.count_by(HEALTH, ["status"], [WRITES]),
        lambda: lake.count_by(HEALTH, ["status"], [SILENT]),
        lambda: lake.read(HEALTH, where=is_broken, order=latest, limit=MOST_LISTED),
        lambda: lake.read(HEALTH, where=[("warnings", "some", True)], limit=MOST_LISTED),
        lambda: silent(lake),
        lambda: running(lake, HARMFUL),
        lambda: running(lake, ("poll", "session", "backoff")),
    )
    if counts.state != "ok":
        return Now(counts.state, counts.problem)
    failed = next((one for one in (ended, *lists) if one.is_unread), None)
    if failed is not None:
        return Now(failed.state, failed.problem)
    by_status = [{row["status"]: row["rows"] for row in found.rows} for found in (counts, ended)]
    return Now("ok", None, by_status[0], by_status[1], *lists)


def silent(lake: LakeReader, most: int = MOST_LISTED, columns: Sequence[str] | None = None) -> Answer:
    """Clients whose process should write and does not, the latest to fall silent first."""
    return lake.read(HEALTH, columns, where=[SILENT], order=[("silent_since_at", "descending")], limit=most)


def running(lake: LakeReader, kinds: Sequence[str]) -> Answer:
    """The timers of these kinds that run, the next deadline first."""
    return lake.read(
        TIMERS, where=[("kind", "in", kinds)], order=[("deadline_at", "ascending")], limit=MOST_LISTED
    )


def sources(lake: LakeReader) -> Answer:
    """Every source with its accounting, the latest to write first.

    `newest_at` is its last line's time, null where none has one or it has metrics.
    """
    columns = (*COUNTED, "source_id", "source", "service", "instance", "layout", "status", "state")
    return lake.shaped("bronze.accounting", columns, (), _with_newest)


def _with_newest(found: pa.Table) -> pa.Table:
    newest = pc.struct_field(pc.extract_regex(found["state"], LATEST_AT), "at").cast(pa.int64())
    rows = found.drop_columns("state").append_column("newest_at", newest)
    return rows.sort_by([("newest_at", "descending"), ("source", "ascending")])[:MOST_ROWS]
