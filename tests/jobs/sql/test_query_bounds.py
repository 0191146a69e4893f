# ruff: noqa: E501 (statements are written whole)
"""A query ends in one sentence where it takes too much, and runs as it was written or not at all."""

import json
import time
from dataclasses import replace

import pyarrow as pa
import pytest
from deltalake import QueryBuilder, write_deltalake
from deltalake.exceptions import DeltaError

from conf.settings import QueryConf, load_conf
from dashboards.queries.base import NO_MORE
from dashboards.queries.files import Files
from expectations.sql.statement import checked
from jobs.sql.query import query_rows
from jobs.storage.table_cache import open_table
from transforms.errors import BadInput

# A busy machine takes seconds to start a query's process.
NARROW = QueryConf(seconds=60, memory_bytes=512 * 1024 * 1024, most_rows=10)
TEN = "(values (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) {}(x)"


@pytest.mark.parametrize(
    ("sql", "met"),
    [
        ("with recursive t as (select 1 as n union all select n + 1 from t) select count(*) from t", "takes longer than 4 s"),
        (f"select count(*) from {', '.join(TEN.format(f't{n}') for n in range(12))} where t0.x < 0 or t1.x + t2.x = t3.x", "takes longer than 4 s|needs more than 512 MiB"),
        ("select length(lpad('a', 2000000000))", "needs more than 512 MiB"),
        ("select length(repeat('a', 2000000000))", "needs more than 512 MiB"),
        (f"select a.x from {TEN.format('a')}, {TEN.format('b')}", "gives more than 10 rows"),
    ],
)  # fmt: skip
def test_a_bound_is_met_in_one_sentence(tmp_path, sql, met):
    bounds = replace(NARROW, seconds=4) if "4 s" in met else NARROW
    with pytest.raises(BadInput, match=met) as told:
        list(query_rows(tmp_path, sql, bounds)[1])
    assert "raise query." in str(told.value)
    assert "\n" not in str(told.value)


def test_what_stays_within_runs(tmp_path):
    names, rows = query_rows(tmp_path, f"select x from {TEN.format('a')} order by x", NARROW)
    assert names == ["x"]
    assert [row["x"] for row in rows] == list(range(1, 11))


def test_bounds_are_settings():
    assert load_conf().query.seconds > 0


