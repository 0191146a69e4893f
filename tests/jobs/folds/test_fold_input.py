"""How processes are handed to tasks: by the files that hold their events."""

from collections.abc import Collection

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from jobs.folds import fold_input
from jobs.folds.fold_input import FOLDED
from transforms.fold_rows import TASK_ROWS, packed_by_files
from transforms.timers.samples.binding import NO_METRICS


def test_a_file_is_read_by_a_few_tasks_however_many_there_are() -> None:
    files = {f"unit-{number:04d}": (f"file-{number % 40:02d}",) for number in range(4_000)}
    packs = packed_by_files(dict.fromkeys(files, TASK_ROWS // 100), files, slots=2)
    assert sorted(unit for pack in packs for unit in pack) == sorted(files)
    assert len(packs) == 40
    readers = [len({files[unit] for unit in pack}) for pack in packs]
    assert max(readers) <= 3
    assert max(map(len, packs)) * (TASK_ROWS // 100) <= TASK_ROWS


def test_few_rows_are_shared_among_the_slots_and_none_make_no_pack() -> None:
    files = {"a": ("one",), "b": ("two",), "held by the driver": ()}
    assert len(packed_by_files({"a": 5, "b": 5, "held by the driver": 5}, files, slots=3)) == 3
    assert packed_by_files({}, {}, slots=3) == []


def test_a_process_of_several_files_is_whole_in_one_pack() -> None:
    files = {"a": ("one", "two"), "b": ("two",)}
    packs = packed_by_files({"a": 3 * TASK_ROWS, "b": 1}, files, slots=1)
    assert sorted(packs) == [["a"], ["b"]]


def test_a_pack_that_is_more_than_a_task_holds_is_read_in_parts_that_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only what is too large by itself is read span by span, which looks at its files several times."""
    units = [f"unit-{number}" for number in range(15)]
    rows = [
        {"event_id": f"{one}/{n}", "unit_id": one, "details": [("key", "x" * 1_000)]}
        for one in units
        for n in range(9)
    ]
    rows += [
        {"event_id": f"huge/{n}", "unit_id": "huge", "details": [("key", "x" * 1_000)]} for n in range(90)
    ]
    filled = [dict.fromkeys(FOLDED.names) | {"kind": "poll", "message_id": "one"} | row for row in rows]
    table = ds.dataset(pa.Table.from_pylist(filled, pa.schema([one.with_nullable(True) for one in FOLDED])))
    looks, by_spans = [], []

    def of_files(files: Collection[str]) -> ds.Dataset:
        looks.append(files)
        return table

    def spans(_: ds.Dataset, unit_id: str, __: object) -> list[pa.RecordBatch]:
        by_spans.append(unit_id)
        return []

    monkeypatch.setattr(fold_input, "HELD_BYTES", 40_000)
    monkeypatch.setattr(fold_input, "_by_spans", spans)
    read = fold_input._of_lake(
        of_files, dict.fromkeys([*units, "huge"], ("file",)), "", NO_METRICS, frozenset({"huge"})
    )
    found = pa.Table.from_batches(read([*reversed(units), "huge"]))
    assert by_spans == ["huge"]
    assert found["unit_id"].to_pylist() == [one for one in sorted(units) for _ in range(9)]
    assert len(looks) < len(units)
