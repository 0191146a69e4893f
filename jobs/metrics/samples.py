"""How silver.metric_samples grows: samples are added where that is enough, and written anew only between the times where
what was read changes what stands. Either way the table holds, of each attribute at each time, the first by source.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import WriterProperties

from expectations.place import LakePlace
from expectations.rows import staged_schema
from expectations.sample_rows import (
    KEY,
    absent,
    condition_of,
    extent,
    first_of_each,
    gives_way,
    instant,
    placed,
)
from expectations.sql.conditions import any_of
from jobs.engine.row_source import RowSource, of_batches, together
from jobs.metrics.sample_parts import Part, aside, in_parts
from jobs.storage.control_files import Document
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import batches_where, count_where, read_arrow
from jobs.storage.table_cache import open_table
from transforms.plans.commit import Commit
from transforms.plans.sample_regions import EPOCH, Region, counted, regions_of
from transforms.timers.samples.series_rows import ORDER, SAMPLES

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
    files = open_table(lake.path(SAMPLES)).files
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
    stood = placed(read_arrow(lake.path(SAMPLES), names, part.region.filters))
    stays = stood.filter(~gives_way(stale)) if stale else stood
    winners = first_of_each(pa.concat_tables([placed(new), stays]), KEY)
    added, gone = absent(winners, stood), absent(stood, winners)
    changed = pa.concat_tables([added, gone])
    region = part.region
    if changed.num_rows:
        begin, end = extent(changed["sampled_at"])
        region = replace(region, units=pc.unique(changed["unit_id"]).to_pylist(), begin=begin, end=end)
    return Change(region, aside(new.take(added["row"]), folder), aside(gone, folder))


def _in_their_place(lake: LakeWriter, changes: Sequence[Change]) -> RowSource:
    """All rows that then stand in the regions of the changes."""
    schema = staged_schema(SAMPLES)
    there = open_table(lake.path(SAMPLES)).dataset  # now: deltalake opens no table while it writes one

    def batches() -> Iterator[pa.RecordBatch]:
        for change in changes:
            stood = there.to_table(schema.names, filter=change.region.expression).cast(schema)
            kept = stood.take(absent(placed(stood), change.gone.table())["row"])
            yield from kept.to_batches()
            yield from change.added.batches()

    return of_batches(schema, lake.count(SAMPLES), batches)


def _region(
    lake: LakeWriter, new: RowSource, units: Sequence[str], stale: Mapping[str, int]
) -> Region | None:
    """Where rows may come or go; None where none do."""
    times = [extent(batch.column("sampled_at")) for batch in new.batches() if batch.num_rows]
    if stale and not lake.is_empty(SAMPLES):
        stood = batches_where(lake.path(SAMPLES), ["sampled_at"], gives_way(stale))
        times += [extent(batch.column("sampled_at")) for batch in stood if batch.num_rows]
    if not times:
        return None
    return Region(units, min(begin for begin, _ in times), max(end for _, end in times))


def _places(lake: LakeWriter, region: Region) -> Iterator[pa.RecordBatch]:
    """Of what stands in a region as much as is needed to count it."""
    return batches_where(lake.path(SAMPLES), ["unit_id", "sampled_at", "mbean"], region.expression)
