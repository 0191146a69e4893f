"""A stream thread (KIP-572): it polls, processes one record of each task, commits, and keeps a timer for each task.

Written from StreamThread.runOnce, TaskExecutor.process, TaskManager.commit and
AbstractTask.maybeInitTaskTimeoutOrThrow. Tasks have timers since 2.8. From 3.9 a client timeout inside process() goes
to the processing exception handler; the timers of commits are left.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from lab.simulate.line import Line, Text, shown
from lab.simulate.process import Client, Process, embedded_clients, start_lines
from lab.simulate.truth import Fact, Truth

NOON = 1_795_262_400_000
INTERNALS = "org.apache.kafka.streams.processor.internals."
THREAD, TASK = f"{INTERNALS}StreamThread", f"{INTERNALS}StreamTask"
EXECUTOR, MANAGER = f"{INTERNALS}TaskExecutor", f"{INTERNALS}TaskManager"
COLLECTOR = f"{INTERNALS}RecordCollectorImpl"
CLIENT = "org.apache.kafka.streams.KafkaStreams"
TIMEOUT = "org.apache.kafka.common.errors.TimeoutException"
STREAMS_EXCEPTION = "org.apache.kafka.streams.errors.StreamsException"
OF_THREAD, OF_TASK = "stream-thread [{thread}] ", "stream-thread [{thread}] task [{task}] "
RECOVER, EXPIRE, COMMITS = "p572-task-recover-35", "p572-task-expire-35", "p572-commit-multi-42"

TEXTS = {
    "client_state": Text(
        "stream-client [{client}] State transition from {old} to {new}", CLIENT, recorded=RECOVER
    ),
    "state": Text(OF_THREAD + "State transition from {old} to {new}", THREAD, recorded=RECOVER),
    "assigned": Text(
        "[Consumer clientId={thread}-consumer, groupId={group}] Adding newly assigned partitions: {partitions}",
        "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator",
        recorded=RECOVER,
    ),
    "initialized": Text(OF_TASK + "Initialized", TASK, recorded=RECOVER),
    "running": Text(OF_TASK + "Restored and ready to run", TASK, recorded=RECOVER),
    "poll": Text(OF_THREAD + "Invoking poll on main Consumer", THREAD, "DEBUG", RECOVER),
    "polled": Text(
        OF_THREAD
        + "Main Consumer poll completed in {ms} ms and fetched {records} records from partitions [{partitions}]",
        THREAD,
        "DEBUG",
        RECOVER,
    ),
    "processing": Text(OF_THREAD + "Processing tasks with {rounds} iterations.", THREAD, "DEBUG", RECOVER),
    "processed": Text(
        OF_THREAD + "Processed {records} records with {rounds} iterations; invoking punctuators if necessary",
        THREAD,
        "DEBUG",
        RECOVER,
    ),
    "punctuated": Text(OF_THREAD + "0 punctuators ran.", THREAD, "DEBUG", RECOVER),
    "armed": Text(
        OF_TASK + "Task did not make progress. Remaining time to deadline {remaining}; retrying.",
        TASK,
        "DEBUG",
        RECOVER,
    ),
    "cleared": Text(OF_TASK + "Clearing task timeout.", TASK, "DEBUG", RECOVER),
    "skipped": Text(
        OF_THREAD
        + "Could not complete processing records for {task} due to the following exception; "
        + "will move to next task and retry later",
        EXECUTOR,
        "ERROR",
        RECOVER,
    ),
    "committing": Text(
        OF_THREAD
        + "Committing all active tasks [{tasks}] and standby tasks [] since {since}ms has elapsed "
        + "(commit interval is {interval}ms)",
        THREAD,
        "DEBUG",
        RECOVER,
    ),
    "prepared": Text(OF_TASK + "Prepared RUNNING task for committing", TASK, "DEBUG", RECOVER),
    "finalized": Text(
        OF_TASK + "Finalized commit for RUNNING task with eos false enforce checkpoint false",
        TASK,
        "DEBUG",
        RECOVER,
    ),
    "committed": Text(
        OF_THREAD + "Committed all active tasks [{tasks}] and standby tasks [] in {ms}ms",
        THREAD,
        "DEBUG",
        RECOVER,
    ),
    "commit_failed": Text(OF_THREAD + "Committing task(s) {tasks} failed.", EXECUTOR, "ERROR", COMMITS),
    "died": Text(
        "stream-client [{client}] Encountered the following exception during processing and {how} "
        + "SHUTDOWN_CLIENT. The streams client is going to shut down now. ",
        CLIENT,
        "ERROR",
        EXPIRE,
    ),
    "unclean": Text(OF_THREAD + "Shutting down unclean", THREAD, recorded=EXPIRE),
    "suspended": Text(OF_TASK + "Suspended from RUNNING", TASK, recorded=EXPIRE),
    "closed": Text(OF_TASK + "Closed {how}", TASK, recorded=EXPIRE),
    "shutdown": Text(OF_THREAD + "Shutdown complete", THREAD, recorded=EXPIRE),
}


@dataclass
class ExpiredError(Exception):
    """A task made no progress for longer than task.timeout.ms."""

    task: str
    stalled_ms: int
    cause: str


@dataclass
class Timers:
    """The timers of a thread's tasks, as AbstractTask keeps them. at: when each was armed first, by its line."""

    limit_ms: int
    deadlines: dict[str, int] = field(default_factory=dict)

    def fail(self, task: str, now: int, cause: str) -> int:
        """A client timeout of this task: what remains to its deadline.

        Raises: ExpiredError strictly after the deadline.
        """
        deadline = self.deadlines.get(task)
        if deadline is None:
            self.deadlines[task] = now + self.limit_ms
            return self.limit_ms
        if now > deadline:
            raise ExpiredError(task, now - deadline + self.limit_ms, cause)
        return deadline - now

    def clear(self, task: str) -> bool:
        """Progress: whether a timer ran."""
        return self.deadlines.pop(task, None) is not None


