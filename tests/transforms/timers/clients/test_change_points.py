"""Marks of a whole batch of events at once give what each event by itself would get."""

from bisect import bisect_right
from dataclasses import replace

import pyarrow as pa
import pytest

from expectations.rows import staged_schema
from transforms.arrow_rows import batch_of, python_column
from transforms.events import ClientEvent
from transforms.timers.clients.change_points import ChangePoint, change_points, with_change_points
from transforms.timers.clients.settings import UnitSettings

EVENTS = staged_schema("silver.client_events")


def line(unit: str, at: int | None, position: int, event_id: str = "e") -> ClientEvent:
    return ClientEvent(
        "task_timeout_continue", "task-timeout-armed", event_id, unit_id=unit, source_id="s", position=position,
        ordered_at=at, client_id="c", task_id="0_1", remaining_ms=200,
    )  # fmt: skip


LINES = [
    line(unit, at, position, event_id)
    for unit in ("u", "v", "w")
    for at, position, event_id in (
        (None, 1, "a"),
        (5, 2, "a"),
        (5, 3, "a"),
        (5, 3, "b"),
        (6, 4, "a"),
        (9, 5, "a"),
    )
]
STARTS = [
    ChangePoint(one.unit_id, one.order, number, f"4.{number}")
    for number, one in enumerate(LINES)
    if one.unit_id == "u" or (one.unit_id == "v" and one.ordered_at == 6)
]
LIMITS = [
    replace(point, of=("c", None, "0_1"), limit_ms=limit_ms)
    for point, limit_ms in zip(STARTS, (200, 500, None, 300, 200, 900, 400), strict=True)
]


@pytest.mark.parametrize("lines", [LINES, LINES[::-1], LINES[3:4]], ids=["in order", "turned round", "one"])
def test_what_holds_for_an_event_is_the_last_mark_at_or_before_it(lines: list[ClientEvent]) -> None:
    marked = with_change_points(STARTS)(batch_of(EVENTS, lines))
    found = zip(
        *(python_column(marked.column(name)) for name in ("incarnation", "client_version")), strict=True
    )
    assert list(found) == [_holds(one) for one in lines]


def _holds(event: ClientEvent) -> tuple[int, str | None]:
    own = [point for point in STARTS if point.unit_id == event.unit_id]
    if not own:
        return 0, None
    point = own[max(0, bisect_right([point.place for point in own], event.order) - 1)]
    return point.incarnation, point.client_version


def test_a_limit_tells_how_far_a_timer_is_and_leaves_other_lines_alone() -> None:
    others = [replace(one, kind="disconnect", remaining_ms=None) for one in LINES]
    marked = with_change_points(LIMITS)(
        batch_of(EVENTS, [one for pair in zip(LINES, others, strict=True) for one in pair])
    )
    kinds, elapsed, limits = (
        python_column(marked.column(name)) for name in ("kind", "elapsed_ms", "limit_ms")
    )
    assert limits[::2] == [200, 500, None, 300, 200, 900, *[400] * 6, *[None] * 6]
    assert elapsed[::2] == [None if limit is None else limit - 200 for limit in limits[::2]]
    assert [kind == "task_timeout_start" for kind in kinds[::2]] == [limit == 200 for limit in limits[::2]]
    assert set(kinds[1::2]) == {"disconnect"}
    assert set(elapsed[1::2]) == set(limits[1::2]) == {None}


def test_a_batch_without_marks_is_as_it_was() -> None:
    batch = batch_of(EVENTS, LINES)
    assert with_change_points([])(batch) == batch.set_column(
        EVENTS.get_field_index("incarnation"), "incarnation", pa.array([0] * len(LINES), pa.int32())
    )


def test_a_line_that_says_a_version_keeps_it_where_the_process_has_several() -> None:
    said = replace(LINES[0], message_id="client-version", client_version="3.9.1", remaining_ms=None)
    marked = with_change_points([ChangePoint("u", said.order, 0, None)])(batch_of(EVENTS, [said, LINES[1]]))
    assert python_column(marked.column("client_version")) == ["3.9.1", None]


def test_a_line_of_another_client_says_nothing_of_javas_and_keeps_what_it_says() -> None:
    dump = replace(LINES[0], kind="config_dump", remaining_ms=None, details={"config.client.id": "c"})
    java = replace(LINES[1], kind="lifecycle", message_id="client-version", client_version="3.9.1")
    other = replace(LINES[2], kind="lifecycle", message_id="rdkafka-started", client_library="librdkafka")
    other = replace(other, client_version="2.16.0", details={"library_version": "2.16.0"})
    control = [dump, java, other]
    points = list(change_points(control, UnitSettings.from_events(control)))
    assert [point.client_version for point in points] == ["3.9.1"]
    marked = with_change_points(points)(batch_of(EVENTS, [java, other, LINES[3]]))
    assert python_column(marked.column("client_version")) == ["3.9.1", "2.16.0", "3.9.1"]
