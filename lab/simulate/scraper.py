"""What Jolokia reads of a simulated client: its gauges and counts each second or few, stamped with the process's second.

Written from KafkaConsumerMetrics, AbstractCoordinator.GroupCoordinatorMetrics and SenderMetricsRegistry. A request that
meets a process that stands still is answered when it wakes; one that was read just before is stamped when it wakes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from lab.simulate.loop import Loop

SECOND, WINDOW = 1_000, 30_000
CONSUMER = "kafka.consumer:type=consumer-metrics,client-id={client}"
COORDINATOR = "kafka.consumer:type=consumer-coordinator-metrics,client-id={client}"
PRODUCER = "kafka.producer:type=producer-metrics,client-id={client}"
INFO = "kafka.{kind}:type=app-info,client-id={client}"

Read = Mapping[tuple[str, str], float | None]
# (MBean, attribute) -> (stamp in ms, value), of one process.
Scraped = dict[tuple[str, str], list[tuple[int, float | None]]]


@dataclass
class Gauges:
    """What a consumer counts of itself. Instants by the true time."""

    begun: int = 0
    polled_at: int | None = None
    gaps: list[tuple[int, int]] = field(default_factory=list)
    beat_at: int | None = None
    beats: int = 0
    answers: list[tuple[int, int]] = field(default_factory=list)
    rebalances: int = 0
    commits: int = 0

    def poll(self, now: int) -> None:
        self.gaps.append((now, 0 if self.polled_at is None else now - self.polled_at))
        self.polled_at = now

    def answered(self, now: int) -> None:
        self.beats += 1
        self.answers.append((now, now - (self.beat_at or now)))

    def read(self, client: str, now: int, started_at: int) -> Read:
        """All of them at one instant. started_at: by the client's own clock."""
        consumer, coordinator = CONSUMER.format(client=client), COORDINATOR.format(client=client)
        return {
            (INFO.format(kind="consumer", client=client), "start-time-ms"): float(started_at),
            (consumer, "last-poll-seconds-ago"): _ago(self.polled_at, now),
            (consumer, "time-between-poll-max"): self._longest(self.gaps, now),
            (coordinator, "last-heartbeat-seconds-ago"): _ago(self.beat_at, now),
            (coordinator, "heartbeat-total"): float(self.beats),
            (coordinator, "heartbeat-response-time-max"): self._longest(self.answers, now),
            (coordinator, "rebalance-total"): float(self.rebalances),
            (coordinator, "commit-total"): float(self.commits),
        }

    def _longest(self, recorded: Sequence[tuple[int, int]], now: int) -> float | None:
        """Two windows of 30 s, the younger of which has begun."""
        oldest = ((now - self.begun) // WINDOW - 1) * WINDOW + self.begun
        longest: int | None = None
        for at, ms in reversed(recorded):
            if at < oldest:
                break
            longest = ms if longest is None or ms > longest else longest
        return None if longest is None else float(longest)


@dataclass
class Counts:
    """What a producer counts of itself: records."""

    retried: int = 0
    failed: int = 0

    def read(self, client: str, started_at: int) -> Read:
        """All of them at one instant."""
        producer = PRODUCER.format(client=client)
        return {
            (INFO.format(kind="producer", client=client), "start-time-ms"): float(started_at),
            (producer, "record-retry-total"): float(self.retried),
            (producer, "record-error-total"): float(self.failed),
        }


def _ago(at: int | None, now: int) -> float:
    return -1.0 if at is None else float((now - at) // SECOND)


@dataclass
class Scraper:
    """Asks one process, from `since` on. frozen: its standstills, from and to; by the true time."""

    loop: Loop
    rng: Random
    read: Callable[[], Read | None]
    clock_ms: int = 0
    frozen: Sequence[tuple[int, int]] = ()
    scraped: Scraped = field(default_factory=dict)

    def start(self) -> None:
        self.every = self.rng.choice((1_000, 1_000, 2_000))
        self.loop.after(self.rng.randint(0, self.every), self._ask)

    def _ask(self) -> None:
        now = self.loop.now
        rest = next((end - now for begin, end in self.frozen if begin <= now < end), 0)
        soon = next((end - now for begin, end in self.frozen if now < begin < now + 1_000), 0)
        if rest:
            self.loop.after(rest + 1, self._answer, None)
        elif soon and self.rng.random() < 0.5:
            self.loop.after(soon + 1, self._answer, self.read())
        else:
            self._answer(self.read())

    def _answer(self, values: Read | None) -> None:
        stamp = (self.loop.now + self.clock_ms) // SECOND * SECOND
        for key, value in ((self.read() if values is None else values) or {}).items():
            self.scraped.setdefault(key, []).append((stamp, value))
        self.loop.after(self.every + self.rng.randint(0, 30), self._ask)


def merged(all_scraped: Sequence[Scraped]) -> Scraped:
    """Several scrapers of one process: of one second the first that was read stays."""
    found: dict[tuple[str, str], dict[int, float | None]] = {}
    for scraped in all_scraped:
        for key, points in scraped.items():
            for stamp, value in points:
                found.setdefault(key, {}).setdefault(stamp, value)
    return {key: sorted(points.items()) for key, points in found.items()}
