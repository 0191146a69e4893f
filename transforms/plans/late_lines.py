"""Rows of a topic's origin of which lines came late: those that stay, and the order of all of them."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from transforms.parse.records.contiguous_ranges import is_within


def is_kept(found: Mapping[str, Any], at: int) -> bool:
    """Whether a row of an origin stays as it stands. found: what was told of the origin when it was read."""
    return bool(at >= found["begin"]) and is_within(at, found["stood"]) and not is_within(at, found["gone"])


def running_times(
    stood: pa.Table, records: pa.Table, late: Mapping[str, Mapping[str, Any]]
) -> dict[tuple[str, int], int]:
    """The largest time up to each record of the late sources, ms, by source_id and offset. stood: what stands of them."""
    latest: dict[str, int] = {}
    for one, at, when in _placed(stood):
        if at < late[one]["begin"] and when is not None:
            latest[one] = max(when, latest.get(one, when))
    running: dict[tuple[str, int], int] = {}
    for one, at, when in sorted(_placed(records), key=lambda place: place[:2]):
        if one in late:
            if when is not None:
                latest[one] = max(when, latest.get(one, when))
            if one in latest:
                running[one, at] = latest[one]
    return running


def _placed(records: pa.Table) -> list[tuple[str, int, int | None]]:
    times = records["logged_at"].cast(pa.int64())
    columns = (records["source_id"], records["offset"], pc.divide(times, 1000))
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def ordered_by(events: pa.Table, running: Mapping[tuple[str, int], int]) -> pa.Table:
    """Events with the times of their records. running: as running_times gives it."""
    kind = events.schema.field("ordered_at").type
    keys = zip(events["source_id"].to_pylist(), events["offset"].to_pylist(), strict=True)
    before = events["ordered_at"].cast(pa.int64()).to_pylist()
    scale = 1000  # instants are kept in us
    times = [running[key] * scale if key in running else old for key, old in zip(keys, before, strict=True)]
    column = pa.array(times, pa.int64()).cast(kind)
    return events.set_column(
        events.schema.get_field_index("ordered_at"), events.schema.field("ordered_at"), column
    )
