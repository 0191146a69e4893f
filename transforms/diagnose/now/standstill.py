"""A stream thread that processes nothing while it runs, polls, and records wait for it: an early warning, never a finding.

Kafka has no timer for it: task.timeout.ms runs from a TimeoutException on, and none of the causes need be a fault. A paused
topology (KafkaStreams.pause, KIP-834) shows in no metric, so what is said is only what was seen.
Source: StreamThread.runOnce (polls, then processes); ThreadMetrics, StreamsMetricsImpl (level INFO); FetchMetricsManager
(records-lag keeps its last value, records-lag-max is of the last 30 to 60 s); KIP-695 (max.task.idle.ms).
"""

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass

from transforms.diagnose.reports.report import iso
from transforms.timers.samples.series import Series

THREAD, CLIENT = "stream-thread-metrics", "stream-metrics"
COORDINATOR, FETCH = "consumer-coordinator-metrics", "consumer-fetch-manager-metrics"
# MBean type -> what is looked at.
LOOKED_AT = {
    THREAD: frozenset({"process-total", "poll-total", "state"}),
    CLIENT: frozenset({"state"}),
    COORDINATOR: frozenset({"assigned-partitions", "rebalance-total"}),
    FETCH: frozenset({"records-lag", "records-lag-max"}),
}
RUNNING = "RUNNING"
CONSUMER = "-consumer"


@dataclass(frozen=True, slots=True)
class Standstill:
    """A stream thread whose process-total stood from since_at to seen_at at least; ms UTC, by the samples.

    client_id: its consumer's.
    """

    client_id: str
    since_at: int
    seen_at: int
    processed: float
    polls: float
    lag: float

    @property
    def told(self) -> str:
        """One sentence: what, since when, and how it is known. Not for how long: the row stays as it is while it lasts."""
        return (
            f"its stream thread runs and polls, and has processed nothing since {iso(self.since_at)} though records "
            f"wait; by metrics: process-total stands at {self.processed:.0f}, no task timer runs. A paused topology "
            "looks the same"
        )


def standstills(
    series: Iterable[Series], *, timed: Set[str], still_ms: int, idle_ms: int | None, data_clock: int | None
) -> list[Standstill]:
    """The threads of one process that stand still as of its newest samples.

    timed: threads of which a task timer runs: it tells more. still_ms: for longer than that. idle_ms: max.task.idle.ms, for
    which a task may wait for another partition's records; None where it is not known. data_clock: of the process's log;
    samples that are older than still_ms by it tell nothing of now.
    """
    process = _Process(series)
    found = []
    for thread in process.threads:
        still = process.still(thread)
        if still is None or thread in timed:
            continue
        is_of_now = data_clock is None or data_clock - still.seen_at <= still_ms
        if is_of_now and still.seen_at - still.since_at > max(still_ms, idle_ms or 0):
            found.append(still)
    return found


class _Process:
    def __init__(self, series: Iterable[Series]) -> None:
        self._series = list(series)

    @property
    def threads(self) -> list[str]:
        """Those that have samples."""
        counts = self._of(THREAD, "process-total")
        return sorted({one.tags["thread-id"] for one in counts if "thread-id" in one.tags})

    def still(self, thread: str) -> Standstill | None:
        """Since when its count stands, if all the while it ran, polled, had records to take, and no rebalance."""
        processed = self._one(THREAD, "process-total", thread_id=thread)
        if processed is None or not processed.times or processed.values[-1] is None:
            return None
        count, place = processed.values[-1], len(processed.times) - 1
        while place and processed.values[place - 1] == count:
            place -= 1
        since, until = processed.times[place], processed.times[-1]
        client = thread + CONSUMER
        polls = _values(self._one(THREAD, "poll-total", thread_id=thread), since, until)
        rebalances = _values(self._one(COORDINATOR, "rebalance-total", client_id=client), since, until)
        lag = self._lag(client, since, until)
        if not (len(polls) > 1 and len(rebalances) > 1) or lag is None:
            return None
        goes_on = polls[-1] > polls[0] and rebalances[0] == rebalances[-1]
        if not (goes_on and self._runs(thread, since, until) and self._has_partitions(client, since, until)):
            return None
        return Standstill(client, since, until, count, polls[-1] - polls[0], lag)

    def _runs(self, thread: str, since: int, until: int) -> bool:
        """Of its own state where that is told (4.0), else of the client's: that runs where all its threads do."""
        own = self._one(THREAD, "state", thread_id=thread)
        states = (
            [own] if own is not None else [one for one in self._of(CLIENT, "state") if _is_of(one, thread)]
        )
        if len(states) != 1:
            return False
        one = states[0]
        texts = [text for at, text in zip(one.times, one.texts or (), strict=False) if since <= at <= until]
        return len(texts) > 1 and all(text == RUNNING for text in texts)

    def _has_partitions(self, client: str, since: int, until: int) -> bool:
        values = _values(self._one(COORDINATOR, "assigned-partitions", client_id=client), since, until)
        return len(values) > 1 and min(values) > 0

    def _lag(self, client: str, since: int, until: int) -> float | None:
        """The smallest lag that was seen, of a partition whose lag never was 0; None where each was, or none was seen."""
        lags = []
        for attribute in LOOKED_AT[FETCH]:
            for one in self._of(FETCH, attribute):
                values = _values(one, since, until) if one.client_id == client else []
                is_last_known = bool(values) and one.values[-1] is not None
                if len(values) > 1 and is_last_known and min(values) > 0:
                    lags.append(min(values))
        return max(lags, default=None)

    def _of(self, mbean_type: str, attribute: str) -> list[Series]:
        return [one for one in self._series if (one.mbean_type, one.attribute) == (mbean_type, attribute)]

    def _one(
        self, mbean_type: str, attribute: str, *, thread_id: str | None = None, client_id: str | None = None
    ) -> Series | None:
        wanted: Callable[[Series], bool] = (
            (lambda one: one.tags.get("thread-id") == thread_id)
            if thread_id is not None
            else (lambda one: one.client_id == client_id)
        )
        found = [one for one in self._of(mbean_type, attribute) if wanted(one)]
        return found[0] if len(found) == 1 else None


def _is_of(client: Series, thread: str) -> bool:
    return client.client_id is not None and thread.startswith(f"{client.client_id}-StreamThread-")


def _values(one: Series | None, since: int, until: int) -> list[float]:
    if one is None:
        return []
    return [
        value
        for at, value in zip(one.times, one.values, strict=True)
        if since <= at <= until and value is not None
    ]
