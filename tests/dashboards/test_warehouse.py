"""The lake through SQL of Databricks' dialect: Spark answers it here, over the same tables, as DataFusion does."""

import dataclasses
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
import yaml

from conf.settings import load_conf
from dashboards.app import page_of
from dashboards.pages import PAGES
from dashboards.pages.page import link
from dashboards.pages.selected import PATHS, proving_lines
from dashboards.pages.story import _around
from dashboards.queries import LakeReader, databricks
from dashboards.queries.base import Answer
from dashboards.queries.bounds import Bounds
from dashboards.queries.files import Files
from dashboards.queries.freshness import freshness
from dashboards.queries.proof import EPISODE_IDS
from dashboards.queries.reader import UnreadableError
from dashboards.queries.sql import Question, Value
from dashboards.queries.warehouse import LOOK_S, MOST_EACH, PAUSE_S, Names, Warehouse, statement
from dashboards.settings import place_of
from expectations import TABLES
from jobs.pipeline import run
from jobs.progress import Progress
from lab.corpus import ROOT as RECORDINGS
from tests.dashboards.lake import NOON, sha, violation, without, write
from transforms.errors import BadInput

SCENARIOS = ("p572-task-expire-35", "p91-overlap-produce-poll-42", "p62-slow-poll-42")
# Delta's parser (4.4) hands no parameters on to that of Spark 4.2; then Spark puts them in afterwards, as it did before.
PUT_IN_LATER = "spark.sql.legacy.parameterSubstitution.constantsOnly"
HOSTILE = "x'; DROP TABLE v; -- \\ \" :p0 `%_"


class Cursor:
    """Spark SQL behind what is used of a DB-API cursor."""

    def __init__(self, spark) -> None:
        self.spark = spark

    def execute(self, operation, parameters=None) -> None:
        self.found = self.spark.sql(operation, args=parameters)

    def fetchall_arrow(self):
        return self.found.toArrow()

    def close(self) -> None:
        del self.found


class Connection:
    def __init__(self, spark) -> None:
        self.spark = spark

    def cursor(self):
        return Cursor(self.spark)

    def close(self) -> None:
        pass


# What a question selects and which rows it wants are put together freely: each is asked once, not each with each.
WANTED = re.compile(r" FROM \S+( WHERE .+?)(?= GROUP BY | ORDER BY | LIMIT |$)")


def parts_of(text: str) -> tuple[str, str]:
    """A question's text without what rows are wanted, and these of which table."""
    found = WANTED.search(text)
    return (text, "") if found is None else (text.replace(found[1], ""), found[0])


class Both(Files):
    """Files, where every question of which a part was not asked before is put to the warehouse too."""

    def __init__(self, root: Path, warehouse: Warehouse) -> None:
        super().__init__(root, Bounds())
        self.warehouse = warehouse
        self.differ: list[tuple[Any, ...]] = []
        self.asked: set[str] = set()

    def run(self, question: Question) -> Any:
        found = super().run(question)
        parts = set(parts_of(question.text))
        if not parts <= self.asked:
            self.asked |= parts
            here, there = (rows(question, one) for one in (found, self.warehouse.run(question)))
            if here != there:
                self.differ.append((question, here[:3], there[:3]))
        return found


class Given:
    """A reader that has one answer of a table as it is today, to see it in the contract's types."""

    reads_files = False

    def __init__(self, found) -> None:
        self.found = found

    def version(self, _table):
        return "1"

    def columns(self, table):
        return TABLES[table].arrow_schema().names

    def run(self, _question):
        return self.found


def rows(question: Question, found) -> list[Any]:
    """As the pages get them: what they are ordered by in that order, then all of each; equals may come in any order."""
    made = LakeReader(Given(found))._run(question).to_pylist()
    order = question.text.rpartition(" ORDER BY ")[2] if " ORDER BY " in question.text else ""
    # That of a question within says nothing of what is made of it.
    is_inner = order.count(")") > order.count("(")
    keys = [] if is_inner else re.findall(r'"(\w+)"|\brows\b', order)
    return [[tuple(row.get(key or "rows") for key in keys) for row in made], sorted(made, key=repr)]


