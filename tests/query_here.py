"""`kipwatch query` without a process of its own: tests of pages ask it hundreds of times, and are not about its bounds."""

from collections.abc import Iterator, Mapping

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder

from jobs.sql.bounded import Bounds


class QueryHere:
    """In the place of BoundedQuery: the same engine over the same tables."""

    def __init__(self, tables: Mapping[str, str], sql: str, _bounds: Bounds) -> None:
        builder = QueryBuilder()
        for name, folder in tables.items():
            builder.register(name, DeltaTable(folder))
        self._found = pa.RecordBatchReader.from_stream(builder.execute(sql)).read_all()
        self.schema = self._found.schema

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Its rows."""
        yield from self._found.to_batches()
