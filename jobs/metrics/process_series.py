"""Series of a process's samples, read from silver.metric_samples by the task that folds the process."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from jobs.metrics.series import (
    DAY_MS,
    MBEAN_TYPE,
    ORDER,
    SAMPLES,
    SERIES,
    chunks_in,
)
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import batches_where
from jobs.storage.rows import instant_of, staged_schema
from transforms.diagnose import metric_warnings, standstill
from transforms.timers.samples.binding import MetricClient, processes
from transforms.timers.samples.gathered import gathered
from transforms.timers.samples.series import EVIDENCE, Series, attributes, evidence

HEAD = ("mbean", "attribute", "client_id", "clock")
SEPARATOR = "\x1f"
# As long before a process's last line samples are looked at for early warnings.
BEFORE_MS = 6 * 3_600_000
# MBean type -> attributes that warnings are told from.
WARNED_BY = {
    kind: standstill.LOOKED_AT.get(kind, frozenset()) | metric_warnings.LOOKED_AT.get(kind, frozenset())
    for kind in standstill.LOOKED_AT | metric_warnings.LOOKED_AT
}


def series_of(path: str, bound: Sequence[MetricClient], domain: str = "") -> pa.StructArray:
    """Rows of SERIES of all that is bound. path: of the table. domain: of MBeans whose names begin so."""
    if not bound:
        return pa.array([], SERIES)
    of_domain = pc.starts_with(pc.field("mbean"), domain)
    return _read(path, bound, EVIDENCE, pq.filters_to_expression(_wanted(bound)) & of_domain)


def series_of_late(
    lake: LakeWriter, bound: Sequence[MetricClient], clocks: Mapping[str, int]
) -> dict[str, list[Series]]:
    """What early warnings are told from (WARNED_BY), by process. clocks: the last instant each wrote, ms; a few
    hours before are looked at."""
    parts = []
    for process, clock in clocks.items():
        units = sorted({one.unit_id for one in bound if one.process_unit_id == process})
        since = instant_of(clock - BEFORE_MS)
        parts += [pc.field("unit_id").isin(units) & (pc.field("sampled_at") >= since)] if units else []
    if not parts:
        return {}
    names = sorted(frozenset[str]().union(*WARNED_BY.values()))
    rows = _read(lake.path(SAMPLES), bound, WARNED_BY, reduce(or_, parts) & pc.field("attribute").isin(names))
    found: dict[str, list[Series]] = {}
    for one in gathered(chunks_in(rows)):
        found.setdefault(one.unit_id, []).append(one)
    return found


def _read(
    path: str,
    bound: Sequence[MetricClient],
    names: Mapping[str, frozenset[str]],
    wanted: pc.Expression,
) -> pa.StructArray:
    columns = ["unit_id", *HEAD, "sampled_at", "value", "text_value", *ORDER]
    of, named = processes(bound), pa.array(evidence(names), pa.string())
    read = (_narrowed(batch, of, named) for batch in batches_where(path, columns, wanted))
    schema = pa.schema([*(staged_schema(SAMPLES).field(name) for name in columns), ("process", pa.string())])
    return _series_of(pa.Table.from_batches((batch.cast(schema) for batch in read), schema))


def count_samples(path: str, bound: Sequence[MetricClient]) -> Counter[str]:
    """How many samples that machines read are bound to each process, or somewhat more. path: of the table."""
    found: Counter[str] = Counter()
    if not bound:
        return found
    of, names = processes(bound), ["unit_id", "client_id"]
    for batch in batches_where(path, names, pq.filters_to_expression(_wanted(bound))):
        counted = pa.Table.from_batches([batch]).group_by(names).aggregate([([], "count_all")])
        for row in counted.to_pylist():
            if process := of.get((row["unit_id"], row["client_id"])):
                found[process] += row["count_all"]
    return found


def _wanted(bound: Sequence[MetricClient]) -> list[tuple[str, str, list[str]]]:
    return [("unit_id", "in", sorted({one.unit_id for one in bound})), ("attribute", "in", attributes())]


def _narrowed(
    samples: pa.RecordBatch, of: Mapping[tuple[str, str], str], named: pa.StringArray
) -> pa.RecordBatch:
    """Those that are asked for, with the process that they are bound to. named: `type/attribute`."""
    kinds = pc.struct_field(pc.extract_regex(samples["mbean"], MBEAN_TYPE), "type")
    names = pc.binary_join_element_wise(kinds, samples["attribute"], "/")
    samples = samples.append_column("process", _process(samples, of))
    return samples.filter(pc.and_(pc.is_in(names, named), pc.is_valid(samples["process"])))


def _series_of(samples: pa.Table) -> pa.StructArray:
    """Rows of SERIES."""
    samples = samples.combine_chunks()
    if not samples.num_rows:
        return pa.array([], SERIES)
    points = _once(_points(samples))
    # A row a day: as much as a second's scrapes of a day are held as one.
    days = pc.divide(points["at"], DAY_MS)
    begins = pc.indices_nonzero(pc.or_(_changes(points["series"]), _changes(days))).cast(pa.int32())
    offsets = pa.concat_arrays([begins, pa.array([points.num_rows], pa.int32())])
    heads = samples.select(["process", *HEAD]).take(points["row"].take(begins))
    lists = (
        pa.ListArray.from_arrays(offsets, points[name].combine_chunks()) for name in ("at", "value", "text")
    )
    return pa.StructArray.from_arrays(
        [*(heads[name].combine_chunks() for name in heads.column_names), *lists], fields=list(SERIES)
    )


def of_groups(series: pa.StructArray, members: pa.Table) -> tuple[pa.Array, pa.StructArray]:
    """The group of each row, and the rows: a process's series for each group it speaks of. members: key, unit_id."""
    groups: dict[str, list[str]] = {}
    for group_id, unit_id in zip(members["key"].to_pylist(), members["unit_id"].to_pylist(), strict=True):
        groups.setdefault(unit_id, []).append(group_id)
    units = enumerate(series.field("unit_id").to_pylist())
    found = [(group, row) for row, unit_id in units for group in groups.get(unit_id, ())]
    rows = pa.array([row for _, row in found], pa.int64())
    return pa.array([group for group, _ in found], pa.string()), series.take(rows)


