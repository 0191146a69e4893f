"""Lifetimes of producer batches that were retried, failed or expired (ProducerBatch, Sender, RecordAccumulator).

Creation is known only from an expiry's own text (time less age), a send only from DEBUG lines or from the
line that cancels it, a success only from DEBUG. So at INFO a chain of retries that stops is `unknown`,
never `delivered`. `attempts` counts those that were seen to fail, and the one in flight at the end where
DEBUG shows it; None where no attempt was seen. `in_flight_ms` is None unless the start of every attempt is
known. Sources: KIP-91; Sender.sendProducerData, Sender.canRetry, ProducerBatch.hasReachedDeliveryTimeout.
"""

from collections.abc import Iterable, Iterator

from transforms.events import APPLICATION_EXCEPTION, JAVA, ClientEvent
from transforms.timers.batches.chains import Chain, PartitionChains
from transforms.timers.batches.ends import (
    NETWORK_THREAD,
    BlockedSend,
    RetryAfterEnd,
    bound_of,
    is_transactional,
)
from transforms.timers.batches.expiries import SAME_BATCH_MS, Pile
from transforms.timers.batches.failures import (
    NOT_OF_A_BATCH,
    REQUEST_TIMED_OUT,
    Failure,
    blocked_ms,
    same_response,
)
from transforms.timers.batches.producers import PartitionKey, Producer, Sent
from transforms.timers.batches.rows import ending, expired, failed, unended
from transforms.timers.episodes import Episode
from transforms.timers.profile import ClientProfile
from transforms.whole import whole_number

# A chain whose batch must be over is given up this long after its deadline: an expiry may come request
# timeouts late, and an application may print it later still.
GIVE_UP_AFTER_MS = 120_000
SWEEP_EVERY_MS = 10_000
# What the sender's loop writes of one look at its clock, one after the other: none shows that it went on before.
WITHOUT_BATCH = "producer-init-timeout"  # a transactional call: nothing was sent yet
# What a transaction's next call throws again (TransactionManager.maybeFailWithError): the batch was told when it failed.
RETHROWN = "Cannot execute transactional method"
OF_ONE_PASS = frozenset({"batch_expired", "produce_failed"})
# Errors.DUPLICATE_SEQUENCE_NUMBER: the batch is there already, and completes (Sender.completeBatch).
DUPLICATE_SEQUENCE_NUMBER = "46"
TXN_ERROR = "producer-txn-error"  # the transaction's state, of which the batch's failure is printed beside it
CHAINS_KEPT = 1000  # per partition; more can't be in one accumulator of default size while retries go on


