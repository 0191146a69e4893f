"""Who a file of metrics is: told by its beginning, so that it stays the same source as it grows and when it moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from transforms.parse.lines.timestamps import Clock
from transforms.parse.metrics.formats import PROMETHEUS_TEXT, MetricsReader
from transforms.parse.metrics.samples import MetricBooks
from transforms.parse.records.streams import FINGERPRINT_BYTES, SourceStream

# As much of a file's beginning tells whether another goes on where it ended.
PREFIX_BYTES = 1 << 20


@dataclass(slots=True)
class Identity:
    """source_id and what it rests on. is_settled: it can't change as the file grows."""

    source_id: str
    rests_on: str
    is_settled: bool


def identity_of(source: SourceStream, name: str | None, clock: Clock, path: str) -> Identity:
    """Who the file is: its beginning up to the first piece with a sample, which has a time and a client.

    Scrapes before a client's MBeans are there are all alike, and so is the text above a scrape's first value: the first
    KiB tells nothing. A scrape that has no time of its own is the whole file, as the next one overwrites it.
    """
    reader, seen = MetricsReader(name, clock), MetricBooks()
    source.seek(0)
    for piece in reader.pieces(source):
        if any(True for _ in reader.read(piece, seen)):
            end = piece.offset + len(piece.data)
            is_whole = piece.data.endswith(b"\n")  # what has no end yet may still be read as something longer
            return _identified(source, end, piece.data.strip(), "first_sample" if is_whole else "whole_file")
    if name == PROMETHEUS_TEXT:
        source.seek(0)
        whole = sha256(b"metrics\x1f")
        while block := source.read(PREFIX_BYTES):
            whole.update(block)
        return Identity(whole.hexdigest(), "whole_file", False)
    source.seek(0)
    head = source.read(FINGERPRINT_BYTES)
    if not head:
        return Identity(sha256(f"metrics\x1fempty\x1f{path}".encode()).hexdigest(), "whole_file", False)
    return _identified(
        source, len(head), b"", "first_kib" if len(head) >= FINGERPRINT_BYTES else "whole_file"
    )


def _identified(source: SourceStream, end: int, piece: bytes, rests_on: str) -> Identity:
    source.seek(0)
    head = source.read(min(FINGERPRINT_BYTES, end)).strip()
    source_id = sha256(b"\x1f".join((b"metrics", head, piece))).hexdigest()
    return Identity(source_id, rests_on, rests_on == "first_sample")


def prefixes_of(source: SourceStream, sizes: Sequence[int]) -> dict[int, str]:
    """Digests of the source's beginnings, by their length; of those it is long enough for."""
    found = {}
    for size in sorted(set(sizes)):
        source.seek(0)
        begin = source.read(size)
        if len(begin) == size:
            found[size] = sha256(begin).hexdigest()
    return found
