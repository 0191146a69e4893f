"""Rebuilds touched units and groups from silver.client_events, and puts the rows in the place of what stood there."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from expectations import TABLES
from expectations.place import LakePlace
from expectations.replacing import OPEN, PLAN
from expectations.rows import staged_schema
from jobs.engine.arrow_files import batches_of
from jobs.engine.row_source import RowSource, of_table, together
from jobs.engine.staging import Staged
from jobs.folds.fold_input import FoldInput
from jobs.folds.fold_run import FoldRun
from jobs.folds.folding import group_fold, unit_fold
from jobs.folds.touched import parts_of
from jobs.storage.lake import LakeWriter
from transforms.events import ClientEvent
from transforms.faults import faults_in
from transforms.folding import ANEW, GROUP_TABLES, OF_UNITS, UNIT_TABLES, SettingsOf
from transforms.plans.commit import NONE, Commit
from transforms.tasks import IS_OPEN
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.samples.binding import Bindings
from transforms.touched import Touched
from transforms.unit_states import GROUP, STATES

VIOLATIONS = "gold.violations"
REFUTED = "evidence read later refutes it: rebuilt with all lines, the rule finds nothing here"
# Delta commits of different tables wait for the driver, not for cores.
COMMITS_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Folded:
    """What a fold gave, not yet in the lake: rows of `tables`.

    scopes: what they take the place of, and the plan up to which rows of a scope stay (NONE: none does). left: units and
    groups whose fold was not carried out to its end: what it gave until then is nothing.
    """

    staged: Staged
    tables: Sequence[str]
    scopes: Mapping[str, int]
    left: frozenset[str] = frozenset()


def settings_maker(
    defaults: Mapping[str, Any], declared: Mapping[str, Sequence[Mapping[str, str]]]
) -> SettingsOf:
    """What a task needs to know of settings: defaults by version, and what conf declares by unit."""

    def settings_of(unit_id: str, control: Iterable[ClientEvent]) -> UnitSettings:
        return UnitSettings.from_ordered(control, declared.get(unit_id, ()), defaults)

    return settings_of


def rebuild(run: FoldRun, touched: Touched, now: int, evidence: Bindings) -> dict[str, bool]:
    """Fold the touched units and put the groups they speak of together; gives for each table whether it changed.

    Both are put at once, as both are judged into the same tables: a table takes one write of a plan. States go last.
    evidence: whose samples are whose.
    """
    folds = Folds(run, evidence)
    units = folds.units(touched)
    groups, unreadable = folds.groups(units, touched, "groups")
    if unreadable:  # parts of processes that were not touched
        touched = replace(touched, whole=sorted({*touched.whole, *unreadable}))
        units = [*units, *folds.anew(unreadable, touched)]
        groups, _ = folds.groups(units, touched, "groups-anew")
    parts = [*units, *groups]
    changed = _put(run.lake, parts, run.plan.commit, now)
    _keep_states(run.lake, [part.staged for part in units], touched, run.plan.commit)
    return changed


@dataclass(frozen=True, slots=True)
class Folds:
    """Units, and then the groups that they speak of, folded into staged rows."""

    run: FoldRun
    evidence: Bindings

    def units(self, touched: Touched) -> list[Folded]:
        """Fold the touched units from where their states left off; and those that can't go on from there, anew."""
        folded, anew = self._units(touched, self.run.staging / "units") if touched.units else (None, [])
        whole = [*touched.whole, *anew]
        parts = [] if folded is None else [folded]
        return [*parts, *self._anew(touched.anew(whole), "anew")] if whole else parts

    def _anew(self, touched: Touched, name: str) -> list[Folded]:
        """Fold from the beginning. Where later lines put in doubt what was told of clients that are followed no longer, all
        clients are followed. name: of the folder it is put aside in."""
        folded, in_doubt = self._units(touched, self.run.staging / name)
        if not in_doubt:
            return [folded]
        keeping = replace(touched.keeping, most_clients=None)
        again = replace(touched.anew(in_doubt), keeping=keeping)
        return [folded, self._units(again, self.run.staging / f"{name}-as-one")[0]]

    def _units(self, touched: Touched, staging: LakePlace) -> tuple[Folded, list[str]]:
        given = FoldInput(self.run.lake, self.evidence, touched.window)
        counted = given.units(touched.units)
        begins = {unit.unit_id: touched.begin(unit.unit_id, unit.clock) for unit in counted}
        fold = unit_fold(self.run.settings_of, begins, touched.keeping)
        staged = given.fold_units(counted, fold, OF_UNITS, staging)
        sized = {unit.unit_id for unit in counted}
        # What went after a state may be gone, and nothing be in its place.
        anew = [*staged.notes.get(ANEW, ()), *(unit for unit in touched.follows if unit not in sized)]
        faults = faults_in(staged.notes)
        self.run.faults.update(faults)
        left = frozenset({*anew, *faults})
        scopes = {unit: touched.follows.get(unit, NONE) for unit in touched.units if unit not in left}
        return Folded(staged, UNIT_TABLES, scopes, left), anew

    def anew(self, units: Sequence[str], touched: Touched) -> list[Folded]:
        """Fold these units from the beginning."""
        return self._anew(touched.anew(units), "unreadable")

    def groups(
        self, units: Sequence[Folded], touched: Touched, name: str
    ) -> tuple[list[Folded], Sequence[str]]:
        """Put together the groups that the touched units speak of, or spoke of; nothing where they speak of none.

        Gives also the units of which a part can't be read. name: of the folder it is put aside in.
        """
        groups, parts = parts_of(self.run.lake, together([part.staged.of(STATES) for part in units]), touched)
        if not groups:
            return [], ()
        given = FoldInput(self.run.lake, self.evidence)
        staged = given.fold_groups(parts, group_fold(), GROUP_TABLES, self.run.staging / name)
        unreadable = sorted(set(staged.notes.get(ANEW, ())))
        faults = faults_in(staged.notes)
        self.run.faults.update(faults)
        scopes = {scope: NONE for group in groups if (scope := f"{GROUP}{group}") not in faults}
        return [Folded(staged, GROUP_TABLES, scopes)], unreadable


