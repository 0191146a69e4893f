"""What a task does with one file of metrics: who it is, its samples, what nobody understood, and its accounting."""

from collections.abc import Iterator
from hashlib import sha256

from transforms.events import unit_id_of
from transforms.parse.lines.timestamps import Clock
from transforms.parse.metrics.formats import DETECTED_BY, MetricsReader, detect
from transforms.parse.metrics.growth import GROW_BY_LINES, Marker, go_on, grown
from transforms.parse.metrics.identity import PREFIX_BYTES, identity_of, prefixes_of
from transforms.parse.metrics.reading import MetricFile, Reading, Row, instance_of, scrape_time
from transforms.parse.records.streams import SourceStream
from transforms.plans.accounting import ACCOUNTING, row_of
from transforms.plans.metric_accounting import source_of_metrics
from transforms.plans.metric_sources import MetricFileNote


def read_metrics(file: MetricFile, source: SourceStream) -> Iterator[Row | MetricFileNote]:
    """(table, row) of every sample and piece that nobody understood; the file's accounting, then a note for the driver."""
    name = detect(source.read(DETECTED_BY))
    clock = Clock(file.time_zone)
    scrape_at, zone_origin, time_origin = scrape_time(source, name, file, clock)
    gone_on = grown(source, name, file)
    key, identity, mark = gone_on or (None, identity_of(source, name, clock, file.path), None)
    prefixes = prefixes_of(source, [size for _, size, _ in file.before])
    reading = Reading(file, identity.source_id, file.service, instance_of(file, name), format=name)
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
    origins = time_origin, reader.zone_origin
    yield ACCOUNTING, row_of(source_of_metrics(reading, identity, state, origins, problem))
    yield MetricFileNote(
        file.path,
        identity.source_id,
        unit_id_of(reading.service, reading.instance),
        reading.counts["bytes_read"],
        reading.named,
        superseded,
        key,
        begin,
    )
