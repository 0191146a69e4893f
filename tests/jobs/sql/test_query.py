"""`kipwatch query`: what runs, what is refused, and that no cell speaks to a terminal or a spreadsheet."""

import csv
import io
import json
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from expectations.sql.statement import checked
from jobs.sql.query import run_query
from transforms.errors import BadInput

pytestmark = pytest.mark.usefixtures("query_here")

AT = datetime(2026, 5, 1, 10, 0, 0, 123000, UTC)
HOSTILE = "=HYPERLINK(1) [red]\x1b[31m<script> line\nnext \u202egnp"


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    lake = tmp_path_factory.mktemp("lake")
    rows = pa.table(
        {
            "violation_id": ["v1", "v2"],
            "rule_id": ["kip91.expired_early", "kip62.left_early"],
            "happened_at": pa.array([AT, None], pa.timestamp("us", tz="UTC")),
            "observed_ms": pa.array([-5, None], pa.int64()),
            "explanation": [HOSTILE, "plain"],
            "event_ids": [["e1", "e2"], []],
        }
    )
    write_deltalake(str(lake / "gold" / "violations"), rows)
    write_deltalake(str(lake / "gold" / "incidents"), pa.table({"incident_id": ["i1"], "title": ["t"]}))
    return lake


def printed(lake, sql, fmt="jsonl"):
    out = io.StringIO()
    run_query(lake, sql, fmt, out)
    return out.getvalue()


def rows_of(lake, sql):
    return [json.loads(line) for line in printed(lake, sql).splitlines()]


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("SELECT rule_id FROM gold.violations ORDER BY 1", ["kip62.left_early", "kip91.expired_early"]),
        ("select rule_id from GOLD.Violations where violations.violation_id = 'v1'", ["kip91.expired_early"]),
        ("select gold.violations.rule_id from gold.violations limit 0", []),
        ("select v.violation_id from gold.violations v where v.observed_ms is null;", ["v2"]),
        ("with worst as (select * from gold.violations) select count(*) from worst", [2]),
        ("with violations as (select * from gold.violations) select count(*) from violations", [2]),
        ("select violation_id from gold.violations union select incident_id from gold.incidents order by 1",
         ["i1", "v1", "v2"]),
        ("(select incident_id from gold.incidents)", ["i1"]),
        ("select violation_id from gold.violations v join gold.incidents i on true order by 1", ["v1", "v2"]),
        ("select count(*) from gold.violations where rule_id in (select rule_id from gold.violations)", [2]),
        ("select e from (select unnest(event_ids) as e from gold.violations) order by 1", ["e1", "e2"]),
        ("select 'DROP TABLE x; --' as s", ["DROP TABLE x; --"]),
        ("select 'it''s' as s -- a comment", ["it's"]),
        ("select date_trunc('day', happened_at) from gold.violations where violation_id = 'v1'",
         ["2026-05-01T00:00:00.000Z"]),
        ("select to_char(max(happened_at), '%Y-%m-%d') from gold.violations", ["2026-05-01"]),
        ("select max(happened_at) - min(happened_at) from gold.violations", [0]),
        ("select event_ids[2] from gold.violations where violation_id = 'v1'", ["e2"]),
        ("select observed_ms::varchar || ' ms' from gold.violations where violation_id = 'v1'", ["-5 ms"]),
        ("select count(*) filter (where observed_ms < 0) from gold.violations", [1]),
    ],
)  # fmt: skip
def test_reads_contract_tables_by_their_names(lake, sql, values):
    assert [next(iter(row.values())) for row in rows_of(lake, sql)] == values


