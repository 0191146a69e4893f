"""What a lake says of its fleet now, as gauges: incidents that go on, broken promises, and the least time that is left.

"Now" is the job's clock, and only gauges are by it. What began longer ago than a setting says goes on no more for them: a
backfill of old logs is no alarm, and a log that ended says nothing of what its clients do since.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc

from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import batches_where
from transforms.explain.gauges import MOST_SERIES, FleetNow

INCIDENTS, VIOLATIONS, TIMERS = "gold.incidents", "gold.violations", "gold.open_timers"


def fleet_now(lake: LakeWriter, now: float, max_age_seconds: float) -> FleetNow:
    """What the tables say. now: s since the epoch; what began more than max_age_seconds before goes on no more."""
    since = pa.scalar(datetime.fromtimestamp(now - max_age_seconds, UTC), pa.timestamp("us", "UTC"))
    began = pc.field("started_at") >= since
    goes_on = began & pc.is_null(pc.field("ended_at")) & (pc.field("verdict") != "benign")
    deadlines: dict[tuple[str, ...], float] = {}
    runs = pc.field("deadline_at") >= since
    for batch in batches_where(lake.path(TIMERS), ("kind", "service", "deadline_at"), runs):
        for row in batch.to_pylist():
            labels, at = (row["kind"], row["service"] or ""), row["deadline_at"].timestamp()
            deadlines[labels] = min(at, deadlines.get(labels, at))
    return FleetNow(
        _counted(lake, INCIDENTS, ("service", "kind", "verdict", "impact"), goes_on),
        _counted(lake, VIOLATIONS, ("rule_id", "category"), pc.scalar(True)),
        deadlines,
    )


def _counted(
    lake: LakeWriter, table: str, labels: Sequence[str], wanted: pc.Expression
) -> dict[tuple[str, ...], int]:
    counts: Counter[tuple[str, ...]] = Counter()
    for batch in batches_where(lake.path(table), labels, wanted):
        columns = (batch.column(label).to_pylist() for label in labels)
        counts.update(tuple(value or "" for value in row) for row in zip(*columns, strict=True))
    return dict(counts.most_common(MOST_SERIES))
