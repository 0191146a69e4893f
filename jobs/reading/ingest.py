"""From files to bronze and silver.client_events: probe, plan, read once, account."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conf.settings import Conf
from expectations import TABLES
from expectations.place import LakePlace
from expectations.rows import staged_schema
from jobs.engine.engine import Engine
from jobs.engine.row_source import RowSource, of_table, together
from jobs.engine.staging import Staged
from jobs.inputs.listing import LeftOut
from jobs.reading.tasks import (
    LEFT_OUT,
    NEWLINES,
    PROBE,
    REPLACED,
    WENT,
    counting,
    probing,
    read_schemas,
    reading,
)
from jobs.storage.lake import LakeWriter
from transforms.errors import BadInput
from transforms.faults import FAULTS, faults_in, told_of
from transforms.plans.accounting import ACCOUNTING, accounting_rows
from transforms.plans.chunks import Listed, Probe
from transforms.plans.commit import Commit
from transforms.plans.event_order import begins_of, in_place, latest_before, without_read_again
from transforms.plans.limited import UNREADABLE
from transforms.plans.plan import Plan, quarantine
from transforms.plans.read_rows import ACCOUNTS, CONTROL, EVENTS, RECORDS, UNPARSED
from transforms.plans.sizes import items_of
from transforms.timers.clients.control import control_of

# A task that opens files of less than this gains nothing over fewer tasks.
BYTES_PER_TASK = 32 << 20


def probe_sources(
    engine: Engine,
    files: Sequence[Listed],
    conf: Conf,
    ends: Mapping[str, int],
    folder: LakePlace,
    left_out: list[LeftOut],
) -> list[Probe]:
    """Heads of the files, read by tasks; empty files have none and are left out. ends: as in reading.probing.

    left_out: takes files that went, or can't be read, since they were listed.

    Raises: BadInput for a file that must not be read.
    """
    hints = {listed.path: conf.hint_for(listed.path) for listed in files if listed.size}
    task = probing(hints, conf.reader, ends)
    try:
        found = engine.run([(path, 1) for path in hints], task, {}, folder)
    except PermissionError as error:
        todo = "give permission to read it, or leave it out"
        raise BadInput(f"can't be read ({error.strerror})", where=str(error.filename), todo=todo) from None
    left_out += (LeftOut(*json.loads(text)) for text in found.notes.get(LEFT_OUT, ()))
    return [Probe(**json.loads(text)) for text in found.notes.get(PROBE, ())]


def count_lines(engine: Engine, plan: Plan, folder: LakePlace) -> None:
    """Number the first line of every chunk of a source that is cut: prefix sums of its newlines."""
    cut = {chunk.source_id for chunk in plan.chunks if chunk.number > 0}
    if not cut:
        return
    chunks = [chunk for chunk in plan.chunks if chunk.source_id in cut]
    sized = items_of(plan, [chunk for chunk in chunks if chunk.end])
    counted = engine.run(sized, counting, {}, folder, BYTES_PER_TASK).notes.get(NEWLINES, ())
    plan.number_lines(
        cut, {(source_id, number): found for source_id, number, found in map(json.loads, counted)}
    )


def read_chunks(engine: Engine, plan: Plan, conf: Conf, folder: LakePlace) -> Staged:
    """Read everything planned, once, into staged files (read_schemas) and accounts (notes)."""
    sizes = {source_id: source.file_size for source_id, source in plan.sources.items()}
    task = reading(conf.reader, sizes)
    staged = engine.run(items_of(plan, plan.chunks), task, read_schemas(), folder, BYTES_PER_TASK)
    if faults := faults_in(staged.notes):  # rows of theirs may be among those that were put aside
        quarantine(plan, faults)
        again = engine.run(
            items_of(plan, plan.chunks), task, read_schemas(), folder / "again", BYTES_PER_TASK
        )
        staged = replace(again, notes={**again.notes, FAULTS: staged.notes[FAULTS]})
    return _without_gone(plan, staged)


def _without_gone(plan: Plan, staged: Staged) -> Staged:
    """What was put aside, without sources whose files went before they were opened, or had others in their place."""
    went = [json.loads(text) for text in staged.notes.get(WENT, ())]
    if not went:
        return staged
    kept = plan.leave_out_gone(
        [(source_id, number, problem) for source_id, number, _, problem in went], accounts_of(staged)
    )
    return replace(staged, notes={**staged.notes, ACCOUNTS: [json.dumps(one) for one in kept]})


def went_of(staged: Staged) -> list[LeftOut]:
    """The files that went before they were read, or had others in their place."""
    why = {
        UNREADABLE: "went before it was read",
        REPLACED: "is another file than the one that was looked at; the next run reads it",
    }
    gone = {path: why[problem] for _, _, path, problem in map(json.loads, staged.notes.get(WENT, ()))}
    return [LeftOut(path, reason) for path, reason in sorted(gone.items())]


def faults_of(staged: Staged, plan: Plan) -> list[LeftOut]:
    """The sources that ended their reader, each with what it was."""
    return [
        LeftOut(*told)
        for told in told_of(faults_in(staged.notes), {one: plan.sources[one].source for one in plan.sources})
    ]


def accounts_of(staged: Staged) -> list[dict[str, Any]]:
    """The account of every chunk."""
    return [json.loads(text) for text in staged.notes.get(ACCOUNTS, ())]


def write_bronze(lake: LakeWriter, staged: Staged, plan: Plan, commit: Commit, now: int) -> dict[str, bool]:
    """Records and unparsed pieces. What a source was read from takes the place of what stood there: its last record may
    have grown, and what nobody understood at its end (half a line, damage) may be whole now. now: ms.

    Gives for each table whether anything was put there."""
    if gone := [one for one in plan.superseded if one not in plan.sources]:
        for table in (RECORDS, UNPARSED, ACCOUNTING):
            lake.delete(table, "source_id", gone)
    for table in (RECORDS, UNPARSED):
        lake.replace_from(staged.of(table), table, begins_of(plan), commit, ingested_at=now)
    return {table: staged.count(table) > 0 for table in (RECORDS, UNPARSED)}


def write_accounting(
    lake: LakeWriter, plan: Plan, accounts: Sequence[Mapping[str, Any]], run_id: str
) -> None:
    """The row of every source that was read, or that has another name now."""
    rows = of_table(TABLES[ACCOUNTING].arrow_table(accounting_rows(plan.sources, accounts, run_id)))
    lake.replace(rows, ACCOUNTING, sorted(plan.sources), plan.commit)


def all_events(
    lake: LakeWriter,
    staged: Staged,
    plan: Plan,
    accounts: Sequence[Mapping[str, Any]],
    units: Sequence[str],
) -> tuple[RowSource, RowSource]:
    """Every event of the touched units, what was there with what was read now in its place; and the few of them that
    settings, starts and versions follow from (CONTROL). Both in staged_schema(EVENTS)."""
    schema = staged_schema(EVENTS)
    placed = in_place(latest_before(plan, accounts))
    fresh, control = (staged.of(name).through(placed, schema) for name in (EVENTS, CONTROL))
    # As it was when the plan was made: one that is carried out again may have written them already.
    version = plan.versions[EVENTS]
    if not version:
        return fresh, control
    kept = lake.rows(EVENTS, "unit_id", units, version).through(
        without_read_again(begins_of(plan), plan.superseded), schema
    )
    return together([kept, fresh]), together([kept.through(control_of, schema), control])
