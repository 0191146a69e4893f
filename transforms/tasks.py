"""What a task is given, and what it gives."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

Batches = Iterator[pa.RecordBatch]
ROWS_AT_ONCE = 8192  # of a batch that goes to a task


@dataclass(frozen=True, slots=True)
class Note:
    """Something small that a task tells the driver: a name and JSON."""

    name: str
    text: str


Put = Iterator[tuple[str, pa.RecordBatch] | Note]
# A task over rows: batches in; (name of the rows, batch) or a note out.
BatchTask = Callable[[Batches], Put]
# Ends the name of rows that the next fold tells again; apart from those of their table that are told for good.
IS_OPEN = ".open"
