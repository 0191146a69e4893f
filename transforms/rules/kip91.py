"""KIP-91, delivery.timeout.ms: rules over the ends of producer batches."""

from transforms.rules.clocks import PAUSE
from transforms.rules.rule import ABSENT, CONFORMS, NOT_APPLICABLE, SAID, Verdict, rule, unjudged, violated
from transforms.timers.backoff.envelope import JITTER
from transforms.timers.batches.chains import CREATION_GRAIN_MS
from transforms.timers.batches.ends import (
    OLDER_BOUNDS,
    SINCE_CREATION,
    BatchEnd,
    BlockedSend,
    RetryAfterEnd,
    keeps_order,
    producer_setting,
)
from transforms.timers.profile import ClientProfile, Setting

# How late an expiry, or a request timeout, may come unremarked: the sender's loop runs when a poll returns,
# which the retry backoff, a metadata refresh or a pause of the process holds up by some hundred ms (200 ms
# were recorded with a healthy broker that answered with errors).
LATE_SLACK_MS = 500
# created_at is a line's time less a printed age, each line written some ms after the loop looked at its clock.
ORDER_GRAIN_MS = 100

RETRIABLE = frozenset(
    {
        "TimeoutException",
        "NetworkException",
        "DisconnectException",
        "NotEnoughReplicasException",
        "NotEnoughReplicasAfterAppendException",
        "NotLeaderOrFollowerException",
        "NotLeaderForPartitionException",
        "LeaderNotAvailableException",
        "UnknownTopicOrPartitionException",
        "CorruptRecordException",
        "KafkaStorageException",
        "UnknownLeaderEpochException",
        "FencedLeaderEpochException",
        "ReplicaNotAvailableException",
        "UnknownTopicIdException",
    }
)

LIMIT_UNKNOWN = "limit unknown"
DUMP = "the producer's configuration dump (ProducerConfig values, INFO), or the setting declared"


def _limit_of(end: BatchEnd) -> Setting | None:
    name = "delivery.timeout.ms" if end.bound == SINCE_CREATION else "request.timeout.ms"
    return producer_setting(end.profile, name)


@rule(
    "kip91.expired_early",
    judges=BatchEnd,
    severity="critical",
    gives=("broken_semantics",),
    says="a batch of {partition} expired {observed_ms} ms after {bound}; it had {limit_ms} ms ({limit_name})",
    runbook=(
        "Look at the producer's configuration dump: is the limit shown there the one of this process and start?",
        "Look for a second producer in the process whose settings are shorter and whose client id the line lacks.",
        "Its records are lost unless the application sends them again.",
    ),
    advice="None: no setting makes a correct client expire a batch before its limit. Report it to the client's makers.",
)
def expired_early(end: BatchEnd) -> Verdict:
    """Find a batch that expired before its delivery timeout, counted from its creation as the client counts.

    Source: KIP-91, Proposed Changes; ProducerBatch.hasReachedDeliveryTimeout. Before 2.1 the bound is
    request.timeout.ms, and the printed time leaves linger or backoff out.
    Silent when: the limit in force was not printed or declared.
    """
    if end.outcome != "expired" or end.age_ms is None:
        return NOT_APPLICABLE
    limit = _limit_of(end)
    if limit is None or not limit.is_proven:
        return unjudged(LIMIT_UNKNOWN, DUMP)
    if end.age_ms >= limit.ms:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=[end.end_event_id],
        happened_at=end.ended_at,
        observed_ms=end.age_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
        limit_name=limit.name,
        partition=_name(end.topic, end.partition),
        bound=end.bound,
    )


