"""One source under several names: which of them is read, and which need not be looked at again until they change.

`app.log` beside its `app.log.gz` is one source by its fingerprint. The accounting names the file that is read; of
others it keeps size and time of change, so that a trigger over the same files finds nothing new.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from transforms.parse.records.streams import fingerprint
from transforms.plans.chunks import Listed, Probe
from transforms.plans.identity import Contents
from transforms.plans.source_state import Copies, SourceState


@dataclass(frozen=True, slots=True)
class Names:
    """probes: of each source the name that is read. copies: by source_id, its other names, which hold nothing more.

    standing: of the names that are read those that were read before and stand as they were.
    """

    probes: list[Probe]
    copies: Mapping[str, Copies]
    standing: list[Listed]


def taken(known: Iterable[SourceState], files: Iterable[Listed]) -> set[Listed]:
    """Files as they were when nothing in them was new any more: read to their end, or copies of what was.

    A copy counts only beside the file that is read: once that is gone, it is the source.
    """
    there = {listed.path for listed in files}
    found = set()
    for source in known:
        found.add(Listed(source.source, source.file_size, source.file_changed_ns))
        if source.source in there:
            found.update(_listed(source.copies))
    return found


def one_name_each(
    probes: Sequence[Probe],
    files: Sequence[Listed],
    known: Mapping[str, SourceState],
    contents: Contents,
) -> Names:
    """Choose the name with most in it, plain before compressed, and of equals the one that was read before.

    probes: of the files that are new or changed. files: all that there are; one that was read and stands as it was is
    chosen too, where a new name has no more than it.
    """
    listed = {one.path: one for one in files}
    by_source: dict[str, list[Probe]] = {}
    for probe in probes:
        by_source.setdefault(probe.source_id, []).append(probe)
    probed = {probe.path for probe in probes}
    chosen, copies = [], {}
    for source_id, names in by_source.items():
        old = known.get(source_id)
        if old is not None and old.source not in probed and _stands(old, listed):
            names = [*names, _probe_of(old)]
        first, *others = _by_length(names, listed, old, contents)
        chosen.append(first)
        kept = _kept(old, listed) | _inherited(first, listed, known, contents)
        kept |= {name.path: state_of(listed[name.path]) for name in others}
        copies[source_id] = {path: state for path, state in kept.items() if path != first.path}
    standing = [listed[probe.path] for probe in chosen if probe.path not in probed]
    return Names(sorted(chosen, key=lambda probe: probe.path), copies, standing)


def _by_length(
    names: Sequence[Probe], listed: Mapping[str, Listed], old: SourceState | None, contents: Contents
) -> list[Probe]:
    if len(names) == 1:
        return list(names)
    before = old.source if old else None
    lengths = {name.path: _length(name, listed[name.path], old, contents) for name in names}
    return sorted(
        names, key=lambda name: (-lengths[name.path], name.is_encoded, name.path != before, name.path)
    )


def _length(probe: Probe, listed: Listed, old: SourceState | None, contents: Contents) -> int:
    """Bytes, decoded."""
    if not probe.is_encoded:
        return listed.size
    if old is not None and old.source == probe.path and _stands(old, {listed.path: listed}):
        return old.bytes_read
    return contents.length_of(probe.path)


def _stands(old: SourceState, listed: Mapping[str, Listed]) -> bool:
    return listed.get(old.source) == Listed(old.source, old.file_size, old.file_changed_ns)


def _probe_of(old: SourceState) -> Probe:
    return Probe(old.source, old.source_id, old.fingerprint_bytes, old.is_encoded, old.layout)


def _kept(old: SourceState | None, listed: Mapping[str, Listed]) -> Copies:
    """The copies that are still there as they were: others are forgotten, so that the accounting stays small."""
    return {
        one.path: state_of(one) for one in _listed(old.copies if old else {}) if listed.get(one.path) == one
    }


def _inherited(
    probe: Probe, listed: Mapping[str, Listed], known: Mapping[str, SourceState], contents: Contents
) -> Copies:
    """The copies of what the file was while it was shorter than a KiB, and so another source."""
    found: Copies = {}
    for old in known.values():
        is_short = 0 < old.fingerprint_bytes < probe.fingerprint_bytes and old.source == probe.path
        if is_short and old.copies:
            begin = (contents.head_of(probe.path) or b"")[: old.fingerprint_bytes]
            if fingerprint(begin) == old.source_id:
                found |= _kept(old, listed)
    return found


def _listed(copies: Copies) -> list[Listed]:
    return [Listed(path, size, changed_ns) for path, (size, changed_ns) in copies.items()]


def state_of(listed: Listed) -> list[int]:
    """What a copy is known by in the accounting."""
    return [listed.size, listed.changed_ns]
