"""A table that was opened is as good as one opened anew: whatever is written, lost or made again beside it."""

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake

from jobs.storage.table_cache import KEPT, _kept, delta_table, open_table, to_write, written
from transforms.errors import BadInput


def rows(*values):
    return pa.table({"value": pa.array(values, pa.int64())})


@pytest.fixture
def path(tmp_path):
    write_deltalake(str(tmp_path / "t"), rows(1))
    return str(tmp_path / "t")


def values(path, version=None):
    return sorted(open_table(path, version).dataset.to_table()["value"].to_pylist())


def test_it_is_opened_once_a_version(path):
    assert open_table(path) is open_table(path)
    assert open_table(path, 0) is open_table(path, 0)
    assert open_table(path).dataset is open_table(path).dataset


def test_what_another_writes_is_seen(path):
    assert values(path) == [1]
    write_deltalake(path, rows(2), mode="append")
    assert (values(path), open_table(path).version) == ([1, 2], 1)
    assert values(path, 0) == [1]
    write_deltalake(path, rows(3), mode="overwrite")
    assert (values(path), values(path, 1)) == ([3], [1, 2])


def test_what_is_written_here_is_not_opened_anew(path, monkeypatch):
    own = delta_table(path)
    write_deltalake(own, rows(2), mode="append")
    written(path, own)
    monkeypatch.setattr("jobs.storage.table_cache.delta_table", None)
    assert (values(path), open_table(path).version) == ([1, 2], 1)
    monkeypatch.undo()
    write_deltalake(path, rows(3), mode="append")
    assert values(path) == [1, 2, 3]


def test_who_writes_takes_the_table_that_is_kept(path, monkeypatch):
    assert values(path) == values(path, 0) == [1]
    monkeypatch.setattr("jobs.storage.table_cache.delta_table", None)
    for value in (2, 3):
        own = to_write(path)
        write_deltalake(own, rows(value), mode="append")
        written(path, own)
    assert (values(path), values(path, 0), open_table(path).version) == ([1, 2, 3], [1], 2)
    assert (open_table(path).files.num_rows, open_table(path, 0).files.num_rows) == (3, 1)


def test_who_writes_takes_no_table_that_another_has_written_since(path):
    assert values(path) == [1]
    write_deltalake(path, rows(2), mode="append")
    assert to_write(path).version() == 1


def test_a_transaction_is_looked_up_once_and_known_to_who_wrote_it(path):
    assert open_table(path).transaction("a") is None
    write_deltalake(
        path,
        rows(2),
        mode="append",
        commit_properties=CommitProperties(app_transactions=[Transaction("a", 7)]),
    )
    assert open_table(path).transaction("a") == 7
    own = to_write(path)
    write_deltalake(own, rows(3), mode="append")
    written(path, own, {"b": 8})
    assert (open_table(path).transaction("a"), open_table(path).transaction("b")) == (7, 8)


def test_what_another_wrote_meanwhile_is_in_what_is_kept(path):
    own = delta_table(path)
    write_deltalake(path, rows(2), mode="append")
    write_deltalake(own, rows(3), mode="append")
    written(path, own)
    assert (values(path), open_table(path).version) == ([1, 2, 3], 2)


def test_a_table_that_names_files_elsewhere_is_not_kept(path, monkeypatch):
    own = delta_table(path)
    write_deltalake(own, rows(2), mode="append")
    monkeypatch.setattr("jobs.storage.table_cache.inside.outside", lambda paths: "elsewhere")
    written(path, own)
    with pytest.raises(BadInput, match="elsewhere"):
        open_table(path)


def test_a_commit_that_is_lost_is_not_known_any_more(path):
    write_deltalake(path, rows(2), mode="append")
    assert values(path) == [1, 2]
    Path(path, "_delta_log", f"{1:020d}.json").unlink()
    assert (values(path), open_table(path).version) == ([1], 0)


def test_a_table_that_is_made_again_is_another(path):
    assert values(path) == values(path, 0) == [1]
    shutil.rmtree(path)
    write_deltalake(path, rows(7, 8))
    assert values(path) == values(path, 0) == [7, 8]


def test_behind_a_checkpoint_whose_commits_are_gone(path):
    for value in range(2, 6):
        write_deltalake(path, rows(value), mode="append")
    DeltaTable(path).create_checkpoint()
    for version in range(4):
        Path(path, "_delta_log", f"{version:020d}.json").unlink()
    assert values(path) == [1, 2, 3, 4, 5]
    write_deltalake(path, rows(6), mode="append")
    assert values(path) == [1, 2, 3, 4, 5, 6]


def test_few_are_kept(tmp_path):
    for number in range(KEPT + 3):
        write_deltalake(str(tmp_path / str(number)), rows(number))
        open_table(str(tmp_path / str(number)))
    assert len(_kept) == KEPT
