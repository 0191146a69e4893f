"""What is broken now, which timers run, who is silent, and what each source gave."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from dashboards.queries.base import Answer, LakeReader, Row

HEALTH, TIMERS = "gold.client_health", "gold.open_timers"
MOST_LISTED = 50
# Where one of these passes its limit, something is lost. The others run in every group, and at every retry.
HARMFUL = ("task", "batch")


@dataclass(frozen=True, slots=True)
class Now:
    """One look at all clients. state: as of Answer; totals count what the lists cut.

    by_status: clients by status; warned: clients with an early warning; silent: clients whose process writes no more;
    timers: of tasks and batches; others: all other timers that run.
    """

    state: str
    problem: str | None = None
    by_status: dict[str, int] = field(default_factory=dict)
    broken: Answer = field(default_factory=lambda: Answer("ok"))
    warned: Answer = field(default_factory=lambda: Answer("ok"))
    silent: Answer = field(default_factory=lambda: Answer("ok"))
    timers: Answer = field(default_factory=lambda: Answer("ok"))
    others: Answer = field(default_factory=lambda: Answer("ok"))


def now(lake: LakeReader) -> Now:
    """What the first page tells. A list that can't be read fails it whole: its absence would look like good news."""
    counts = lake.count_by(HEALTH, ["status"])
    if counts.state != "ok":
        return Now(counts.state, counts.problem)
    told = Now(
        "ok",
        by_status={row["status"]: row["rows"] for row in counts.rows},
        broken=lake.read(
            HEALTH, where=[("status", "=", "broken")], order=[("since_at", "descending")], limit=MOST_LISTED
        ),
        warned=lake.read(HEALTH, where=[("warnings", "some", True)], limit=MOST_LISTED),
        silent=silent(lake),
        timers=running(lake, HARMFUL),
        others=running(lake, ("poll", "session", "backoff")),
    )
    lists = (told.broken, told.warned, told.silent, told.timers, told.others)
    failed = next((one for one in lists if one.is_unread), None)
    return told if failed is None else Now(failed.state, failed.problem)


def silent(lake: LakeReader, most: int = MOST_LISTED, columns: Sequence[str] | None = None) -> Answer:
    """Clients whose process should write and does not, the latest to fall silent first."""
    return lake.read(
        HEALTH,
        columns,
        where=[("silent_since_at", "null", False)],
        order=[("silent_since_at", "descending")],
        limit=most,
    )


def running(lake: LakeReader, kinds: Sequence[str]) -> Answer:
    """The timers of these kinds that run, the next deadline first."""
    return lake.read(
        TIMERS, where=[("kind", "in", kinds)], order=[("deadline_at", "ascending")], limit=MOST_LISTED
    )


def sources(lake: LakeReader) -> Answer:
    """Every source with its accounting; `newest_at` is its last line's time, null where none has one or it has metrics."""
    found = lake.read(
        "bronze.accounting",
        [
            "source_id",
            "source",
            "service",
            "instance",
            "layout",
            "status",
            "lines_read",
            "lines_in_records",
            "lines_unparsed",
            "lines_dropped",
            "state",
        ],
        order=[("source", "ascending")],
    )
    return Answer(found.state, [_with_newest(row) for row in found.rows], found.total, found.problem)


def _with_newest(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "state"} | {
        "newest_at": json.loads(row["state"]).get("resume_at")
    }
