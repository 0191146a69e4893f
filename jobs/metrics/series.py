"""Samples on their way to the folds: a row holds a day of one attribute of one MBean of a process.

Made (jobs.metrics.process_series) from silver.metric_samples, as few and large rows
beside the rows of events, and put together again in the fold.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any

import pyarrow as pa

from transforms.parse.metrics.samples import PROCESS, mbean_of
from transforms.timers.samples.binding import MetricClient
from transforms.timers.samples.series import EVIDENCE, Series

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


def attributes() -> list[str]:
    """Every attribute that a machine reads, of whatever MBean."""
    return sorted(frozenset[str]().union(*EVIDENCE.values()))


def evidence(of: Mapping[str, frozenset[str]] = EVIDENCE) -> list[str]:
    """`type/attribute` of all that machines read, or others do."""
    return sorted(f"{kind}/{name}" for kind, names in of.items() for name in names)


def processes(bound: Iterable[MetricClient]) -> dict[tuple[str, str], str]:
    """The process of each unit and client of metrics."""
    return {(one.unit_id, one.client_id): one.process_unit_id for one in bound if one.process_unit_id}


def gathered(chunks: Iterable[Mapping[str, Any]]) -> list[Series]:
    """The series of chunks, in whatever order these come.

    Where the process's own clock told some of an attribute, what other clocks told is left out: in one series they would
    go back and forth.
    """
    found = []
    ordered = sorted(chunks, key=lambda chunk: (*_attribute(chunk), chunk["clock"], chunk["times"][0]))
    for _, of_attribute in groupby(ordered, key=_attribute):
        by_clock = {clock: list(of) for clock, of in groupby(of_attribute, key=lambda chunk: chunk["clock"])}
        clock = PROCESS if PROCESS in by_clock else min(by_clock)
        found.append(_series(by_clock[clock], clock))
    return found


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


def _attribute(chunk: Mapping[str, Any]) -> tuple[str, str, str]:
    return chunk["unit_id"], chunk["mbean"], chunk["attribute"]


def _series(chunks: Sequence[Mapping[str, Any]], clock: str) -> Series:
    first = chunks[0]
    texts = None
    if any(chunk["texts"] for chunk in chunks):
        texts = list(chain(*(chunk["texts"] or [None] * len(chunk["times"]) for chunk in chunks)))
    return Series(
        first["unit_id"],
        first["mbean"],
        first["attribute"],
        first["client_id"],
        mbean_of(first["mbean"]).tags,
        _joined([chunk["times"] for chunk in chunks]),
        _joined([chunk["values"] for chunk in chunks]),
        texts,
        clock,
    )


def _joined(parts: Sequence[Sequence[Any]]) -> Sequence[Any]:
    if len(parts) == 1:
        return parts[0]
    kinds = {part.typecode if isinstance(part, array) else "" for part in parts}
    every = chain(*parts)
    return list(every) if "" in kinds else array(kinds.pop(), every)
