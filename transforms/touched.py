"""What a plan touches: units with where their folds begin, and the parts of their groups."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from transforms.fold_rows import PARTS, HeldEvents
from transforms.folding import Keeping
from transforms.plans.commit import NONE
from transforms.timers.samples.binding import Bindings
from transforms.unit_states import GROUP, Begin


@dataclass(frozen=True, slots=True)
class Touched:
    """What is to be folded.

    whole: units that are folded from the beginning, from the lake; of `units` it holds none. window: the events of `units`
    from their begins on; None where that is all events of the lake. follows, files, clocks: by
    unit, of the states they go on from: plan, file, largest happened_at. version: of the table of states when the plan was
    made; 0: none of them is trusted. added: units that lost no event, and whose earlier ones need not be looked at.
    """

    units: Sequence[str]
    keeping: Keeping
    whole: Sequence[str] = ()
    window: HeldEvents | None = None
    follows: Mapping[str, int] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    clocks: Mapping[str, int | None] = field(default_factory=dict)
    version: int | None = None
    added: frozenset[str] = frozenset()

    def added_events(self) -> pa.Table | None:
        """The events of the window of units that lost none, with some that they had."""
        added = self.added.intersection(self.units)
        if self.window is None or not added:
            return None
        events = self.window.events
        return events.filter(pc.is_in(events["unit_id"], pa.array(sorted(added), pa.string())))

    def begin(self, unit_id: str, clock: int | None) -> Begin:
        """Where a unit's fold begins. clock: the largest happened_at of its events in the window, ms."""
        known = [at for at in (clock, self.clocks.get(unit_id)) if at is not None]
        return Begin(max(known, default=None), self.follows.get(unit_id, NONE), self.files.get(unit_id))

    def with_metrics(self, evidence: Bindings) -> "Touched":
        """With the processes whose evidence changed. What has metrics is folded from the beginning: samples come late."""
        sampled = {one.process_unit_id for one in evidence.of(self.units) if one.process_unit_id}
        whole = sampled.union(evidence.touched, self.whole)
        units = [unit_id for unit_id in self.units if unit_id not in whole]
        return replace(self, units=units, whole=sorted(whole))

    def anew(self, units: Sequence[str]) -> "Touched":
        """Of these units all, from the beginning."""
        return replace(self, units=units, whole=(), window=None, follows={}, files={}, clocks={})


def latest_folds(states: pa.Table) -> pa.Table:
    """Those of each unit's latest fold: what an earlier one told of a group may be refuted."""
    plans = states.group_by("unit_id").aggregate([("plan", "max")]).rename_columns(["unit_id", "plan"])
    return states.join(plans, ["unit_id", "plan"], join_type="inner").select(states.schema.names)


def parts_in(states: Iterable[pa.RecordBatch], units: frozenset[str], *, is_of_units: bool) -> pa.Table:
    """Parts in groups (PARTS) among states: of these units, or of all others."""
    found = []
    for batch in states:
        is_part = pc.starts_with(batch.column("scope_id"), GROUP)
        is_theirs = pc.is_in(batch.column("unit_id"), pa.array(sorted(units), pa.string()))
        parts = batch.filter(pc.and_(is_part, is_theirs if is_of_units else pc.invert(is_theirs)))
        keys = pc.utf8_slice_codeunits(parts.column("scope_id"), len(GROUP))
        phases = pa.repeat(pa.scalar(1, pa.int32()), parts.num_rows)
        columns = [keys, phases, parts.column("unit_id"), parts.column("state")]
        found.append(
            pa.RecordBatch.from_arrays(
                [one.cast(of.type) for one, of in zip(columns, PARTS, strict=True)], schema=PARTS
            )
        )
    return pa.Table.from_batches(found, PARTS)
