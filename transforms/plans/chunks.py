"""What is read of a file, cut into chunks: by what it is, and how far it was read before."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from transforms.events import unit_id_of
from transforms.parse.layouts.detect import SNIFF_BYTES
from transforms.parse.layouts.layout import SourceLayout
from transforms.parse.records.streams import FINGERPRINT_BYTES
from transforms.plans.source_state import Copies, SourceState


@dataclass(frozen=True, slots=True)
class Listed:
    """One file or object: its path, size in bytes and time of change (ns), as listed."""

    path: str
    size: int
    changed_ns: int


@dataclass(frozen=True, slots=True)
class Probe:
    """What the head of a file says: who it is, and how it is to be read.

    open_at: where the record begins that is waited for, at its end; None where nothing is (transforms.plans.waiting).
    fingerprint: of its first bytes, also where its id is another (transforms.plans.identity).
    """

    path: str
    source_id: str
    fingerprint_bytes: int
    is_encoded: bool
    layout: Mapping[str, Any]
    open_at: int | None = None
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one source that one task reads: [start, end) in bytes of the decoded source; end None is its end,
    as listed: what is appended later belongs to the next run.

    first_line: 1-based number of the line at `start`; 0 while it is not counted yet. fingerprint: of its source's first
    fingerprint_bytes when it was looked at, by which another file in its place is told; empty where that is not looked at.
    """

    source_id: str
    path: str
    number: int
    start: int
    end: int | None
    first_line: int
    is_encoded: bool
    layout: Mapping[str, Any]
    service: str
    instance: str
    unit_id: str
    fingerprint: str = ""
    fingerprint_bytes: int = 0


def source_of_file(
    probe: Probe, listed: Listed, old: SourceState | None, copies: Copies, names: tuple[str, str]
) -> SourceState:
    """What is known of a file before it is read. old: before now. names: service and instance of a new one.

    A layout is learned from a source's beginning. Until all of that is there, what has come may show another one: then the
    source is read from its beginning again, as a run over all of it reads it.
    """
    service, instance = (old.service, old.instance) if old else names
    before = SourceState(source_id=probe.source_id, source="", service=service, instance=instance)
    is_whole = old is not None and old.bytes_read >= SNIFF_BYTES
    if old is not None and (is_whole or _is_same(old.layout, probe.layout)):
        before = old
    return replace(
        before,
        source=probe.path,
        identity="first_kib" if probe.fingerprint_bytes >= FINGERPRINT_BYTES else "whole_file",
        status="",
        file_size=listed.size,
        file_changed_ns=listed.changed_ns,
        fingerprint_bytes=probe.fingerprint_bytes,
        is_encoded=probe.is_encoded,
        layout=old.layout if old and old.resume_offset and is_whole else probe.layout,
        copies=copies,
    )


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two layouts read alike, whatever they were learned from."""
    return one == other or _bare(one) == _bare(other)


def _bare(layout: Mapping[str, Any]) -> SourceLayout | None:
    return replace(SourceLayout.load(dict(layout)), evidence={}) if layout else None


def chunks_of(probe: Probe, source: SourceState, old: SourceState | None, chunk_bytes: int) -> list[Chunk]:
    """Its pieces that nobody has read yet. source: as source_of_file gives it."""
    if not source.file_size or (old is not None and _read_to_end(probe, source, old)):
        return []
    return [
        Chunk(
            source_id=source.source_id,
            path=source.source,
            number=number,
            start=begin,
            end=end,
            first_line=source.resume_line if number == 0 else 0,
            is_encoded=source.is_encoded,
            layout=source.layout,
            service=source.service,
            instance=source.instance,
            unit_id=source.unit_id,
            fingerprint=probe.fingerprint,
            fingerprint_bytes=probe.fingerprint_bytes,
        )
        for number, (begin, end) in enumerate(_ranges(source, chunk_bytes))
    ]


def _read_to_end(probe: Probe, source: SourceState, old: SourceState) -> bool:
    """Whether nothing is new in it, as after a mere change of name."""
    if probe.is_encoded:
        return old.is_encoded and old.file_size == source.file_size
    return old.bytes_read >= source.file_size


def _ranges(source: SourceState, chunk_bytes: int) -> list[tuple[int, int | None]]:
    """One chunk to the end where a source can't be cut, else equal cuts; the last one goes to the source's end (None)."""
    start = source.resume_offset
    if source.is_encoded or not source.layout.get("is_splittable", True):
        return [(start, None)]
    cuts = list(range(start, source.file_size, chunk_bytes)) or [start]
    return [*pairwise(cuts), (cuts[-1], None)]


def whole_chunk(source_id: str, path: str, service: str, instance: str) -> Chunk:
    """A source that is not cut: an origin of a topic, which has no bytes to be read from."""
    return Chunk(
        source_id=source_id,
        path=path,
        number=0,
        start=0,
        end=None,
        first_line=1,
        is_encoded=False,
        layout={},
        service=service,
        instance=instance,
        unit_id=unit_id_of(service, instance),
    )
