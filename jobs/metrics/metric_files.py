"""What a task does with one file of metrics: who it is, its samples, what nobody understood, and its accounting."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jobs.engine.staging import Note
from jobs.inputs.places import open_input
from jobs.metrics.metric_growth import GROW_BY_LINES, Marker, go_on, grown
from jobs.metrics.metric_identity import PREFIX_BYTES, Identity, identity_of, prefixes_of
from jobs.metrics.metric_reading import MetricFile, Reading
from jobs.plans.accounting import COUNTS, row_of
from jobs.plans.plan import FINGERPRINT_BYTES
from jobs.plans.source_state import SourceState
from jobs.reading.tasks import Limited
from jobs.storage.lake import ACCOUNTING
from transforms.events import unit_id_of
from transforms.parse.json_window import NOT_JSON, Piece
from transforms.parse.layout import FAULT
from transforms.parse.metrics.formats import (
    DETECTED_BY,
    JOLOKIA,
    PROMETHEUS_TEXT,
    UNKNOWN_JSON,
    MetricsReader,
    detect,
    format_of,
)
from transforms.parse.metrics.names import who
from transforms.parse.metrics.pieces import line_pieces
from transforms.parse.metrics.prometheus import has_one_scrape, time_in_name, without_time
from transforms.parse.metrics.samples import UNMAPPED, MetricBooks, MetricSample, window_of
from transforms.parse.reader import open_source
from transforms.parse.redact import redact
from transforms.parse.streams import SourceStream
from transforms.parse.timestamps import Clock
from transforms.timers.samples.series import COLLECTOR, PROCESS

SAMPLES, UNPARSED = "silver.metric_samples", "bronze.unparsed"
SOURCE = "metric source"  # a note: what the driver must know of a file that was read
_SHOWN, _REDACTED = (
    1000,
    4096,
)  # characters of a piece that nobody understood: kept, and looked at for secrets


def read_file(file: MetricFile) -> Iterator[tuple[str, dict[str, Any]] | Note]:
    """(table, row) of every sample and piece that nobody understood; the file's accounting, then a note for the driver."""
    with open_input(file.listed.path) as opened:
        source = open_source(Limited(opened, file.listed.size))
        name = detect(source.read(DETECTED_BY))
        clock = Clock(file.time_zone)
        scrape_at, zone_origin, time_origin = _scrape_time(source, name, file, clock)
        gone_on = grown(source, name, file)
        key, identity, mark = gone_on or (None, identity_of(source, name, clock, file.listed.path), None)
        prefixes = prefixes_of(source, [size for _, size, _ in file.before])
        reading = Reading(file, identity.source_id, file.service, _instance(file, name), format=name)
        reader = MetricsReader(name, clock, scrape_at, zone_origin)
        begin = go_on(mark, reading, reader, source) if mark else 0
        source.seek(begin)
        marker = Marker(reading, reader, mark)
        for piece in reader.pieces(source, begin):
            marker.before(piece)
            yield from read_piece(reading, reader, piece)
            marker.after(piece)
        problem = source.problem
        prefix_bytes = min(reading.counts["bytes_read"], PREFIX_BYTES)
        source.seek(0)
        digest = sha256(source.read(prefix_bytes)).hexdigest()
        may_grow = identity.is_settled and name in GROW_BY_LINES and source.is_splittable
    superseded = [
        old for old, size, digest in file.before if prefixes.get(size) == digest and old != identity.source_id
    ]
    state = {
        "is_settled": identity.is_settled,
        "prefix_bytes": prefix_bytes,
        "prefix_digest": digest,
        "clients": reading.named,
        "identity_id": identity.source_id,
        "mark": marker.last() if may_grow else None,
    }
    evidence = _evidence(reading, time_origin)
    yield ACCOUNTING, row_of(_source_of(reading, identity, state, evidence, reader.zone_origin, problem))
    note = {
        "path": file.listed.path,
        "source_id": identity.source_id,
        "unit_id": unit_id_of(reading.service, reading.instance),
        "bytes_read": reading.counts["bytes_read"],
        "clients": reading.named,
        "superseded": superseded,
        "key": key,
        "begin": begin,
    }
    yield Note(SOURCE, json.dumps(note))


def _scrape_time(
    source: SourceStream, name: str | None, file: MetricFile, clock: Clock
) -> tuple[int | None, str, str]:
    """When a scrape without a time of its own was made, where its zone comes from, and what says so."""
    if name != PROMETHEUS_TEXT:
        return None, "none", "logged"
    path = Path(file.listed.path)
    if in_name := time_in_name(path.name, clock):
        return *in_name, "name"
    source.seek(0)
    if has_one_scrape(piece.data.decode("utf-8", "replace") for piece in line_pieces(source)):
        return file.listed.changed_ns // 1_000_000, "none", "file"
    return None, "none", "logged"


def _instance(file: MetricFile, name: str | None) -> str:
    if name != PROMETHEUS_TEXT or file.is_instance_declared:
        return file.instance
    return without_time(file.instance) or file.instance


def read_piece(reading: Reading, reader: MetricsReader, piece: Piece) -> Iterator[tuple[str, dict[str, Any]]]:
    """(table, row) of one piece's samples, or of the piece where nobody understood it; it is in the accounting then."""
    found = MetricBooks()
    name = reading.format if piece.document is NOT_JSON else format_of(piece.document)
    for sample in _samples(reader, piece, found):
        yield SAMPLES, _sample_row(reading, piece, sample, name == JOLOKIA)
    if found.samples and not reading.samples.samples:
        reading.format = name
    line = reading.counts["lines_read"] + 1 - reading.is_line_open
    kind = _account(reading, piece, found)
    if kind == "unparsed":
        yield UNPARSED, _unparsed_row(reading, piece, found, line)
    reading.samples.add(found)


