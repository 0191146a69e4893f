"""Rows that are put in order, of which no more than a span is held."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.engine.row_source import RowSource, of_batches, together
from jobs.engine.sorted_rows import in_order_of
from transforms.arrow_rows import in_order

SCHEMA = pa.schema([("unit", pa.string()), ("at", pa.int64()), ("text", pa.string())])
ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.none() | st.integers(0, 3), st.text("xyz", max_size=40)), max_size=30
)


def source(*parts: list) -> RowSource:
    def one(rows: list) -> RowSource:
        columns = [list(values) for values in zip(*rows, strict=True)] or [[], [], []]
        batch = pa.RecordBatch.from_arrays(
            [pa.array(values, field.type) for values, field in zip(columns, SCHEMA, strict=True)],
            schema=SCHEMA,
        )
        return of_batches(SCHEMA, len(rows), lambda: iter([batch]))

    return together([one(rows) for rows in parts])


@given(st.lists(ROWS, min_size=1, max_size=4), st.sampled_from([1, 100, 1000, 1 << 20]))
def test_the_order_is_that_of_all_at_once(parts, most_bytes):
    rows, order = source(*parts), ("unit", "at", "text")
    found = list(in_order_of(rows, order, most_bytes))
    wanted = in_order(rows.table(), order).to_pylist()
    assert [row for batch in found for row in batch.to_pylist()] == wanted


def test_no_more_than_a_span_is_held():
    rows = source([("a", n, "x" * 1000) for n in range(100)])
    assert all(batch.nbytes < 20_000 for batch in in_order_of(rows, ("unit", "at"), 10_000))


@pytest.mark.parametrize(("most_bytes", "is_held"), [(200_000, True), (50_000, False)])
def test_rows_are_held_by_their_bytes(most_bytes, is_held):
    rows = source([("a", n, "x" * 1000) for n in range(50)], [("b", n, "y" * 1000) for n in range(50)])
    held = rows.within(most_bytes)
    assert (held is not None and held.num_rows == 100) == is_held