@rule(
    "kip91.expired_late",
    judges=BatchEnd,
    severity="warning",
    gives=("broken_semantics", "departs_from_kip"),
    says="a batch of {partition} expired {observed_ms} ms after its creation; delivery.timeout.ms is {limit_ms} ms",
    runbook=(
        "Look for request timeouts just before: while a broker is silent the sender sleeps until a request times out.",
        "Look at neighbours of the same partition: retried batches wait behind younger ones unless order is kept.",
        "Let it be where the lateness is below request.timeout.ms and callers can bear it.",
    ),
    advice="Lower request.timeout.ms: expiry is late by at most that. The price is more needless retries when brokers are "
    "slow. enable.idempotence=true keeps the order of retried batches, and with it the order of expiry.",
)
def expired_late(end: BatchEnd) -> Verdict:
    """Find a batch whose end came well after its delivery timeout.

    Source: KIP-91, Proposed Changes ("delivered or failed by then, in flight or not");
    Sender.sendProducerData expires only between polls, and per partition only up to the first batch that
    is not due.
    Silent when: transactions hold up the sender; the lateness exceeds what a silent broker explains,
    since then a process that stood still can't be told from a late client.
    """
    if end.outcome != "expired" or end.age_ms is None or end.bound != SINCE_CREATION:
        return NOT_APPLICABLE
    limit = _limit_of(end)
    if limit is None or not limit.is_proven:
        return unjudged(LIMIT_UNKNOWN, DUMP)
    if end.age_ms <= limit.ms + LATE_SLACK_MS or end.is_transactional:
        return CONFORMS
    category = "departs_from_kip"
    events = [end.end_event_id]
    if (end.retried_at_age_ms or 0) > limit.ms + LATE_SLACK_MS:
        category, events = "broken_semantics", [end.retry_event_id, end.end_event_id]
    elif _sender_was_awake(end):
        category, events = "broken_semantics", [end.sent_meanwhile or "", end.end_event_id]
    elif not _is_late_as_shipped(end, limit):
        return unjudged(
            "the process may have stood still",
            "a GC log, JMX samples of every second, or DEBUG of Sender and NetworkClient",
        )
    return violated(
        category,
        events=events,
        happened_at=end.ended_at,
        observed_ms=end.age_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
        partition=_name(end.topic, end.partition),
    )


def _sender_was_awake(end: BatchEnd) -> bool:
    """A produce request left past the deadline, and the expired batch stood at the head of its queue all the while."""
    is_own_thread = end.thread is not None and not end.may_be_printed_late
    return end.sent_meanwhile is not None and is_own_thread and keeps_order(end.profile)


def _is_late_as_shipped(end: BatchEnd, limit: Setting) -> bool:
    """The sender slept until a request timed out; older batches then go with the youngest one that was due."""
    request_timeout = producer_setting(end.profile, "request.timeout.ms")
    least_age_ms = end.least_age_ms if end.least_age_ms is not None else end.age_ms
    if request_timeout is None or least_age_ms is None:
        return False
    return least_age_ms - limit.ms <= request_timeout.ms + LATE_SLACK_MS


@rule(
    "kip91.expired_out_of_order",
    judges=BatchEnd,
    severity="error",
    gives=("broken_semantics", "departs_from_kip"),
    says="a batch of {partition} expired after one that was created {observed_ms} ms later, "
    "with max.in.flight.requests.per.connection=1",
    runbook=(
        "Check that both lines were written by the producer's own thread, not by callers that waited for futures.",
        "In one instant the order of callbacks is as shipped: queued batches are called back before those in flight.",
    ),
    advice="None for the client. An application that depends on the order of failures should compare its own sequence.",
)
def expired_out_of_order(end: BatchEnd) -> Verdict:
    """Find a batch that expired after a younger one of its partition although only one request may be in flight.

    Source: KIP-91, Proposed Changes (order of expiry); Sender.sendProducerData (accumulator first, then
    in flight).
    Silent when: more than one request may be in flight; the line was written by another thread than the
    producer's; the process may have stood still before the line of the younger one.
    """
    if end.outcome != "expired" or end.overtaken_by is None or (end.overtaken_ms or 0) <= ORDER_GRAIN_MS:
        return NOT_APPLICABLE
    in_flight = producer_setting(end.profile, "max.in.flight.requests.per.connection")
    if in_flight is None or not in_flight.is_proven:
        return unjudged(LIMIT_UNKNOWN, DUMP)
    if in_flight.ms != 1:
        return NOT_APPLICABLE
    if not end.is_same_instant and end.may_be_printed_late:
        return unjudged(
            "the order of printing is not the order of expiry",
            "the callbacks' lines with their thread (%t in the layout)",
        )
    if not end.is_same_instant and (end.overtaken_at_least_ms or 0) <= ORDER_GRAIN_MS:
        return unjudged(PAUSE, "any line of the process shortly before it, or the GC log")
    return violated(
        "departs_from_kip" if end.is_same_instant else "broken_semantics",
        events=[end.overtaken_by, end.end_event_id],
        happened_at=end.ended_at,
        observed_ms=end.overtaken_ms,
        partition=_name(end.topic, end.partition),
    )