@pytest.fixture(scope="module")
def lake(engines, conf, tmp_path_factory) -> Path:
    """Recordings of each KIP, as a run leaves them."""
    lake = tmp_path_factory.mktemp("recorded") / "lake"
    files = [path for name in SCENARIOS for path in sorted((RECORDINGS / name).iterdir())]
    logs = [str(path) for path in files if ".log" in path.name]
    metrics = [str(path) for path in files if "metrics.jsonl" in path.name]
    run(engines, lake, logs, metrics, conf, Progress(is_shown=False), job="run")
    return lake


@pytest.fixture(scope="module")
def engine(spark):
    spark.conf.set(PUT_IN_LATER, "true")
    yield spark
    spark.conf.unset(PUT_IN_LATER)


def catalogued(spark, lake: Path, prefix: str) -> Iterator[Warehouse]:
    """A catalog that has these tables, asked through Spark."""
    for table in TABLES:
        schema, name = table.split(".")
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {prefix}{schema}")
        if lake.joinpath(schema, name).is_dir():
            spark.sql(f"CREATE TABLE {prefix}{schema}.{name} USING DELTA LOCATION '{lake / schema / name}'")
            spark.sql(f"CACHE LAZY TABLE {prefix}{schema}.{name}")  # hundreds of questions, few small tables
    yield Warehouse(Names("spark_catalog", prefix), lambda: Connection(spark), clock=lambda: 0.0)
    for schema in {table.split(".")[0] for table in TABLES}:
        spark.sql(f"DROP DATABASE {prefix}{schema} CASCADE")


@pytest.fixture(scope="module")
def warehouse(engine, lake):
    yield from catalogued(engine, lake, "kipwatch_")


def addresses(lake: LakeReader) -> Iterator[tuple[str, str]]:
    """Every page, and each of its ways to be asked, for what the lake has."""
    for page in PAGES:
        if not page.takes:
            yield page.href, ""
    service = lake.count_by("silver.client_settings", ["service"]).rows[0]["service"]
    found = lake.read("gold.violations").rows
    incidents = lake.read("gold.incidents").rows
    version = lake.count_by("gold.client_health", ["client_version"], [("client_version", "null", False)])
    one = found[0]
    filters = [
        f"?rule={one['rule_id']}", f"?kip={one['kip']}", f"?category={one['category']}&page=2", f"?service={service}",
        "?client=consumer%27%25", "?from=2026-01-01&to=2027-01-01", "?sort=worst", "?sort=latest",
        f"?version={version.rows[0]['client_version']}", f"?open={one['violation_id']}",
    ]  # fmt: skip
    for path in ("/violations", "/unjudged"):
        yield from ((path, search) for search in filters)
    yield "/settings", f"?service={service}"
    # What a story asks for depends on these of its incident.
    stories = {
        (row["kind"], row["parent_incident_id"] is None, bool(row["subject_ids"])): row for row in incidents
    }
    yield from ((link("incident", row["incident_id"]), "") for row in stories.values())
    yield from ((link("finding", row["violation_id"]), "") for row in found)
    yield (
        "/story",
        f"?service={incidents[0]['service']}&from={incidents[0]['started_at']}&to={incidents[0]['ended_at']}",
    )
    for table, column in EPISODE_IDS.items():
        for row in lake.read(table, limit=2).rows:
            yield f"/{PATHS[table]}", f"?selected={row[column]}"
            yield f"/{PATHS[table]}", f"?service={row['service']}&client={row.get('client_id') or 'x'}"
            yield f"/{PATHS[table]}", "?from=2026-01-01&to=2027-01-01&view=whole"


