"""How silver.metric_samples grows: samples are added where that is enough, and written anew only between the times where
what was read changes what stands. Either way the table holds, of each attribute at each time, the first by source.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import WriterProperties

from expectations import TABLES
from expectations.place import LakePlace
from expectations.rows import staged_schema
from expectations.sql.conditions import any_of
from jobs.engine.row_source import RowSource, of_batches, together
from jobs.metrics.sample_parts import Part, aside, condition_of, in_parts, instant
from jobs.storage.control_files import Document
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import batches_where, count_where, read_arrow
from jobs.storage.table_cache import open_table
from transforms.plans.commit import Commit
from transforms.plans.sample_regions import EPOCH, Region, counted, regions_of
from transforms.timers.samples.series_rows import ORDER, SAMPLES

KEY = TABLES[SAMPLES].key
# What two rows of one place must agree in to be the same sample.
PLACE = [*KEY, *ORDER, "content"]
DAY_US = 86_400_000_000
# Rows of a file lie together by process: who asks for one reads little else.
ROW_GROUP = 1 << 17
FILE_BYTES = 8 << 20
HOW: dict[str, Any] = {
    "target_file_size": FILE_BYTES,
    "writer_properties": WriterProperties(compression="ZSTD", max_row_group_size=ROW_GROUP),
}


@dataclass(frozen=True, slots=True)
class KeptFrom:
    """From when on samples are kept, in microseconds UTC."""

    begin: int


KEPT_FROM = Document(
    "samples-from.json",
    KeptFrom,
    "older samples come back where their files are read anew",
    version=2,
    upgrades={1: lambda begin: {"begin": begin}},
)


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a part. added, gone: rows that come and rows that go, all of them in the region."""

    region: Region
    added: RowSource
    gone: RowSource

    @property
    def is_any(self) -> bool:
        """Whether there is one at all."""
        return bool(self.added.count or self.gone.count)


