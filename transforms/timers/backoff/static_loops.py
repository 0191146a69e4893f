"""Loops that wait a constant time by design: KIP-580 leaves them as they are.

Joins of a group (AbstractCoordinator.joinGroupIfNeeded: timer.sleep(retry.backoff.ms)), the Streams leader's
rounds over internal topics (InternalTopicManager, which prints its wait), a producer's InitProducerId and the lookup
of its coordinator (TransactionManager). Waits of joins end at "(Re-)joining group" (INFO).
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.backoff.retry_sequences import BackoffSequence
from transforms.timers.bounded import oldest_of_full
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile
from transforms.whole import whole_number

MACHINE = "static_loops"
JOIN_FAILED = frozenset({"join-failed", "sync-failed"})
JOIN_SENT = frozenset({"rejoin", "join-send"})
# Between a failure and the next join these wait by other rules: the lookup's own backoff.
LOOKED_UP = frozenset(
    {"coordinator-unknown", "coordinator-lookup-failed", "coordinator-found", "coordinator-lookup-sent"}
)
JOIN_OVER = frozenset({"joined", "join-answered", "leave-group", "poll-timeout-expired"})
ROUNDS = frozenset(
    {"internal-topics-not-ready", "internal-topics-not-described", "internal-topics-setup-retry"}
)
ROUNDS_OVER = frozenset({"internal-topics-expired", "internal-topics-setup-expired"})
FAMILIES = JOIN_FAILED | JOIN_SENT | LOOKED_UP | JOIN_OVER | ROUNDS | ROUNDS_OVER
KEPT = 512
WAITS_KEPT = 50


@dataclass(frozen=True, slots=True)
class StaticWait:
    """One wait of a loop. is_printed: the client's own line says how long it waits."""

    at: int
    waited_ms: int
    event_ids: tuple[str, ...]
    is_printed: bool = False


@dataclass(slots=True, kw_only=True)
class StaticLoop(Episode):
    """The waits of one such loop; judged, not stored. what: `JOIN_GROUP`, `internal topics`, or a request's API."""

    loop_id: str
    what: str
    started_at: int | None = None
    waits: list[StaticWait] = field(default_factory=list)


@dataclass(slots=True)
class Running:
    """A loop that goes on. failed: the failure that is waited for; None while its retry is under way."""

    loop: StaticLoop
    failed: tuple[int, str] | None = None
    remaining_ms: int | None = None


@dataclass(slots=True)
class StaticLoops:
    """Machine: events of one process -> StaticLoop."""

    running: dict[tuple[str, str | None], Running] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[StaticLoop]:
        """Loops that this event ended."""
        if event.message_id not in FAMILIES or event.happened_at is None:
            return ()
        return list(self._step(event, profile, event.happened_at))

    def finish(self, data_clock: int | None) -> Iterable[StaticLoop]:
        """Loops as far as they went."""
        found = [running.loop for running in self.running.values() if running.loop.waits]
        self.running.clear()
        return found

    def _step(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[StaticLoop]:
        message_id = event.message_id
        if message_id in ROUNDS | ROUNDS_OVER:
            yield from self._round(event, profile, at)
            return
        key = ("JOIN_GROUP", event.client_id)
        running = self.running.get(key)
        if running is not None and running.loop.incarnation != event.incarnation:
            yield from self._end(key)
            running = None
        if message_id in JOIN_FAILED:
            if running is None:
                running = yield from self._begun(key, event, profile, at)
            if running.failed is None:
                running.failed = (at, event.event_id)
        elif running is None:
            return
        elif message_id in JOIN_SENT and running.failed is not None:
            failed_at, failed_id = running.failed
            _waited(running.loop, StaticWait(failed_at, at - failed_at, (failed_id, event.event_id)))
            running.failed = None
        elif message_id in LOOKED_UP | JOIN_OVER:
            yield from self._end(key)

    def _round(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[StaticLoop]:
        """The leader says how long it will wait; its time runs down until the loop is over."""
        key = ("internal topics", event.thread or event.client_id)
        running = self.running.get(key)
        is_next = (
            running is not None
            and event.message_id in ROUNDS
            and running.loop.incarnation == event.incarnation
            and (event.remaining_ms or 0) <= (running.remaining_ms or 0)
        )
        if running is not None and not is_next:
            yield from self._end(key)
            running = None
        backoff = event.details.get("backoff_ms", "")
        if event.message_id in ROUNDS_OVER or not backoff.isdecimal():
            return
        if running is None:
            running = yield from self._begun(key, event, profile, at)
        running.remaining_ms = event.remaining_ms
        _waited(running.loop, StaticWait(at, whole_number(backoff), (event.event_id,), is_printed=True))

    def _begun(
        self, key: tuple[str, str | None], event: ClientEvent, profile: ClientProfile, at: int
    ) -> Generator[StaticLoop, None, Running]:
        for oldest in oldest_of_full(self.running, KEPT):
            yield from self._end(oldest)
        running = self.running[key] = Running(
            StaticLoop(
                **whose(event),
                profile=profile,
                loop_id=episode_id(event.unit_id, MACHINE, event.event_id),
                what=key[0],
                started_at=at,
            )
        )
        return running

    def _end(self, key: tuple[str, str | None]) -> Iterator[StaticLoop]:
        running = self.running.pop(key, None)
        if running is not None and running.loop.waits:
            yield running.loop


def static_loop_of(sequence: BackoffSequence) -> StaticLoop:
    """The waits of a sequence whose path is constant by design."""
    return StaticLoop(
        **whose(sequence),
        event_ids=sequence.event_ids,
        profile=sequence.profile,
        loop_id=episode_id(sequence.unit_id, MACHINE, sequence.sequence_id),
        what=sequence.api or "",
        started_at=sequence.started_at,
        waits=[StaticWait(wait.failed_at, wait.waited_ms, wait.event_ids) for wait in sequence.waits],
    )


def _waited(loop: StaticLoop, wait: StaticWait) -> None:
    if len(loop.waits) < WAITS_KEPT:
        loop.waits.append(wait)
        loop.event_ids.extend(wait.event_ids)
