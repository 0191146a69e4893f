"""Retries of librdkafka: the waits between a failure and the next send, of batches (debug=msg shows both) and of requests
for a producer's id (WARN says that one failed, debug=protocol shows the next).

The client draws its wait in silence (rd_kafka_retry_msgq), so it is measured. Failures count per message: the batch that
fails again and again is one sequence; with idempotence it is known by its first message, else by its partition, of which
the oldest that failed is followed: others fail behind it, and go out again within it. Answers come in the order of sends.
What is sent again for the failure of one before it has not failed, and waits for that one (ERR__RETRY, which does not
count). An id is asked for again by a timer of its own, every 500 ms, that no setting moves.
Sources: librdkafka, rd_kafka_handle_Produce, rd_kafka_msgset_writer, rd_kafka_idemp_pid_timer_restart; KIP-580.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.backoff.retry_sequences import OWN_TIMER, Sequence, Wait
from transforms.timers.episodes import BatchLifetime, Episode, whose
from transforms.timers.profile import ClientProfile
from transforms.whole import whole_number

FAILED, SENT, DELIVERED = "rdkafka-batch-error", "rdkafka-batch-sent", "rdkafka-batch-delivered"
GIVEN_UP = "rdkafka-batch-failed"
ID_REFUSED, REQUEST_SENT, INIT = "rdkafka-producer-id", "rdkafka-sent", "InitProducerId"
FAMILIES = frozenset({FAILED, SENT, DELIVERED, GIVEN_UP, ID_REFUSED, REQUEST_SENT})
PATH = "rdkafka_batch"
KEPT = 1024  # batches of one process that are retried at once, and that were sent
MOST_UNDER_WAY = 100  # of one partition
FOR_ANOTHER = "Local: Retry operation"
NO_ID = (None, "0")  # of a message, without idempotence
Key = tuple[str | None, str | None, int | None, str | None]
Sent = tuple[int | None, bool]


@dataclass(slots=True)
class RdkafkaRetries:
    """Machine: lines of batches -> BackoffAttempt rows, with a BackoffSequence each.

    under_way: what was sent and not answered, the oldest first: to which broker, and whether it is the sequence's.
    """

    sequences: dict[Key, Sequence] = field(default_factory=dict)
    under_way: dict[Key, list[Sent]] = field(default_factory=dict)
    held_up: set[Key] = field(default_factory=set)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """The waits that this line ends."""
        if event.message_id not in FAMILIES or event.happened_at is None:
            return ()
        if event.message_id in (ID_REFUSED, REQUEST_SENT):
            return self._of_producer_id((event.client_id, None, None, None), event, profile)
        first = event.details.get("first_message")
        key = (event.client_id, event.topic, event.partition, None if first in NO_ID else first)
        if event.message_id == SENT:
            return self._sent(key, event)
        if event.message_id == DELIVERED:
            return self._delivered(key, event)
        return self._over(key) if event.message_id == GIVEN_UP else self._failed(key, event, profile)

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """The sequences as far as they went."""
        found = [episode for sequence in self.sequences.values() for episode in sequence.ended()]
        self.sequences.clear()
        self.under_way.clear()
        return found

    def _of_producer_id(self, key: Key, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Asked for twice without a refusal between, it had been given."""
        if event.message_id == REQUEST_SENT:
            if event.api != INIT:
                return ()
            over = self._over(key) if key in self.under_way else []
            return [*over, *self._sent(key, event)]
        return self._failed(key, event, profile) if "reason" in event.details else ()

    def _sent(self, key: Key, event: ClientEvent) -> Iterable[Episode]:
        over: list[Episode] = []
        if any(node_id != event.node_id for node_id, _ in self.under_way.get(key, ())):
            over = self._over(key)  # the answers of two brokers come in no order
        sequence, before = self.sequences.get(key), self.under_way.get(key, [])
        is_retry = sequence is not None and not any(is_its for _, is_its in before)
        if not before and len(self.under_way) >= KEPT:
            self.under_way.pop(next(iter(self.under_way)))
        self.under_way[key] = [*before[-MOST_UNDER_WAY:], (event.node_id, is_retry)]
        if sequence is None or not is_retry:
            return over
        if key in self.held_up:
            self.held_up.remove(key)
            return over
        return [_waited(sequence, event)]

    def _answered(self, key: Key) -> bool | None:
        """Whether the oldest that was sent is the sequence's; None where no line tells that any was sent."""
        before = self.under_way.pop(key, [])
        if before[1:]:
            self.under_way[key] = before[1:]
        return before[0][1] if before else None

    def _failed(self, key: Key, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        over: list[Episode] = []
        is_retry, sequence = self._answered(key), self.sequences.get(key)
        if sequence is not None and is_retry is None:
            over += self._over(key)  # when it was sent no line tells
            sequence = None
        if event.details.get("error_message") == FOR_ANOTHER:
            if sequence is not None:
                self.held_up.add(key)
            return over
        if sequence is None:
            if len(self.sequences) >= KEPT:
                over += self._over(next(iter(self.sequences)))
            self.sequences[key] = _begun(event, profile)
        elif is_retry:
            sequence.failed_again(event)
        return over

    def _delivered(self, key: Key, event: ClientEvent) -> Iterable[Episode]:
        is_retry, sequence = self._answered(key), self.sequences.get(key)
        if is_retry is False:
            return ()
        return [*self._over(key), *(_went_through(sequence, event) if is_retry and sequence else ())]

    def _over(self, key: Key) -> list[Episode]:
        self.under_way.pop(key, None)
        self.held_up.discard(key)
        sequence = self.sequences.pop(key, None)
        return sequence.ended() if sequence is not None else []


def _waited(sequence: Sequence, event: ClientEvent) -> Episode:
    at = event.happened_at or 0
    waited_ms = at - sequence.last_at
    wait = Wait(
        sequence.failures,
        sequence.last_at,
        waited_ms,
        waited_ms,
        (sequence.last.event_id, event.event_id),
        is_sent_known=True,
        at_least_ms=waited_ms,
        leader_excluded="Refresh" not in sequence.last.details.get("actions", ""),
        is_alone=True,
    )
    return sequence.waited(wait, at)


def _begun(event: ClientEvent, profile: ClientProfile) -> Sequence:
    if event.message_id == ID_REFUSED:
        return Sequence.begun(event, profile, OWN_TIMER, "INIT_PRODUCER_ID", None)
    return Sequence.begun(event, profile, PATH, "PRODUCE", f"{event.topic}-{event.partition}")


def _went_through(sequence: Sequence, event: ClientEvent) -> list[Episode]:
    """The batch that was delivered after retries."""
    return [
        BatchLifetime(
            **whose(event),
            event_ids=[sequence.last.event_id, event.event_id],
            profile=sequence.profile,
            batch_id=sequence.sequence_id,
            topic=event.topic,
            partition=event.partition,
            records=whole_number(event.details["records"]) if "records" in event.details else None,
            ended_at=event.happened_at,
            outcome="delivered",
            attempts=sequence.failures + 1,
        )
    ]
