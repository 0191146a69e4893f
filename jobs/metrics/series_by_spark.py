"""Series of samples by Spark: the same rows as jobs.metrics.series_here gives, for more samples than fit in memory."""

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_type

from jobs.metrics.series import DAY_MS, ORDER, SAMPLES, SERIES, attributes, evidence, processes
from jobs.storage.lake import LakeWriter
from transforms.timers.samples.binding import MetricClient

OF_SERIES = ("process", "mbean", "attribute", "client_id", "clock")


def series_by_spark(
    spark: SparkSession, lake: LakeWriter, bound: Sequence[MetricClient], domain: str = ""
) -> DataFrame:
    """One column, `series` (SERIES), of all that is bound. domain: of MBeans whose names begin so."""
    of = [(unit, client, process) for (unit, client), process in sorted(processes(bound).items())]
    pairs = spark.createDataFrame(of, "unit_id string, client_id string, process string")
    kind = F.regexp_extract("mbean", "^[^:]*:type=([^,]+)", 1)
    is_read = F.col("attribute").isin(attributes()) & F.concat_ws("/", kind, "attribute").isin(evidence())
    is_wanted = F.col("unit_id").isin(sorted({unit for unit, _, _ in of})) & F.col("mbean").startswith(domain)
    samples = lake.read(spark, SAMPLES).where(is_wanted & is_read)
    points = samples.join(F.broadcast(pairs), ["unit_id", "client_id"]).withColumn(
        "at", F.unix_millis("sampled_at")
    )
    # Of one time the first; a row a day.
    first = F.min_by(F.struct("at", "value", "text_value"), F.struct(*ORDER))
    once = points.groupBy(*OF_SERIES, "at").agg(first.alias("point"))
    day = F.floor(F.col("at") / DAY_MS).alias("day")
    days = once.groupBy(*OF_SERIES, day).agg(F.array_sort(F.collect_list("point")).alias("points"))
    lists = (F.col(f"points.{name}") for name in ("at", "value", "text_value"))
    columns = (
        column.alias(name)
        for column, name in zip((*map(F.col, OF_SERIES), *lists), SERIES.names, strict=True)
    )
    return days.select(F.struct(*columns).cast(from_arrow_type(SERIES)).alias("series"))


def of_groups(series: DataFrame, members: DataFrame) -> DataFrame:
    """A process's series for each group it speaks of. members: key (the group), unit_id. Gives: key, series."""
    of_unit = members.join(series, F.col("series.unit_id") == F.col("unit_id"))
    return of_unit.select("key", "series")
