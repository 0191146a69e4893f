"""What was read again from an offset on: what is new is added, and a record that grew takes its own place; no more."""

from threading import Thread

import pyarrow as pa
import pytest
from deltalake import DeltaTable, Schema

from expectations import TABLES
from expectations.replacing import grown_of
from jobs.engine.row_source import of_table
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from tests.expectations.rows import row
from transforms.plans.commit import Commit

TABLE = "bronze.log_records"


def records(*told):
    """Each as source:offset:text."""
    split = [one.split(":") for one in told]
    rows = [
        row(TABLE, record_id=f"{source}{at}", source_id=source, offset=int(at), text=text)
        for source, at, text in split
    ]
    return TABLES[TABLE].arrow_table(rows)


def told(rows):
    columns = (rows[name].to_pylist() for name in ("source_id", "offset", "text"))
    return sorted(f"{source}:{at}:{text}" for source, at, text in zip(*columns, strict=True))


@pytest.mark.parametrize(
    ("stood", "new", "written", "begins"),
    [
        pytest.param([], ["a:0:x"], ["a:0:x"], {}, id="a new source"),
        pytest.param(["a:9:x"], ["a:9:x", "a:12:y"], ["a:12:y"], {}, id="the last record is the same"),
        pytest.param(["a:9:x"], ["a:9:x"], [], {}, id="nothing new"),
        pytest.param(["a:9:x"], ["a:9:xx"], ["a:9:xx"], {"a": 9}, id="it grew"),
        pytest.param(["a:9:x"], [], [], {"a": 9}, id="it is gone"),
        pytest.param(
            ["a:5:w", "a:9:x"], ["a:5:w", "a:9:xx"], ["a:9:xx"], {"a": 9}, id="what lies before stays"
        ),
        pytest.param(
            ["a:5:w", "a:9:x"], ["a:5:ww", "a:9:x"], ["a:5:ww", "a:9:x"], {"a": 5}, id="what lies behind"
        ),
        pytest.param(
            ["a:9:x", "b:3:u"],
            ["a:9:xx", "b:3:u", "b:6:v"],
            ["a:9:xx", "b:6:v"],
            {"a": 9, "b": 6},
            id="another source",
        ),
        pytest.param(["a:9:x"], ["a:4:v", "a:9:xx"], ["a:4:v", "a:9:xx"], {"a": 4}, id="also before it"),
    ],
)
def test_what_is_written(stood, new, written, begins):
    change = grown_of(records(*stood), records(*new), TABLES[TABLE])
    assert told(change.rows) == sorted(written)
    assert change.scopes == begins


@pytest.fixture
def lake(tmp_path):
    made = LakeWriter(tmp_path)
    made.claim()
    made.prepare()
    return made


def put(lake, number, new, begins):
    rows = records(*new).drop_columns(["ingested_at"])
    lake.replace_from(of_table(rows), TABLE, begins, Commit("lake", number, "run"), ingested_at=number)


def test_a_grown_record_costs_its_own_file(lake):
    """And the same plan twice writes once."""
    put(lake, 1, [f"a:{at}:x" for at in range(100)] + ["b:0:u"], {"a": 0, "b": 0})
    put(lake, 2, ["a:99:x", "a:100:y"], {"a": 99})
    put(lake, 3, ["b:0:u", "b:1:v"], {"b": 0})
    before = set(DeltaTable(lake.path(TABLE)).file_uris())
    for _ in range(2):
        put(lake, 4, ["a:100:yy", "a:101:z", "b:1:v", "b:2:w"], {"a": 100, "b": 1})
    put(lake, 5, [], {})  # as where only what came late is folded in
    table = DeltaTable(lake.path(TABLE))
    assert len(before & set(table.file_uris())) == 2
    assert table.version() == 4
    found = told(table.to_pyarrow_table())
    assert found == sorted(
        [*(f"a:{at}:x" for at in range(100)), "a:100:yy", "a:101:z", "b:0:u", "b:1:v", "b:2:w"]
    )


def test_of_thousands_of_sources_at_once_the_last_record_grew(lake):
    """Each has a place of its own: as one chain of conditions that overflowed the stack of the thread that writes."""
    sources = [f"{number:05d}" for number in range(6_000)]
    for number, text in enumerate(("x", "xx"), start=1):
        new = [f"{one}:9:{text}" for one in sources]
        writer = Thread(target=put, args=(lake, number, new, dict.fromkeys(sources, 9)))
        writer.start()
        writer.join()
    assert told(read_arrow(lake.path(TABLE), ["source_id", "offset", "text"])) == [
        f"{one}:9:xx" for one in sources
    ]


def test_a_table_that_was_made_with_other_comments_is_written_to(tmp_path):
    """Comments are text for people, and change; Delta keeps those that a table was made with."""
    lake = LakeWriter(tmp_path)
    contract = TABLES["gold.runs"]
    schema = pa.schema([field.with_metadata({"comment": "as it was"}) for field in contract.arrow_schema()])
    DeltaTable.create(lake.path("gold.runs"), Schema.from_arrow(schema))
    run = {
        "run_id": "a",
        "job": "run",
        "started_at": 0,
        "ended_at": 1,
        "status": "done",
        "rows_in": 0,
        "rows_out": 0,
    }
    lake.add(contract.arrow_table([run]), "gold.runs")
    lake.put(contract.arrow_table([run | {"run_id": "b"}]), "gold.runs", "", Commit("id", 1, "run"))
    lake.overwrite(contract.arrow_table([run | {"job": "stream"}]), "gold.runs", "run_id = 'a'")
    assert sorted(read_arrow(lake.path("gold.runs"), ["job"])["job"].to_pylist()) == ["run", "stream"]
