"""What a lake and its job tell Prometheus."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from prometheus_client.core import GaugeMetricFamily

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


def _family(
    name: str, says: str, labels: tuple[str, ...], values: Mapping[tuple[str, ...], float]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, says, labels=labels)
    for key, value in sorted(values.items()):
        family.add_metric(list(key), value)
    return family


COUNTERS = {
    "triggers": "Looks for input, with and without any",
    "triggers_with_input": "Triggers that had something to do",
    "failures": "Triggers that failed; what they left is finished by the next",
    "rows_in": "Log records read",
    "rows_out": "Events written",
    "late": "Events that came later than stream.allowed_lateness_hours: the next run folds them in",
    "quarantined": "Pieces of input that no reader understood (bronze.unparsed)",
    "trigger_seconds": "Time spent in triggers",
}
GAUGES = {
    "last_trigger_seconds": "How long the last trigger with input took",
    "last_trigger_timestamp_seconds": "When the last trigger ended",
    "lag_seconds": "From the newest record's time to the end of the last trigger with input",
    "backlog_bytes": "Bytes of files that the last trigger left for the next",
    "backlog_messages": "Messages of topics that the last trigger left for the next",
}
