"""Samples on their way to the folds: a row holds a day of one attribute of one MBean of a process.

Made (jobs.metrics.process_series) from silver.metric_samples, as few and large rows
beside the rows of events, and put together again in the fold.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

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
