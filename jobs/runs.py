"""gold.runs: a row for each run, and for each trigger of a stream that had something to do. It and gold.table_checks, which
tells of the same runs, are bounded: of more rows than conf says the older ones go, until half are left."""

import time
from collections import Counter
from datetime import datetime
from itertools import accumulate

import pyarrow as pa
import pyarrow.compute as pc

from conf.settings import LakeConf
from expectations import TABLES
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from jobs.storage.table_cache import open_table
from transforms.plans.run_result import RunResult

RUNS, CHECKS = "gold.runs", "gold.table_checks"
# Each run's row is a file of its own at first, and runs that find nothing new have no upkeep: of more files they become one.
MOST_FILES = 200


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
    elif open_table(lake.path(RUNS)).files.num_rows > MOST_FILES:
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
