"""What runs inside tasks: sorted rows of events in, rows of all rebuilt tables out.

Input rows of units are sorted by (key, phase, ordered_at, source_id, position, event_id). Phase -1 is the samples of the
key's process, where it has any (column `series`, a day of an attribute a row). Phase 0 repeats the few events that say what
the process is (control events); phase 1 is its events in order: all, or those after the state that its fold goes on from.
Input rows of groups are samples too, and each unit's part in the group, which the units' folds gave: first what holds the
parts (phase OF_PACK), then where each is.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, groupby, repeat, starmap
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from transforms.arrow_rows import EVENT_FIELDS, event_column
from transforms.diagnose.incident import Incident
from transforms.diagnose.incidents import incidents
from transforms.events import ClientEvent
from transforms.faults import OF_THE_MACHINE, fault_note
from transforms.pure import samples_by_unit
from transforms.rules.judge import EarlierVerdictsError, Violation, judge
from transforms.tasks import IS_OPEN, Batches, Note
from transforms.timers.clients.control_events import ControlEvents
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.episodes import GROUP_EPISODES, TABLE_OF, UNIT_EPISODES, Episode
from transforms.timers.groups.group import group_episodes
from transforms.timers.groups.group_part import GroupPart
from transforms.timers.samples.gathered import gathered
from transforms.timers.samples.series import Samples
from transforms.timers.samples.series_rows import chunks_in
from transforms.timers.state import ForeignStateError
from transforms.unit_states import GROUP, STATES, Begin, parts_from, state_rows
from transforms.unit_story import FoldResult

FINDINGS, VIOLATIONS, INCIDENTS = "silver.findings", "gold.violations", "gold.incidents"
JUDGED = (FINDINGS, VIOLATIONS, "gold.unjudged", INCIDENTS)
GROUP_TABLES = (*GROUP_EPISODES.values(), *JUDGED)
# Of a unit's own lines: also what they alone tell of a group, where the unit is followed no longer.
UNIT_TABLES = (*UNIT_EPISODES.values(), *GROUP_TABLES)
# What a unit's fold gives: of some tables also rows that the next fold tells again.
WITH_OPEN = (*UNIT_EPISODES.values(), FINDINGS, VIOLATIONS, INCIDENTS)
OF_UNITS = (*UNIT_TABLES, *(f"{table}{IS_OPEN}" for table in WITH_OPEN), STATES)
# A unit that can't go on from its state.
ANEW = "anew"

# What no machine reads; who shows an event finds it in silver.client_events by its id.
ABSENT: Mapping[str, Any] = {"record_id": "", "source": "", "offset": 0, "line": 0, "time_origin": "logged"}
FOLD_FIELDS = tuple(name for name in EVENT_FIELDS if name not in ABSENT)

# The phase of samples, and their column.
OF_SERIES, SERIES_COLUMN = -1, "series"
# The phase of what holds the parts of a unit in some groups. It is no group's: its key is empty.
OF_PACK = -2
# key, phase, and what it is: a chunk of a series in phase -1, else an event.
Row = tuple[str, int, Any]
# The name of a table, and a row of it.
TableRow = tuple[str, Any]
# Of a unit, and its control events in order, which are gone through more than once.
SettingsOf = Callable[[str, Iterable[ClientEvent]], UnitSettings]
SamplesOf = Callable[[str], Samples]


@dataclass(frozen=True, slots=True)
class Keeping:
    """How states are kept. code: what they are valid for. most_bytes: of one, as text. most_clients: of one process that are
    followed at once; None for any number."""

    code: str
    most_bytes: int
    most_clients: int | None


def folded_units(
    batches: Batches,
    settings_of: SettingsOf,
    begins: Mapping[str, Begin],
    keeping: Keeping,
    content_of: Callable[[str], bytes],
    notes: list[Note],
) -> Iterator[TableRow]:
    """Rows of all units. notes: takes those that are to be folded anew, and faults. content_of: reads a state's file."""
    for key, of_key in groupby(_rows(batches), key=lambda row: row[0]):
        yield from _unit_rows(key, of_key, settings_of, begins[key], keeping, notes, content_of)


def folded_groups(batches: Batches, notes: list[Note]) -> Iterator[TableRow]:
    """Rows of all groups: most have a few. notes: takes faults, and units of which a part can't be read."""
    parts: dict[str, dict[str, GroupPart]] = defaultdict(dict)
    chunks: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    packs: dict[tuple[str, str], dict[str, GroupPart]] = {}
    anew: set[str] = set()
    for batch in batches:
        phases = batch.column("phase")
        for row in batch.filter(pc.equal(phases, OF_PACK)).select(["unit_id", "pack", "state"]).to_pylist():
            with suppress(ForeignStateError):
                packs[row["unit_id"], row["pack"]] = parts_from(row["state"])
        for row in batch.filter(pc.greater(phases, OF_SERIES)).select(["key", "unit_id", "pack"]).to_pylist():
            part = packs.get((row["unit_id"], row["pack"]), {}).pop(row["key"], None)
            if part is None:
                anew.add(row["unit_id"])
            else:
                parts[row["key"]][row["unit_id"]] = part
        series = batch.filter(pc.equal(phases, OF_SERIES))
        for key, chunk in zip(
            series.column("key").to_pylist(), chunks_in(series.column(SERIES_COLUMN)), strict=True
        ):
            chunks[key].append(chunk)
    for key in sorted(parts):
        yield from _whole_group(key, parts.pop(key), chunks.pop(key, ()), notes)
    notes += (Note(ANEW, unit_id) for unit_id in sorted(anew))