def test_what_the_pages_ask_is_answered_alike(lake, warehouse):
    both = Both(lake, warehouse)
    asked = LakeReader(both)
    failed = [one for one in addresses(LakeReader(lake)) if "state-failed" in repr(page_of(asked, *one))]
    freshness(asked)
    for table, column in EPISODE_IDS.items():
        for row in asked.read(table, limit=1).rows:
            proving_lines(asked, row[column])
            _around(asked, row["event_ids"][0])
    assert failed == []
    assert both.differ == []
    assert len(both.asked) > 60


def test_what_is_read_without_rows(lake, warehouse):
    asked, here = LakeReader(warehouse), LakeReader(lake)
    assert asked.largest("silver.client_events", "happened_at") == here.largest(
        "silver.client_events", "happened_at"
    )
    assert asked.largest("gold.violations", "no_such") is None
    assert asked.version() == asked.version() != ""


@pytest.mark.parametrize("many", [MOST_EACH, MOST_EACH + 1], ids=["a parameter each", "one for all"])
def test_values_travel_beside_the_text(engine, tmp_path, many):
    write(tmp_path, "gold.violations", [violation("a", "s", ["e"], client_id=HOSTILE)])
    others = [f"other-{number}" for number in range(many - 1)]
    for warehouse in catalogued(engine, tmp_path, f"values_{many}_"):
        asked = LakeReader(warehouse)
        for where in (
            [("client_id", "=", HOSTILE)],
            [("client_id", "in", [*others, HOSTILE])],
            [("client_id", "contains", HOSTILE.upper()), ("unit_bucket", "in", range(-many, many))],
            [
                ("first_at", "meets", ("last_at", NOON, NOON)),
                ("last_at", "<=", NOON),
                ("event_ids", "some", True),
            ],
        ):
            found = asked.read("gold.violations", ["violation_id"], where)
            assert (found.problem, [row["violation_id"] for row in found.rows]) == (None, [sha("a")])
        assert asked.read("gold.violations", where=[("client_id", "in", others)]).rows == []
        assert asked.read("gold.incidents").state == "missing"


def test_a_table_of_another_version_is_named(engine, tmp_path):
    write(tmp_path, "gold.violations", [violation("a", "s", ["e"])])
    without(tmp_path, "gold.violations", "worst_ms", "severity")
    lacks = (
        "gold.violations has no columns severity and worst_ms: another version of kipwatch made it; "
        "read the same logs again into a new lake: kipwatch run --logs PATH --lake NEW_DIR"
    )
    for warehouse in catalogued(engine, tmp_path, "older_"):
        asked = LakeReader(warehouse)
        assert asked.read("gold.violations") == Answer("other_version", problem=lacks)
        assert [row["violation_id"] for row in asked.read("gold.violations", ["violation_id"]).rows] == [
            sha("a")
        ]
        assert asked.read("gold.violations", ["no_such"]).state == "failed"


def test_no_value_is_in_the_text():
    question = Question(
        "gold.violations", 'SELECT "kip" FROM gold__violations WHERE "kip" IN (:p0) AND "rule_id" = :p1', ()
    )
    kind = TABLES["gold.violations"].arrow_schema().field("kip").type
    question = dataclasses.replace(question, values=(Value((HOSTILE, "b"), kind), Value(":p0", kind)))
    text, parameters = statement(question, Names("main"))
    assert (
        text == "SELECT `kip` FROM `main`.`gold`.`violations` WHERE `kip` IN (:p0, :p1) AND `rule_id` = :p2"
    )
    assert parameters == {"p0": HOSTILE, "p1": "b", "p2": ":p0"}


