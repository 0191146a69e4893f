"""Gives each event the start of its process, its client's version, and what settings add to the lines of task timers; writes
silver.client_events and silver.client_settings.

All of it follows from a unit's control events (transforms.timers.clients.change_points), so only those are folded.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc

from expectations.rows import in_columns, staged_schema, staged_schemas
from jobs.engine.engine import Task
from jobs.engine.memory import give_back
from jobs.engine.row_source import Part, RowSource, of_table
from jobs.engine.sorted_rows import in_order_of
from jobs.engine.staging import Staged
from jobs.folds.fold_run import FoldRun
from transforms.arrow_rows import events_from
from transforms.fold_rows import TASK_ROWS
from transforms.folding import SettingsOf
from transforms.plans.packs import slots_of
from transforms.plans.read_rows import EVENTS
from transforms.tasks import Batches, BatchTask, Note, Put
from transforms.timers.clients.change_points import (
    ORDER,
    change_point_from,
    change_points,
    with_change_points,
)
from transforms.timers.clients.control_events import ControlEvents
from transforms.timers.clients.settings import ROW

SETTINGS = "silver.client_settings"
CHANGE_POINT = "change point"
# Units are put together for so many tasks at most.
MOST_PACKS = 64


def write_events(
    run: FoldRun, events: RowSource, control: RowSource, units: Sequence[str]
) -> tuple[dict[str, bool], pa.Table | None]:
    """Replace the touched units' events and settings; gives for each table whether it changed, and the events where they are
    so few that one process may hold them.

    control: of the events, those that a process's settings, starts and versions follow from.
    """
    lake, commit = run.lake, run.plan.commit
    staged = _fold_control(run, control, units)
    points = [change_point_from(text) for text in staged.notes.get(CHANGE_POINT, ())]
    marked = events.through(with_change_points(points), staged_schema(EVENTS))
    held = lake.held(marked)
    changed = {
        SETTINGS: lake.replace(staged.of(SETTINGS), SETTINGS, units, commit),
        EVENTS: lake.replace(marked if held is None else of_table(held), EVENTS, units, commit),
    }
    give_back(events.count)
    return changed, held


def _fold_control(run: FoldRun, control: RowSource, units: Sequence[str]) -> Staged:
    """What control events tell. Tasks read them part by part into a file for each pack of units, and others fold these."""
    engine, staging = run.lake.engine, run.staging / "control"
    wanted = min(MOST_PACKS, max(engine.slots, -(-control.count // TASK_ROWS)))
    pack_of = slots_of([(unit_id, 1) for unit_id in units], wanted)
    parts = [part for part in control.parts if part.count]
    schemas = {str(pack): control.schema for pack in set(pack_of.values())}
    apart = engine.run(
        [(str(number), part.count) for number, part in enumerate(parts)],
        _parting(parts, pack_of),
        schemas,
        staging,
        TASK_ROWS,
    )
    fold = _settings_fold(run.settings_of)

    def task(packs: Iterator[str]) -> Put:
        for pack in packs:
            yield from fold(in_order_of(apart.of(pack), ORDER))

    items = [(pack, apart.count(pack)) for pack in schemas]
    return engine.run(items, task, staged_schemas((SETTINGS,)), staging, TASK_ROWS)


def _parting(parts: Sequence[Part], pack_of: Mapping[str, int]) -> Task:
    """Task: numbers of parts in; their rows out, under the number of their unit's pack."""

    def task(numbers: Iterator[str]) -> Put:
        for number in numbers:
            for batch in parts[int(number)].batches():
                packs = pa.array(
                    [pack_of[unit_id] for unit_id in batch.column("unit_id").to_pylist()], pa.int64()
                )
                for pack in pc.unique(packs).to_pylist():
                    yield str(pack), batch.filter(pc.equal(packs, pack))

    return task


def _settings_fold(settings_of: SettingsOf) -> BatchTask:
    def fold(batches: Batches) -> Put:
        events = (event for batch in batches for event in events_from(batch))
        for unit_id, of_unit in groupby(events, key=lambda event: event.unit_id):
            control = ControlEvents(of_unit)
            settings = settings_of(unit_id, control)
            yield from ((SETTINGS, batch) for batch in in_columns(SETTINGS, ROW, settings.bare_rows()))
            for point in change_points(control, settings):
                yield Note(CHANGE_POINT, point.dump())

    return fold
