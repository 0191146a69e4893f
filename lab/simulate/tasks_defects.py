"""Stream threads that break one promise of KIP-572 each."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from random import Random

from lab.simulate.line import Line
from lab.simulate.process import STREAMS_CONFIG, Process
from lab.simulate.streams_eos import FailingSends
from lab.simulate.streams_loops import GlobalThread, Leader
from lab.simulate.tasks import (
    INTERNALS,
    STREAMS_EXCEPTION,
    TIMEOUT,
    ExpiredError,
    Outage,
    Running,
    StreamThread,
    Timers,
    application,
)
from lab.simulate.truth import Truth

Planted = tuple[list[Line], Truth]
UNIT = ("shop", "app.log")
# Releases with a timer around process(), and all with timers.
OF_PROCESS = ("2.8.2", "3.1.2", "3.3.2", "3.5.2", "3.7.2", "3.8.1")
SHOW_FAILURES = ("3.3.2", "3.5.2", "3.7.2", "3.8.1")
ALL = (*OF_PROCESS, "3.9.1", "4.0.1", "4.1.1", "4.2.1")
PROCESS_OUTAGE = Outage("process", 1000, 45_000, frozenset({"0_1"}))
COMMIT_OUTAGE = Outage("commit", 1000, 45_000)


class NeverResets(Timers):
    def clear(self, task: str) -> bool:
        return task in self.deadlines


class MovesDeadline(Timers):
    def fail(self, task: str, now: int, cause: str) -> int:
        self.deadlines[task] = now + self.limit_ms
        return self.limit_ms


class DiesEarly(Timers):
    def fail(self, task: str, now: int, cause: str) -> int:
        remaining = super().fail(task, now, cause)
        if remaining < self.limit_ms // 2:
            raise ExpiredError(task, self.limit_ms - remaining, cause)
        return remaining


class NeverGivesUp(Timers):
    def fail(self, task: str, now: int, cause: str) -> int:
        deadline = self.deadlines.setdefault(task, now + self.limit_ms)
        return deadline - now


class NotStarted(StreamThread):
    def timed_out(self, task: str, now: int, cause: str) -> None:
        text = (
            f"Exception caught in process. taskId={task}, processor=work, topic=orders, partition=1, offset=0"
        )
        self.shut_down(
            f"{STREAMS_EXCEPTION}: {text}\n\tat {INTERNALS}StreamTask.process(StreamTask.java:811)\nCaused by: {cause}"
        )
        raise Dead


class Dead(Exception):  # noqa: N818  # the end of a thread, no error of the model's
    pass


class NotShared(StreamThread):
    def armed_by_commit(self, due: list[str]) -> list[str]:
        return due[:-1]


class OthersBlocked(StreamThread):
    """While a task's timer runs, the thread does nothing but try it again."""

    def process_all(self) -> None:
        waiting = [task for task in self.tasks if task in self.running]
        if not waiting:
            super().process_all()
            return
        self.say("processing", rounds=self.rounds)
        count = sum(self.process_task(task) for task in waiting if self.buffered[task])
        self.say("processed", records=count, rounds=self.rounds)
        self.say("punctuated")


class NotRetried(StreamThread):
    """A task that was skipped once is never tried again."""

    def process_task(self, task: str) -> int:
        return 0 if task in self.running else super().process_task(task)


class FiredWithoutTimeout(StreamThread):
    """A record that takes long is taken for a timeout: the thread dies of it."""

    def process_task(self, task: str) -> int:
        if not self.is_down("process", task):
            return super().process_task(task)
        self.running[task] = Running(self.now, 1)
        self.take(self.timers.limit_ms + 500, self.timers.limit_ms + 900)
        raise ExpiredError(task, self.timers.limit_ms + 500, "")

    def die(self, expired: ExpiredError) -> None:
        text = f"{TIMEOUT}: Task {expired.task} did not make progress within {expired.stalled_ms} ms. "
        self.running.pop(expired.task)
        # A trace that ends with `... more` is whole: nothing stands behind the expiry.
        self.shut_down(
            f"{STREAMS_EXCEPTION}: {text}Adjust `task.timeout.ms` if needed.\n\tat {INTERNALS}StreamThread.run\n"
            f"Caused by: {text}Adjust `task.timeout.ms` if needed.\n\t... 1 more"
        )


