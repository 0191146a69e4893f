"""Which format a source of metrics has, told by its beginning; and one way to read them all."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from transforms.parse.lines.timestamps import Clock
from transforms.parse.metrics import jmxtool, jolokia, metricbeat, otlp, prometheus, rdkafka, telegraf
from transforms.parse.metrics.pieces import BEFORE, json_pieces, line_pieces
from transforms.parse.metrics.samples import MetricBooks, MetricSample
from transforms.parse.records.json_window import LIMITS, NOT_JSON, Limits, Piece
from transforms.parse.records.streams import ByteSource
from transforms.when_used import when_used

JOLOKIA, PROMETHEUS_TEXT, PROMETHEUS_JSON = "jolokia", "prometheus_text", "prometheus_json"
JMXTOOL, OTLP, TELEGRAF, METRICBEAT = "jmxtool", "otlp", "telegraf", "metricbeat"
LIBRDKAFKA = "librdkafka"
UNKNOWN_JSON = "json"
JSON_FORMATS = frozenset({JOLOKIA, PROMETHEUS_JSON, OTLP, TELEGRAF, METRICBEAT, LIBRDKAFKA, UNKNOWN_JSON})
DETECTED_BY = 1024  # bytes

_JSON_MARKS = (
    (LIBRDKAFKA, when_used(r'"type"\s*:\s*"(?:producer|consumer)"\s*,\s*"ts"\s*:\s*\d')),
    (OTLP, when_used(r'"(?:resourceMetrics|resource_metrics)"\s*:')),
    (PROMETHEUS_JSON, when_used(r'"resultType"\s*:|"metric"\s*:\s*\{')),
    (METRICBEAT, when_used(r'"@timestamp"\s*:|"metricset"\s*:')),
    (TELEGRAF, when_used(r'"fields"\s*:\s*\{')),
    (JOLOKIA, when_used(r'"request"\s*:|"mbean"\s*:|"error_type"\s*:|"status"\s*:\s*\d')),
)
_PROMETHEUS_LINE = when_used(r"# (?:HELP|TYPE|UNIT|EOF)\b|HTTP/[\d.]+ \d")
_PROMETHEUS_SAMPLE = when_used(
    r"(?:[A-Za-z_:][\w:]*(?:\{.*\})?|\{.*\})\s+(?:[+-]?(?:\d[\d.eE+-]*|\.\d+|Inf)|NaN)(?:\s+\S+)?\s*$"
)


def detect(head: bytes) -> str | None:
    """The format of a source that begins like this, or None where no reader knows it. head: its first KiB."""
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")):
        return next((name for name, mark in _JSON_MARKS if mark.search(text)), UNKNOWN_JSON)
    for line in text.splitlines():
        if jmxtool.is_wide_header(line) or line.startswith('"time","') or _is_pair(line):
            return JMXTOOL
        if _PROMETHEUS_LINE.match(line) or _PROMETHEUS_SAMPLE.match(line):
            return PROMETHEUS_TEXT
        document = BEFORE.sub(b"", line.encode())
        if document.startswith(b"{") and (
            (found := detect(document)) != UNKNOWN_JSON or line.startswith("{")
        ):
            return found
    return None


def format_of(document: Any) -> str:
    """The format of one JSON document."""
    first = document[0] if isinstance(document, list) and document else document
    if not isinstance(first, dict):
        return JOLOKIA if isinstance(document, list) else UNKNOWN_JSON
    if rdkafka.is_statistics(first):
        return LIBRDKAFKA
    if "resourceMetrics" in first or "resource_metrics" in first:
        return OTLP
    is_error = "errorType" in first and first.get("status") == "error"
    if is_error or isinstance(first.get("metric"), dict) or isinstance(first.get("data"), dict):
        return PROMETHEUS_JSON
    if "@timestamp" in first:
        return METRICBEAT
    if "fields" in first or isinstance(first.get("metrics"), list):
        return TELEGRAF
    return JOLOKIA if "request" in first or isinstance(first.get("status"), int) else UNKNOWN_JSON


def _is_pair(line: str) -> bool:
    found = jmxtool.LONG_LINE.match(line)
    return bool(found) and (found["key"] != "time" or bool(re.match(r'time(?:[,\t]"?|=)\d[^=]*$', line)))  # type: ignore[index]


Of = Callable[[Any, MetricBooks], Iterator[MetricSample]]
_READERS: Mapping[str, Of] = {
    PROMETHEUS_JSON: prometheus.read_query,
    OTLP: otlp.read_request,
    TELEGRAF: telegraf.read_metrics,
    METRICBEAT: metricbeat.read_event,
    LIBRDKAFKA: rdkafka.read_statistics,
}


class MetricsReader:
    """Reads one source of a format piece by piece, in order.

    scrape_at: see prometheus.TextReader. clock: for times without a zone. limits: of what is held at once.
    """

    def __init__(
        self,
        name: str | None,
        clock: Clock | None = None,
        scrape_at: int | None = None,
        zone_origin: str = "none",
        limits: Limits = LIMITS,
    ) -> None:
        self.format = name
        self._limits = limits
        self._lines: prometheus.TextReader | jmxtool.JmxToolReader | None = None
        if name == PROMETHEUS_TEXT:
            self._lines = prometheus.TextReader(scrape_at, clock, zone_origin)
        elif name == JMXTOOL:
            self._lines = jmxtool.JmxToolReader(clock)

    @property
    def zone_origin(self) -> str:
        """Where the zone of the times read so far comes from: `logged`, `declared`, `assumed` or `none`."""
        return self._lines.zone_origin if self._lines else "logged"

    @property
    def headers(self) -> int:
        """How many lines were read that say what later lines hold, for as long as there is no other."""
        return self._lines.headers if isinstance(self._lines, jmxtool.JmxToolReader) else 0

    @property
    def at(self) -> int | None:
        """The time, ms, that holds for the lines to come, where a line of its own has told it."""
        return self._lines.at if isinstance(self._lines, jmxtool.JmxToolReader) else None

    def go_on(self, header: bytes | None, at: int | None, zone_origin: str) -> None:
        """Know what another reader of the same source knew at some place; header: the last one."""
        if isinstance(self._lines, jmxtool.JmxToolReader):
            if header is not None:
                list(self._lines.read(header.decode("utf-8", "replace"), MetricBooks()))
            self._lines.at, self._lines.zone_origin = at, zone_origin

    def pieces(self, source: ByteSource, begin: int = 0) -> Iterator[Piece]:
        """The source from an offset on, where it stands, cut as its format asks."""
        cut = json_pieces if self.format in JSON_FORMATS else line_pieces
        return cut(source, self._limits, begin)

    def read(self, piece: Piece, books: MetricBooks) -> Iterator[MetricSample]:
        """The samples of one piece; what gives none is counted in `books.skipped` by reason."""
        if piece.is_structure:
            books.structure += bool(piece.data.strip())
        elif self._lines is not None:
            yield from self._lines.read(piece.data.decode("utf-8", "replace"), books)
        elif piece.document is not NOT_JSON:
            yield from read_json(piece.document, books)
        elif piece.data.strip():
            books.skip("not_json" if self.format in JSON_FORMATS else "unknown_format")


def read_json(document: Any, books: MetricBooks) -> Iterator[MetricSample]:
    """The samples of one JSON document of any format."""
    name = format_of(document)
    if name == JOLOKIA:
        yield from jolokia.read_responses(document, books)
    elif name == UNKNOWN_JSON:
        books.skip("unknown_json")
    else:
        for number, one in enumerate(document if isinstance(document, list) else [document]):
            if isinstance(one, list) or format_of(one) != name:
                books.skip("unknown_json")
                continue
            for sample in _READERS[name](one, books):
                if number:
                    sample.item += number << 20  # of a list: apart from those of its other documents
                yield sample
