"""However many samples there are, no part is larger than what may be held, and none is lost between two."""

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expectations.sample_rows import condition_of, gives_way
from jobs.engine.row_source import of_table
from jobs.metrics.sample_parts import in_parts
from transforms.plans.sample_regions import Region, counted, regions_of

SCHEMA = pa.schema(
    [("unit_id", pa.string()), ("sampled_at", pa.timestamp("us", tz="UTC")), ("mbean", pa.string())]
)
LAST = 10**12  # microseconds
Row = tuple[str, int, str]


def table(*rows: Row) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * 3
    at = pa.array(columns[1], pa.int64()).cast(SCHEMA.field("sampled_at").type)
    return pa.table([columns[0], at, columns[2]], schema=SCHEMA)


def cut(rows: pa.Table, most: int, folder: Path) -> list[tuple[Region, int]]:
    """The regions, and how many rows each part has; all rows must be there."""
    units = sorted(set(rows["unit_id"].to_pylist()))
    regions = regions_of(counted(rows.to_batches()), Region(units, 0, LAST), most)
    parts = in_parts(of_table(rows), regions, folder)
    found = pa.concat_tables([SCHEMA.empty_table(), *(part.new.table() for part in parts)])
    order = [(name, "ascending") for name in SCHEMA.names]
    assert found.sort_by(order).equals(rows.sort_by(order))
    return [(part.region, part.new.count) for part in parts]


def minutes(number: int) -> int:
    return number * 60_000_000


@pytest.mark.parametrize(
    ("rows", "sizes"),
    [
        pytest.param([("u", 1, "m"), ("v", 1, "m")], [2], id="few are one part"),
        pytest.param([(unit, 1, "m") for unit in "tuvw" for _ in range(2)], [4, 4], id="processes together"),
        pytest.param([("u", minutes(n), "m") for n in range(0, 60, 10)], [4, 2], id="one process by time"),
        pytest.param([("u", 1, f"m{n}") for n in range(6)], [4, 2], id="one scrape by MBean"),
        pytest.param(
            [("u", minutes(5), f"m{n}") for n in range(5)] + [("u", minutes(15), "m1"), ("v", 0, "m")],
            [4, 1, 1, 1],
            id="by all three",
        ),
        pytest.param([("u", 1, "m")] * 9, [9], id="what can not be cut stays whole"),
    ],
)
def test_parts_hold_what_may_be_held(rows: list[Row], sizes: list[int], tmp_path: Path) -> None:
    assert [size for _, size in cut(table(*rows), 4, tmp_path)] == sizes


ROWS = st.tuples(st.sampled_from("uv"), st.integers(0, 50).map(minutes), st.sampled_from(["a", "b'", "c"]))


@settings(max_examples=50)
@given(rows=st.lists(ROWS, min_size=1, max_size=30), most=st.integers(1, 10))
def test_every_row_is_in_one_part(
    rows: list[Row], most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    parts = cut(table(*rows), most, tmp_path_factory.mktemp("parts"))
    of_one = {(unit, at // minutes(10), mbean): 0 for unit, at, mbean in rows}
    for unit, at, mbean in rows:
        of_one[unit, at // minutes(10), mbean] += 1
    assert max(size for _, size in parts) <= max(most, *of_one.values())


def test_a_region_is_the_same_for_arrow_and_for_sql() -> None:
    region = Region(["o'u"], 0, 1_500_000, ("a", "b'"))
    assert region.filters[1:3] == [
        ("sampled_at", ">=", datetime(1970, 1, 1, tzinfo=UTC)),
        ("sampled_at", "<=", datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)),
    ]
    assert condition_of(region) == (
        "(unit_id IN ('o''u') AND sampled_at >= '1970-01-01T00:00:00.000000Z'"
        " AND sampled_at <= '1970-01-01T00:00:01.500000Z' AND mbean >= 'a' AND mbean <= 'b''')"
    )


@pytest.mark.parametrize(
    ("stale", "gone"),
    [
        pytest.param({"a": 5}, [5, 9], id="all that is read again has grown"),
        pytest.param({"b": 0}, [7], id="all is read again from its beginning"),
        pytest.param({"a": 6, "b": 0}, [9, 7], id="one of each"),
    ],
)
def test_which_rows_give_way(stale: dict[str, int], gone: list[int]) -> None:
    rows = pa.table({"source_id": ["a", "a", "a", "b"], "offset": [0, 5, 9, 7]})
    assert rows.filter(gives_way(stale))["offset"].to_pylist() == gone
