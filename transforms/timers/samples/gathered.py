"""Series of samples that came in chunks, such as a row a day."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby
from typing import Any

from transforms.parse.metrics.samples import PROCESS, mbean_of
from transforms.timers.samples.series import Series


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
