"""What all tests share: one small Spark session for the whole run, made when the first test asks for it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.conf import Conf, load_conf
from jobs.session import spark_session


@pytest.fixture(scope="session")
def conf() -> Conf:
    """The project's own settings, with a session that fits two cores."""
    found = load_conf()
    options = dict(found.spark.options) | {"spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"}
    return replace(found, spark=replace(found.spark, master="local[2]", options=options))


@pytest.fixture(scope="session")
def spark(conf: Conf) -> Iterator[SparkSession]:
    """The one session of the run."""
    session = spark_session(conf.spark)
    yield session
    session.stop()


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """An empty place for a lake."""
    return tmp_path / "lake"
