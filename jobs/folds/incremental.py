"""Events that were read, brought into a lake that has some: what is new, from where on each process is folded again.

A process goes on from its latest state that lies before the first event that is new or another, and whose settings still
hold (a late dump or version line changes what is known of earlier events). Its events up to there are neither read nor
written. Where no state is left it begins anew. docs/decisions/0011-states.md
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import merge
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from expectations import TABLES
from expectations.replacing import change_of
from expectations.rows import conformed, in_batches, in_columns, staged_schema
from expectations.sql.conditions import any_of, quoted
from jobs.engine import arrow_files
from jobs.engine.row_source import RowSource, of_batches, of_table
from jobs.engine.staging import Staged
from jobs.folds.enrich import SETTINGS
from jobs.folds.fold_run import FoldRun
from jobs.storage.lake_reads import Filters, as_schema, batches_where, read_arrow
from transforms.arrow_rows import events_from, in_order, instant_of
from transforms.events import ClientEvent
from transforms.fold_rows import HeldEvents
from transforms.plans.commit import NONE
from transforms.plans.event_order import begins_of, in_place, latest_before
from transforms.plans.read_rows import EVENTS
from transforms.tasks import ROWS_AT_ONCE
from transforms.timers.clients.change_points import (
    ORDER,
    ChangePoint,
    change_points,
    places_of,
    with_change_points,
)
from transforms.timers.clients.control import NEEDS_LIMIT, is_control
from transforms.timers.clients.control_events import ControlEvents
from transforms.timers.clients.incarnations import Order
from transforms.timers.clients.settings import CONTROL_KINDS, CONTROL_MESSAGES, ROW, UnitSettings
from transforms.timers.state import ForeignStateError
from transforms.touched import Touched
from transforms.unit_states import STATES, control_in, for_tasks, going_on, last_holding, place_of

CONTRACT = TABLES[EVENTS]
SCHEMA = staged_schema(EVENTS)
STATE_COLUMNS = (
    "unit_id",
    "plan",
    "follows",
    "code",
    "settings",
    "ordered_at",
    "source_id",
    "position",
    "event_id",
    "clock",
)


@dataclass(slots=True)
class Unit:
    """One process: what is known of it, and where its fold begins (`state`, None for the beginning)."""

    unit_id: str
    control: ControlEvents
    settings: UnitSettings
    changed: list[Order]
    state: Mapping[str, Any] | None = None

    @property
    def place(self) -> Order | None:
        """Of the last event that is not folded again."""
        return None if self.state is None else place_of(self.state)


class IncrementalMerge:
    """What a plan's fresh events change in a lake of a size that fits in memory."""

    def __init__(self, run: FoldRun) -> None:
        self._lake, self._plan, self._keeping = run.lake, run.plan, run.keeping
        self._settings_of, self._staging = run.settings_of, run.staging / "states"
        self._events = run.lake.path(EVENTS)
        self._before = run.plan.versions[EVENTS]

    def apply(
        self, staged: Staged, accounts: Sequence[Mapping[str, Any]], units: Sequence[str]
    ) -> tuple[Touched, dict[str, bool]] | None:
        """Write what is new of the events and settings; None where that is more than one process should hold."""
        placed = staged.of(EVENTS).through(in_place(latest_before(self._plan, accounts)), SCHEMA)
        fresh, again = self._lake.held(placed), self._read_again()
        if fresh is None or again is None:
            return None
        states = self._unit_states(units)
        known = self._known(fresh, again, states, units)
        if known is None:
            return None
        touched = [unit for unit in known if unit.changed]
        if not touched:
            return Touched([], self._keeping, version=self._plan.versions[STATES]), {}
        for unit in touched:
            unit.state = last_holding(states.get(unit.unit_id, ()), unit.settings, min(unit.changed))
        files = self._states(touched)
        stood, control = self._stood(touched), self._lake.held(_rows_of(touched))
        if stood is None or control is None:
            return None
        ids = pa.array([unit.unit_id for unit in touched], pa.string())
        fresh, again = (rows.filter(pc.is_in(rows["unit_id"], ids)) for rows in (fresh, again))
        kept = stood.filter(pc.invert(pc.is_in(stood["event_id"], again["event_id"])))
        # What was read again and lies before the window stands as it is.
        now = _in_windows(
            pa.concat_tables([kept.select(SCHEMA.names).cast(SCHEMA), fresh]), touched, is_open=True
        )
        now = _with_settings(now, touched)
        changed = {SETTINGS: self._write_settings(touched)}
        changed[EVENTS], replaced = self._write(stood, now, touched)
        resumed = frozenset(unit.unit_id for unit in touched if unit.state is not None)
        window = HeldEvents(_in_windows(now, touched, is_open=False), control, resumed)
        return replace(self._touched(touched, window, files), added=resumed - replaced), changed

    def _read_again(self) -> pa.Table | None:
        """The rows that stand for what was read again; None where that is too much."""
        begins = begins_of(self._plan) | dict.fromkeys(self._plan.superseded, 0)
        if not begins:
            return SCHEMA.empty_table()
        filters: list[tuple[str, str, Any]] = [("source_id", "in", sorted(begins))]
        filters.append(("offset", ">=", min(begins.values())))
        sources = self._plan.sources.values()
        latest = [source.resume_at for source in sources if source.resume_at is not None]
        # Behind lines that came late events may be older than the source's settled end.
        is_known = 0 < len(latest) == len(sources)
        if is_known and not (self._plan.superseded or self._plan.reordered):
            # No event after that place is of an earlier time.
            filters.append(("ordered_at", ">=", instant_of(min(latest))))
        rows = self._held(SCHEMA, filters)
        if rows is None:
            return None
        begin = pa.array([begins[one] for one in rows["source_id"].to_pylist()], pa.int64())
        return rows.filter(pc.greater_equal(rows["offset"], begin))

    def _unit_states(self, units: Sequence[str]) -> dict[str, list[Mapping[str, Any]]]:
        """The states of each unit that no later rebuild has voided, the latest first; without what they hold."""
        own = [("unit_id", "in", list(units))]
        rows = read_arrow(
            self._lake.path(STATES), ["scope_id", *STATE_COLUMNS], own, self._plan.versions[STATES]
        )
        return going_on(rows, self._keeping.code)

    def _known(
        self,
        fresh: pa.Table,
        again: pa.Table,
        states: Mapping[str, Sequence[Mapping[str, Any]]],
        units: Sequence[str],
    ) -> list[Unit] | None:
        """Each unit with its settings as they are now, and the places where its events are others than those that stand."""
        gone = frozenset(again["event_id"].to_pylist())
        controls = self._control(states)
        if anew := [unit_id for unit_id in units if unit_id not in controls]:
            is_of = [("unit_id", "in", anew)]
            names = (("kind", "in", sorted(CONTROL_KINDS)), ("message_id", "in", sorted(CONTROL_MESSAGES)))
            stood = self._held(SCHEMA, [[*is_of, named] for named in names])
            if stood is None:
                return None
            controls |= _control_of(stood)
        fresh_control = _control_of(fresh)
        known = []
        for unit_id in units:
            stays = (event for event in controls.get(unit_id, ()) if event.event_id not in gone)
            control = ControlEvents(merge(stays, fresh_control.get(unit_id, ()), key=attrgetter("order")))
            known.append(Unit(unit_id, control, self._settings_of(unit_id, control), []))
        self._compare(_with_settings(fresh, known), again, known)
        return known

    def _control(self, states: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, ControlEvents]:
        """The control events that each unit's latest state holds; of a unit whose state can't be read none."""
        plans = {unit_id: of_unit[0]["plan"] for unit_id, of_unit in states.items()}
        if not plans:
            return {}
        filters = [("plan", "in", sorted(set(plans.values()))), ("scope_id", "in", sorted(plans))]
        columns = ["unit_id", "plan", "control"]
        rows = read_arrow(self._lake.path(STATES), columns, filters, self._plan.versions[STATES]).to_pylist()
        found = {}
        for row in rows:
            with suppress(ForeignStateError):
                if row["plan"] == plans[row["unit_id"]]:
                    found[row["unit_id"]] = control_in(row["control"])
        return found

    def _compare(self, fresh: pa.Table, again: pa.Table, known: Sequence[Unit]) -> None:
        places = {unit.unit_id: unit.changed for unit in known}
        same = _by_id(fresh).items() & _by_id(again).items()
        ids = frozenset(event_id for event_id, _ in same)
        for rows in (fresh, again):
            columns = (rows["unit_id"].to_pylist(), rows["event_id"].to_pylist(), places_of(rows))
            for unit_id, event_id, place in zip(*columns, strict=True):
                if event_id not in ids and unit_id in places:
                    places[unit_id].append(place)

    def _states(self, touched: Sequence[Unit]) -> dict[str, str]:
        """The states as files for tasks, by unit. One that was not kept is none."""
        wanted = {unit.unit_id: unit.state["plan"] for unit in touched if unit.state is not None}
        if not wanted:
            return {}
        filters = [("plan", "in", sorted(set(wanted.values()))), ("unit_id", "in", sorted(wanted))]
        columns = ["unit_id", "scope_id", "plan", "state"]
        rows = read_arrow(self._lake.path(STATES), columns, filters, self._plan.versions[STATES])
        kept = for_tasks(rows.to_pylist(), wanted)
        for unit in touched:
            unit.state = unit.state if unit.unit_id in kept else None
        return {
            unit_id: arrow_files.write_bytes(self._staging, "state", state) for unit_id, state in kept.items()
        }

    def _stood(self, touched: Sequence[Unit]) -> pa.Table | None:
        """What stands of the units' windows, all columns; None where that is too much."""
        going_on = [unit for unit in touched if unit.place is not None and not _has_timeless(unit.place)]
        whole = [unit.unit_id for unit in touched if unit.place is None or _has_timeless(unit.place)]
        filters: list[list[tuple[str, str, Any]]] = []
        if whole:
            filters.append([("unit_id", "in", whole)])
        if going_on:
            since = min(_at(unit) for unit in going_on)
            ids = [unit.unit_id for unit in going_on]
            filters.append([("unit_id", "in", ids), ("ordered_at", ">=", since)])
        if not filters:
            return CONTRACT.arrow_schema().empty_table()
        stood = self._held(CONTRACT.arrow_schema(), filters)
        return None if stood is None else _in_windows(stood, touched, is_open=True)

    def _held(self, schema: pa.Schema, filters: Filters) -> pa.Table | None:
        """Columns of the events that pass; None where that is too much."""
        wanted = pq.filters_to_expression(filters)

        def batches() -> Iterator[pa.RecordBatch]:
            return as_schema(batches_where(self._events, schema.names, wanted, self._before), schema)

        return self._lake.held(of_batches(schema, self._lake.stands(EVENTS, filters), batches))

    def _write(self, stood: pa.Table, now: pa.Table, touched: Sequence[Unit]) -> tuple[bool, frozenset[str]]:
        """Gives whether the table changed, and the units of which events were replaced."""
        commit = self._plan.commit
        schema = CONTRACT.arrow_schema()
        batches = [conformed(batch, schema, {}) for batch in now.to_batches()]
        scopes = {unit.unit_id: NONE for unit in touched}
        change = change_of(stood, pa.Table.from_batches(batches, schema), CONTRACT, scopes)
        there = any_of(_condition(unit) for unit in touched if unit.unit_id in change.scopes)
        return self._lake.put(change.rows, EVENTS, there, commit), frozenset(change.scopes)

    def _write_settings(self, touched: Sequence[Unit]) -> bool:
        schema = staged_schema(SETTINGS)
        rows = chain.from_iterable(unit.settings.bare_rows() for unit in touched)
        table = pa.Table.from_batches(in_columns(SETTINGS, ROW, rows), schema)
        return self._lake.replace(
            of_table(table), SETTINGS, [unit.unit_id for unit in touched], self._plan.commit
        )

    def _touched(self, touched: Sequence[Unit], window: HeldEvents, files: Mapping[str, str]) -> Touched:
        begun = {unit.unit_id: unit.state for unit in touched if unit.state is not None}
        return Touched(
            [unit.unit_id for unit in touched],
            self._keeping,
            window=window,
            follows={unit_id: state["plan"] for unit_id, state in begun.items()},
            files=files,
            clocks={unit_id: state["clock"] for unit_id, state in begun.items()},
            version=self._plan.versions[STATES],
        )


