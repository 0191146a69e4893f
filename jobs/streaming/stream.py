"""`kipwatch stream`: triggers of the same run, by a StreamingQuery, one session and one lease, until it is told to stop.

What a trigger takes is decided by its plan, and known by bronze.accounting: docs/decisions/0042-a-streaming-query.md.
"""

import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType

from conf.settings import Conf, load_conf, seconds_of
from expectations.place import LakePlace
from jobs.alerts.sender import sender_of, targets_of
from jobs.checks import check_tables
from jobs.engine.choice import Engines
from jobs.gauges.fleet_now import fleet_now
from jobs.gauges.prometheus import Measured, served
from jobs.pipeline import Input, open_lake, take_all, trigger
from jobs.plans.known_sources import known_sources
from jobs.progress import Progress, tell
from jobs.storage.lake import LakeWriter
from jobs.storage.store_files import asking
from transforms.errors import Away, BadInput, KipwatchError
from transforms.explain.errors import line_of
from transforms.plans.run_result import RunResult

QUERY = "query"  # folder of the query that drives triggers, beside what tasks put aside


def run_stream(
    lake: LakePlace,
    logs: list[str],
    metrics: list[str],
    conf_file: Path | None,
    every: str | None,
    port: int | None,
) -> None:
    """Take what is new, wait, again. SIGTERM or Ctrl-C ends it after the trigger that is running; a second one at once.

    Raises: BadInput for a wrong path, setting or port; LakeBusy for a lake that has a writer; KipwatchError after too
    many failures in a row.
    """
    conf = load_conf(conf_file)
    pause = seconds_of(every or conf.stream.every)
    # A wrong path is told before a session is started.
    lateness_ms = conf.stream.allowed_lateness_hours * 3_600_000
    given = Input.given(
        logs,
        metrics,
        most_bytes=conf.stream.max_bytes,
        may_vanish=True,
        lateness_ms=lateness_ms,
        flush_ms=conf.stream.flush_after * 1000,
        checks_wait=True,
    )
    progress = Progress()
    stop = stopped_by_signals()
    with open_lake(lake, conf) as opened:
        stream = Stream(Engines(conf.spark, progress), opened, given, conf, progress)
        with served(stream.measured, port):
            stream.run(pause, stop)
    progress.say("stopped")


def run_available(
    engines: Engines,
    root: LakePlace,
    logs: Sequence[str],
    metrics: Sequence[str],
    conf: Conf,
    progress: Progress,
) -> RunResult:
    """What is there, by a query that ends with it; where the session is of Spark Connect (serverless compute), by none.

    Raises: as jobs.pipeline.run.
    """
    given = Input.given(logs, metrics)
    targets_of(conf.alerts)
    results: list[RunResult] = []
    with open_lake(root, conf) as lake:

        def take(is_over: Callable[[], bool] = lambda: False) -> RunResult:
            taken = take_all(engines, lake, given, conf, progress, job="stream", is_over=is_over)
            results.append(taken)
            return taken

        if _is_classic(engines):
            from jobs.streaming.stream_query import Batches, QueryEndedError

            batches = Batches(take, lake.plans, lake.own_folder / QUERY, threading.Event())
            try:
                batches.follow(engines.session(), None)
            except QueryEndedError as error:
                progress.warn(
                    f"kipwatch: it goes on without its query, which ended ({line_of(error, 300, with_kind=True)})"
                )
                batches.forget()
        if not results:
            take()
    for other in results[1:]:
        results[0].add(other)
    return results[0]


