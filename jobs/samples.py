"""How silver.metric_samples grows: samples are added where that is enough, and written anew only between the times where
what was read changes what stands. Either way the table holds, of each attribute at each time, the first by source.
"""

import json
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from expectations import TABLES
from jobs.incoming import Rows, of_table, together
from jobs.lake import Commit, Lake, count_where, read_arrow
from jobs.rows import quoted, staged_schema
from jobs.series import ORDER, SAMPLES

KEY = TABLES[SAMPLES].key
# What two rows of one place must agree in to be the same sample.
PLACE = [*KEY, *ORDER, "told"]
# When the oldest sample is that was kept, among the control files.
KEPT_FROM = "samples-from.json"
DAY_US = 86_400_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Region:
    """Some units between two instants, both included; microseconds UTC."""

    units: Sequence[str]
    begin: int
    end: int

    @property
    def filters(self) -> list[tuple[str, str, object]]:
        """For Arrow."""
        begin, end = (EPOCH + timedelta(microseconds=at) for at in (self.begin, self.end))
        return [("unit_id", "in", list(self.units)), ("sampled_at", ">=", begin), ("sampled_at", "<=", end)]

    @property
    def where(self) -> str:
        """For SQL, Spark's and DataFusion's."""
        begin, end = (_instant(at) for at in (self.begin, self.end))
        units = ", ".join(map(quoted, self.units))
        return f"unit_id IN ({units}) AND sampled_at >= {begin} AND sampled_at <= {end}"


def write_samples(lake: Lake, new: Rows, units: Sequence[str], stale: Set[str], commit: Commit) -> bool:
    """Bring in samples of these units; gives whether a row changed. stale: sources whose rows in the lake give way."""
    new = _not_dropped(lake, new)
    region = _region(lake, new, units, stale)
    if region is None:
        return False
    stood = 0 if lake.is_empty(SAMPLES) else count_where(lake.path(SAMPLES), region.filters)
    if not stood:
        return lake.append(first_of_each(new, KEY), SAMPLES, commit)
    if lake.is_small(stood + new.count):
        return _by_difference(lake, new, region, stale, commit)
    others = _rows_in(lake, region).through(without(stale), new.schema)
    return lake.replace_where(first_of_each(together([others, new]), KEY), SAMPLES, region.where, commit)


