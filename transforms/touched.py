"""What a plan touches: units with where their folds begin, and the parts of their groups."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from transforms.fold_rows import PARTS, HeldEvents, rows_of_keys
from transforms.folding import OF_PACK, Keeping
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
    plans = states.group_by("unit_id").aggregate([("plan", "max")])
    latest = plans["plan_max"].take(pc.index_in(states["unit_id"], plans["unit_id"].combine_chunks()))
    return states.filter(pc.equal(states["plan"], latest))


def of_other_code(states: pa.Table, code: str) -> frozenset[str]:
    """Units whose latest fold another version of the code made."""
    now = latest_folds(states.filter(pc.equal(states["scope_id"], states["unit_id"])))
    return frozenset(now.filter(pc.not_equal(now["code"], code))["unit_id"].to_pylist())


def holding_any(states: pa.Table, groups: frozenset[str]) -> pa.Table:
    """Those that hold a part in any of these groups."""
    named = states["groups"].to_pylist()
    return states.filter(pa.array([not groups.isdisjoint(of_row or ()) for of_row in named], pa.bool_()))


def among(rows: pa.Table, wanted: pa.Table, names: Sequence[str]) -> pa.Table:
    """Those whose columns of these names are together those of a wanted one. (Arrow joins no rows that hold lists.)"""
    keys = set(zip(*(wanted[name].to_pylist() for name in names), strict=True))
    of_rows = zip(*(rows[name].to_pylist() for name in names), strict=True)
    return rows.filter(pa.array([key in keys for key in of_rows], pa.bool_()))


def parts_in(states: Iterable[pa.RecordBatch], units: frozenset[str], *, is_of_units: bool) -> pa.Table:
    """Parts in groups (PARTS) among states: of these units, or of all others."""
    found = []
    for batch in states:
        is_part = pc.starts_with(batch.column("scope_id"), GROUP)
        is_theirs = pc.is_in(batch.column("unit_id"), pa.array(sorted(units), pa.string()))
        rows = batch.filter(pc.and_(is_part, is_theirs if is_of_units else pc.invert(is_theirs)))
        unit_ids, packs, groups = (rows.column(name) for name in ("unit_id", "scope_id", "groups"))
        keys, of_row = pc.list_flatten(groups), pc.list_parent_indices(groups)
        found.append(_parts(_same("", len(unit_ids)), OF_PACK, unit_ids, packs, rows.column("state")))
        found.append(
            _parts(keys, 1, unit_ids.take(of_row), packs.take(of_row), pa.nulls(len(keys), pa.string()))
        )
    return pa.Table.from_batches(found, PARTS)


def of_packs(parts: pa.Table) -> tuple[pa.Table, pa.Table]:
    """What holds parts (PARTS), and where each part is."""
    is_pack = pc.equal(parts["phase"], OF_PACK)
    return parts.filter(is_pack), parts.filter(pc.invert(is_pack))


def sizes_of(parts: pa.Table) -> dict[str, int]:
    """How many bytes each group's parts (PARTS) are, about, and how many."""
    packs, named = of_packs(parts)
    places = _places(named)
    of_pack = Counter(places)
    bytes_of = pc.fill_null(pc.binary_length(packs["state"]), 0)
    lengths = dict(zip(_places(packs), bytes_of.to_pylist(), strict=True))
    sizes: Counter[str] = Counter()
    for group, place in zip(named["key"].to_pylist(), places, strict=True):
        sizes[group] += 1 + lengths.get(place, 0) // of_pack[place]
    return sizes


def parts_of_groups(parts: pa.Table, groups: Sequence[str]) -> pa.Table:
    """Those of some groups (PARTS), with all that holds any of them."""
    packs, named = of_packs(parts)
    of_groups = rows_of_keys(named, "key", groups)
    wanted = set(_places(of_groups))
    holding = packs.filter(pa.array([place in wanted for place in _places(packs)], pa.bool_()))
    return pa.concat_tables([holding, of_groups])


def _places(parts: pa.Table) -> list[tuple[str, str]]:
    """Whose, and in which row."""
    return list(zip(parts["unit_id"].to_pylist(), parts["pack"].to_pylist(), strict=True))


def groups_in(states: pa.Table) -> set[str]:
    """The groups that rows of states name. A release before parts were kept together has a row a group."""
    found = set(pc.list_flatten(states["groups"]).to_pylist())
    older = states.filter(pc.and_(pc.is_null(states["groups"]), pc.starts_with(states["scope_id"], GROUP)))
    return found.union(scope_id.removeprefix(GROUP) for scope_id in older["scope_id"].to_pylist())


def _parts(keys: pa.Array, phase: int, *columns: pa.Array) -> pa.RecordBatch:
    arrays = [keys, pa.repeat(pa.scalar(phase, pa.int32()), len(keys)), *columns]
    return pa.RecordBatch.from_arrays(
        [one.cast(of.type) for one, of in zip(arrays, PARTS, strict=True)], schema=PARTS
    )


def _same(value: str, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, pa.string()), count)