class BatchLifetimes:
    """Folds a unit's events into batch lifetimes and the internal episodes that their rules judge."""

    def __init__(self) -> None:
        self.producers: dict[str, Producer] = {}
        self.ending: dict[str, None] = {}  # of these, by name: ends that more lines may belong to
        self.incarnation: int | None = None
        self.swept_at: int | None = None
        self.seen_at: int | None = None

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Give the batches that this event, or the time that passed until it, ended."""
        if event.incarnation != self.incarnation:
            yield from self.finish(None)
            self.incarnation, self.seen_at = event.incarnation, None
        if event.happened_at is not None:
            yield from self._close(event.happened_at)
            if event.kind not in OF_ONE_PASS:
                self.seen_at = event.happened_at
        if event.kind == "produce_failed" and (
            event.message_id == TXN_ERROR or event.client_library not in (None, JAVA)
        ):
            return  # of clients that are not Java's a failure tells of records, in their own words: no batch is known
        if event.kind == "batch_expired":
            yield from self._on_expired(event, self._producer(event, profile))
        elif event.kind == "produce_failed" or _may_be_a_batch(event):
            producer = self._failing_producer(event, profile)
            if producer is not None:
                yield from self._on_failed(event, producer)
        elif event.message_id == "client-unregistered" and event.client_id in self.producers:
            self.ending.pop(event.client_id, None)
            yield from self._closed(self.producers.pop(event.client_id), event.happened_at)
        elif event.happened_at is None:
            return
        elif event.message_id == "producer-batch-retry":
            yield from self._on_retry(event, event.happened_at, self._producer(event, profile))
        elif event.message_id == "producer-metadata-error":
            self._producer(event, profile).place_failure(event, event.happened_at)
        elif event.api == "PRODUCE" and event.correlation_id is not None:
            sender = self._producer(event, profile)
            yield from self._on_request(event, event.happened_at, event.correlation_id, sender)

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Give all that is left: batches whose end was seen, and chains as of the data clock."""
        producers, self.producers, self.ending = self.producers, {}, {}
        for producer in producers.values():
            yield from self._closed(producer, data_clock)

    def _closed(self, producer: Producer, data_clock: int | None) -> Iterator[Episode]:
        """Give all that is left of one producer."""
        yield from _close_ended(producer, None)
        yield from _settle_answered(producer)
        for key, partition in producer.partitions.items():
            for chain in list(partition.chains):
                yield unended(producer, key, chain, data_clock)

    # Requests and retries

    def _on_request(
        self, event: ClientEvent, at: int, correlation_id: int, producer: Producer
    ) -> Iterator[Episode]:
        if event.message_id == "net-send":
            yield from _settle_answered(producer)
            partitions = _partitions_of(event)
            producer.sends.append((at, event.event_id))
            producer.sent(correlation_id, Sent(at, partitions))
            for key in partitions:
                if key in producer.partitions:
                    producer.partitions[key].send(correlation_id, at, producer.newest_first)
        elif event.message_id == "net-received":
            yield from _settle_answered(producer)
            sent = producer.requests.get(correlation_id)
            for key in sent.partitions if sent else ():
                for chain in producer.partitions[key].chains if key in producer.partitions else ():
                    if chain.correlation_id == correlation_id:
                        producer.answered.append((key, chain, event))
        elif event.elapsed_ms is not None and correlation_id not in producer.requests:
            producer.sent(correlation_id, Sent(at - event.elapsed_ms, []))  # cancelled: it says since when

    def _on_retry(self, event: ClientEvent, at: int, producer: Producer) -> Iterator[Episode]:
        left = event.attempts_left
        if left is None:
            return
        partition = producer.chains((event.topic, event.partition))
        sent = producer.requests.get(event.correlation_id) if event.correlation_id is not None else None
        sent_at = sent.at if sent else None
        chain = partition.chain_of(left, event.correlation_id, producer.newest_first)
        producer.retried = (event.topic, event.partition)
        if chain is not None:
            producer.answered = [entry for entry in producer.answered if entry[1] is not chain]
            partition.failed_again(chain)
            chain.is_followed = chain.is_followed and chain.correlation_id == event.correlation_id
            chain.fail(at, left, event.error_class, sent_at, event.event_id)
            if left < 0:
                yield from _retries_after_end(event, at, left, producer, partition)
            return
        yield from _retries_after_end(event, at, left, producer, partition)
        is_whole = sent_at is not None and producer.is_first_attempt(left)
        chain = Chain(
            event.topic,
            event.partition,
            first_sent_at=at if sent_at is None else sent_at,
            attempts_left=left,
            last_failed_at=at,
            error=event.error_class,
            in_flight_ms=max(0, at - sent_at) if is_whole and sent_at is not None else None,
        )
        chain.is_certain = producer.is_first_attempt(left)
        chain.is_followed = sent is not None and (event.topic, event.partition) in sent.partitions
        chain.add_event(event.event_id)
        partition.begin(chain)
        if len(partition.chains) > CHAINS_KEPT:
            oldest = partition.chains[0]
            yield unended(producer, (event.topic, event.partition), oldest, None)
            producer.drop(oldest)

    # Ends

    def _on_expired(self, event: ClientEvent, producer: Producer) -> Iterator[Episode]:
        if event.elapsed_ms is None or _is_rethrown(event):
            return
        key = (event.topic, event.partition)
        records = event.details.get("records", "")
        shared = (
            *key,
            whole_number(records) if records.isdecimal() else 1,
            event.elapsed_ms,
            bound_of(event),
        )
        if event.happened_at is None:
            yield from _close_piles(producer, None, spared=key)
        self.ending[producer.client_id or ""] = None
        pile = producer.piles.setdefault(key, Pile())
        expiry = pile.add(shared, event)
        if expiry is not None and event.happened_at is not None and self.seen_at is not None:
            expiry.quiet_ms = max(0, event.happened_at - self.seen_at)
        if expiry is not None and expiry.created_at is not None and key in producer.partitions:
            expiry.chain = producer.partitions[key].expired(expiry.created_at, expiry.bound)
            pile.doubt(expiry)

    def _on_failed(self, event: ClientEvent, producer: Producer) -> Iterator[Episode]:
        waited_ms = blocked_ms(event)
        if waited_ms is not None:
            yield _blocked_send(event, producer, waited_ms)
            return
        if event.happened_at is None or event.message_id == WITHOUT_BATCH or _is_rethrown(event):
            return
        chain = producer.failing_chain(event)
        for failure in producer.failures:
            if failure.takes(event) and not (chain and same_response(chain, failure.chain)):
                failure.add(event)
                return
        if chain is None and (event.kind != "produce_failed" or event.error_class in NOT_OF_A_BATCH):
            return
        if chain is not None:
            producer.drop(chain)
        self.ending[producer.client_id or ""] = None
        producer.failures.append(Failure(event, chain, event.happened_at, [event.event_id]))

    def _close(self, now: int) -> Iterator[Episode]:
        """Give the batches whose last line is past, and those that must be over."""
        for name in list(self.ending):
            producer = self.producers[name]
            yield from _close_ended(producer, now)
            if not (producer.piles or producer.failures):
                del self.ending[name]
        if self.swept_at is None or now - self.swept_at > SWEEP_EVERY_MS:
            self.swept_at = now
            for producer in self.producers.values():
                yield from _sweep(producer, now)

    # Whose

    def _producer(self, event: ClientEvent, profile: ClientProfile) -> Producer:
        """The producer an event speaks of: its prefix's, its Streams thread's, or the only one it can be."""
        is_named = event.client_kind == "producer" and event.client_id is not None
        client_id = event.client_id if is_named else self._unnamed(event, profile)
        producer = self.producers.get(client_id or "")
        if producer is None:
            producer = Producer(event.unit_id, client_id)
            self.producers[client_id or ""] = producer
        is_its_own = is_named or profile.client_id == client_id
        may_be_its = profile.client_id is None or profile.client_kind == "streams"
        if is_its_own or (producer.profile is None and may_be_its):
            producer.profile = profile
        producer.service, producer.instance = event.service, event.instance
        producer.incarnation = event.incarnation
        producer.is_transactional = producer.is_transactional or is_transactional(event, producer.profile)
        return producer

    def _failing_producer(self, event: ClientEvent, profile: ClientProfile) -> Producer | None:
        """Of several producers, the only one with a batch that this failure can end."""
        if event.client_kind is None and (profile.client_id is None or _may_be_a_batch(event)):
            possible = [p for p in self.producers.values() if p.may_fail_by(event)]
            if len(possible) == 1 or _may_be_a_batch(event):
                return possible[0] if len(possible) == 1 else None
        return self._producer(event, profile)

    def _unnamed(self, event: ClientEvent, profile: ClientProfile) -> str | None:
        if event.client_kind == "streams":
            return f"{event.thread}-producer" if event.thread else None
        if event.thread is not None and event.thread.startswith(NETWORK_THREAD):
            return event.thread.partition("| ")[2] or profile.client_id
        if profile.client_id is not None and profile.client_kind in (None, "producer"):
            return profile.client_id
        key = (event.topic, event.partition)
        owners = [p.client_id for p in self.producers.values() if key in p.partitions]
        return owners[0] if len(owners) == 1 else None


