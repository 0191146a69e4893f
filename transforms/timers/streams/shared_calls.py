"""One failed commit of several tasks: did each of them get its timer? (KIP-572: "for all those tasks")

Source: TaskManager.commitTasksAndMaybeUpdateCommittableOffsets, which arms the timer of every task of the call (DEBUG).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile
from transforms.timers.streams.task_evidence import COMMIT_FAILED, is_exactly_once, tasks_of
from transforms.timers.streams.task_runs import TWIN_MS

# Lines after which the failed commit's tasks are closed instead: no timer is due.
EXCUSES = frozenset(
    {
        "commit-timeout-on-corruption",
        "commit-timeout-on-revocation",
        "task-corrupted",
        "streams-task-closed",
        "streams-task-suspended",
        "streams-client-dies",
        "streams-thread-fenced",
    }
)


@dataclass(slots=True, kw_only=True)
class SharedCall(Episode):
    """A commit of several tasks that timed out; `armed`: those whose timer line was seen. Judged, not stored.

    lacked_before: an earlier one of its thread had timers for some of its tasks only.
    """

    call_id: str
    thread: str | None = None
    happened_at: int | None = None
    tasks: list[str] = field(default_factory=list)
    armed: list[str] = field(default_factory=list)
    lacked_before: bool = False

    @property
    def missing(self) -> list[str]:
        """The tasks without a timer line."""
        return [task for task in self.tasks if task not in self.armed]


@dataclass(slots=True)
class SharedCalls:
    """Keeps the last failed commit of each thread until the thread says something else; lacking: threads, see SharedCall."""

    pending: dict[str | None, SharedCall] = field(default_factory=dict)
    lacking: list[str | None] = field(default_factory=list)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterator[Episode]:
        """A line of a thread that is no timer line: it ends the lines of the failed commit before it."""
        if event.thread not in self.pending and event.message_id != COMMIT_FAILED:
            return
        call = self.pending.get(event.thread)
        if call is not None:
            if event.message_id in EXCUSES and _is_near(call, event):
                del self.pending[event.thread]
            elif event.thread is not None:
                yield self._ended(event.thread)
        if event.message_id == COMMIT_FAILED and len(tasks_of(event)) > 1 and not is_exactly_once(profile):
            self.pending[event.thread] = SharedCall(
                **whose(event),
                event_ids=[event.event_id],
                profile=profile,
                call_id=episode_id(event.unit_id, "shared_calls", event.event_id),
                thread=event.thread,
                happened_at=event.happened_at,
                tasks=tasks_of(event),
            )

    def armed(self, event: ClientEvent) -> None:
        """A timer line right after the failed commit."""
        call = self.pending.get(event.thread)
        if call is not None and event.task_id in call.tasks and event.task_id not in call.armed:
            call.armed.append(event.task_id or "")
            call.event_ids.append(event.event_id)

    def excused(self, event: ClientEvent) -> Iterator[Episode]:
        """An expiry: the call that kills the thread arms nothing, whatever thread the line names."""
        for thread in [t for t, call in self.pending.items() if event.thread in (None, t)]:
            if _is_near(self.pending[thread], event):
                del self.pending[thread]
            else:
                yield self._ended(thread)

    def _ended(self, thread: str | None) -> SharedCall:
        call = self.pending.pop(thread)
        call.lacked_before = thread in self.lacking
        if call.armed and call.missing and not call.lacked_before:
            self.lacking.append(thread)
        return call

    def finish(self) -> Iterator[Episode]:
        """A commit at the end of the data may go on behind it: not judged."""
        self.pending.clear()
        yield from ()


def _is_near(call: SharedCall, event: ClientEvent) -> bool:
    return (event.happened_at or 0) - (call.happened_at or 0) <= TWIN_MS