@rule(
    "kip91.gave_up_early",
    judges=BatchEnd,
    severity="critical",
    gives=("broken_semantics",),
    says="a batch of {partition} failed with {error} although {attempts_left} retries were left and it was at most "
    "{observed_ms} ms old, delivery.timeout.ms being {limit_ms} ms",
    runbook=(
        "Check that the failure is this batch's: the last error of its retries and the exception should agree.",
        "Look for a forced close of the producer, which fails all batches.",
    ),
    advice="None: a retriable error is retried until the attempts or the time are used up.",
)
def gave_up_early(end: BatchEnd) -> Verdict:
    """Find a batch that a retriable error ended although retries and time were left.

    Source: KIP-91, Proposed Changes; Sender.canRetry.
    Silent when: no retry of it was seen; its age can't be bounded (creation is in no log line: only a
    producer younger than its delivery timeout proves it, or JMX record-queue-time-max); the error is not retriable.
    """
    if end.outcome != "failed" or (end.attempts_left or 0) <= 0 or end.error_class not in RETRIABLE:
        return NOT_APPLICABLE
    limit = producer_setting(end.profile, "delivery.timeout.ms")
    if limit is None or not limit.is_proven:
        return unjudged(LIMIT_UNKNOWN, DUMP)
    ages = [age for age in (end.lived_at_most_ms, end.aged_at_most_ms) if age is not None]
    if min(ages, default=limit.ms) >= limit.ms:
        return unjudged(
            "the batch's creation is not in the log",
            "the callback's time of send, or JMX record-queue-time-max",
        )
    return violated(
        "broken_semantics",
        rests_on=ABSENT if _may_have_used_them_up(end, min(ages)) else SAID,
        events=end.event_ids[-2:],
        happened_at=end.ended_at,
        observed_ms=min(ages),
        samples=[end.age_sample] if end.age_sample and min(ages) == end.aged_at_most_ms else [],
        limit_ms=limit.ms,
        limit_origin=limit.origin,
        partition=_name(end.topic, end.partition),
        error=end.error_class,
        attempts_left=end.attempts_left,
    )


def _may_have_used_them_up(end: BatchEnd, oldest_ms: int) -> bool:
    """Whether a batch can use up all its retries, with their waits, in the time that this one lived at most.

    The failure may be of another batch of the partition, whose own lines were lost.
    """
    retries = producer_setting(end.profile, "retries")
    if retries is None or not retries.is_proven:
        return True
    return retries.ms * _shortest_wait_ms(end.profile) <= oldest_ms


def _shortest_wait_ms(profile: ClientProfile | None) -> int:
    """Between two attempts, at least; 0 where retry.backoff.ms is not known."""
    backoff = producer_setting(profile, "retry.backoff.ms")
    return (
        0 if backoff is None or not backoff.is_proven else int(backoff.ms * (1 - JITTER)) - CREATION_GRAIN_MS
    )