def _is_rethrown(event: ClientEvent) -> bool:
    return event.details.get("error_message", "").startswith(RETHROWN)


def _settle_answered(producer: Producer) -> Iterator[Episode]:
    """A response whose batch was neither retried nor failed by the next request has delivered it."""
    answered, producer.answered = producer.answered, []
    for key, chain, event in answered:
        if chain not in producer.chains(key).chains:
            continue
        producer.chains(key).end(chain)
        outcome = "unknown" if _has_failed(key, event) else "delivered"
        chain.add_event(event.event_id)
        row = producer.row(key, chain, chain.event_ids, outcome)
        row.ended_at, row.attempts = event.happened_at, chain.failures + 1
        row.error_class = None if outcome == "delivered" else row.error_class
        row.in_flight_ms = chain.flight_until(event.happened_at or 0)
        yield row


def _has_failed(key: PartitionKey, response: ClientEvent) -> bool:
    """Whether the response has an error for the partition. One that arrived before was delivered then."""
    names = {f"{key[0]}-{key[1]}", f"-{key[1]}"}
    failed = (one.rpartition("=") for one in response.details.get("failed_partitions", "").split(",") if one)
    return any(name in names and code != DUPLICATE_SEQUENCE_NUMBER for name, _, code in failed)


def _retries_after_end(
    event: ClientEvent, at: int, left: int, producer: Producer, partition: PartitionChains
) -> Iterator[Episode]:
    """A retry that no open chain explains, and an ended one does; or one beyond the last."""
    all_ended = [*ending(producer, (event.topic, event.partition)), *reversed(partition.ended)]
    ended = next((e for e in all_ended if e.is_sure and e.attempts_left == left + 1), None)
    if left >= 0 and (ended is None or producer.ms("retries") is None or producer.is_first_attempt(left)):
        return
    yield RetryAfterEnd(
        unit_id=producer.unit_id,
        incarnation=producer.incarnation,
        client_id=producer.client_id,
        profile=producer.profile,
        retry_id=event.event_id,
        topic=event.topic,
        partition=event.partition,
        happened_at=at,
        ended_at=ended.ended_at if ended else None,
        attempts_left=left,
        event_ids=[*(ended.event_ids if ended else ()), event.event_id],
    )


