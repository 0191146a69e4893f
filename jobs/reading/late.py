"""Events that come later than a stream waits for them: they stand aside, redacted as they are, until the next `run`.

A stream need not go back further than stream.allowed_lateness_hours of a process's log. What is older is in bronze at once,
and in `_kipwatch/late` of the lake until a run, which has no such bound, folds it in.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from expectations.place import LakePlace, place_of
from jobs.engine.arrow_files import batches_of
from jobs.engine.staging import Staged, instead
from jobs.plans.known_sources import known_sources
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from transforms.plans.event_order import begins_of, in_place, late_among, latest_before, new_among
from transforms.plans.plan import Plan
from transforms.plans.read_rows import CHUNK, CONTROL, EVENTS
from transforms.timers.clients.control import control_of

FOLDER = "late"
# Of no chunk: their place in the order is known.
PLACED = -1
# What tells a late event.
SEEN = ("unit_id", "happened_at")


def waiting(lake: LakeWriter) -> list[str]:
    """Files of events that stand aside, oldest first."""
    return lake.files.names(FOLDER)


def set_aside(
    lake: LakeWriter, plan: Plan, staged: Staged, accounts: Sequence[Mapping[str, Any]], lateness_ms: int
) -> tuple[Staged, int]:
    """The staged rows without late events, which are put aside under the plan's number; and how many these are.

    Late is what is older than its process's newest line that is settled, by more than lateness_ms; but not what the lake had
    in time, and is read again, as a source's last record is.
    """
    bounds: dict[str, int] = {}
    for source in known_sources(lake, plan.accounting).values():
        if source.resume_at is not None and not source.is_metrics:
            bounds[source.unit_id] = max(source.resume_at, bounds.get(source.unit_id, source.resume_at))
    files = [path for path, _ in staged.files.get(EVENTS, ())]
    if not any(
        late_among(seen, bounds, lateness_ms).true_count for path in files for seen in batches_of(path, SEEN)
    ):
        return staged, 0
    events = staged.of(EVENTS).table()
    is_late = late_among(events, bounds, lateness_ms)
    sources = pc.unique(events.filter(is_late)["source_id"]).to_pylist()
    of_sources = [("source_id", "in", sources)]
    stood = read_arrow(lake.path(EVENTS), ["event_id"], of_sources, plan.versions[EVENTS])["event_id"]
    is_late = pc.and_(is_late, pc.invert(pc.is_in(events["event_id"], stood.combine_chunks())))
    if not pc.any(is_late).as_py():
        return staged, 0
    placed = in_place(latest_before(plan, accounts))
    late = pa.Table.from_batches([placed(batch) for batch in events.filter(is_late).to_batches()])
    content = pa.BufferOutputStream()
    pq.write_table(late, content)
    lake.files.write(f"{FOLDER}/{plan.commit.number:012d}.parquet", content.getvalue().to_pybytes())
    return _instead(
        staged, events.filter(pc.invert(is_late)), place_of(files[0].rpartition("/")[0])
    ), late.num_rows


def fold_in(lake: LakeWriter, plan: Plan, staged: Staged, folder: LakePlace) -> Staged:
    """The staged rows with the events that stood aside, and their processes among those that the plan touches.

    What the lake had when the plan was made, or the plan reads again, is left out.
    """
    contents = [content for name in plan.late if (content := lake.files.read(name)) is not None]
    if not contents:
        return staged
    late = pa.concat_tables([pq.read_table(pa.BufferReader(content)) for content in contents])
    sources = pc.unique(late["source_id"]).to_pylist()
    of_sources = [("source_id", "in", sources)]
    stood = read_arrow(lake.path(EVENTS), ["event_id"], of_sources, plan.versions[EVENTS])["event_id"]
    begins = begins_of(plan) | dict.fromkeys(plan.superseded, 0)
    late = new_among(late, stood.to_pylist(), begins)
    units = pc.unique(late["unit_id"]).to_pylist()
    plan.superseded_units = sorted({*plan.superseded_units, *units})
    chunk = pa.array([PLACED] * late.num_rows, CHUNK.type)
    late = late.append_column(CHUNK, chunk).cast(staged.schemas[EVENTS])
    return _instead(staged, pa.concat_tables([staged.of(EVENTS).table(), late]), folder)


def forget(lake: LakeWriter, plan: Plan) -> None:
    """What was folded in stands aside no more."""
    for name in plan.late:
        lake.files.delete(name)


def _instead(staged: Staged, events: pa.Table, folder: LakePlace) -> Staged:
    """What was put aside, with other events, and the control events among them."""
    return instead(staged, {EVENTS: events, CONTROL: control_of(events)}, folder)
