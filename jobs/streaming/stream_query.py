"""The StreamingQuery whose batches are a stream's triggers: by it Spark's pages, listeners and progress tell of them.

What is new, what was read and what was written the lake's books say alone. So nothing hangs on the checkpoint: without it,
or with one of another day, the same triggers follow (docs/decisions/0042-a-streaming-query.md).
"""

import json
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.query import StreamingQuery

from transforms.errors import KipwatchError

if TYPE_CHECKING:  # two processes of Spark's load this module and need no more of ours
    from transforms.plans.run_result import RunResult

NAME = "kipwatch"  # of the query, and of what it tells of each batch
FORMAT = "kipwatch_plans"
CHECKPOINT, TOLD = "checkpoint", "told.json"
ROWS_AT_ONCE = 8192
POLL = 0.5  # s
# Nothing is ever read again by an old batch's offsets.
BATCHES_KEPT = "10"
UNHEARD = logging.NullHandler()  # else py4j prints what a batch raises, with its trace


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of the batch that read something last. plan: the number that the next plan gets.

    The others are a run's (transforms.plans.run_result).
    """

    plan: int
    records: int = 0
    events: int = 0
    late: int = 0
    unparsed: int = 0
    left_bytes: int = 0
    left_messages: int = 0
    lag_ms: int | None = None

    @classmethod
    def of(cls, plan: int, result: "RunResult") -> "Told":
        """Of what a batch came to."""
        return cls(plan, **{name: getattr(result, name) for name in COLUMNS})

    @classmethod
    def load(cls, path: str) -> "Told":
        """Of a lake of which nothing was told yet, or where that file is not seen: no plan."""
        with suppress(OSError, ValueError, TypeError):
            return cls(**json.loads(Path(path).read_text(encoding="utf-8")))
        return cls(0)

    def save(self, path: Path) -> None:
        """In the place of what stood."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(asdict(self)), encoding="utf-8")
        draft.replace(path)


COLUMNS = ("records", "events", "late", "unparsed", "left_bytes", "left_messages", "lag_ms")


class Plans(DataSource):
    """A lake's plans as a source: an offset has the number that the next plan gets, a row is a log record that was read."""

    @classmethod
    def name(cls) -> str:
        """See DataSource."""
        return FORMAT

    def schema(self) -> str:
        """Each row tells what its whole batch came to."""
        return ", ".join(f"{name} BIGINT" for name in COLUMNS)

    def streamReader(self, schema: Any) -> "PlanReader":  # noqa: N802 (as Spark calls it, and below)
        """See DataSource."""
        return PlanReader(self.options[TOLD])


class PlanReader(DataSourceStreamReader):
    """Asked by Spark in a process of its own, and at any time: it only reads one small file.

    Every look is an offset of its own, so that no checkpoint makes a batch wait, be it of another lake or of a later day;
    and so that a batch without anything new looks after what time has brought (silence, alerts, records that end).
    """

    def __init__(self, told: str) -> None:
        self._told = told

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        """Before any plan."""
        return {"plan": 0, "asked_at_ms": 0}

    # As Spark 4.0 calls it; later ones still do.
    def latestOffset(self) -> dict[str, int]:  # type: ignore[override]  # noqa: N802
        """The number of the plan that is made where anything is new, and when that was asked."""
        return {"plan": Told.load(self._told).plan, "asked_at_ms": time.time_ns() // 1_000_000}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        """One: rows only count."""
        return [InputPartition(None)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """A row for each record of the batch, once its triggers are over."""
        told = Told.load(self._told)
        for begin in range(0, told.records, ROWS_AT_ONCE):
            count = min(ROWS_AT_ONCE, told.records - begin)
            columns = [pa.repeat(pa.scalar(getattr(told, name), pa.int64()), count) for name in COLUMNS]
            yield pa.RecordBatch.from_arrays(columns, names=list(COLUMNS))


class QueryEndedError(Exception):
    """The query ended by itself, and no trigger is to blame."""


class Batches:
    """What Spark calls for each batch. work: its triggers; gives what they read, None for nothing, and asks what it is
    given whether to begin another one.

    plans: how many plans the lake has had. folder: for the checkpoint and what is told, seen by tasks under the same path.
    """

    def __init__(
        self,
        work: "Callable[[Callable[[], bool]], RunResult | None]",
        plans: Callable[[], int],
        folder: Path,
        stop: threading.Event,
    ) -> None:
        self._work, self._plans, self._stop = work, plans, stop
        self._told, self._checkpoint = folder / TOLD, folder / CHECKPOINT
        self._at_work = threading.Lock()
        self._has_ended = False
        self._error: BaseException | None = None  # as a batch raised it: Spark has but its text

    def __call__(self, frame: DataFrame, number: int) -> None:
        """One batch of the query."""
        with self._at_work:
            if self._is_over():
                return
            try:
                result = self._work(self._is_over)
            except BaseException as error:
                self._error = error
                what = error.sentence if isinstance(error, KipwatchError) else type(error).__name__
                raise RuntimeError(what) from None  # for Spark's pages and listeners
            if result is not None:
                Told.of(self._plans() + 1, result).save(self._told)
                frame.write.format("noop").mode("append").save()  # its rows are counted by being read

    def follow(self, session: SparkSession, every: float | None) -> None:
        """Run the query until `stop` is set, a batch every so many seconds; None: until what is there was taken.

        Raises: what a batch raised; QueryEndedError where something else ended the query. No batch is at work then.
        """
        query = None
        try:
            query = self._started(session, every)
            while not self._stop.is_set() and not query.awaitTermination(POLL):  # type: ignore[arg-type]
                pass
        except Exception as error:
            if self._error is None and not self._stop.is_set():
                raise QueryEndedError(str(error)) from error
        finally:
            self._end(query)
        if self._error is not None:
            raise self._error

    def forget(self) -> None:
        """Take the checkpoint away: one that Spark can't go on from is worth nothing."""
        shutil.rmtree(self._checkpoint, ignore_errors=True)

    def _started(self, session: SparkSession, every: float | None) -> StreamingQuery:
        from conf.settings import DATABRICKS_MARK

        logging.getLogger("py4j").addHandler(UNHEARD)
        Told(self._plans() + 1).save(self._told)
        session.conf.set("spark.sql.streaming.minBatchesToRetain", BATCHES_KEPT)
        session.dataSource.register(Plans)
        frame = session.readStream.format(FORMAT).option(TOLD, str(self._told)).load()
        told = [F.max(name).alias(name) for name in COLUMNS[1:]]
        frame = frame.observe(NAME, F.count(F.lit(1)).alias(COLUMNS[0]), *told)
        # A folder of the driver's machine, whatever Spark takes for its file system; on Databricks a path says it all.
        place = (
            str(self._checkpoint) if DATABRICKS_MARK in os.environ else self._checkpoint.absolute().as_uri()
        )
        writer = frame.writeStream.queryName(NAME).option("checkpointLocation", place).foreachBatch(self)
        if every is None:
            return writer.trigger(availableNow=True).start()
        return writer.trigger(processingTime=f"{round(every * 1000)} milliseconds").start()

    def _is_over(self) -> bool:
        return self._has_ended or self._stop.is_set()

    def _end(self, query: StreamingQuery | None) -> None:
        """To stop a query ends its batch in the middle: that is waited for first, and another one does nothing."""
        self._has_ended = True
        with self._at_work:
            pass
        if query is not None:
            with suppress(Exception):  # Spark may be gone already
                query.stop()
