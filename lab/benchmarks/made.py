"""Columns of made tables: ids, instants, processes."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from expectations import TABLES
from expectations.rows import bucket_of

NOON_US = 1_795_262_400_000_000
SPAN_US = 7 * 86_400 * 1_000_000


def of_units(of: np.ndarray) -> dict[str, pa.Array]:
    """The columns of these processes, a row each."""
    return {
        "unit_id": pa.array(of),
        "unit_bucket": pa.array([bucket_of(unit) for unit in of.tolist()], pa.int32()),
        "service": pa.array([unit[:10] for unit in of]),
        "instance": pa.array([unit[11:] for unit in of]),
    }


def ids(prefix: str, count: int) -> pa.Array:
    """Unique, of an id's length and alphabet, and in no order: as a hash's."""
    random = np.random.default_rng(list(prefix.encode()))
    raw = random.integers(0, 256, (count, 32), dtype=np.uint8).tobytes().hex()
    return pa.array([raw[at : at + 64] for at in range(0, len(raw), 64)])


def instants(us: np.ndarray) -> pa.Array:
    """Instants of us since the epoch."""
    return pa.array(us, pa.timestamp("us", tz="UTC"))


def whole(table: str, columns: dict[str, pa.Array]) -> pa.Table:
    """Rows of a table of which these columns are known; the others are null, or their type's zero where they may not be."""
    count = len(next(iter(columns.values())))
    schema = TABLES[table].arrow_schema()
    arrays = [
        pc.cast(columns[field.name], field.type) if field.name in columns else _nothing(field, count)
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _nothing(field: pa.Field, count: int) -> pa.Array:
    if field.nullable:
        return pa.nulls(count, field.type)
    if pa.types.is_nested(field.type):
        return pa.array([[]] * count, field.type)
    zero = "" if pa.types.is_string(field.type) else 0
    return pc.cast(pa.array([zero] * count), field.type)
