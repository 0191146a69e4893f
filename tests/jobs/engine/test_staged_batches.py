"""Rows that tasks put aside: small batches are put together, in their order, and nothing of them is lost."""

import pyarrow as pa
import pytest

from jobs.engine import arrow_files
from jobs.engine.staging import put_aside
from transforms.tasks import Note

SCHEMA = pa.schema([("at", pa.int64()), ("says", pa.string()), ("names", pa.map_(pa.string(), pa.string()))])


def of(*numbers: int) -> pa.RecordBatch:
    rows = [{"at": n, "says": None if n % 3 else f"line {n}", "names": [("n", str(n))]} for n in numbers]
    return pa.RecordBatch.from_pylist(rows, SCHEMA)


@pytest.mark.parametrize(
    ("sizes", "written"),
    [
        ([1] * 10, 1),
        ([1] * (arrow_files.MOST_WAITING + 1), 2),
        ([arrow_files.FEW_ROWS - 1, 1, 1], 2),
        ([5_000, 3, 5_000], 2),
        ([], 0),
    ],
)
def test_small_batches_are_put_together_in_their_order(tmp_path, sizes, written):
    given, at = [], 0
    for size in sizes:
        given.append(of(*range(at, at + size)))
        at += size
    made = ((name, batch) for batch in given for name in ("a", "b"))
    entries = put_aside((one for one in (Note("n", "x"), *made)), {"a": SCHEMA, "b": SCHEMA}, tmp_path)
    assert entries[0] == ("n", None, 0, "x")
    assert [(name, rows) for name, _, rows, _ in entries[1:]] == ([("a", at), ("b", at)] if sizes else [])
    for _, path, _, _ in entries[1:]:
        batches = list(arrow_files.batches_of(path))
        assert len(batches) == written
        assert pa.Table.from_batches(batches).equals(pa.Table.from_batches(given))


def test_what_was_made_before_a_task_failed_is_in_its_file(tmp_path):
    def made():
        yield "a", of(1)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        put_aside(made(), {"a": SCHEMA}, tmp_path)
    (path,) = tmp_path.glob("a-*.arrow")
    assert arrow_files.table_of(str(path)).num_rows == 1
