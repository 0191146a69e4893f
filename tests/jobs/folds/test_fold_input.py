"""How processes are handed to tasks: by the files that hold their events."""

from jobs.folds.fold_input import TASK_ROWS, packed_by_files


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
