"""What runs inside Spark's tasks: sorted rows of events in, rows of all rebuilt tables out.

Input rows are sorted by (key, phase, ordered_at, source_id, position, event_id). Phase -1 is the samples of the key's
processes, where it has any (column `series`, a day of an attribute a row). Phase 0 repeats the few events that say what
the process is (control events); phase 1 is all events of the key, in order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, repeat, starmap
from typing import Any

import pyarrow as pa

from jobs.rows import EVENT_FIELDS, in_batches, python_column
from jobs.series import chunks_in, gathered
from jobs.staging import Note, Task
from transforms.diagnose.incidents import incidents
from transforms.events import ClientEvent
from transforms.pure import samples_by_unit
from transforms.rules.judge import judge
from transforms.timers.episodes import (
    BackoffAttempt,
    BatchLifetime,
    Episode,
    GroupRebalance,
    LivenessSession,
    TaskTimer,
)
from transforms.timers.group import fold_group
from transforms.timers.series import Samples
from transforms.timers.settings import UnitSettings
from transforms.timers.unit import fold_unit

UNIT_EPISODES: dict[type[Episode], str] = {
    TaskTimer: "silver.task_timers",
    BackoffAttempt: "silver.backoff_attempts",
    BatchLifetime: "silver.batch_lifetimes",
}
GROUP_EPISODES: dict[type[Episode], str] = {
    LivenessSession: "silver.liveness_sessions",
    GroupRebalance: "silver.group_rebalances",
}
JUDGED = ("silver.findings", "gold.violations", "gold.unjudged", "gold.incidents")
UNIT_TABLES = (*UNIT_EPISODES.values(), *JUDGED)
GROUP_TABLES = (*GROUP_EPISODES.values(), *JUDGED)

# What no machine reads; who shows an event finds it in silver.client_events by its id.
ABSENT: Mapping[str, Any] = {"record_id": "", "source": "", "offset": 0, "line": 0, "time_origin": "logged"}
FOLD_FIELDS = tuple(name for name in EVENT_FIELDS if name not in ABSENT)

# The phase of samples, and their column.
OF_SERIES, SERIES_COLUMN = -1, "series"
# key, phase, and what it is: a chunk of a series in phase -1, else an event.
Row = tuple[str, int, Any]
SettingsOf = Callable[[str, Sequence[ClientEvent]], UnitSettings]
Batches = Iterator[pa.RecordBatch]
Put = Iterator[tuple[str, pa.RecordBatch] | Note]


def unit_fold(settings_of: SettingsOf, clocks: Mapping[str, int | None]) -> Task:
    """Each key is a unit: its timers, backoffs and batches, judged. clocks: each unit's largest happened_at."""

    def fold(batches: Batches) -> Put:
        yield from in_batches(
            _by_key(batches, lambda key, rows: _unit_rows(key, rows, settings_of, clocks.get(key)))
        )

    return fold


def group_fold(settings_of: SettingsOf) -> Task:
    """Each key is a group: its memberships and rebalances, judged."""

    def fold(batches: Batches) -> Put:
        yield from in_batches(_by_key(batches, lambda key, rows: _group_rows(key, rows, settings_of)))

    return fold


def _by_key(
    batches: Iterator[pa.RecordBatch], rows_of: Callable[[str, Iterator[Row]], Iterable[tuple[str, Any]]]
) -> Iterator[tuple[str, Any]]:
    for key, rows in groupby(_rows(batches), key=lambda row: row[0]):
        yield from rows_of(key, rows)


def _rows(batches: Iterator[pa.RecordBatch]) -> Iterator[Row]:
    for batch in batches:
        columns = {name: python_column(batch.column(name)) for name in FOLD_FIELDS}
        values = [columns.get(name) or repeat(ABSENT[name]) for name in EVENT_FIELDS]
        events: Iterator[Any] = starmap(ClientEvent, zip(*values, strict=False))
        phases = batch.column("phase").to_pylist()
        if SERIES_COLUMN in batch.schema.names:
            events = _or_series(phases, events, chunks_in(batch.column(SERIES_COLUMN)))
        yield from zip(batch.column("key").to_pylist(), phases, events, strict=True)


def _or_series(
    phases: Sequence[int], events: Iterator[ClientEvent], chunks: Iterator[Mapping[str, Any]]
) -> Iterator[Any]:
    """What each row is; the columns of the other are null."""
    for phase, event in zip(phases, events, strict=True):
        yield next(chunks) if phase == OF_SERIES else event


def _unit_rows(
    unit_id: str, rows: Iterator[Row], settings_of: SettingsOf, clock: int | None
) -> Iterator[tuple[str, Any]]:
    samples_of, control, events = _split(rows)
    settings = settings_of(unit_id, control)
    episodes = list(fold_unit(events, settings, clock, samples_of(unit_id)))
    yield from _stored(episodes, UNIT_EPISODES)
    yield from _judged(episodes, unit_id)


def _group_rows(group_id: str, rows: Iterator[Row], settings_of: SettingsOf) -> Iterator[tuple[str, Any]]:
    samples_of, control, events = _split(rows)
    of_unit: dict[str, list[ClientEvent]] = {}
    for event in control:
        of_unit.setdefault(event.unit_id, []).append(event)
    known: dict[str, UnitSettings] = {}

    def settings_of_unit(unit_id: str) -> UnitSettings:
        if unit_id not in known:
            known[unit_id] = settings_of(unit_id, of_unit.get(unit_id, []))
        return known[unit_id]

    episodes = list(fold_group(group_id, events, settings_of_unit, samples_of))
    yield from _stored(episodes, GROUP_EPISODES)
    yield from _judged(episodes, f"group:{group_id}")


def _split(
    rows: Iterator[Row],
) -> tuple[Callable[[str], Samples], list[ClientEvent], Iterator[ClientEvent]]:
    """Samples by unit, control events, and the rest as it comes (never held as a whole)."""
    chunks: list[Mapping[str, Any]] = []
    control: list[ClientEvent] = []
    events: Iterator[ClientEvent] = iter(())
    for _, phase, row in rows:
        if phase > 0:
            events = chain([row], (later for _, _, later in rows))
            break
        (chunks if phase == OF_SERIES else control).append(row)
    return samples_by_unit(gathered(chunks)), control, events


def _stored(episodes: Iterable[Episode], tables: Mapping[type[Episode], str]) -> Iterator[tuple[str, Any]]:
    for episode in episodes:
        if table := tables.get(type(episode)):
            yield table, _with_scope(episode, table)


def _with_scope(episode: Episode, table: str) -> Any:
    if table not in GROUP_EPISODES.values():
        return episode
    values = {
        name: getattr(episode, name)
        for klass in type(episode).__mro__
        for name in getattr(klass, "__slots__", ())
    }
    return values | {"scope_id": f"group:{getattr(episode, 'group_id', '')}"}


def _judged(episodes: list[Episode], scope_id: str) -> Iterator[tuple[str, Any]]:
    judged = judge(episodes, scope_id)
    for found in judged.findings:
        yield "silver.findings", found
    for violation in judged.violations:
        yield "gold.violations", violation
    for row in judged.unjudged:
        yield "gold.unjudged", row
    for incident in incidents(episodes, judged.findings, scope_id):
        yield "gold.incidents", incident
