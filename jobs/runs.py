"""gold.runs: a row for each run, and for each trigger of a stream that had something to do. It and gold.table_checks, which
tells of the same runs, are bounded: of more rows than conf says the older ones go, until half are left."""

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate

import pyarrow as pa
import pyarrow.compute as pc

from conf.settings import LakeConf
from expectations import TABLES
from jobs.storage.lake import LakeWriter, read_arrow
from jobs.storage.table_cache import open_table

RUNS, CHECKS = "gold.runs", "gold.table_checks"
# Each run's row is a file of its own at first, and runs that find nothing new have no upkeep: of more files they become one.
MOST_FILES = 200


@dataclass(slots=True)
class RunResult:
    """What a run did, for people and for --json. Counts of rows; `changed` by table; `seconds` by step.

    read: sources that had something new. unparsed: pieces that no reader understood, of what was read for good.
    late: events that stand aside until the next run. is_checked: the tables were checked at its end.
    lag_ms: from the newest record's time to the end of the run. left_bytes, left_files, left_messages: what its limits
    left for the next; bytes are of files.
    """

    run_id: str
    status: str = "done"
    sources: int = 0
    read: int = 0
    records: int = 0
    events: int = 0
    units: int = 0
    unparsed: int = 0
    late: int = 0
    left_bytes: int = 0
    left_files: int = 0
    left_messages: int = 0
    lag_ms: int | None = None
    changed: dict[str, bool] = field(default_factory=dict)
    failed_checks: int = 0
    is_checked: bool = False
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def has_more(self) -> bool:
        """Whether the next run has something to do at once."""
        return self.left_files + self.left_messages > 0

    def add(self, other: "RunResult") -> None:
        """A run that took what there is in several parts."""
        for name in ("read", "records", "events", "units", "unparsed", "late", "failed_checks"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.lag_ms, self.left_bytes = other.lag_ms, other.left_bytes
        self.left_files, self.left_messages = other.left_files, other.left_messages
        for table, is_changed in other.changed.items():
            self.changed[table] = is_changed or self.changed.get(table, False)


def log_run(lake: LakeWriter, result: RunResult, job: str, began: datetime, keep: LakeConf) -> None:
    """Add the row of one run, and drop old ones and their checks where there are too many."""
    row = {
        "run_id": result.run_id,
        "job": job,
        "started_at": int(began.timestamp() * 1000),
        "ended_at": int(time.time() * 1000),
        "status": result.status,
        "rows_in": result.records,
        "rows_out": result.events,
        "lag_ms": result.lag_ms,
    }
    lake.add(TABLES[RUNS].arrow_table([row]), RUNS)
    if lake.count(CHECKS) > keep.most_checks:
        _drop_checks(lake, keep.most_checks // 2)
    if lake.count(RUNS) > keep.most_runs:
        lake.overwrite(_newest_runs(lake).slice(0, max(1, keep.most_runs // 2)), RUNS)
    elif len(open_table(lake.path(RUNS)).table.file_uris()) > MOST_FILES:
        lake.overwrite(_newest_runs(lake), RUNS)


def _drop_checks(lake: LakeWriter, most: int) -> None:
    """Keep those of the newest runs, as many whole runs as fit, one at least; a run that was killed is none of them."""
    checks = read_arrow(lake.path(CHECKS), TABLES[CHECKS].column_names)
    counts = Counter(checks["run_id"].to_pylist())
    checked = [run for run in _newest_runs(lake)["run_id"].to_pylist() if run in counts]
    totals = accumulate(counts[run] for run in checked)
    kept = [
        run
        for number, (run, total) in enumerate(zip(checked, totals, strict=True))
        if not number or total <= most
    ]
    lake.overwrite(checks.filter(pc.field("run_id").isin(pa.array(kept, pa.string()))), CHECKS)


def _newest_runs(lake: LakeWriter) -> pa.Table:
    """All of them, the newest first."""
    return read_arrow(lake.path(RUNS), TABLES[RUNS].column_names).sort_by([("started_at", "descending")])
