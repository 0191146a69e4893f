"""Runs the contracts' suites over what was written since they ran last, into gold.table_checks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import reduce
from operator import and_

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from expectations import TABLES
from expectations.contract import TableContract
from expectations.plainly import plain
from expectations.repeated_keys import NO_NUMBERS, Numbers, is_among, is_within, narrow, numbers_of, parts_of
from expectations.suites import CheckResult, check_table, checked_columns, only_to_be_there, together
from jobs.engine.memory import give_back
from jobs.runs import CHECKS, RUNS
from jobs.storage.control_files import Document
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import few_batches, files_of
from jobs.storage.table_cache import open_table
from transforms.plans.accounting import ACCOUNTING

# What tells of runs and checks is written after them.
UNCHECKED = frozenset({CHECKS, RUNS})
ANY = pc.scalar(True)


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
        parts = list(parts_of({one: rows for one, rows in counts.items() if one not in before}))
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


def _repeated(path: str, key: Sequence[str], new: Collection[str], before: Collection[str]) -> Numbers:
    """Numbers of the keys of rows in new files that another row of the table has; seldom one of another key.

    Of what stood before only rows within the range of the new keys are read, so that whole files are passed over.
    """
    found: list[Numbers] = [NO_NUMBERS]
    ends: dict[str, list[pa.Scalar]] = {name: [] for name in key}
    for batch in few_batches(files_of(path, new), key, ANY):
        found.append(numbers_of(batch))
        for name in key:
            ends[name].extend(pc.min_max(batch[name]).values())
    numbers = np.sort(np.concatenate(found))
    give_back(len(numbers))
    again = [numbers[1:][numbers[1:] == numbers[:-1]]]
    if before and len(numbers):
        within = reduce(and_, (is_within(name, pa.array(ends[name])) for name in key))
        for batch in few_batches(files_of(path, before), key, within):
            others = numbers_of(batch)
            at = np.searchsorted(numbers, others).clip(max=len(numbers) - 1)
            again.append(others[numbers[at] == others])
    return np.unique(np.concatenate(again))


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
    keys = keys.filter(pa.array(np.isin(numbers_of(keys), repeated))).group_by(key).aggregate([])
    if not keys.num_rows:
        return rows
    may_have = reduce(and_, (is_among(keys, name) for name in key))
    found = [rows]
    rest = files_of(path, [file for file in every if file not in part])
    for file in rest.get_fragments():
        likely = file.to_table(schema=rest.schema, columns=columns, filter=may_have)
        numbered = likely.select(key).append_column("number", pa.array(range(likely.num_rows), pa.int64()))
        same = likely.take(numbered.join(keys, key, join_type="left semi")["number"])
        found.append(narrow(same, bare))
    return pa.concat_tables(found)


def _read(files: ds.Dataset, columns: Sequence[str], bare: Collection[str]) -> pa.Table:
    found = [narrow(pa.Table.from_batches([batch]), bare) for batch in few_batches(files, columns, ANY)]
    return pa.concat_tables(found) if found else files.schema.empty_table().select(columns)


def _files(path: str) -> dict[str, int]:
    """The table's files, each with how many rows it has."""
    added = open_table(path).files
    names, counts = (added.column(name).to_pylist() for name in ("path", "num_records"))
    return {name: count or 0 for name, count in zip(names, counts, strict=True)}


def _noted(lake: LakeWriter) -> Mapping[str, Sequence[str]]:
    known = NOTED.load(lake.files)
    return {} if known is None else known.files