@dataclass(frozen=True)
class Outage:
    """From `begin` to `end` (ms after the thread's start) calls of this kind time out.

    what: `process` (a sink's topic is missing for these tasks), `commit` (the coordinator is silent, for all).
    """

    what: str
    begin: int
    end: int
    tasks: frozenset[str] = frozenset()


@dataclass
class Running:
    """The fact behind a timer that runs: when its first and last timeouts were written."""

    at: int
    attempts: int = 0


class StreamThread:
    """One thread and its log. Subclasses break promises (tasks_defects.py)."""

    skips_timer_of_process = False

    def __init__(
        self,
        rng: Random,
        process: Process,
        client: Client,
        tasks: Sequence[str] = ("0_0", "0_1", "0_2"),
        outages: Iterable[Outage] = (),
        at: int = NOON,
        rate: float = 0.3,
    ) -> None:
        """rate: how many polls bring a task a record."""
        self.rng, self.process, self.client = rng, process, client
        self.tasks, self.outages, self.rate = list(tasks), list(outages), rate
        self.name = f"{client.client_id}-StreamThread-1"
        consumer = next(
            c for c in embedded_clients(process, client) if c.client_id == f"{self.name}-consumer"
        )
        producer = next(
            c for c in embedded_clients(process, client) if c.client_id == f"{self.name}-producer"
        )
        self.api_timeout_ms = (
            process.whole(consumer, "default.api.timeout.ms") if process.at_least(2, 0) else 0
        )
        self.max_block_ms = process.whole(producer, "max.block.ms")
        self.poll_ms = process.whole(client, "poll.ms")
        self.commit_ms = process.whole(client, "commit.interval.ms")
        limit_ms = process.whole(client, "task.timeout.ms") if process.at_least(2, 7) else 0
        self.timers = self.make_timers(limit_ms)
        self.begun_at = self.now = at
        self.committed_at = at
        self.lines: list[Line] = []
        self.facts: list[Fact] = []
        self.running: dict[str, Running] = {}
        self.buffered = dict.fromkeys(self.tasks, 0)
        self.uncommitted: set[str] = set()
        self.rounds = 1
        self.is_dead = False

    def make_timers(self, limit_ms: int) -> Timers:
        return Timers(limit_ms)

    # --- the log

    def say(self, name: str, *, level: str | None = None, trace: str | None = None, **fields: Any) -> None:
        """Write a line now."""
        text = TEXTS[name]
        if not self.process.writes(level or text.level):
            return
        known = {"thread": self.name, "client": self.client.client_id, **fields}
        logger = text.logger
        if logger == EXECUTOR and not self.process.at_least(3, 2):
            logger = MANAGER
        self.lines.append(text.line(self.now, level=level, logger=logger, trace=trace, **known))

    def take(self, least: int, most: int | None = None) -> None:
        """Time passes."""
        self.now += self.rng.randint(least, most if most is not None else least + 3)

    def is_down(self, what: str, task: str | None = None) -> bool:
        since = self.now - self.begun_at
        return any(
            o.what == what and o.begin <= since < o.end and (what == "commit" or task in o.tasks)
            for o in self.outages
        )

    # --- the loop

    def start(self) -> None:
        """The process and its thread come up."""
        self.lines += start_lines(self.process, [self.client], self.now)
        self.now = self.lines[-1].at + 20
        self.say("client_state", old="CREATED", new="REBALANCING")
        self.say("state", old="CREATED", new="STARTING")
        self.take(800, 1500)
        partitions = ", ".join(f"orders-{task.split('_')[1]}" for task in self.tasks)
        listed = f"[{partitions}]" if self.process.at_least(4, 0) else partitions
        self.say("assigned", group=self.client.group_id, partitions=listed)
        self.say("state", old="STARTING", new="PARTITIONS_ASSIGNED")
        for task in self.tasks:
            self.take(2, 12)
            self.say("initialized", task=task)
            self.say("running", task=task)
        self.say("state", old="PARTITIONS_ASSIGNED", new="RUNNING")
        self.say("client_state", old="REBALANCING", new="RUNNING")
        self.begun_at = self.committed_at = self.now

    def run(self, duration_ms: int) -> None:
        """The loop, until the thread dies or so long after its start."""
        while not self.is_dead and self.now < self.begun_at + duration_ms:
            try:
                self.poll()
                self.process_all()
                self.maybe_commit()
            except ExpiredError as expired:
                self.die(expired)
        for task, run in self.running.items():
            self.fact(task, run, "open")

    def poll(self) -> None:
        self.say("poll")
        fetched = [task for task in self.tasks if self.rng.random() < self.rate]
        took = self.rng.randint(2, self.poll_ms) if fetched else self.poll_ms + self.rng.randint(0, 3)
        self.now += took
        for task in fetched:
            self.buffered[task] += 1
        partitions = ", ".join(f"orders-{task.split('_')[1]}" for task in fetched)
        self.say("polled", ms=took, records=len(fetched), partitions=partitions)

    def process_all(self) -> None:
        self.say("processing", rounds=self.rounds)
        count = sum(self.process_task(task) for task in self.tasks if self.buffered[task])
        self.say("processed", records=count, rounds=self.rounds)
        self.say("punctuated")

    def process_task(self, task: str) -> int:
        """One record of a task: how many went through."""
        now = self.now
        if not self.is_down("process", task):
            self.take(0, 4)
            self.progress(task)
            self.buffered[task] -= 1
            self.uncommitted.add(task)
            return 1
        self.take(self.max_block_ms)
        cause = f"{TIMEOUT}: Topic orders-audit not present in metadata after {self.max_block_ms} ms."
        self.timed_out(task, now, cause)
        level = "ERROR" if self.process.at_least(3, 2) else "DEBUG"
        self.say("skipped", task=task, trace=cause, level=level)
        return 0

    def maybe_commit(self) -> None:
        since = self.now - self.committed_at
        if since < self.commit_ms:
            return
        self.committed_at = self.now
        listed = ", ".join(self.tasks)
        self.say("committing", tasks=listed, since=since, interval=self.commit_ms)
        due = [task for task in self.tasks if task in self.uncommitted]
        for task in due:
            self.say("prepared", task=task)
        if due and self.is_down("commit"):
            self.commit_fails(due)
            return
        began = self.now
        self.take(2, 30)
        for task in due:
            self.progress(task)
            self.say("finalized", task=task)
        self.uncommitted.clear()
        self.say("committed", tasks=listed, ms=self.now - began)

    def commit_fails(self, due: list[str]) -> None:
        """One call for several tasks: the timers of all of them."""
        self.take(self.api_timeout_ms)
        self.committed_at = self.now
        offsets = ", ".join(f"orders-{task.split('_')[1]}=OffsetAndMetadata{{offset=21}}" for task in due)
        cause = (
            f"{TIMEOUT}: Timeout of {self.api_timeout_ms}ms expired before successfully committing offsets "
            f"{{{offsets}}}"
        )
        self.say("commit_failed", tasks=", ".join(due), trace=cause)
        self.take(0, 1)
        armed = self.armed_by_commit(due)
        for number, task in enumerate(armed, start=1):
            try:
                self.timed_out(task, self.now, cause)
            except ExpiredError:
                # The call timed out for the others too, but nothing is armed any more.
                for other in armed[number:]:
                    if other in self.running:
                        self.running[other].attempts += 1
                raise

    def armed_by_commit(self, due: list[str]) -> list[str]:
        return due

    # --- timers

    def timed_out(self, task: str, now: int, cause: str) -> None:
        """A client's timeout of this task. Raises: ExpiredError where its timer ran out."""
        run = self.running.setdefault(task, Running(self.now))
        run.attempts += 1
        remaining = self.timers.fail(task, now, cause)
        self.say("armed", task=task, remaining=remaining, trace=cause)

    def progress(self, task: str) -> None:
        """A record went through, or a commit."""
        if self.timers.clear(task) and task in self.running:
            self.say("cleared", task=task)
            self.fact(task, self.running.pop(task), "cleared")

    def fact(self, task: str, run: Running, outcome: str, stalled_ms: int | None = None) -> None:
        ended_at = None if outcome == "open" else self.now
        self.facts.append(
            Fact(
                "task_timer", task, run.at, stalled_ms, self.timers.limit_ms, outcome, run.attempts, ended_at
            )
        )

    def die(self, expired: ExpiredError) -> None:
        """The thread dies of an expired timer, and with it, by the default handler, the client."""
        text = f"Task {expired.task} did not make progress within {expired.stalled_ms} ms. "
        text = f"{TIMEOUT}: {text}Adjust `task.timeout.ms` if needed."
        frames = (
            f"\tat {INTERNALS}AbstractTask.maybeInitTaskTimeoutOrThrow(AbstractTask.java:181)\n"
            f"\tat {INTERNALS}StreamThread.run(StreamThread.java:579)"
        )
        wrapped = f"{STREAMS_EXCEPTION}: {text}\n{frames}\nCaused by: {text}"
        trace = wrapped if self.process.at_least(3, 1) else f"{text}\n{frames}"
        self.fact(expired.task, self.running.pop(expired.task), "expired", expired.stalled_ms)
        self.shut_down(f"{trace}\nCaused by: {expired.cause}")

    def shut_down(self, trace: str) -> None:
        """Everything that is said when a thread dies of an exception."""
        how = "the registered exception handler opted to"
        if self.process.line == (3, 1):
            how = "Kafka Streams opted to"
        if self.process.line == (4, 0):
            how = "the registered exception handleropted to"
        self.say("died", how=how, trace=trace)
        self.say("client_state", old="RUNNING", new="PENDING_ERROR")
        self.say("state", old="RUNNING", new="PENDING_SHUTDOWN")
        self.say("unclean")
        for task in self.tasks:
            self.take(1, 4)
            self.say("suspended", task=task)
            self.say("closed", task=task, how="dirty")
            if task in self.running:
                self.fact(task, self.running.pop(task), "closed")
        self.say("state", old="PENDING_SHUTDOWN", new="DEAD")
        self.say("shutdown")
        self.say("client_state", old="PENDING_ERROR", new="ERROR")
        self.is_dead = True

    def told(self) -> tuple[list[Line], Truth]:
        """The log at the process's level, and what happened."""
        return shown(self.lines, self.process.level), Truth(sorted(self.facts, key=lambda fact: fact.at))


