"""A file of metrics that is to be read, and what is known of it while it is: its samples, and what nobody understood."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from transforms.events import unit_id_of
from transforms.parse.layouts.layout import FAULT
from transforms.parse.lines.timestamps import Clock
from transforms.parse.metrics.formats import JOLOKIA, PROMETHEUS_TEXT, MetricsReader, format_of
from transforms.parse.metrics.names import who
from transforms.parse.metrics.pieces import line_pieces
from transforms.parse.metrics.prometheus import has_one_scrape, time_in_name, without_time
from transforms.parse.metrics.samples import (
    COLLECTOR,
    PROCESS,
    UNMAPPED,
    MetricBooks,
    MetricSample,
    window_of,
)
from transforms.parse.records.json_window import NOT_JSON, Piece
from transforms.parse.records.streams import ByteSource, SourceStream
from transforms.parse.secrets.redact import redact
from transforms.parse.secrets.redact_values import redact_under

SAMPLES, UNPARSED = "silver.metric_samples", "bronze.unparsed"
# Characters of a piece that nobody understood: kept, and looked at for secrets.
_SHOWN, _REDACTED = 1000, 4096

# What is told of a place to read on from, as JSON; `offset` is where it is.
Mark = Mapping[str, Any]
# A table's name, and one of its rows.
Row = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class MetricFile:
    """A file to read, as it was listed: its path, size in bytes and time of change (ns). service, instance: its names;
    declared: whether conf says them, and no label may say otherwise.

    before: what an earlier run read under the same path and may have grown (source_id, bytes, their digest). grown: of those
    that stay who they are, besides, who they are by their beginning, and where they are read on from.
    """

    path: str
    size: int
    changed_ns: int
    service: str
    instance: str
    is_service_declared: bool = False
    is_instance_declared: bool = False
    time_zone: str | None = None
    before: Sequence[tuple[str, int, str]] = ()
    grown: Sequence[tuple[str, int, str, str, Mark]] = ()

    def dump(self) -> str:
        """As JSON, for a task."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> "MetricFile":
        """Of what dump() gave."""
        return cls(**json.loads(text))


@dataclass(slots=True)
class Reading:
    """One file while it is read, or the messages of one sender."""

    file: MetricFile
    source_id: str
    service: str
    instance: str
    counts: Counter[str] = field(default_factory=Counter)
    samples: MetricBooks = field(default_factory=MetricBooks)
    unparsed: Counter[str] = field(default_factory=Counter)
    clients: dict[tuple[str, str], set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )  # by unit and service
    format: str | None = None
    is_line_open: bool = False

    @property
    def named(self) -> list[tuple[str, str, list[str]]]:
        """Unit, service, and the clients its samples name."""
        return [
            (unit_id, service, sorted(clients))
            for (unit_id, service), clients in sorted(self.clients.items())
        ]

    def read(self, reader: MetricsReader, piece: Piece) -> Iterator[Row]:
        """Rows of one piece's samples, or of the piece where nobody understood it; it is in the accounting then."""
        found = MetricBooks()
        name = self.format if piece.document is NOT_JSON else format_of(piece.document)
        for sample in _samples(reader, piece, found):
            yield SAMPLES, self._sample_row(piece, sample, name == JOLOKIA)
        if found.samples and not self.samples.samples:
            self.format = name
        line = self.counts["lines_read"] + 1 - self.is_line_open
        if self._account(piece, found) == "unparsed":
            yield UNPARSED, self._unparsed_row(piece, found, line)
        self.samples.add(found)

    def _account(self, piece: Piece, found: MetricBooks) -> str:
        """Which count a piece stands in; a line of several pieces is counted with the first."""
        if not piece.data.strip():
            kind = "blank"
        else:
            kind = "unparsed" if found.skipped and not (found.samples or found.structure) else "in_records"
        ends_open = not piece.data.endswith(b"\n")
        lines = piece.data.count(b"\n") + ends_open - self.is_line_open
        self.is_line_open = ends_open
        for name, count in (("bytes", len(piece.data)), ("lines", lines)):
            self.counts[f"{name}_read"] += count
            self.counts[f"{name}_{kind}"] += count
        return kind

    def _sample_row(self, piece: Piece, sample: MetricSample, is_process_clock: bool) -> dict[str, Any]:
        mbean, tags, file = sample.mbean, sample.tags, self.file
        if mbean.startswith(UNMAPPED):  # anybody's labels, not only Kafka's
            mbean, tags = redact(mbean), {key: _clean(key, value) for key, value in tags.items()}
        labels = {key: _clean(key, value) for key, value in sample.labels.items()}
        service, instance = who(labels) if labels else (None, None)
        service = self.service if file.is_service_declared else service or self.service
        instance = self.instance if file.is_instance_declared else instance or self.instance
        unit_id = unit_id_of(service, instance)
        named = self.clients[unit_id, service]
        if sample.client_id is not None:
            named.add(sample.client_id)
        shortest, longest = _window(mbean, sample.attribute)
        text = sample.text_value
        return {
            "sampled_at": sample.sampled_at,
            "source_id": self.source_id,
            "source": file.path,
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

    def _unparsed_row(self, piece: Piece, found: MetricBooks, line: int) -> dict[str, Any]:
        begin = piece.data[: 4 * _REDACTED]
        text = None if b"\0" in begin else redact(begin.decode("utf-8", "replace")[:_REDACTED].rstrip("\r\n"))
        reason = min(found.skipped, key=lambda reason: (-found.skipped[reason], reason))
        self.unparsed[reason] += 1
        return {
            "source_id": self.source_id,
            "source": self.file.path,
            "offset": piece.offset,
            "line": line,
            "line_count": max(1, piece.data.count(b"\n")),
            "text": text[:_SHOWN] if text is not None else None,
            "text_bytes": len(piece.data),
            "reason": reason,
            "service": self.service,
            "instance": self.instance,
        }


def _samples(reader: MetricsReader, piece: Piece, found: MetricBooks) -> Iterator[MetricSample]:
    """Of a piece that ends its reader the samples before that; it is counted."""
    try:
        yield from reader.read(piece, found)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        found.skipped[FAULT] += 1


@lru_cache(1 << 14)
def _window(mbean: str, attribute: str) -> tuple[int | None, int | None]:
    return window_of(mbean, attribute) or (None, None)


_clean = lru_cache(1 << 14)(redact_under)


def scrape_time(
    source: SourceStream, name: str | None, file: MetricFile, clock: Clock
) -> tuple[int | None, str, str]:
    """When a scrape without a time of its own was made, where its zone comes from, and what says so."""
    if name != PROMETHEUS_TEXT:
        return None, "none", "logged"
    if in_name := time_in_name(file.path.rpartition("/")[2], clock):
        return *in_name, "name"
    source.seek(0)
    at = when_alone(source, file.changed_ns // 1_000_000)
    return at, "none", "logged" if at is None else "file"


def when_alone(source: ByteSource, at: int) -> int | None:
    """When a scrape was made that doesn't say it itself: as its file was, or its message, where there is no other in it."""
    lines = (piece.data.decode("utf-8", "replace") for piece in line_pieces(source))
    return at if has_one_scrape(lines) else None


def instance_of(file: MetricFile, name: str | None) -> str:
    """Its instance: a scrape's name may have a time in it, by which the next one would be another's."""
    if name != PROMETHEUS_TEXT or file.is_instance_declared:
        return file.instance
    return without_time(file.instance) or file.instance