@pytest.mark.parametrize(
    "sql",
    [
        "",
        ";",
        "-- nothing",
        "hello",
        "select",
        "select 1; select 2",
        "select 1; drop table gold.violations",
        "COPY gold.violations TO 'out.csv'",
        "COPY (SELECT 1) TO 'out.parquet' STORED AS PARQUET",
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
        "CREATE TABLE t AS SELECT 1",
        "CREATE VIEW v AS SELECT 1",
        "INSERT INTO gold.violations VALUES (1)",
        "UPDATE gold.violations SET rule_id = 'x'",
        "DELETE FROM gold.violations",
        "MERGE INTO gold.violations USING x ON true WHEN MATCHED THEN DELETE",
        "TRUNCATE TABLE gold.violations",
        "DROP TABLE gold.violations",
        "SET datafusion.execution.batch_size = 1",
        "SHOW TABLES",
        "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE SELECT * FROM gold.violations",
        "DESCRIBE gold.violations",
        "VALUES (1)",
        "SELECT * INTO t FROM gold.violations",
        "SELECT * FROM gold.violations FOR UPDATE",
        "WITH gone AS (DELETE FROM gold.violations RETURNING *) SELECT * FROM gone",
        "WITH more AS (INSERT INTO gold.violations VALUES (1) RETURNING *) SELECT * FROM more",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM '/data/file.parquet'",
        'SELECT * FROM "/data/file.csv"',
        "SELECT * FROM read_parquet('x')",
        "SELECT * FROM read_csv('x')",
        "SELECT * FROM generate_series(1, 10)",
        "SELECT * FROM violations",
        "SELECT * FROM gold__violations",
        "SELECT * FROM gold.nothing",
        "SELECT * FROM other.gold.violations",
        "SELECT * FROM information_schema.tables",
        "SELECT (SELECT count(*) FROM secret.t) FROM gold.violations",
        "SELECT * FROM gold.violations WHERE EXISTS (SELECT * FROM 'file.json')",
        "WITH gold AS (SELECT 1) SELECT * FROM gold.gold",
        "DO $$ BEGIN END $$",
        "CALL x()",
        "ATTACH 'x' AS y",
        "PREPARE p AS SELECT 1",
        "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    ],
)
def test_refuses_all_that_is_not_one_select_over_contract_tables(sql):
    with pytest.raises(BadInput) as refusal:
        checked(sql)
    assert refusal.value.exit_code == 2
    assert "\n" not in str(refusal.value)


def test_what_runs_is_written_from_what_was_checked(lake):
    assert checked("select * from gold.violations /* ; drop table x */") == (
        'SELECT * FROM "gold__violations" AS "violations"'
    )


def test_a_name_nearly_right_gets_a_hint(lake):
    with pytest.raises(BadInput, match=r"did you mean gold\.violations\?"):
        checked("select * from gold.violation")


def test_a_table_not_in_the_lake_says_how_to_fill_it(lake):
    with pytest.raises(BadInput, match=r"silver\.task_timers is not there.*kipwatch run"):
        run_query(lake, "select * from silver.task_timers")


def test_a_query_that_fails_names_the_columns_there_are(lake):
    with pytest.raises(BadInput, match=r"gold\.violations has .*rule_id"):
        run_query(lake, "select no_such_column from gold.violations")


@pytest.mark.parametrize("fmt", ["table", "csv", "json", "jsonl"])
def test_hostile_text_is_shown_never_obeyed(lake, fmt):
    text = printed(lake, "select explanation from gold.violations where violation_id = 'v1'", fmt)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]" in text


def test_csv_defuses_formulas_and_leaves_numbers_alone(lake):
    text = printed(
        lake, "select explanation, observed_ms from gold.violations where violation_id = 'v1'", "csv"
    )
    _, row = list(csv.reader(io.StringIO(text)))
    assert row[0].startswith("'=HYPERLINK(1)")
    assert row[1] == "-5"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_every_start_of_a_formula_is_defused(lake, start):
    literal = f"{start}1+1"
    text = printed(lake, f"select '{literal}' as s", "csv")
    assert next(csv.reader(io.StringIO(text.split("\n", 1)[1])))[0].startswith("'")


def test_a_table_in_a_pipe_is_one_line_a_row(lake):
    lines = printed(lake, "select * from gold.violations order by 1", "table").splitlines()
    assert len(lines) == 3
    assert lines[0].split()[:2] == ["violation_id", "rule_id"]


def test_json_of_no_rows_is_an_empty_array(lake):
    assert json.loads(printed(lake, "select * from gold.violations limit 0", "json")) == []


def test_json_keeps_lists_instants_and_nulls(lake):
    (first, second) = json.loads(printed(lake, "select * from gold.violations order by violation_id", "json"))
    assert first["event_ids"] == ["e1", "e2"]
    assert first["happened_at"] == "2026-05-01T10:00:00.123Z"
    assert second["observed_ms"] is None


def test_an_unknown_format_is_refused(lake):
    with pytest.raises(BadInput, match="xml"):
        run_query(lake, "select 1", "xml")
