"""A lake that is given by its name in a catalog: Spark's own here, in the place of Databricks' Unity Catalog."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from conf.settings import Conf
from expectations import TABLES
from expectations.place import CatalogName, StorePlace, named_in_catalog, place_at
from jobs.catalogued import place_to_read, place_to_write
from jobs.cli import app
from jobs.engine.choice import Engines
from jobs.pipeline import open_lake, run
from jobs.progress import Progress
from jobs.storage.catalog import Catalog
from jobs.upkeep.maintain import maintain_lake
from lab.corpus import ROOT as RECORDINGS
from lab.soak.rows import differences, versions
from transforms.errors import BadInput

NAME = CatalogName("spark_catalog", "kip_")
LOG = RECORDINGS / "p62-slow-poll-42" / "consumer-a.app.log.gz"
QUIET = Progress(is_shown=False)


def asked(*words: object) -> str:
    """What a command prints on standard output."""
    found = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert found.exit_code == 0
    return found.stdout


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs") / "a.log"


@pytest.fixture(scope="module")
def catalog(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One in which somebody has said where the first schema lies."""
    spark.sql(f"CREATE SCHEMA kip_bronze LOCATION '{tmp_path_factory.mktemp('here') / 'a schema'}'")
    yield spark
    for schema in ("bronze", "silver", "gold"):
        spark.sql(f"DROP SCHEMA kip_{schema} CASCADE")


