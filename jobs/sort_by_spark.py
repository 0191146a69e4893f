"""Events of more units than fit in memory: sorted by Spark's shuffle."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.binding import NO_METRICS, Bindings
from jobs.folding import FOLD_FIELDS, OF_SERIES
from jobs.lake import Lake
from jobs.read_rows import EVENTS
from jobs.rows import staged_schemas
from jobs.series import MEMBER, OF_GROUPS
from jobs.series_by_spark import of_groups, series_by_spark
from jobs.sorting import ORDER, GroupPart, UnitSize, most_slots, slots_of
from jobs.staging import Staged, Task, stage
from transforms.timers.machines import OF_STREAM_THREAD, TELLS_TIME_ONLY
from transforms.timers.settings import CONTROL_KINDS, CONTROL_MESSAGES
from transforms.timers.unit import UNRECOGNIZED


class SortBySpark:
    """The Sorter of large lakes."""

    def __init__(self, spark: SparkSession, lake: Lake, evidence: Bindings = NO_METRICS) -> None:
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

    def groups(self) -> list[GroupPart]:
        """See Sorter."""
        of_groups = self._events.where(F.col("group_id").isNotNull()).groupBy("unit_id", "group_id")
        return [GroupPart(row.unit_id, row.group_id, row["count"]) for row in of_groups.count().collect()]

    def fold_units(
        self, units: Sequence[UnitSize], fold: Task, tables: Sequence[str], staging: Path
    ) -> Staged:
        """See Sorter."""
        slots = slots_of([(unit.unit_id, unit.events) for unit in units], most_slots(self._spark))
        told = self._events.where((F.col("message_id") != UNRECOGNIZED) & ~_tells_time_only())
        # Control events come twice: before all others, and in their place.
        phases = F.when(_is_control(), F.array(F.lit(0), F.lit(1))).otherwise(F.array(F.lit(1)))
        keys = [(unit_id, unit_id, slot) for unit_id, slot in slots.items()]
        keyed = self._keyed(told.withColumn("phase", F.explode(phases)), keys)
        if bound := self._evidence.of(slots):
            series = series_by_spark(self._spark, self._lake, bound)
            of_units = series.select(F.col("series.unit_id").alias("key"), "series")
            keyed = self._with_series(keyed, of_units, slots)
        return stage(_in_order(keyed, slots), fold, staged_schemas(tables), staging)

    def fold_groups(
        self, parts: Sequence[GroupPart], fold: Task, tables: Sequence[str], staging: Path
    ) -> Staged:
        """See Sorter."""
        slots = slots_of([(part.group_id, part.events) for part in parts], most_slots(self._spark))
        keys = [(part.unit_id, part.group_id, slots[part.group_id]) for part in parts]
        control = self._keyed(self._events.where(_is_control()).withColumn("phase", F.lit(0)), keys)
        # Lines of no family too: that a client wrote at all shows that its process did not stand still.
        told = self._keyed(self._events.withColumn("phase", F.lit(1)), keys)
        told = told.where(F.col("key") == F.col("group_id"))
        keyed = control.unionByName(told)
        if bound := self._evidence.of(part.unit_id for part in parts):
            members = (
                self._events.where(F.col("group_id").isin(list(slots))).select(*MEMBER).dropna().distinct()
            )
            series = series_by_spark(self._spark, self._lake, bound, OF_GROUPS)
            keyed = self._with_series(keyed, of_groups(series, members), slots)
        return stage(_in_order(keyed, slots), fold, staged_schemas(tables), staging)

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
    """The same test as transforms.timers.settings.is_control."""
    return F.col("kind").isin(*sorted(CONTROL_KINDS)) | F.col("message_id").isin(*sorted(CONTROL_MESSAGES))


def _tells_time_only() -> Column:
    """The same test as transforms.timers.machines.tells_time_only."""
    of_thread = F.coalesce(F.col("thread").contains(OF_STREAM_THREAD), F.lit(False))
    return F.col("message_id").isin(*sorted(TELLS_TIME_ONLY)) & ~of_thread


def _in_order(events: DataFrame, slots: Mapping[str, int]) -> DataFrame:
    """Each key in one partition and in order."""
    count = max(slots.values(), default=0) + 1
    placed = events.repartitionById(count, F.col("slot")).sortWithinPartitions(*ORDER)
    return placed.drop("slot")