def _samples(reader: MetricsReader, piece: Piece, found: MetricBooks) -> Iterator[MetricSample]:
    """Of a piece that ends its reader the samples before that; it is counted."""
    try:
        yield from reader.read(piece, found)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        found.skipped[FAULT] += 1


def _account(reading: Reading, piece: Piece, found: MetricBooks) -> str:
    """Which count a piece stands in; a line of several pieces is counted with the first."""
    counts = reading.counts
    if not piece.data.strip():
        kind = "blank"
    else:
        kind = "unparsed" if found.skipped and not (found.samples or found.structure) else "in_records"
    newlines = piece.data.count(b"\n")
    ends_open = not piece.data.endswith(b"\n")
    lines = newlines + ends_open - reading.is_line_open
    reading.is_line_open = ends_open
    for name, count in (("bytes", len(piece.data)), ("lines", lines)):
        counts[f"{name}_read"] += count
        counts[f"{name}_{kind}"] += count
    return kind


def _sample_row(
    reading: Reading, piece: Piece, sample: MetricSample, is_process_clock: bool
) -> dict[str, Any]:
    mbean, tags = sample.mbean, sample.tags
    if mbean.startswith(UNMAPPED):  # anybody's labels, not only Kafka's
        mbean, tags = redact(mbean), {key: _clean(key, value) for key, value in tags.items()}
    labels = {key: _clean(key, value) for key, value in sample.labels.items()}
    service, instance = who(labels) if labels else (None, None)
    service = reading.service if reading.file.is_service_declared else service or reading.service
    instance = reading.instance if reading.file.is_instance_declared else instance or reading.instance
    unit_id = unit_id_of(service, instance)
    named = reading.clients.setdefault(unit_id, {}).setdefault(service, set())
    if sample.client_id is not None:
        named.add(sample.client_id)
    shortest, longest = _window(mbean, sample.attribute)
    text = sample.text_value
    return {
        "sampled_at": sample.sampled_at,
        "source_id": reading.source_id,
        "source": reading.file.listed.path,
        "offset": piece.offset,
        "item": sample.item,
        "mbean": mbean,
        "attribute": sample.attribute,
        "value": sample.value,
        "text_value": None if text is None else _clean(sample.attribute, text),
        "window_shortest_ms": shortest,
        "window_longest_ms": longest,
        "tags": tags,
        "labels": labels,
        "client_id": sample.client_id,
        "clock": PROCESS if is_process_clock else COLLECTOR,
        "unit_id": unit_id,
        "service": service,
        "instance": instance,
    }


@lru_cache(1 << 14)
def _window(mbean: str, attribute: str) -> tuple[int | None, int | None]:
    return window_of(mbean, attribute) or (None, None)


@lru_cache(1 << 14)
def _clean(name: str, text: str) -> str:
    """A text without secrets; the name it stands under may be what makes it one."""
    named = f"{name} = "
    clean = redact(named + text)
    return clean[len(named) :] if clean.startswith(named) else redact(text)


def _unparsed_row(reading: Reading, piece: Piece, found: MetricBooks, line: int) -> dict[str, Any]:
    begin = piece.data[: 4 * _REDACTED]
    text = None if b"\0" in begin else redact(begin.decode("utf-8", "replace")[:_REDACTED].rstrip("\r\n"))
    reason = min(found.skipped, key=lambda reason: (-found.skipped[reason], reason))
    reading.unparsed[reason] += 1
    return {
        "source_id": reading.source_id,
        "source": reading.file.listed.path,
        "offset": piece.offset,
        "line": line,
        "line_count": max(1, piece.data.count(b"\n")),
        "text": text[:_SHOWN] if text is not None else None,
        "text_bytes": len(piece.data),
        "reason": reason,
        "service": reading.service,
        "instance": reading.instance,
    }


def _evidence(reading: Reading, time_origin: str) -> dict[str, Any]:
    samples = reading.samples
    return {
        "time": time_origin,
        "samples_read": samples.read,
        "samples_kept": samples.samples,
        "samples_unmapped": samples.unmapped,
        "samples_skipped": dict(sorted(samples.skipped.items())),
    }


def _source_of(
    reading: Reading,
    identity: Identity,
    state: Mapping[str, Any],
    evidence: Mapping[str, Any],
    zone_origin: str,
    problem: str | None,
) -> SourceState:
    file, counts = reading.file, reading.counts
    is_known = reading.format != UNKNOWN_JSON or reading.samples.samples
    return SourceState(
        source_id=identity.source_id,
        source=file.listed.path,
        service=reading.service,
        instance=reading.instance,
        identity=identity.rests_on,
        status=problem or ("complete" if counts["bytes_read"] else "empty"),
        file_size=file.listed.size,
        file_changed_ns=file.listed.changed_ns,
        fingerprint_bytes=FINGERPRINT_BYTES,
        bytes_read=counts["bytes_read"],
        layout={
            "layout": reading.format if is_known else None,
            "evidence": evidence,
            "time_zone": file.time_zone if zone_origin == "declared" else "UTC",
            "time_zone_origin": zone_origin,
        },
        metrics=state,
        settled=settled_of(reading, problem),
    )


def settled_of(reading: Reading, problem: str | None = None) -> dict[str, Any]:
    """What was counted, as of a chunk of a log (jobs.plans.accounting)."""
    counts = reading.counts
    settled: dict[str, Any] = {name: counts[name] for name in COUNTS}
    settled["unparsed_by_reason"] = dict(reading.unparsed) | ({problem: 1} if problem else {})
    if counts["bytes_blank"]:
        settled["bytes_dropped"] = {"blank": counts["bytes_blank"]}
        settled["lines_dropped"] = {"blank": counts["lines_blank"]}
    return settled
