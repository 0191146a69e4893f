"""One run of a task's timer while it is rebuilt, and what it becomes: the row, and the evidence that rules judge."""

from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode, TaskTimer, episode_id, whose
from transforms.timers.profile import ClientProfile, Setting
from transforms.timers.streams.task_evidence import (
    ARMED,
    CALLS,
    COMMIT_FAILED,
    PARTITIONS_FAILED,
    causes_of_expiry,
    exceptions_of,
    expiry_of,
)
from transforms.timers.streams.topology_limits import task_timeout_of

MACHINE = "task_timers"
# Lines of one failure are written one after the other by one thread; a stack trace between them costs some
# ms, a client call that fails again takes longer than this only if its own timeout is longer. Same-family
# lines never merge.
TWIN_MS = 1000
WHOLE_MS = 500  # settings are whole seconds, or halves
ATTEMPTS_KEPT = 50


@dataclass(slots=True)
class Attempt:
    """One timeout of a task: families seen of it, the call that failed (None while only the timer line was seen).

    call_at: when the failed call was told, which is before the clock is read for its timer.
    causes: the exceptions that its timer line, or its expiry under its own, prints; () where it prints none.
    None where it has no such line, or where what it prints can't be told from a cut stack trace.
    """

    at: int
    call: str | None
    families: set[str]
    event_ids: list[str]
    remaining_ms: int | None = None
    skip_level: str | None = None
    causes: tuple[str, ...] | None = None
    call_at: int | None = None

    def takes(self, event: ClientEvent, call: str | None) -> bool:
        """Whether this line is one more about the same failure."""
        family = "armed" if event.message_id in ARMED else event.message_id
        if event.happened_at is None or family in self.families or event.happened_at - self.at > TWIN_MS:
            return False
        return self.call is None or call is None or self.call == call

    @property
    def may_be_expiring(self) -> bool:
        """Whether its lines are those that also precede an expiry: nothing yet says that the task goes on."""
        return self.families <= {COMMIT_FAILED, PARTITIONS_FAILED}


@dataclass(slots=True, kw_only=True)
class TimerStreak(Episode):
    """The proof behind one TaskTimer row; judged, not stored.

    continues_deadline_at: the deadline of the run before, where a clear was seen since and this run goes on
    with it.
    moved_to: (attempt, deadline) of the first timer line in the run that names another deadline.
    armed_after_deadline: the first timer line written after the deadline. debug_lines: timer lines seen.
    attempts: the timeouts as kept; of a long run the middle is missing. sees_timers: it expired, and DEBUG of
    StreamTask was logged before it began.
    """

    timer_id: str
    timer: TaskTimer
    debug_lines: int = 0
    continues_deadline_at: int | None = None
    cleared_event_id: str | None = None
    moved_to: tuple[Attempt, int] | None = None
    armed_after_deadline: Attempt | None = None
    first_line_at: int | None = None
    attempts: list[Attempt] = field(default_factory=list)
    sees_timers: bool = False
    reported_ms: int | None = None
    skipped: tuple[str, str] | None = None