def _process(samples: pa.RecordBatch, of: Mapping[tuple[str, str], str]) -> pa.Array:
    named = pc.binary_join_element_wise(samples["unit_id"], samples["client_id"], SEPARATOR)
    encoded = named.dictionary_encode()
    known = {SEPARATOR.join(pair): process for pair, process in of.items()}
    return pa.array([known.get(name) for name in encoded.dictionary.to_pylist()], pa.string()).take(
        encoded.indices
    )


def _points(samples: pa.Table) -> pa.Table:
    """What is sorted: the series by number, its time, its rank among equals, and its row."""
    names = [samples[name] for name in ("process", "mbean", "attribute", "clock")]
    series = pc.binary_join_element_wise(*names, SEPARATOR).combine_chunks().dictionary_encode().indices
    columns = {
        "series": series,
        "at": samples["sampled_at"].cast(pa.timestamp("ms", "UTC")).cast(pa.int64()),
        **{name: samples[name] for name in ORDER},
        "value": samples["value"],
        "text": samples["text_value"],
        "row": pa.array(range(samples.num_rows), pa.int64()),
    }
    points = pa.table(columns)
    return points.sort_by([(name, "ascending") for name in ("series", "at", *ORDER)]).combine_chunks()


def _once(points: pa.Table) -> pa.Table:
    """Of one time the first."""
    return points.filter(pc.or_(_changes(points["series"]), _changes(points["at"]))).combine_chunks()


def _changes(values: pa.ChunkedArray) -> pa.Array:
    """Where a value is another than the one before; at the first, too."""
    steps = pc.pairwise_diff(values.combine_chunks())
    return pc.fill_null(pc.not_equal(steps, 0), fill_value=True)
