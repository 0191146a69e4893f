"""One producer while its batches live: what is known of it, and the rows made from it."""

from collections import deque
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.batches.chains import Chain, PartitionChains
from transforms.timers.batches.ends import BatchEnd, keeps_order, producer_setting
from transforms.timers.batches.expiries import Pile
from transforms.timers.batches.failures import Failure, failing_chain
from transforms.timers.bounded import make_room
from transforms.timers.episodes import BatchLifetime, episode_id, whose
from transforms.timers.profile import ClientProfile

MACHINE = "batch_lifetimes"
PartitionKey = tuple[str | None, int | None]

REQUESTS_KEPT = 1024  # more are never in flight at once; older ones were answered unseen
SENDS_KEPT = 256  # looked at only between a batch's deadline and its expiry, which follow each other closely
ENDS_KEPT = 4096  # partitions whose last end is remembered


@dataclass(slots=True)
class Sent:
    """A PRODUCE request: when it left, and with which partitions (DEBUG)."""

    at: int
    partitions: list[PartitionKey]


@dataclass(slots=True)
class LastEnd:
    """The youngest batch of a partition that has expired. created_after: whatever pause delayed its line."""

    created_at: int
    created_after: int | None
    ended_at: int
    event_id: str


@dataclass(slots=True)
class Producer:
    """What is known of one producer.

    answered: chains whose request was answered, until it is clear how. retried: the partition of a retry line, until the
    line of its metadata.
    """

    unit_id: str
    client_id: str | None
    incarnation: int = 0
    service: str | None = None
    instance: str | None = None
    profile: ClientProfile | None = None
    is_transactional: bool = False
    partitions: dict[PartitionKey, PartitionChains] = field(default_factory=dict)
    piles: dict[PartitionKey, Pile] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    requests: dict[int, Sent] = field(default_factory=dict)
    answered: list[tuple[PartitionKey, Chain, ClientEvent]] = field(default_factory=list)
    sends: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=SENDS_KEPT))
    last_ends: dict[PartitionKey, LastEnd] = field(default_factory=dict)
    retried: PartitionKey | None = None

    @property
    def newest_first(self) -> bool:
        """Whether a re-enqueued batch goes before those re-enqueued earlier."""
        return not keeps_order(self.profile)

    def chains(self, key: PartitionKey) -> PartitionChains:
        """The open chains of a partition."""
        return self.partitions.setdefault(key, PartitionChains())

    def sent(self, correlation_id: int, sent: Sent) -> None:
        """Keep a request while it can be in flight."""
        self.requests[correlation_id] = sent
        make_room(self.requests, REQUESTS_KEPT + 1)

    def drop(self, chain: Chain) -> None:
        """A chain is over."""
        self.chains((chain.topic, chain.partition)).end(chain)
        self.answered = [entry for entry in self.answered if entry[1] is not chain]

    def failing_chain(self, event: ClientEvent) -> Chain | None:
        """The chain whose batch this failure ends."""
        return failing_chain(self.partitions, event, [chain for _, chain, _ in self.answered])

    def place_failure(self, event: ClientEvent, at: int) -> None:
        """The partition that the sender asks metadata for: of the batch it retried or failed just before.

        The application prints a failure between (callbacks run first), and its exception names no partition. A batch
        that had expired in flight is neither: its line stands alone.
        """
        key = (event.topic, event.partition)
        retried, self.retried = self.retried, None
        if retried == key:
            return
        for failure in self.failures:
            if failure.is_unnamed and failure.is_of_response(event.error_class, at):
                failure.place = key
                self._move(failure, key)
                return

    def _move(self, failure: Failure, key: PartitionKey) -> None:
        """Take the chain of the partition where a failure turned out to be; give back the one it was taken for."""
        taken = failure.chain
        if taken is not None and (taken.topic, taken.partition) == key:
            return
        if taken is not None:
            self.chains((taken.topic, taken.partition)).chains.append(taken)
        here = {key: self.partitions[key]} if key in self.partitions else {}
        failure.chain = failing_chain(here, failure.event, [])
        if failure.chain is not None:
            self.drop(failure.chain)

    def may_fail_by(self, event: ClientEvent) -> bool:
        """Whether this failure can be of one of its batches."""
        is_more_of_one = any(failure.takes(event) for failure in self.failures)
        return is_more_of_one or self.failing_chain(event) is not None

    def last_end(self, key: PartitionKey, end: LastEnd) -> None:
        """Remember the youngest expired batch of a partition."""
        self.last_ends[key] = end
        make_room(self.last_ends, ENDS_KEPT + 1)

    def ms(self, name: str) -> int | None:
        """A setting of this producer, from whatever source; rules ask for its origin, the machine does not."""
        found = producer_setting(self.profile, name)
        return None if found is None else found.ms

    def is_first_attempt(self, attempts_left: int) -> bool:
        """Whether a retry line tells of a batch's first failure: it prints `retries` less one."""
        retries = self.ms("retries")
        return retries is not None and attempts_left == retries - 1

    def row(
        self, key: PartitionKey, chain: Chain | None, event_ids: list[str], outcome: str
    ) -> BatchLifetime:
        """The table's row, without what only its end tells."""
        limit = producer_setting(self.profile, "delivery.timeout.ms")
        return BatchLifetime(
            **whose(self),
            profile=self.profile,
            event_ids=event_ids,
            batch_id=episode_id(self.unit_id, MACHINE, event_ids[0]),
            topic=key[0],
            partition=key[1],
            outcome=outcome,
            delivery_timeout_ms=limit.ms if limit else None,
            timeout_origin=limit.origin if limit else None,
            attempts=chain.failures if chain else None,
            error_class=chain.error if chain else None,
            in_flight_ms=chain.in_flight_ms if chain else None,
        )

    def end_of(self, row: BatchLifetime, chain: Chain | None, event: ClientEvent) -> BatchEnd:
        """What the rules judge of a batch that was given up."""
        return BatchEnd(
            **whose(self),
            profile=self.profile,
            event_ids=row.event_ids,
            batch_id=row.batch_id,
            topic=row.topic,
            partition=row.partition,
            outcome=row.outcome,
            created_at=row.created_at,
            ended_at=row.ended_at,
            age_ms=row.age_ms,
            attempts_left=chain.attempts_left if chain else None,
            error_class=row.error_class,
            lived_at_most_ms=self._lived_at_most_ms(row.ended_at),
            thread=event.thread,
            is_transactional=self.is_transactional,
            end_event_id=event.event_id,
            last_failed_at=chain.last_failed_at if chain else None,
        )

    def _lived_at_most_ms(self, ended_at: int | None) -> int | None:
        """No batch is older than its producer's configuration."""
        setting = producer_setting(self.profile, "delivery.timeout.ms")
        if setting is None or setting.from_at is None or ended_at is None or setting.origin != "logged":
            return None
        return ended_at - setting.from_at
