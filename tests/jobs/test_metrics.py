"""Metrics beside logs: every sample once, books that balance, and no secret in a text."""

import gzip
import json
from pathlib import Path

import pytest
from deltalake import DeltaTable

from jobs.listing import Listed
from jobs.metric_files import MetricFile, read_file
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.staging import Note
from transforms.parse.jolokia import read_document
from transforms.parse.metrics_samples import MetricBooks

RECORDINGS = Path(__file__).parent.parent / "recordings"
# These two begin with the same scrapes, of a process whose MBeans are not there yet.
ALIKE = [RECORDINGS / name / "metrics.jsonl.gz" for name in ("p572-task-recover-35", "p572-commit-multi-42")]
MBEAN = "kafka.producer:client-id=p,type=app-info"
SECOND_NS = 1_000_000_000


def read(path, *before, changed_s=None, **names):
    """What a task gives for one file: samples, its books, and what it tells the driver."""
    stat = path.stat()
    changed_ns = stat.st_mtime_ns if changed_s is None else changed_s * SECOND_NS
    listed = Listed(str(path), stat.st_size, changed_ns)
    made = list(read_file(MetricFile(listed, "s", names.pop("instance", "i"), before=before, **names)))
    rows = [row for row in made if not isinstance(row, Note)]
    pieces = [row for table, row in rows if table == "bronze.unparsed"]
    book = next(row for table, row in rows if table == "bronze.accounting")
    assert sum(book["unparsed_by_reason"].values()) - (book["status"] == "broken_gzip") == len(pieces)
    note = json.loads(next(row.text for row in made if isinstance(row, Note)))
    return [row for table, row in rows if table == "silver.metric_samples"], book, note


def response(timestamp=1763691578, **attributes):
    request = {"type": "read", "mbean": MBEAN}
    return json.dumps({"request": request, "value": attributes, "status": 200, "timestamp": timestamp})


def assert_balanced(book):
    for unit in ("lines", "bytes"):
        parts = (book[f"{unit}_in_records"], book[f"{unit}_unparsed"], book[f"{unit}_dropped"])
        assert book[f"{unit}_read"] == sum(parts), unit


@pytest.mark.parametrize(
    ("attribute", "text", "kept"),
    [
        ("ssl.keystore.password", "Hunter2canaryXq9", "[redacted]"),
        ("sasl.jaas.config", 'x.LoginModule required password="Hunter2canaryXq9";', "[redacted]"),
        ("note", "https://app:Hunter2canaryXq9@registry", "https://app:[redacted]@registry"),
        ("version", "4.2.1", "4.2.1"),
    ],
)
def test_a_text_loses_its_secrets(tmp_path, attribute, text, kept):
    path = tmp_path / "m.jsonl"
    path.write_text(response(**{attribute: text}) + "\n")
    (sample,), _, _ = read(path)
    assert sample["text_value"] == kept


def test_files_that_begin_alike_are_two_sources():
    (first, one, _), (second, two, _) = read(ALIKE[0]), read(ALIKE[1])
    assert first
    assert second
    assert one["source_id"] != two["source_id"]


def test_a_source_keeps_its_id_as_it_grows_and_moves(tmp_path):
    whole = gzip.decompress(ALIKE[0].read_bytes())
    grown = tmp_path / "metrics.jsonl"
    grown.write_bytes(whole[: len(whole) * 2 // 3])
    assert read(grown)[1]["source_id"] == read(ALIKE[0])[1]["source_id"]


@pytest.mark.parametrize(
    ("content", "status", "unparsed"),
    [
        (b"no JSON\n\n" + response(a=1.0).encode(), "complete", 1),
        (b"\xff\xfe\x00 binary \x00\n" * 3, "complete", None),
        (gzip.compress(response(a=1.0).encode() * 500)[:-40], "broken_gzip", None),
    ],
)
def test_books_balance_whatever_comes(tmp_path, content, status, unparsed):
    path = tmp_path / "m.jsonl"
    path.write_bytes(content)
    _, book, _ = read(path)
    assert_balanced(book)
    assert book["status"] == status
    if unparsed is not None:
        assert book["lines_unparsed"] == unparsed


@pytest.mark.spark
def test_metrics_run_once_and_again(spark, conf, lake):
    log = RECORDINGS / "p580-static-35" / "broker.log.gz"
    paths = [str(path) for path in ALIKE]

    def rows(table):
        return DeltaTable(str(lake.joinpath(*table.split(".")))).to_pyarrow_table().to_pylist()

    run(spark, lake, [str(log)], paths, conf, Progress(is_shown=False))
    samples, books = rows("silver.metric_samples"), rows("bronze.accounting")
    expected = dict.fromkeys(paths, 0)
    for path in ALIKE:
        for line in gzip.decompress(path.read_bytes()).splitlines():
            expected[str(path)] += sum(1 for _ in read_document(line.decode(), MetricBooks()))
    found = {path: sum(1 for row in samples if row["source"] == path) for path in paths}
    assert found == expected
    assert all(found.values())
    for book in books:
        assert_balanced(book)
    for path in ALIKE:
        book = next(book for book in books if book["source"] == str(path))
        assert book["bytes_read"] == len(gzip.decompress(path.read_bytes()))

    version = DeltaTable(str(lake / "silver" / "metric_samples")).version()
    run(spark, lake, [str(log)], paths, conf, Progress(is_shown=False))
    assert DeltaTable(str(lake / "silver" / "metric_samples")).version() == version
    assert rows("silver.metric_samples") == samples
    assert rows("bronze.accounting") == books
