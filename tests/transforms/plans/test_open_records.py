"""Whether more of a source is waited for, and up to where it is taken meanwhile."""

import pytest

from transforms.plans.chunks import Listed, Probe
from transforms.plans.source_state import SourceState
from transforms.plans.waiting import due, is_young, may_grow, without_open


@pytest.mark.parametrize(
    ("changed", "now", "young"),
    [(10, 14, True), (10, 15, False), (10, 10, True), (20, 10, False)],
    ids=["just now", "long enough ago", "this moment", "in the future"],
)
def test_what_is_young(changed, now, young):
    assert is_young(changed, now, 5) == young


def test_files_that_may_grow():
    files = [Listed("young", 9, 99), Listed("old", 9, 0), Listed("cut", 5, 0)]
    sizes = {"young": 9, "old": 9, "cut": 9}
    assert may_grow(files, sizes, 10**6, 1) == {"young": 9, "cut": 5}
    assert may_grow(files, sizes, 10**6, 0) == {}


def known(source_id, path, read, fingerprint_bytes=1024, origin=None):
    names = {"source_id": source_id, "source": path, "service": "s", "instance": "i", "origin": origin}
    read_to = {"file_size": read, "bytes_read": read, "fingerprint_bytes": fingerprint_bytes}
    return SourceState(**names, **read_to, file_changed_ns=1)


@pytest.mark.parametrize(
    ("size", "whole", "open_at", "old", "taken"),
    [
        pytest.param(100, 100, None, None, 100, id="nothing is waited for"),
        pytest.param(100, 100, 80, None, 80, id="up to the open record"),
        pytest.param(100, 100, 0, None, None, id="one record, and it is open"),
        pytest.param(100, 100, 80, known("s", "f", 50), 80, id="some is new before it"),
        pytest.param(100, 100, 80, known("s", "f", 80), None, id="nothing is new before it"),
        pytest.param(100, 100, 80, known("s", "f", 90), None, id="it was given before, and goes on"),
        pytest.param(100, 200, 80, known("s", "f", 80), 100, id="longer than a trigger takes: in parts"),
        pytest.param(100, 100, 80, known("other", "f", 90, 90), None, id="read under its id of a shorter file"),
        pytest.param(100, 100, 80, known("other", "f", 90), 80, id="another file had its name"),
    ],
)  # fmt: skip
def test_up_to_where_a_file_is_taken(size, whole, open_at, old, taken):
    probe = Probe("f", "s", 1024, False, {}, open_at)
    olds = {old.source_id: old} if old else {}
    files, probes = without_open([Listed("f", size, 0)], [probe], {"f": whole}, olds)
    assert [listed.size for listed in files] == ([] if taken is None else [taken])
    assert len(probes) == len(files)


def test_origins_whose_time_is_up():
    origins = {
        name: known(name, name, 0, origin={"waits_from": since})
        for name, since in (("old", 10), ("young", 13), ("whole", None), ("future", 99))
    } | {"file": known("file", "file", 0)}
    assert due(origins, 15, 5) == ["future", "old"]
    assert due(origins, 15, 0) == ["future", "old", "young"]
