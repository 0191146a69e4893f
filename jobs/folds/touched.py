"""What stands of the groups that a plan touches, and of what another version of the code judged."""

import pyarrow as pa
import pyarrow.compute as pc

from jobs.engine.row_source import RowSource
from jobs.folds.orphans import group_scopes
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from transforms.touched import Touched, latest_folds, parts_in
from transforms.unit_states import GROUP, STATES


def parts_of(lake: LakeWriter, fresh: RowSource, touched: Touched) -> tuple[list[str], pa.Table]:
    """The groups that the touched units speak of, or spoke of, and all parts (PARTS) of these groups: theirs, and those of
    other units as they were kept. Where no state says what they spoke of, every group that stands.

    fresh: states that the folds of the touched units gave.
    """
    units = frozenset({*touched.units, *touched.whole})
    now = parts_in(fresh.batches(), units, is_of_units=True)
    groups = frozenset(now["key"].to_pylist())
    if touched.version == 0 or lake.is_empty(STATES):
        return sorted(groups.union(scope.removeprefix(GROUP) for scope in group_scopes(lake))), now
    names = ["scope_id", "unit_id", "plan"]
    standing = latest_folds(read_arrow(lake.path(STATES), names, None, touched.version))
    groups |= {
        scope_id.removeprefix(GROUP)
        for scope_id, unit_id in zip(*(standing[name].to_pylist() for name in names[:2]), strict=True)
        if unit_id in units and scope_id != unit_id
    }
    if not groups:
        return [], now
    of_groups = [("scope_id", "in", [f"{GROUP}{group}" for group in sorted(groups)])]
    kept = read_arrow(lake.path(STATES), [*names, "state"], of_groups, touched.version)
    kept = kept.join(standing, names, join_type="inner")
    return sorted(groups), pa.concat_tables([now, parts_in(kept.to_batches(), units, is_of_units=False)])


def units_of_other_code(lake: LakeWriter, code: str, version: int) -> frozenset[str]:
    """Units whose latest state another version of the code left."""
    if not version:
        return frozenset()
    states = read_arrow(lake.path(STATES), ["scope_id", "unit_id", "plan", "code"], None, version)
    now = latest_folds(states.filter(pc.equal(states["scope_id"], states["unit_id"])))
    return frozenset(now.filter(pc.not_equal(now["code"], code))["unit_id"].to_pylist())
