"""Commits of Streams tasks that keep failing, while processed records clear the tasks' timers.

Mirrors TaskExecutor.processTask (each processed record clears the timer) and TaskManager.commit (a commit
that timed out starts it). "Finalized commit" (DEBUG of StreamTask) tells of a commit that went through.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import oldest_of_full
from transforms.timers.episodes import episode_id, whose
from transforms.timers.profile import ClientProfile
from transforms.timers.streams.streams_failures import Outage, waited_by
from transforms.timers.streams.task_evidence import (
    ARMED,
    CLEARED,
    CLOSED,
    COMMIT_FAILED,
    COMMITTED,
    is_exactly_once,
    tasks_of,
)

MACHINE = "commit_outages"
OF_TASK = frozenset({COMMITTED, CLOSED, "streams-task-suspended"})
OF_THREAD = frozenset({"streams-client-dies", "streams-thread-fenced", "commit-timeout-on-revocation"})
FAMILIES = ARMED | OF_TASK | OF_THREAD | {COMMIT_FAILED, CLEARED, "task-corrupted", "streams-thread-state"}
# Without a line of success, failures further apart than two commit intervals may have one between them.
DEFAULT_INTERVAL_MS = 30_000
KEPT = 1024

Key = tuple[str | None, str]


@dataclass(slots=True, kw_only=True)
class CommitOutage(Outage):
    """Failed commits of one task, none known to have gone through between them. Judged, not stored.

    clears: how often its timer was cleared between them. sees_commits: DEBUG of StreamTask is logged, so that
    a commit that went through would show.
    """

    clears: int = 0
    sees_commits: bool = False
    clear_id: str | None = None


@dataclass(slots=True)
class CommitOutages:
    """Machine: events of one process -> CommitOutage."""

    running: dict[Key, CommitOutage] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[CommitOutage]:
        """Outages that this event ended."""
        if event.message_id not in FAMILIES or event.happened_at is None:
            return ()
        if event.message_id != COMMIT_FAILED and not self.running:
            return ()
        return list(self._step(event, profile, event.happened_at))

    def finish(self, data_clock: int | None) -> Iterable[CommitOutage]:
        """Outages as far as they went."""
        found = [outage for outage in self.running.values() if outage.failures > 1]
        self.running.clear()
        return found

    def _step(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[CommitOutage]:
        key = (event.thread, event.task_id or "")
        if event.message_id == COMMIT_FAILED:
            if not is_exactly_once(profile):
                for task_id in tasks_of(event):
                    yield from self._failed(event, profile, task_id, at)
        elif event.message_id in ARMED:
            if key in self.running:
                self.running[key].sees_commits = True
        elif event.message_id == CLEARED:
            if key in self.running:
                self.running[key].clears += 1
                self.running[key].clear_id = event.event_id
        elif event.message_id in OF_TASK:
            yield from self._end([key])
        elif event.message_id == "task-corrupted":
            yield from self._end([(event.thread, task_id) for task_id in tasks_of(event)])
        elif (
            event.thread is None
            or event.message_id in OF_THREAD
            or event.message_id == "streams-thread-state"
        ):
            yield from self._end([key for key in self.running if event.thread in (None, key[0])])

    def _failed(
        self, event: ClientEvent, profile: ClientProfile, task_id: str, at: int
    ) -> Iterator[CommitOutage]:
        key = (event.thread, task_id)
        waited_ms = waited_by(event) or 0
        outage = self.running.get(key)
        if outage is not None and not _goes_on(outage, event, profile, at - waited_ms):
            yield from self._end([key])
            outage = None
        if outage is None:
            yield from self._end(oldest_of_full(self.running, KEPT))
            outage = self.running[key] = CommitOutage(
                **whose(event),
                profile=profile,
                outage_id=episode_id(event.unit_id, MACHINE, f"{event.event_id}/{task_id}"),
                task_id=task_id,
                thread=event.thread,
                started_at=at - waited_ms,
            )
        outage.failures += 1
        outage.ended_at = at
        between = [outage.clear_id] if outage.clear_id else []
        outage.event_ids = list(dict.fromkeys([*outage.event_ids[:1], *between, event.event_id]))

    def _end(self, keys: Iterable[Key]) -> Iterator[CommitOutage]:
        for key in list(keys):
            outage = self.running.pop(key, None)
            if outage is not None and outage.failures > 1:
                yield outage


def _goes_on(outage: CommitOutage, event: ClientEvent, profile: ClientProfile, began_at: int) -> bool:
    """Whether a failed commit that began then follows the one before it with none in between."""
    if outage.incarnation != event.incarnation:
        return False
    if outage.sees_commits:
        return True
    interval = profile.whole("commit.interval.ms")
    return began_at - (outage.ended_at or 0) < 2 * (interval.ms if interval else DEFAULT_INTERVAL_MS)
