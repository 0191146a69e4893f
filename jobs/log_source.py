"""The typed events of logs for anybody's Spark: `spark.read.format("kafka_client_logs").load(path)`, once it is registered.

    from jobs.log_source import ClientLogs
    spark.dataSource.register(ClientLogs)

It reads alone: no lake, and no state between two reads. What is rebuilt and judged of events is the lake's.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from conf.names import unit_names
from conf.settings import load_conf
from expectations.rows import staged_schema
from jobs.inputs.listing import list_files
from jobs.reading.tasks import probe, read_chunk
from transforms.errors import BadInput
from transforms.plans.chunks import Chunk
from transforms.plans.read_rows import EVENTS
from transforms.plans.source_state import SourceState
from transforms.tasks import Note


class ClientLogs(DataSource):
    """Events of Kafka's clients in logs. path: a file, folder, glob or object store's prefix, which every task sees.

    Columns: those of silver.client_events (docs/tables.md) but `unit_bucket`; `incarnation` is 0 and `client_version` what a
    line says, as they follow from other lines of a process. Option `conf`: a YAML file, as --conf.
    """

    @classmethod
    def name(cls) -> str:
        """See DataSource."""
        return "kafka_client_logs"

    def schema(self) -> StructType:
        """See DataSource."""
        return from_arrow_schema(staged_schema(EVENTS))

    def reader(self, schema: StructType) -> "LogReader":
        """See DataSource.

        Raises: BadInput without a path.
        """
        if "path" not in self.options:
            raise BadInput("names no logs", where=self.name(), todo="give a path: load(path)")
        return LogReader(self.options["path"], self.options.get("conf"))


class LogReader(DataSourceReader):
    """A task a file, read whole; rows are typed by columns, as a run's are."""

    def __init__(self, path: str, conf_file: str | None) -> None:
        self._path, self._conf_file = path, conf_file

    def partitions(self) -> Sequence[InputPartition]:
        """The files that there are.

        Raises: BadInput for a path that doesn't exist.
        """
        return [
            InputPartition((one.path, one.size)) for one in list_files([self._path], what="load") if one.size
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The events of one file, in its order. A piece that no reader understands has none."""
        path, size = partition.value
        conf = load_conf(Path(self._conf_file) if self._conf_file else None)
        hint = conf.hint_for(path)
        found = probe(path, hint, conf.reader, None)
        service, instance = unit_names(path, hint)
        source = SourceState(source_id=found.source_id, source=path, service=service, instance=instance)
        chunk = Chunk(
            found.source_id, path, 0, 0, None, 1, found.is_encoded, found.layout, service, instance, source.unit_id
        )  # fmt: skip
        names = staged_schema(EVENTS).names
        for put in read_chunk(chunk, conf.reader, size):
            if not isinstance(put, Note) and put[0] == EVENTS:
                yield put[1].select(names)
