"""Task timers of Kafka Streams (KIP-572): one run from the first client timeout of a streak to its end.

Mirrors AbstractTask.maybeInitTaskTimeoutOrThrow (DEBUG line "Remaining time to deadline", exception "did not
make progress within") and clearTaskTimeout. With DEBUG off, a run is taken from WARN and ERROR lines of
failed calls, and said to be inferred:

- start: the first such line; where the timer expires, expiry - stalled_ms, and what failed before was
  another run;
- a failure after the deadline that does not kill the thread proves that the timer was cleared before
  (transforms/timers/streams/inferred_runs.py);
- end by closing: `closed` where the failure and the closing belong together, else `unknown`; a clean close
  after the deadline proves that it was cleared;
- at the end of the data: `open` until the deadline, `unknown` after it. With DEBUG lines a run stays `open`:
  the deadline is only looked at when a call fails again.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode
from transforms.timers.profile import ClientProfile
from transforms.timers.streams.inferred_runs import cleared, over, pieces
from transforms.timers.streams.shared_calls import SharedCalls
from transforms.timers.streams.task_evidence import (
    ARMED,
    CALLS,
    CLEARED,
    CLOSED,
    COMMITTED,
    FAMILIES,
    OF_TASK_AT_DEBUG,
    READY,
    TELL_EXPIRY,
    Expiry,
    expiry_of,
    starts_timer,
    tasks_of,
)
from transforms.timers.streams.task_runs import TWIN_MS, Attempt, Run, attempt_from, join
from transforms.timers.streams.topology_limits import task_timeout_of

# Two timer lines nearer than this may have been computed in one and the same ms, and written late.
DEADLINE_SLACK_MS = 200
KEPT_PER_TASK = 4096

Key = tuple[str | None, str]


@dataclass(slots=True)
class Cleared:
    """The last clear of a task that was seen: its line, and the deadline it took away."""

    event_id: str
    deadline_at: int | None


@dataclass(slots=True)
class TaskTimers:
    """Machine: events of one process -> TaskTimer rows, with a TimerStreak each, and SharedCall."""

    running: dict[Key, Run] = field(default_factory=dict)
    cleared: dict[Key, Cleared] = field(default_factory=dict)
    expiries: dict[str, tuple[int, int]] = field(default_factory=dict)
    shared: SharedCalls = field(default_factory=SharedCalls)
    # The start of the process, and since when its StreamTask logs DEBUG: what is armed after that shows.
    debug_since: tuple[int, int] | None = None

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Episodes that this event ended."""
        if event.message_id not in FAMILIES and event.kind not in TELL_EXPIRY and not self.shared.pending:
            if event.message_id == COMMITTED:
                self._shows_debug(event)
            return ()  # most lines are of others
        if event.happened_at is None:
            return ()
        if event.level == "DEBUG" and event.message_id in OF_TASK_AT_DEBUG:
            self._shows_debug(event)
        return list(self._step(event, profile, event.happened_at))

    def _step(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        expiry = expiry_of(event)
        if expiry is not None:
            yield from self.shared.excused(event)
            yield from self._expired(event, profile, expiry, at)
        elif event.message_id in ARMED:
            yield from self._armed(event, profile, at)
            self.shared.armed(event)
        elif event.message_id in CALLS:
            yield from self.shared.step(event, profile)
            if starts_timer(event, profile):
                for task_id in tasks_of(event):
                    yield from self._failed(event, profile, task_id, at)
        elif event.message_id == CLEARED and event.task_id:
            yield from self.shared.step(event, profile)
            yield from self._cleared(event, at)
        elif event.message_id == CLOSED and event.task_id:
            yield from self.shared.step(event, profile)
            yield from self._closed(event, at)
        elif event.message_id in READY and event.task_id:
            yield from self._ready(event, at)
        elif event.message_id == "streams-thread-state" and event.details.get("state_to") == "DEAD":
            yield from self._thread_died(event, at)
        else:
            yield from self.shared.step(event, profile)

    def _shows_debug(self, event: ClientEvent) -> None:
        """A DEBUG line of StreamTask: from now on no timer is armed unseen."""
        if event.happened_at is None or event.level != "DEBUG":
            return
        if self.debug_since is None or self.debug_since[0] != event.incarnation:
            self.debug_since = (event.incarnation, event.happened_at)

    def _sees_timers(self, event: ClientEvent, started_at: int) -> bool:
        since = self.debug_since
        return since is not None and since[0] == event.incarnation and since[1] < started_at

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Timers that still ran, as of the unit's data clock."""
        found: list[Episode] = list(self.shared.finish())
        for run in self.running.values():
            *earlier, last = pieces(run)
            found.extend(cleared(earlier))
            is_past = data_clock is not None and data_clock > (last.deadline_at or data_clock)
            found.extend(last.end("unknown" if last.is_inferred and is_past else "open", None))
        self.running.clear()
        return found

    def _armed(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        """A DEBUG timer line: the timer runs, and has this long to go."""
        if event.task_id is None or event.remaining_ms is None:
            return
        key = (event.thread, event.task_id)
        run = yield from self._live(key, event)
        deadline_at = at + event.remaining_ms
        if run is not None and self._was_cleared_unseen(run, at, deadline_at):
            yield from cleared(pieces(self.running.pop(key)))
            run = None
        if run is None:
            self.running[key] = self._started(event, profile, deadline_at, at)
            return
        if run.debug_lines == 0:
            self._took_timer_line(run, event, deadline_at, at)
        before = next(
            (attempt for attempt in reversed(run.attempts) if attempt.remaining_ms is not None), None
        )
        if run.last.takes(event, None):
            join(run.last, event)
        else:
            run.add(attempt_from(event, None))
        run.debug_lines += 1
        if before is not None:
            self._compare(run, before, event.remaining_ms)

    def _compare(self, run: Run, before: Attempt, remaining_ms: int) -> None:
        """Two timer lines of one run. Their clock was read before the failed call, or after it, as the call has it:

        line time plus remaining time differs by what calls took. But the clock of the later line was read
        after the earlier line was written, so what remains can only have fallen.
        """
        if run.last.at - before.at <= DEADLINE_SLACK_MS:
            return
        is_over = remaining_ms < 0 or (remaining_ms == 0 and before.remaining_ms == 0)
        if is_over:
            run.armed_after_deadline = run.armed_after_deadline or run.last
        elif run.moved_to is None and remaining_ms >= (before.remaining_ms or 0):
            run.moved_to = (run.last, run.last.at + remaining_ms)

    def _started(self, event: ClientEvent, profile: ClientProfile, deadline_at: int, at: int) -> Run:
        limit = task_timeout_of(profile, event.task_id)
        remaining_ms = event.remaining_ms or 0
        started_at, is_inferred = at, limit is None
        if limit is not None and remaining_ms < limit.ms:
            is_inferred = True
            # Of a limit that is only a default nothing follows: the line may be the run's first, by another limit.
            started_at = deadline_at - limit.ms if limit.is_proven else at
        run = self._run(event, profile, event.task_id or "", started_at, is_inferred)
        run.deadline_at = deadline_at
        run.debug_lines = 1
        run.add(attempt_from(event, None))
        self._follows_clear(run, deadline_at, is_inferred)
        return run

    def _follows_clear(self, run: Run, deadline_at: int, is_short: bool) -> None:
        """The first timer line of a run after a clear: does it go on with the deadline that was cleared?"""
        before = self.cleared.pop((run.thread, run.task_id), None)
        if before is None or before.deadline_at is None:
            return
        run.cleared_event_id = before.event_id
        if is_short and abs(before.deadline_at - deadline_at) <= DEADLINE_SLACK_MS:
            run.continues_deadline_at = before.deadline_at

    def _took_timer_line(self, run: Run, event: ClientEvent, deadline_at: int, at: int) -> None:
        """The first timer line of a run that other lines began: now start and deadline are known."""
        limit_ms = run.limit_ms
        run.deadline_at = deadline_at
        is_short = limit_ms is not None and (event.remaining_ms or 0) < limit_ms
        if run.count == 1:
            self._follows_clear(run, deadline_at, is_short)
        if limit_ms is not None and event.remaining_ms == limit_ms:
            run.is_inferred = False
            run.started_at = at if run.count == 1 else run.started_at

    def _was_cleared_unseen(self, run: Run, at: int, deadline_at: int) -> bool:
        """Whether a run known only from failed calls must have ended before this timer line."""
        if run.debug_lines or run.deadline_at is None or at - run.last.at <= TWIN_MS:
            return False
        return abs(deadline_at - run.deadline_at) > TWIN_MS

    def _failed(self, event: ClientEvent, profile: ClientProfile, task_id: str, at: int) -> Iterator[Episode]:
        """A line about a failed call of this task."""
        key = (event.thread, task_id)
        run = yield from self._live(key, event)
        call = CALLS[event.message_id]
        if run is not None and run.last.takes(event, call):
            join(run.last, event)
            return
        attempt = attempt_from(event, call)
        if run is not None:
            yield from over(run)
        if run is None:
            run = self.running[key] = self._run(event, profile, task_id, at, True)
            run.deadline_at = at + run.limit_ms if run.limit_ms is not None else None
        run.add(attempt)

    def _cleared(self, event: ClientEvent, at: int) -> Iterator[Episode]:
        key = (event.thread, event.task_id or "")
        run = self.running.pop(key, None)
        make_room(self.cleared, KEPT_PER_TASK)
        self.cleared[key] = Cleared(event.event_id, run.deadline_at if run and run.debug_lines else None)
        if run is not None:
            yield from run.end("cleared", at, event.event_id)

    def _ready(self, event: ClientEvent, at: int) -> Iterator[Episode]:
        """Initialised, or restored: progress. With DEBUG on, the clear has its own line."""
        key = (event.thread, event.task_id or "")
        run = self.running.get(key)
        if run is not None and not run.debug_lines:
            del self.running[key]
            *earlier, last = pieces(run)
            yield from cleared(earlier)
            yield from last.end("cleared", at, event.event_id)

    def _closed(self, event: ClientEvent, at: int) -> Iterator[Episode]:
        key = (event.thread, event.task_id or "")
        self.cleared.pop(key, None)
        run = self.running.pop(key, None)
        if run is not None:
            yield from self._end_with_task(run, event, at)

    def _end_with_task(self, run: Run, event: ClientEvent, at: int) -> Iterator[Episode]:
        """The task is gone, and its timer with it; without DEBUG lines it may have been cleared before, unseen."""
        *earlier, run = pieces(run)
        yield from cleared(earlier)
        is_sure = run.debug_lines > 0 or at - run.last.at <= TWIN_MS
        is_clean = event.details.get("how") == "clean"
        if is_sure:
            yield from run.end("closed", at, event.event_id)
        elif is_clean and run.deadline_at is not None and run.last.at <= run.deadline_at < at:
            yield from run.end("cleared", run.last.at, event.event_id)
        else:
            yield from run.end("unknown", None, event.event_id)

    def _thread_died(self, event: ClientEvent, at: int) -> Iterator[Episode]:
        for key in [key for key in self.running if key[0] == event.thread]:
            yield from self._end_with_task(self.running.pop(key), event, at)

    def _expired(
        self, event: ClientEvent, profile: ClientProfile, expiry: Expiry, at: int
    ) -> Iterator[Episode]:
        """The exception of an expiry. The same exception is often printed by more than one logger."""
        seen = self.expiries.get(expiry.task_id)
        if seen is not None and seen[0] == expiry.stalled_ms and at - seen[1] <= 60_000:
            return
        make_room(self.expiries, KEPT_PER_TASK)
        self.expiries[expiry.task_id] = (expiry.stalled_ms, at)
        key = self._key_of_expiry(event, expiry.task_id)
        run = self.running.pop(key, None)
        start = at - expiry.stalled_ms
        self._note_start(key[0], start)
        sees_timers = self._sees_timers(event, start)
        if run is not None and run.debug_lines:
            self._drop_unarmed(key[0], at)
        if run is not None and not run.debug_lines:
            run.known_start = start
            parts = pieces(run)
            has_own = parts[-1].last.at >= start - TWIN_MS
            yield from cleared(parts[:-1] if has_own else parts)
            run = parts[-1] if has_own else None
        if run is None:
            run = self._run(event, profile, expiry.task_id, start, True)
            run.thread = key[0]
            run.deadline_at = start + run.limit_ms if run.limit_ms is not None else None
            run.add(attempt_from(event, None))
        elif run.last.may_be_expiring and at - run.last.at <= TWIN_MS:
            run.last.event_ids.append(event.event_id)
        else:
            run.add(attempt_from(event, None))
        if run.is_inferred:
            run.started_at = start
            run.deadline_at = start + run.limit_ms if run.limit_ms is not None else None
        run.sees_timers = sees_timers
        yield from run.end("expired", at, event.event_id, expiry.stalled_ms)

    def _drop_unarmed(self, thread: str | None, at: int) -> None:
        """The call that kills the thread arms no task after the expired one. Where timer lines are logged, a
        task of that call without one has no timer.
        """
        for key, run in list(self.running.items()):
            is_of_call = key[0] == thread and at - run.last.at <= TWIN_MS
            if is_of_call and run.count == 1 and not run.debug_lines:
                del self.running[key]

    def _note_start(self, thread: str | None, start: int) -> None:
        """Tasks beside the expired one failed in the same calls: their timers started with its own."""
        for (name, _), run in self.running.items():
            if name == thread and any(abs(attempt.at - start) <= TWIN_MS for attempt in run.attempts):
                run.known_start = start

    def _key_of_expiry(self, event: ClientEvent, task_id: str) -> Key:
        """The client's line names no thread: the running timer of that task, of the same Streams client where known."""
        if event.thread is not None and (event.thread, task_id) in self.running:
            return (event.thread, task_id)
        runs = [run for (_, task), run in self.running.items() if task == task_id]
        same = [run for run in runs if event.client_id is None or run.client_id == event.client_id]
        chosen = max(same or runs, key=lambda run: run.last.at, default=None)
        return (chosen.thread if chosen else event.thread, task_id)

    def _live(self, key: Key, event: ClientEvent) -> Generator[Episode, None, Run | None]:
        """The running timer of this key in this start of the process; one of an earlier start ended with it, unseen."""
        run = self.running.get(key)
        if run is not None and run.incarnation != event.incarnation:
            del self.running[key]
            self.cleared.pop(key, None)
            *earlier, last = pieces(run)
            yield from cleared(earlier)
            yield from last.end("unknown", None)
            run = None
        return run

    def _run(
        self, event: ClientEvent, profile: ClientProfile, task_id: str, started_at: int, is_inferred: bool
    ) -> Run:
        return Run(
            event.thread,
            task_id,
            event.incarnation,
            event.unit_id,
            event.client_id,
            profile,
            started_at,
            is_inferred,
            event.service,
            event.instance,
        )