def _rows(batches: Iterator[pa.RecordBatch]) -> Iterator[Row]:
    for batch in batches:
        columns = {name: event_column(batch, name) for name in FOLD_FIELDS}
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
    unit_id: str,
    read: Iterator[Row],
    settings_of: SettingsOf,
    begin: Begin,
    keeping: Keeping,
    notes: list[Note],
    content_of: Callable[[str], bytes],
) -> Iterator[TableRow]:
    try:
        samples_of, control, events = _split(read)
        settings, samples = settings_of(unit_id, control), samples_of(unit_id)
        yield from _rebuilt(unit_id, events, settings, samples, control, begin, keeping, content_of)
    except (EarlierVerdictsError, ForeignStateError):
        notes.append(Note(ANEW, unit_id))
    except OF_THE_MACHINE:
        raise
    except Exception as error:
        # A state that is well formed and that no machine left leads anywhere; without one it is a fault of ours, which
        # ends no run: the others are judged.
        notes.append(Note(ANEW, unit_id) if begin.state is not None else fault_note(unit_id, error))


def _rebuilt(
    unit_id: str,
    events: Iterator[ClientEvent],
    settings: UnitSettings,
    samples: Samples,
    control: ControlEvents,
    begin: Begin,
    keeping: Keeping,
    content_of: Callable[[str], bytes],
) -> Iterator[TableRow]:
    story = begin.story(unit_id, keeping.most_clients, content_of)
    for told in story.by_chapters(events, settings, samples):
        yield from _episode_rows(told)
        yield from _told_rows(told.violations, told.incidents)
    # Before what is open is told, which uses the story up; given last, as a fold that ends in a fault leaves no state.
    states = list(state_rows(story, settings, control, begin, keeping.code, keeping.most_bytes))
    still_open = story.finish(begin.clock, samples)
    yield from ((f"{table}{IS_OPEN}", row) for table, row in _episode_rows(still_open))
    yield from (
        (f"{table}{IS_OPEN}", row) for table, row in _told_rows(story.violations(), story.incidents())
    )
    yield from (("gold.unjudged", row) for row in story.unjudged())
    yield from states


def _told_rows(violations: Iterable[Violation], told: Iterable[Incident]) -> Iterator[TableRow]:
    yield from ((VIOLATIONS, violation) for violation in violations)
    yield from ((INCIDENTS, incident) for incident in told)


def _episode_rows(found: FoldResult) -> Iterator[TableRow]:
    for episode in found.episodes:
        if table := TABLE_OF.get(type(episode)):
            yield table, _with_scope(episode, table, episode.unit_id)
    yield from ((FINDINGS, finding) for finding in found.findings)


def _whole_group(
    group_id: str, parts: Mapping[str, GroupPart], chunks: Iterable[Mapping[str, Any]], notes: list[Note]
) -> Sequence[TableRow]:
    """A group's rows; none where it can't be put together, which is noted."""
    try:
        return list(_group_rows(group_id, parts, samples_by_unit(gathered(chunks))))
    except OF_THE_MACHINE:
        raise
    except Exception as error:
        notes.append(fault_note(f"{GROUP}{group_id}", error))
        return ()


def _group_rows(group_id: str, parts: Mapping[str, GroupPart], samples_of: SamplesOf) -> Iterator[TableRow]:
    scope_id = f"{GROUP}{group_id}"
    episodes = list(group_episodes(group_id, parts, samples_of))
    for episode in episodes:
        if table := GROUP_EPISODES.get(type(episode)):
            yield table, _with_scope(episode, table, scope_id)
    judged = judge(episodes, scope_id)
    yield from ((FINDINGS, finding) for finding in judged.findings)
    yield from (("gold.violations", violation) for violation in judged.violations)
    yield from (("gold.unjudged", row) for row in judged.unjudged)
    yield from (("gold.incidents", incident) for incident in incidents(episodes, judged.findings, scope_id))


def _split(rows: Iterator[Row]) -> tuple[SamplesOf, ControlEvents, Iterator[ClientEvent]]:
    """Samples by unit, control events, and the rest as it comes (never held as a whole)."""
    chunks: list[Mapping[str, Any]] = []
    control = ControlEvents()
    events: Iterator[ClientEvent] = iter(())
    for _, phase, row in rows:
        if phase > 0:
            events = chain([row], (later for _, _, later in rows))
            break
        if phase == OF_SERIES:
            chunks.append(row)
        else:
            control.add(row)
    return samples_by_unit(gathered(chunks)), control, events


def _with_scope(episode: Episode, table: str, scope_id: str) -> Any:
    if table not in GROUP_EPISODES.values():
        return episode
    values = {
        name: getattr(episode, name)
        for klass in type(episode).__mro__
        for name in getattr(klass, "__slots__", ())
    }
    return values | {"scope_id": scope_id}