class Answering:
    """A connection that answers everything with one number, until it is broken."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.is_broken = self.is_closed = False

    def cursor(self):
        return self

    def execute(self, operation, parameters=None) -> None:
        if self.is_broken:
            raise RuntimeError("Invalid SessionHandle")
        self.texts.append(operation)

    def fetchall_arrow(self):
        return pa.table({"version": [7], "rows": [7], "newest": [None]})

    def close(self) -> None:
        self.is_closed = self.is_broken


def test_a_table_is_looked_at_now_and_then():
    one, now = Answering(), [0.0]
    warehouse = Warehouse(Names("main"), lambda: one, lambda: now[0])
    assert [warehouse.version("gold.runs"), warehouse.version_of_all()] == ["7", "7"]
    assert one.texts == ["DESCRIBE HISTORY `main`.`gold`.`runs` LIMIT 1"]
    now[0] = LOOK_S
    warehouse.version("gold.runs")
    assert len(one.texts) == 2


def test_a_session_that_has_ended_is_replaced():
    made = []
    warehouse = Warehouse(Names("main"), lambda: made.append(Answering()) or made[-1], lambda: 0.0)
    warehouse.version("gold.runs")
    made[0].is_broken = True
    assert warehouse.version("gold.violations") == "7"
    assert (len(made), made[0].is_closed) == (2, True)


def test_what_can_not_be_reached_is_not_asked_at_every_question():
    tried, now = [], [0.0]

    def connect():
        tried.append(1)
        raise UnreadableError("the warehouse can't be reached")

    asked = LakeReader(Warehouse(Names("main"), connect, lambda: now[0]))
    drawn = page_of(asked, "/violations")
    assert "state-failed" in repr(drawn)
    assert "the warehouse can't be reached" in repr(drawn)
    assert (asked.version(), asked.largest("silver.client_events", "happened_at")) == ("", None)
    assert freshness(asked).run is None
    assert len(tried) == 1
    now[0] = PAUSE_S
    assert asked.read("gold.runs") == Answer("failed", problem="the warehouse can't be reached")
    assert len(tried) == 2


PLACE = databricks.Place("dbc-1.cloud.databricks.com", "/sql/1.0/warehouses/abc")
SECRET = "dapi0123456789"


def said() -> str:
    with pytest.raises(UnreadableError) as told:
        databricks.connected(PLACE)
    return str(told.value)


def connector_that(connect, monkeypatch) -> None:
    """The packages `databricks.sql` and `databricks.sdk`, as far as they are used."""
    packages = {
        "databricks": SimpleNamespace(sql=SimpleNamespace(connect=connect)),
        "databricks.sdk": SimpleNamespace(),
        "databricks.sdk.core": SimpleNamespace(Config=Config),
    }
    for name, package in packages.items():
        monkeypatch.setitem(sys.modules, name, package)


class Config:
    """What the SDK signs in by."""

    def __init__(self, **given) -> None:
        self.given = given

    def authenticate(self):
        return {"Authorization": "Bearer of " + self.given["client_id"]}


@pytest.mark.parametrize("there", [{}, {databricks.NAME: "app"}, {databricks.SECRET: "of the app"}])
def test_where_nothing_says_as_whom(there, monkeypatch):
    for name in (databricks.TOKEN, databricks.NAME, databricks.SECRET):
        monkeypatch.delenv(name, raising=False)
    for name, value in there.items():
        monkeypatch.setenv(name, value)
    assert said() == (
        "DATABRICKS_TOKEN is not set: give the dashboard a token of the warehouse in it, or a service principal's "
        "DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET"
    )


def test_an_app_of_databricks_asks_as_its_service_principal(monkeypatch):
    given = {}
    connector_that(lambda **said: given.update(said) or Answering(), monkeypatch)
    monkeypatch.delenv(databricks.TOKEN, raising=False)
    monkeypatch.setenv(databricks.NAME, "app")
    monkeypatch.setenv(databricks.SECRET, SECRET)
    assert isinstance(databricks.connected(PLACE), Answering)
    assert "access_token" not in given
    headers = given[
        "credentials_provider"
    ]()  # the connector calls it once, and what it gives before each request
    assert headers() == {"Authorization": "Bearer of app"}
    signed_in = headers.__self__.given
    assert (signed_in["host"], signed_in["client_secret"]) == (f"https://{PLACE.server}", SECRET)
    assert signed_in["auth_type"] == "oauth-m2m"


def test_without_the_connector(monkeypatch):
    monkeypatch.setenv(databricks.TOKEN, SECRET)
    monkeypatch.setitem(sys.modules, "databricks", ModuleType("databricks"))
    assert said() == ("the Databricks SQL connector is not installed: pip install 'kipwatch[databricks]'")


@pytest.mark.parametrize("variable", [databricks.TOKEN, databricks.SECRET])
def test_a_warehouse_that_does_not_answer_is_said_without_what_is_secret(variable, monkeypatch):
    def connect(**given):
        assert given["server_hostname"] == PLACE.server
        raise OSError(f"no route\nto {given['server_hostname']} with {SECRET}")

    connector_that(connect, monkeypatch)
    monkeypatch.delenv(databricks.TOKEN, raising=False)
    monkeypatch.setenv(databricks.NAME, "app")
    monkeypatch.setenv(variable, SECRET)
    told = said()
    assert told.startswith(
        "the warehouse at dbc-1.cloud.databricks.com can't be reached (OSError: no route to dbc-1.cloud."
    )
    assert SECRET not in told


WAREHOUSE = {
    "server": "dbc-1.cloud.databricks.com",
    "http_path": "/sql/1.0/warehouses/abc",
    "catalog": "main",
}


@pytest.mark.parametrize(
    ("lake", "given", "told"),
    [
        (None, None, "it is not said what to show; give --lake DIR, or set dashboard.warehouse in conf"),
        (Path("lake"), WAREHOUSE, "c: there are two lakes to show"),
        (None, "main", "c: dashboard.warehouse is 'main'"),
        (None, WAREHOUSE | {"access_token": SECRET}, "c: dashboard.warehouse.access_token is no setting"),
        (None, WAREHOUSE | {"http_path": ""}, "c: dashboard.warehouse.http_path is not set"),
        (None, WAREHOUSE | {"server": "dbc-1/sql"}, "c: dashboard.warehouse.server is 'dbc-1/sql'"),
        (
            None,
            WAREHOUSE | {"server": "${NO_SUCH}"},
            "dashboard.warehouse.server names ${NO_SUCH}; set it in",
        ),
    ],
)
def test_what_is_shown_must_be_said_well(lake, given, told):
    with pytest.raises(BadInput, match=re.escape(told)) as raised:
        place_of(lake, given, "c")
    assert SECRET not in str(raised.value)


def test_conf_names_a_warehouse(tmp_path):
    file = tmp_path / "dashboard.yaml"
    file.write_text(yaml.safe_dump({"dashboard": {"warehouse": WAREHOUSE | {"schema_prefix": "kipwatch_"}}}))
    place = place_of(None, load_conf(file).dashboard.warehouse, str(file))
    assert isinstance(place, Warehouse)
    assert place._names == Names("main", "kipwatch_")
    assert place_of(Path("lake"), load_conf().dashboard.warehouse, "c") == Path("lake")


@pytest.mark.parametrize("host", ["https://dbc-1.cloud.databricks.com/", "dbc-1.cloud.databricks.com"])
def test_conf_leaves_to_the_environment_what_differs_by_where_it_is_deployed(host, monkeypatch):
    asked = []
    monkeypatch.setattr("dashboards.queries.databricks.connected", asked.append)
    monkeypatch.setenv("HOST_OF_IT", host)
    monkeypatch.setenv("WAREHOUSE_OF_IT", "abc")
    given = {
        "server": "${HOST_OF_IT}",
        "http_path": "/sql/1.0/warehouses/${WAREHOUSE_OF_IT}",
        "catalog": "main",
    }
    place_of(None, given, "c")._connect()
    assert asked == [PLACE]
