"""The files of a topic's origins: a shipper without a file's own id says only where a line stood in one of that name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from operator import attrgetter
from typing import Any

from transforms.parse.layouts.layout import SourceLayout
from transforms.parse.records.origins import OriginRead
from transforms.parse.records.shipped import TOPIC, Line, ShippedSource
from transforms.plans.chunks import Chunk
from transforms.plans.source_state import SourceState

OF_ORIGIN = ("origin_id", "identity", "path", "service", "instance", "container")
of_origin = attrgetter(*OF_ORIGIN)


@dataclass(frozen=True, slots=True)
class Generation:
    """One file of an origin's name, as it is known: a shipper without a file's own id says only where a line stood.

    first: digest of its first line; "" where it hasn't come.
    """

    source_id: str
    number: int
    first: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)


def generations_of(known: Mapping[str, SourceState], origin_ids: set[str]) -> dict[str, list[Generation]]:
    """The files that are known of each origin, the newest last."""
    found: dict[str, list[Generation]] = {}
    for source in known.values():
        if source.origin is not None and source.origin["origin_id"] in origin_ids:
            found.setdefault(source.origin["origin_id"], []).append(generation_of(source, source.origin))
    return {key: sorted(some, key=lambda one: one.number) for key, some in found.items()}


def generation_of(source: SourceState, origin: Mapping[str, Any]) -> Generation:
    """The file of an origin that a source is."""
    return Generation(source.source_id, origin["generation"], origin["first"], origin["state"])


def generations_in(
    origin: ShippedSource, lines: Iterable[Line], known: Sequence[Generation]
) -> list[tuple[Generation, list[Line]]]:
    """An origin's lines by the file they are of: where a first line comes that is not the known one, another file begins.

    The files' own ids, where a shipper sends them, have told them apart already.
    """
    files = list(known) or [Generation(origin.origin_id, 0)]
    current = len(files) - 1
    taken: dict[int, list[Line]] = {}
    for line in lines:
        if line.position == 0 and origin.identity != TOPIC:
            first = sha256(line.text.encode("utf-8", "replace")).hexdigest()[:16]
            alike = [number for number, one in enumerate(files) if one.first == first]
            if alike:
                current = alike[-1]
            elif files[current].first:
                number = len(files)
                source_id = sha256(f"{origin.origin_id}\x1f{number}\x1f{first}".encode()).hexdigest()
                files.append(Generation(source_id, number, first))
                current = number
            else:
                old = files[current]
                files[current] = Generation(old.source_id, old.number, first, old.state)
        taken.setdefault(current, []).append(line)
    return [(files[number], some) for number, some in sorted(taken.items())]


def origin_told(
    read: OriginRead,
    origin: ShippedSource,
    chunk: Chunk,
    generation: Generation,
    layout: SourceLayout,
    waits_from: int | None,
) -> dict[str, Any]:
    """What the driver must know of an origin that was read."""
    return {
        "chunk": asdict(chunk),
        "identity": origin.identity,
        "begin": read.begin,
        "gone": read.gone,
        "stood": read.stood,
        "is_late": read.is_late,
        "size": max((island.end for island in read.state.islands), default=0),
        "layout": {
            **asdict(layout),
            "origin": {
                "origin_id": origin.origin_id,
                "names": of_origin(origin),
                "waits_from": waits_from if read.is_waiting else None,
                "generation": generation.number,
                "first": generation.first,
                "state": read.state.dump(),
            },
        },
    }
