"""Tasks in Spark's Python workers, by mapInArrow: items go in, and only one row a file and notes come back.

Nothing here asks for a context or a JVM, which Spark Connect has not.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache

import pyarrow as pa
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from expectations.place import LakePlace
from jobs.engine import arrow_files, memory
from jobs.engine.engine import Engine, Task
from jobs.engine.staging import Schemas, Staged, put_aside, staged
from jobs.inputs.places import error_of_task
from transforms.plans.packs import Item, in_turn
from transforms.tasks import BatchTask, Put

# path: of a staged file; note: JSON that a task says beside its rows, such as a chunk's account (then path is null).
MANIFEST = "name string, path string, rows long, note string"
GIVEN = pa.schema([("item", pa.string())])


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
        packs = in_turn(items, self.slots, at_most)
        given = _given(packs, folder)

        def over_packs(batches: Iterator[pa.RecordBatch]) -> Put:
            numbers = (number for batch in batches for number in batch.column("id").to_pylist())
            packs = (arrow_files.batch_at(given, number).column(0) for number in numbers)
            return task(text for pack in packs for text in pack.to_pylist())

        # A row a partition: nothing is shuffled, and what is to be done lies in a file that all tasks see.
        frame = self._spark.range(0, len(packs), 1, len(packs))
        return stage_frame(frame, over_packs, schemas, folder)


def _given(packs: Sequence[Sequence[str]], folder: LakePlace) -> str:
    """A file with what each task is given: a batch for each."""
    arrow_files.make(folder)
    path = arrow_files.place(folder, "given")
    with closing(arrow_files.Writer(path, GIVEN)) as file:
        for pack in packs:
            file.write_batch(pa.RecordBatch.from_arrays([pa.array(pack, pa.string())], schema=GIVEN))
    return path


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
