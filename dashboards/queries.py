"""The only reader of the dashboard: Delta tables by deltalake and Arrow, no Spark.

Every answer says how it came about: an empty table, a missing one and a failed query never look the same.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from pyarrow import ArrowException
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from expectations import TABLES
from transforms.diagnose.told import ProvingLine, event_label

# A row of a table; instants in ms since the epoch, UTC.
Row = Mapping[str, Any]

# A grid longer than this is not read by anyone; the page says how many there are.
MOST_ROWS = 5_000
ID = re.compile(r"[0-9a-f]{64}")
EPISODE_IDS = {
    "silver.task_timers": "timer_id",
    "silver.batch_lifetimes": "batch_id",
    "silver.liveness_sessions": "session_id",
    "silver.backoff_attempts": "sequence_id",
    "silver.group_rebalances": "rebalance_id",
}
CATEGORY_ORDER = ("broken_semantics", "departs_from_kip", "misconfiguration", "older_semantics")


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows, or why there are none. state: `ok`, `no_lake`, `missing` (table not written yet) or `failed`.

    total: rows there are, of which `rows` are the first. problem: what failed, in a sentence.
    """

    state: str
    rows: list[Row] = field(default_factory=list)
    total: int = 0
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Freshness:
    """How old what is shown is. newest_line_at: largest time of a log line; run: last row of gold.runs."""

    newest_line_at: int | None
    run: Row | None
    failed_checks: int | None


class LakeQueries:
    """Questions to one lake. Nothing is kept between two questions: what is shown is what the lake holds."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def violations(self) -> Answer:
        """All violations: broken promises first, the latest first among equals."""
        return _ordered(self._ask("gold.violations"), _by_urgency)

    def incidents(self) -> Answer:
        """All incidents, the latest first."""
        return _ordered(self._ask("gold.incidents"), lambda row: -(row["started_at"] or 0))

    def unjudged(self) -> Answer:
        """What could not be judged, the most subjects first."""
        return _ordered(self._ask("gold.unjudged"), lambda row: (-row["subjects"], row["rule_id"]))

    def finding(self, finding_id: str) -> Answer:
        """One violation by its id, or one finding that was folded into a violation."""
        found = self._by_id("gold.violations", "violation_id", finding_id)
        return (
            found
            if found.rows or found.state != "ok"
            else self._by_id("silver.findings", "finding_id", finding_id)
        )

    def incident(self, incident_id: str) -> Answer:
        """One incident."""
        return self._by_id("gold.incidents", "incident_id", incident_id)

    def freshness(self) -> Freshness:
        """How old the data is; None for what the lake does not say (yet)."""
        runs = sorted(self._ask("gold.runs").rows, key=lambda row: row["started_at"])
        run = runs[-1] if runs else None
        return Freshness(self._newest_line_at(), run, self._failed_checks(run))

    def episodes(self, subject_id: str) -> tuple[str, list[Row]] | None:
        """The rows of a rebuilt episode (a sequence of waits has several); None for what no table keeps."""
        for table, column in EPISODE_IDS.items():
            found = self._by_id(table, column, subject_id)
            if found.rows:
                return table, found.rows
        return None

    def subject_of(self, finding: Row) -> str | None:
        """The episode of a violation's worst occurrence, where the violation stands for a whole client."""
        if finding.get("violation_id") is None:
            return None
        found = self._by_id("silver.findings", "finding_id", finding["finding_id"]).rows
        return found[0]["subject_id"] if found else None

    def lines(self, event_ids: Sequence[str]) -> list[ProvingLine]:
        """The log records of these events, in the order of the ids; unknown ids are left out."""
        events = {row["event_id"]: row for row in self._among("silver.client_events", "event_id", event_ids)}
        records = list(dict.fromkeys(row["record_id"] for row in events.values()))
        texts = {
            row["record_id"]: row["text"] for row in self._among("bronze.log_records", "record_id", records)
        }
        return [
            ProvingLine(
                event_id=event_id,
                happened_at=event["happened_at"],
                label=event_label(event),
                source=event["source"],
                line=event["line"],
                text=texts.get(event["record_id"]),
            )
            for event_id in event_ids
            if (event := events.get(event_id))
        ]

    def _by_id(self, table: str, column: str, wanted: str) -> Answer:
        if not ID.fullmatch(wanted):
            return Answer("ok")
        return self._ask(table, [(column, "=", wanted)])

    def _among(self, table: str, column: str, ids: Iterable[str]) -> list[Row]:
        wanted = [one for one in ids if ID.fullmatch(one)]
        return self._ask(table, [(column, "in", wanted)]).rows if wanted else []

    def _failed_checks(self, run: Row | None) -> int | None:
        if run is None:
            return None
        checks = self._ask("gold.table_checks", [("run_id", "=", run["run_id"])])
        return sum(not row["success"] for row in checks.rows) if checks.rows else None

    def _newest_line_at(self) -> int | None:
        """From the files' statistics: no row is read."""
        path = self._path("silver.client_events")
        try:
            actions = (
                DeltaTable(path).get_add_actions(flatten=True) if DeltaTable.is_deltatable(path) else None
            )
        except (DeltaError, OSError):
            return None
        if actions is None or "max.happened_at" not in actions.schema.names:
            return None
        index = actions.schema.names.index("max.happened_at")
        newest = [at for at in actions.column(index).to_pylist() if at is not None]
        return _ms(max(newest)) if newest else None

    def _path(self, table: str) -> str:
        return str(self.root.joinpath(*table.split(".")))

    def _ask(self, table: str, filters: list[tuple[str, str, Any]] | None = None) -> Answer:
        if not self.root.is_dir():
            return Answer("no_lake", problem=f"there is no folder {self.root}")
        path = self._path(table)
        try:
            if not DeltaTable.is_deltatable(path):
                return Answer("missing", problem=f"{table} has not been written yet")
            names = list(TABLES[table].column_names)
            # Arrow's own file system: deltalake's is Python, slower, and unsafe in threads that outlive the interpreter.
            files = SubTreeFileSystem(path, LocalFileSystem())
            found = DeltaTable(path).to_pyarrow_table(columns=names, filesystem=files, filters=filters)
        except (DeltaError, ArrowException, OSError, ValueError, KeyError) as failure:
            return Answer("failed", problem=f"{table}: {type(failure).__name__}: {failure}")
        rows = [_in_ms(row) for row in found.to_pylist()]
        return Answer("ok", rows, len(rows))


def _ordered(answer: Answer, key: Any) -> Answer:
    return Answer(answer.state, sorted(answer.rows, key=key)[:MOST_ROWS], answer.total, answer.problem)


def _by_urgency(row: Row) -> tuple[int, int, str]:
    return (
        CATEGORY_ORDER.index(row["category"]),
        -(row["last_at"] or row["happened_at"] or 0),
        row["violation_id"],
    )


def _in_ms(row: Mapping[str, Any]) -> Row:
    return {name: _ms(value) if isinstance(value, datetime) else value for name, value in row.items()}


def _ms(at: datetime) -> int:
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)
