"""What a lake says of its fleet now, as gauges: incidents that go on, broken promises, and the least time that is left.

"Now" is the job's clock, and only gauges are by it. What began longer ago than a setting says goes on no more for them: a
backfill of old logs is no alarm, and a log that ended says nothing of what its clients do since.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc
from prometheus_client.core import GaugeMetricFamily

from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import batches_where

INCIDENTS, VIOLATIONS, TIMERS = "gold.incidents", "gold.violations", "gold.open_timers"
# A scrape stays small whatever the fleet: of more label sets those that count most are there.
MOST_SERIES = 1000


@dataclass(frozen=True, slots=True)
class FleetNow:
    """incidents: how many go on, by service, kind, verdict and impact. violations: rows by rule and category.

    deadlines: the next one by kind of timer and service, in s since the epoch.
    """

    incidents: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    violations: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    deadlines: Mapping[tuple[str, ...], float] = field(default_factory=dict)

    def families(self, now: float) -> Iterator[GaugeMetricFamily]:
        """As Prometheus' client takes them. now: s since the epoch."""
        yield _family(
            "kipwatch_incidents_open",
            "Incidents that began lately and go on, but for the benign",
            ("service", "kind", "verdict", "impact"),
            self.incidents,
        )
        yield _family(
            "kipwatch_violations", "Rows of gold.violations", ("rule_id", "category"), self.violations
        )
        yield _family(
            "kipwatch_timer_remaining_seconds",
            "The least time that an open timer has left",
            ("kind", "service"),
            {labels: at - now for labels, at in self.deadlines.items()},
        )


NOTHING_KNOWN = FleetNow()


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


def _family(
    name: str, says: str, labels: tuple[str, ...], values: Mapping[tuple[str, ...], float]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, says, labels=labels)
    for key, value in sorted(values.items()):
        family.add_metric(list(key), value)
    return family
