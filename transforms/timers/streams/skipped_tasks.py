"""Tasks that their thread skipped for a client's timeout: are they tried again, and do the others go on?

Mirrors TaskExecutor.process: each loop of the thread tries every running task; one whose call times out is
skipped ("will move to next task and retry later"), and tried again in the next loop. The thread's loops show
at DEBUG of StreamThread ("Processed .. records with .. iterations"), a retry that goes through at DEBUG of
StreamTask ("Clearing task timeout."). A task of partition N reads partition N of its topics.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile
from transforms.timers.streams.task_evidence import ARMED, CLEARED, CLOSED
from transforms.whole import whole_number

MACHINE = "skipped_tasks"
SKIPPED = "task-process-timeout"
ROUND, POLLED = "streams-processed", "streams-polled"
ASSIGNED = "partitions-added"
TAKEN = frozenset({"partitions_revoked", "partitions_lost"})
# After these the task is not the thread's to process: nothing is promised of it any more.
GONE = frozenset({CLOSED, "streams-task-suspended"})
THREAD_CHANGED = frozenset({"streams-thread-state", "streams-client-dies", "streams-thread-fenced"})
FAMILIES = ARMED | GONE | THREAD_CHANGED | {SKIPPED, ROUND, POLLED, ASSIGNED, CLEARED}
THREADS_KEPT = 256
TASKS_KEPT = 256
PARTITIONS_KEPT = 4096
IDS_KEPT = 12
# A task that waits for a second topic (max.task.idle.ms) does not process at once; twice is no accident.
PROMPT = 2


@dataclass(slots=True, kw_only=True)
class SkippedTask(Episode):
    """A task from its first skip to its next progress, or to its end. Judged, not stored.

    outcome: `cleared`, `ended` (closed, or its thread changed) or `open`. skips: how often it was skipped.
    unretried: most loops in a row in which others progressed and the task showed no try; unretried_ids proves
    them. blocked: most skips in a row after which no record was processed though other tasks had some.
    sees_timer, sees_rounds: the DEBUG lines that would show a retry, and the thread's loops, are logged.
    has_others: the thread has other tasks; None while its partitions are not known.
    """

    skip_id: str
    task_id: str
    thread: str | None = None
    started_at: int | None = None
    ended_at: int | None = None
    outcome: str = "open"
    skips: int = 0
    sees_timer: bool = False
    sees_rounds: bool = False
    has_others: bool | None = None
    progressed: bool = False
    unretried: int = 0
    unretried_ids: list[str] = field(default_factory=list)
    blocked: int = 0
    blocked_ids: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Skip:
    """A skipped task while it is watched. is_own_round: its round's line is still to come."""

    row: SkippedTask
    last_id: str
    is_own_round: bool = True
    without: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    idle_rounds: int = 0