def _close_ended(producer: Producer, now: int | None) -> Iterator[Episode]:
    """Give the ends to which no further line can belong; `now` None gives all."""
    yield from _close_piles(producer, now)
    over = [f for f in producer.failures if now is None or now - f.last_at > SAME_BATCH_MS]
    producer.failures = [f for f in producer.failures if f not in over]
    for failure in over:
        yield from failed(producer, failure)


def _close_piles(
    producer: Producer, now: int | None, spared: PartitionKey | None = None
) -> Iterator[Episode]:
    for key, pile in list(producer.piles.items()):
        if key != spared and pile.is_over(now):
            del producer.piles[key]
            if producer.is_transactional:
                pile.take_rethrown()
            for expiry in pile.expiries:
                yield from expired(producer, key, expiry, pile.least_age_ms)


def _sweep(producer: Producer, now: int) -> Iterator[Episode]:
    """Forget chains whose batches must be over, whatever became of them."""
    limit_ms = producer.ms("delivery.timeout.ms")
    if limit_ms is None:
        return
    for key, partition in producer.partitions.items():
        for chain in list(partition.chains):
            if now - max(chain.first_sent_at + limit_ms, chain.last_failed_at) > GIVE_UP_AFTER_MS:
                yield unended(producer, key, chain, now)
                producer.drop(chain)


def _may_be_a_batch(event: ClientEvent) -> bool:
    """An exception printed by the application that may be the last error of a batch, if one waits for its end."""
    is_thrown = event.message_id == APPLICATION_EXCEPTION and event.kind == "other_kafka"
    return is_thrown or event.message_id == REQUEST_TIMED_OUT


def _blocked_send(event: ClientEvent, producer: Producer, waited_ms: int) -> BlockedSend:
    return BlockedSend(
        unit_id=event.unit_id,
        incarnation=event.incarnation,
        client_id=producer.client_id,
        profile=producer.profile,
        send_id=event.event_id,
        topic=event.topic,
        happened_at=event.happened_at,
        blocked_ms=waited_ms,
        event_ids=[event.event_id],
    )


def _partitions_of(event: ClientEvent) -> list[PartitionKey]:
    """The partitions of a PRODUCE request: `topic-id:orders-0=93, ...` (DEBUG; without topic ids before 4.0)."""
    found: list[PartitionKey] = []
    for entry in event.details.get("partition_sizes", "").split(","):
        topic, dash, partition = entry.strip().rpartition("=")[0].rpartition(":")[2].rpartition("-")
        if dash and partition.isdecimal():
            found.append((topic, whole_number(partition)))
    return found
