"""What a run wrote is checked: only its units, only what changed, and the books always."""

import pytest
from deltalake import DeltaTable, write_deltalake

from expectations import TABLES
from jobs.checks import CHECKS, Wrote, check_tables, results_of
from jobs.lake import Lake
from jobs.sample_parts import Region
from jobs.series import SAMPLES
from tests.expectations.rows import row


@pytest.fixture
def lake(tmp_path) -> Lake:
    lake = Lake(tmp_path)
    lake.prepare()
    return lake


def put(lake: Lake, table: str, *rows) -> None:
    write_deltalake(lake.path(table), TABLES[table].arrow_table(list(rows)), mode="append")


def failed(lake: Lake) -> list[tuple[str, str, int]]:
    rows = DeltaTable(lake.path(CHECKS)).to_pyarrow_table().to_pylist()
    return [(r["table_name"], r["expectation"], r["unexpected_count"]) for r in rows if not r["success"]]


def test_a_broken_row_of_a_touched_unit_is_counted(lake):
    name = "silver.task_timers"
    put(
        lake, name, row(name, timer_id="1", unit_id="a", outcome="lost"), row(name, timer_id="2", unit_id="b")
    )
    assert check_tables(None, lake, {name: True}, Wrote(["a"], 0), "run-1") == 1
    assert failed(lake) == [(name, "column_values_to_be_in_set(outcome)", 1)]


@pytest.mark.parametrize(("changed", "units"), [(True, ["b"]), (False, ["a"])])
def test_other_units_and_unchanged_tables_are_left_alone(lake, changed, units):
    name = "silver.task_timers"
    put(lake, name, row(name, timer_id="1", unit_id="a", outcome="lost"))
    assert check_tables(None, lake, {name: changed}, Wrote(units, 0), "run-1") == 0


def test_books_that_do_not_balance_are_always_found(lake):
    put(lake, "bronze.accounting", row("bronze.accounting", bytes_read=7))
    assert check_tables(None, lake, {}, Wrote([], 0), "run-1") == 1
    assert failed(lake) == [("bronze.accounting", "column_values_to_be_in_set(bytes_read_unaccounted)", 1)]


def test_of_records_those_that_came_since_are_checked(lake):
    name = "bronze.log_records"
    for at in (1000, 2000):
        put(lake, name, row(name, record_id=str(at), ingested_at=at, time_origin="guessed"))
    assert check_tables(None, lake, {name: True}, Wrote([], 1500), "run-1") == 1
    assert failed(lake) == [(name, "column_values_to_be_in_set(time_origin)", 1)]


def test_what_was_checked_before_the_end_is_not_read_again(lake):
    name = "silver.task_timers"
    put(lake, name, row(name, timer_id="1", unit_id="a"))
    done = results_of(None, lake, [name], Wrote(["a"], 0))
    put(lake, name, row(name, timer_id="2", unit_id="a", outcome="lost"))
    assert check_tables(None, lake, {name: True}, Wrote(["a"], 0), "run-1", done) == 0


def test_samples_are_checked_where_they_were_written(lake):
    """In parts of two rows here; of what stands elsewhere no row is looked at."""
    at = [{"unit_id": unit, "sampled_at": second * 1000} for unit in "ab" for second in (0, 3600, 7200)]
    put(lake, SAMPLES, *(row(SAMPLES, clock="sundial", **place) for place in at))
    lake.most_rows = 2
    wrote = Wrote(["a", "b"], 0, Region(["a"], 0, 3_600_000_000))
    assert check_tables(None, lake, {SAMPLES: True}, wrote, "run-1") == 1
    assert failed(lake) == [(SAMPLES, "column_values_to_be_in_set(clock)", 2)]