def application(rng: Random, **settings: object) -> Client:
    """A Streams application with limits that a test can wait for."""
    name = rng.choice(("orders", "billing", "order-enricher"))
    uuid = "-".join("".join(rng.choices("0123456789abcdef", k=count)) for count in (8, 4, 4, 4, 12))
    chosen = {
        "task.timeout.ms": 20000,
        "max.block.ms": 2000,
        "default.api.timeout.ms": 3000,
        "commit.interval.ms": 2000,
    }
    return Client("streams", f"{name}-{uuid}", name, {**chosen, **settings})


def healthy(
    rng: Random, process: Process, at: int = NOON, duration_ms: int = 30_000, client: Client | None = None
) -> tuple[list[Line], Truth]:
    """A thread that nothing happens to. For long runs give a client with a long poll.ms: each poll is five lines."""
    thread = StreamThread(rng, process, client or application(rng), at=at)
    thread.start()
    thread.run(duration_ms)
    return thread.told()


def faulty(
    rng: Random,
    process: Process,
    at: int = NOON,
    duration_ms: int = 60_000,
    client: Client | None = None,
    outages: Iterable[Outage] | None = None,
) -> tuple[list[Line], Truth]:
    """A thread whose sink or coordinator is away at times; it bears that as its version does, to the end.

    process: 2.8 or later; an outage of process() is for 2.8 to 3.8.
    """
    chosen = list(outages) if outages is not None else drawn_outages(rng, process)
    made = client or application(rng, **{"task.timeout.ms": rng.choice((0, 3000, 10_000, 25_000))})
    thread = StreamThread(rng, process, made, outages=chosen, at=at, rate=rng.choice((0.02, 0.3)))
    thread.start()
    thread.run(duration_ms)
    return thread.told()


def drawn_outages(rng: Random, process: Process) -> list[Outage]:
    """One to three outages, shorter and longer than the limit."""
    kinds = ["commit"] if process.at_least(3, 9) else ["commit", "process"]
    found = []
    begin = 0
    for _ in range(rng.randint(1, 3)):
        begin += rng.randint(500, 15_000)
        length = rng.choice((500, 4000, 9000, 30_000))
        tasks = frozenset(rng.sample(("0_0", "0_1", "0_2"), rng.randint(1, 2)))
        found.append(Outage(rng.choice(kinds), begin, begin + length, tasks))
        begin += length
    return found
