"""Retries of librdkafka: the waits between a failure and the next send, of batches (debug=msg shows both) and of requests
for a producer's id (WARN says that one failed, debug=protocol shows the next).

The client draws its wait in silence (rd_kafka_retry_msgq), so it is measured. Failures count per message: the batch that
fails again and again, with one send between two failures, is one sequence; with idempotence it is known by its first
message, else by its partition. What is sent again for the failure of one before it has not failed, and waits for that one
(ERR__RETRY, which does not count). An id is asked for again by a timer of its own, every 500 ms, that no setting moves.
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
KEPT = 1024  # batches of one process that are retried at once
FOR_ANOTHER = "Local: Retry operation"
NO_ID = (None, "0")  # of a message, without idempotence
Key = tuple[str | None, str | None, int | None, str | None]


@dataclass(slots=True)
class RdkafkaRetries:
    """Machine: lines of batches -> BackoffAttempt rows, with a BackoffSequence each."""

    sequences: dict[Key, Sequence] = field(default_factory=dict)
    sent: dict[Key, ClientEvent] = field(default_factory=dict)
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
            sequence = self.sequences.get(key) if key in self.sent else None
            return [*self._over(key), *_delivered(sequence, event)]
        return self._over(key) if event.message_id == GIVEN_UP else self._failed(key, event, profile)

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """The sequences as far as they went."""
        found = [episode for sequence in self.sequences.values() for episode in sequence.ended()]
        self.sequences.clear()
        return found

    def _of_producer_id(self, key: Key, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Asked for twice without a refusal between, it had been given."""
        if event.message_id == REQUEST_SENT:
            return self._sent(key, event) if event.api == INIT else ()
        return self._failed(key, event, profile) if "reason" in event.details else ()

    def _failed(self, key: Key, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        over: list[Episode] = []
        sequence = self.sequences.get(key)
        if sequence is not None and key not in self.sent:
            over += self._over(key)  # two batches of the partition were under way: which failed is not known
            sequence = None
        self.sent.pop(key, None)
        if event.details.get("error_message") == FOR_ANOTHER:
            if sequence is not None:
                self.held_up.add(key)
            return over
        if sequence is None:
            if len(self.sequences) >= KEPT:
                over += self._over(next(iter(self.sequences)))
            self.sequences[key] = _begun(event, profile)
        else:
            sequence.failed_again(event)
        return over

    def _sent(self, key: Key, event: ClientEvent) -> Iterable[Episode]:
        sequence = self.sequences.get(key)
        if sequence is None:
            return ()
        if key in self.sent:
            return self._over(key)
        self.sent[key] = event
        if key in self.held_up:
            self.held_up.remove(key)
            return ()
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
        return [sequence.waited(wait, at)]

    def _over(self, key: Key) -> list[Episode]:
        self.sent.pop(key, None)
        self.held_up.discard(key)
        sequence = self.sequences.pop(key, None)
        return sequence.ended() if sequence is not None else []


def _begun(event: ClientEvent, profile: ClientProfile) -> Sequence:
    if event.message_id == ID_REFUSED:
        return Sequence.begun(event, profile, OWN_TIMER, "INIT_PRODUCER_ID", None)
    return Sequence.begun(event, profile, PATH, "PRODUCE", f"{event.topic}-{event.partition}")


def _delivered(sequence: Sequence | None, event: ClientEvent) -> list[Episode]:
    """The batch that went through after retries."""
    if sequence is None:
        return []
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
