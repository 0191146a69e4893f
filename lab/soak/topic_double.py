"""A topic without brokers: messages in lists, read in this process. For tests of everything behind Spark's Kafka source."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
from pyspark.sql import DataFrame

from jobs.engine.spark import stage_frame
from jobs.engine.staging import Schemas, Staged, stage_here
from transforms.plans.topics import Extent, TopicPlan
from transforms.tasks import BatchTask

SENT_US = 1_795_262_400_000_000


@dataclass(slots=True)
class Row:
    """A message, as the driver sees it."""

    partition: int
    offset: int
    value: bytes


@dataclass(slots=True)
class Taken:
    """In the place of a frame of messages."""

    rows: list[Row]

    def limit(self, number: int) -> "Taken":
        """The first of them."""
        return Taken(self.rows[:number])

    def collect(self) -> list[Row]:
        """All of them."""
        return self.rows

    def batches(self) -> Iterator[pa.RecordBatch]:
        """As a task gets them."""
        yield pa.RecordBatch.from_pydict(
            {
                "partition": pa.array([row.partition for row in self.rows], pa.int32()),
                "offset": pa.array([row.offset for row in self.rows], pa.int64()),
                "timestamp": pa.array([SENT_US] * len(self.rows), pa.timestamp("us", "UTC")),
                "value": pa.array([row.value for row in self.rows], pa.binary()),
            }
        )


@dataclass
class Paper:
    """A topic of some partitions."""

    partitions: list[list[bytes]] = field(default_factory=lambda: [[]])

    def write(self, *values: bytes | str, partition: int = 0) -> None:
        """Add messages."""
        self.partitions[partition] += [
            value.encode() if isinstance(value, str) else value for value in values
        ]

    def extent_of(self, *_: object) -> Extent:
        """What brokers say of it."""
        return Extent("paper", {number: (0, len(some)) for number, some in enumerate(self.partitions)})

    def messages(self, _spark: object, plan: TopicPlan, _options: Mapping[str, str], *_: Any) -> Taken:
        """What a plan takes."""
        return Taken(
            [
                Row(int(number), offset, self.partitions[int(number)][offset])
                for number, (begin, end) in plan.ranges.items()
                for offset in range(begin, end)
            ]
        )

    @contextmanager
    def read(self) -> Iterator[None]:
        """Whatever topic is read meanwhile, it is this one."""
        with ExitStack() as patched:
            for place in ("jobs.plans.topics", "jobs.reading.read_plan"):
                patched.enter_context(patch(f"{place}.extent_of", self.extent_of))
            for place in ("jobs.reading.read_plan", "jobs.reading.topic_rows"):
                patched.enter_context(patch(f"{place}.messages", self.messages))
            patched.enter_context(patch("jobs.engine.spark.stage_frame", _stage))
            yield


def _stage(taken: Taken | DataFrame, task: BatchTask, schemas: Schemas, folder: Path) -> Staged:
    if isinstance(taken, DataFrame):  # what Spark itself made of them
        return stage_frame(taken, task, schemas, folder)
    return stage_here(task(taken.batches()), schemas, folder)


def shipped(lines: Iterable[bytes], path: str, begin: int = 0) -> Iterator[dict[str, Any]]:
    """Lines as a shipper sends them, with their place in their file."""
    for line in lines:
        text = line.rstrip(b"\n").decode()
        if text:
            place = {"offset": begin, "file": {"path": path}}
            yield {"message": text, "log": place, "host": {"name": "host"}}
        begin += len(line)
