"""Two writers, one table: what Spark says in SQL and what is written without it agree."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from jobs.rows import BUCKETS, bucket_of


@pytest.mark.spark
def test_buckets_are_those_of_sparks_hash(spark: SparkSession) -> None:
    names = [
        "",
        "a",
        "abc",
        "abcd",
        "orders/app.log",
        "größe/ünïcode/日本",
        "x" * 301,
        "payments-0/" + "é" * 7,
    ]
    hashed = F.pmod(F.hash("name"), F.lit(BUCKETS)).alias("bucket")
    rows = spark.createDataFrame([(name,) for name in names], "name string").select("name", hashed).collect()
    assert {row.name: row.bucket for row in rows} == {name: bucket_of(name) for name in names}
