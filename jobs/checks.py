"""Runs the contracts' suites over what was written since they ran last, into gold.table_checks."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import reduce
from operator import and_

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from numpy.typing import NDArray

from expectations import TABLES
from expectations.contract import TableContract
from expectations.plainly import plain
from expectations.suites import (
    ROWS_AT_ONCE,
    CheckResult,
    check_table,
    checked_columns,
    only_to_be_there,
    together,
)
from jobs.engine.memory import give_back
from jobs.runs import CHECKS, RUNS
from jobs.storage.control_files import Document
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import few_batches, files_of
from jobs.storage.table_cache import open_table
from transforms.arrow_rows import texts_once
from transforms.plans.accounting import ACCOUNTING

# What tells of runs and checks is written after them.
UNCHECKED = frozenset({CHECKS, RUNS})
ANY = pc.scalar(True)

Numbers = NDArray[np.int64]
NO_NUMBERS: Numbers = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Noted:
    """The files that were checked, by table."""

    files: Mapping[str, Sequence[str]]


NOTED = Document(
    "checked.json",
    Noted,
    "the next run checks every table",
    version=2,
    upgrades={1: lambda files: {"files": files}},
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found, and the files of each table that stood then."""

    results: list[CheckResult] = field(default_factory=list)
    files: dict[str, list[str]] = field(default_factory=dict)


def check_tables(lake: LakeWriter, run_id: str, done: Checked | None = None) -> int:
    """Check what was written since the last time into any table, and all of bronze.accounting; gives how many checks failed.

    done: what was found already; of its tables nothing is read again.
    """
    done = done or Checked()
    found = results_of(lake, TABLES.keys() - done.files.keys())
    results = [*done.results, *found.results]
    rows = [asdict(result) | {"run_id": run_id} for result in results]
    lake.add(TABLES[CHECKS].arrow_table(rows), CHECKS)
    NOTED.save(lake.files, Noted({**_noted(lake), **done.files, **found.files}))
    return sum(not result.success for result in results)


def results_of(lake: LakeWriter, tables: Collection[str]) -> Checked:
    """What the contracts' suites find in the files of these tables that were not checked yet; of bronze.accounting in all.

    A key is looked for among all rows. Rows are read by Arrow, as many at once as one process may hold.
    """
    known, checked = _noted(lake), Checked()
    for name in sorted(table for table in tables if table not in UNCHECKED and lake.exists(table)):
        path, contract = lake.path(name), TABLES[name]
        counts = _files(path)
        before = set() if name == ACCOUNTING else counts.keys() & set(known.get(name, ()))
        parts = list(_parts({one: rows for one, rows in counts.items() if one not in before}))
        has_others = before or len(parts) > 1
        repeated = _repeated(path, contract.key, counts.keys() - before, before) if has_others else NO_NUMBERS
        found = []
        for part in parts:
            found.append(check_table(contract, _rows(path, contract, part, counts, repeated)))
            give_back(sum(counts[file] for file in part))
        checked.results.extend(together(found))
        checked.files[name] = sorted(counts)
    return checked


def all_is_checked(lake: LakeWriter) -> None:
    """Take what stands for checked: files that were, put together."""
    known = _noted(lake)
    NOTED.save(lake.files, Noted({name: sorted(_files(lake.path(name))) for name in known}))


def _parts(counts: Mapping[str, int]) -> Iterator[list[str]]:
    """Files of at most ROWS_AT_ONCE rows together, or one."""
    part: list[str] = []
    size = 0
    for name, rows in sorted(counts.items()):
        if part and size + rows > ROWS_AT_ONCE:
            yield part
            part, size = [], 0
        part.append(name)
        size += rows
    if part:
        yield part


