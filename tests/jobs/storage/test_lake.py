"""Two writers, one table: what Spark says in SQL and what is written without it agree. Tables of other versions."""

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, Schema
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from expectations import TABLES
from expectations.rows import BUCKETS, bucket_of
from jobs.storage.lake import LakeWriter
from transforms.errors import BadInput


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


def test_a_table_of_another_version_is_named(tmp_path: Path) -> None:
    lake = LakeWriter(tmp_path)
    older = [field for field in TABLES["gold.runs"].arrow_schema() if field.name != "lag_ms"]
    DeltaTable.create(lake.path("gold.runs"), Schema.from_arrow(pa.schema(older)))
    with pytest.raises(
        BadInput, match=r"gold\.runs has no column lag_ms: another version of kipwatch made it"
    ):
        lake.prepare()
