"""A file of metrics that grows is read on from its last line that stands for itself, with what was counted up to there.

Of other files all is read again: those that are encoded, scrapes (a later line may say when an earlier one was), lists that
have no end yet, and what begins otherwise than it did.
"""

from collections import Counter
from typing import Any

from transforms.parse.metrics.formats import JMXTOOL, JSON_FORMATS, MetricsReader
from transforms.parse.metrics.identity import Identity, prefixes_of
from transforms.parse.metrics.reading import Mark, MetricFile, Reading
from transforms.parse.metrics.samples import MetricBooks
from transforms.parse.records.json_window import Piece
from transforms.parse.records.streams import SourceStream

GROW_BY_LINES = JSON_FORMATS | {JMXTOOL}


class Marker:
    """Follows the pieces of a source, and notes the last place that may be read on from."""

    def __init__(self, reading: Reading, reader: MetricsReader, before: Mark | None) -> None:
        self._reading = reading
        self._reader = reader
        self._header: list[int] | None = before["header"] if before else None
        self._headers = reader.headers
        self._is_end = True
        self._mark: Mark | None = None

    def before(self, piece: Piece) -> None:
        """A piece that is not yet counted."""
        if self._is_end and not piece.is_end:
            self._mark = self._here(piece.offset)
        self._is_end = piece.is_end

    def after(self, piece: Piece) -> None:
        """A piece that was counted."""
        if self._reader.headers != self._headers:
            self._headers = self._reader.headers
            self._header = [piece.offset, len(piece.data)]

    def last(self) -> Mark | None:
        """The mark of a source that is over."""
        return self._here(self._reading.counts["bytes_read"]) if self._is_end else self._mark

    def _here(self, offset: int) -> Mark:
        reading, samples = self._reading, self._reading.samples
        return {
            "offset": offset,
            "read_as": read_as(reading.file),
            "format": reading.format,
            "header": self._header,
            "at": self._reader.at,
            "zone_origin": self._reader.zone_origin,
            "books": dict(reading.counts),
            "told": [samples.responses, samples.samples, samples.unmapped, samples.structure],
            "skipped": dict(samples.skipped),
            "unparsed": dict(reading.unparsed),
            "clients": reading.named,
        }


def grown(source: SourceStream, name: str | None, file: MetricFile) -> tuple[str, Identity, Mark] | None:
    """The source that the file is with more behind it, and where that is read on from."""
    if name not in GROW_BY_LINES or not source.is_splittable:
        return None
    prefixes = prefixes_of(source, [size for _, size, *_ in file.grown])
    for key, size, digest, source_id, mark in file.grown:
        is_there = mark["offset"] <= file.size and mark["read_as"] == read_as(file)
        if is_there and prefixes.get(size) == digest:
            return key, Identity(source_id, "first_sample", is_settled=True), mark
    return None


def read_as(file: MetricFile) -> list[Any]:
    """What else decides how a file is read: said by conf, which may change."""
    declared = (file.is_service_declared, file.is_instance_declared)
    return [file.service, file.instance, *declared, file.time_zone]


def go_on(mark: Mark, reading: Reading, reader: MetricsReader, source: SourceStream) -> int:
    """Take over what was counted before a mark; gives the offset to read on from."""
    reading.format = mark["format"]
    reading.counts, reading.unparsed = Counter(mark["books"]), Counter(mark["unparsed"])
    responses, kept, unmapped, structure = mark["told"]
    reading.samples = MetricBooks(responses, kept, unmapped, structure, Counter(mark["skipped"]))
    for unit_id, service, names in mark["clients"]:
        reading.clients[unit_id, service] = set(names)
    header = None
    if mark["header"]:
        begin, size = mark["header"]
        source.seek(begin)
        header = source.read(size)
    reader.go_on(header, mark["at"], mark["zone_origin"])
    return int(mark["offset"])
