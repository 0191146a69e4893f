"""JSON documents out of bytes: one a line, over many lines, in lists of any length; never more held than need be."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.parse.metrics.pieces import json_pieces, line_pieces
from transforms.parse.records.json_window import LIMITS, NOT_JSON, Limits

DOCUMENTS = [{"a": "é\n}]", "n": [1, {"b": None}]}, {"c": '\\"'}, {}]


class Dribble(io.BytesIO):
    """Gives less than it is asked for, as pipes and gzip do."""

    def read(self, size=-1, /):
        return super().read(min(size, 7) if size > 0 else size)


SMALL = Limits(block=1 << 10, long=2 << 10, longest=4 << 10)


def documents(raw, source=io.BytesIO, limits=LIMITS):
    pieces = list(json_pieces(source(raw), limits))
    assert b"".join(piece.data for piece in pieces) == raw
    at = 0
    for piece in pieces:
        assert piece.offset == at
        at += len(piece.data)
    found = [piece.document for piece in pieces if piece.document is not NOT_JSON]
    damage = [piece.data for piece in pieces if piece.document is NOT_JSON and not piece.is_structure]
    return found, damage


@pytest.mark.parametrize("source", [io.BytesIO, Dribble])
@pytest.mark.parametrize("is_ascii", [True, False])
@pytest.mark.parametrize(
    "written",
    [
        pytest.param(lambda dump: "\n".join(map(dump, DOCUMENTS)) + "\n", id="a line each"),
        pytest.param(lambda dump: "\r\n".join(map(dump, DOCUMENTS)), id="lines of Windows"),
        pytest.param(lambda dump: "".join(map(dump, DOCUMENTS)), id="one behind the other"),
        pytest.param(lambda dump: "\n".join(dump(d, indent=2) for d in DOCUMENTS), id="over many lines"),
        pytest.param(
            lambda dump: "\n\n[\n" + ",\n".join(map(dump, DOCUMENTS)) + "\n]\n", id="a list over lines"
        ),
        pytest.param(lambda dump: dump(DOCUMENTS, indent=1), id="a pretty list"),
        pytest.param(
            lambda dump: dump(
                {"status": "success", "data": {"resultType": "matrix", "result": DOCUMENTS}}, indent=1
            ),
            id="a range query's answer",
        ),
    ],
)
def test_documents_in_every_form(written, is_ascii, source):
    raw = written(lambda value, **how: json.dumps(value, ensure_ascii=is_ascii, **how)).encode()
    found, damage = documents(raw, source)
    assert found == DOCUMENTS
    assert damage == []


def test_a_list_on_one_line_stays_one():
    assert documents(json.dumps(DOCUMENTS).encode() + b"\n") == ([DOCUMENTS], [])


def test_a_byte_order_mark_is_no_damage():
    assert documents(b"\xef\xbb\xbf{}\n") == ([{}], [])


@pytest.mark.parametrize(
    ("raw", "found", "damage"),
    [
        (b'{"a": \n{"b": 1}\n', [{"b": 1}], [b'{"a": \n']),
        (b'{"a": "x\n{"b": 1}\n', [{"b": 1}], [b'{"a": "x\n']),
        (b'nonsense\n{"b": 1}\n3\n', [{"b": 1}], [b"nonsense\n", b"3\n"]),
        (b'{"b": 1}\n{"a": [1, 2', [{"b": 1}], [b'{"a": [1, 2']),
        (b'[{"b": 1},\n oops,\n{"c": 2}]\n', [{"b": 1}], None),
        (b"[" * 100_000, [], None),
    ],
)
def test_damage_costs_its_own_line(raw, found, damage):
    got, got_damage = documents(raw)
    assert got[: len(found)] == found
    if damage is not None:
        assert (got, got_damage) == (found, damage)


@given(st.text('{}[]",:\\ \n1aé', max_size=60))
@settings(max_examples=300)
def test_no_byte_is_lost(text):
    documents(text.encode())
    documents(text.encode(), Dribble)


def test_a_long_list_in_one_line_is_read_in_pieces():
    raw = json.dumps([{"n": number, "text": "x" * 50} for number in range(2000)]).encode()
    held = []

    class Watched(io.BytesIO):
        def read(self, size=-1, /):
            held.append(size)
            return super().read(size)

    found, damage = documents(raw, Watched, SMALL)
    assert [document["n"] for document in found] == list(range(2000))
    assert damage == []
    assert max(held) <= 1 << 10


def test_what_is_too_long_is_cut_and_counted():
    found, damage = documents(json.dumps({"a": "x" * 20_000}).encode() + b'\n{"b": 1}\n', limits=SMALL)
    assert found == [{"b": 1}]
    assert sum(map(len, damage)) == 20_010
    pieces = list(line_pieces(io.BytesIO(b"y" * 20_000 + b"\nz"), SMALL))
    assert b"".join(piece.data for piece in pieces) == b"y" * 20_000 + b"\nz"
    assert max(len(piece.data) for piece in pieces) <= 6 << 10


def test_a_long_document_that_can_be_taken_apart_in_part_alone_loses_nothing():
    values = [{"v": number, "t": "123"} for number in range(6)]
    points = [{"name": "m", "gauge": {"dataPoints": values[:count]}} for count in (2, 2, 6)]
    raw = json.dumps({"resourceMetrics": [{"resource": {"a": 1}, "scopeMetrics": [{"mtrics": points}]}]})
    documents(raw.encode(), limits=Limits(64, 200, 2000))