@rule(
    "kip91.retried_after_end",
    judges=RetryAfterEnd,
    severity="critical",
    gives=("broken_semantics",),
    says="a batch of {partition} was retried {after}; its records may be written after their failure was reported",
    runbook=(
        "Compare the attempts left: the line goes on where the ended batch stopped.",
        "Check for duplicates at the consumer: the application was told that these records failed.",
    ),
    advice="None: an ended batch is never sent again by a correct client.",
)
def retried_after_end(retry: RetryAfterEnd) -> Verdict:
    """Find a retry of a batch after its expiry or failure, or beyond its last attempt.

    Source: KIP-91, Proposed Changes; Sender.canRetry, Sender.failBatch.
    Silent when: another batch could be meant (several in flight on the partition); `retries` is unknown.
    """
    retries = producer_setting(retry.profile, "retries")
    is_beyond = retry.attempts_left < 0
    if not is_beyond and (retries is None or not retries.is_proven):
        return unjudged(LIMIT_UNKNOWN, DUMP)
    late_ms = None if retry.ended_at is None else (retry.happened_at or 0) - retry.ended_at
    is_proven = is_beyond or _is_too_soon(retry, retries, late_ms)
    return violated(
        "broken_semantics",
        rests_on=SAID if is_proven else ABSENT,
        events=retry.event_ids,
        happened_at=retry.happened_at,
        observed_ms=late_ms,
        partition=_name(retry.topic, retry.partition),
        after="beyond its last attempt" if is_beyond else f"{late_ms} ms after its end",
    )


def _is_too_soon(retry: RetryAfterEnd, retries: Setting | None, late_ms: int | None) -> bool:
    """Whether no other batch can have failed so often since the end: one in flight lets none fail before it."""
    in_flight = producer_setting(retry.profile, "max.in.flight.requests.per.connection")
    if (
        in_flight is None
        or not in_flight.is_proven
        or in_flight.ms != 1
        or retries is None
        or late_ms is None
    ):
        return False
    return (retries.ms - 1 - retry.attempts_left) * _shortest_wait_ms(retry.profile) > late_ms


@rule(
    "kip91.expired_by_request_timeout",
    judges=BatchEnd,
    severity="info",
    gives=("older_semantics",),
    says="a batch of {partition} expired {observed_ms} ms after {bound}: this client knows no delivery.timeout.ms",
    runbook=(
        "The client is older than 2.1: batches that wait in the producer expire by request.timeout.ms.",
        "A broker that is away longer than that loses records even where `retries` is large.",
    ),
    advice="Upgrade the client to 2.1 or later; until then raise request.timeout.ms (failures are noticed later).",
)
def expired_by_request_timeout(end: BatchEnd) -> Verdict:
    """Say that a client expires batches by the rules before KIP-91.

    Source: KIP-91, Motivation; ProducerBatch.maybeUpdateLastAttempt and expiry texts to 2.0.
    Silent when: the text is the one of 2.1 and later.
    """
    if end.bound not in OLDER_BOUNDS:
        return NOT_APPLICABLE
    limit = producer_setting(end.profile, "request.timeout.ms")
    return violated(
        "older_semantics",
        events=[end.end_event_id],
        happened_at=end.ended_at,
        observed_ms=end.age_ms,
        limit_ms=limit.ms if limit is not None else None,
        limit_origin=limit.origin if limit is not None else None,
        partition=_name(end.topic, end.partition),
        bound=end.bound,
    )


@rule(
    "kip91.blocked_send_counted",
    judges=BlockedSend,
    severity="error",
    gives=("broken_semantics",),
    says="send() was given up after {observed_ms} ms of waiting; max.block.ms allows {limit_ms} ms",
    runbook=(
        "Check which producer of the process it was: the line names none.",
        "The wait for metadata or memory is bounded by max.block.ms alone, not by the delivery timeout.",
    ),
    advice="None: time blocked in send() must not count against delivery.timeout.ms.",
)
def blocked_send_counted(send: BlockedSend) -> Verdict:
    """Find a send() that was cut off before max.block.ms.

    Source: KIP-91, Proposed Changes (the timer starts with the batch); KafkaProducer.waitOnMetadata
    prints max.block.ms.
    Silent when: the producer's max.block.ms is unknown.
    """
    limit = producer_setting(send.profile, "max.block.ms")
    if send.blocked_ms is None or limit is None or not limit.is_proven:
        return unjudged(LIMIT_UNKNOWN, DUMP)
    if send.blocked_ms >= limit.ms:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=[send.send_id],
        happened_at=send.happened_at,
        observed_ms=send.blocked_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
    )


def _name(topic: str | None, partition: int | None) -> str:
    return "an unnamed partition" if topic is None or partition is None else f"{topic}-{partition}"
