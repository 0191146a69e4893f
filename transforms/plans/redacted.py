"""What a lake of an earlier release keeps, without the secrets that this one finds."""

import json
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq

from transforms.parse.secrets.redact import redact
from transforms.parse.secrets.redact_values import redact_but_ids, redact_deeply, redact_rows

# What a fold kept: it goes on from none of it.
KEPT = ("control", "state")


def differing_rows(one: pa.RecordBatch, other: pa.RecordBatch) -> int:
    """How many rows are not the same."""
    if one.equals(other):
        return 0
    pairs = zip(one.to_pylist(), other.to_pylist(), strict=True)
    return sum(1 for left, right in pairs if left != right)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Texts as a table's files have them: what was read as a view can't be filtered once it is written."""
    return pa.string() if pa.types.is_string_view(kind) or pa.types.is_large_string(kind) else kind


def without_states(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Rows that say which groups a process speaks of, and nothing to go on from."""
    clean = redact_rows(batch)
    columns = [
        pa.nulls(batch.num_rows, field.type)
        if field.name in KEPT
        else pa.array([""] * batch.num_rows, field.type)
        if field.name == "code"
        else column
        for field, column in zip(batch.schema, clean.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def clean_rows(content: bytes) -> bytes | None:
    """A file of Parquet anew; None where nothing changes."""
    rows = pq.read_table(pa.BufferReader(content))
    clean = pa.Table.from_batches([redact_rows(batch) for batch in rows.to_batches()], rows.schema)
    if clean.equals(rows):
        return None
    out = pa.BufferOutputStream()
    pq.write_table(clean, out)
    return bytes(out.getvalue().to_pybytes())


def clean_text(content: bytes) -> bytes | None:
    """A file of text anew, JSON by its values; None where nothing changes, or it is no text."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    clean = redact(text)
    with suppress(ValueError, RecursionError):
        known = json.loads(text)
        found = redact_deeply(known, redact_but_ids)
        clean = text if found == known else json.dumps(found, sort_keys=True)
    return None if clean == text else clean.encode()
