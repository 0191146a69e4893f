"""Ends of producer batches with what their rules must know beside the table's row; internal, not stored."""

from dataclasses import dataclass

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode
from transforms.timers.profile import ClientProfile, Setting

NETWORK_THREAD = "kafka-producer-network-thread"

# What an expiry text counts from. From 2.1 it is the batch's creation; before, request.timeout.ms was the bound.
SINCE_CREATION = "batch creation"
SINCE_ATTEMPT = "last attempt plus backoff time"
OLDER_BOUNDS = ("last append", "batch creation plus linger time", SINCE_ATTEMPT)


@dataclass(slots=True, kw_only=True)
class BatchEnd(Episode):
    """One batch that its producer gave up.

    bound: what the printed age counts from (SINCE_CREATION or one of OLDER_BOUNDS); None where it failed otherwise.
    least_age_ms: the smallest age among the batches of the partition that expired in the same instant. attempts_left: of the
    last retry seen; None without one. lived_at_most_ms: from the client's start to this end. overtaken_by: a batch created
    later that ended earlier, and how much later it was created (`overtaken_ms`), whatever pause delayed its line
    (`overtaken_at_least_ms`; None where that is not known). sent_meanwhile: a PRODUCE request that left while the batch
    should have been expired already, of a pass of the sender that began after that. last_failed_at: its last retry's line.
    aged_at_most_ms: its age at this end by a sample of metrics, age_sample.
    """

    batch_id: str
    topic: str | None = None
    partition: int | None = None
    outcome: str = "expired"
    bound: str | None = None
    created_at: int | None = None
    ended_at: int | None = None
    age_ms: int | None = None
    least_age_ms: int | None = None
    attempts_left: int | None = None
    error_class: str | None = None
    lived_at_most_ms: int | None = None
    overtaken_by: str | None = None
    overtaken_ms: int | None = None
    overtaken_at_least_ms: int | None = None
    is_same_instant: bool = False
    sent_meanwhile: str | None = None
    retried_at_age_ms: int | None = None
    retry_event_id: str = ""
    thread: str | None = None
    is_transactional: bool = False
    end_event_id: str = ""
    last_failed_at: int | None = None
    aged_at_most_ms: int | None = None
    age_sample: str | None = None

    @property
    def may_be_printed_late(self) -> bool:
        """Printed by another thread than the producer's own: the line's time says little about the end."""
        return self.thread is not None and not self.thread.startswith(NETWORK_THREAD)


@dataclass(slots=True, kw_only=True)
class RetryAfterEnd(Episode):
    """A retry of a batch that had ended: its counter goes on from an ended chain, or below zero."""

    retry_id: str
    topic: str | None = None
    partition: int | None = None
    happened_at: int | None = None
    ended_at: int | None = None
    attempts_left: int = 0


@dataclass(slots=True, kw_only=True)
class BlockedSend(Episode):
    """A send() that failed before there was a batch: it waited `blocked_ms` for metadata or memory (max.block.ms)."""

    send_id: str
    topic: str | None = None
    happened_at: int | None = None
    blocked_ms: int | None = None


def producer_setting(profile: ClientProfile | None, name: str) -> Setting | None:
    """A producer's whole-number setting, also where the profile is that of the Streams client it is embedded in."""
    if profile is None:
        return None
    return profile.whole(f"producer.{name}" if profile.client_kind == "streams" else name)


def producer_text(profile: ClientProfile | None, name: str) -> Setting | None:
    """A producer's setting that is no number, as producer_setting gives one that is."""
    if profile is None:
        return None
    return profile.setting(f"producer.{name}" if profile.client_kind == "streams" else name)


def is_transactional(event: ClientEvent, profile: ClientProfile | None) -> bool:
    """Whether the producer has a transactional id, by its prefix or its settings."""
    found = producer_text(profile, "transactional.id")
    return event.transactional_id is not None or (found is not None and found.value not in ("null", ""))


def keeps_order(profile: ClientProfile | None) -> bool:
    """Whether batches of a partition are known to be sent, and expired, oldest first."""
    in_flight = producer_setting(profile, "max.in.flight.requests.per.connection")
    idempotent = producer_text(profile, "enable.idempotence")
    one_in_flight = in_flight is not None and in_flight.ms == 1
    return one_in_flight or (idempotent is not None and idempotent.value == "true")


def bound_of(event: ClientEvent) -> str:
    """What an expiry text counts from. The newer text is assumed where nothing says otherwise."""
    return event.details.get("since", SINCE_CREATION)
