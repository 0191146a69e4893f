"""Events to their folds: each unit or group in one task, and in order. Done here where they fit in memory, else by Spark."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from pyspark.sql import SparkSession

from jobs.staging import Staged, Task

# What a fold's rows are sorted by. Phase -1 is samples, phase 0 repeats the key's control events, phase 1 is all its events.
ORDER = ("key", "phase", "ordered_at", "source_id", "position", "event_id")
# A unit's part in a group, which is the key; phase 1.
PARTS = pa.schema(
    [("key", pa.string()), ("phase", pa.int32()), ("unit_id", pa.string()), ("state", pa.string())]
)
PARTS_ORDER = ("key", "phase", "unit_id")


@dataclass(frozen=True, slots=True)
class UnitSize:
    """How many events a unit has; clock: its largest happened_at, ms."""

    unit_id: str
    events: int
    clock: int | None


class Sorter(Protocol):
    """Counts and folds the events of the lake, with the samples of their processes.

    Both ways give a fold the same rows in the same order.
    """

    def units(self, units: Sequence[str]) -> list[UnitSize]:
        """Size and clock of these units."""

    def fold_units(
        self, units: Sequence[UnitSize], fold: Task, tables: Sequence[str], staging: Path
    ) -> Staged:
        """Each unit's events, less those that no machine reads, through the fold."""

    def fold_groups(self, parts: pa.Table, fold: Task, tables: Sequence[str], staging: Path) -> Staged:
        """Units' parts in groups through the fold, with the samples of their consumers. parts: PARTS."""


def most_slots(spark: SparkSession) -> int:
    """How many tasks events are sorted for."""
    return int(spark.conf.get("spark.sql.shuffle.partitions") or 1)


def slots_of(sized: Iterable[tuple[str, int]], most: int) -> dict[str, int]:
    """A slot for each key, all of about the same number of events: chance would often fill one twice."""
    sizes: dict[str, int] = defaultdict(int)
    for key, size in sized:
        sizes[key] += size
    load = [0] * min(len(sizes), most)
    slots = {}
    for key, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        slots[key] = load.index(min(load))
        load[slots[key]] += size
    return slots
