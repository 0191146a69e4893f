"""silver.unit_states: what is kept of the fold of a process, and which of it still holds."""

import math
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, TypeVar

import pyarrow as pa

from transforms.arrow_rows import dicts_of
from transforms.events import ClientEvent
from transforms.plans.commit import NONE
from transforms.timers.clients.control_events import ControlEvents
from transforms.timers.clients.incarnations import Order
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.groups.group_part import GroupPart
from transforms.timers.state import ForeignStateError, LargeStateError, dump_state, load_state
from transforms.unit_story import UnitStory

STATES = "silver.unit_states"
# Begins the scope of what is told of a group, and of a row of states that holds a process's parts in some.
GROUP = "group:"
# So many parts in groups are kept together, each class of theirs and each text once: who needs one of them reads all.
PARTS_TOGETHER = 256
Kind = TypeVar("Kind")
# A state of more objects is not even written down to be measured: that takes 0.6 KiB of each.
MOST_OBJECTS = 500_000
# Of more control events than this a state holds none: who goes on from it reads them from the lake.
MOST_CONTROL = 20_000
# States are kept at growing distances from the newest one: each span is so many times the one before. In ms.
FIRST_SPAN_MS, GROWTH = 10_000, 4


@dataclass(frozen=True, slots=True)
class Begin:
    """Where the fold of a unit begins. clock: the unit's largest happened_at, ms. follows: plan of the state it goes on
    from. state: file of that state; None for the beginning."""

    clock: int | None
    follows: int = NONE
    state: str | None = None

    def story(self, unit_id: str, most_clients: int | None, content_of: Callable[[str], bytes]) -> UnitStory:
        """As it was kept, or a fresh one. most_clients: that this one follows at once. content_of: reads a file.

        Raises: ForeignStateError for what no state of ours is.
        """
        if self.state is None:
            return UnitStory.of(unit_id, most_clients)
        own, *parts = content_of(self.state).decode(errors="replace").split(BETWEEN)
        kept = of_kind(from_text(own), Kept)
        if kept.rows_of_parts != len(parts):
            raise ForeignStateError("a state without its parts")
        story = of_kind(kept.story, UnitStory)
        for text in parts:
            story.parts |= parts_from(text)
        return story


@dataclass(slots=True)
class Kept:
    """What a unit's own row keeps: the story without its parts in groups, and how many rows hold these."""

    story: UnitStory
    rows_of_parts: int


# Between the texts of a state in a file for a task.
BETWEEN = "\n"


def for_tasks(rows: Iterable[Mapping[str, Any]], plans: Mapping[str, int]) -> dict[str, bytes]:
    """States as files for tasks, by unit; one that was not kept is none.

    rows: of silver.unit_states (unit_id, scope_id, plan, state). plans: by unit, the plan whose state is wanted.
    """
    own: dict[str, str] = {}
    parts: dict[str, list[str]] = defaultdict(list)
    for row in sorted(rows, key=itemgetter("scope_id")):
        unit_id, text = row["unit_id"], row["state"]
        if row["plan"] != plans.get(unit_id):
            continue
        if row["scope_id"] != unit_id:
            parts[unit_id].append(text or "")
        elif text is not None:
            own[unit_id] = text
    return {unit_id: BETWEEN.join((text, *parts[unit_id])).encode() for unit_id, text in own.items()}


def as_text(state: Any, most_objects: int | None = None) -> str:
    """A state as a column keeps it.

    Raises: LargeStateError where it has more objects than that.
    """
    return b64encode(dump_state(state, most_objects)).decode()


def _short_text(state: Any, most_bytes: int) -> str | None:
    """A state as a column keeps it; None for one of more objects or bytes than may be kept."""
    try:
        text = as_text(state, MOST_OBJECTS)
    except LargeStateError:
        return None
    return text if len(text) <= most_bytes else None


def from_text(text: str) -> Any:
    """A state from what a column keeps.

    Raises: ForeignStateError for what no state of ours is.
    """
    try:
        data = b64decode(text, validate=True)
    except (TypeError, ValueError) as error:
        raise ForeignStateError("no base64") from error
    return load_state(data)


def parts_from(text: str) -> dict[str, GroupPart]:
    """The parts in groups that a row holds, by group.

    Raises: ForeignStateError for what holds none.
    """
    parts = of_kind(from_text(text), dict)
    return {of_kind(group_id, str): of_kind(part, GroupPart) for group_id, part in parts.items()}


def of_kind(state: Any, kind: type[Kind]) -> Kind:
    """The state, which must be one of these.

    Raises: ForeignStateError for another.
    """
    if not isinstance(state, kind):
        raise ForeignStateError(f"{type(state).__name__} where a {kind.__name__} is kept")
    return state


