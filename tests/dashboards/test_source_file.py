"""Lines of the file itself: the right ones, redacted, and of no other file."""

import gzip

import pytest

from dashboards.queries.source_file import lines_of_file
from transforms.parse.records.streams import fingerprint

LINES = [f"2026-11-21 INFO line {n:05}" for n in range(4_000)]
TEXT = ("\n".join(LINES) + "\n").encode()
PLACE = 2_000 * (len(LINES[0]) + 1)


def written(folder, text: bytes = TEXT, name: str = "app.log"):
    path = folder / name
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return str(path), fingerprint(text[:1024])


@pytest.mark.parametrize("name", ["app.log", "app.log.gz"])
def test_the_lines_before_and_after(tmp_path, name):
    piece = lines_of_file(*written(tmp_path, name=name), PLACE, 2)
    assert piece.lines == tuple(LINES[1_998:2_003])
    assert piece.lines[piece.here] == LINES[2_000]


@pytest.mark.parametrize(("offset", "here", "lines"), [(0, 0, LINES[:3]), (len(LINES[0]) + 1, 1, LINES[:4])])
def test_at_the_beginning_there_is_less_before(tmp_path, offset, here, lines):
    piece = lines_of_file(*written(tmp_path), offset, 2)
    assert (piece.here, piece.lines) == (here, tuple(lines))


def test_secrets_are_redacted_also_where_they_begin_before_the_first_line_shown(tmp_path):
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBg\n" * 30 + "-----END PRIVATE KEY-----\n"
    before = "first\n" * 300 + "ssl.keystore.key = " + key
    text = f"{before}here password=hunter2 x\nafter\n".encode()
    piece = lines_of_file(*written(tmp_path, text), len(before.encode()), 3)
    shown = "\n".join(piece.lines)
    assert "MIIE" not in shown
    assert "hunter2" not in shown
    assert piece.lines[piece.here] == "here password=[redacted] x"


def test_another_file_in_its_place_is_not_shown(tmp_path):
    path, _ = written(tmp_path)
    assert lines_of_file(path, fingerprint(b"other"), 0).problem == "another file stands where it was read"
    assert lines_of_file(path, fingerprint(b"other"), 0).lines == ()


def test_what_is_gone_short_or_no_file_says_so(tmp_path):
    path, source_id = written(tmp_path)
    assert (
        lines_of_file(str(tmp_path / "none"), source_id, 0).problem
        == "the file is no longer where it was read"
    )
    assert lines_of_file(str(tmp_path), source_id, 0).problem == "the file is no longer where it was read"
    assert lines_of_file("orders-topic", source_id, 0).lines == ()
    for place in ("s3://bucket/app.log", "kafka://broker:9092/logs#host:/app.log"):
        assert lines_of_file(place, source_id, 0).problem.endswith("is not read again")
    assert lines_of_file(path, source_id, len(TEXT) + 5).problem == "the file is shorter than it was"
