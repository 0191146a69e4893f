"""Retries of producer batches: which failure lines are one batch's, and how long each wait can have been at most.

A batch has no id in the log. Lines of one partition whose attempts_left falls by one are one batch, oldest
first where several fit (reference: Sender.reenqueueBatch). The wait counts from the callback, which comes
between the response and the WARN line; the send is known where DEBUG of NetworkClient shows the request of
the next failure's correlation id.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.backoff.envelope import backoff_of
from transforms.timers.backoff.retry_sequences import LINE_LATENCY_MS, Sequence, Wait
from transforms.timers.batches.ends import keeps_order
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode
from transforms.timers.profile import ClientProfile
from transforms.when_used import when_used
from transforms.whole import whole_number

MAX_INT = 2_147_483_647
SAME_INSTANT_MS = 1  # no request goes out and fails within it
IN_FLIGHT = "max.in.flight.requests.per.connection"
# `orders-0=77`, from 4.1 on with the topic's id before it; several follow each other after a comma.
_SIZED = when_used(r"(?:^|[,:]\s*|\s)([\w.\-]+)-(\d+)=\d+")
# Chains of one partition that can wait at a time: batches in flight (5) and some that their expiry hid.
CHAINS_KEPT = 16
REQUESTS_KEPT = 256
PARTITIONS_KEPT = 4096
# Errors that come with, or ask for, another leader: the retry may follow at once (KIP-951, KAFKA-15415).
LEADER_ERRORS = frozenset(
    {
        "NOT_LEADER_OR_FOLLOWER",
        "NOT_LEADER_FOR_PARTITION",
        "FENCED_LEADER_EPOCH",
        "UNKNOWN_LEADER_EPOCH",
        "LEADER_NOT_AVAILABLE",
        "UNKNOWN_TOPIC_OR_PARTITION",
        "NETWORK_EXCEPTION",
        "REQUEST_TIMED_OUT",
        "KAFKA_STORAGE_ERROR",
        "REPLICA_NOT_AVAILABLE",
    }
)
# Of these the answer itself names the new leader (KIP-951).
NAME_LEADER = frozenset({"NOT_LEADER_OR_FOLLOWER", "FENCED_LEADER_EPOCH"})


@dataclass(slots=True)
class Chain:
    """One batch: its sequence of retries, and the attempts left after the last failure.

    sent: the request that must be its retry: the first of its partition after the wait. A failure line says
    otherwise. failed_in: the request it failed with last.
    read_after: the last line known to be written before the client read the clock for this failure.
    """

    sequence: Sequence
    left: int
    is_ambiguous: bool = False
    sent: tuple[int, int, str] | None = None
    failed_in: int | None = None
    read_after: int | None = None

    def is_due(self, at: int) -> bool:
        """Whether its retry may leave now: a partition whose first batch waits sends nothing, but to a new leader."""
        profile = self.sequence.profile
        names_leader = self.sequence.last.error_class in NAME_LEADER and profile.at_least(3, 6) is not False
        backoff = backoff_of(profile)
        shortest_ms = backoff.bounds(self.sequence.failures)[0] if backoff and not names_leader else 0
        return self.sent is None and at >= self.sequence.last_at + shortest_ms - LINE_LATENCY_MS


@dataclass(slots=True)
class Wire:
    """What DEBUG of NetworkClient shows of one producer: when requests left, when answers came."""

    sent: dict[int, tuple[int, str]] = field(default_factory=dict)
    received: dict[int, int] = field(default_factory=dict)
    failed: dict[int, int] = field(default_factory=dict)
    metadata_at: int | None = None

    def note(self, event: ClientEvent, at: int) -> None:
        """Keep a request's or a response's time."""
        if event.message_id == "net-received" and event.api == "METADATA":
            self.metadata_at = at
        if event.api != "PRODUCE" or event.correlation_id is None:
            return
        if event.message_id == "net-send":
            self.sent[event.correlation_id] = (at, event.event_id)
            make_room(self.sent, REQUESTS_KEPT + 1)
        else:
            self.received[event.correlation_id] = at
            make_room(self.received, REQUESTS_KEPT + 1)


@dataclass(slots=True)
class ProducerRetries:
    """The batches of one producer that failed and wait."""

    wire: Wire = field(default_factory=Wire)
    chains: dict[tuple[str | None, int | None], list[Chain]] = field(default_factory=dict)
    skipped: dict[tuple[str | None, int | None], int] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        """Rows of the retries that this event ends."""
        if event.message_id in ("net-send", "net-received"):
            self.wire.note(event, at)
            if event.message_id == "net-send" and event.api == "PRODUCE":
                yield from self._sent(event, at)
        elif event.message_id == "producer-leader-change-skip-backoff":
            self.skipped[(event.topic, event.partition)] = at
        elif event.kind == "batch_expired":
            yield from self._expired(event)
        elif event.message_id == "producer-batch-retry" and event.attempts_left is not None:
            yield from self._failed(event, profile, event.attempts_left, at)

    def finish(self) -> Iterator[Episode]:
        """All sequences as far as they went."""
        for chains in self.chains.values():
            for chain in chains:
                yield from self._ended(chain)
        self.chains.clear()

    def _sent(self, event: ClientEvent, at: int) -> Iterator[Episode]:
        """A request: the retry of a batch of its partition that waits, where one does."""
        sent = (event.correlation_id or 0, at, event.event_id)
        for name in partitions_of(event):
            chains = self.chains.get(name, [])
            for chain in [c for c in chains if c.sent is not None and c.sent[0] in self.wire.received]:
                chains.remove(chain)  # answered, and no failure line followed: it went through
                yield from self._ended(chain)
            due = [chain for chain in chains if chain.is_due(at)]
            if due:
                _head_of_queue(due).sent = sent

    def _expired(self, event: ClientEvent) -> Iterator[Episode]:
        """A batch of the partition is gone: the oldest one."""
        chains = self.chains.get((event.topic, event.partition), [])
        if chains:
            chain = min(chains, key=lambda chain: chain.sequence.started_at or 0)
            chains.remove(chain)
            yield from self._ended(chain)

    def _ended(self, chain: Chain) -> Iterator[Episode]:
        """The batch is over. Its last retry, which did not fail again, is known by its request only."""
        if chain.sent is not None:
            correlation_id, at, event_id = chain.sent
            yield self._waited(chain, at, at, [event_id], correlation_id)
        yield from chain.sequence.ended()

    def _failed(self, event: ClientEvent, profile: ClientProfile, left: int, at: int) -> Iterator[Episode]:
        key = (event.topic, event.partition)
        for pushed_out in () if key in self.chains else make_room(self.chains, PARTITIONS_KEPT):
            for chain in pushed_out:
                yield from self._ended(chain)
        chains = self.chains.setdefault(key, [])
        fitting = [chain for chain in chains if chain.left == left + 1 and self._may_be_of(chain, event, at)]
        if not fitting:
            if len(chains) >= CHAINS_KEPT:
                yield from self._ended(chains.pop(0))
            chains.append(self._begun(event, profile, left))
            return
        chain = min(fitting, key=lambda fit: fit.sequence.last_at)
        if len(fitting) > 1:
            for fit in fitting:
                fit.is_ambiguous = True
        yield self._retried(chain, event, at)
        for other in chains:
            if other is chain or (other.sent is not None and other.sent[0] == event.correlation_id):
                other.sent = None
        chain.left, chain.failed_in = left, event.correlation_id
        chain.read_after = self._read_after(event, chain.sequence.last_at)
        chain.sequence.failed_again(event)
        self._mark_known(chain, event)

    def _begun(self, event: ClientEvent, profile: ClientProfile, left: int) -> Chain:
        subject = f"{event.topic}-{event.partition}"
        sequence = Sequence.begun(event, profile, "producer", "PRODUCE", subject)
        sequence.failures = failures_by(left, profile)
        chain = Chain(
            sequence, left, failed_in=event.correlation_id, read_after=self._read_after(event, None)
        )
        self._mark_known(chain, event)
        return chain

    def _may_be_of(self, chain: Chain, event: ClientEvent, at: int) -> bool:
        """Whether this failure can be of the batch's next attempt: its request is a later one.

        Several in flight fail in one instant when their connection goes; without the request's own line one of them
        is no retry of another.
        """
        correlation_id, in_flight = event.correlation_id, chain.sequence.profile.whole(IN_FLIGHT)
        if correlation_id is None or chain.failed_in is None:
            return True
        is_seen = correlation_id in self.wire.sent
        is_same_instant = at - chain.sequence.last_at <= SAME_INSTANT_MS
        has_several = in_flight is None or in_flight.ms > 1
        return correlation_id > chain.failed_in and (is_seen or not (is_same_instant and has_several))

    def _read_after(self, event: ClientEvent, failed_before: int | None) -> int | None:
        """The clock for a failure is read when its answer is handled: after the answer's line, the request's, and
        the batch's failure before.
        """
        correlation_id = event.correlation_id if event.correlation_id is not None else -1
        sent_at, _ = self.wire.sent.get(correlation_id, (None, ""))
        known = (self.wire.received.get(correlation_id), sent_at, failed_before)
        return max((at for at in known if at is not None), default=None)

    def _mark_known(self, chain: Chain, event: ClientEvent) -> None:
        """The earliest time the wait can count from: the response's own line, or the first line of a batch that
        failed with it. One answer fails many batches, and a slow log writes the last one's line late.
        """
        correlation_id, at = event.correlation_id, event.happened_at or 0
        if correlation_id is None:
            chain.sequence.last_known_at = None
            return
        known_at = self.wire.received.get(correlation_id)
        first_at = self.wire.failed.setdefault(correlation_id, at)
        make_room(self.wire.failed, REQUESTS_KEPT + 1)
        if known_at is None and first_at < at:
            known_at = first_at - LINE_LATENCY_MS
        chain.sequence.last_known_at = known_at

    def _retried(self, chain: Chain, event: ClientEvent, at: int) -> Episode:
        """The retry that failed again: its request is the one that this failure names."""
        sent = self.wire.sent.get(event.correlation_id if event.correlation_id is not None else -1)
        if sent is None or sent[0] < chain.sequence.last_at:
            return self._waited(chain, None, at, [event.event_id])
        return self._waited(chain, sent[0], sent[0], [sent[1], event.event_id], event.correlation_id)

    def _waited(
        self,
        chain: Chain,
        sent_at: int | None,
        until: int,
        event_ids: list[str],
        correlation_id: int | None = None,
    ) -> Episode:
        sequence = chain.sequence
        since = sequence.last_known_at if sequence.last_known_at is not None else sequence.last_at
        wait = Wait(
            failures=sequence.failures,
            failed_at=sequence.last_at,
            waited_ms=until - sequence.last_at,
            at_most_ms=until - min(since, sequence.last_at),
            event_ids=(sequence.last.event_id, *event_ids),
            is_sent_known=sent_at is not None,
            leader_excluded=self._leader_excluded(sequence, sent_at),
            is_ambiguous=chain.is_ambiguous,
            is_alone=sent_at is not None and self._is_alone(sequence, correlation_id, sent_at),
            read_after=chain.read_after,
        )
        return sequence.waited(wait, sent_at)

    def _is_alone(self, sequence: Sequence, correlation_id: int | None, sent_at: int) -> bool:
        """Whether nothing but its backoff can have held a batch back: its broker had just answered with an
        error of the partition, no other request was under way, no other batch of the partition waited.
        """
        if sequence.last.error_class in LEADER_ERRORS or sequence.last.transactional_id is not None:
            return False
        chains = self.chains.get((sequence.last.topic, sequence.last.partition), ())
        if any(chain.sequence is not sequence for chain in chains):
            return False
        return not any(
            other != correlation_id
            and at < sent_at
            and self.wire.received.get(other, sent_at) > sequence.last_at
            for other, (at, _) in self.wire.sent.items()
        )

    def _leader_excluded(self, sequence: Sequence, sent_at: int | None) -> bool:
        """Whether no new leader can have been learnt since the attempt before was sent.

        It is learnt from a metadata response, or (3.7 and later) from the answer itself where that names a leader error.
        """
        if sequence.profile.at_least(3, 6) is False:
            return True
        if sent_at is None or sequence.last.error_class in LEADER_ERRORS:
            return False
        before = self.wire.sent.get(sequence.last.correlation_id or -1)
        if before is None:
            return False
        metadata_at = self.wire.metadata_at
        skipped_at = self.skipped.get((sequence.last.topic, sequence.last.partition))
        return not any(at is not None and before[0] <= at for at in (metadata_at, skipped_at))


def _head_of_queue(due: list[Chain]) -> Chain:
    """The batch that leaves first: RecordAccumulator.reenqueue puts the one that failed last before the others, but by
    sequence numbers for an idempotent producer.
    """
    failed = sorted(due, key=lambda chain: chain.sequence.last_at)
    return failed[0] if keeps_order(failed[0].sequence.profile) else failed[-1]


def failures_by(left: int, profile: ClientProfile) -> int:
    """How many failures a batch had when so many attempts were left; at least 1 where `retries` is unknown."""
    retries = profile.whole("retries")
    total = retries.ms if retries is not None else MAX_INT
    failures = total - left
    # Without the setting, a few below MAX_INT can only be counted down from MAX_INT; far from it the start is unknown.
    return failures if 1 <= failures <= 1_000_000 else 1


def partitions_of(event: ClientEvent) -> list[tuple[str | None, int | None]]:
    """The partitions that a PRODUCE request carries batches of."""
    names = _SIZED.findall(event.details.get("partition_sizes", ""))
    return [(topic, whole_number(partition)) for topic, partition in names]
