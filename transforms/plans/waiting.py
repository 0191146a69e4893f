"""What stands open at a source's end, and whether a stream waits for more of it (stream.flush_after).

A record is whole when the next one begins. Until then, or until nothing came for so long, a stream leaves it where it is:
of a file it reads up to there, of a topic it keeps the lines in the accounting of their origin.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from transforms.plans.chunks import Listed, Probe
from transforms.plans.source_state import SourceState


def is_young(changed: int, now: int, flush_after: int) -> bool:
    """Whether more may come yet. All in one unit. A change in the future is of another clock, and not waited for."""
    return 0 <= now - changed < flush_after


def may_grow(files: Iterable[Listed], sizes: Mapping[str, int], now_ns: int, flush_ms: int) -> dict[str, int]:
    """The files whose last record is waited for, and up to where each is looked at.

    sizes: of the files as listed; one that a trigger takes only a part of goes on for certain.
    """
    return {
        listed.path: listed.size
        for listed in files
        if flush_ms
        and (listed.size < sizes[listed.path] or is_young(listed.changed_ns, now_ns, flush_ms * 1_000_000))
    }


def without_open(
    files: Sequence[Listed],
    probes: Sequence[Probe],
    sizes: Mapping[str, int],
    known: Mapping[str, SourceState],
) -> tuple[list[Listed], list[Probe]]:
    """The files up to their open records; without those of which nothing else is new. Pure."""
    listed_of = {listed.path: listed for listed in files}
    kept, looked_at = [], []
    for probe in probes:
        listed = listed_of[probe.path]
        if probe.open_at is not None:
            if probe.open_at > _read_to(probe, known):
                listed = replace(listed, size=probe.open_at)
            elif listed.size == sizes[listed.path]:
                continue
            # Else a record is longer than what a trigger takes: it comes in parts, as a stream must get on.
        kept.append(listed)
        looked_at.append(probe)
    return kept, looked_at


def _read_to(probe: Probe, known: Mapping[str, SourceState]) -> int:
    """How far the file was read, also under the id that it had while it was shorter than a KiB."""
    old = known.get(probe.source_id)
    shorter = [
        one.bytes_read
        for one in known.values()
        if one.source == probe.path and one.fingerprint_bytes < probe.fingerprint_bytes
    ]
    return max([old.bytes_read if old else 0, *shorter])


def due(known: Mapping[str, SourceState], now_ms: int, flush_ms: int) -> list[str]:
    """The origins of topics' lines that hold something back for which the time is up."""
    return sorted(
        source_id
        for source_id, source in known.items()
        if (since := (source.origin or {}).get("waits_from")) is not None
        and not is_young(since, now_ms, flush_ms)
    )
