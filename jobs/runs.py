"""gold.runs: a row for each run, and for each trigger of a stream that had something to do; bounded."""

import time
from datetime import datetime
from typing import TYPE_CHECKING

from deltalake import DeltaTable, write_deltalake

from expectations import TABLES
from jobs.lake import Lake, read_arrow

if TYPE_CHECKING:
    from jobs.pipeline import RunResult

RUNS = "gold.runs"
MOST_RUNS = 20_000
# Each row is a file of its own at first: after so many commits they are put into one.
TOGETHER_EVERY = 200


def log_run(lake: Lake, result: "RunResult", job: str, began: datetime) -> None:
    """Add the row of one run; of many the newest MOST_RUNS are kept."""
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
    contract = TABLES[RUNS]
    write_deltalake(lake.path(RUNS), contract.arrow_table([row]), mode="append")
    if DeltaTable(lake.path(RUNS)).version() % TOGETHER_EVERY == 0:
        runs = read_arrow(lake.path(RUNS), contract.arrow_schema().names)
        newest = runs.sort_by([("started_at", "descending")]).slice(0, MOST_RUNS)
        write_deltalake(lake.path(RUNS), newest, mode="overwrite")
