"""Which process each client of the metrics is evidence for, and whose evidence a run changes."""

from collections.abc import Iterable
from dataclasses import asdict, fields

import pyarrow as pa
import pyarrow.compute as pc

from expectations.rows import staged_schema
from jobs.engine.row_source import of_table
from jobs.metrics.ingest_metrics import MetricsRead
from jobs.plans.known_sources import known_sources
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import batches_where, read_arrow
from transforms.arrow_rows import batch_of
from transforms.plans.commit import Commit
from transforms.plans.metric_sources import clients_in
from transforms.plans.read_rows import EVENTS
from transforms.plans.source_state import SourceState
from transforms.timers.samples.binding import NO_METRICS, Bindings, MetricClient, Named, bind

BROKER = "broker"
CLIENTS = "silver.metric_clients"
COLUMNS = tuple(field.name for field in fields(MetricClient))


def bindings(lake: LakeWriter, read: MetricsRead | None) -> Bindings:
    """Bind all metrics of the lake, and of the files just read, to what the lake's logs say now."""
    replaced = read.sources.replaced if read else frozenset()
    known = [
        source for key, source in known_sources(lake).items() if source.is_metrics and key not in replaced
    ]
    metrics, labelled = _metrics(known, read)
    if not metrics and lake.is_empty(CLIENTS):
        return NO_METRICS
    logs, log_units = _logs(lake, {one.service for one in metrics}, {one.unit_id for one in metrics})
    now = bind(metrics, logs, log_units, labelled)
    before = [MetricClient(**row) for row in read_arrow(lake.path(CLIENTS), COLUMNS).to_pylist()]
    return Bindings.of_change(before, now, read.units if read else ())


def write_bindings(lake: LakeWriter, found: Bindings, commit: Commit) -> bool:
    """Only after the processes were judged by them: what stands in the lake says what they were judged by."""
    if not found.stale:
        return False
    rows = [asdict(one) for one in found.clients if one.unit_id in found.stale]
    schema = staged_schema(CLIENTS)
    table = pa.Table.from_batches([batch_of(schema, rows)] if rows else [], schema)
    return lake.replace(of_table(table), CLIENTS, found.stale, commit)


def _metrics(known: Iterable[SourceState], read: MetricsRead | None) -> tuple[list[Named], frozenset[str]]:
    """The clients that metrics name; and which of their units no file is, so that labels made them."""
    clients = [named for source in known for named in clients_in(source)]
    files = {source.unit_id for source in known}
    if read:
        clients += read.sources.clients
        files |= read.sources.file_units
    found = {Named(service, unit, name) for unit, service, names in clients for name in names}
    return sorted(found, key=lambda one: (one.unit_id, one.client_id)), frozenset(
        one.unit_id for one in found
    ) - files


def _logs(
    lake: LakeWriter, services: Iterable[str], units: Iterable[str]
) -> tuple[list[Named], frozenset[str]]:
    """The clients that logs of these services name as their own; and which of these units are logs."""
    names = ["service", "unit_id", "client_id", "client_kind"]
    of_service = pc.field("service").isin(pa.array(sorted(services), pa.string()))
    wanted = of_service | pc.field("unit_id").isin(pa.array(sorted(units), pa.string()))
    found = pa.schema([staged_schema(EVENTS).field(name) for name in names]).empty_table()
    for batch in batches_where(lake.path(EVENTS), names, wanted):
        both = pa.concat_tables([found, pa.Table.from_batches([batch]).cast(found.schema)])
        found = both.group_by(names).aggregate([]).select(names)
    rows = found.to_pylist()
    own = [
        Named(row["service"], row["unit_id"], row["client_id"])
        for row in rows
        if row["client_kind"] != BROKER and row["service"] is not None and row["client_id"] is not None
    ]
    return own, frozenset(row["unit_id"] for row in rows)
