"""Contracts: what a column line may be, and that the tables hold what the code makes."""

import dataclasses

import pyarrow as pa
import pytest
from deltalake import Schema

from expectations import TABLES, TableContract
from expectations.contract import table
from expectations.pages import PAGE, page
from transforms.diagnose.incident import Incident
from transforms.events import ClientEvent
from transforms.parse.lines.timestamps import Clock
from transforms.rules.judge import Finding, Unjudged, Violation
from transforms.timers import episodes

ONE = "id STRING NOT NULL COMMENT 'x'"
ADDED_BY_THE_JOB = {"unit_bucket", "plan", "detected_at", "run_id"}


@pytest.mark.parametrize(
    ("name", "made_by"),
    [
        ("silver.client_events", ClientEvent),
        ("silver.task_timers", episodes.TaskTimer),
        ("silver.backoff_attempts", episodes.BackoffAttempt),
        ("silver.batch_lifetimes", episodes.BatchLifetime),
        ("silver.liveness_sessions", episodes.LivenessSession),
        ("silver.group_rebalances", episodes.GroupRebalance),
        ("silver.findings", Finding),
        ("gold.violations", Violation),
        ("gold.unjudged", Unjudged),
        ("gold.incidents", Incident),
    ],
)
def test_a_table_has_the_fields_of_what_it_keeps(name, made_by):
    # What later machines are told, and no table keeps.
    of_machines = {"profile", "counted_down_ms", "log_is_whole", "gave_up", "was_loaded"}
    fields = {field.name for field in dataclasses.fields(made_by)} - of_machines
    columns = set(TABLES[name].column_names)
    assert fields <= columns
    assert columns - fields <= ADDED_BY_THE_JOB | {"scope_id"}


@pytest.mark.parametrize("contract", TABLES.values(), ids=list(TABLES))
def test_every_form_of_a_contract_says_the_same(contract):
    arrow = contract.arrow_schema()
    assert tuple(arrow.names) == contract.column_names
    assert all(field.metadata[b"comment"] for field in arrow)
    Schema.from_arrow(arrow)  # deltalake refuses what Delta can't keep


@pytest.mark.parametrize("contract", TABLES.values(), ids=list(TABLES))
def test_silver_and_gold_say_which_process(contract):
    run_tables = {"gold.runs", "gold.table_checks", "gold.notifications"}
    if contract.name.startswith("bronze") or contract.name in run_tables:
        return
    assert {"unit_id", "unit_bucket"} <= set(contract.column_names)


def test_rows_become_arrow_with_instants_of_whole_milliseconds():
    contract = TABLES["silver.client_events"]
    (row,) = contract.arrow_table([{"happened_at": 1_795_229_036_589, "details": {"a": "b"}}]).to_pylist()
    assert row["happened_at"].isoformat() == "2026-11-21T02:43:56.589000+00:00"
    assert row["details"] == [("a", "b")]
    assert contract.arrow_schema().field("happened_at").type == pa.timestamp("us", tz="UTC")


def test_a_row_with_a_column_the_contract_lacks_is_refused():
    with pytest.raises(ValueError, match=r"gold\.runs has no column runid"):
        TABLES["gold.runs"].arrow_table([{"runid": "r"}])


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("id VARCHAR COMMENT 'x'", "is no column"),
        ("id STRING", "is no column"),
        ("id STRING COMMENT ''", "is no column"),
        (f"{ONE}\n{ONE}", "id stands twice"),
        ("other STRING COMMENT 'x'", "id is named but is no column"),
    ],
)
def test_a_contract_that_contradicts_itself_is_refused(columns, said):
    with pytest.raises(ValueError, match=said):
        TableContract(name="s.t", grain="g", key=("id",), columns=columns)


def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="registered already"):
        table(TABLES["gold.runs"])


def test_a_quote_in_a_comment():
    contract = TableContract(name="s.t", grain="g", key=("id",), columns="id STRING COMMENT 'the log''s'")
    assert contract.comment_of("id") == "the log's"


def test_the_page_is_what_the_contracts_say():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m expectations.pages"


@pytest.mark.parametrize(
    ("clock", "text"),
    [
        (Clock("Europe/Berlin"), "2026-10-25 02:30:00,000"),
        (Clock("Europe/Berlin"), "2026-10-25 05:30:00,000"),
        (Clock(), "2026-10-25 02:30:00,000"),
        (Clock(), "2026-10-25T02:30:00,000Z"),
        (Clock(), "nothing"),
    ],
)
def test_a_record_may_have_any_time_that_a_line_may_have(clock, text):
    (allowed,) = (
        one.arguments["value_set"]
        for one in TABLES["bronze.log_records"].expectations
        if one.type.endswith("in_set") and one.about == ("time_zone_origin",)
    )
    assert clock.read(text).zone_origin in allowed