def write_samples(
    lake: LakeWriter,
    new: RowSource,
    units: Sequence[str],
    stale: Mapping[str, int],
    commit: Commit,
    folder: LakePlace,
) -> Region | None:
    """Bring in samples of these units; gives where rows changed. stale: by source_id, the offset from which on its
    rows in the lake give way.

    At most lake.most_rows are held at once. folder: for what is put aside meanwhile.
    """
    new = _not_dropped(lake, new)
    whole = _region(lake, new, units, stale)
    if whole is None:
        return None
    stood = 0 if lake.is_empty(SAMPLES) else count_where(lake.path(SAMPLES), whole.filters)
    regions = [whole]
    if stood + new.count > lake.most_rows:
        before = _places(lake, whole) if stood else ()
        # Half of it: rows that are compared are held twice.
        regions = regions_of(counted(chain(new.batches(), before)), whole, lake.most_rows // 2)
    parts = in_parts(new, regions, folder)
    if not stood:
        is_changed = lake.stream(_each_once(parts), SAMPLES, commit, **HOW)
    else:
        is_changed = _by_difference(lake, parts, stale, commit, folder)
    return whole if is_changed else None


def there(lake: LakeWriter, region: Region) -> pa.Table:
    """How many samples stand in a region (transforms.plans.sample_regions.counted)."""
    return counted(_places(lake, region))


def oldest_kept(lake: LakeWriter, days: int, now: int) -> int | None:
    """The instant that samples are kept from, `days` before the newest of them; None where there are none. In microseconds.

    By the newest, as a lake of old recordings is not emptied; but no clock that was set wrong puts it beyond now.
    """
    files = open_table(lake.path(SAMPLES)).table.get_add_actions(flatten=True)
    if not files.num_rows:
        return None
    newest: datetime = max(files.column("max.sampled_at").to_pylist())
    return min((newest - EPOCH) // timedelta(microseconds=1), now) - days * DAY_US


def drop_before(lake: LakeWriter, at: int) -> int:
    """Drop the samples that are older than an instant (microseconds UTC); gives how many there were.

    Noted in the lake, as a file that grows is read again from its beginning.
    """
    gone = count_where(lake.path(SAMPLES), [("sampled_at", "<", EPOCH + timedelta(microseconds=at))])
    if gone:
        lake.delete_where(SAMPLES, f"sampled_at < {instant(at)}")
    KEPT_FROM.save(lake.files, KeptFrom(at))
    return gone


def _not_dropped(lake: LakeWriter, new: RowSource) -> RowSource:
    noted = KEPT_FROM.load(lake.files)
    if noted is None:
        return new
    begin = pa.scalar(noted.begin, pa.int64())

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        return batch.filter(pc.greater_equal(batch.column("sampled_at").cast(pa.int64()), begin))

    return new.through(change, new.schema)


def first_of_each(rows: pa.Table, key: Sequence[str]) -> pa.Table:
    """One row of each key: the first by ORDER."""
    if rows.group_by(list(key)).aggregate([]).num_rows == rows.num_rows:
        return rows
    ordered = rows.sort_by([(name, "ascending") for name in ORDER])
    numbered = ordered.select(list(key)).append_column("number", _numbers(rows))
    firsts = numbered.group_by(list(key)).aggregate([("number", "min")]).column("number_min")
    return ordered.take(firsts.combine_chunks().sort())


def _each_once(parts: Sequence[Part]) -> RowSource:
    def batches() -> Iterator[pa.RecordBatch]:
        for part in parts:
            yield from first_of_each(part.new.table(), KEY).to_batches()

    return of_batches(staged_schema(SAMPLES), sum(part.new.count for part in parts), batches)


def _by_difference(
    lake: LakeWriter, parts: Sequence[Part], stale: Mapping[str, int], commit: Commit, folder: LakePlace
) -> bool:
    changes = [change for part in parts if (change := _change(lake, part, stale, folder)).is_any]
    if not any(change.gone.count for change in changes):
        return bool(changes) and lake.stream(together(one.added for one in changes), SAMPLES, commit, **HOW)
    where = any_of(condition_of(change.region) for change in changes)
    return lake.stream(_in_their_place(lake, changes), SAMPLES, commit, where, **HOW)


def _change(lake: LakeWriter, part: Part, stale: Mapping[str, int], folder: LakePlace) -> Change:
    """The difference between what stands in a part's region and what is to stand there."""
    new = part.new.table()
    names = [*KEY, *ORDER, "value", "text_value"]
    stood = _placed(read_arrow(lake.path(SAMPLES), names, part.region.filters))
    stays = stood.filter(~_gives_way(stale)) if stale else stood
    winners = first_of_each(pa.concat_tables([_placed(new), stays]), KEY)
    added, gone = _absent(winners, stood), _absent(stood, winners)
    changed = pa.concat_tables([added, gone])
    region = part.region
    if changed.num_rows:
        begin, end = _extent(changed["sampled_at"])
        region = replace(region, units=pc.unique(changed["unit_id"]).to_pylist(), begin=begin, end=end)
    return Change(region, aside(new.take(added["row"]), folder), aside(gone, folder))


def _in_their_place(lake: LakeWriter, changes: Sequence[Change]) -> RowSource:
    """All rows that then stand in the regions of the changes."""
    schema = staged_schema(SAMPLES)
    there = open_table(lake.path(SAMPLES)).dataset  # now: deltalake opens no table while it writes one

    def batches() -> Iterator[pa.RecordBatch]:
        for change in changes:
            stood = there.to_table(schema.names, filter=change.region.expression).cast(schema)
            kept = stood.take(_absent(_placed(stood), change.gone.table())["row"])
            yield from kept.to_batches()
            yield from change.added.batches()

    return of_batches(schema, lake.count(SAMPLES), batches)


def _placed(rows: pa.Table) -> pa.Table:
    """PLACE, and the number of each row."""
    content = pc.coalesce(pc.cast(rows["value"], pa.string()), rows["text_value"], pa.scalar(""))
    schema = pa.schema([staged_schema(SAMPLES).field(name) for name in (*KEY, *ORDER)])
    rows = rows.select(schema.names).cast(schema).append_column("content", content)
    return rows.append_column("row", _numbers(rows))


def _numbers(rows: pa.Table) -> pa.Array:
    return pa.array(np.arange(rows.num_rows))


def _absent(rows: pa.Table, others: pa.Table) -> pa.Table:
    """Those whose place the others don't have, in their order."""
    return rows.join(others.select(PLACE), PLACE, join_type="left anti").sort_by("row")


def _region(
    lake: LakeWriter, new: RowSource, units: Sequence[str], stale: Mapping[str, int]
) -> Region | None:
    """Where rows may come or go; None where none do."""
    times = [_extent(batch.column("sampled_at")) for batch in new.batches() if batch.num_rows]
    if stale and not lake.is_empty(SAMPLES):
        stood = batches_where(lake.path(SAMPLES), ["sampled_at"], _gives_way(stale))
        times += [_extent(batch.column("sampled_at")) for batch in stood if batch.num_rows]
    if not times:
        return None
    return Region(units, min(begin for begin, _ in times), max(end for _, end in times))


def _gives_way(stale: Mapping[str, int]) -> pc.Expression:
    """Which rows do; of one source at least."""
    whole = [source_id for source_id, begin in stale.items() if not begin]
    parts = [
        (pc.field("source_id") == source_id) & (pc.field("offset") >= begin)
        for source_id, begin in stale.items()
        if begin
    ]
    return reduce(or_, parts, pc.field("source_id").isin(pa.array(sorted(whole), pa.string())))


def _extent(times: pa.Array | pa.ChunkedArray) -> tuple[int, int]:
    least_most = pc.min_max(times.cast(pa.int64())).as_py()
    return least_most["min"], least_most["max"]


def _places(lake: LakeWriter, region: Region) -> Iterator[pa.RecordBatch]:
    """Of what stands in a region as much as is needed to count it."""
    return batches_where(lake.path(SAMPLES), ["unit_id", "sampled_at", "mbean"], region.expression)
