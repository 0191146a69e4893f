"""What was written is checked once, whenever that is; keys among all rows, and the accounting always."""

import pytest
from deltalake import DeltaTable, write_deltalake

from expectations import TABLES, repeated_keys
from jobs.checks import all_is_checked, check_tables, results_of
from jobs.runs import CHECKS
from jobs.storage.lake import LakeWriter
from tests.expectations.rows import row
from transforms.timers.samples.series_rows import SAMPLES


@pytest.fixture
def lake(tmp_path) -> LakeWriter:
    lake = LakeWriter(tmp_path)
    lake.prepare()
    return lake


def put(lake: LakeWriter, table: str, *rows) -> None:
    write_deltalake(lake.path(table), TABLES[table].arrow_table(list(rows)), mode="append")


def failed(lake: LakeWriter) -> list[tuple[str, str, int]]:
    rows = DeltaTable(lake.path(CHECKS)).to_pyarrow_table().to_pylist()
    return [(r["table_name"], r["expectation"], r["unexpected_count"]) for r in rows if not r["success"]]


TIMERS = "silver.task_timers"


def test_a_broken_row_is_counted(lake):
    put(lake, TIMERS, row(TIMERS, timer_id="1", outcome="lost"), row(TIMERS, timer_id="2"))
    assert check_tables(lake, "run-1") == 1
    assert failed(lake) == [(TIMERS, "column_values_to_be_in_set(outcome)", 1)]


def test_what_was_checked_is_left_alone_also_put_together(lake):
    put(lake, TIMERS, row(TIMERS, timer_id="1", outcome="lost"))
    put(lake, TIMERS, row(TIMERS, timer_id="2"))
    assert check_tables(lake, "run-1") == 1
    assert check_tables(lake, "run-2") == 0
    DeltaTable(lake.path(TIMERS)).optimize.compact()
    all_is_checked(lake)
    put(lake, TIMERS, row(TIMERS, timer_id="3"))
    assert check_tables(lake, "run-3") == 0


def test_a_key_is_looked_for_among_all_rows(lake):
    for timer_id in ("1", "2", "1"):
        put(lake, TIMERS, row(TIMERS, timer_id=timer_id))
        found = check_tables(lake, "run")
    assert found == 1
    assert failed(lake) == [(TIMERS, "column_values_to_be_unique(timer_id)", 2)]


def test_books_that_do_not_balance_are_found_each_time(lake):
    put(lake, "bronze.accounting", row("bronze.accounting", bytes_read=7))
    assert [check_tables(lake, run_id) for run_id in ("run-1", "run-2")] == [1, 1]
    assert failed(lake)[0] == ("bronze.accounting", "column_values_to_be_in_set(bytes_read_unaccounted)", 1)


def test_what_was_checked_before_the_end_is_not_read_again(lake):
    put(lake, TIMERS, row(TIMERS, timer_id="1"))
    done = results_of(lake, [TIMERS])
    put(lake, TIMERS, row(TIMERS, timer_id="2", outcome="lost"))
    assert check_tables(lake, "run-1", done) == 0
    assert check_tables(lake, "run-2") == 1


def test_more_than_one_process_should_hold_is_checked_in_parts(lake, monkeypatch):
    monkeypatch.setattr(repeated_keys, "ROWS_AT_ONCE", 2)
    for timer_id, outcome in (("1", "lost"), ("2", "open"), ("3", "lost"), ("1", "open")):
        put(lake, TIMERS, row(TIMERS, timer_id=timer_id, outcome=outcome))
    assert check_tables(lake, "run") == 2
    assert {expectation for _, expectation, _ in failed(lake)} == {
        "column_values_to_be_in_set(outcome)",
        "column_values_to_be_unique(timer_id)",
    }


def test_of_samples_those_are_looked_at_that_were_added(lake):
    """A key of several columns: of what stands only what has all of them."""
    for second in (0, 3600, 0):
        put(lake, SAMPLES, *(row(SAMPLES, unit_id=unit, sampled_at=second * 1000) for unit in "ab"))
        found = check_tables(lake, "run")
    assert found == 1
    assert failed(lake)[0][2] == 4
