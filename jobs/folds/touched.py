"""What stands of the groups that a plan touches, and of what another version of the code judged."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from jobs.engine.row_source import RowSource
from jobs.folds.orphans import group_scopes
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from jobs.storage.table_cache import open_table
from transforms.touched import (
    Touched,
    among,
    groups_in,
    holding_any,
    latest_folds,
    of_other_code,
    of_packs,
    parts_in,
)
from transforms.unit_states import GROUP, STATES


def parts_of(lake: LakeWriter, fresh: RowSource, touched: Touched) -> tuple[list[str], pa.Table]:
    """The groups that the touched units speak of, or spoke of, and all parts (PARTS) of these groups: theirs, and those of
    other units as they were kept. Where no state says what they spoke of, every group that stands.

    fresh: states that the folds of the touched units gave.
    """
    units = frozenset({*touched.units, *touched.whole})
    now = parts_in(fresh.batches(), units, is_of_units=True)
    groups = frozenset(of_packs(now)[1]["key"].to_pylist())
    if touched.version == 0 or lake.is_empty(STATES):
        return sorted(groups.union(scope.removeprefix(GROUP) for scope in group_scopes(lake))), now
    names = ["scope_id", "unit_id", "plan"]
    standing = latest_folds(_standing(lake, names, touched.version))
    is_theirs = pc.is_in(standing["unit_id"], pa.array(sorted(units), pa.string()))
    groups |= groups_in(standing.filter(is_theirs))
    if not groups:
        return [], now
    holding = holding_any(standing.filter(pc.invert(is_theirs)), groups)
    if not len(holding):
        return sorted(groups), now
    of_units = [("unit_id", "in", pc.unique(holding["unit_id"]).to_pylist())]
    kept = read_arrow(lake.path(STATES), [*names, "groups", "state"], of_units, touched.version)
    parts = parts_in(among(kept, holding, names).to_batches(), units, is_of_units=False)
    packs, named = of_packs(parts)
    named = named.filter(pc.is_in(named["key"], pa.array(sorted(groups), pa.string())))
    return sorted(groups), pa.concat_tables([now, packs, named])


def _standing(lake: LakeWriter, names: Sequence[str], version: int | None) -> pa.Table:
    """These columns of all states, and the groups they name: none in a version of the table from before there were any."""
    path = lake.path(STATES)
    if "groups" in open_table(path, version).dataset.schema.names:
        return read_arrow(path, [*names, "groups"], None, version)
    rows = read_arrow(path, names, None, version)
    return rows.append_column("groups", pa.nulls(rows.num_rows, pa.list_(pa.string())))


def units_of_other_code(lake: LakeWriter, code: str, version: int) -> frozenset[str]:
    """Units whose latest state another version of the code left."""
    if not version:
        return frozenset()
    states = read_arrow(lake.path(STATES), ["scope_id", "unit_id", "plan", "code"], None, version)
    return of_other_code(states, code)