def _keep_states(lake: LakeWriter, parts: Sequence[Staged], touched: Touched, commit: Commit) -> None:
    """A process of which no event is left has no state: what it had would be gone on from."""
    files = (path for part in parts for path, _ in part.files.get(STATES, ()))
    units = (batch.column("unit_id") for path in files for batch in batches_of(path, ["unit_id"]))
    folded = {unit_id for column in units for unit_id in pc.unique(column).to_pylist()}
    if gone := {*touched.units, *touched.whole} - folded:
        lake.delete(STATES, "unit_id", sorted(gone))
    lake.append(together([part.of(STATES) for part in parts]), STATES, commit, plan=commit.number)


def _put(lake: LakeWriter, parts: Sequence[Folded], commit: Commit, now: int) -> dict[str, bool]:
    def put(table: str) -> tuple[str, bool]:
        of_table = [part for part in parts if table in part.tables]
        scopes = {scope: plan for part in of_table for scope, plan in part.scopes.items()}
        if not scopes:  # each of them ended its fold
            return table, False
        rows = together(rows for part in of_table for rows in _rows_of(part, table, commit))
        if table != VIOLATIONS:
            return table, lake.replace(rows, table, scopes, commit)
        _withdraw(lake, rows, scopes, commit, now)
        return table, lake.replace(rows, table, scopes, commit, detected_at=now, run_id=commit.run_id)

    return dict(_at_once(put, list(dict.fromkeys(table for part in parts for table in part.tables))))


def _rows_of(part: Folded, table: str, commit: Commit) -> Iterator[RowSource]:
    """Rows told for good, and those that are open; where the table tells them apart, with their plan."""
    staged = part.staged
    for name, plan in ((table, commit.number), (f"{table}{IS_OPEN}", OPEN)):
        if name in staged.schemas:
            rows = _without(staged.of(name), part.left)
            yield _with_plan(rows, plan) if PLAN in TABLES[table].column_names else rows


def _without(rows: RowSource, units: frozenset[str]) -> RowSource:
    if not units:
        return rows
    gone = pa.array(sorted(units), pa.string())
    return rows.through(
        lambda batch: batch.filter(pc.invert(pc.is_in(batch.column("unit_id"), gone))), rows.schema
    )


def _with_plan(rows: RowSource, plan: int) -> RowSource:
    schema = rows.schema.append(pa.field("plan", pa.int64()))

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        plans = pa.repeat(pa.scalar(plan, pa.int64()), batch.num_rows)
        return pa.RecordBatch.from_arrays([*batch.columns, plans], schema=schema)

    return rows.through(change, schema)


def _at_once(put: Callable[[str], tuple[str, bool]], tables: Sequence[str]) -> list[tuple[str, bool]]:
    with ThreadPoolExecutor(COMMITS_AT_ONCE) as pool:
        return list(pool.map(put, tables))


def _withdraw(lake: LakeWriter, rows: RowSource, scopes: Mapping[str, int], commit: Commit, now: int) -> None:
    """Record the violations of these scopes that the evidence now read refutes. Violations are few: they fit in memory."""
    before = lake.standing(VIOLATIONS, scopes)
    if not before.num_rows:
        return
    found = {one for batch in rows.batches() for one in batch.column("violation_id").to_pylist()}
    gone = before.filter(
        pa.array([one not in found for one in before["violation_id"].to_pylist()], pa.bool_())
    ).select(staged_schema(VIOLATIONS).names)
    lake.append(
        of_table(gone), "gold.withdrawals", commit, reason=REFUTED, withdrawn_at=now, run_id=commit.run_id
    )
