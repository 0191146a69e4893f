"""What all tests share: one small Spark session for the whole run, made when the first test asks for it."""

import copy
import gc
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyspark
import pytest
from hypothesis import HealthCheck, settings
from pyspark.sql import SparkSession

import __main__
from conf.settings import Conf, load_conf
from expectations import TABLES
from jobs.engine.choice import Engines
from jobs.engine.session import spark_session
from jobs.inputs import places
from jobs.progress import Progress
from jobs.storage.lake import LakeWriter
from lab.store import ENVIRONMENT, Store
from tests.query_here import QueryHere
from tests.workers import TogetherByShared, in_order

# Of many small jobs most of the time goes into compiling what runs once, and into imports of workers that live a minute.
FOR_MANY_SMALL_JOBS = {
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.python.daemon.module": "tests.spark_daemon",
}
SCHEMAS = {table.partition(".")[0] for table in TABLES}
GARBAGE_AFTER = 5_000  # objects; Python's own 700 has hypothesis count its time a hundred times a second
# How long an example takes is the machine's matter: none fails for it.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
# The main module of a worker has no file, which PySpark asks for.
__main__.__file__ = getattr(__main__, "__file__", __file__)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Garbage is looked for more rarely, and not among what was imported and collected: a sixth of the CPU of many tests."""
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test has the mark of what it uses; see tests/workers.py for their order."""
    for item in items:
        for name in {"spark", "browser", "broker"}.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(name)
    if hasattr(config, "workerinput"):
        in_order(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> TogetherByShared:
    """See tests/workers.py."""
    return TogetherByShared(config, log)


@pytest.fixture(scope="session")
def conf() -> Conf:
    """The project's own settings, with a session that fits two cores."""
    found = load_conf()
    options = dict(found.spark.options) | FOR_MANY_SMALL_JOBS
    return replace(found, spark=replace(found.spark, master="local[2]", options=options))


@pytest.fixture(scope="session")
def spark(conf: Conf, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The one session of the run.

    Its Python processes load PySpark as this one does. Of Spark's own home they would load it from an archive, and each
    compile it anew: two thirds of their start.
    """
    home = tmp_path_factory.mktemp("spark")
    for name in ("bin", "jars"):
        (home / name).symlink_to(Path(pyspark.__file__).parent / name)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SPARK_HOME", str(home))
        session = spark_session(conf.spark)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def engines(conf: Conf) -> Engines:
    """As the project's own settings choose: what a test reads is so little that it is read in this process."""
    return Engines(conf.spark, Progress(is_shown=False))


@pytest.fixture(scope="session")
def by_spark(spark: SparkSession, conf: Conf) -> Engines:
    """However little there is, Spark's tasks do it."""
    return Engines(replace(conf.spark, from_bytes=0), Progress(is_shown=False))


@pytest.fixture(scope="session", autouse=True)
def tables_made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty lake's tables are made by the first that wants them, and copied by the others: these are hundreds."""
    prepare = LakeWriter.prepare
    made: dict[str, Path] = {}

    def prepare_by_copy(lake: LakeWriter) -> None:
        if isinstance(lake.root, Path) and not any(lake.root.joinpath(schema).exists() for schema in SCHEMAS):
            kept = str(lake.properties)
            if kept not in made:
                first = copy.copy(lake)
                first.root = made[kept] = tmp_path_factory.mktemp("tables")
                prepare(first)
            shutil.copytree(made[kept], lake.root, dirs_exist_ok=True)
        else:
            prepare(lake)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LakeWriter, "prepare", prepare_by_copy)
        yield


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """An empty place for a lake."""
    return tmp_path / "lake"


@pytest.fixture
def query_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries run in this process: to start one for each takes longer than all else, and test_query_bounds.py does."""
    monkeypatch.setattr("jobs.sql.query.BoundedQuery", QueryHere)


@pytest.fixture(scope="session")
def one_store() -> Iterator[Store]:
    """The one object store of the run."""
    store = Store()
    yield store
    store.end()


@pytest.fixture
def store(one_store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An object store that answers, and the environment that leads to it. What was put into it stays."""
    for name, value in {**ENVIRONMENT, "AWS_ENDPOINT_URL": one_store.url}.items():
        monkeypatch.setenv(name, value)
    one_store.requests.clear()
    places._systems.clear()  # clients of another environment
    yield one_store
    one_store.refuse = lambda request: None
    one_store.open()
