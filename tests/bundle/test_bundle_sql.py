"""SQL of the alert and of the dashboard: asked of a lake of recordings by Spark's SQL, and by the project's own query."""

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from sqlglot import exp, parse_one

from expectations import TABLES
from expectations.place import CatalogName
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.sql.query import query_rows
from jobs.storage.catalog import SCHEMAS, Catalog
from lab.corpus import ROOT as RECORDINGS
from lab.soak.rows import rows_of
from tests.bundle.deployed import BUNDLE, FOLDER, deployed
from tests.dashboards.lake import incident_row, sha, write
from transforms.diagnose.fleets.notices import PAGE, due

DASHBOARD = json.loads((FOLDER / BUNDLE["resources"]["dashboards"]["kipwatch_gold"]["file_path"]).read_text())
DATASETS = {one["name"]: "".join(one["queryLines"]) for one in DASHBOARD["datasets"]}
WIDGETS = {one["widget"]["name"]: one["widget"] for page in DASHBOARD["pages"] for one in page["layout"]}
ASKING = {name: widget for name, widget in WIDGETS.items() if "queries" in widget}
SCENARIOS = ("p91-overlap-produce-poll-42", "p62-slow-poll-42", "p580-static-35")
# What a filter adds to its values: how many rows of the others' choice have one. The product puts it in.
OF_FILTERS = "`associative_filter_predicate_group`"
HOUR = timedelta(hours=1)


def registered(spark: SparkSession, lake: Path, prefix: str) -> Iterator[str]:
    """The schema of gold in a catalog that has these tables."""
    name = CatalogName("spark_catalog", prefix)
    catalog = Catalog(lambda text: spark.sql(text).collect(), name)
    catalog.add_schemas()
    catalog.add_tables((table for table in TABLES if lake.joinpath(*table.split(".")).is_dir()), str(lake))
    yield f"{prefix}gold"
    for schema in SCHEMAS:
        spark.sql(f"DROP SCHEMA {prefix}{schema} CASCADE")


@pytest.fixture(scope="module")
def lake(engines, conf, tmp_path_factory) -> Path:
    """Of recordings, and of one up to where its task's timer still ran."""
    made = tmp_path_factory.mktemp("bundle") / "lake"
    half = tmp_path_factory.mktemp("half") / "app.log"
    whole = gzip.decompress((RECORDINGS / "p572-task-expire-35" / "app.log.gz").read_bytes())
    half.write_bytes(whole[: whole.index(b"Task 0_1 did not make progress")].rpartition(b"\n")[0])
    logs = [str(half)]
    logs += [str(path) for name in SCENARIOS for path in sorted((RECORDINGS / name).glob("*.log.gz"))]
    run(engines, made, logs, [], conf, Progress(is_shown=False), job="run")
    return made


@pytest.fixture(scope="module")
def gold(spark, lake) -> Iterator[SparkSession]:
    """The session, where a dataset's catalog and schema are those that the bundle gives the dashboard."""
    dashboard = deployed("prod", catalog="spark_catalog", schema_prefix="bundle_")["resources"]["dashboards"]
    for schema in registered(spark, lake, "bundle_"):
        place = dashboard["kipwatch_gold"]
        assert (place["dataset_catalog"], place["dataset_schema"]) == ("spark_catalog", schema)
        spark.sql(f"USE {place['dataset_catalog']}.{place['dataset_schema']}")
        yield spark
        spark.sql("USE spark_catalog.default")


