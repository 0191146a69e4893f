"""Events to their folds: each unit or group in one task, and in order. Done here where they fit in memory, else by Spark."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from jobs.storage.staging import Staged, Task

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
