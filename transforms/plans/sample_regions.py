"""Cuts samples into regions that one process may hold, however many there are: by process, then by time, then by MBean."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SLOT_US = 600_000_000  # times are told apart by ten minutes
COUNTED = ["unit_id", "slot", "mbean"]
# Counts are put together again after so many batches.
BATCHES_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Region:
    """Some units between two instants, microseconds UTC. mbeans: the first and the last name; None for all.

    All ends are included.
    """

    units: Sequence[str]
    begin: int
    end: int
    mbeans: tuple[str, str] | None = None

    @property
    def filters(self) -> list[tuple[str, str, object]]:
        """For Arrow."""
        begin, end = (EPOCH + timedelta(microseconds=at) for at in (self.begin, self.end))
        found: list[tuple[str, str, object]] = [
            ("unit_id", "in", list(self.units)),
            ("sampled_at", ">=", begin),
            ("sampled_at", "<=", end),
        ]
        if self.mbeans:
            found += [("mbean", ">=", self.mbeans[0]), ("mbean", "<=", self.mbeans[1])]
        return found

    @property
    def expression(self) -> pc.Expression:
        """The filters as one."""
        return pq.filters_to_expression(self.filters)


def counted(batches: Iterable[pa.RecordBatch]) -> pa.Table:
    """How many rows there are (`rows`) of each unit, ten minutes and MBean (COUNTED)."""
    counts: list[pa.Table] = [_no_counts()]
    for batch in batches:
        slots = pc.divide(batch.column("sampled_at").cast(pa.int64()), SLOT_US)
        named = pa.table([batch.column("unit_id"), slots, batch.column("mbean")], COUNTED)
        ones = pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)
        counts.append(_summed([named.append_column("rows", ones)]))
        if len(counts) > BATCHES_AT_ONCE:
            counts = [_summed(counts)]
    return _summed(counts)


def regions_of(counts: pa.Table, whole: Region, most: int) -> list[Region]:
    """The whole, cut until none has more than `most` rows, or what it has is of one unit, ten minutes and MBean."""
    if (pc.sum(counts["rows"]).as_py() or 0) <= most:
        return [whole]
    found = []
    alone: list[str] = []
    held = 0
    of_units = counts.group_by("unit_id").aggregate([("rows", "sum")]).sort_by("unit_id")
    for unit_id, rows in zip(*(column.to_pylist() for column in of_units.columns), strict=True):
        if rows > most:
            of_unit = counts.filter(pc.equal(counts["unit_id"], unit_id))
            found += _cut(of_unit, replace(whole, units=[unit_id]), most)
            continue
        if held + rows > most:
            found.append(replace(whole, units=alone))
            alone, held = [], 0
        alone.append(unit_id)
        held += rows
    return [*found, replace(whole, units=alone)] if alone else found


def _cut(counts: pa.Table, region: Region, most: int) -> list[Region]:
    """A region of one unit, cut by time; what is of one time, by the names of MBeans."""
    by = "slot" if len(pc.unique(counts["slot"])) > 1 else "mbean"
    keys, rows = (
        column.to_pylist() for column in counts.group_by(by).aggregate([("rows", "sum")]).sort_by(by).columns
    )
    if sum(rows) <= most or len(keys) == 1:
        return [region]
    runs = _runs(rows, most)
    if by == "mbean":
        return [replace(region, mbeans=(keys[first], keys[last])) for first, last in runs]
    begins = [region.begin, *(keys[first] * SLOT_US for first, _ in runs[1:])]
    ends = [*(begin - 1 for begin in begins[1:]), region.end]
    found = []
    for (first, last), begin, end in zip(runs, begins, ends, strict=True):
        within = replace(region, begin=begin, end=end)
        if first == last:
            found += _cut(counts.filter(pc.equal(counts["slot"], keys[first])), within, most)
        else:
            found.append(within)
    return found


def _runs(rows: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Neighbours put together as long as they have no more than `most` rows: the first and the last of each run."""
    runs: list[tuple[int, int]] = []
    held = 0
    for number, count in enumerate(rows):
        if runs and held + count <= most:
            runs[-1] = (runs[-1][0], number)
            held += count
        else:
            runs.append((number, number))
            held = count
    return runs


def _summed(counts: Sequence[pa.Table]) -> pa.Table:
    summed = pa.concat_tables(counts).group_by(COUNTED).aggregate([("rows", "sum")])
    return summed.rename_columns([*COUNTED, "rows"])


def _no_counts() -> pa.Table:
    kinds: dict[str, Any] = {"unit_id": pa.string(), "slot": pa.int64(), "mbean": pa.string()}
    return pa.schema([*kinds.items(), ("rows", pa.int64())]).empty_table()
