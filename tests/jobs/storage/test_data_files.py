"""Data files that tasks write: what a commit says of them is true, so that who reads may pass them over."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, Schema

from jobs.engine.row_source import of_batches
from jobs.storage import data_files
from jobs.storage.data_files import ADDED, added_by, writing

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
COLUMNS = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        ("at", pa.timestamp("us", tz="UTC")),
        ("number", pa.int64()),
        ("text", pa.string()),
        ("is_open", pa.bool_()),
        ("details", pa.map_(pa.string(), pa.string())),
    ]
)


def row(number: int, **other: Any) -> dict[str, Any]:
    at = NOON + timedelta(microseconds=number)
    return {
        "key": f"k{number}",
        "at": at,
        "number": number,
        "text": "t",
        "is_open": False,
        "details": None,
    } | other


def written(folder: Path, rows: list[dict[str, Any]]) -> DeltaTable:
    table = DeltaTable.create(str(folder), Schema.from_arrow(COLUMNS))
    source = of_batches(COLUMNS, len(rows), lambda: batches(rows))
    notes = [
        note.text for note in writing(source.parts, COLUMNS, str(folder))(iter(["0"])) if note.name == ADDED
    ]
    table.create_write_transaction(added_by(notes), "append", COLUMNS)
    return DeltaTable(str(folder))


def batches(rows: list[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    for one in rows:
        yield pa.RecordBatch.from_pylist([one], COLUMNS)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    rows = [row(1, details=[("a", "b")]), row(2, text=None), row(3, text="é" * 200)]
    found = written(tmp_path, rows).to_pyarrow_table()
    assert sorted(found.to_pylist(), key=lambda one: one["key"]) == rows


def test_a_file_says_what_is_in_it(tmp_path: Path) -> None:
    rows = [row(1, text=None), row(5, text="a" * 100), row(3, is_open=True)]
    (said,) = pa.table(written(tmp_path, rows).get_add_actions(flatten=True)).to_pylist()
    assert said["num_records"] == 3
    assert (said["min.key"], said["max.key"]) == ("k1", "k5")
    assert (said["min.at"], said["max.at"]) == (rows[0]["at"], rows[1]["at"])
    assert (said["min.number"], said["max.number"], said["null_count.text"]) == (1, 5, 1)
    assert said["min.text"] == "a" * 64  # of a long text its beginning is no more than it
    assert said["max.text"] == "t"


def test_of_a_long_largest_text_nothing_is_said(tmp_path: Path) -> None:
    (said,) = pa.table(written(tmp_path, [row(1, text="z" * 65)]).get_add_actions(flatten=True)).to_pylist()
    assert said.get("max.text") is None


def test_a_file_is_cut_by_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_files, "FILE_ROWS", 2)
    table = written(tmp_path, [row(number) for number in range(5)])
    assert sorted(table.get_add_actions(flatten=True).column("num_records").to_pylist()) == [1, 2, 2]
    assert table.to_pyarrow_table(filters=[("number", ">=", 3)])["number"].to_pylist() == [3, 4]


def test_a_column_that_must_be_there_is_not_left_out(tmp_path: Path) -> None:
    with pytest.raises((ValueError, pa.ArrowException)):
        written(tmp_path, [row(1, key=None)])
