"""What is kept of a process and of its parts in groups, many of these a row."""

from typing import Any

import pyarrow as pa
import pytest

from tests.transforms.test_unit_story import settings_of, units_of
from transforms import unit_states
from transforms.fold_rows import PARTS_ORDER, batches_in_order, keyed_series
from transforms.folding import ANEW, folded_groups
from transforms.tasks import Note
from transforms.timers.clients.control_events import ControlEvents
from transforms.timers.groups.group_part import GroupPart
from transforms.timers.samples.series_rows import SERIES
from transforms.timers.state import ForeignStateError
from transforms.touched import groups_in, of_packs, parts_in
from transforms.unit_states import Begin, for_tasks, state_rows
from transforms.unit_story import UnitStory

UNIT = "p62-slow-poll-42"
OTHERS = [f"group-{number}" for number in range(5)]
COLUMNS = pa.schema(
    [("scope_id", pa.string()), ("unit_id", pa.string()), ("groups", pa.list_(pa.string())), ("state", pa.string())]
)  # fmt: skip


@pytest.fixture
def story(monkeypatch: pytest.MonkeyPatch) -> UnitStory:
    """A member's, that also said a line of other groups; parts are kept two a row."""
    monkeypatch.setattr(unit_states, "PARTS_TOGETHER", 2)
    unit_id, events = next(
        (one, of) for one, of in units_of(UNIT).items() if any(event.group_id for event in of)
    )
    found = UnitStory.of(unit_id)
    found.take(events, settings_of(events))
    found.parts |= {name: GroupPart() for name in OTHERS}
    return found


def rows_of(story: UnitStory) -> list[dict[str, Any]]:
    given = story, settings_of([]), ControlEvents(), Begin(None), "code", 1 << 20
    return [row for _, row in state_rows(*given)]


def content_of(own: dict[str, Any], parts: list[dict[str, Any]]) -> bytes:
    """The file of a state for a task, among rows of another plan."""
    rows = [row | {"plan": 7} for row in (own, *parts)]
    return for_tasks([*rows, own | {"plan": 6}], {own["unit_id"]: 7})[own["unit_id"]]


def batch(*rows: dict[str, Any]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([{name: row[name] for name in COLUMNS.names} for row in rows], COLUMNS)


def told(parts: pa.Table) -> tuple[list[Any], list[Note]]:
    notes: list[Note] = []
    none = keyed_series(pa.array([], pa.string()), pa.array([], SERIES))
    return list(folded_groups(batches_in_order([parts, none], PARTS_ORDER), notes)), notes


def test_a_state_is_that_of_its_own_row_and_those_of_its_parts(story: UnitStory) -> None:
    own, *parts = rows_of(story)
    assert [len(row["groups"]) for row in parts] == [2, 2, len(story.parts) - 4]
    assert sorted(name for row in parts for name in row["groups"]) == sorted(story.parts)
    content = content_of(own, parts)
    again = Begin(None, state="file").story("", None, lambda _: content)
    assert rows_of(again) == [own, *parts]
    assert list(again.parts) == list(story.parts)


@pytest.mark.parametrize("left", [[], [0], [0, 1], [0, 1, 1, 2]])
def test_a_state_with_other_parts_is_none(story: UnitStory, left: list[int]) -> None:
    own, *parts = rows_of(story)
    content = content_of(own, [parts[number] for number in left])
    with pytest.raises(ForeignStateError):
        Begin(None, state="file").story("", None, lambda _: content)


def test_groups_are_told_from_the_rows_that_hold_their_parts(story: UnitStory) -> None:
    _, *parts = rows_of(story)
    unit_id = parts[0]["unit_id"]
    found = parts_in([batch(*parts)], frozenset({unit_id}), is_of_units=True)
    holding, named = of_packs(found)
    assert (len(holding), sorted(named["key"].to_pylist())) == (len(parts), sorted(story.parts))
    rows, notes = told(found)
    assert {row["scope_id"] for table, row in rows if table == "silver.liveness_sessions"} == {
        f"group:{name}" for name in story.parts if name not in OTHERS
    }
    assert notes == []
    assert parts_in([batch(*parts)], frozenset({unit_id}), is_of_units=False).num_rows == 0


@pytest.mark.parametrize(
    "evil", ["no base64!", unit_states.as_text([1]), unit_states.as_text({"other": GroupPart()})]
)
def test_parts_that_can_not_be_read_are_made_anew(story: UnitStory, evil: str) -> None:
    _, first, *others = rows_of(story)
    unit_id = first["unit_id"]
    broken = parts_in([batch(first | {"state": evil}, *others)], frozenset({unit_id}), is_of_units=True)
    assert told(broken)[1] == [Note(ANEW, unit_id)]


def test_groups_of_an_earlier_release_had_a_row_each() -> None:
    rows = [
        {"scope_id": "unit", "unit_id": "unit", "groups": None, "state": ""},
        {"scope_id": "group:orders", "unit_id": "unit", "groups": None, "state": ""},
        {"scope_id": "group:0", "unit_id": "other", "groups": ["billing", "mail"], "state": ""},
    ]
    assert groups_in(pa.Table.from_batches([batch(*rows)])) == {"orders", "billing", "mail"}
