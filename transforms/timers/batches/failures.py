"""Failures other than expiry: which chain of retries a failed send ended, and which failures are no batch's."""

from collections.abc import Iterable
from dataclasses import dataclass

from transforms.events import ClientEvent
from transforms.timers.batches.chains import Chain, PartitionChains
from transforms.timers.batches.expiries import SAME_BATCH_MS
from transforms.when_used import when_used
from transforms.whole import whole_number

# send() refuses these before a record reaches a batch, or they end the producer and not one batch.
NOT_OF_A_BATCH = frozenset(
    {"SerializationException", "BufferExhaustedException", "InvalidTopicException", "RecordTooLargeException",
     "InterruptException", "ConfigException", "IllegalStateException"}
)  # fmt: skip

_BLOCKED = when_used(
    r"(?:present in metadata after|Failed to update metadata after|max blocking time) (\d+) ms"
)

# Errors whose exception is not named after them (org.apache.kafka.common.protocol.Errors).
EXCEPTION_OF = {
    "REQUEST_TIMED_OUT": "TimeoutException",
    "CORRUPT_MESSAGE": "CorruptRecordException",
    "KAFKA_STORAGE_ERROR": "KafkaStorageException",
    "OUT_OF_ORDER_SEQUENCE_NUMBER": "OutOfOrderSequenceException",
    "UNKNOWN_SERVER_ERROR": "UnknownServerException",
    "MESSAGE_TOO_LARGE": "RecordTooLargeException",
}
# "The request timed out.": of any request; of a batch where that was its error, and it has no attempt left.
REQUEST_TIMED_OUT = "request-timeout-exception"
BROKER_RETURNED = "producer-broker-returned"  # TransactionManager.handleFailedBatch
SAME_RESPONSE_MS = 5  # retry lines of one response are written within one loop


@dataclass(slots=True)
class Failure:
    """One failed batch, as the application prints its records.

    place: its partition, as the sender's own line names it right after (Sender.completeBatch asks for new metadata).
    """

    event: ClientEvent
    chain: Chain | None
    last_at: int
    event_ids: list[str]
    place: tuple[str | None, int | None] | None = None

    @property
    def is_unnamed(self) -> bool:
        """Whether nothing printed says which partition it is of."""
        return self.place is None and self.event.topic is None

    def takes(self, event: ClientEvent) -> bool:
        """Whether this line can be of the same batch: the same error in the same instant."""
        if self.place is not None:
            return False  # what comes after the sender's line is of the next batch
        at = event.happened_at
        # The application's line behind the client's own seldom names the partition.
        is_here = event.topic in (None, self.event.topic) and (
            event.partition is None or self.event.partition in (None, event.partition)
        )
        same_error = event.error_class == self.event.error_class
        is_same = same_error and (is_here or self._is_named_by(event))
        return is_same and at is not None and at - self.last_at <= SAME_BATCH_MS

    def _is_named_by(self, event: ClientEvent) -> bool:
        """Whether it is the client's own line, which stands behind those of the batch's records and names its partition."""
        of = None if self.chain is None else (self.chain.topic, self.chain.partition)
        may_be = of in (None, (event.topic, event.partition))
        return event.message_id == BROKER_RETURNED and self.is_unnamed and may_be

    def is_of_response(self, error: str | None, at: int) -> bool:
        """Whether it was printed by the loop that handled a response with this error."""
        return self.event.error_class == error and at - self.last_at <= SAME_RESPONSE_MS

    def add(self, event: ClientEvent) -> None:
        """One more record of it."""
        if self._is_named_by(event):
            self.place = (event.topic, event.partition)
        self.last_at = event.happened_at or self.last_at
        self.event_ids.append(event.event_id)


def blocked_ms(event: ClientEvent) -> int | None:
    """How long a send() waited for metadata or memory before it failed (max.block.ms); None for other failures."""
    if event.message_id in ("producer-metadata-timeout", "producer-buffer-timeout"):
        return event.limit_ms
    text = " ".join(event.details.get(name, "") for name in ("error_message", "cause_message"))
    match = _BLOCKED.search(text)
    return whole_number(match[1]) if match else None


def failing_chain(
    partitions: dict[tuple[str | None, int | None], PartitionChains],
    event: ClientEvent,
    answered: Iterable[Chain],
) -> Chain | None:
    """The chain whose batch this failure ends: answered just now, out of attempts, or the oldest with that error.

    A failure with attempts left is that of the response which came past the delivery timeout (Sender.canRetry).
    """
    chains = [chain for held in partitions.values() for chain in held.chains if _is_of(chain, event)]
    if event.kind != "produce_failed":
        # An exception of which it is not said that a send failed: only the batch's own last error tells.
        chains = [chain for chain in chains if exception_of(chain.error) == event.error_class]
    if event.message_id == REQUEST_TIMED_OUT:
        chains = [chain for chain in chains if chain.attempts_left == 0]
    alive = {id(chain) for chain in chains}
    for chain in answered:
        if id(chain) in alive:
            return chain
    same_error = [chain for chain in chains if exception_of(chain.error) == event.error_class]
    used_up = [chain for chain in chains if chain.attempts_left == 0]
    both = [chain for chain in used_up if chain in same_error]
    return min(both or used_up or same_error, key=lambda c: (c.first_sent_at, c.began), default=None)


def same_response(chain: Chain, other: Chain | None) -> bool:
    """Whether two chains without attempts left failed together before: their batches travel in the same requests."""
    if other is None or chain.attempts_left != 0 or other.attempts_left != 0:
        return False
    return abs(chain.last_failed_at - other.last_failed_at) <= SAME_RESPONSE_MS


def exception_of(error: str | None) -> str | None:
    """`NOT_ENOUGH_REPLICAS` to `NotEnoughReplicasException`; an exception's name stays."""
    if error is None or not error.isupper():
        return error
    if error in EXCEPTION_OF:
        return EXCEPTION_OF[error]
    name = "".join(word.capitalize() for word in error.split("_"))
    return name if name.endswith("Exception") else f"{name}Exception"


def _is_of(chain: Chain, event: ClientEvent) -> bool:
    same_topic = event.topic is None or event.topic == chain.topic
    return same_topic and (event.partition is None or event.partition == chain.partition)
