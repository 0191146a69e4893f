"""A stream thread under exactly-once, and one whose sends fail: tasks are declared corrupted, and no timer runs.

Written from StreamTask.process, TaskExecutor.commitOffsetsOrTransaction and RecordCollectorImpl.recordSendError, which
throw TaskCorruptedException at a client's timeout; only initTransactions starts a timer (StreamsProducer, 2.8 and later).
"""

from collections.abc import Iterable
from random import Random
from typing import Any

from lab.simulate.line import Line, Text
from lab.simulate.process import Process
from lab.simulate.tasks import (
    COLLECTOR,
    INTERNALS,
    NOON,
    TIMEOUT,
    ExpiredError,
    Outage,
    StreamThread,
    application,
)
from lab.simulate.truth import Truth

SINK = "p572-async-sink-42"
TEXTS = {
    "init_failed": Text(
        "stream-thread [{thread}] Timeout exception caught trying to initialize transactions. The broker is either "
        "slow or in bad state (like not having enough replicas) in responding to the request, or the connection to "
        "broker was interrupted sending the request or receiving the response. Will retry initializing the task in the "
        "next loop. Consider overwriting max.block.ms to a larger value to avoid timeout errors",
        f"{INTERNALS}StreamsProducer",
        "WARN",
        "p572-eos-init-42",
    ),
    "send_error": Text(
        "stream-thread [{thread}] stream-task [{task}] Error encountered sending record to topic orders-audit for "
        "task {task} due to:\n{error}\nThe broker is either slow or in bad state (like not having enough replicas) in "
        "responding the request, or the connection to broker was interrupted sending the request or receiving the "
        "response. \nConsider overwriting `max.block.ms` and /or `delivery.timeout.ms` to a larger value to wait "
        "longer for such scenarios and avoid timeout errors",
        COLLECTOR,
        "ERROR",
        SINK,
    ),
    "corrupted": Text(
        "stream-thread [{thread}] Detected the states of tasks [{tasks}] are corrupted. Will close the task as dirty "
        "and re-create and bootstrap from scratch.",
        f"{INTERNALS}StreamThread",
        "WARN",
        SINK,
    ),
}


class CorruptingThread(StreamThread):
    """Can declare tasks corrupted."""

    def note(self, name: str, trace: str | None = None, **fields: Any) -> None:
        """Write one of this module's lines now."""
        self.lines.append(TEXTS[name].line(self.now, self.name, trace=trace, **fields))

    def corrupt(self, tasks: list[str]) -> None:
        """Close tasks as dirty, and make them anew."""
        named = ", ".join(tasks)
        why = f"Tasks [{named}] are corrupted and hence need to be re-initialized"
        self.note("corrupted", f"org.apache.kafka.streams.errors.TaskCorruptedException: {why}", tasks=named)
        for task in tasks:
            self.take(1, 4)
            self.say("suspended", task=task)
            self.say("closed", task=task, how="dirty")
            self.uncommitted.discard(task)
        self.take(5, 20)
        for task in tasks:
            self.say("initialized", task=task)
            self.say("running", task=task)


class FailingSends(CorruptingThread):
    """As released: a send that times out makes the task corrupted, and nothing bounds that."""

    def process_task(self, task: str) -> int:
        if not self.is_down("process", task):
            return super().process_task(task)
        self.take(self.max_block_ms)
        error = f"{TIMEOUT}: Topic orders-audit not present in metadata after {self.max_block_ms} ms."
        self.note("send_error", error, task=task, error=error)
        self.corrupt([task])
        return 0


class ExactlyOnce(CorruptingThread):
    """Timers only while its tasks wait for initTransactions."""

    def start(self) -> None:
        """An outage `init` begins with the thread."""
        super().start()
        waiting = list(self.tasks)
        while waiting and self.is_down("init"):
            try:
                self.initialize(waiting)
            except ExpiredError as expired:
                self.die(expired)
                return
        for task in waiting:
            self.progress(task)
            self.say("initialized", task=task)

    def initialize(self, waiting: list[str]) -> None:
        """One loop: each task asks for its transactions."""
        for task in waiting:
            if not self.is_down("init"):
                return
            self.take(self.max_block_ms)
            cause = f"{TIMEOUT}: Timeout expired after {self.max_block_ms}ms while awaiting InitProducerId"
            self.note("init_failed")
            self.timed_out(task, self.now, cause)
        self.take(100)

    def process_task(self, task: str) -> int:
        if not self.is_down("process", task):
            return super().process_task(task)
        self.take(self.max_block_ms)
        self.corrupt([task])
        return 0

    def commit_fails(self, due: list[str]) -> None:
        self.take(self.api_timeout_ms)
        self.committed_at = self.now
        cause = f"{TIMEOUT}: Timeout expired after {self.api_timeout_ms}ms while awaiting AddOffsetsToTxn"
        self.say("commit_failed", tasks=", ".join(due), trace=cause)
        self.corrupt(due)


def exactly_once_faulty(
    rng: Random, process: Process, at: int = NOON, duration_ms: int = 60_000
) -> tuple[list[Line], Truth]:
    """A thread under exactly-once in some outages. process: 2.8 or later."""
    guarantee = "exactly_once_v2" if process.at_least(3, 0) else "exactly_once_beta"
    settings = {"processing.guarantee": guarantee, "task.timeout.ms": rng.choice((5000, 12_000, 30_000))}
    thread = ExactlyOnce(rng, process, application(rng, **settings), outages=_outages(rng, process), at=at)
    thread.start()
    thread.run(duration_ms)
    return thread.told()


def _outages(rng: Random, process: Process) -> Iterable[Outage]:
    yield Outage("init", 0, rng.choice((0, 3000, 9000, 20_000)))
    yield Outage("commit", 25_000, 25_000 + rng.choice((0, 4000, 15_000)))
    if not process.at_least(3, 9):
        yield Outage("process", 42_000, 42_000 + rng.choice((0, 5000)), frozenset({"0_1"}))
