"""What is to be done, over tasks of about the same size."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def most_slots(spark: SparkSession) -> int:
    """How many tasks events are sorted for."""
    return int(spark.conf.get("spark.sql.shuffle.partitions") or 1)


def slots_of(sized: Iterable[tuple[str, int]], most: int) -> dict[str, int]:
    """A slot for each key, all of about the same number of events: chance would often fill one twice."""
    sizes: dict[str, int] = defaultdict(int)
    for key, size in sized:
        sizes[key] += size
    load = [0] * min(len(sizes), most)
    slots = {}
    for key, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        slots[key] = load.index(min(load))
        load[slots[key]] += size
    return slots


def spread(spark: SparkSession, sized: Sequence[tuple[str, int]], name: str, slots: int) -> DataFrame:
    """Rows over `slots` partitions of about the same number of bytes, the largest first."""
    rows = [(slot, text) for text, slot in slots_of(sized, slots).items()]
    frame = spark.createDataFrame(rows, f"slot int, {name} string")
    return frame.repartitionById(slots, F.col("slot")).select(name)
