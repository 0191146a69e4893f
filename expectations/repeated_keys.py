"""Keys of rows that other rows of their table have, too: told by numbers, eight bytes of the eighty of an id."""

from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from expectations.suites import ROWS_AT_ONCE
from transforms.arrow_rows import texts_once

Numbers = NDArray[np.int64]
NO_NUMBERS: Numbers = np.empty(0, np.int64)


def parts_of(counts: Mapping[str, int]) -> Iterator[list[str]]:
    """Files of at most ROWS_AT_ONCE rows together, or one."""
    part: list[str] = []
    size = 0
    for name, rows in sorted(counts.items()):
        if part and size + rows > ROWS_AT_ONCE:
            yield part
            part, size = [], 0
        part.append(name)
        size += rows
    if part:
        yield part


def numbers_of(keys: pa.RecordBatch | pa.Table) -> Numbers:
    """A number for each row's key, equal for equal keys while this process runs: eight bytes of the eighty of an id."""
    columns = (one.cast(pa.int64()) if pa.types.is_timestamp(one.type) else one for one in keys.columns)
    values = zip(*(column.to_pylist() for column in columns), strict=True)
    return np.fromiter(map(hash, values), np.int64, keys.num_rows)


def narrow(rows: pa.Table, bare: Collection[str]) -> pa.Table:
    """Of texts each stands once a batch, as most are in thousands of rows. bare: columns of which it is only told where they
    are null."""
    there, absent = pa.scalar(True), pa.scalar(None, pa.bool_())
    return pa.table({
        name: pc.if_else(pc.is_valid(rows[name]), there, absent) if name in bare else texts_once(rows[name])
        for name in rows.column_names
    })  # fmt: skip


def is_among(keys: pa.Table, name: str) -> pc.Expression:
    """Whether the column has one of their values. Their range, too, is asked for: by it whole files are passed over."""
    among = pc.unique(keys[name])
    return is_within(name, among) & pc.field(name).isin(among)


def is_within(name: str, values: pa.Array) -> pc.Expression:
    """Whether the column has a value within their range."""
    ends = pc.min_max(values)
    return (pc.field(name) >= ends["min"]) & (pc.field(name) <= ends["max"])
