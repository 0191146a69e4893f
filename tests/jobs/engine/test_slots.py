"""Where tasks run, by what every version of Spark has."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from jobs.engine.spark import parallelism


def test_a_row_of_a_range_is_a_partition(spark: SparkSession) -> None:
    placed = spark.range(0, 31, 1, 31).select("id", F.spark_partition_id().alias("at")).collect()
    assert [(row.id, row.at) for row in placed] == [(number, number) for number in range(31)]


def test_a_session_says_how_many_tasks_run_at_once(spark: SparkSession) -> None:
    assert parallelism(spark) == spark.sparkContext.defaultParallelism