@pytest.mark.parametrize("way", ["{file}", "file://{file}", "../../elsewhere/{name}"])
def test_a_log_that_names_a_file_from_outside_shows_no_row_of_it(tmp_path, way):
    write_deltalake(str(tmp_path / "gold" / "incidents"), pa.table({"incident_id": ["ours"]}))
    write_deltalake(str(tmp_path / "elsewhere"), pa.table({"incident_id": ["somebody's"]}))
    outside = next((tmp_path / "elsewhere").glob("*.parquet"))
    log = next((tmp_path / "gold" / "incidents" / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    added = next(action["add"] for action in actions if "add" in action)
    added |= {"path": way.format(file=outside, name=outside.name), "size": outside.stat().st_size}
    log.write_text("\n".join(map(json.dumps, actions)))
    with pytest.raises(BadInput, match="not in its own folder"):
        list(query_rows(tmp_path, "select * from gold.incidents", NARROW)[1])
    with pytest.raises(BadInput, match="not in its own folder"):
        open_table(str(tmp_path / "gold" / "incidents"))
    with pytest.raises(DeltaError, match="not in its own folder"):
        Files(tmp_path, NO_MORE).columns("gold.incidents")


AS_WRITTEN = [
    "select ifnull(1, 2), nvl(1, 2), coalesce(1, 2)",
    "select ln(2.0), log(2.0), log10(2.0), log2(2.0)",
    "select length('a'), char_length('a'), character_length('a'), octet_length('a')",
    "select to_timestamp(0), to_timestamp_seconds(0), from_unixtime(0), to_timestamp_millis(0)",
    "select substr('abc', 2), substring('abc' from 2 for 1), substring('abc', 1, 2)",
    "select date_part('year', to_timestamp(0)), extract(month from to_timestamp(0)), datepart('day', to_timestamp(0))",
    "select power(2, 3), pow(2, 3), sqrt(4.0), ceil(1.2), floor(1.2), round(1.26, 1), trunc(1.9)",
    "select median(1.0), stddev(1.0), var(1.0), approx_percentile_cont(1.0, 0.5), approx_distinct(1), bool_and(true)",
    "select regexp_like('a', 'a'), regexp_match('a', 'a'), regexp_replace('a', 'a', 'b')",
    "select x from (values (1), (2)) t(x) qualify row_number() over (order by x) = 1",
    "select max(x) filter (where x > 1) from (values (1), (2)) t(x)",
    "select * exclude (x) from (values (1, 2)) t(x, y)",
    "select x, count(*) from (values (1), (2)) t(x) group by rollup(x) order by 1, 2",
    "select trim(both 'x' from 'xax'), btrim(' a'), ltrim(' a'), rtrim('a ')",
    "select date_format(to_timestamp(0), '%Y-%m-%d'), date_bin(interval '1 hour', to_timestamp(0))",
    "select 'a' ~ 'a', 1 is distinct from 2, 'a' ilike 'A', 1 between 0 and 2",
    "select first_value(s) ignore nulls over (order by x desc) from (values (1, 'a'), (2, null)) t(x, s)",
    "select lag(s, 1, 'z') respect nulls over (order by x) from (values (1, 'a'), (2, null)) t(x, s)",
    "select try_cast('a' as int), cast('1' as bigint), '2'::int8, arrow_cast(1, 'Int8')",
    "select string_agg(distinct s, ',') from (values ('a'), ('a')) t(s)",
    "select x from (values (1), (2)) t(x) order by x desc nulls first limit 1 offset 0",
    "select x, sum(x) over (order by x rows unbounded preceding) from (values (1), (2)) t(x) order by x",
    "select date '2026-01-01' + interval '1 day', interval '1' day + interval '2 hours', interval '90 minutes'",
    "select x is null = false, not x is null, x is not distinct from 1 from (values (1)) t(x)",
    "select count(*) filter (where x > 1) over (partition by x), sum(x) over w from (values (1), (2)) t(x) window w as (order by x)",
    "select x, s, grouping(x) from (values (1, 'a')) t(x, s) group by grouping sets ((x), (s), ()) order by 1, 2, 3",
    "select a.x from (values (1), (2)) a(x) left anti join (values (1)) b(x) on a.x = b.x",
    "select distinct on (x) x, s from (values (1, 'a'), (1, 'b')) t(x, s) order by x, s",
    "with recursive a as (select 1 as n union all select n + 1 from a where n < 3) select n from a order by n",
    "select .5, 5.0, 0.10, 100, 1e3, -7 % 3, 7 / 2, 5 & 3, 1 << 3",
    "select 'it''s', $$a$$, E'a\\nb', '--no comment', '/*nor this*/' /* but this */",
    "select 1 in (1, 2), 1 not in (3), 1 = any(array[1, 2])",
    "select make_array(1, 2)[1], array[1, 2][1:1], named_struct('a', 1), map(['a'], [1])",
]


@pytest.mark.parametrize("sql", AS_WRITTEN)
def test_what_runs_gives_what_the_engine_gives_for_the_text_itself(sql):
    def rows(text):
        found = pa.RecordBatchReader.from_stream(QueryBuilder().execute(text)).read_all()
        return [column.to_pylist() for column in found.columns]

    assert rows(checked(sql)) == rows(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "select x from (values (1)) t(x) cluster by x",
        "select x from (values (1)) t(x) distribute by x sort by x",
        "select * from (values (1)) t(x) pivot (sum(x) for x in (1))",
        "select * from (values (1, 2)) t(a, b) unpivot (x for y in (a, b))",
        "select x from (values (1)) t(x) tablesample 10 percent",
        "select x from (values (1)) t(x) for update",
        "select map {'a': 1}",
        "select position('b', 'abc')",
        "select 'a' 'b'",
        "select 2 ^ 3",
        "select cast(1 as int unsigned)",
        "from (values (1)) t(x)",
        "select {fn now()}",
    ],
)
def test_what_would_be_left_out_or_run_otherwise_is_refused(sql):
    with pytest.raises(BadInput):
        checked(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "select " + "(" * 9_000 + "1" + ")" * 9_000,
        "select " + "not " * 4_000 + "true",
        "select 1" + "::int" * 3_000,
        "select a" + ".a" * 9_000,
        "select " + "case when true then " * 400 + "1" + " end" * 400,
        "select * from " + "(select * from " * 900 + "(select 1)" + ")" * 900,
        "select " + "[" * 19_000,
        "select /*" + "/* " * 5_000,
        "select 1 where 1 in (" + "1," * 50_000 + "1)",
        "select " + "1+" * 50_000 + "1",
    ],
)
def test_what_is_made_to_take_long_to_read_is_refused_in_time(sql):
    began = time.monotonic()
    with pytest.raises(BadInput, match=r"nested too deeply|characters, more than|no SQL"):
        checked(sql)
    assert time.monotonic() - began < 20


def test_a_regular_expression_takes_time_in_proportion(tmp_path):
    (row,) = query_rows(tmp_path, "select regexp_like(repeat('a', 100000), '(a*)*b') as found", NARROW)[1]
    assert row == {"found": False}
