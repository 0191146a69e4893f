"""Who a file is: by its first KiB, what was read before, and how it goes on."""

from dataclasses import dataclass, field, replace

import pytest

from transforms.parse.records.streams import fingerprint
from transforms.plans.chunks import Listed, Probe
from transforms.plans.copies import one_name_each, taken
from transforms.plans.identity import cut_off, distinguished, grown_out_of
from transforms.plans.source_state import SourceState

KIB = b"x" * 1024


@dataclass
class Held:
    """Files as their bytes, by path. measured: the packed ones whose length was asked for."""

    files: dict[str, bytes]
    measured: list[str] = field(default_factory=list)

    def names_of(self, path):
        return "s", path.removesuffix(".1")

    def head_of(self, path):
        return self.files.get(path)

    def continues(self, path, other):
        ours, theirs = self.files[path], self.files[other]
        return ours.startswith(theirs) or theirs.startswith(ours)

    def length_of(self, path):
        self.measured.append(path)
        return len(self.files[path])


def probe(path, content, is_encoded=False):
    own = fingerprint(content)
    return Probe(path, own, min(len(content), 1024), is_encoded, {}, fingerprint=own)


def read(path, content, source_id=None):
    names = {"source_id": source_id or fingerprint(content), "source": path, "service": "s", "instance": "i"}
    sizes = {"file_size": len(content), "bytes_read": len(content)}
    return SourceState(**names, **sizes, fingerprint_bytes=min(len(content), 1024), file_changed_ns=1)


def ids(files, *before):
    known = {one.source_id: one for one in before}
    probes = [probe(path, content) for path, content in files.items()]
    return {one.path: one.source_id for one in distinguished(probes, known, Held(files))}


def test_a_file_that_goes_on_as_another_is_that_source():
    found = ids({"app.log.1": KIB + b"a", "app.log": KIB + b"ab"})
    assert set(found.values()) == {fingerprint(KIB)}


def test_files_that_began_alike_are_two_sources_and_stay_so_as_they_grow():
    found = ids({"a": KIB + b"a", "b": KIB + b"b"})
    assert found["a"] == fingerprint(KIB) != found["b"]
    grown = ids(
        {"b": KIB + b"bb", "a": KIB + b"aa"}, read("a", KIB + b"a"), read("b", KIB + b"b", found["b"])
    )
    assert grown == found


def test_the_file_that_was_read_before_keeps_the_id():
    assert ids({"a": KIB + b"a", "b": KIB + b"b"}, read("b", KIB + b"b"))["b"] == fingerprint(KIB)


@pytest.mark.parametrize(
    ("size", "is_same"), [(2000, True), (2001, True), (1999, False)], ids=["as it was", "longer", "shorter"]
)
def test_a_file_that_is_shorter_than_it_was_begins_anew(size, is_same):
    old = read("a", KIB + b"a" * 976)
    (one,) = cut_off([probe("a", KIB)], {"a": size}, {old.source_id: old})
    assert (one.source_id == old.source_id) == is_same


@pytest.mark.parametrize(
    ("before", "now", "is_it"),
    [(b"abc", b"abcd", True), (b"abc", b"xbcd", False), (b"", b"abc", True)],
    ids=["one byte more", "another in its place", "it was empty"],
)
def test_what_a_short_file_grew_out_of(before, now, is_it):
    old = read("a", before)
    found = grown_out_of([probe("a", now)], {old.source_id: old}, Held({"a": now}))
    assert found == ({fingerprint(now): [old.source_id]} if is_it else {})


@pytest.mark.parametrize(
    ("now", "is_it"),
    [
        ({"app.log.1": b"abcd"}, True),
        ({"app.log.1": b"abcd", "app.log": b"xyz"}, True),
        ({"app.log.1": b"xabcd", "app.log": b"xyz"}, False),
        ({"app.log.1": b"abcd", "app.log": b"abc"}, False),
        ({"b.log": b"abcd", "app.log": b"xyz"}, False),
    ],
    ids=["gone", "another in its place", "begins otherwise", "stands as it was", "another process"],
)
def test_a_short_file_that_grew_under_another_name(now, is_it):
    old = read("app.log", b"abc")
    (longer, content), *_ = now.items()
    found = grown_out_of([probe(longer, content)], {old.source_id: old}, Held(now))
    assert found == ({fingerprint(content): [old.source_id]} if is_it else {})


def test_of_copies_the_longest_is_read_and_the_plain_one_of_equals():
    files = {"app.log": KIB, "app.log.gz": KIB}
    held = Held(files)
    listed = [Listed(path, len(content), 1) for path, content in files.items()]
    names = one_name_each([probe("app.log.gz", KIB, True), probe("app.log", KIB)], listed, {}, held)
    assert [one.path for one in names.probes] == ["app.log"]
    assert names.copies == {fingerprint(KIB): {"app.log.gz": [1024, 1]}}
    assert held.measured == ["app.log.gz"]


def test_a_copy_counts_only_beside_the_file_that_is_read():
    old = replace(read("app.log", KIB), copies={"app.log.gz": [300, 1]})
    plain, copy = Listed("app.log", 1024, 1), Listed("app.log.gz", 300, 1)
    assert taken([old], [plain, copy]) == {plain, copy}
    assert taken([old], [copy]) == {plain}
