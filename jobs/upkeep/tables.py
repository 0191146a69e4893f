"""Upkeep of a lake: few files of each table, few states of each process, and nothing that no recent version needs.

Done between plans only: a plan that is carried out again reads tables as they were when it was made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deltalake import DeltaTable

from expectations import TABLES
from expectations.sql.conditions import any_of, quoted
from jobs.storage.control_files import Document
from jobs.storage.data_files import GROUPED
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from jobs.storage.table_cache import delta_table
from transforms.unit_states import STATES, unit_states, worth_keeping

# Files below each of these sizes (bytes) are put together once there are MANY: a row is written again about once a size.
SIZES = (1 << 20, 8 << 20, 64 << 20)
MANY = 16


@dataclass(frozen=True, slots=True)
class Noted:
    """How many plans there were at the last upkeep, and the version that each table had after it."""

    plans: int
    versions: Mapping[str, int]


NOTED = Document("upkeep.json", Noted, "the next upkeep looks at every table")


@dataclass(frozen=True, slots=True)
class Tidied:
    """What was done to a table: so many files put together into so many, so many deleted."""

    merged: int
    into: int
    deleted: int


def is_due(lake: LakeWriter, every: int) -> bool:
    """Whether so many plans were made since the last upkeep; or fewer than then, as control files were lost."""
    return not 0 <= lake.plans() - _noted(lake).plans < every


def keep_up(lake: LakeWriter, most_states: int, *, whole: bool = False) -> dict[str, Tidied]:
    """Do it for every table that has changed since the last time; gives what was done, by table.

    Files and versions stay for `lake.keep_minutes` after they were replaced, for who reads them still. Killed at any point,
    nothing is lost: each step is one commit of Delta, or deletes what no kept version names. whole: all tables, and all
    files that are small.
    """
    lake.clear_staging()
    noted = {} if whole else _noted(lake).versions
    if lake.exists(STATES) and lake.version(STATES) != noted.get(STATES):
        _drop_states(lake, most_states)
    done, versions = {}, {}
    for name in filter(lake.exists, TABLES):
        if lake.version(name) != noted.get(name):
            done[name] = _tidy(lake.path(name), SIZES[-1:] if whole else SIZES, 1 if whole else MANY)
        versions[name] = lake.version(name)
    NOTED.save(lake.files, Noted(lake.plans(), versions))
    return done


def _tidy(path: str, sizes: Sequence[int], many: int) -> Tidied:
    table = delta_table(path)
    merged = into = 0
    for size in sizes:
        if sum(one < size for one in _sizes(table)) > many:
            done = table.optimize.compact(target_size=size, writer_properties=GROUPED)
            merged, into = merged + done["numFilesRemoved"], into + done["numFilesAdded"]
    # `full`: also what a killed writer left, which no version knows.
    gone = table.vacuum(dry_run=False, enforce_retention_duration=False, full=True)
    table.create_checkpoint()
    table.cleanup_metadata()
    return Tidied(merged, into, len(gone))


def _sizes(table: DeltaTable) -> list[int]:
    return [int(size) for size in table.get_add_actions(flatten=True).column("size_bytes").to_pylist()]


def _drop_states(lake: LakeWriter, most: int) -> None:
    """Drop the states that no fold will go on from, with their parts in groups."""
    rows = read_arrow(lake.path(STATES), ["scope_id", "unit_id", "plan", "follows", "ordered_at"])
    states = unit_states(rows).items()
    gone = [where for unit_id, of_unit in states if (where := _superfluous(unit_id, of_unit, most))]
    if gone:
        lake.delete_where(STATES, any_of(gone))


def _superfluous(unit_id: str, states: Sequence[Mapping[str, Any]], most: int) -> str:
    """Where the rows of a unit are that nothing needs; empty where all are needed."""
    kept = [row["plan"] for row in worth_keeping(states, most)]
    if len(states) == len(kept):
        return ""
    return f"(unit_id = {quoted(unit_id)} AND plan NOT IN ({', '.join(map(str, kept))}))"


def _noted(lake: LakeWriter) -> Noted:
    return NOTED.load(lake.files) or Noted(0, {})
