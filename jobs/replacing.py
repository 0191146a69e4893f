"""What of a table's rows is another than what stands: so that only that is written. Pure, over Arrow tables."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from expectations.contract import TableContract
from jobs.rows import is_same
from jobs.states import NONE, OPEN

PLAN = "plan"
# More rows than this are not compared one by one: what is replaced is written as a whole.
MOST_COMPARED = 100_000

Scopes = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Change:
    """Rows to write, in the place of what stands of `scopes`; without scopes they are added."""

    rows: pa.Table
    scopes: Scopes


def change_of(stood: pa.Table, new: pa.Table, contract: TableContract, scopes: Scopes) -> Change:
    """What has to be written so that `new` stands where `stood` does.

    stood: all that is to be replaced, all columns. A row that stays keeps its volatile columns: when it was found first.
    """
    nothing = new.slice(0, 0)
    if not stood.num_rows:
        return Change(new, {})
    if _is_open(stood).equals(_is_open(new)) and is_same(stood, new, contract):
        return Change(nothing, {})
    if stood.num_rows + new.num_rows > MOST_COMPARED:
        return Change(new, scopes)
    before, after = _rows(stood, contract), _rows(new, contract)
    left, wanted = Counter(before), Counter(after)
    gone, added = left - wanted, wanted - left
    fresh = _taken(new, after, added)
    if not gone:
        return Change(fresh, {})
    by = contract.replaced_by
    lost = _taken(stood, before, gone)
    touched = {*lost[by].to_pylist(), *fresh[by].to_pylist()}
    staying = _taken(stood, before, left & wanted)
    staying = staying.filter(pc.is_in(staying[by], pa.array(sorted(touched), pa.string())))
    rows = pa.concat_tables([staying.select(new.schema.names).cast(new.schema), fresh])
    return Change(rows, {scope: scopes[scope] for scope in sorted(touched)})


def replaced_by(stood: pa.Table, contract: TableContract, scopes: Scopes) -> pa.Table:
    """Of rows of these scopes those that do not stay."""
    if PLAN not in contract.column_names:
        return stood
    begins = pa.array([scopes[scope] for scope in stood[contract.replaced_by].to_pylist()], pa.int64())
    return stood.filter(pc.greater(stood[PLAN], begins))


def where(name: str, scopes: Scopes, quoted: Callable[[str], str]) -> str:
    """The same as a condition of SQL."""
    by_plan: dict[int, list[str]] = defaultdict(list)
    for scope, plan in scopes.items():
        by_plan[plan].append(quoted(scope))
    parts = [
        f"{name} IN ({', '.join(of)})"
        if plan == NONE
        else f"({name} IN ({', '.join(of)}) AND {PLAN} > {plan})"
        for plan, of in sorted(by_plan.items())
    ]
    return " OR ".join(parts)


def _is_open(rows: pa.Table) -> pa.Array:
    """How many rows are open: what is told for good now differs from what was open, whatever else is equal."""
    return pa.array([pc.sum(pc.equal(rows[PLAN], OPEN)).as_py() or 0 if PLAN in rows.column_names else 0])


def _rows(rows: pa.Table, contract: TableContract) -> list[tuple[Any, ...]]:
    columns = [map(_hashable, rows[name].to_pylist()) for name in contract.stable_columns]
    if PLAN in contract.column_names:
        columns.append(iter(pc.equal(rows[PLAN], OPEN).to_pylist()))
    return list(zip(*columns, strict=True))


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _taken(rows: pa.Table, values: list[tuple[Any, ...]], wanted: Mapping[tuple[Any, ...], int]) -> pa.Table:
    left = dict(wanted)
    found = []
    for number, value in enumerate(values):
        if left.get(value, 0) > 0:
            left[value] -= 1
            found.append(number)
    return rows.take(pa.array(found, pa.int64()))