@pytest.fixture(scope="module")
def place(catalog: SparkSession, logs: Path) -> Path:
    """Half of the log by a run, the rest by a stream; then nothing new by a run."""
    whole = gzip.decompress(LOG.read_bytes())
    logs.write_bytes(whole[: len(whole) // 2])
    asked("run", "--logs", logs, "--lake", NAME, "--json")
    logs.write_bytes(whole)
    assert (
        json.loads(asked("stream", "--logs", logs, "--lake", NAME, "--available-now", "--json"))["read"] == 1
    )
    said = catalog.sql("DESCRIBE SCHEMA EXTENDED kip_bronze").collect()
    lake = Path(
        next(row[1] for row in said if row[0] == "Location").removeprefix("file:").replace("%20", " ")
    )
    before = versions(lake / "kipwatch")
    assert json.loads(asked("run", "--logs", logs, "--lake", NAME, "--json"))["read"] == 0
    assert versions(lake / "kipwatch") == before
    return lake / "kipwatch"


def test_its_tables_are_those_of_a_folder(
    place: Path, logs: Path, engines: Engines, conf: Conf, tmp_path: Path
) -> None:
    run(engines, tmp_path, [str(logs)], [], conf, QUIET)
    assert differences(tmp_path, place) == {}


def test_every_table_is_there_for_sql_with_its_comments(place: Path, catalog: SparkSession) -> None:
    there = {
        f"{schema}.{row.tableName}"
        for schema in ("bronze", "silver", "gold")
        for row in catalog.sql(f"SHOW TABLES IN kip_{schema}").collect()
    }
    assert there == set(TABLES)
    count = "SELECT count(*) AS n FROM {}silver.client_events"
    by_spark = catalog.sql(count.format("spark_catalog.kip_")).first()
    by_name = json.loads(asked("query", count.format(""), "--lake", NAME, "--json"))
    assert by_spark is not None
    assert by_name == [{"n": by_spark.n}] != [{"n": 0}]
    said = catalog.sql("DESCRIBE TABLE EXTENDED kip_gold.incidents").collect()
    assert (said[0].col_name, said[0].comment) == next(
        (column.name, column.comment) for column in TABLES["gold.incidents"].fields
    )
    assert ("Comment", TABLES["gold.incidents"].grain) in [(row.col_name, row.data_type) for row in said]


def test_a_finding_is_explained_by_name(place: Path) -> None:
    ids = json.loads(asked("query", "SELECT incident_id FROM gold.incidents", "--lake", NAME, "--json"))
    told = asked("explain", ids[0]["incident_id"], "--lake", NAME)
    assert told == asked("explain", ids[0]["incident_id"], "--lake", place) != ""


def test_the_dashboard_reads_it_by_name(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[object] = []
    monkeypatch.setattr("dashboards.app.serve", lambda lake, *_: served.append(lake))
    asked("dashboard", "--lake", NAME, "--port", "18050")
    assert served == [place]


def test_upkeep_makes_known_what_was_dropped(place: Path, catalog: SparkSession) -> None:
    catalog.sql("DROP TABLE kip_gold.runs")
    assert "gold.runs" in json.loads(asked("maintain", "--lake", NAME, "--json"))
    assert catalog.sql("SELECT * FROM kip_gold.runs").count() > 0


def test_a_table_of_another_is_left_alone(
    place: Path, catalog: SparkSession, engines: Engines, conf: Conf, tmp_path: Path
) -> None:
    catalog.sql("CREATE SCHEMA his_gold")
    catalog.sql(f"CREATE TABLE his_gold.runs (a INT) USING DELTA LOCATION '{tmp_path / 'his'}'")
    mine = replace(conf, lake=replace(conf.lake, location=str(tmp_path / "lake")))
    try:
        with pytest.raises(BadInput) as refused:
            place_to_write(CatalogName("spark_catalog", "his_"), mine, engines, list)
        assert refused.value.sentence.startswith("spark_catalog.his_gold.runs: lies elsewhere (file:/")
        assert refused.value.exit_code == 2
        assert not (tmp_path / "lake").exists()
    finally:
        catalog.sql("DROP SCHEMA his_gold CASCADE")


def test_a_catalog_that_is_not_there(spark: SparkSession, engines: Engines, conf: Conf) -> None:
    with pytest.raises(BadInput) as refused:
        place_to_read(CatalogName("lake", "v2"), conf, engines)
    assert refused.value.sentence == (
        "lake: Spark knows no such catalog; check its name; a folder is given as ./lake.v2"
    )


class Said:
    """A catalog that answers by what a statement begins with, and is asked nothing else."""

    def __init__(self, **answers: list[tuple[str | None, ...]]) -> None:
        self.answers = {name.replace("_", " ").upper(): rows for name, rows in answers.items()}

    def __call__(self, text: str) -> list[tuple[str | None, ...]]:
        return next(rows for words, rows in self.answers.items() if text.startswith(words))


def described(provider: str, location: str, kind: str = "EXTERNAL") -> list[tuple[str | None, ...]]:
    return [
        ("Location", "string", "a column"),
        ("# Detailed Table Information", "", ""),
        ("Type", kind, ""),
        ("Location", location, ""),
        ("Provider", provider, ""),
    ]


HERE = "s3a://lakes/orders/"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (described("delta", f"{HERE}gold/runs"), None),
        (described("delta", "s3://lakes/orders/gold/runs/"), None),
        (described("parquet", f"{HERE}gold/runs"), "is no Delta table"),
        (described("", "", "VIEW"), "is no Delta table"),
        (described("delta", "s3://others/gold/runs"), r"lies elsewhere \(s3://others/gold/runs\)"),
        (described("delta", "hdfs://a/gold/runs"), "can't be read from there"),
    ],
)
def test_what_has_the_name_of_a_table(table: list[tuple[str | None, ...]], said: str | None) -> None:
    catalog = Catalog(Said(describe_table=table), NAME)
    if said is None:
        catalog.check(["gold.runs"], StorePlace("s3://lakes/orders"))
        return
    with pytest.raises(BadInput, match=said) as refused:
        catalog.check(["gold.runs"], StorePlace("s3://lakes/orders"))
    assert refused.value.sentence.startswith("spark_catalog.kip_gold.runs")


def test_only_whole_names_of_lasting_tables_count() -> None:
    catalog = Catalog(
        Said(
            show_schemas=[("kip_gold",), ("kip_golden",), ("`Kip_silver`",)],
            show_tables=[("kip_gold", "runs", False), ("", "incidents", True), ("kip_gold", "others", False)],
        ),
        NAME,
    )
    assert catalog.tables() == {"gold.runs"}


def test_what_a_catalog_refuses_is_one_sentence() -> None:
    def refusing(_: str) -> list[tuple[str]]:
        raise RuntimeError("[INSUFFICIENT_PERMISSIONS] User has no USE CATALOG\n  at a line of Java")

    with pytest.raises(BadInput) as refused:
        Catalog(refusing, NAME).tables()
    assert refused.value.sentence.startswith(
        "spark_catalog.kip_: the catalog refuses SHOW SCHEMAS ([INSUFFICIENT_PERMISSIONS] User has no USE CATALOG)"
    )


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ("file:/a b/c/", Path("/a b/c")),
        ("/a/b", Path("/a/b")),
        ("dbfs:/mnt/lake", Path("/dbfs/mnt/lake")),
        ("s3a://bucket/a/", StorePlace("s3://bucket/a")),
        ("abfss://c@a.dfs.core.windows.net/x", StorePlace("abfss://c@a.dfs.core.windows.net/x")),
    ],
)
def test_a_location_is_a_place(location: str, place: object) -> None:
    assert place_at(location, "lake.location") == place


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("/Volumes/main/a/lake", "names a volume"),
        ("dbfs:/Volumes/main/a/lake", "names a volume"),
        ("lakes/orders", "is no whole path"),
        ("s3://key:secret@bucket/x", "credentials or settings stand in it"),
        ("hdfs://name/x", "can't be read from there"),
    ],
)
def test_a_location_that_is_none(location: str, said: str) -> None:
    with pytest.raises(BadInput, match=f"^lake.location.*{said}"):
        place_at(location, "lake.location")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("main.kipwatch_", CatalogName("main", "kipwatch_")),
        ("main.", CatalogName("main", "")),
        ("my-catalog.Kip_", CatalogName("my-catalog", "kip_")),
        ("./main.kipwatch_", None),
        ("lake", None),
        (".lake", None),
        ("a.b.c", None),
        ("there.is", None),
    ],
)
def test_what_is_a_name_in_a_catalog(
    given: str, name: CatalogName | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.is").mkdir()
    assert named_in_catalog(given) == name


class NoSpark(Engines):
    """Fails where Spark is asked."""

    def session(self) -> SparkSession:
        raise AssertionError


def test_where_conf_says_the_place_spark_is_not_started_again(
    conf: Conf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = replace(conf, lake=replace(conf.lake, location="${PLACE_OF_IT}/lake"))
    engines = NoSpark(conf.spark, QUIET)
    with pytest.raises(BadInput, match=r"lake.location names \$\{PLACE_OF_IT\}"):
        place_to_read(NAME, here, engines)
    monkeypatch.setenv("PLACE_OF_IT", str(tmp_path))
    assert place_to_read(NAME, here, engines) == tmp_path / "lake"
    with pytest.raises(AssertionError):
        place_to_write(NAME, here, engines, list)
    made: list[str] = []

    def sql(_: Engines, text: str) -> list[tuple[str]]:
        made.append(text)
        return []

    with monkeypatch.context() as patched:
        patched.setattr(Engines, "session", lambda _: None)
        patched.setattr(Engines, "sql", sql)
        assert place_to_write(NAME, here, Engines(conf.spark, QUIET), list) == tmp_path / "lake"
    tables = [text for text in made if text.startswith("CREATE TABLE")]
    assert len(tables) == len(TABLES)
    assert any(text.endswith(f" LOCATION '{tmp_path}/lake/bronze/accounting'") for text in tables)
    assert place_to_write(NAME, here, engines, list) == tmp_path / "lake"
    with pytest.raises(AssertionError):  # a second name of the same lake is another one
        place_to_write(CatalogName("main", ""), here, engines, list)
    with open_lake(tmp_path / "lake", conf) as lake:
        assert lake.files.read("catalog.json")
    assert maintain_lake(tmp_path / "lake", None)


def test_a_wrong_path_is_told_before_a_lake_is_made(conf: Conf, tmp_path: Path) -> None:
    class Empty(Engines):
        def session(self) -> None:  # type: ignore[override]
            """There is none to be had."""

        def sql(self, text: str) -> list[tuple[str]]:
            return []

    def wrong() -> None:
        raise BadInput("no such path")

    here = replace(conf, lake=replace(conf.lake, location=str(tmp_path / "lake")))
    with pytest.raises(BadInput, match="no such path"):
        place_to_write(NAME, here, Empty(conf.spark, QUIET), wrong)
    assert not (tmp_path / "lake").exists()
