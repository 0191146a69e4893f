"""What a task does with one file of metrics: who it is, its samples, what nobody understood, and its accounting."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from jobs.engine.staging import Note
from jobs.inputs.places import open_input
from jobs.reading.tasks import Limited
from jobs.storage.lake import ACCOUNTING
from transforms.events import unit_id_of
from transforms.parse.metrics.formats import (
    DETECTED_BY,
    PROMETHEUS_TEXT,
    UNKNOWN_JSON,
    MetricsReader,
    detect,
)
from transforms.parse.metrics.growth import GROW_BY_LINES, Marker, go_on, grown
from transforms.parse.metrics.identity import PREFIX_BYTES, Identity, identity_of, prefixes_of
from transforms.parse.metrics.pieces import line_pieces
from transforms.parse.metrics.prometheus import has_one_scrape, time_in_name, without_time
from transforms.parse.metrics.reading import MetricFile, Reading, Row
from transforms.parse.reader import open_source
from transforms.parse.streams import FINGERPRINT_BYTES, SourceStream
from transforms.parse.timestamps import Clock
from transforms.plans.accounting import COUNTS, row_of
from transforms.plans.source_state import SourceState

SOURCE = "metric source"  # a note: what the driver must know of a file that was read


def read_file(file: MetricFile) -> Iterator[Row | Note]:
    """(table, row) of every sample and piece that nobody understood; the file's accounting, then a note for the driver."""
    with open_input(file.path) as opened:
        source = open_source(Limited(opened, file.size))
        name = detect(source.read(DETECTED_BY))
        clock = Clock(file.time_zone)
        scrape_at, zone_origin, time_origin = _scrape_time(source, name, file, clock)
        gone_on = grown(source, name, file)
        key, identity, mark = gone_on or (None, identity_of(source, name, clock, file.path), None)
        prefixes = prefixes_of(source, [size for _, size, _ in file.before])
        reading = Reading(file, identity.source_id, file.service, _instance(file, name), format=name)
        reader = MetricsReader(name, clock, scrape_at, zone_origin)
        begin = go_on(mark, reading, reader, source) if mark else 0
        source.seek(begin)
        marker = Marker(reading, reader, mark)
        for piece in reader.pieces(source, begin):
            marker.before(piece)
            yield from reading.read(reader, piece)
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
        "path": file.path,
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
    path = Path(file.path)
    if in_name := time_in_name(path.name, clock):
        return *in_name, "name"
    source.seek(0)
    if has_one_scrape(piece.data.decode("utf-8", "replace") for piece in line_pieces(source)):
        return file.changed_ns // 1_000_000, "none", "file"
    return None, "none", "logged"


def _instance(file: MetricFile, name: str | None) -> str:
    if name != PROMETHEUS_TEXT or file.is_instance_declared:
        return file.instance
    return without_time(file.instance) or file.instance


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
        source=file.path,
        service=reading.service,
        instance=reading.instance,
        identity=identity.rests_on,
        status=problem or ("complete" if counts["bytes_read"] else "empty"),
        file_size=file.size,
        file_changed_ns=file.changed_ns,
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
    """What was counted, as of a chunk of a log (transforms.plans.accounting)."""
    counts = reading.counts
    settled: dict[str, Any] = {name: counts[name] for name in COUNTS}
    settled["unparsed_by_reason"] = dict(reading.unparsed) | ({problem: 1} if problem else {})
    if counts["bytes_blank"]:
        settled["bytes_dropped"] = {"blank": counts["bytes_blank"]}
        settled["lines_dropped"] = {"blank": counts["lines_blank"]}
    return settled
