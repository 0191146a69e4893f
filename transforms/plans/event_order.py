"""The place of events in the one order of their source, and which of them are read again."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from transforms.arrow_rows import column, with_columns
from transforms.plans.plan import Plan
from transforms.plans.read_rows import CHUNK


def begins_of(plan: Plan) -> dict[str, int]:
    """The offset that each source is read from: what the lake has of it from there on is read again."""
    return {chunk.source_id: chunk.start for chunk in plan.chunks if chunk.number == 0} | plan.begins


def in_place(latest: Mapping[tuple[str, int], int]) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """Gives events that were read their place in the one order of their source, and takes the number of the chunk off.

    latest: the largest time before a chunk, ms, by source_id and number of the chunk.
    """

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        ordered = batch.column("ordered_at")
        if latest:
            chunks = zip(*(batch.column(name).to_pylist() for name in ("source_id", "chunk")), strict=True)
            before = column([latest.get(chunk) for chunk in chunks], ordered.type)
            # Arrow compares no times of a zone.
            largest = pc.max_element_wise(ordered.cast(pa.int64()), before.cast(pa.int64()))
            ordered = largest.cast(ordered.type)
        own = [name for name in batch.schema.names if name != CHUNK.name]
        return with_columns(batch.select(own), {"ordered_at": ordered})

    return change


def latest_before(plan: Plan, accounts: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], int]:
    """For each chunk that does not begin its source: the largest time before it."""
    latest = {
        # What came late has been put in order already (jobs.reading.read_plan).
        source_id: None if source_id in plan.reordered else source.resume_at
        for source_id, source in plan.sources.items()
    }
    before: dict[tuple[str, int], int] = {}
    for account in sorted(accounts, key=lambda account: (account["source_id"], account["number"])):
        source_id = account["source_id"]
        known = latest.get(source_id)
        if known is not None:
            before[source_id, account["number"]] = known
        times = [at for at in (known, account["latest"]) if at is not None]
        latest[source_id] = max(times, default=None)
    return before


def without_read_again(
    read_from: Mapping[str, int], superseded: Sequence[str]
) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """Takes away what is read again: a source from where it was read from, a superseded one as a whole."""
    begins = dict(read_from) | dict.fromkeys(superseded, 0)

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        begin = pa.array([begins.get(source) for source in batch.column("source_id").to_pylist()], pa.int64())
        is_read_again = pc.fill_null(pc.greater_equal(batch.column("offset"), begin), False)
        return batch.filter(pc.invert(is_read_again))

    return change


def late_among(events: pa.Table | pa.RecordBatch, bounds: Mapping[str, int], lateness_ms: int) -> pa.Array:
    """Which are older than their process's bound by more than that. bounds: by unit, ms; of others none is late."""
    times = pc.divide(events["happened_at"].cast(pa.int64()), 1000).to_pylist()
    units = events["unit_id"].to_pylist()
    return pa.array(
        [
            at is not None and unit in bounds and at < bounds[unit] - lateness_ms
            for at, unit in zip(times, units, strict=True)
        ],
        pa.bool_(),
    )


def new_among(events: pa.Table, stood: Iterable[str], begins: Mapping[str, int]) -> pa.Table:
    """Those that are not there, each once, and are not read again. stood: ids. begins: by source, where it is read from."""
    seen = set(stood)
    wanted = []
    columns = (events[name].to_pylist() for name in ("event_id", "source_id", "offset"))
    for event_id, source_id, offset in zip(*columns, strict=True):
        wanted.append(event_id not in seen and offset < begins.get(source_id, offset + 1))
        seen.add(event_id)
    return events.filter(pa.array(wanted, pa.bool_()))
