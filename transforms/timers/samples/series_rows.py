"""Samples on their way to the folds: a row holds a day of one attribute of one MBean of a process.

Made (jobs.metrics.process_series) from silver.metric_samples, as few and large rows
beside the rows of events, and put together again in the fold.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

SAMPLES = "silver.metric_samples"
# Of samples of one time the first of this order stays.
ORDER = ("source_id", "offset", "item")
DAY_MS = 86_400_000
MBEAN_TYPE = r"^[^:]*:type=(?P<type>[^,]+)"
# What group folds read: a membership is a consumer's.
OF_GROUPS = "kafka.consumer:"
SERIES = pa.struct(
    [
        ("unit_id", pa.string()),
        ("mbean", pa.string()),
        ("attribute", pa.string()),
        ("client_id", pa.string()),
        ("clock", pa.string()),
        ("times", pa.list_(pa.int64())),
        ("values", pa.list_(pa.float64())),
        ("texts", pa.list_(pa.string())),
    ]
)


def chunks_in(column: pa.StructArray) -> Iterator[Mapping[str, Any]]:
    """The chunks of a column of SERIES; numbers stay packed, as a day's are many."""
    for chunk in column.drop_null():
        named = {
            name: chunk[name].as_py() for name in ("unit_id", "mbean", "attribute", "client_id", "clock")
        }
        texts = chunk["texts"].values
        yield named | {
            "times": array("q", chunk["times"].values.to_numpy().tobytes()),
            "values": _packed(chunk["values"].values),
            "texts": None if texts.null_count == len(texts) else texts.to_pylist(),
        }


def _packed(values: pa.Array) -> Sequence[float | None]:
    return values.to_pylist() if values.null_count else array("d", values.to_numpy().tobytes())


HEAD = ("mbean", "attribute", "client_id", "clock")
SEPARATOR = "\x1f"


def bound_samples(
    samples: pa.RecordBatch, of: Mapping[tuple[str, str], str], named: pa.StringArray
) -> pa.RecordBatch:
    """Those that are asked for, with the process that they are bound to. named: `type/attribute`."""
    kinds = pc.struct_field(pc.extract_regex(samples["mbean"], MBEAN_TYPE), "type")
    names = pc.binary_join_element_wise(kinds, samples["attribute"], "/")
    samples = samples.append_column("process", _process(samples, of))
    return samples.filter(pc.and_(pc.is_in(names, named), pc.is_valid(samples["process"])))


def series_rows(samples: pa.Table) -> pa.StructArray:
    """Rows of SERIES."""
    samples = samples.combine_chunks()
    if not samples.num_rows:
        return pa.array([], SERIES)
    points = _once(_points(samples))
    # A row a day: as much as a second's scrapes of a day are held as one.
    days = pc.divide(points["at"], DAY_MS)
    begins = pc.indices_nonzero(pc.or_(_changes(points["series"]), _changes(days))).cast(pa.int32())
    offsets = pa.concat_arrays([begins, pa.array([points.num_rows], pa.int32())])
    heads = samples.select(["process", *HEAD]).take(points["row"].take(begins))
    lists = (
        pa.ListArray.from_arrays(offsets, points[name].combine_chunks()) for name in ("at", "value", "text")
    )
    return pa.StructArray.from_arrays(
        [*(heads[name].combine_chunks() for name in heads.column_names), *lists], fields=list(SERIES)
    )


def of_groups(series: pa.StructArray, members: pa.Table) -> tuple[pa.Array, pa.StructArray]:
    """The group of each row, and the rows: a process's series for each group it speaks of. members: key, unit_id."""
    groups: dict[str, list[str]] = {}
    for group_id, unit_id in zip(members["key"].to_pylist(), members["unit_id"].to_pylist(), strict=True):
        groups.setdefault(unit_id, []).append(group_id)
    units = enumerate(series.field("unit_id").to_pylist())
    found = [(group, row) for row, unit_id in units for group in groups.get(unit_id, ())]
    rows = pa.array([row for _, row in found], pa.int64())
    return pa.array([group for group, _ in found], pa.string()), series.take(rows)


def _process(samples: pa.RecordBatch, of: Mapping[tuple[str, str], str]) -> pa.Array:
    named = pc.binary_join_element_wise(samples["unit_id"], samples["client_id"], SEPARATOR)
    encoded = named.dictionary_encode()
    known = {SEPARATOR.join(pair): process for pair, process in of.items()}
    return pa.array([known.get(name) for name in encoded.dictionary.to_pylist()], pa.string()).take(
        encoded.indices
    )


def _points(samples: pa.Table) -> pa.Table:
    """What is sorted: the series by number, its time, its rank among equals, and its row."""
    names = [samples[name] for name in ("process", "mbean", "attribute", "clock")]
    series = pc.binary_join_element_wise(*names, SEPARATOR).combine_chunks().dictionary_encode().indices
    columns = {
        "series": series,
        "at": samples["sampled_at"].cast(pa.timestamp("ms", "UTC")).cast(pa.int64()),
        **{name: samples[name] for name in ORDER},
        "value": samples["value"],
        "text": samples["text_value"],
        "row": pa.array(range(samples.num_rows), pa.int64()),
    }
    points = pa.table(columns)
    return points.sort_by([(name, "ascending") for name in ("series", "at", *ORDER)]).combine_chunks()


def _once(points: pa.Table) -> pa.Table:
    """Of one time the first."""
    return points.filter(pc.or_(_changes(points["series"]), _changes(points["at"]))).combine_chunks()


def _changes(values: pa.ChunkedArray) -> pa.Array:
    """Where a value is another than the one before; at the first, too."""
    steps = pc.pairwise_diff(values.combine_chunks())
    return pc.fill_null(pc.not_equal(steps, 0), fill_value=True)
