"""What of a table's rows is another than what stands: so that only that is written. Pure, over Arrow tables."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from expectations.contract import TableContract
from expectations.rows import is_same
from expectations.sql.conditions import any_of, quoted
from transforms.plans.commit import NONE

PLAN = "plan"
# The plan of rows that are told anew each time: what is open.
OPEN = 2**63 - 1
# More rows than this are not compared one by one: what is replaced is written as a whole.
MOST_COMPARED = 100_000

PLACE = ["source_id", "offset"]

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


def grown_of(stood: pa.Table, new: pa.Table, contract: TableContract) -> Change:
    """As change_of, of what is read from sources: they are the scopes, each with the offset from which on rows are replaced.

    stood: of each source from where it was read on. As a rule its last record was read again and is the same: then what
    comes after it is added.
    """
    if not stood.num_rows:
        return Change(new, {})
    if stood.num_rows + new.num_rows > MOST_COMPARED:
        return Change(new, _least([stood, new]))
    before, after = _rows(stood, contract), _rows(new, contract)
    left, wanted = Counter(before), Counter(after)
    gone = left - wanted
    fresh = _taken(new, after, wanted - left)
    if not gone:
        return Change(fresh, {})
    # All that is written must lie where it replaces.
    begins = _least([_taken(stood, before, gone), fresh])
    staying = _taken(stood, before, left & wanted)
    places = zip(*(staying[name].to_pylist() for name in PLACE), strict=True)
    is_replaced = [offset >= begins.get(source_id, offset + 1) for source_id, offset in places]
    staying = staying.filter(pa.array(is_replaced, pa.bool_()))
    rows = pa.concat_tables([staying.select(new.schema.names).cast(new.schema), fresh])
    return Change(rows, begins)


def from_there(begins: Scopes) -> str:
    """Rows of sources from an offset on, as a condition of SQL."""
    return any_of(f'source_id = {quoted(one)} AND "offset" >= {at}' for one, at in begins.items())


def _least(parts: Iterable[pa.Table]) -> dict[str, int]:
    """The least offset by source."""
    places = pa.concat_tables([rows.select(PLACE) for rows in parts])
    found = places.group_by("source_id").aggregate([("offset", "min")])
    return dict(zip(found["source_id"].to_pylist(), found["offset_min"].to_pylist(), strict=True))


def replaced_by(stood: pa.Table, contract: TableContract, scopes: Scopes) -> pa.Table:
    """Of rows of these scopes those that do not stay."""
    if PLAN not in contract.column_names:
        return stood
    begins = pa.array([scopes[scope] for scope in stood[contract.replaced_by].to_pylist()], pa.int64())
    return stood.filter(pc.greater(_plans(stood), begins))


def where(name: str, scopes: Scopes) -> str:
    """A condition of SQL that holds for the rows of these scopes that do not stay. name: of the column with the scope."""
    by_plan: dict[int, list[str]] = defaultdict(list)
    for scope, plan in scopes.items():
        by_plan[plan].append(quoted(scope))
    parts = [
        f"{name} IN ({', '.join(of)})"
        if plan == NONE
        else f"{name} IN ({', '.join(of)}) AND ({PLAN} > {plan} OR {PLAN} IS NULL)"
        for plan, of in sorted(by_plan.items())
    ]
    return any_of(parts)


def _is_open(rows: pa.Table) -> pa.Array:
    """How many rows are open: what is told for good now differs from what was open, whatever else is equal."""
    return pa.array([pc.sum(pc.equal(_plans(rows), OPEN)).as_py() or 0 if PLAN in rows.column_names else 0])


def _plans(rows: pa.Table) -> pa.ChunkedArray:
    """An earlier release told some rows anew each time, and gave them no plan."""
    return pc.fill_null(rows[PLAN], OPEN)


def _rows(rows: pa.Table, contract: TableContract) -> list[tuple[Any, ...]]:
    columns = [map(_hashable, rows[name].to_pylist()) for name in contract.stable_columns]
    if PLAN in contract.column_names:
        columns.append(iter(pc.equal(_plans(rows), OPEN).to_pylist()))
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