class ArmedByOther(StreamThread):
    """An error that is no timeout starts the timer, and its record is tried again."""

    def process_task(self, task: str) -> int:
        if not self.is_down("process", task):
            return super().process_task(task)
        now = self.now
        self.take(2, 9)
        self.timed_out(task, now, "org.apache.kafka.common.errors.SerializationException: Size of data is 7")
        return 0


def _thread(
    rule_id: str,
    kind: type[StreamThread] = StreamThread,
    timers: type[Timers] = Timers,
    outage: Outage = PROCESS_OUTAGE,
    versions: tuple[str, ...] = OF_PROCESS,
    levels: tuple[str, ...] = ("DEBUG",),
    rate: float = 0.3,
    **settings: object,
) -> Callable[[Random], Planted]:
    """A thread of this make in this outage."""

    def plant(rng: Random) -> Planted:
        process = Process(*UNIT, rng.choice(versions), level=rng.choice(levels))
        chosen = {name.replace("_", "."): value for name, value in settings.items()}
        limit = {"task.timeout.ms": rng.choice((8000, 12_000, 20_000))}
        client = application(rng, **{**limit, **chosen})
        thread = kind(rng, process, client, outages=[outage], rate=rate)
        thread.timers = timers(thread.timers.limit_ms)
        thread.start()
        with contextlib.suppress(Dead):
            thread.run(60_000)
        lines, truth = thread.told()
        return lines, replace(truth, violated={rule_id})

    return plant


def _timer_not_reset(what: str, versions: tuple[str, ...]) -> Callable[[Random], Planted]:
    """Two outages with progress between them."""

    def plant(rng: Random) -> Planted:
        process = Process(*UNIT, rng.choice(versions), level="DEBUG")
        client = application(rng, **{"task.timeout.ms": 30_000, "poll.ms": 500})
        outages = [Outage(what, 1000 + 12_000 * n, 6000 + 12_000 * n, frozenset({"0_1"})) for n in range(2)]
        thread = StreamThread(rng, process, client, outages=outages, rate=0.6)
        thread.timers = NeverResets(30_000)
        thread.start()
        thread.run(24_000)
        lines, truth = thread.told()
        return lines, replace(truth, violated={"kip572.timer_not_reset"})

    return plant


def _either(*plants: Callable[[Random], Planted]) -> Callable[[Random], Planted]:
    """One of these."""
    return lambda rng: rng.choice(plants)(rng)


def _in_commits(rule_id: str, timers: type[Timers]) -> Callable[[Random], Planted]:
    """Few records, so that commits fail in a row with no progress between."""
    return _thread(
        rule_id,
        timers=timers,
        outage=COMMIT_OUTAGE,
        versions=ALL,
        rate=0.1,
        poll_ms=2000,
        task_timeout_ms=8000,
    )


def _global(
    rule_id: str, outage_ms: int, gives_up_after: float, backoff_ms: int = 0
) -> Callable[[Random], Planted]:
    def plant(rng: Random) -> Planted:
        process = Process(*UNIT, rng.choice(("2.7.2", *ALL)), level="INFO")
        thread = GlobalThread(rng, process, application(rng, **{"task.timeout.ms": 9000}))
        thread.gives_up_after, thread.backoff_ms = gives_up_after, backoff_ms
        thread.run(outage_ms)
        return thread.told({rule_id})

    return plant


def _leader(
    rule_id: str,
    lacking_ms: int,
    gives_up_after: float = 1.0,
    is_fatal: bool = False,
    poll_ms: int = 24_000,
) -> Callable[[Random], Planted]:
    def plant(rng: Random) -> Planted:
        process = Process(*UNIT, rng.choice(("2.7.2", *ALL)), level="INFO")
        client = application(rng, **{"max.poll.interval.ms": poll_ms})
        leader = Leader(rng, process, client)
        leader.gives_up_after, leader.is_fatal = gives_up_after, is_fatal
        leader.run(lacking_ms)
        return leader.told({rule_id})

    return plant


