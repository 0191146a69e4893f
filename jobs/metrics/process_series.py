"""Series of a process's samples, read from silver.metric_samples by the task that folds the process."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from expectations.rows import staged_schema
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import batches_where
from transforms.arrow_rows import instant_of
from transforms.diagnose.now import metric_warnings, standstill
from transforms.timers.samples.binding import MetricClient, processes
from transforms.timers.samples.gathered import gathered
from transforms.timers.samples.series import EVIDENCE, Series, attributes, evidence
from transforms.timers.samples.series_rows import (
    HEAD,
    ORDER,
    SAMPLES,
    SERIES,
    bound_samples,
    chunks_in,
    series_rows,
)

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
    read = (bound_samples(batch, of, named) for batch in batches_where(path, columns, wanted))
    schema = pa.schema([*(staged_schema(SAMPLES).field(name) for name in columns), ("process", pa.string())])
    return series_rows(pa.Table.from_batches((batch.cast(schema) for batch in read), schema))


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