def _repeated(path: str, key: Sequence[str], new: Collection[str], before: Collection[str]) -> Numbers:
    """Numbers of the keys of rows in new files that another row of the table has; seldom one of another key.

    Of what stood before only rows within the range of the new keys are read, so that whole files are passed over.
    """
    found: list[Numbers] = [NO_NUMBERS]
    ends: dict[str, list[pa.Scalar]] = {name: [] for name in key}
    for batch in few_batches(files_of(path, new), key, ANY):
        found.append(_numbers(batch))
        for name in key:
            ends[name].extend(pc.min_max(batch[name]).values())
    numbers = np.sort(np.concatenate(found))
    give_back(len(numbers))
    again = [numbers[1:][numbers[1:] == numbers[:-1]]]
    if before and len(numbers):
        within = reduce(and_, (_is_within(name, pa.array(ends[name])) for name in key))
        for batch in few_batches(files_of(path, before), key, within):
            others = _numbers(batch)
            at = np.searchsorted(numbers, others).clip(max=len(numbers) - 1)
            again.append(others[numbers[at] == others])
    return np.unique(np.concatenate(again))


def _numbers(keys: pa.RecordBatch | pa.Table) -> Numbers:
    """A number for each row's key, equal for equal keys while this process runs: eight bytes of the eighty of an id."""
    columns = (one.cast(pa.int64()) if pa.types.is_timestamp(one.type) else one for one in keys.columns)
    values = zip(*(column.to_pylist() for column in columns), strict=True)
    return np.fromiter(map(hash, values), np.int64, keys.num_rows)


def _rows(
    path: str, contract: TableContract, part: Collection[str], every: Collection[str], repeated: Numbers
) -> pa.Table:
    """The rows of some files, and those of all others that have a key of theirs: its number is repeated."""
    columns, key = checked_columns(contract), list(contract.key)
    bare = only_to_be_there(contract)
    rows = _read(files_of(path, part), columns, bare)
    if not len(repeated):
        return rows
    keys = pa.table({name: plain(rows[name]) for name in key})
    keys = keys.filter(pa.array(np.isin(_numbers(keys), repeated))).group_by(key).aggregate([])
    if not keys.num_rows:
        return rows
    may_have = reduce(and_, (_is_among(keys, name) for name in key))
    found = [rows]
    rest = files_of(path, [file for file in every if file not in part])
    for file in rest.get_fragments():
        likely = file.to_table(schema=rest.schema, columns=columns, filter=may_have)
        numbered = likely.select(key).append_column("number", pa.array(range(likely.num_rows), pa.int64()))
        same = likely.take(numbered.join(keys, key, join_type="left semi")["number"])
        found.append(_narrow(same, bare))
    return pa.concat_tables(found)


def _read(files: ds.Dataset, columns: Sequence[str], bare: Collection[str]) -> pa.Table:
    found = [_narrow(pa.Table.from_batches([batch]), bare) for batch in few_batches(files, columns, ANY)]
    return pa.concat_tables(found) if found else files.schema.empty_table().select(columns)


def _narrow(rows: pa.Table, bare: Collection[str]) -> pa.Table:
    """Of texts each stands once a batch, as most are in thousands of rows. bare: columns of which it is only told where they
    are null."""
    there, absent = pa.scalar(True), pa.scalar(None, pa.bool_())
    return pa.table({
        name: pc.if_else(pc.is_valid(rows[name]), there, absent) if name in bare else texts_once(rows[name])
        for name in rows.column_names
    })  # fmt: skip


def _is_among(keys: pa.Table, name: str) -> pc.Expression:
    """Whether the column has one of their values. Their range, too, is asked for: by it whole files are passed over."""
    among = pc.unique(keys[name])
    return _is_within(name, among) & pc.field(name).isin(among)


def _is_within(name: str, values: pa.Array) -> pc.Expression:
    ends = pc.min_max(values)
    return (pc.field(name) >= ends["min"]) & (pc.field(name) <= ends["max"])


def _files(path: str) -> dict[str, int]:
    """The table's files, each with how many rows it has."""
    added = open_table(path).table.get_add_actions(flatten=True)
    names, counts = (added.column(name).to_pylist() for name in ("path", "num_records"))
    return {name: count or 0 for name, count in zip(names, counts, strict=True)}


def _noted(lake: LakeWriter) -> Mapping[str, Sequence[str]]:
    known = NOTED.load(lake.files)
    return {} if known is None else known.files
