"""From files of Jolokia responses to silver.metric_samples. A file that changed is read again as a whole, and replaced."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import SparkSession

from expectations import TABLES
from jobs.accounting import known_sources
from jobs.books import BY_REASON, COUNTS
from jobs.conf import Conf
from jobs.ingest import ACCOUNTING, spread
from jobs.lake import Lake
from jobs.listing import Listed, unit_names
from jobs.plan import unchanged
from jobs.progress import Progress
from jobs.reading import FINGERPRINT_BYTES, Limited
from jobs.rows import in_batches, staged_schemas
from jobs.staging import Note, stage
from transforms.parse.jolokia import MetricBooks, read_document
from transforms.parse.reader import fingerprint, open_source
from transforms.parse.redact import redact
from transforms.parse.streams import SourceStream

if TYPE_CHECKING:
    from jobs.pipeline import RunResult

SAMPLES = "silver.metric_samples"
BLOCK = 1 << 20
# A line longer than this is not read as one document: it would have to be held whole.
LONGEST_DOCUMENT = 64 << 20

Batches = Iterator[pa.RecordBatch]


def ingest(
    spark: SparkSession,
    lake: Lake,
    files: Sequence[Listed],
    conf: Conf,
    result: "RunResult",
    progress: Progress,
) -> None:
    """Read every new or changed file of metrics; its samples and its books replace what stood there."""
    by_path = {source.source: source for source in known_sources(lake).values()}
    fresh = [listed for listed in files if listed.size and not unchanged(listed, by_path)]
    if not fresh:
        return
    with progress.step(f"reading metrics of {len(fresh)} files"):
        tasks = []
        for listed in fresh:
            service, instance = unit_names(listed.path, conf.hint_for(listed.path))
            tasks.append(
                (json.dumps({**asdict(listed), "service": service, "instance": instance}), listed.size)
            )
        slots = min(len(tasks), spark.sparkContext.defaultParallelism)
        schemas = staged_schemas((SAMPLES, ACCOUNTING))
        staged = stage(
            spread(spark, tasks, "file", slots), _reading, schemas, lake.control / "staging" / "metrics"
        )
        books = staged.of(ACCOUNTING).distinct(["source_id"])
        sources = sorted({row for batch in books.batches() for row in batch.column("source_id").to_pylist()})
        samples = staged.of(SAMPLES).distinct(TABLES[SAMPLES].key)
        commit = lake.next_commit(result.run_id)
        result.changed[SAMPLES] = lake.replace(samples, SAMPLES, sources, commit)
        lake.upsert(books, ACCOUNTING, run_id=result.run_id)


def _reading(batches: Batches) -> Iterator[tuple[str, pa.RecordBatch] | Note]:
    files = (json.loads(text) for batch in batches for text in batch.column("file").to_pylist())
    yield from in_batches(row for file in files for row in _read_file(file))


def _read_file(file: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    books = Counter[str]()
    reasons = Counter[str]()
    unit_id = f"{file['service']}/{file['instance']}"
    with Path(file["path"]).open("rb") as opened:
        source = open_source(Limited(opened, file["size"]))
        source_id, head_bytes = _identity(source)
        source.seek(0)
        for offset, line in _lines(source):
            told = MetricBooks()
            for sample in read_document(line.decode("utf-8", "replace"), told) if line.strip() else ():
                yield SAMPLES, _row(sample, source_id, offset, unit_id, file)
            _account(books, reasons, line, told)
        problem = source.problem
    if problem:
        reasons[problem] += 1
    yield ACCOUNTING, _books_row(file, source_id, head_bytes, books, reasons, unit_id, problem)


def _identity(source: SourceStream) -> tuple[str, int]:
    """source_id, and how many bytes of the head it rests on.

    Scrapes before a client's MBeans are there are all alike, and fill the first KiB of many files: so the first
    document with a sample, which has a time and a client, belongs to the head.
    """
    head = source.read(FINGERPRINT_BYTES)
    size = len(head)
    source.seek(0)
    for _, line in _lines(source):
        if any(True for _ in read_document(line.decode("utf-8", "replace"), MetricBooks())):
            return fingerprint(sha256(head).digest() + sha256(line).digest()), size
    return fingerprint(head), size


def _lines(source: SourceStream) -> Iterator[tuple[int, bytes]]:
    """(offset, line with its newline); one longer than LONGEST_DOCUMENT comes in pieces: no JSON, and so unparsed."""
    offset, held = 0, b""
    while block := source.read(BLOCK):
        held += block
        *whole, held = held.split(b"\n")
        for line in whole:
            yield offset, line + b"\n"
            offset += len(line) + 1
        if len(held) > LONGEST_DOCUMENT:
            yield offset, held
            offset, held = offset + len(held), b""
    if held:
        yield offset, held


def _row(sample: Any, source_id: str, offset: int, unit_id: str, file: dict[str, Any]) -> dict[str, Any]:
    return asdict(sample) | {
        "text_value": _clean(sample.attribute, sample.text_value),
        "source_id": source_id,
        "source": file["path"],
        "offset": offset,
        "unit_id": unit_id,
        "service": file["service"],
        "instance": file["instance"],
    }


def _clean(attribute: str, text: str | None) -> str | None:
    """A text without secrets; the attribute's name may be what makes it one."""
    if text is None:
        return None
    named = f"{attribute} = "
    clean = redact(named + text)
    return clean[len(named) :] if clean.startswith(named) else redact(text)


def _account(books: Counter[str], reasons: Counter[str], line: bytes, told: MetricBooks) -> None:
    """A line with any sample is in the records; one without is unparsed, or blank."""
    books["bytes_read"] += len(line)
    books["lines_read"] += 1
    if not line.strip():
        kind = "blank"
    else:
        kind = "in_records" if told.samples or (told.responses and not told.skipped) else "unparsed"
    books[f"bytes_{kind}"] += len(line)
    books[f"lines_{kind}"] += 1
    reasons.update(told.skipped)


def _books_row(
    file: dict[str, Any],
    source_id: str,
    fingerprint_bytes: int,
    books: Counter[str],
    reasons: Counter[str],
    unit_id: str,
    problem: str | None,
) -> dict[str, Any]:
    blank = {"blank": books["lines_blank"]} if books["lines_blank"] else {}
    state = {
        "service": file["service"],
        "instance": file["instance"],
        "unit_id": unit_id,
        "file_size": file["size"],
        "file_changed_ns": file["changed_ns"],
        "fingerprint_bytes": fingerprint_bytes,
        "is_encoded": False,
        "bytes_read": books["bytes_read"],
        "resume_offset": 0,
        "resume_line": 1,
        "resume_at": None,
    }
    return (
        dict.fromkeys(COUNTS, 0)
        | {name: books[name] for name in COUNTS}
        | dict.fromkeys(BY_REASON)
        | {
            "source_id": source_id,
            "source": file["path"],
            "identity": "first_kib" if fingerprint_bytes >= FINGERPRINT_BYTES else "whole_file",
            "layout": "jolokia",
            "evidence": None,
            "time_zone": "UTC",
            "time_zone_origin": "logged",
            "status": problem or "complete",
            "lines_dropped": books["lines_blank"],
            "bytes_dropped": books["bytes_blank"],
            "dropped_by_reason": blank,
            "bytes_dropped_by_reason": {"blank": books["bytes_blank"]} if blank else {},
            "unparsed_by_reason": dict(reasons),
            "resume_offset": 0,
            "resume_line": 1,
            "service": file["service"],
            "instance": file["instance"],
            "state": json.dumps(state, sort_keys=True),
        }
    )