def plain(value: Any) -> Any:
    """A value as both engines have it."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
    return value


def sorted_rows(rows: Any) -> list[Any]:
    return sorted((tuple(map(plain, row)) for row in rows), key=repr)


@pytest.mark.usefixtures("query_here")
@pytest.mark.parametrize("name", DATASETS)
def test_a_dataset_has_rows_and_both_engines_give_the_same(name, gold, lake):
    found = gold.sql(DATASETS[name])
    tree = parse_one(DATASETS[name], read="databricks")
    for table in tree.find_all(exp.Table):
        table.set("db", exp.to_identifier("gold"))
    _, rows = query_rows(lake, tree.sql(dialect="postgres"))
    rows = list(rows)
    assert rows != []
    assert sorted_rows(row.values() for row in rows) == sorted_rows(found.collect())


def shown(spark: SparkSession, query: dict[str, Any]) -> DataFrame:
    """What a widget asks of its dataset, as the product puts it together."""
    fields = ", ".join(
        f"{field['expression'].replace(OF_FILTERS, 'TRUE')} AS `{field['name']}`" for field in query["fields"]
    )
    rows = "" if query["disaggregated"] else " GROUP BY ALL"
    return spark.sql(f"SELECT {fields} FROM ({DATASETS[query['datasetName']]}){rows}")


def encoded(widget: dict[str, Any]) -> list[dict[str, Any]]:
    """What a widget draws: its fields, wherever they stand."""
    found = []
    for one in widget["spec"]["encodings"].values():
        found += one if isinstance(one, list) else [one]
    return found


@pytest.mark.parametrize("name", ASKING)
def test_a_widget_asks_for_what_it_draws(name, gold):
    widget = ASKING[name]
    by_name = {query["name"]: shown(gold, query["query"]) for query in widget["queries"]}
    for field in encoded(widget):
        assert field["fieldName"] in by_name[field.get("queryName", "main_query")].columns
    for found in by_name.values():
        assert found.count() > 0


KINDS = {"timestamp": "datetime", "bigint": "integer", "int": "integer", "string": "string"}


@pytest.mark.parametrize(
    "name", [name for name, one in ASKING.items() if one["spec"]["widgetType"] == "table"]
)
def test_a_column_is_shown_as_what_it_is_and_never_as_html(name, gold):
    widget = ASKING[name]
    types = dict(shown(gold, widget["queries"][0]["query"]).dtypes)
    assert widget["spec"]["allowHTMLByDefault"] is False
    for column in encoded(widget):
        assert column["type"] == KINDS[types[column["fieldName"]]]
        assert (column["allowHTML"], column["highlightLinks"]) == (False, False)  # logs are quoted in texts


def test_counters_count_what_the_tables_hold(gold, lake):
    def counted(name: str) -> Any:
        (row,) = shown(gold, ASKING[name]["queries"][0]["query"]).collect()
        return row[0]

    incidents = [json.loads(row) for row in rows_of(lake, "gold.incidents")]
    worst = [
        row
        for row in incidents
        if row["verdict"] == "broken" or row["impact"] in ("lost", "duplicated")
        if row["verdict"] != "benign" and row["parent_incident_id"] is None
    ]
    assert counted("incidents_broken") == len(worst) > 0
    clients = [json.loads(row) for row in rows_of(lake, "gold.client_health")]
    assert counted("clients_broken") == sum(row["status"] == "broken" for row in clients)
    assert counted("newest_run") is not None


@pytest.mark.parametrize("page", DASHBOARD["pages"], ids=lambda page: page["name"])
def test_no_two_widgets_stand_in_one_place(page):
    taken: set[tuple[int, int]] = set()
    for one in page["layout"]:
        at = one["position"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["width"]) for y in range(at["height"])}
        assert not cells & taken
        assert max(x for x, _ in cells) < 6  # a page has six columns
        taken |= cells
    assert len(WIDGETS) == sum(len(page["layout"]) for page in DASHBOARD["pages"])


def incident(name: str, verdict: str, impact: str, began: timedelta, ended: timedelta | None, **more: Any):
    """One that began, and perhaps ended, so long ago."""
    now = datetime.now(UTC)

    def at(ago: timedelta | None) -> int | None:
        return None if ago is None else int((now - ago).timestamp() * 1000)

    return incident_row(name, verdict) | {
        "impact": impact,
        "started_at": at(began),
        "ended_at": at(ended),
        "parent_incident_id": None,
        **more,
    }


MINUTE = timedelta(minutes=1)
MADE = [
    incident("goes on", "broken", "none", 30 * MINUTE, None),
    incident("lost", "as_designed", "lost", 3 * HOUR, 50 * MINUTE),
    incident("twice", "as_designed", "duplicated", 20 * MINUTE, 10 * MINUTE),
    incident("over long ago", "broken", "lost", 3 * HOUR, 70 * MINUTE),
    incident("began long ago", "broken", "lost", 2 * HOUR, None),
    incident("delayed", "as_designed", "delayed", 10 * MINUTE, None),
    incident("normal", "benign", "none", 10 * MINUTE, None),
    incident("a part", "broken", "lost", 10 * MINUTE, None, parent_incident_id=sha("goes on")),
]


def alert_of(prefix: str) -> dict[str, Any]:
    return deployed("prod", catalog="spark_catalog", schema_prefix=prefix)["resources"]["alerts"][
        "kipwatch_broken"
    ]


def test_the_alert_tells_of_what_kipwatch_itself_would_page(spark, tmp_path):
    write(tmp_path, "gold.incidents", MADE)
    for _ in registered(spark, tmp_path, "alerted_"):
        found = spark.sql(alert_of("alerted_")["query_text"]).collect()
    now = int(datetime.now(UTC).timestamp() * 1000)
    hour = int(HOUR.total_seconds() * 1000)
    paged = {one.incident_id for one in due(MADE, {}, ["a"], now, hour) if one.severity == PAGE}
    assert {row.incident_id for row in found} == paged == {sha(name) for name in ("goes on", "lost", "twice")}


def test_the_alert_counts_what_its_query_gives(gold):
    alert = alert_of("bundle_")
    found = gold.sql(alert["query_text"])
    source = alert["evaluation"]["source"]
    assert (source["name"] in found.columns, source["aggregation"]) == (True, "COUNT")
    assert (alert["evaluation"]["comparison_operator"], alert["evaluation"]["threshold"]) == (
        "GREATER_THAN",
        {"value": {"double_value": 0}},
    )
    assert (found.count(), alert["evaluation"]["empty_result_state"]) == (0, "OK")  # recordings are old


def test_what_is_asked_is_databricks_sql():
    for text in (*DATASETS.values(), alert_of("kipwatch_")["query_text"]):
        assert isinstance(parse_one(text, read="databricks"), exp.Select)