def state_rows(
    story: UnitStory,
    settings: UnitSettings,
    control: ControlEvents,
    begin: Begin,
    code: str,
    most_bytes: int,
) -> Iterable[tuple[str, dict[str, Any]]]:
    """Rows of a unit's state between its last event and what is open, and of its part in each of its groups.

    most_bytes: a larger state is not kept: the unit's next events cost all of its events again.
    """
    place = story.place
    of_groups = _rows_of_parts(story.parts)
    kept = _short_text(Kept(replace(story, parts={}), len(of_groups)), most_bytes)
    common = {
        "unit_id": story.judging.scope_id,
        "follows": begin.follows,
        "code": code,
        "settings": settings.digest_at(place),
        "ordered_at": place[0],
        "source_id": place[1],
        "position": place[2],
        "event_id": place[3],
        "clock": begin.clock,
    }
    held = as_text(list(control)) if len(control) <= MOST_CONTROL else None
    yield STATES, common | {"scope_id": common["unit_id"], "groups": None, "control": held, "state": kept}
    for row in of_groups:
        yield STATES, common | row


def _rows_of_parts(parts: Mapping[str, GroupPart]) -> list[dict[str, Any]]:
    """A process's parts in groups, many of them a row."""
    names = list(parts)
    together = [names[begin : begin + PARTS_TOGETHER] for begin in range(0, len(names), PARTS_TOGETHER)]
    return [
        {
            "scope_id": f"{GROUP}{number}",
            "groups": groups,
            "control": None,
            "state": as_text({group_id: parts[group_id] for group_id in groups}),
        }
        for number, groups in enumerate(together)
    ]


def control_in(text: str) -> ControlEvents:
    """The control events that a row holds.

    Raises: ForeignStateError for what holds none.
    """
    return ControlEvents(of_kind(event, ClientEvent) for event in of_kind(from_text(text), list))


def going_on(rows: pa.Table, code: str) -> dict[str, list[Mapping[str, Any]]]:
    """The states of each unit that no later rebuild has voided and that this code left, the latest first."""
    ours = {
        unit_id: [row for row in valid(of_unit) if row["code"] == code]
        for unit_id, of_unit in unit_states(rows).items()
    }
    return {unit_id: of_unit for unit_id, of_unit in ours.items() if of_unit}


def last_holding(
    states: Iterable[Mapping[str, Any]], settings: UnitSettings, before: Order
) -> Mapping[str, Any] | None:
    """The latest of a unit's states before a place whose settings hold. states: the latest first."""
    for row in states:
        place = place_of(row)
        if place < before and settings.digest_at(place) == row["settings"]:
            return row
    return None


def place_of(row: Mapping[str, Any]) -> Order:
    """The place of a state: of the last event in it. row: instants in ms."""
    return (row["ordered_at"] or 0, row["source_id"], row["position"], row["event_id"])


def unit_states(rows: pa.Table) -> dict[str, list[Mapping[str, Any]]]:
    """The states of each unit, without their groups' parts.

    rows: some columns of the table, scope_id and unit_id among them.
    """
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in dicts_of(rows.to_batches()):
        if row["scope_id"] == row["unit_id"]:
            found[row["unit_id"]].append(row)
    return found


def valid(states: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of the states of one unit those that no later fold has voided, the latest first.

    states: with plan and follows. A state of plan m that follows n voids those in between.
    """
    found = []
    bound: int | None = None
    for row in sorted(states, key=lambda row: -row["plan"]):
        if bound is None or row["plan"] <= bound:
            found.append(row)
        bound = row["follows"] if bound is None else min(row["follows"], bound)
    return found


def worth_keeping(states: Iterable[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    """Of the states of one unit at most so many, the latest first: the newest, and the oldest in each span of time before.

    So what comes late finds a state not much further back than it is late itself. The oldest of a span is what next
    grows into the span beyond, so no span runs empty. states: with plan, follows and ordered_at (ms, or none).
    """
    newest, *others = valid(states)
    oldest_of = {_span(newest, row): row for row in others}  # the oldest comes last
    kept = [newest, *sorted(oldest_of.values(), key=lambda row: -row["plan"])]
    return kept[: max(1, most)]


def _span(newest: Mapping[str, Any], row: Mapping[str, Any]) -> int:
    age = (newest["ordered_at"] or 0) - (row["ordered_at"] or 0)
    return max(0, math.ceil(math.log(max(1, age) / FIRST_SPAN_MS, GROWTH)))
