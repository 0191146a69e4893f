"""The global thread's start-up (KIP-572): client timeouts are retried until task.timeout.ms, then it fails.

Mirrors GlobalStateManagerImpl.retryUntilSuccessOrThrowOnTaskTimeout: one deadline for one call on one
subject, looked at (now >= deadline) each time the call fails; a WARN for each failure but the last.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import oldest_of_full
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile
from transforms.timers.streams.streams_failures import waited_by

RETRY = "global-retry-warn"
EXPIRED = frozenset({"global-timeout-expired", "global-retry-disabled"})
STATE, RUNNING = "global-thread-state", "RUNNING"
DIED = frozenset({"global-thread-init-failed", "global-thread-died"})
FAMILIES = EXPIRED | DIED | {STATE, RETRY}
IDS_KEPT = 20
KEPT = 256


@dataclass(frozen=True, slots=True)
class Try:
    """A try that failed: how long after the failure before it, and what its call took of that.

    call_ms is None where the exception's text does not say.
    """

    at: int
    gap_ms: int
    call_ms: int | None
    event_ids: tuple[str, str]


@dataclass(slots=True, kw_only=True)
class GlobalTimer(Episode):
    """One call of the global thread that timed out until it went through or the thread failed. Judged, not stored:

    silver.task_timers is about tasks, and the global thread's timer has none.
    subject: the call's topic or partitions. started_at: first timeout seen. outcome: `died` where only the thread's end is
    logged, `expired` where the exception is, too; stalled_ms: as that says. tries: the first of its retries, as far as
    each failed with a line of its own. last_began_at, last_call_ms: when the last call began, and for how long it surely
    ran: its clock was read after that, its line written any time later.
    """

    timer_id: str
    subject: str
    started_at: int | None = None
    last_attempt_at: int | None = None
    last_began_at: int | None = None
    last_call_ms: int = 0
    last_event_id: str | None = None
    attempts: int = 0
    ended_at: int | None = None
    outcome: str = "open"
    stalled_ms: int | None = None
    tries: list[Try] = field(default_factory=list)


@dataclass(slots=True)
class GlobalTimers:
    """Machine: events of one process -> GlobalTimer."""

    running: dict[tuple[str | None, str], GlobalTimer] = field(default_factory=dict)
    expired: set[tuple[str | None, int | None]] = field(default_factory=set)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Timers that this event ended."""
        if event.message_id not in FAMILIES or event.happened_at is None:
            return ()
        return list(self._step(event, profile, event.happened_at))

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Calls that were still failing."""
        found = list(self.running.values())
        self.running.clear()
        return found

    def _step(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        if event.message_id == RETRY:
            key = (event.client_id, subject_of_call(event))
            timer = self.running.get(key)
            if timer is not None and (timer.incarnation != event.incarnation or timer.outcome != "open"):
                yield self._ended(key, "unknown", None)
                timer = None
            if timer is None:
                for oldest in oldest_of_full(self.running, KEPT):
                    yield self._ended(oldest, "unknown", None)
                timer = self.running[key] = _timer(event, profile, key[1])
                timer.started_at = at
            self._failed(timer, event, at)
        elif event.message_id in EXPIRED:
            yield from self._expired(event, profile, at)
        else:
            for key in [key for key in self.running if key[0] == event.client_id]:
                if event.details.get("state_to") == RUNNING:
                    yield self._ended(key, "closed", at)
                else:  # why it ended is logged after that, if at all
                    timer = self.running[key]
                    timer.outcome = "died" if event.message_id in DIED else "closed"
                    timer.ended_at = at

    def _failed(self, timer: GlobalTimer, event: ClientEvent, at: int) -> None:
        if timer.last_attempt_at is not None and timer.last_event_id and len(timer.tries) < IDS_KEPT:
            ids = (timer.last_event_id, event.event_id)
            timer.tries.append(Try(at, at - timer.last_attempt_at, waited_by(event), ids))
        timer.attempts += 1
        timer.last_began_at, timer.last_call_ms = timer.last_attempt_at, waited_by(event) or 0
        timer.last_attempt_at = at
        timer.last_event_id = event.event_id
        if len(timer.event_ids) < IDS_KEPT:
            timer.event_ids.append(event.event_id)
        else:
            timer.event_ids[-1] = event.event_id

    def _expired(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        """The exception names no call: it ended the one that failed last."""
        echo = (event.unit_id, event.elapsed_ms)
        if echo in self.expired:
            return
        self.expired.add(echo)
        key = max(self.running, key=lambda key: self.running[key].last_attempt_at or 0, default=None)
        timer = self.running.pop(key) if key else _timer(event, profile, "")
        timer.attempts += 1
        timer.event_ids.append(event.event_id)
        timer.ended_at = at
        timer.outcome = "expired"
        timer.stalled_ms = event.elapsed_ms
        yield timer

    def _ended(self, key: tuple[str | None, str], outcome: str, at: int | None) -> GlobalTimer:
        timer = self.running.pop(key)
        if timer.outcome == "open":
            timer.outcome, timer.ended_at = outcome, at
        return timer


def subject_of_call(event: ClientEvent) -> str:
    """What the failed call was about: it decides which deadline holds."""
    return (
        event.details.get("partitions") or event.details.get("tp") or f"{event.topic or ''}/{event.partition}"
    )


def _timer(event: ClientEvent, profile: ClientProfile, subject: str) -> GlobalTimer:
    return GlobalTimer(
        **whose(event),
        profile=profile,
        timer_id=episode_id(event.unit_id, "global_timers", event.event_id),
        subject=subject,
    )
