"""How many rows are different is told by numbers that stand for their values."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expectations import plainly

KINDS = (pa.string(), pa.int32(), pa.string())
ROWS = st.lists(
    st.tuples(
        st.none() | st.sampled_from(["a", "b", "ab"]), st.none() | st.integers(0, 2), st.sampled_from("xyz")
    ),
    min_size=1,
    max_size=30,
)


def table(rows: list, chunks: int, *, is_coded: bool) -> pa.Table:
    """is_coded: each text stands once in each chunk."""

    def part(some: list) -> pa.Table:
        columns = [
            pa.array(values, kind) for values, kind in zip(zip(*some, strict=True), KINDS, strict=True)
        ]
        return pa.table(
            [one.dictionary_encode() if is_coded else one for one in columns], ["name", "at", "what"]
        )

    return pa.concat_tables([part(rows[number::chunks]) for number in range(chunks) if rows[number:]])


@given(ROWS, st.integers(1, 3), st.booleans())
def test_as_many_as_a_set_has(rows, chunks, is_coded):
    assert plainly._distinct(table(rows, chunks, is_coded=is_coded)) == len(set(rows))


@pytest.mark.parametrize("is_coded", [True, False])
def test_where_numbers_would_grow_too_large(is_coded, monkeypatch):
    monkeypatch.setattr(plainly, "MOST_CODES", 4)
    rows = [(name, at, what) for name in ("a", "b", None) for at in (0, 1, None) for what in "xyz"]
    assert plainly._distinct(table([*rows, *rows[:5]], 2, is_coded=is_coded)) == len(rows)