def oldest_kept(lake: Lake, days: int, now: int) -> int | None:
    """The instant that samples are kept from, `days` before the newest of them; None where there are none. In microseconds.

    By the newest, as a lake of old recordings is not emptied; but no clock that was set wrong puts it beyond now.
    """
    files = DeltaTable(lake.path(SAMPLES)).get_add_actions(flatten=True)
    if not files.num_rows:
        return None
    newest: datetime = max(files.column("max.sampled_at").to_pylist())
    return min((newest - EPOCH) // timedelta(microseconds=1), now) - days * DAY_US


def drop_before(lake: Lake, at: int) -> int:
    """Drop the samples that are older than an instant (microseconds UTC); gives how many there were.

    Noted in the lake, as a file that grows is read again from its beginning.
    """
    gone = count_where(lake.path(SAMPLES), [("sampled_at", "<", EPOCH + timedelta(microseconds=at))])
    if gone:
        lake.delete_where(SAMPLES, f"sampled_at < {_instant(at)}")
    (lake.control / KEPT_FROM).write_text(json.dumps(at), encoding="utf-8")
    return gone


def _not_dropped(lake: Lake, new: Rows) -> Rows:
    noted = lake.control / KEPT_FROM
    if not noted.is_file():
        return new
    begin = pa.scalar(json.loads(noted.read_text(encoding="utf-8")), pa.int64())

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        return batch.filter(pc.greater_equal(batch.column("sampled_at").cast(pa.int64()), begin))

    return new.through(change, new.schema)


def first_of_each(rows: Rows, key: Sequence[str]) -> Rows:
    """One row of each key: the first by ORDER."""

    def batches() -> Iterator[pa.RecordBatch]:
        whole = pa.Table.from_batches(rows.batches(), schema=rows.schema)
        yield from _firsts(whole, key).to_batches()

    def frame(spark: SparkSession) -> DataFrame:
        # By unit first: its samples lie together in the files, as they are asked for.
        placed = rows.frame(spark).repartition(key[0])
        of_key = Window.partitionBy(*key).orderBy(*ORDER)
        numbered = placed.withColumn("number", F.row_number().over(of_key))
        return numbered.where("number = 1").drop("number")

    return Rows(rows.schema, rows.count, batches, frame)


def without(source_ids: Set[str]) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """Takes the rows of these sources away."""
    gone = pa.array(sorted(source_ids), pa.string())

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        return batch.filter(pc.invert(pc.is_in(batch.column("source_id"), gone)))

    return change


def _by_difference(lake: Lake, new: Rows, region: Region, stale: Set[str], commit: Commit) -> bool:
    """Few enough to be compared here."""
    read = pa.Table.from_batches(new.batches(), schema=new.schema)
    names = [*KEY, *ORDER, "value", "text_value"]
    stood = _placed(read_arrow(lake.path(SAMPLES), names, region.filters))
    is_stale = pc.is_in(stood["source_id"], pa.array(sorted(stale), pa.string()))
    winners = _firsts(pa.concat_tables([_placed(read), stood.filter(pc.invert(is_stale))]), KEY)
    added, gone = _absent(winners, stood), _absent(stood, winners)
    rows = read.take(added["row"])
    if not gone.num_rows:
        return lake.append(of_table(rows), SAMPLES, commit)
    changed = pa.concat_tables([added, gone])
    narrow = Region(pc.unique(changed["unit_id"]).to_pylist(), *_extent(changed["sampled_at"]))
    whole = pa.Table.from_batches(_rows_in(lake, narrow).batches(), schema=new.schema)
    kept = whole.take(_absent(_placed(whole), gone)["row"])
    return lake.replace_where(of_table(pa.concat_tables([kept, rows])), SAMPLES, narrow.where, commit)


def _placed(rows: pa.Table) -> pa.Table:
    """PLACE, and the number of each row."""
    told = pc.coalesce(pc.cast(rows["value"], pa.string()), rows["text_value"], pa.scalar(""))
    schema = pa.schema([staged_schema(SAMPLES).field(name) for name in (*KEY, *ORDER)])
    rows = rows.select(schema.names).cast(schema).append_column("told", told)
    return rows.append_column("row", pa.array(range(rows.num_rows), pa.int64()))


def _absent(rows: pa.Table, others: pa.Table) -> pa.Table:
    """Those whose place the others don't have, in their order."""
    return rows.join(others.select(PLACE), PLACE, join_type="left anti").sort_by("row")


def _firsts(rows: pa.Table, key: Sequence[str]) -> pa.Table:
    ordered = rows.sort_by([(name, "ascending") for name in ORDER])
    numbered = ordered.select(list(key)).append_column("number", pa.array(range(rows.num_rows), pa.int64()))
    firsts = numbered.group_by(list(key)).aggregate([("number", "min")]).column("number_min")
    return ordered.take(firsts.combine_chunks().sort())


def _region(lake: Lake, new: Rows, units: Sequence[str], stale: Set[str]) -> Region | None:
    """Where rows may come or go; None where none do."""
    times = [_extent(batch.column("sampled_at")) for batch in new.batches() if batch.num_rows]
    if stale and not lake.is_empty(SAMPLES):
        stood = read_arrow(lake.path(SAMPLES), ["sampled_at"], [("source_id", "in", sorted(stale))])
        times += [_extent(stood["sampled_at"])] if stood.num_rows else []
    if not times:
        return None
    return Region(units, min(begin for begin, _ in times), max(end for _, end in times))


def _extent(times: pa.Array | pa.ChunkedArray) -> tuple[int, int]:
    least_most = pc.min_max(times.cast(pa.int64())).as_py()
    return least_most["min"], least_most["max"]


def _rows_in(lake: Lake, region: Region) -> Rows:
    schema = staged_schema(SAMPLES)

    def batches() -> Iterator[pa.RecordBatch]:
        return iter(read_arrow(lake.path(SAMPLES), schema.names, region.filters).cast(schema).to_batches())

    def frame(spark: SparkSession) -> DataFrame:
        return lake.read(spark, SAMPLES).where(region.where).select(*schema.names)

    return Rows(schema, lake.count(SAMPLES), batches, frame)


def _instant(at: int) -> str:
    text = (EPOCH + timedelta(microseconds=at)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return quoted(text)