@dataclass(slots=True)
class ThreadLoops:
    """What is known of one stream thread. waiting: partition -> the line of the poll that brought records.

    armed: tasks whose timer line was seen in this loop. topics: of each partition number, those that brought
    records; prompt: how often all that were fetched, of that number too, were processed in the very next loop.
    fetched: records since the last loop that processed some.
    """

    incarnation: int
    assigned: set[str] | None = None
    waiting: dict[str, str] = field(default_factory=dict)
    armed: set[str] = field(default_factory=set)
    skips: dict[str, Skip] = field(default_factory=dict)
    fetched: int = 0
    topics: dict[str, set[str]] = field(default_factory=dict)
    prompt: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class SkippedTasks:
    """Machine: events of one process -> SkippedTask."""

    threads: dict[str, ThreadLoops] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Skips that this event ended."""
        if event.message_id not in FAMILIES and event.kind not in TAKEN:
            return ()  # most lines are of others
        return list(self._step(event, profile))

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Tasks that were still skipped."""
        found = [skip.row for loops in self.threads.values() for skip in loops.skips.values()]
        self.threads.clear()
        return found

    def _step(self, event: ClientEvent, profile: ClientProfile) -> Iterator[Episode]:
        if event.message_id == ASSIGNED or event.kind in TAKEN:
            self._assigned(event)
            return
        if event.thread is None:
            yield from self._client_changed(event)
            return
        loops = self.threads.get(event.thread)
        if loops is not None and loops.incarnation != event.incarnation:
            yield from _ended(self.threads.pop(event.thread).skips, "open", None)
            loops = None
        if event.message_id == SKIPPED and event.task_id:
            loops = loops or self._loops(event.thread, event.incarnation)
            yield from _skipped(loops, event, profile, event.task_id)
        elif event.message_id in ARMED and event.task_id:
            _tried(loops or self._loops(event.thread, event.incarnation), event, event.task_id)
        elif event.message_id == POLLED:
            _polled(loops or self._loops(event.thread, event.incarnation), event)
        elif loops is None:
            return
        elif event.message_id == CLEARED and event.task_id in loops.skips:
            loops.skips[event.task_id].row.sees_timer = True
            yield from _ended({"": loops.skips.pop(event.task_id)}, "cleared", event)
        elif event.message_id in GONE and event.task_id in loops.skips:
            yield from _ended({"": loops.skips.pop(event.task_id)}, "ended", event)
        elif event.message_id in THREAD_CHANGED:
            yield from _ended(loops.skips, "ended", event)
            loops.skips, loops.waiting = {}, {}
        elif event.message_id == ROUND:
            _went_round(loops, event)

    def _client_changed(self, event: ClientEvent) -> Iterator[Episode]:
        """A line without a thread speaks of all threads of its client."""
        if event.message_id not in THREAD_CHANGED:
            return
        for loops in self.threads.values():
            yield from _ended(loops.skips, "ended", event)
            loops.skips, loops.waiting = {}, {}

    def _loops(self, thread: str, incarnation: int) -> ThreadLoops:
        if thread not in self.threads:
            make_room(self.threads, THREADS_KEPT)
        return self.threads.setdefault(thread, ThreadLoops(incarnation))

    def _assigned(self, event: ClientEvent) -> None:
        """The main consumer is named after its thread."""
        client_id = event.client_id or ""
        if not client_id.endswith("-consumer") or client_id.endswith(
            ("-restore-consumer", "-global-consumer")
        ):
            return
        loops = self._loops(client_id.removesuffix("-consumer"), event.incarnation)
        if loops.incarnation != event.incarnation:
            loops.incarnation, loops.assigned = event.incarnation, None
        names = {name.strip() for name in event.details.get("partitions", "").split(",") if name.strip()}
        if event.message_id == ASSIGNED:
            loops.assigned = (loops.assigned or set()) | names
            if len(loops.assigned) > PARTITIONS_KEPT:
                loops.assigned = None
        elif loops.assigned is not None:
            loops.assigned -= names
        loops.waiting.clear()


def _skipped(
    loops: ThreadLoops, event: ClientEvent, profile: ClientProfile, task_id: str
) -> Iterator[Episode]:
    skip = loops.skips.get(task_id)
    if skip is None:
        for pushed_out in make_room(loops.skips, TASKS_KEPT):
            yield from _ended({"": pushed_out}, "open", None)
        row = SkippedTask(
            **whose(event),
            profile=profile,
            skip_id=episode_id(event.unit_id, MACHINE, f"{event.event_id}/{task_id}"),
            task_id=task_id,
            thread=event.thread,
            started_at=event.happened_at,
        )
        skip = loops.skips[task_id] = Skip(row, event.event_id)
    skip.row.skips += 1
    skip.row.sees_timer = skip.row.sees_timer or task_id in loops.armed
    skip.row.has_others = _has_others(loops, task_id)
    if len(skip.row.event_ids) < IDS_KEPT:
        skip.row.event_ids.append(event.event_id)
    skip.is_own_round, skip.last_id, skip.without = True, event.event_id, []