class Stream:
    """Triggers over one open lake."""

    def __init__(
        self, engines: Engines, lake: LakeWriter, given: Input, conf: Conf, progress: Progress
    ) -> None:
        self._engines, self._lake, self._given, self._conf = engines, lake, given, conf
        self._progress = progress
        self._failures = 0
        self._unchecked: str | None = None  # the run that wrote last and was not checked
        self.measured = Measured()
        self._alerts = sender_of(lake, conf.alerts)

    def run(self, every: float, stop: threading.Event) -> None:
        """Batches of a query, one every so many seconds, at once where the last one took longer; until `stop` is set.

        Raises: BadInput without a classic session; KipwatchError after too many failures in a row.
        """
        if not _is_classic(self._engines):
            raise BadInput(
                "a session of Spark Connect can't stream without end",
                where="stream",
                todo="schedule it with --available-now, or run it where the session is the cluster's own",
            )
        from jobs.streaming.stream_query import Batches, QueryEndedError

        folder = self._lake.own_folder / QUERY
        while not stop.is_set():
            batches = Batches(partial(self.batch, every), self._lake.plans, folder, stop)
            try:
                batches.follow(self._engines.session(), every)
            except QueryEndedError as error:
                self._failed(error)
                batches.forget()
                stop.wait(every)
        if self._unchecked is not None:
            check_tables(self._lake, self._unchecked)

    def batch(self, every: float, is_over: Callable[[], bool]) -> RunResult | None:
        """A trigger; where limits left something, others for `every` seconds. Gives what they read, None for nothing."""
        began = time.monotonic()
        whole: RunResult | None = None
        while True:
            result = self.once()
            if result is None or not result.read:
                return whole
            if whole is None:
                whole = result
            else:
                whole.add(result)
            if not result.has_more or time.monotonic() - began > every or is_over():
                return whole

    def once(self) -> RunResult | None:
        """One trigger; None where it failed, and is to be tried again.

        Raises: BadInput, which no second try mends; KipwatchError after too many failures in a row.
        """
        began = time.monotonic()
        result = None
        try:
            with asking(self._lake.root):
                self._lake.check_held()
                quiet = Progress(is_shown=False)
                result = trigger(self._engines, self._lake, self._given, self._conf, quiet, job="stream")
                self._failures = 0
                if result.read:
                    self._unchecked = None if result.is_checked else result.run_id
                for sentence in self._alerts.send():
                    tell(sentence)
        except Away as error:  # brokers of a plan that is carried out again, or a store: they come back
            tell(error.sentence)
            self.measured.add("failures", 1)
        except BadInput:
            raise
        except Exception as error:
            self._failed(error)
        self._tell(result, time.monotonic() - began)
        return result

    def _failed(self, error: Exception) -> None:
        self._failures += 1
        self.measured.add("failures", 1)
        reason = line_of(error, 300, with_kind=True)
        if self._failures >= self._conf.stream.attempts:
            raise KipwatchError(
                f"{self._failures} triggers failed in a row ({reason})",
                where=str(self._lake.root),
                todo="mend the cause and start again: nothing that was read is lost or doubled",
            ) from error
        tell(f"a trigger failed and is tried again ({reason})")

    def _tell(self, result: RunResult | None, seconds: float) -> None:
        measured = self.measured
        measured.add("triggers", 1)
        measured.add("trigger_seconds", seconds)
        if result is not None and result.read:
            measured.add("triggers_with_input", 1)
            measured.add("rows_in", result.records)
            measured.add("rows_out", result.events)
            measured.add("late", result.late)
            measured.add("quarantined", result.unparsed)
            measured.put("last_trigger_seconds", seconds)
            measured.put("backlog_bytes", result.left_bytes)
            measured.put("backlog_messages", result.left_messages)
            if result.lag_ms is not None:
                measured.put("lag_seconds", result.lag_ms / 1000)
            measured.newest = newest_of(self._lake)
            measured.fleet = fleet_now(self._lake, time.time(), self._conf.stream.open_hours * 3600)
            self._progress.say(
                f"{result.read} sources, {result.records} records, {result.events} events in {seconds:.1f} s"
                + (f", {result.left_bytes} bytes left" if result.left_bytes else "")
            )
        with suppress(OSError):  # a full disk is told by the trigger that it stops
            measured.write(self._lake.files)


def _is_classic(engines: Engines) -> bool:
    try:
        return engines.is_classic()
    except ImportError:
        todo = "pip install 'kipwatch[spark]', or call run again and again"
        raise BadInput("Spark is not installed", where="stream", todo=todo) from None


def newest_of(lake: LakeWriter) -> dict[str, float]:
    """Time of each source's newest record, in s since the epoch."""
    newest: dict[str, float] = {}
    for source in known_sources(lake).values():
        if source.latest_at is not None:
            newest[source.source] = max(source.latest_at / 1000, newest.get(source.source, 0.0))
    return newest


def stopped_by_signals() -> threading.Event:
    """An event that the first SIGTERM or SIGINT sets; a second one ends the process; its plan stays."""
    stop = threading.Event()

    def end(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    return stop
