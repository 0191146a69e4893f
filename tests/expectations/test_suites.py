"""Each kind of expectation: rows that keep it, rows that break it, and what the result tells."""

import json
from typing import Any

import pyarrow as pa
import pytest

from expectations import TABLES, suites
from expectations.expect import Expectation
from expectations.suites import check_table, checked_columns, suite
from tests.expectations.rows import row


def failed(name: str, rows: list[dict[str, Any]]) -> dict[str, tuple[int | None, Any]]:
    contract = TABLES[name]
    results = check_table(contract, contract.arrow_table(rows))
    assert len(results) == len(contract.expectations)
    return {
        result.expectation: (result.unexpected_count, json.loads(result.sample or "null"))
        for result in results
        if not result.success
    }


@pytest.mark.parametrize("name", TABLES)
def test_a_suite_is_made_of_every_contract_and_holds_of_nothing_and_of_a_good_row(name):
    assert len(suite(TABLES[name]).expectations) == len(TABLES[name].expectations)
    assert failed(name, []) == {}
    assert failed(name, [row(name)]) == {}


@pytest.mark.parametrize("name", TABLES)
def test_what_holds_plainly_is_what_great_expectations_says_too(name, monkeypatch):
    contract = TABLES[name]
    nulls = {column.name: None for column in contract.fields if not column.is_required}
    rows = ([row(name), row(name, other=True)], [row(name), row(name, **nulls)])
    tables = [contract.arrow_table(some) for some in rows]
    plainly = [check_table(contract, one) for one in tables]
    monkeypatch.setattr(suites, "holds", lambda _expected, _rows: False)
    assert [check_table(contract, one) for one in tables] == plainly


@pytest.mark.parametrize("name", TABLES)
def test_titles_are_keys_of_table_checks(name):
    titles = [expected.title for expected in TABLES[name].expectations]
    assert len(set(titles)) == len(titles)


def test_a_key_that_stands_twice():
    broken = failed("silver.task_timers", [row("silver.task_timers", timer_id="t")] * 2)
    assert broken == {"column_values_to_be_unique(timer_id)": (2, ["t", "t"])}


def test_a_key_that_stands_twice_is_named_beside_one_that_is_missing():
    rows = [row("silver.task_timers", timer_id=timer_id) for timer_id in ("a", "t", None, "t")]
    broken = failed("silver.task_timers", rows)
    assert broken["column_values_to_be_unique(timer_id)"] == (2, ["t", "t"])
    assert broken["column_values_to_not_be_null(timer_id)"][0] == 1


def test_a_compound_key_counts_its_nulls():
    twice = [row("gold.client_health", client_id="c")] * 2
    assert list(failed("gold.client_health", twice)) == ["compound_columns_to_be_unique(unit_id, client_id)"]
    nulls = [row("gold.unjudged", client_id=None)] * 2
    assert len(failed("gold.unjudged", nulls)) == 1


@pytest.mark.parametrize(
    ("name", "change", "title", "sample"),
    [
        ("silver.client_events", {"kind": "gossip"}, "column_values_to_be_in_set(kind)", ["gossip"]),
        ("bronze.log_records", {"line": -1}, "column_values_to_be_between(line)", [-1]),
        ("bronze.accounting", {"lines_read": 9}, "column_values_to_be_in_set(lines_read_unaccounted)", [9]),
        (
            "gold.violations",
            {"event_ids": [], "samples": []},
            "column_values_to_be_between(event_ids_or_samples_count)",
            [0],
        ),
        (
            "gold.violations",
            {"limit_origin": "default:4.2.1"},
            "column_values_to_not_match_regex(limit_origin)",
            ["default:4.2.1"],
        ),
        ("silver.client_settings", {"origin": "guess"}, "column_values_to_match_regex(origin)", ["guess"]),
    ],
)
def test_a_broken_row_is_named(name, change, title, sample):
    assert failed(name, [row(name, **change), row(name, other=True)]) == {title: (1, sample)}


def test_an_end_before_its_start_is_found_and_an_unknown_one_is_not():
    name = "silver.batch_lifetimes"
    rows = [
        row(name, batch_id="a", created_at=5, ended_at=4),
        row(name, batch_id="b", created_at=5, ended_at=5),
        row(name, batch_id="c", created_at=None, ended_at=4),
    ]
    ((title, (count, _)),) = failed(name, rows).items()
    assert title == "column_pair_values_a_to_be_greater_than_b(ended_at, created_at)"
    assert count == 1


def test_a_null_where_none_may_be_is_counted_and_no_text_is_sampled():
    contract = TABLES["bronze.log_records"]
    rows = contract.arrow_table([row(contract.name)])
    none = rows.set_column(rows.column_names.index("text"), "text", pa.nulls(1, pa.string()))
    (broken,) = [result for result in check_table(contract, none) if not result.success]
    assert (broken.expectation, broken.unexpected_count) == ("column_values_to_not_be_null(text)", 1)


@pytest.mark.parametrize("name", TABLES)
def test_the_checked_columns_are_enough(name):
    contract = TABLES[name]
    narrow = contract.arrow_table([row(name)]).select(checked_columns(contract))
    assert all(result.success for result in check_table(contract, narrow))


def test_rows_without_a_checked_column_are_refused():
    contract = TABLES["gold.runs"]
    with pytest.raises(ValueError, match=r"gold\.runs: the rows have no column run_id"):
        check_table(contract, contract.arrow_table([]).drop_columns(["run_id"]))


def test_an_expectation_that_can_not_be_computed_fails_and_says_so(monkeypatch):
    contract = TABLES["gold.runs"]
    odd = Expectation("expect_column_values_to_be_between", {"column": "job", "min_value": 1}, ("job",))
    monkeypatch.setattr(type(contract), "expectations", property(lambda _: (odd,)))
    (result,) = check_table(contract, contract.arrow_table([row(contract.name)]))
    assert (result.success, result.unexpected_count) == (False, None)
    assert result.sample
