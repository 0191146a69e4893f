"""Messages of a topic of metrics: whose each is, its samples, and what nobody understood.

A message is whole by itself: one document or more, or the lines of one scrape. So tasks read messages in whatever order,
and a sample's place is made of what its message says: copies, and another order, give the same rows.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from typing import Any

from transforms.parse.lines.timestamps import Clock
from transforms.parse.metrics.formats import DETECTED_BY, PROMETHEUS_TEXT, MetricsReader, detect
from transforms.parse.metrics.names import who
from transforms.parse.metrics.reading import SAMPLES, Reading, Row, when_alone
from transforms.parse.records.shipped import MESSAGE_BITS
from transforms.parse.secrets.redact import redact

LONGEST_NAME = 200
# Of a message's digest; its pieces are numbered in the bits below.
DIGEST_BITS = 63 - MESSAGE_BITS
MOST_PIECES = (1 << MESSAGE_BITS) - 1
LOGGED, OF_MESSAGE = "logged", "message"


def names_in(message: Mapping[str, Any]) -> tuple[str | None, str | None, str | None]:
    """(key, service, instance) as far as a message's key and headers say; a header counts as a label of the same name."""
    labels = {header["key"]: text for header in message["headers"] or () if (text := _name(header["value"]))}
    return _name(message["key"]), *who(labels)


def _name(raw: bytes | None) -> str | None:
    """A text that may be a name: an id in binary, or a document, is none."""
    try:
        text = (raw or b"").decode()
    except UnicodeDecodeError:
        return None
    return redact(text) if text.isprintable() and 0 < len(text) <= LONGEST_NAME else None


@dataclass(slots=True)
class Sender:
    """Those messages of a partition that have one key and say the same of whose they are."""

    partition: int
    reading: Reading
    times: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)
    zone_origin: str = "none"

    def read(self, message: Mapping[str, Any], sent_at: int | None) -> Iterator[Row]:
        """Rows of a message. sent_at: its time, ms."""
        value, offset = message["value"] or b"", message["offset"]
        reading, clock = self.reading, Clock(self.reading.file.time_zone)
        reading.format, reading.is_line_open = detect(value[:DETECTED_BY]), False
        scrape_at = None
        if reading.format == PROMETHEUS_TEXT and sent_at is not None and sent_at >= 0:
            scrape_at = when_alone(BytesIO(value), sent_at)
        self.times[LOGGED if scrape_at is None else OF_MESSAGE] += 1
        reader = MetricsReader(reading.format, clock, scrape_at)
        place = int.from_bytes(sha256(value).digest()[:8]) >> (64 - DIGEST_BITS) << MESSAGE_BITS
        before = reading.samples.samples
        for number, piece in enumerate(reader.pieces(BytesIO(value))):
            count = min(number, MOST_PIECES)
            for table, row in reading.read(reader, piece):
                if table == SAMPLES:
                    row["offset"] = place + count
                else:
                    row["offset"], row["line"] = (offset << MESSAGE_BITS) + count, offset
                yield table, row
        if reading.samples.samples > before:
            self.formats[reading.format or ""] += 1
        if reader.zone_origin != "none":
            self.zone_origin = reader.zone_origin
