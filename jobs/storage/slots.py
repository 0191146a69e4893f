"""What is to be done, over tasks of about the same size, with what Spark 4.0 and Connect have."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

_MASK = 0xFFFFFFFF


def most_slots(spark: SparkSession) -> int:
    """How many tasks events are sorted for."""
    return int(spark.conf.get("spark.sql.shuffle.partitions") or 1)


def parallelism(spark: SparkSession) -> int:
    """How many tasks run at once. Under Spark Connect there is no context to ask: a range has as many partitions."""
    try:
        return spark.sparkContext.defaultParallelism
    except Exception:  # Connect raises its own kind, which a session without it has not
        return _partitions_of_a_range(spark)


@lru_cache(maxsize=1)
def _partitions_of_a_range(spark: SparkSession) -> int:
    return spark.range(1 << 16).select(F.spark_partition_id()).distinct().count()


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
    keys = slot_keys(slots)
    rows = [(keys[slot], text) for text, slot in slots_of(sized, slots).items()]
    frame = spark.createDataFrame(rows, f"slot_key int, {name} string")
    return frame.repartition(slots, F.col("slot_key")).select(name)


@lru_cache(maxsize=64)
def slot_keys(slots: int) -> tuple[int, ...]:
    """For each slot an int that Spark's hash partitioning by one int column puts into the partition of that number.

    `repartitionById` says the number itself, but only from Spark 4.1 on.
    """
    found: dict[int, int] = {}
    key = 0
    while len(found) < slots:
        found.setdefault(_murmur3(key) % slots, key)
        key += 1
    return tuple(found[slot] for slot in range(slots))


def _murmur3(value: int) -> int:
    """Spark's hash of one int, signed (org.apache.spark.unsafe.hash.Murmur3_x86_32.hashInt, seed 42)."""
    mixed = value * 0xCC9E2D51 & _MASK
    mixed = (mixed << 15 | mixed >> 17) & _MASK
    state = 42 ^ (mixed * 0x1B873593 & _MASK)
    state = (state << 13 | state >> 19) & _MASK
    state = (state * 5 + 0xE6546B64 & _MASK) ^ 4
    state = (state ^ state >> 16) * 0x85EBCA6B & _MASK
    state = (state ^ state >> 13) * 0xC2B2AE35 & _MASK
    state ^= state >> 16
    return state - (1 << 32) if state >> 31 else state
