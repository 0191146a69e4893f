"""Tasks in Spark's Python workers, by mapInArrow: items go in, and only one row a file and notes come back.

Nothing here asks for a context or a JVM, which Spark Connect has not.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import pyarrow as pa
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from expectations.murmur import murmur3
from expectations.place import LakePlace
from jobs.engine import memory
from jobs.engine.engine import Engine, Task
from jobs.engine.staging import Schemas, Staged, put_aside, staged
from jobs.inputs.places import error_of_task
from transforms.plans.packs import Item, slots_of
from transforms.tasks import BatchTask, Put

# path: of a staged file; note: JSON that a task says beside its rows, such as a chunk's account (then path is null).
MANIFEST = "name string, path string, rows long, note string"


class SparkEngine(Engine):
    """See Engine."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    @property
    def slots(self) -> int:
        """See Engine."""
        return parallelism(self._spark)

    def run(
        self,
        items: Sequence[Item],
        task: Task,
        schemas: Schemas,
        folder: LakePlace,
        at_most: int | None = None,
    ) -> Staged:
        """See Engine."""
        if not items:
            return staged(schemas, ())
        enough = 0 if at_most is None else -(-sum(size for _, size in items) // at_most)
        slots = min(len(items), max(self.slots, enough))

        def over_texts(batches: Iterator[pa.RecordBatch]) -> Put:
            return task(text for batch in batches for text in batch.column("item").to_pylist())

        return stage_frame(self._spread(items, slots), over_texts, schemas, folder)

    def _spread(self, items: Sequence[Item], slots: int) -> DataFrame:
        """A row an item, over `slots` partitions of about the same size."""
        keys = slot_keys(slots)
        rows = [(keys[slot], text) for text, slot in slots_of(items, slots).items()]
        frame = self._spark.createDataFrame(rows, "slot_key int, item string")
        return frame.repartition(slots, F.col("slot_key")).select("item")


def stage_frame(frame: DataFrame, task: BatchTask, schemas: Schemas, folder: LakePlace) -> Staged:
    """Run a task over the batches of a frame, such as messages that Spark reads; its rows are in files under `folder`."""

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        memory.of_a_task()
        entries = put_aside(task(batches), schemas, folder)
        columns = list(zip(*entries, strict=True)) or [()] * 4
        kinds = (pa.string(), pa.string(), pa.int64(), pa.string())
        yield pa.RecordBatch.from_arrays(
            [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)],
            names=["name", "path", "rows", "note"],
        )

    rows = _collected(frame.mapInArrow(write, MANIFEST))
    return staged(schemas, [(row.name, row.path, row.rows, row.note) for row in rows])


def _collected(frame: DataFrame) -> list[Row]:
    """What tasks tell.

    Raises: StoreAway and PermissionError where one of them did, as itself and not as Spark's text of it.
    """
    try:
        return frame.collect()
    except PythonException as error:
        cause = error_of_task(str(error))
        if cause is None:
            raise
        raise cause from None


@lru_cache(maxsize=1)
def parallelism(spark: SparkSession) -> int:
    """How many tasks run at once: as many as a range has partitions, as no other way is there under Spark Connect."""
    return spark.range(1 << 16).select(F.spark_partition_id()).distinct().count()


@lru_cache(maxsize=64)
def slot_keys(slots: int) -> tuple[int, ...]:
    """For each slot an int that Spark's hash partitioning by one int column puts into the partition of that number.

    `repartitionById` says the number itself, but only from Spark 4.1 on.
    """
    found: dict[int, int] = {}
    key = 0
    while len(found) < slots:
        found.setdefault(murmur3((key,), 4) % slots, key)
        key += 1
    return tuple(found[slot] for slot in range(slots))
