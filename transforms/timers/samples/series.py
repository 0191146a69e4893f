"""Samples of one process as its machines read them: a series is one attribute of one MBean over time.

A sample is as of its scrape, so what it tells is an interval, never a point. Source: Kafka clients, JmxReporter; Jolokia
2.1, BackendManager (the timestamp is the process's own, cut to whole seconds).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from transforms.parse.metrics.samples import COLLECTOR, MetricSample

# MBean type -> the attributes that machines read. Who carries samples to the folds carries no others.
EVIDENCE: Mapping[str, frozenset[str]] = {
    "app-info": frozenset({"start-time-ms"}),
    "consumer-coordinator-metrics": frozenset(
        {
            "commit-total",
            "heartbeat-response-time-max",
            "heartbeat-total",
            "last-heartbeat-seconds-ago",
            "rebalance-total",
        }
    ),
    "consumer-metrics": frozenset({"last-poll-seconds-ago", "time-between-poll-max"}),
    "producer-metrics": frozenset(
        {
            "bufferpool-wait-time-ns-total",
            "produce-throttle-time-max",
            "record-error-total",
            "record-queue-time-max",
            "record-retry-total",
            "record-send-total",
            "request-latency-max",
            "requests-in-flight",
        }
    ),
    "stream-metrics": frozenset({"state"}),
    "stream-task-metrics": frozenset({"active-process-ratio", "process-total"}),
    "stream-thread-metrics": frozenset({"poll-total", "process-total", "state"}),
}

SECOND_MS = 1_000


def attributes() -> list[str]:
    """Every attribute that a machine reads, of whatever MBean."""
    return sorted(frozenset[str]().union(*EVIDENCE.values()))


def evidence(of: Mapping[str, frozenset[str]] = EVIDENCE) -> list[str]:
    """`type/attribute` of all that machines read, or others do."""
    return sorted(f"{kind}/{name}" for kind, names in of.items() for name in names)


@dataclass(frozen=True)
class Series:
    """One attribute of one MBean of one process. times: ms UTC, ascending, each once; values beside them.

    values: None for NaN and texts. texts: None where the attribute is a number. clock: whose clock told the times; what
    a collector's clock says is never held against a time in the log.
    """

    unit_id: str
    mbean: str
    attribute: str
    client_id: str | None
    tags: Mapping[str, str]
    times: Sequence[int]
    values: Sequence[float | None]
    texts: Sequence[str | None] | None = None
    clock: str = COLLECTOR

    @property
    def mbean_type(self) -> str:
        """The metric group, such as `consumer-metrics`."""
        return self.tags.get("type", "")

    @cached_property
    def grain_ms(self) -> int:
        """How much later than its time a sample may have been taken, because its clock was cut to that."""
        return SECOND_MS if all(at % SECOND_MS == 0 for at in self.times) else 1


class Samples:
    """The series of one process, found by what they speak of. Of two that fit neither is given."""

    def __init__(self, series: Iterable[Series] = ()) -> None:
        self.series = sorted(series, key=lambda one: (one.mbean, one.attribute))
        # What readers made of a series, once for all that ask (transforms.timers.groups.membership_samples).
        self.instants: dict[tuple[str | None, str, str], list[Any]] = {}
        self.counts: dict[tuple[str | None, str], Any] = {}
        self._of_client: dict[tuple[str | None, str, str], list[Series]] = defaultdict(list)
        self._of_task: dict[tuple[str | None, str | None, str, str], list[Series]] = defaultdict(list)
        for one in self.series:
            kind, attribute, tags = one.mbean_type, one.attribute, one.tags
            if "thread-id" in tags:
                self._of_task[tags["thread-id"], tags.get("task-id"), kind, attribute].append(one)
            elif not tags.keys() - {"type", "client-id", "id", "process-id"}:
                self._of_client[one.client_id, kind, attribute].append(one)

    def __bool__(self) -> bool:
        return bool(self.series)

    def of(self, client_id: str | None, mbean_type: str, attribute: str) -> Series | None:
        """A client's own series; not those by topic or node."""
        return _only(self._of_client.get((client_id, mbean_type, attribute), ()))

    def of_thread(self, thread_id: str | None, attribute: str) -> Series | None:
        """A stream thread's series."""
        return _only(self._of_task.get((thread_id, None, "stream-thread-metrics", attribute), ()))

    def of_task(self, thread_id: str | None, task_id: str, attribute: str) -> Series | None:
        """A task's series on a stream thread."""
        return _only(self._of_task.get((thread_id, task_id, "stream-task-metrics", attribute), ()))


NO_SAMPLES = Samples()


def _only(found: Sequence[Series]) -> Series | None:
    return found[0] if len(found) == 1 else None


@dataclass(slots=True)
class _Points:
    first: MetricSample
    at: dict[int, MetricSample] = field(default_factory=dict)


def series_of(unit_id: str, samples: Iterable[MetricSample], clock: str = COLLECTOR) -> list[Series]:
    """Samples of one process, in the order their sources go, as series; of one time the first stays.

    Only what is EVIDENCE.
    """
    found: dict[tuple[str, str], _Points] = {}
    for sample in samples:
        if sample.attribute in EVIDENCE.get(sample.tags.get("type", ""), ()):
            points = found.setdefault((sample.mbean, sample.attribute), _Points(sample))
            points.at.setdefault(sample.sampled_at, sample)
    return [_series(unit_id, points, clock) for _, points in sorted(found.items())]


def _series(unit_id: str, points: _Points, clock: str) -> Series:
    first = points.first
    in_time = [sample for _, sample in sorted(points.at.items())]
    texts = [sample.text_value for sample in in_time]
    return Series(
        unit_id,
        first.mbean,
        first.attribute,
        first.client_id,
        first.tags,
        [sample.sampled_at for sample in in_time],
        [sample.value for sample in in_time],
        texts if any(text is not None for text in texts) else None,
        clock,
    )