@dataclass(slots=True)
class Run:
    """A timer that runs. deadline_at is the first that a timer line named, else start plus the limit.

    known_start: when the timer started that ran at the end, where the expiry of a task beside it tells.
    """

    thread: str | None
    task_id: str
    incarnation: int
    unit_id: str
    client_id: str | None
    profile: ClientProfile
    started_at: int
    is_inferred: bool
    service: str | None = None
    instance: str | None = None
    deadline_at: int | None = None
    debug_lines: int = 0
    attempts: list[Attempt] = field(default_factory=list)
    count: int = 0
    cleared_event_id: str | None = None
    continues_deadline_at: int | None = None
    moved_to: tuple[Attempt, int] | None = None
    armed_after_deadline: Attempt | None = None
    known_start: int | None = None
    sees_timers: bool = False

    @property
    def last(self) -> Attempt:
        """The attempt seen last."""
        return self.attempts[-1]

    @property
    def limit_ms(self) -> int | None:
        """`task.timeout.ms` as far as it is known."""
        limit = task_timeout_of(self.profile, self.task_id)
        return limit.ms if limit else None

    def add(self, attempt: Attempt) -> None:
        """One more timeout; of a long run the middle is not kept."""
        self.count += 1
        self.attempts.append(attempt)
        if len(self.attempts) > ATTEMPTS_KEPT:
            del self.attempts[ATTEMPTS_KEPT // 2]

    def end(
        self, outcome: str, ended_at: int | None, event_id: str | None = None, stalled_ms: int | None = None
    ) -> list[Episode]:
        """The row and its evidence. Without an end the timer is counted to its last attempt."""
        ids = [event_id_ for attempt in self.attempts for event_id_ in attempt.event_ids]
        if event_id is not None:
            ids.append(event_id)
        until = ended_at if ended_at is not None else self.last.at
        limit = self._limit()
        first_id = ids[0]
        timer = TaskTimer(
            **whose(self),
            event_ids=list(dict.fromkeys(ids)),
            profile=self.profile,
            timer_id=episode_id(self.unit_id, MACHINE, f"{first_id}/{self.task_id}"),
            task_id=self.task_id,
            thread=self.thread,
            started_at=self.started_at,
            started_by=next((a.call for a in self.attempts if a.call), None),
            deadline_at=self.deadline_at,
            task_timeout_ms=limit.ms if limit else None,
            timeout_origin=limit.origin if limit else None,
            attempts=self.count,
            last_attempt_at=self.last.at,
            ended_at=ended_at,
            outcome=outcome,
            stalled_ms=stalled_ms if stalled_ms is not None else max(0, until - self.started_at),
            is_inferred=self.is_inferred,
            counted_down_ms=self._counted_down_ms(),
        )
        return [timer, self._streak(timer, stalled_ms)]

    def _limit(self) -> Setting | None:
        """`task.timeout.ms`; None where it is only a default, and the timer's own lines count down from something else."""
        limit = task_timeout_of(self.profile, self.task_id)
        if limit is None or limit.is_proven or self._counted_down_ms() in (None, limit.ms):
            return limit
        return None

    def _counted_down_ms(self) -> int | None:
        """What the run's first line gives as the time left: the limit, where it is a whole one.

        A log that begins within a run shows a later line of it first, of which some ms were used up.
        """
        remaining_ms = self.attempts[0].remaining_ms
        return remaining_ms if remaining_ms is not None and remaining_ms % WHOLE_MS == 0 else None

    def _streak(self, timer: TaskTimer, reported_ms: int | None) -> TimerStreak:
        skips = [a for a in self.attempts if a.skip_level]
        return TimerStreak(
            **whose(self),
            event_ids=timer.event_ids,
            profile=self.profile,
            timer_id=timer.timer_id,
            timer=timer,
            debug_lines=self.debug_lines,
            continues_deadline_at=self.continues_deadline_at,
            cleared_event_id=self.cleared_event_id,
            moved_to=self.moved_to,
            armed_after_deadline=self.armed_after_deadline,
            first_line_at=self.attempts[0].at,
            attempts=self.attempts,
            sees_timers=self.sees_timers,
            reported_ms=reported_ms,
            skipped=(skips[0].event_ids[-1], skips[0].skip_level or "") if skips else None,
        )


def attempt_from(event: ClientEvent, call: str | None) -> Attempt:
    """A new attempt from the first line that shows it. The event's time must be known."""
    family = "armed" if event.message_id in ARMED else event.message_id
    attempt = Attempt(event.happened_at or 0, call, {family}, [event.event_id])
    note(attempt, event)
    return attempt


def note(attempt: Attempt, event: ClientEvent) -> None:
    """Keep what this line alone tells of its failure."""
    if event.message_id in ARMED:
        attempt.remaining_ms = event.remaining_ms
        attempt.causes = exceptions_of(event)
    elif expiry_of(event) is not None:
        attempt.causes = causes_of_expiry(event)
    if event.message_id in CALLS and attempt.call_at is None:
        attempt.call_at = event.happened_at
    if event.message_id == "task-process-timeout":
        attempt.skip_level = event.level


def join(attempt: Attempt, event: ClientEvent) -> None:
    """One more line about the same failure."""
    attempt.families.add("armed" if event.message_id in ARMED else event.message_id)
    attempt.event_ids.append(event.event_id)
    attempt.call = attempt.call or CALLS.get(event.message_id)
    note(attempt, event)
