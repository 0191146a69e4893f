"""The group leader's loop over internal topics (KIP-572): it stops at half of max.poll.interval.ms.

Mirrors InternalTopicManager.makeReady and getTopicPartitionInfo. The lines name no group; a loop belongs to
the thread that its lines name (`main` in some releases).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile
from transforms.whole import whole_or_none

ROUNDS = frozenset({"internal-topics-not-ready", "internal-topics-not-described"})
EXPIRED = "internal-topics-expired"
FAMILIES = ROUNDS | {EXPIRED}
DUMPED = "config-dump"
IDS_KEPT = 20
KEPT = 64


@dataclass(slots=True, kw_only=True)
class LeaderLoop(Episode):
    """One loop of the leader. Judged, not stored.

    limit_ms: as the expiry line prints it. rounds: lines that promise another round. first_remaining_ms: what the
    first of them printed. due_at: the loop's deadline, or later, by the earliest that one of them makes it: each
    is written after its remaining time was computed.
    admin_timeout_ms: the embedded admin's own `default.api.timeout.ms`, where its dump was seen.
    """

    loop_id: str
    thread: str | None = None
    first_at: int | None = None
    first_remaining_ms: int | None = None
    last_at: int | None = None
    due_at: int | None = None
    ended_at: int | None = None
    outcome: str = "open"
    limit_ms: int | None = None
    rounds: int = 0
    backoff_ms: int | None = None
    max_poll_interval_ms: int | None = None
    admin_timeout_ms: int | None = None
    overdue_round: tuple[str, int] | None = None

    @property
    def took_ms(self) -> int | None:
        """From the loop's start, or later, to its expiry; None where either is not known."""
        if self.ended_at is None or self.due_at is None or self.limit_ms is None:
            return None
        return self.ended_at - self.due_at + self.limit_ms


@dataclass(slots=True)
class LeaderLoops:
    """Machine: events of one process -> LeaderLoop."""

    running: dict[str | None, LeaderLoop] = field(default_factory=dict)
    max_poll_interval_ms: int | None = None
    admin_timeout_ms: int | None = None

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Loops that this event ended."""
        if event.message_id == DUMPED:
            self._learn(event)
        if event.message_id not in FAMILIES or event.happened_at is None:
            return ()
        return list(self._step(event, profile, event.happened_at))

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Loops that still ran."""
        found = [loop for loop in self.running.values() if loop.rounds]
        self.running.clear()
        return found

    def _learn(self, event: ClientEvent) -> None:
        """The embedded clients' own limits: the main consumer's poll interval, the admin's timeout."""
        values = event.details
        client_id = values.get("config.client.id", "")
        if values.get("config_class") == "ConsumerConfig" and client_id.endswith("-consumer"):
            if not client_id.endswith(("-restore-consumer", "-global-consumer")):
                self.max_poll_interval_ms = whole_or_none(values.get("config.max.poll.interval.ms"))
        elif values.get("config_class") == "AdminClientConfig" and client_id.endswith("-admin"):
            self.admin_timeout_ms = whole_or_none(values.get("config.default.api.timeout.ms"))

    def _step(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        if event.message_id in ROUNDS:
            loop = self.running.get(event.thread)
            if loop is not None and self._is_another(loop, event):
                yield self.running.pop(event.thread)
                loop = None
            if loop is None:
                loop = self._begun(event, profile)
                loop.first_at = at
                loop.first_remaining_ms = event.remaining_ms
            loop.rounds += 1
            if event.remaining_ms is not None:
                due_at = at + event.remaining_ms
                loop.due_at = due_at if loop.due_at is None else min(loop.due_at, due_at)
            loop.last_at = at
            loop.backoff_ms = whole_or_none(event.details.get("backoff_ms"))
            loop.event_ids = [*loop.event_ids[:IDS_KEPT], event.event_id]
            if event.remaining_ms is not None and event.remaining_ms < 0 and loop.overdue_round is None:
                loop.overdue_round = (event.event_id, event.remaining_ms)
        elif event.message_id == EXPIRED:
            loop = self.running.pop(event.thread, None) or self._begun(event, profile)
            self.running.pop(event.thread, None)
            loop.ended_at = at
            loop.outcome = "expired"
            loop.limit_ms = event.limit_ms
            loop.event_ids.append(event.event_id)
            yield loop

    def _is_another(self, loop: LeaderLoop, event: ClientEvent) -> bool:
        """Remaining time only falls within a loop."""
        if loop.incarnation != event.incarnation:
            return True
        if event.remaining_ms is None or loop.first_remaining_ms is None:
            return False
        return event.remaining_ms >= loop.first_remaining_ms

    def _begun(self, event: ClientEvent, profile: ClientProfile) -> LeaderLoop:
        make_room(self.running, KEPT)
        loop = self.running[event.thread] = LeaderLoop(
            **whose(event),
            profile=profile,
            loop_id=episode_id(event.unit_id, "leader_loops", event.event_id),
            thread=event.thread,
            max_poll_interval_ms=self.max_poll_interval_ms,
            admin_timeout_ms=self.admin_timeout_ms,
        )
        return loop
