"""Rows on their way to the folds: keyed by what is folded together, packed for tasks, in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from transforms.arrow_rows import in_order
from transforms.events import UNRECOGNIZED
from transforms.folding import OF_SERIES, SERIES_COLUMN
from transforms.plans.packs import Item, packed
from transforms.tasks import ROWS_AT_ONCE, Batches
from transforms.timers.machines import OF_STREAM_THREAD, TELLS_TIME_ONLY
from transforms.timers.samples.series_rows import SERIES

# What a fold's rows are sorted by. Phase -1 is samples, phase 0 repeats the key's control events, phase 1 is all its events.
ORDER = ("key", "phase", "ordered_at", "source_id", "position", "event_id")
# A unit's part in a group, which is the key, and what holds it (`pack`); phase 1. The packs' own rows come before.
PARTS = pa.schema(
    [
        ("key", pa.string()),
        ("phase", pa.int32()),
        ("unit_id", pa.string()),
        ("pack", pa.string()),
        ("state", pa.string()),
    ]
)
PARTS_ORDER = ("key", "phase", "unit_id")
# Of events and samples so many are held by a task at once.
TASK_ROWS = 250_000
# Units are packed among so many rows of neighbouring files.
GROUP_ROWS = 2 * TASK_ROWS


@dataclass(frozen=True, slots=True)
class UnitSize:
    """How many events a unit has; clock: its largest happened_at, ms; files: of the lake, that hold any of them."""

    unit_id: str
    events: int
    clock: int | None
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldEvents:
    """What is to be folded of each unit: its events from a place on. control: all its control events, wherever they are.

    resumed: units that go on from a state. Of these all events are folded, also where no machine reads any: with each comes
    what is open, and what is told of the whole.
    """

    events: pa.Table
    control: pa.Table
    resumed: frozenset[str]


def packed_by_files(
    sized: Mapping[str, int], files: Mapping[str, Sequence[str]], slots: int
) -> list[list[str]]:
    """Units in packs for tasks, those of the same files together: each file is read by a few packs, however many there are.

    sized: rows by unit; files: that hold them, by unit. Packs are as `packed` makes them.
    """
    total = sum(sized.values())
    packs: list[list[str]] = []
    group: list[Item] = []
    rows = 0

    def close() -> None:
        packs.extend(packed(group, -(-slots * rows // total), TASK_ROWS) if group else [])

    for unit_id in sorted(sized, key=lambda unit_id: (*files[unit_id][:1], unit_id)):
        group.append((unit_id, sized[unit_id]))
        rows += sized[unit_id]
        if rows >= GROUP_ROWS:
            close()
            group, rows = [], 0
    close()
    return packs


def batches_in_order(parts: Sequence[pa.Table], order: Sequence[str]) -> Batches:
    """Rows of a fold in order. An event has no series, a series nothing of an event."""
    may_be_null = [
        rows.cast(pa.schema([field.with_nullable(True) for field in rows.schema])) for rows in parts
    ]
    rows = pa.concat_tables(may_be_null, promote_options="default")
    return iter(in_order(rows, order).to_batches(ROWS_AT_ONCE))


def keyed(events: pa.Table, phase: int) -> pa.Table:
    """Events under their unit, in a phase."""
    phases = pa.repeat(pa.scalar(phase, pa.int32()), events.num_rows)
    return events.append_column("key", events["unit_id"]).append_column("phase", phases)


def keyed_series(keys: pa.Array, series: pa.StructArray) -> pa.Table:
    """Samples under their keys."""
    phases = pa.repeat(pa.scalar(OF_SERIES, pa.int32()), len(series))
    columns: dict[str, Any] = {"key": keys, "phase": phases, SERIES_COLUMN: series.cast(SERIES)}
    return pa.table(columns)


def rows_of_keys(rows: pa.Table, name: str, keys: Sequence[str]) -> pa.Table:
    """Those whose column has one of the keys."""
    return rows.filter(pc.is_in(rows[name], pa.array(keys, pa.string())))


def read_by_machines(events: pa.Table) -> pa.ChunkedArray:
    """Not lines of no family, nor those of no group that tell the time only (transforms.timers.machines.tells_time_only)."""
    of_thread = pc.fill_null(pc.match_substring(events["thread"], OF_STREAM_THREAD), fill_value=False)
    time_only = pc.is_in(events["message_id"], pa.array(sorted(TELLS_TIME_ONLY)))
    is_read = pc.or_(of_thread, pc.is_valid(events["group_id"]))
    unknown = pc.equal(events["message_id"], UNRECOGNIZED)
    return pc.invert(pc.or_(unknown, pc.and_(time_only, pc.invert(is_read))))
