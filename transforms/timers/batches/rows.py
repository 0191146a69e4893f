"""Rows of silver.batch_lifetimes and what the rules judge of an end, made from a producer's chains."""

from collections.abc import Iterator

from transforms.timers.batches.chains import Chain, Ended
from transforms.timers.batches.ends import SINCE_CREATION, BatchEnd
from transforms.timers.batches.expiries import SAME_BATCH_MS, Expiry
from transforms.timers.batches.failures import Failure
from transforms.timers.batches.producers import LastEnd, PartitionKey, Producer
from transforms.timers.episodes import BatchLifetime, Episode


def expired(producer: Producer, key: PartitionKey, expiry: Expiry, least_age_ms: int) -> Iterator[Episode]:
    """The row of an expired batch, and what the rules judge of it; least_age_ms: of its pile."""
    chain = expiry.chain
    row = producer.row(key, chain, [*(chain.event_ids if chain else ()), *expiry.event_ids], "expired")
    row.records, row.age_ms = expiry.records, expiry.age_ms
    row.error_class = expiry.event.error_class or "TimeoutException"
    row.ended_at = expiry.first_at
    if expiry.bound == SINCE_CREATION:
        row.created_at, row.is_inferred = expiry.created_at, expiry.created_at is not None
    if chain is not None and chain.sent_at is not None and expiry.first_at is not None:
        row.attempts, row.in_flight_ms = chain.failures + 1, chain.flight_until(expiry.first_at)
    if row.in_flight_ms is not None and expiry.bound == SINCE_CREATION:
        row.waiting_ms = max(0, expiry.age_ms - row.in_flight_ms)
    yield row
    end = producer.end_of(row, chain, expiry.event)
    end.bound, end.least_age_ms = expiry.bound, least_age_ms
    _compare_with_last(producer, key, end, expiry)
    end.sent_meanwhile = _sent_meanwhile(producer, end)
    if chain is not None and end.created_at is not None and _is_sure(producer, chain):
        end.retried_at_age_ms, end.retry_event_id = chain.last_failed_at - end.created_at, chain.event_ids[-1]
    yield end
    _remember(producer, key, row, chain)


def failed(producer: Producer, failure: Failure) -> Iterator[Episode]:
    """The row of a batch that failed otherwise, and what the rules judge of it."""
    chain, event = failure.chain, failure.event
    named = failure.place or (event.topic, event.partition)
    key = (chain.topic, chain.partition) if chain else named
    row = producer.row(key, chain, [*(chain.event_ids if chain else ()), *failure.event_ids], "failed")
    row.ended_at, row.error_class = event.happened_at, event.error_class
    if chain is not None:
        is_in_flight = chain.sent_at is not None and event.happened_at is not None
        row.attempts = chain.failures + 1
        row.in_flight_ms = chain.flight_until(event.happened_at or 0) if is_in_flight else None
    yield row
    yield producer.end_of(row, chain, event)
    _remember(producer, key, row, chain)


def unended(producer: Producer, key: PartitionKey, chain: Chain, data_clock: int | None) -> BatchLifetime:
    """A chain whose batch was not seen to end: open while its deadline may be ahead, else unknown."""
    limit_ms = producer.ms("delivery.timeout.ms")
    is_open = limit_ms is not None and data_clock is not None and data_clock <= chain.first_sent_at + limit_ms
    return producer.row(key, chain, chain.event_ids, "open" if is_open else "unknown")


def _compare_with_last(producer: Producer, key: PartitionKey, end: BatchEnd, expiry: Expiry) -> None:
    """Note a batch of the partition that was created later and ended earlier."""
    if end.created_at is None or end.ended_at is None:
        return
    last = producer.last_ends.get(key)
    if last is not None and last.created_at > end.created_at:
        end.overtaken_ms, end.overtaken_by = last.created_at - end.created_at, last.event_id
        after = last.created_after
        end.overtaken_at_least_ms = None if after is None else after - end.created_at
        end.is_same_instant = end.ended_at - last.ended_at <= SAME_BATCH_MS
    else:
        after = None if expiry.quiet_ms is None else end.created_at - expiry.quiet_ms
        producer.last_end(key, LastEnd(end.created_at, after, end.ended_at, end.end_event_id))


def _sent_meanwhile(producer: Producer, end: BatchEnd) -> str | None:
    """A PRODUCE request that left past the deadline and clearly before the expiry, after another one that did.

    One alone proves nothing: the loop that sent it may have looked at its clock before a pause of the process.
    """
    limit_ms = producer.ms("delivery.timeout.ms")
    if limit_ms is None or end.created_at is None or end.ended_at is None:
        return None
    due_at, seen_at = end.created_at + limit_ms + SAME_BATCH_MS, end.ended_at - SAME_BATCH_MS
    between = [(at, event_id) for at, event_id in producer.sends if due_at < at < seen_at]
    # Requests of one pass of the loop leave together: the next pass looked at its clock since.
    return next((event_id for at, event_id in between if at - between[0][0] > SAME_BATCH_MS), None)


def _remember(producer: Producer, key: PartitionKey, row: BatchLifetime, chain: Chain | None) -> None:
    """Keep an ended chain, so that a retry after it is seen."""
    if chain is None or row.ended_at is None:
        return
    is_sure = _is_sure(producer, chain) and (row.outcome == "expired" or chain.attempts_left == 0)
    proof = [chain.event_ids[-1], row.event_ids[-1]]
    producer.chains(key).remember(Ended(row.batch_id, chain.attempts_left, row.ended_at, is_sure, proof))


def ending(producer: Producer, key: PartitionKey) -> Iterator[Ended]:
    """Chains whose batch expired just now: lines of its other records may follow, a retry of it may not."""
    pile = producer.piles.get(key)
    for expiry in pile.expiries if pile is not None else ():
        chain = expiry.chain
        if chain is not None and expiry.first_at is not None:
            proof = [chain.event_ids[-1], expiry.event.event_id]
            yield Ended("", chain.attempts_left, expiry.first_at, _is_sure(producer, chain), proof)


def _is_sure(producer: Producer, chain: Chain) -> bool:
    """Whether no other batch of the partition can be meant by this chain."""
    is_known = (
        chain.is_alone or chain.is_followed or producer.ms("max.in.flight.requests.per.connection") == 1
    )
    return chain.is_certain and is_known
