"""Lines of topics on their way to their origins, as rows."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

import pyarrow as pa

from transforms.parse.records.shipped import Line, Message, ShippedSource, lines_of
from transforms.plans.generations import OF_ORIGIN, of_origin

OF_LINE = ("position", "end", "text", "size", "number", "at", "lines", "is_cut")
SCHEMA = pa.schema(
    [pa.field(name, pa.string()) for name in OF_ORIGIN]
    + [pa.field(name, pa.int64()) for name in ("sent_at", "partition", "message")]
    + [
        pa.field("position", pa.int64()), pa.field("end", pa.int64()), pa.field("text", pa.string()),
        pa.field("size", pa.int64()), pa.field("number", pa.int64()), pa.field("at", pa.string()),
        pa.field("lines", pa.int64()), pa.field("is_cut", pa.bool_()),
    ]
)  # fmt: skip
# As they came: what a file's first line is followed by belongs to that file, not to a former one of its name.
of_line = attrgetter(*OF_LINE)


def line_rows(batch: pa.RecordBatch, topic: str, topic_id: str, longest: int) -> pa.RecordBatch:
    """The lines of messages, redacted: rows of SCHEMA. longest: of a record, in bytes."""
    sent = batch.column("timestamp").cast(pa.int64()).to_pylist()
    columns = zip(
        *(batch.column(name).to_pylist() for name in ("partition", "offset", "value")), sent, strict=True
    )
    rows = [
        (*of_origin(origin), sent_at, partition, offset, *of_line(line))
        for partition, offset, value, sent_at in columns
        for origin, line in lines_of(Message(topic, topic_id, partition, offset, value), longest)
    ]
    values = zip(*rows, strict=True) if rows else ([] for _ in SCHEMA)
    arrays = [pa.array(one, kind) for one, kind in zip(values, SCHEMA.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def by_origin(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[ShippedSource, list[Line]]]:
    """The lines of each origin; rows come in order."""
    rows = (row for batch in batches for row in batch.to_pylist())
    for _, some in groupby(rows, key=lambda row: row["origin_id"]):
        lines = list(some)
        origin = ShippedSource(*(lines[0][name] for name in OF_ORIGIN))
        yield origin, [Line(*(row[name] for name in OF_LINE)) for row in lines]
