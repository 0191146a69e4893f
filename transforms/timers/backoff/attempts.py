"""Retries of all clients (KIP-580): one BackoffAttempt for each wait between a failure and the next send.

Seen: producer batches (WARN), coordinator lookups (DEBUG), producer ids (DEBUG), metadata refreshes that come back
with an error (WARN), admin calls (DEBUG). Not retry backoff, and so never here: reconnects and connection
set-up (KIP-144), JoinGroup and SyncGroup, and Streams' own loops.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.backoff.first_waits import FirstWaitSamples
from transforms.timers.backoff.fleet_steps import FleetSteps
from transforms.timers.backoff.jitter import JitterSamples
from transforms.timers.backoff.producer_retries import ProducerRetries
from transforms.timers.backoff.retry_sequences import BackoffSequence, Sequence, Wait
from transforms.timers.backoff.short_waits import ShortWaits
from transforms.timers.backoff.static_loops import static_loop_of
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode
from transforms.timers.profile import ClientProfile
from transforms.whole import whole_or_none

SEQUENCES_KEPT = 1024
LOOKUP, INIT = "FIND_COORDINATOR", "INIT_PRODUCER_ID"
# What a producer's TransactionManager asks until the answer has no error, and what it says of that answer.
ASKED_AGAIN = {"producer-idempotent": INIT, "producer-txn-coordinator": LOOKUP}
# An answer and the next request belong together for so long; later it is a new epoch, or a coordinator that was lost.
STATIC_SILENCE_MS = 5000
# A series of metadata errors is over when nothing came for so long: several caps of a second, or a request
# that timed out.
METADATA_SILENCE_MS = 10_000

WIRE = frozenset({"net-send", "net-received"})
OF_PRODUCER = WIRE | {"producer-batch-retry", "producer-leader-change-skip-backoff"}
LOOKUP_FAILED = frozenset(
    {"coordinator-lookup-failed", "coordinator-lookup-error", "coordinator-lookup-unsaid"}
)
OF_ADMIN = frozenset({"admin-retry", "admin-queued"})
LOOKUP_SENT = "coordinator-lookup-sent"
# Whose coordinator's lookups are (CoordinatorRequestManager, AbstractCoordinator); a producer's are of its transactions.
LOOKS_UP = ("consumer", "share")
FAMILIES = (
    OF_PRODUCER
    | LOOKUP_FAILED
    | OF_ADMIN
    | {LOOKUP_SENT, "coordinator-lookup-answered", "coordinator-found"}
    | {"net-metadata-error", *ASKED_AGAIN}
)
KINDS = frozenset({"batch_expired"})

Key = tuple[str | None, str, str | None]


@dataclass(slots=True)
class BackoffAttempts:
    """Machine: events of one process -> BackoffAttempt rows, with a BackoffSequence each."""

    producers: dict[str | None, ProducerRetries] = field(default_factory=dict)
    sequences: dict[Key, Sequence] = field(default_factory=dict)
    incarnations: dict[str | None, int] = field(default_factory=dict)
    answered: dict[str | None, int] = field(default_factory=dict)
    # By whom: before 2.7 the network layer logs none.
    sends_told: set[str | None] = field(default_factory=set)
    jitter: JitterSamples = field(default_factory=JitterSamples)
    first_waits: FirstWaitSamples = field(default_factory=FirstWaitSamples)
    fleet: FleetSteps = field(default_factory=FleetSteps)
    short: ShortWaits = field(default_factory=ShortWaits)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Rows of the retries that this event ends."""
        if event.message_id not in FAMILIES and event.kind not in KINDS:
            return ()  # most lines are of others
        if event.happened_at is None:
            return ()
        found = list(self._step(event, profile, event.happened_at))
        return self._collected(found) if found else found

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """The sequences as far as they went: a client that is silent may have succeeded."""
        found = [episode for producer in self.producers.values() for episode in producer.finish()]
        found.extend(episode for sequence in self.sequences.values() for episode in sequence.ended())
        found = self._collected(found)
        for samples in (self.jitter, self.first_waits, self.fleet):
            found.extend(samples.ended())
        self.producers.clear()
        self.sequences.clear()
        return found

    def _collected(self, found: list[Episode]) -> list[Episode]:
        """What ended, and its waits kept for what only all of a client's sequences tell."""
        for samples in (self.jitter, self.first_waits, self.fleet, self.short):
            samples.collect(found)
        static = [one for one in found if isinstance(one, BackoffSequence) and one.path == "static"]
        return [*found, *(static_loop_of(sequence) for sequence in static)]

    def _step(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        message_id = event.message_id
        if message_id in ASKED_AGAIN:
            yield from self._end((event.client_id, ASKED_AGAIN[message_id], None))
        elif message_id in WIRE and event.client_kind in LOOKS_UP:
            self.sends_told.add(event.client_id)
            if event.api == LOOKUP and message_id == "net-send":
                yield from self._looked_up_again(event, at)
        elif message_id == LOOKUP_SENT:
            if event.client_id not in self.sends_told:
                yield from self._looked_up_again(event, at)
        elif message_id in OF_PRODUCER:
            if event.client_kind in ("producer", None):
                yield from self._of_producer(event, profile, at)
                yield from self._asked_again(event, profile, at)
        elif event.kind == "batch_expired":
            yield from self._batch_expired(event, profile, at)
        elif message_id == "coordinator-lookup-answered":
            self.answered[event.client_id] = whole_or_none(event.details.get("received_at")) or at
        elif message_id in LOOKUP_FAILED:
            yield from self._lookup_failed(event, profile)
        elif message_id == "coordinator-found":
            self.answered.pop(event.client_id, None)  # that answer was no failure
            yield from self._end((event.client_id, LOOKUP, event.group_id))
        elif message_id == "net-metadata-error":
            yield from self._metadata_failed(event, profile, at)
        elif message_id in OF_ADMIN:
            yield from self._admin(event, profile, at)

    def _of_producer(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        producer = self.producers.get(event.client_id)
        if producer is not None and self.incarnations.get(event.client_id) != event.incarnation:
            yield from producer.finish()
            producer = None
        if producer is None:
            producer = self.producers[event.client_id] = ProducerRetries()
            self.incarnations[event.client_id] = event.incarnation
        yield from producer.step(event, profile, at)

    def _batch_expired(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        """An expiry is often printed by the application, which names no client: it is the only one's that has a batch of the
        partition waiting, or not used.
        """
        key = (event.topic, event.partition)
        owners = [
            producer
            for client_id, producer in self.producers.items()
            if event.client_id == client_id or (event.client_id is None and producer.chains.get(key))
        ]
        if len(owners) == 1:
            yield from owners[0].step(event, profile, at)

    def _asked_again(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        """What a producer sends again after an answer only when that answer was an error: InitProducerId, and the lookup of
        its transactions' coordinator, whose error stands within the answer.
        """
        if event.api not in (INIT, LOOKUP):
            return
        key = (event.client_id, event.api, None)
        sequence = self.sequences.get(key)
        if event.message_id == "net-received":
            if sequence is None or sequence.last.incarnation != event.incarnation:
                yield from self._end(key)
                yield from self._keep(key, Sequence.begun(event, profile, "static", event.api, None))
            else:
                sequence.failed_again(event)
        elif sequence is not None and sequence.sent_at is None and at - sequence.last_at <= STATIC_SILENCE_MS:
            yield self._sent_again(sequence, event, at)

    def _lookup_failed(self, event: ClientEvent, profile: ClientProfile) -> Iterator[Episode]:
        """A lookup came back with an error. Its several lines are one failure: the next send divides them."""
        key = (event.client_id, LOOKUP, event.group_id)
        sequence = self.sequences.get(key)
        if sequence is None or sequence.last.incarnation != event.incarnation:
            yield from self._end(key)
            sequence = Sequence.begun(event, profile, "lookup", LOOKUP, event.group_id)
            yield from self._keep(key, sequence)
        elif sequence.sent_at is not None:
            sequence.failed_again(event)
        # The answer's own time, where a line tells it: a slow logger writes the failure later.
        sequence.last_known_at = self.answered.pop(event.client_id, sequence.last_known_at)

    def _looked_up_again(self, event: ClientEvent, at: int) -> Iterator[Episode]:
        sequence = self.sequences.get((event.client_id, LOOKUP, event.group_id))
        if sequence is None or sequence.sent_at is not None:
            return
        if event.message_id == LOOKUP_SENT and "DisconnectException" in sequence.last.details.get(
            "exceptions", ""
        ):
            sequence.sent_at = at  # it waits for a new connection first (KIP-144), and may never leave
        else:
            yield self._sent_again(sequence, event, at)

    def _sent_again(self, sequence: Sequence, event: ClientEvent, at: int) -> Episode:
        """A retry whose request is in the log."""
        known_at = sequence.last_known_at
        failed_at = known_at if known_at is not None and known_at < sequence.last_at else sequence.last_at
        wait = Wait(
            failures=sequence.failures,
            failed_at=failed_at,
            waited_ms=at - failed_at,
            at_most_ms=at - failed_at,
            at_least_ms=at - sequence.last_at,
            event_ids=(sequence.last.event_id, event.event_id),
            is_sent_known=True,
            leader_excluded=True,
        )
        sequence.sent_at = at
        return sequence.waited(wait, at)

    def _metadata_failed(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        """Refreshes that keep coming back with an error: the gap is the wait plus the request."""
        key = (event.client_id, "METADATA", None)
        sequence = self.sequences.get(key)
        if sequence is not None and self._is_other_series(sequence, event, at):
            yield from self._end(key)
            sequence = None
        if sequence is None:
            yield from self._keep(key, Sequence.begun(event, profile, "metadata", "METADATA", None))
            return
        gap = at - sequence.last_at
        wait = Wait(
            failures=sequence.failures,
            failed_at=sequence.last_at,
            waited_ms=gap,
            at_most_ms=gap,
            event_ids=(sequence.last.event_id, event.event_id),
            leader_excluded=True,
        )
        yield sequence.waited(wait, None)
        sequence.failed_again(event)

    def _is_other_series(self, sequence: Sequence, event: ClientEvent, at: int) -> bool:
        return sequence.last.incarnation != event.incarnation or at - sequence.last_at > METADATA_SILENCE_MS

    def _admin(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        """A failed admin call prints when it may be tried again: the wait it drew."""
        tries, next_at = (whole_or_none(event.details.get(name)) for name in ("tries", "next_allowed_try_ms"))
        call = event.details.get("call_name")
        if call is None or tries is None or next_at is None:
            return
        key = (event.client_id, call, event.details.get("deadline_ms"))
        if tries == 0:
            yield from self._end(key)
            return
        is_lookup = "(api=" in call
        sequence = self.sequences.get(key)
        if sequence is not None and sequence.last.incarnation != event.incarnation:
            yield from self._end(key)
            sequence = None
        if sequence is None:
            path = "admin_lookup" if is_lookup else "admin"
            sequence = Sequence.begun(event, profile, path, api_of(call), call)
            sequence.failures = tries
            yield from self._keep(key, sequence)
        elif event.message_id == "admin-queued" and sequence.failures == tries:
            return  # the same failure, told again when the call is queued
        if sequence.last is not event:
            sequence.failed_again(event, tries)
        waited_ms = max(0, next_at - at)
        wait = Wait(
            failures=tries,
            failed_at=at,
            waited_ms=waited_ms,
            at_most_ms=waited_ms,
            event_ids=(event.event_id,),
            drawn_ms=waited_ms,
            leader_excluded=True,
        )
        yield sequence.waited(wait, None)

    def _keep(self, key: Key, sequence: Sequence) -> list[Episode]:
        """Keep a new sequence; one that it pushes out is over."""
        pushed_out = () if key in self.sequences else make_room(self.sequences, SEQUENCES_KEPT)
        self.sequences[key] = sequence
        return [episode for one in pushed_out for episode in one.ended()]

    def _end(self, key: Key) -> list[Episode]:
        sequence = self.sequences.pop(key, None)
        return sequence.ended() if sequence else []


def api_of(call: str) -> str:
    """The API an admin call names: `describeConsumerGroups(api=FIND_COORDINATOR)` is FIND_COORDINATOR."""
    return call.partition("(api=")[2].rstrip(")") or call