def _at(unit: Unit) -> datetime:
    return instant_of((unit.place or (0,))[0])


def _condition(unit: Unit) -> str:
    of_unit = f"unit_id = {quoted(unit.unit_id)}"
    if unit.place is None:
        return of_unit
    or_timeless = " OR ordered_at IS NULL" if _has_timeless(unit.place) else ""
    return f"{of_unit} AND (ordered_at >= '{_at(unit).isoformat(timespec='milliseconds')}'{or_timeless})"


def _has_timeless(place: Order) -> bool:
    """Whether events without a time, which stand at the epoch's beginning, are in the window from a place on."""
    return place[0] <= 0


def _in_windows(rows: pa.Table, touched: Sequence[Unit], *, is_open: bool) -> pa.Table:
    """Rows of the units' windows: after each unit's place; is_open: and those of its millisecond."""
    places = {unit.unit_id: unit.place for unit in touched}
    wanted = []
    for unit_id, place in zip(rows["unit_id"].to_pylist(), places_of(rows), strict=True):
        begin = places.get(unit_id)
        wanted.append(begin is None or (place[0] >= begin[0] if is_open else place > begin))
    return rows.filter(pa.array(wanted, pa.bool_()))


def _with_settings(rows: pa.Table, units: Iterable[Unit]) -> pa.Table:
    """Rows with what settings tell of them."""
    waiting: dict[str, list[ClientEvent]] = {}
    for event in _events_of(rows.filter(pc.equal(rows["kind"], NEEDS_LIMIT))):
        waiting.setdefault(event.unit_id, []).append(event)
    points: list[ChangePoint] = []
    for unit in units:
        timers = sorted(waiting.get(unit.unit_id, ()), key=attrgetter("order"))
        points += change_points(merge(unit.control, timers, key=attrgetter("order")), unit.settings)
    change = with_change_points(points)
    return pa.Table.from_batches([change(batch) for batch in rows.to_batches() if batch.num_rows], SCHEMA)


