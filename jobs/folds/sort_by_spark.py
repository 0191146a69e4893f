"""Events of more units than fit in memory: sorted by Spark's shuffle."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from jobs.folds.folding import FOLD_FIELDS, OF_SERIES
from jobs.folds.sorting import ORDER, PARTS_ORDER, UnitSize
from jobs.metrics.binding import NO_METRICS, Bindings
from jobs.metrics.series import OF_GROUPS, SERIES
from jobs.metrics.series_by_spark import of_groups, series_by_spark
from jobs.reading.read_rows import EVENTS
from jobs.storage.lake import LakeWriter
from jobs.storage.rows import staged_schemas
from jobs.storage.slots import most_slots, slot_keys, slots_of
from jobs.storage.staging import Staged, Task, stage
from transforms.events import UNRECOGNIZED
from transforms.timers.clients.settings import CONTROL_KINDS, CONTROL_MESSAGES
from transforms.timers.machines import OF_STREAM_THREAD, TELLS_TIME_ONLY


class SortBySpark:
    """The Sorter of large lakes."""

    def __init__(self, spark: SparkSession, lake: LakeWriter, evidence: Bindings = NO_METRICS) -> None:
        self._spark = spark
        self._lake = lake
        self._evidence = evidence
        self._events = lake.read(spark, EVENTS)

    def units(self, units: Sequence[str]) -> list[UnitSize]:
        """See Sorter."""
        clock = F.unix_millis(F.max("happened_at")).alias("clock")
        of_units = self._events.where(F.col("unit_id").isin(list(units))).groupBy("unit_id")
        counted = of_units.agg(F.count(F.lit(1)).alias("events"), clock).collect()
        return [UnitSize(row.unit_id, row.events, row.clock) for row in counted]

    def fold_units(
        self, units: Sequence[UnitSize], fold: Task, tables: Sequence[str], staging: Path
    ) -> Staged:
        """See Sorter."""
        slots = slots_of([(unit.unit_id, unit.events) for unit in units], most_slots(self._spark))
        read = self._events.where((F.col("message_id") != UNRECOGNIZED) & ~_tells_time_only())
        # Control events come twice: before all others, and in their place.
        phases = F.when(_is_control(), F.array(F.lit(0), F.lit(1))).otherwise(F.array(F.lit(1)))
        keys = [(unit_id, unit_id, slot) for unit_id, slot in slots.items()]
        keyed = self._keyed(read.withColumn("phase", F.explode(phases)), keys)
        if bound := self._evidence.of(slots):
            series = series_by_spark(self._spark, self._lake, bound)
            of_units = series.select(F.col("series.unit_id").alias("key"), "series")
            keyed = self._with_series(keyed, of_units, slots)
        return stage(_in_order(keyed, slots), fold, staged_schemas(tables), staging)

    def fold_groups(self, parts: pa.Table, fold: Task, tables: Sequence[str], staging: Path) -> Staged:
        """See Sorter."""
        slots = slots_of([(key, 1) for key in parts["key"].to_pylist()], most_slots(self._spark))
        keyed = self._spark.createDataFrame(parts)
        bound = self._evidence.of(parts["unit_id"].to_pylist())
        series = self._spark.createDataFrame(
            [], from_arrow_schema(pa.schema([("key", pa.string()), ("series", SERIES)]))
        )
        if bound:
            members = keyed.select("key", "unit_id")
            series = of_groups(series_by_spark(self._spark, self._lake, bound, OF_GROUPS), members)
        slot_of = self._spark.createDataFrame(list(slots.items()), "key string, slot int")
        keyed = keyed.join(F.broadcast(slot_of), "key")
        return stage(
            _in_order(self._with_series(keyed, series, slots), slots, PARTS_ORDER),
            fold,
            staged_schemas(tables),
            staging,
        )

    def _with_series(self, keyed: DataFrame, series: DataFrame, slots: Mapping[str, int]) -> DataFrame:
        """Events, and the samples of their keys. series: key, series."""
        slot_of = self._spark.createDataFrame(list(slots.items()), "key string, slot int")
        rows = series.join(F.broadcast(slot_of), "key").withColumn("phase", F.lit(OF_SERIES))
        return keyed.unionByName(rows, allowMissingColumns=True)

    def _keyed(self, events: DataFrame, keys: Sequence[tuple[str, str, int]]) -> DataFrame:
        """The events of these units, with the key they are folded by and its slot; once for each key of the unit."""
        of_unit = self._spark.createDataFrame(list(keys), "unit_id string, key string, slot int")
        return events.join(F.broadcast(of_unit), "unit_id", how="inner").select(
            "key", "slot", "phase", *FOLD_FIELDS
        )


def _is_control() -> Column:
    """The same test as transforms.timers.clients.settings.is_control."""
    return F.col("kind").isin(*sorted(CONTROL_KINDS)) | F.col("message_id").isin(*sorted(CONTROL_MESSAGES))


def _tells_time_only() -> Column:
    """The same test as jobs.folds.sort_here makes: of no group, and transforms.timers.machines.tells_time_only."""
    of_thread = F.coalesce(F.col("thread").contains(OF_STREAM_THREAD), F.lit(False))
    is_read = of_thread | F.col("group_id").isNotNull()
    return F.col("message_id").isin(*sorted(TELLS_TIME_ONLY)) & ~is_read


def _in_order(events: DataFrame, slots: Mapping[str, int], order: Sequence[str] = ORDER) -> DataFrame:
    """Each key in one partition and in order."""
    keys = slot_keys(max(slots.values(), default=0) + 1)
    slot_key = F.element_at(F.lit(list(keys)), F.col("slot") + 1)
    placed = events.repartition(len(keys), slot_key).sortWithinPartitions(*order)
    return placed.drop("slot")
