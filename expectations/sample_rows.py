"""Samples that stand, and that come: of each attribute at each time the first by source stays."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import reduce
from operator import or_

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from expectations import TABLES
from expectations.rows import staged_schema
from expectations.sql.conditions import one_of, quoted
from transforms.plans.sample_regions import EPOCH, Region
from transforms.timers.samples.series_rows import ORDER, SAMPLES

KEY = TABLES[SAMPLES].key
# What two rows of one place must agree in to be the same sample.
PLACE = [*KEY, *ORDER, "content"]


def first_of_each(rows: pa.Table, key: Sequence[str]) -> pa.Table:
    """One row of each key: the first by ORDER."""
    if rows.group_by(list(key)).aggregate([]).num_rows == rows.num_rows:
        return rows
    ordered = rows.sort_by([(name, "ascending") for name in ORDER])
    numbered = ordered.select(list(key)).append_column("number", row_numbers(rows))
    firsts = numbered.group_by(list(key)).aggregate([("number", "min")]).column("number_min")
    return ordered.take(firsts.combine_chunks().sort())


def placed(rows: pa.Table) -> pa.Table:
    """PLACE, and the number of each row."""
    content = pc.coalesce(pc.cast(rows["value"], pa.string()), rows["text_value"], pa.scalar(""))
    schema = pa.schema([staged_schema(SAMPLES).field(name) for name in (*KEY, *ORDER)])
    rows = rows.select(schema.names).cast(schema).append_column("content", content)
    return rows.append_column("row", row_numbers(rows))


def row_numbers(rows: pa.Table) -> pa.Array:
    """The number of each row."""
    return pa.array(np.arange(rows.num_rows))


def absent(rows: pa.Table, others: pa.Table) -> pa.Table:
    """Those whose place the others don't have, in their order."""
    return rows.join(others.select(PLACE), PLACE, join_type="left anti").sort_by("row")


def gives_way(stale: Mapping[str, int]) -> pc.Expression:
    """Which rows do; of one source at least."""
    whole = [source_id for source_id, begin in stale.items() if not begin]
    parts = [
        (pc.field("source_id") == source_id) & (pc.field("offset") >= begin)
        for source_id, begin in stale.items()
        if begin
    ]
    return reduce(or_, parts, pc.field("source_id").isin(pa.array(sorted(whole), pa.string())))


def extent(times: pa.Array | pa.ChunkedArray) -> tuple[int, int]:
    """The first and the last of some instants, microseconds UTC."""
    least_most = pc.min_max(times.cast(pa.int64())).as_py()
    return least_most["min"], least_most["max"]


def condition_of(region: Region) -> str:
    """The rows of a region, as a condition of SQL."""
    begin, end = (instant(at) for at in (region.begin, region.end))
    where = f"{one_of('unit_id', region.units)} AND sampled_at >= {begin} AND sampled_at <= {end}"
    if region.mbeans:
        where += f" AND mbean >= {quoted(region.mbeans[0])} AND mbean <= {quoted(region.mbeans[1])}"
    return f"({where})"


def instant(at: int) -> str:
    """An instant, microseconds UTC, as SQL."""
    return quoted((EPOCH + timedelta(microseconds=at)).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
