"""Tells sources apart that share their first KiB: copies and new names of one source, or two processes that began alike."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Protocol

from transforms.parse.records.streams import FINGERPRINT_BYTES, fingerprint
from transforms.plans.chunks import Probe
from transforms.plans.source_state import SourceState


class Contents(Protocol):
    """What files hold, as far as it tells who they are."""

    def names_of(self, path: str) -> tuple[str, str]:
        """Service and instance of the process that writes it."""

    def head_of(self, path: str) -> bytes | None:
        """The first 64 KiB, decoded; None where the file is gone."""

    def continues(self, path: str, other: str) -> bool:
        """Whether one file begins as the other does, as far as the shorter goes: start-ups without times are alike for long.

        They are read once: the longer one is then known, the other as its copy (transforms.plans.copies) or by its own id.
        """

    def length_of(self, path: str) -> int:
        """Bytes, decoded."""


def own_ids(
    alike: Mapping[str, Sequence[str]],
    known: Mapping[str, SourceState],
    is_there: Callable[[SourceState], bool],
    own_id: Callable[[str, str], str],
    continues: Callable[[str, str], bool],
) -> dict[str, str]:
    """By path the id of each file: its own, where it does not continue the source that its beginning names.

    alike: paths by that id. Two files are one source where the shorter one is the beginning of the longer. The file that
    bears the id is that which was read before, where it `is_there` still, else the first by path. own_id: of an id and a
    path; it stays as the file grows.
    """
    ids = {}
    for source_id, paths in alike.items():
        old = known.get(source_id)
        leader = old.source if old is not None and is_there(old) else min(paths)
        for path in paths:
            own = own_id(source_id, path)
            is_other = path != leader and (own in known or not continues(path, leader))
            ids[path] = own if is_other else source_id
    return ids


def distinguished(probes: Sequence[Probe], known: Mapping[str, SourceState], files: Contents) -> list[Probe]:
    """Give probes of files that begin alike and go on otherwise ids of their own, of the fingerprint and their process."""
    alike: dict[str, list[str]] = {}
    for probe in probes:
        alike.setdefault(probe.source_id, []).append(probe.path)

    ids = own_ids(alike, known, partial(_begins_as_it_did, files), partial(_own_id, files), files.continues)
    return [replace(probe, source_id=ids[probe.path]) for probe in probes]


def cut_off(
    probes: Sequence[Probe], sizes: Mapping[str, int], known: Mapping[str, SourceState]
) -> list[Probe]:
    """Give a file that is shorter than it was an id of its own, which stays as it grows: it was cut off, and begins anew.

    A file that begins otherwise now has another fingerprint anyway; this is for those that begin with the very same KiB.
    """
    return [replace(probe, source_id=_after_cuts(probe, sizes[probe.path], known)) for probe in probes]


def _after_cuts(probe: Probe, size: int, known: Mapping[str, SourceState]) -> str:
    source_id = probe.source_id
    while (old := known.get(source_id)) is not None and old.source == probe.path and not probe.is_encoded:
        following = sha256(f"{source_id}\x1fcut off after {old.bytes_read}".encode()).hexdigest()
        if following not in known and size >= old.bytes_read:
            break
        source_id = following
    return source_id


def grown_out_of(
    probes: Sequence[Probe], known: Mapping[str, SourceState], files: Contents
) -> dict[str, list[str]]:
    """By source_id the known sources that it is now: of a file that was shorter than a KiB each byte more made another
    fingerprint. A file that another took the place of does not begin as it did: what was read of that stays, unless it
    was given another name as it grew. Then one of the same process begins as it did.
    """
    short: dict[tuple[str, str], list[SourceState]] = {}
    for old in known.values():
        if old.fingerprint_bytes < FINGERPRINT_BYTES:
            short.setdefault(files.names_of(old.source), []).append(old)
    found: dict[str, list[str]] = {}
    for probe in probes:
        shorter = [
            old
            for old in short.get(files.names_of(probe.path), ())
            if old.source_id != probe.source_id and old.fingerprint_bytes < probe.fingerprint_bytes
        ]
        for old in _begun_as(probe.path, shorter, files):
            if old.source == probe.path or not _begins_as_it_did(files, old):
                found.setdefault(probe.source_id, []).append(old.source_id)
    return found


def _begins_as_it_did(files: Contents, old: SourceState) -> bool:
    """Whether the file under its name is that one still."""
    return any(_begun_as(old.source, [old], files))


def _begun_as(path: str, shorter: Sequence[SourceState], files: Contents) -> Iterator[SourceState]:
    """Those whose bytes a file begins with; what was empty is looked for under its name alone."""
    head = files.head_of(path) if shorter else None
    for old in shorter:
        if not old.fingerprint_bytes:
            is_begun = old.source == path
        else:
            then = fingerprint((head or b"")[: old.fingerprint_bytes])
            is_begun = old.source_id in (then, _own_id(files, then, path))
        if is_begun:
            yield old


def _own_id(files: Contents, source_id: str, path: str) -> str:
    return sha256(f"{source_id}\x1f{'/'.join(files.names_of(path))}".encode()).hexdigest()
