"""A producer's own counts (record-retry-total, record-error-total) beside what its log says of retries and expiries.

Source: Kafka clients, Sender.completeBatch (each retry is logged at WARN, then reenqueueBatch counts its records),
Sender.failBatch (counts the records of each batch that fails or expires); the counts are of one client since its start.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile

METRICS = "producer-metrics"
RETRIES, ERRORS = "record-retry-total", "record-error-total"
CLOCK_STEP_MS = 1_000  # DESIGN 2.1


@dataclass(slots=True, kw_only=True)
class ProducerCount(Episode):
    """One count of one start of a producer. Judged, not stored; samples are filled in by `beside_metrics`.

    lines: how often the log says it should have risen; logged_at, logged_id: the first time. first_at, last_at: of the log
    of this start. By samples, empty where there are none: counted, what it stood at surely after that line;
    has_started_before, the client that counts had started before it (None: its start is not sampled); unsaid, what it
    rose by where no line tells of it, first at risen_at; log_spans_samples, the log goes from before the first sample to
    after the last.
    """

    count_id: str
    attribute: str
    happened_at: int | None = None
    lines: int = 0
    logged_at: int | None = None
    logged_id: str | None = None
    first_at: int = 0
    last_at: int = 0
    clock_stepped: bool = False
    counted: int | None = None
    has_started_before: bool | None = None
    unsaid: int = 0
    risen_at: int | None = None
    log_spans_samples: bool = False
    samples: tuple[str, ...] = ()


@dataclass(slots=True)
class ProducerCounts:
    """Machine: events of one process -> a ProducerCount for each count of its producers, at the end of each start."""

    incarnation: int = 0
    first_at: int | None = None
    last_at: int = 0
    clock_stepped: bool = False
    retries: dict[str, ProducerCount] = field(default_factory=dict)
    errors: dict[str, ProducerCount] = field(default_factory=dict)
    expiry: tuple[int, str] | None = None
    expiries: int = 0

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """The counts of the start before, when the process starts anew."""
        at = event.happened_at
        if at is None:
            return ()
        done = self._close() if event.incarnation != self.incarnation else []
        self.incarnation = event.incarnation
        self.first_at = at if self.first_at is None else min(self.first_at, at)
        self.last_at = max(self.last_at, at)
        if event.ordered_at is not None and event.ordered_at - at > CLOCK_STEP_MS:
            self.clock_stepped = True
        if event.kind == "batch_expired":
            self.expiry = self.expiry or (at, event.event_id)
            self.expiries += 1
        if event.client_kind == "producer" and event.client_id is not None:
            self._of_producer(event, profile, event.client_id, at)
        return done

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """The counts of the last start."""
        return self._close()

    def _of_producer(self, event: ClientEvent, profile: ClientProfile, client_id: str, at: int) -> None:
        if client_id not in self.retries:
            self.retries[client_id] = _count(event, profile, RETRIES)
            self.errors[client_id] = _count(event, profile, ERRORS)
        if event.message_id == "producer-batch-retry":
            retries = self.retries[client_id]
            retries.lines += 1
            if retries.logged_at is None:
                retries.logged_at, retries.logged_id = at, event.event_id

    def _close(self) -> list[Episode]:
        # The line of an expiry names no producer: it is held against one that has none beside it.
        if len(self.errors) == 1 and self.expiry is not None:
            (only,) = self.errors.values()
            only.lines, (only.logged_at, only.logged_id) = self.expiries, self.expiry
        found: list[Episode] = []
        for count in (*self.retries.values(), *(self.errors.values() if len(self.errors) == 1 else ())):
            count.first_at, count.last_at = self.first_at or 0, self.last_at
            count.clock_stepped = self.clock_stepped
            found.append(count)
        self.first_at, self.last_at, self.clock_stepped = None, 0, False
        self.expiry, self.expiries = None, 0
        self.retries, self.errors = {}, {}
        return found


def _count(event: ClientEvent, profile: ClientProfile, attribute: str) -> ProducerCount:
    return ProducerCount(
        **whose(event),
        event_ids=[event.event_id],
        profile=profile,
        count_id=episode_id(event.unit_id, "producer_counts", f"{event.event_id}/{attribute}"),
        attribute=attribute,
        happened_at=event.happened_at,
    )