def _by_id(rows: pa.Table) -> dict[str, tuple[Any, ...]]:
    names = [name for name in SCHEMA.names if name not in CONTRACT.volatile]
    columns = [rows[name].to_pylist() for name in names]
    columns[names.index("details")] = [
        None if one is None else tuple(one) for one in columns[names.index("details")]
    ]
    return dict(zip(rows["event_id"].to_pylist(), zip(*columns, strict=True), strict=True))


def _events_of(rows: pa.Table) -> Iterable[ClientEvent]:
    return (event for batch in rows.to_batches() for event in events_from(batch))


def _control_of(rows: pa.Table) -> dict[str, ControlEvents]:
    """The control events among these, by unit."""
    control = in_order(rows.filter(is_control(rows)), ORDER)
    events = (event for batch in control.to_batches(ROWS_AT_ONCE) for event in events_from(batch))
    return {
        unit_id: ControlEvents(of_unit) for unit_id, of_unit in groupby(events, key=attrgetter("unit_id"))
    }


def _rows_of(units: Sequence[Unit]) -> RowSource:
    """Their control events."""

    def batches() -> Iterator[pa.RecordBatch]:
        rows = ((EVENTS, event) for unit in units for event in unit.control)
        return (batch for _, batch in in_batches(rows))

    return of_batches(SCHEMA, sum(len(unit.control) for unit in units), batches)
