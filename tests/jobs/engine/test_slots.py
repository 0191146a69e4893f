"""Where rows are placed, by what every version of Spark has."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from jobs.engine.spark import parallelism, slot_keys


@pytest.mark.parametrize("slots", [1, 2, 3, 64, 200])
def test_each_slot_has_a_key_of_its_own(slots: int) -> None:
    assert len(set(slot_keys(slots))) == slots


def test_spark_puts_each_key_into_the_partition_of_its_slot(spark: SparkSession) -> None:
    slots = 31
    rows = spark.createDataFrame(list(enumerate(slot_keys(slots))), "slot int, slot_key int")
    placed = rows.repartition(slots, F.col("slot_key")).select("slot", F.spark_partition_id().alias("at"))
    assert all(row.slot == row.at for row in placed.collect())


def test_a_session_says_how_many_tasks_run_at_once(spark: SparkSession) -> None:
    assert parallelism(spark) == spark.sparkContext.defaultParallelism
