"""Exports: what a spreadsheet and a script get."""

import csv
import io
import json

import pytest

from dashboards.app import create_app
from dashboards.exports import as_csv, as_json
from dashboards.pages import violations
from tests.dashboards.lake import HOSTILE, NOON, good_lake, sha


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    return create_app(good_lake(tmp_path_factory.mktemp("lake"))).server.test_client()


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_no_cell_is_a_formula(begin):
    text = "".join(as_csv(["a"], [{"a": f"{begin}cmd|' /C calc'!A0"}]))
    ((_,), (cell,)) = csv.reader(io.StringIO(text, newline=""))
    assert cell.startswith(f"'{begin}" if begin not in "\t\r" else "'\\")


def test_csv_is_rfc_4180():
    rows = [{"a": 'say "x", y', "b": -5, "c": None, "d": "two\nlines", "e_at": NOON, "f": ["p", "q"]}]
    text = "".join(as_csv(["a", "b", "c", "d", "e_at", "f"], rows))
    assert text == 'a,b,c,d,e_at,f\r\n"say ""x"", y",-5,,"two\nlines",2026-11-21T12:00:00.000Z,p q\r\n'


def test_nothing_is_a_header_and_an_empty_list():
    assert "".join(as_csv(["a"], [])) == "a\r\n"
    assert json.loads("".join(as_json(["a"], []))) == []


def test_the_files_hold_what_is_filtered(client):
    told = client.get("/export/violations.json?kip=KIP-91")
    assert told.headers["Content-Disposition"] == 'attachment; filename="kipwatch-violations.json"'
    (row,) = json.loads(told.text)
    assert (row["violation_id"], row["last_at"], row["observed_ms"]) == (
        sha("late-batch"),
        "2026-11-21T12:00:00.000Z",
        13_950,
    )
    assert tuple(row) == violations.LISTING.exported


def test_all_rows_in_the_order_of_the_page(client):
    told = client.get("/export/violations.csv?sort=latest")
    assert told.mimetype == "text/csv"
    rows = list(csv.DictReader(io.StringIO(told.text, newline="")))
    assert len(rows) == 5
    hostile = next(row for row in rows if row["client_id"].startswith("<img"))
    assert "\x1b" not in told.text
    assert hostile["client_id"] == HOSTILE.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")


def test_other_formats_are_not_found_and_a_lake_that_is_gone_is_said(client, tmp_path):
    assert client.get("/export/violations.xml").status_code == 404
    gone = create_app(tmp_path / "none").server.test_client().get("/export/unjudged.csv")
    assert gone.status_code == 503
    assert "there is no folder" in gone.text


def test_too_many_rows_are_refused_with_what_to_do(client, monkeypatch):
    monkeypatch.setattr("dashboards.pages.listing.MOST_EXPORTED", 3)
    told = client.get("/export/violations.csv")
    assert told.status_code == 413
    assert "5 rows are too many for one file; narrow the filter" in told.text