def _tried(loops: ThreadLoops, event: ClientEvent, task_id: str) -> None:
    """The timer's own line comes before the skip's; it is a try by itself."""
    if len(loops.armed) < TASKS_KEPT:
        loops.armed.add(task_id)
    skip = loops.skips.get(task_id)
    if skip is not None:
        skip.row.sees_timer = True
        skip.last_id, skip.without, skip.is_own_round = event.event_id, [], True


def _polled(loops: ThreadLoops, event: ClientEvent) -> None:
    """Records were fetched: of which tasks, where the partitions tell."""
    records = _records(event)
    if records == 0:
        return
    loops.fetched += records
    for name in event.details.get("partitions", "").split(","):
        topic, _, number = name.strip().rpartition("-")
        if topic and len(loops.waiting) < PARTITIONS_KEPT and len(loops.topics) < PARTITIONS_KEPT:
            loops.waiting[name.strip()] = event.event_id
            loops.topics.setdefault(number, set()).add(topic)


def _records(event: ClientEvent) -> int:
    records = event.details.get("records", "")
    return whole_number(records) if records.isdecimal() else 0


def _went_round(loops: ThreadLoops, event: ClientEvent) -> None:
    """A loop of the thread is over."""
    has_progress = _records(event) > 0
    for skip in loops.skips.values():
        skip.row.sees_rounds = True
        if skip.is_own_round:
            _own_round(loops, skip, event, has_progress)
        elif has_progress:
            skip.without.append(event.event_id)
            if len(skip.without) > skip.row.unretried:
                skip.row.unretried = len(skip.without)
                skip.row.unretried_ids = [skip.last_id, *skip.without[:IDS_KEPT]]
        skip.is_own_round = False
    loops.armed.clear()
    if has_progress:
        if not loops.skips and _records(event) >= loops.fetched:
            for number in {_number(name) for name in loops.waiting}:
                loops.prompt[number] = loops.prompt.get(number, 0) + 1
        loops.waiting.clear()
        loops.fetched = 0


def _own_round(loops: ThreadLoops, skip: Skip, event: ClientEvent, has_progress: bool) -> None:
    """The round in which the task was skipped: did others, who had records, progress?"""
    if has_progress:
        skip.row.progressed, skip.idle, skip.idle_rounds = True, [], 0
        return
    ready = _ready_of_others(loops, set(loops.skips))
    if not ready:
        return
    skip.idle_rounds += 1
    if len(skip.idle) < IDS_KEPT:
        skip.idle += [ready[0], skip.last_id, event.event_id]
    if skip.idle_rounds > skip.row.blocked:
        skip.row.blocked, skip.row.blocked_ids = skip.idle_rounds, list(dict.fromkeys(skip.idle))


def _ready_of_others(loops: ThreadLoops, skipped: set[str]) -> list[str]:
    """Lines of polls that brought records of tasks that are not skipped and wait for no second topic."""
    own = {task.rpartition("_")[2] for task in skipped}
    return [
        event_id
        for name, event_id in loops.waiting.items()
        if _number(name) not in own and _has_one_topic(loops, _number(name))
    ]


def _has_one_topic(loops: ThreadLoops, number: str) -> bool:
    """Whether the tasks of this partition number read one topic: by the assignment, else by what they did."""
    if loops.assigned is not None:
        return [_number(name) for name in loops.assigned].count(number) == 1
    return len(loops.topics.get(number, ())) == 1 and loops.prompt.get(number, 0) >= PROMPT


def _has_others(loops: ThreadLoops, task_id: str) -> bool | None:
    own = task_id.rpartition("_")[2]
    if loops.assigned is not None:
        return any(_number(name) != own for name in loops.assigned)
    return True if any(_has_one_topic(loops, number) for number in loops.topics if number != own) else None


def _number(partition: str) -> str:
    return partition.rpartition("-")[2]


def _ended(skips: dict[str, Skip], outcome: str, event: ClientEvent | None) -> Iterator[Episode]:
    for skip in skips.values():
        skip.row.outcome = outcome
        if event is not None:
            skip.row.ended_at = event.happened_at
        yield skip.row
