"""What samples of a client warn of, and no timer of Kafka's judges: early warnings, never findings.

Source: SelectorMetrics (connection-count, failed-authentication-total); ConsumerCoordinatorMetrics, HeartbeatMetricsManager
(failed-rebalance-total, rebalance-total, assigned-partitions, heartbeat-rate, heartbeat-total: answers);
KafkaConsumerMetrics (poll-idle-ratio-avg: the share of its time that a consumer spends inside poll(), KIP-517). Rates and
ratios are of the last 30 to 60 s. ShareFetchMetricsManager (acknowledgements-error-total, KIP-932): no line tells of a
lock that ran out.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from transforms.diagnose.reports.report import iso
from transforms.timers.samples.series import Series

COORDINATOR, CONSUMER = "consumer-coordinator-metrics", "consumer-metrics"
SHARE = "consumer-share-fetch-manager-metrics"
CONNECTIONS = ("producer-metrics", CONSUMER, "admin-client-metrics")
LOOKED_AT = {
    COORDINATOR: frozenset(
        {
            "failed-rebalance-total",
            "rebalance-total",
            "assigned-partitions",
            "heartbeat-rate",
            "heartbeat-total",
        }
    ),
    **{kind: frozenset({"connection-count", "failed-authentication-total"}) for kind in CONNECTIONS},
    CONSUMER: frozenset({"connection-count", "failed-authentication-total", "poll-idle-ratio-avg"}),
    SHARE: frozenset({"acknowledgements-error-total"}),
}
# A first join is refused once, to give the member its id (KIP-394).
REFUSED_JOINS = 3
# Nineteen twentieths of its time in the application.
BUSY = 0.05
# The longest window of a rate.
RATE_MS = 60_000

Points = Sequence[tuple[int, float]]


def metric_warnings(
    series: Iterable[Series], *, window_ms: int, data_clock: int | None
) -> dict[str, list[str]]:
    """A sentence for each thing to warn of, by client.id of one process; each says since when, and by which metric.

    window_ms: as long before a client's newest sample is looked back. data_clock: of the process's log, ms; samples that are
    older by window_ms tell nothing of now.
    """
    by_client: dict[str, dict[str, list[Series]]] = {}
    for one in series:
        if one.client_id is not None and one.attribute in LOOKED_AT.get(one.mbean_type, ()):
            by_client.setdefault(one.client_id, {}).setdefault(one.attribute, []).append(one)
    warnings = {}
    for client_id, of in by_client.items():
        # Of two clients of one name it can't be told whose a sample is.
        client = _Client(
            {name: found[0] for name, found in of.items() if len(found) == 1}, window_ms, data_clock
        )
        if sentences := [sentence for check in _CHECKS if (sentence := check(client)) is not None]:
            warnings[client_id] = sentences
    return warnings


@dataclass(frozen=True, slots=True)
class _Client:
    of: Mapping[str, Series]
    window_ms: int
    data_clock: int | None

    def recent(self, attribute: str) -> Points:
        """Its samples of the window; none where even the newest is old."""
        one = self.of.get(attribute)
        known = [] if one is None else [
            (at, value) for at, value in zip(one.times, one.values, strict=True) if value is not None
        ]  # fmt: skip
        if not known or (self.data_clock is not None and self.data_clock - known[-1][0] > self.window_ms):
            return []
        return [(at, value) for at, value in known if known[-1][0] - at <= self.window_ms]

    def risen(self, attribute: str) -> tuple[int, float] | None:
        """Since when a count rose and by how much; None where it stands, is not there, or began again."""
        points = self.recent(attribute)
        steps = [(one, other) for one, other in pairwise(points) if one[1] != other[1]]
        if not steps or any(other[1] < one[1] for one, other in steps):
            return None
        return steps[0][0][0], points[-1][1] - points[0][1]

    def stays(self, attribute: str, holds: Callable[[float], bool]) -> int | None:
        """Since when a value has been so up to its newest sample, where that is longer than a rate's window."""
        since = None
        points = self.recent(attribute)
        for at, value in reversed(points):
            if not holds(value):
                break
            since = at
        return since if since is not None and points[-1][0] - since > RATE_MS else None


def _unauthenticated(client: _Client) -> str | None:
    risen = client.risen("failed-authentication-total")
    if risen is None:
        return None
    return (
        f"brokers refused its authentication {risen[1]:.0f} times since {iso(risen[0])}; by metrics: "
        "failed-authentication-total"
    )


def _unconnected(client: _Client) -> str | None:
    since = client.stays("connection-count", lambda value: value == 0)
    return (
        None
        if since is None
        else f"it has had no connection to any broker since {iso(since)}; by metrics: connection-count"
    )


def _joins_in_vain(client: _Client) -> str | None:
    risen, joined = client.risen("failed-rebalance-total"), client.recent("rebalance-total")
    if risen is None or risen[1] < REFUSED_JOINS or not joined or joined[0][1] != joined[-1][1]:
        return None
    return (
        f"it tried to join its group {risen[1]:.0f} times in vain since {iso(risen[0])}; by metrics: "
        "failed-rebalance-total"
    )


def _unheard(client: _Client) -> str | None:
    """Only of who beat before: partitions assigned by hand are counted too, and need no heartbeat."""
    since = client.stays("heartbeat-rate", lambda value: value == 0)
    has_partitions = client.stays("assigned-partitions", lambda value: value > 0) is not None
    has_beaten = any(value > 0 for _, value in client.recent("heartbeat-total"))
    if since is None or not (has_partitions and has_beaten):
        return None
    return f"no heartbeat of it was answered since {iso(since)}, and it has partitions; by metrics: heartbeat-rate"


def _busy(client: _Client) -> str | None:
    since = client.stays("poll-idle-ratio-avg", lambda value: value <= BUSY)
    return (
        None
        if since is None
        else (
            f"its application has held it outside poll() for 95 % of the time or more since {iso(since)}; by metrics: "
            "poll-idle-ratio-avg"
        )
    )


def _unlocked(client: _Client) -> str | None:
    risen = client.risen("acknowledgements-error-total")
    if risen is None:
        return None
    return (
        f"brokers refused {risen[1]:.0f} of its acknowledgements since {iso(risen[0])}, as they do when a record's lock ran "
        "out (group.share.record.lock.duration.ms): such records are given to another member; by metrics: "
        "acknowledgements-error-total"
    )


_CHECKS: tuple[Callable[[_Client], str | None], ...] = (
    _unauthenticated,
    _unconnected,
    _joins_in_vain,
    _unheard,
    _busy,
    _unlocked,
)
