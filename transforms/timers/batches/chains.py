"""Which retry lines belong to one producer batch: chains of failed attempts within a partition.

A batch has no id in any log. Its retry lines count `attempts left` down by one, and several batches of a
partition may do so at once. With DEBUG the sends are seen too, and their correlation ids settle it.
Without, the next failure belongs to the chain whose counter fits; among several, to the one the accumulator
sends next: re-enqueued batches stand newest first (RecordAccumulator.reenqueue: addFirst), but in order of
sequence numbers for an idempotent producer (insertInSequenceOrder).
"""

from dataclasses import dataclass, field

from transforms.timers.batches.ends import SINCE_ATTEMPT, SINCE_CREATION

KEPT_EVENT_IDS = (
    64  # of a chain: the first and the last ones prove it, a minute of retries is not listed in full
)
CREATION_GRAIN_MS = 5  # created_at is a line's time less a printed age: the line is written a little later


@dataclass(slots=True)
class Chain:
    """The failed attempts of one batch. Instants in ms UTC.

    first_sent_at: the first send; the first failure where that is not known. sent_at, correlation_id: of the attempt in
    flight now, from DEBUG lines. in_flight_ms: of all failed attempts together; None once the start of one is unknown.
    is_alone: no other chain ran on the partition while this one did. is_followed: every attempt was seen to leave (DEBUG),
    so that it can't be mistaken. is_certain: seen from its first attempt on, and none that began before it was open as its
    batch expired. Whose expiry it was is told by times, which a change to summer time moves, and an age does not.
    """

    topic: str | None
    partition: int | None
    first_sent_at: int
    attempts_left: int
    last_failed_at: int
    failures: int = 1
    error: str | None = None
    sent_at: int | None = None
    correlation_id: int | None = None
    in_flight_ms: int | None = 0
    is_alone: bool = True
    is_followed: bool = False
    is_certain: bool = False
    began: int = 0
    failed: int = 0
    event_ids: list[str] = field(default_factory=list)

    @property
    def is_waiting(self) -> bool:
        """Not seen in flight."""
        return self.correlation_id is None

    def add_event(self, event_id: str) -> None:
        """Keep the first and the last events; what lies between adds no proof."""
        if len(self.event_ids) >= KEPT_EVENT_IDS:
            del self.event_ids[KEPT_EVENT_IDS // 2]
        self.event_ids.append(event_id)

    def fail(self, at: int, left: int, error: str | None, sent_at: int | None, event_id: str) -> None:
        """One more attempt failed and will be retried."""
        self.attempts_left = left
        self.failures += 1
        self.error = error
        self._count_flight(at, sent_at)
        self.last_failed_at = at
        self.sent_at = self.correlation_id = None
        self.add_event(event_id)

    def flight_until(self, at: int) -> int | None:
        """All time in flight up to `at`, the attempt in flight then included; None while a part is unknown."""
        if self.in_flight_ms is None or self.sent_at is None:
            return self.in_flight_ms
        return self.in_flight_ms + max(0, at - self.sent_at)

    def _count_flight(self, at: int, sent_at: int | None) -> None:
        if sent_at is None or self.in_flight_ms is None:
            self.in_flight_ms = None
        else:
            self.in_flight_ms += max(0, at - sent_at)


@dataclass(slots=True)
class Ended:
    """A chain that ended, as far as a later retry of it could be recognised. is_sure: no other batch can be meant."""

    batch_id: str
    attempts_left: int
    ended_at: int
    is_sure: bool
    event_ids: list[str]


@dataclass(slots=True)
class PartitionChains:
    """The open chains of one partition of one producer."""

    chains: list[Chain] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    steps: int = 0

    def send(self, correlation_id: int, at: int, newest_first: bool) -> None:
        """A request with this partition left: the batch at the head of its queue was in it (DEBUG only)."""
        head = _next_to_send([chain for chain in self.chains if chain.is_waiting], newest_first)
        if head is not None:
            head.correlation_id, head.sent_at = correlation_id, at

    def chain_of(self, left: int, correlation_id: int | None, newest_first: bool) -> Chain | None:
        """The chain that a retry line with so many attempts left continues; None where it begins one."""
        fitting = [chain for chain in self.chains if chain.attempts_left == left + 1]
        for chain in fitting:
            if correlation_id is not None and chain.correlation_id == correlation_id:
                return chain
        waiting = [chain for chain in fitting if chain.is_waiting]
        return _next_to_send(waiting or fitting, newest_first)

    def begin(self, chain: Chain) -> None:
        """Open a chain; two open ones of a partition can be mistaken for each other."""
        self.steps += 1
        chain.began = chain.failed = self.steps
        if self.chains:
            chain.is_alone = False
            for other in self.chains:
                other.is_alone = False
        self.chains.append(chain)

    def failed_again(self, chain: Chain) -> None:
        """Note the order of failures: a batch that failed later stands before those that failed earlier."""
        self.steps += 1
        chain.failed = self.steps

    def expired(self, since: int, bound: str) -> Chain | None:
        """Take the chain of an expired batch. since: the instant from which its age counts, of what `bound` names.

        From its creation: the oldest chain that was first sent after it. The older texts tell whether the batch was tried
        (ProducerBatch.maybeExpire, to 2.0): of one that was they count from its last attempt; others had no chain.
        """
        if bound == SINCE_CREATION:
            possible = [c for c in self.chains if c.first_sent_at >= since - CREATION_GRAIN_MS]
        elif bound == SINCE_ATTEMPT:
            possible = [c for c in self.chains if c.last_failed_at <= since + CREATION_GRAIN_MS]
            newest = max((c.last_failed_at for c in possible), default=since)
            possible = [c for c in possible if c.last_failed_at == newest]
        else:
            return None
        chain = min(possible, key=lambda c: (c.first_sent_at, c.began), default=None)
        if chain is not None:
            self.chains.remove(chain)
            chain.is_certain = chain.is_certain and all(one in possible for one in self.chains)
        return chain

    def end(self, chain: Chain) -> None:
        """Take a chain that ended otherwise."""
        self.chains.remove(chain)

    def remember(self, ended: Ended, at_most: int = 8) -> None:
        """Keep the last few ended chains: what retries after them is proof against the client."""
        self.ended = [*self.ended[1 - at_most :], ended]


def _next_to_send(chains: list[Chain], newest_first: bool) -> Chain | None:
    if not chains:
        return None
    if newest_first:
        return max(chains, key=lambda chain: chain.failed)
    return min(chains, key=lambda chain: (chain.first_sent_at, chain.began))
