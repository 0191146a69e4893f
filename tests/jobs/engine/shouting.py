"""A task over texts, where Spark's workers can import it."""

from collections.abc import Iterator

import pyarrow as pa

from transforms.tasks import Note, Put

SCHEMA = pa.schema([("text", pa.string())])


def shouting(texts: Iterator[str]) -> Put:
    """Each text as it is and in capitals, with a note of its length."""
    for text in texts:
        yield "rows", pa.record_batch([pa.array([text, text.upper()])], schema=SCHEMA)
        yield Note("length", str(len(text)))