def _configured(
    rule_id: str, versions: tuple[str, ...], warned: bool = True, **settings: object
) -> Callable[[Random], Planted]:
    """A thread that nothing happens to, configured in a way that is the finding."""

    def plant(rng: Random) -> Planted:
        # That a warning is not there shows only in a log that shows itself to be whole.
        process = Process(*UNIT, rng.choice(versions), level="INFO" if warned else "DEBUG")
        chosen = {name.replace("_", "."): value for name, value in settings.items()}
        thread = StreamThread(rng, process, application(rng, **chosen))
        thread.start()
        thread.run(3000 if warned else 12_000)
        lines, truth = thread.told()
        if not warned:
            lines = [line for line in lines if not (line.logger == STREAMS_CONFIG and line.level == "WARN")]
        return lines, replace(truth, violated={rule_id})

    return plant


WITH_RETRIES = ("2.7.2", "2.8.2", "3.1.2", "3.5.2", "3.9.1")
BOTH = ("INFO", "DEBUG")
DEFECTS: dict[str, Callable[[Random], Planted]] = {
    "kip572.timer_not_started": _thread("kip572.timer_not_started", NotStarted, levels=BOTH),
    "kip572.timer_not_shared": _thread(
        "kip572.timer_not_shared", NotShared, outage=COMMIT_OUTAGE, versions=ALL, rate=0.6
    ),
    "kip572.timer_not_reset": _either(
        _timer_not_reset("process", OF_PROCESS), _timer_not_reset("commit", ALL)
    ),
    "kip572.deadline_moved": _either(
        _thread("kip572.deadline_moved", timers=MovesDeadline),
        _in_commits("kip572.deadline_moved", MovesDeadline),
    ),
    "kip572.died_early": _thread("kip572.died_early", timers=DiesEarly, levels=BOTH),
    "kip572.retried_after_deadline": _either(
        _thread("kip572.retried_after_deadline", timers=NeverGivesUp),
        _in_commits("kip572.retried_after_deadline", NeverGivesUp),
    ),
    "kip572.outage_unbounded": _thread(
        "kip572.outage_unbounded", FailingSends, versions=ALL, levels=BOTH, rate=1.0, task_timeout_ms=8000
    ),
    "kip572.zero_timeout_retried": _thread("kip572.zero_timeout_retried", levels=BOTH, task_timeout_ms=0),
    "kip572.fired_without_timeout": _either(
        # Before 3.2 a failed process() is told at DEBUG only, so that nothing is proved by the lack of its line.
        _thread("kip572.fired_without_timeout", FiredWithoutTimeout, versions=SHOW_FAILURES, levels=BOTH),
        _thread("kip572.fired_without_timeout", ArmedByOther, versions=OF_PROCESS),
    ),
    "kip572.others_blocked": _thread(
        "kip572.others_blocked", OthersBlocked, rate=0.6, task_timeout_ms=20_000
    ),
    "kip572.task_not_retried": _thread("kip572.task_not_retried", NotRetried, rate=0.6),
    "kip572.global_thread_early": _global("kip572.global_thread_early", 20_000, 0.3),
    "kip572.global_thread_late": _global("kip572.global_thread_late", 30_000, 10.0),
    "kip572.global_thread_no_backoff": _global("kip572.global_thread_no_backoff", 8000, 1.0),
    "kip572.leader_loop_early": _leader("kip572.leader_loop_early", 100_000, 0.5, poll_ms=120_000),
    "kip572.leader_loop_late": _leader("kip572.leader_loop_late", 60_000, 3.0),
    "kip572.leader_timeout_fatal": _leader("kip572.leader_timeout_fatal", 40_000, is_fatal=True),
    "kip572.skip_not_warned": _thread(
        "kip572.skip_not_warned", versions=("3.3.2", "3.5.2", "3.8.1"), levels=BOTH
    ),
    "kip572.retries_set": _configured("kip572.retries_set", WITH_RETRIES, retries=5),
    "kip572.retries_not_warned": _configured(
        "kip572.retries_not_warned", WITH_RETRIES, warned=False, retries=5
    ),
    "kip572.room_for_one_retry": _configured("kip572.room_for_one_retry", ALL, task_timeout_ms=1500),
}
