"""Client timeouts of Kafka Streams that ended otherwise than in a task timer (KIP-572).

A thread that dies at a client's TimeoutException, a task declared corrupted for one, a record dropped by the
processing exception handler, tasks closed and revived because a commit timed out. Source:
StreamThread.runLoop, ProcessorNode.process (3.9 and later), RecordCollectorImpl.recordSendError,
TaskManager.handleCorruption and handleRevocation.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile
from transforms.timers.streams.task_evidence import COMMIT_FAILED, exceptions_of, expiry_of, tasks_of
from transforms.when_used import when_used
from transforms.whole import whole_number

DEATHS = frozenset({"streams-client-dies", "streams-thread-dies-26"})
REVIVALS = frozenset({"commit-timeout-on-corruption", "commit-timeout-on-revocation"})
TIMEOUT = "TimeoutException"
# Kinds of all the families below; most lines are of others.
KINDS = frozenset({"streams_error", "streams_state", "produce_failed", "task_timeout_start"})
LEADER_TEXT = "Could not create topics within"
# The lines about one failure of one thread come within ms of each other; a next failure takes a client's timeout.
SAME_FAILURE_MS = 1000
# Two deaths of one client within this are the same death told by two loggers.
ECHO_MS = 5000
KEPT = 1024


_WAITED = when_used(
    r"after (\d+) ?ms|:\s?(\d+) ms has passed since|within (\d+) ?ms|in (\d+) ?ms|Timeout of (\d+) ?ms expired"
)


@dataclass(slots=True, kw_only=True)
class StreamsFailure(Episode):
    """One client timeout that no task timer took. Judged, not stored.

    ended_in: `thread_died`, `corrupted`, `dropped` (the handler went on) or `revived`.
    call: `process`, `send`, `commit`, `leader` or None. waited_ms: what the client call waited, where its
    text says so.
    is_direct: the client's TimeoutException itself came out of process(), not one that the application wrapped.
    """

    failure_id: str
    happened_at: int | None = None
    ended_in: str
    call: str | None = None
    task_id: str | None = None
    thread: str | None = None
    waited_ms: int | None = None
    is_direct: bool = False


# What the exception of initTransactions() says, wherever it was thrown.
INIT_TRANSACTIONS = ("awaiting InitProducerId", "initializing transactional state")


@dataclass(slots=True, kw_only=True)
class Outage(Episode):
    """Client timeouts of one task that its timer did not bound, first to last. Judged, not stored.

    started_at: the first failure less what its call waited, where known.
    """

    outage_id: str
    task_id: str | None = None
    thread: str | None = None
    started_at: int | None = None
    ended_at: int | None = None
    failures: int = 0


@dataclass(slots=True, kw_only=True)
class CorruptionLoop(Outage):
    """A task that was declared corrupted for client timeouts again and again, with no time for progress between."""


@dataclass(slots=True)
class Cause:
    """A client timeout of a task that has not ended in anything yet."""

    at: int
    call: str
    event_id: str
    waited_ms: int | None


@dataclass(slots=True)
class StreamsFailures:
    """Machine: events of one process -> StreamsFailure and CorruptionLoop."""

    causes: dict[tuple[str | None, str], Cause] = field(default_factory=dict)
    revived: dict[tuple[str | None, str], int] = field(default_factory=dict)
    loops: dict[tuple[str | None, str], CorruptionLoop] = field(default_factory=dict)
    died_at: dict[str | None, int] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Failures that this event completes."""
        if event.kind not in KINDS or event.happened_at is None:
            return ()
        return list(self._step(event, profile, event.happened_at))

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Loops as far as they went."""
        found = list(self.loops.values())
        self.loops.clear()
        return found

    def _step(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        message_id = event.message_id
        if message_id == "streams-send-error" and event.task_id and has_timeout(event):
            self._remember(event, event.task_id, "send", at)
        elif message_id == COMMIT_FAILED:
            for task_id in tasks_of(event):
                self._remember(event, task_id, "commit", at)
        elif message_id == "task-corrupted":
            for task_id in tasks_of(event):
                yield from self._corrupted(event, profile, task_id, at)
        elif message_id == "streams-task-running" and event.task_id:
            make_room(self.revived, KEPT)
            self.revived[(event.thread, event.task_id)] = at
        elif message_id in REVIVALS:
            cause = self._commit_cause(event, at)
            yield self._failure(event, profile, "revived", "commit", cause, None)
        elif message_id == "process-handler-timeout" and event.level == "WARN" and has_timeout(event):
            yield self._failure(event, profile, "dropped", "process", None, event.task_id, is_direct=True)
        elif message_id in DEATHS or (
            event.kind == "streams_error" and text_of(event).startswith("Exception caught in process")
        ):
            yield from self._died(event, profile, at)

    def _remember(self, event: ClientEvent, task_id: str, call: str, at: int) -> None:
        make_room(self.causes, KEPT)
        self.causes[(event.thread, task_id)] = Cause(at, call, event.event_id, waited_by(event))

    def _commit_cause(self, event: ClientEvent, at: int) -> Cause | None:
        """The failed commit of this thread that the line speaks of."""
        found = [
            cause
            for (thread, _), cause in self.causes.items()
            if thread == event.thread and cause.call == "commit" and at - cause.at <= SAME_FAILURE_MS
        ]
        return max(found, key=lambda cause: cause.at, default=None)

    def _corrupted(
        self, event: ClientEvent, profile: ClientProfile, task_id: str, at: int
    ) -> Iterator[Episode]:
        key = (event.thread, task_id)
        cause = self.causes.pop(key, None)
        if cause is None or at - cause.at > SAME_FAILURE_MS:
            loop = self.loops.pop(key, None)
            if loop is not None:
                yield loop
            return
        yield self._failure(event, profile, "corrupted", cause.call, cause, task_id)
        loop = self.loops.get(key)
        if loop is not None and not self._went_on(key, cause, loop):
            yield self.loops.pop(key)
            loop = None
        if loop is None:
            yield from make_room(self.loops, KEPT)
            loop = self.loops[key] = self._loop(event, profile, task_id, cause)
        loop.failures += 1
        loop.ended_at = at
        loop.event_ids = [*loop.event_ids[:2], cause.event_id, event.event_id]

    def _went_on(self, key: tuple[str | None, str], cause: Cause, loop: CorruptionLoop) -> bool:
        """Whether the task had no time for progress: its first call after being ready is the one that timed out."""
        ready_at = self.revived.get(key)
        if ready_at is None or cause.waited_ms is None or ready_at < (loop.ended_at or 0):
            return False
        return cause.at - cause.waited_ms - ready_at <= SAME_FAILURE_MS

    def _loop(self, event: ClientEvent, profile: ClientProfile, task_id: str, cause: Cause) -> CorruptionLoop:
        return CorruptionLoop(
            **whose(event),
            profile=profile,
            outage_id=episode_id(event.unit_id, "corruption_loops", f"{cause.event_id}/{task_id}"),
            task_id=task_id,
            thread=event.thread,
            started_at=cause.at,
        )

    def _died(self, event: ClientEvent, profile: ClientProfile, at: int) -> Iterator[Episode]:
        """A thread or client died of an exception: of a client's timeout, but not of an expired timer?"""
        if expiry_of(event) is not None or not has_timeout(event):
            return
        last = self.died_at.get(event.client_id)
        if last is not None and at - last <= ECHO_MS:
            return
        make_room(self.died_at, KEPT)
        self.died_at[event.client_id] = at
        text = all_text(event)
        call = "leader" if LEADER_TEXT in text else None
        names = exceptions_of(event)
        in_init = any(word in text for word in INIT_TRANSACTIONS)
        in_process = "Exception caught in process" in text and not in_init
        yield self._failure(
            event,
            profile,
            "thread_died",
            "process" if in_process else "init_transactions" if in_init else call,
            None,
            event.task_id,
            is_direct=in_process and names[1:2] == (TIMEOUT,),
        )

    def _failure(
        self,
        event: ClientEvent,
        profile: ClientProfile,
        ended_in: str,
        call: str | None,
        cause: Cause | None,
        task_id: str | None,
        is_direct: bool = False,
    ) -> StreamsFailure:
        ids = [cause.event_id, event.event_id] if cause else [event.event_id]
        return StreamsFailure(
            **whose(event),
            event_ids=list(dict.fromkeys(ids)),
            profile=profile,
            failure_id=episode_id(event.unit_id, "streams_failures", f"{ids[0]}/{task_id}"),
            happened_at=event.happened_at,
            ended_in=ended_in,
            call=call,
            task_id=task_id,
            thread=event.thread,
            waited_ms=cause.waited_ms if cause else waited_by(event),
            is_direct=is_direct,
        )


def text_of(event: ClientEvent) -> str:
    """The message of the exception that the event carries, where it has one."""
    return event.details.get("error_message") or event.details.get("cause_message") or ""


def all_text(event: ClientEvent) -> str:
    """All that the event tells of its exceptions."""
    names = ("error_message", "cause_message", "exception", "error", "reason")
    return " | ".join(event.details.get(name, "") for name in names)


def has_timeout(event: ClientEvent) -> bool:
    """Whether a TimeoutException is among the event's exceptions."""
    return TIMEOUT in exceptions_of(event) or TIMEOUT in (event.error_class, event.details.get("cause_class"))


def waited_by(event: ClientEvent) -> int | None:
    """How long the client call waited before its timeout, where the exception's text says so."""
    found = _WAITED.search(all_text(event))
    if found is not None:
        return whole_number(next(group for group in found.groups() if group))
    return event.elapsed_ms if event.elapsed_ms is not None else event.limit_ms
