"""Which files of metrics are one source: by their ids, and how they begin."""

from dataclasses import replace

import pytest

from transforms.plans.metric_sources import MetricFileNote, distinct_files
from transforms.plans.source_state import SourceState

HEADS = {"one": b"1" * 10, "copy": b"1" * 10, "longer": b"1" * 20, "other": b"2" * 10}


def told(path):
    return MetricFileNote(path, "x", "u", len(HEADS[path]), [("u", "s", [])], [])


def source(path):
    names = {"source_id": "x", "source": path, "service": "s", "instance": "i"}
    return SourceState(**names, file_size=10, fingerprint_bytes=1024, bytes_read=10)


def sources(*paths, before=None, heads=HEADS):
    known = {} if before is None else {"x": source(before)}
    return distinct_files([told(path) for path in paths], known, heads.get)


def test_files_of_one_id_are_told_apart():
    assert sources("copy", "one").ids == {"copy": "x"}
    assert sources("copy", "one").copies == {"x": ["one"]}
    assert sources("one", "longer").ids == {"longer": "x"}
    both = sources("one", "other").ids
    assert both["one"] == "x" != both["other"]
    assert sources("copy", "one", "other").copies == {"x": ["one"]}


def test_the_file_that_bore_an_id_keeps_it():
    assert sources("one", before="other").ids["one"] != "x"
    assert sources("copy", before="one").ids == {}
    assert sources("copy", before="one").copies == {"x": ["copy"]}
    assert sources("longer", before="one").ids == {"longer": "x"}
    left = {path: head for path, head in HEADS.items() if path != "one"}
    assert sources("copy", before="one", heads=left).ids == {"copy": "x"}


def test_a_file_in_another_ones_place_is_not_that_one():
    moved, stranger = told("longer"), replace(told("other"), path="one", source_id="y")
    heads = HEADS | {"one": HEADS["other"]}
    found = distinct_files([moved, stranger], {"x": source("one")}, heads.get)
    assert found.ids == {"longer": "x", "one": "y"}


@pytest.mark.parametrize(
    ("heads", "is_it"), [({}, True), ({"one": b"1"}, False)], ids=["its file is gone", "it stands"]
)
def test_what_a_file_with_another_name_grew_out_of(heads, is_it):
    short = replace(source("one"), source_id="short")
    grown = replace(told("longer"), superseded=["short"])
    found = distinct_files([grown], {"short": short}, {**heads, "longer": HEADS["longer"]}.get)
    assert found.begins == {"x": 0} | ({"short": 0} if is_it else {})
