"""Whether what was read can be trusted: runs, table checks, and the accounting of every source."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dashboards.queries.base import MOST_ROWS, Answer, LakeReader, Row
from transforms.diagnose.words import counted

MOST_SOURCES = 100_000
COUNTED = ("lines_read", "lines_in_records", "lines_unparsed", "lines_dropped", "bytes_read", "bytes_in_records",
         "bytes_unparsed", "bytes_dropped")  # fmt: skip


@dataclass(slots=True)
class Accounting:
    """All sources together. off: sources that do not balance; not_complete: by status."""

    sources: int = 0
    sums: dict[str, int] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    unparsed: Counter[str] = field(default_factory=Counter)
    not_complete: Counter[str] = field(default_factory=Counter)
    off: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Calm:
    """What may be said where no incident is known. is_clear: all that was read was understood."""

    sentence: str
    is_clear: bool


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


def accounting(lake: LakeReader) -> tuple[Answer, Accounting]:
    """The sums over all sources, and what does not balance."""
    columns = (*COUNTED, "source", "status", "dropped_by_reason", "unparsed_by_reason")
    found = lake.read("bronze.accounting", columns, limit=MOST_SOURCES)
    return found, summed(found.rows)


def calm(lake: LakeReader) -> Calm:
    """What the absence of incidents means: never an all-clear of what was not read."""
    found, read = accounting(lake)
    if found.is_unread:
        return Calm(f"What was read is not known: {found.problem}.", is_clear=False)
    if not read.sources:
        return Calm("No log has been read to its end yet, so nothing is known.", is_clear=False)
    lines, known = read.sums["lines_in_records"], counted(read.sums["lines_read"], "line")
    if not lines:
        return Calm(f"None of {known} read is of a Kafka client: there is nothing to judge.", is_clear=False)
    told = f"Nothing went wrong that {counted(lines, 'line')} of Kafka clients show"
    missing = [counted(read.sums["lines_unparsed"], "line")] if read.sums["lines_unparsed"] else []
    if stopped := sum(read.not_complete.values()):
        missing.append(f"the rest of {counted(stopped, 'source')}")
    if missing:
        return Calm(f"{told}, but {' and '.join(missing)} could not be read.", is_clear=False)
    return Calm(f"{told}, of {known} read.", is_clear=True)


def sources(lake: LakeReader, most: int = 100) -> Answer:
    """The sources, those with most that no reader understood first."""
    order = [("lines_unparsed", "descending"), ("bytes_unparsed", "descending"), ("source", "ascending")]
    columns = (
        *COUNTED,
        "source",
        "source_id",
        "status",
        "layout",
        "time_zone_origin",
        "decode_errors",
        "service",
        "instance",
    )
    return lake.read("bronze.accounting", columns, (), order, most)


def summed(rows: Iterable[Row]) -> Accounting:
    """The accounting of these sources as one."""
    made = Accounting(sums=dict.fromkeys(COUNTED, 0))
    for row in rows:
        made.sources += 1
        for name in COUNTED:
            made.sums[name] += row[name]
        made.dropped.update(_counts(row["dropped_by_reason"]))
        made.unparsed.update(_counts(row["unparsed_by_reason"]))
        if row["status"] != "complete":
            made.not_complete[row["status"]] += 1
        if not is_balanced(row):
            made.off.append(row["source"])
    return made


def is_balanced(row: Mapping[str, int]) -> bool:
    """Read = in records + unparsed + dropped, in lines and in bytes."""
    return all(
        row[f"{unit}_read"] == row[f"{unit}_in_records"] + row[f"{unit}_unparsed"] + row[f"{unit}_dropped"]
        for unit in ("lines", "bytes")
    )


def _counts(of_map: object) -> dict[str, int]:
    """A MAP column, as Arrow gives it: pairs."""
    return {str(name): int(count) for name, count in of_map} if isinstance(of_map, list) else {}
