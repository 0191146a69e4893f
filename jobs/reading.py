"""What Spark's tasks do with files: probe their heads, count their lines, read their chunks. The only place that opens input."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from jobs.conf import ReaderConf, SourceHint
from jobs.plan import Chunk, Probe
from jobs.read_rows import ReadRows
from transforms.parse.layouts import SourceHints, SourceLayout, detect_layout
from transforms.parse.reader import ChunkReader, ReaderSettings, fingerprint, open_source

FINGERPRINT_BYTES = 1024
BLOCK = 1 << 20
Batches = Iterator[pa.RecordBatch]


class Limited(io.RawIOBase):
    """A file up to the size it was planned with: what is appended meanwhile belongs to the next run."""

    def __init__(self, file: BinaryIO, left: int) -> None:
        super().__init__()
        self._file, self._left = file, left

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, never past the limit."""
        piece = self._file.read(min(len(buffer), self._left))
        self._left -= len(piece)
        buffer[: len(piece)] = piece
        return len(piece)


def probing(hints: Mapping[str, SourceHint], head_bytes: int) -> Callable[[Batches], Batches]:
    """Task: paths in (column `path`), probes out as JSON (column `probe`)."""

    def task(batches: Batches) -> Batches:
        for batch in batches:
            probes = [json.dumps(asdict(probe(path, hints[path], head_bytes))) for path in batch.column("path").to_pylist()]
            yield pa.RecordBatch.from_pydict({"probe": probes})

    return task


def probe(path: str, hint: SourceHint, head_bytes: int) -> Probe:
    """Read a file's head: fingerprint, whether it is gzip, layout with its evidence."""
    with Path(path).open("rb") as file:
        source = open_source(file, path)
        head = _read_exactly(source, head_bytes)
    layout = detect_layout(head, SourceHints(layout=hint.layout, time_zone=hint.time_zone))
    return Probe(
        path=path,
        source_id=fingerprint(head),
        fingerprint_bytes=min(len(head), FINGERPRINT_BYTES),
        is_gzip=source.is_gzip,
        layout=layout.as_dict(),
        head_digest=sha256(head).hexdigest(),
    )


def counting() -> Callable[[Batches], Batches]:
    """Task: chunks in (column `chunk`, JSON), number of their newlines out (columns source_id, number, newlines)."""

    def task(batches: Batches) -> Batches:
        for batch in batches:
            chunks = [Chunk(**json.loads(text)) for text in batch.column("chunk").to_pylist()]
            yield pa.RecordBatch.from_pydict(
                {
                    "source_id": [chunk.source_id for chunk in chunks],
                    "number": pa.array([chunk.number for chunk in chunks], pa.int32()),
                    "newlines": pa.array([_newlines(chunk) for chunk in chunks], pa.int64()),
                }
            )

    return task


def _newlines(chunk: Chunk) -> int:
    left = (chunk.end or 0) - chunk.start
    found = 0
    with Path(chunk.path).open("rb") as file:
        file.seek(chunk.start)
        while left > 0 and (block := file.read(min(BLOCK, left))):
            found += block.count(b"\n")
            left -= len(block)
    return found


def reading(conf: ReaderConf, sizes: Mapping[str, int]) -> Callable[[Batches], Batches]:
    """Task: chunks in (column `chunk`, JSON), rows of READ_SCHEMA out: records with their events, unparsed pieces, books.

    sizes: how far each source may be read, by source_id; bytes of the file as listed.
    """

    def task(batches: Batches) -> Batches:
        for batch in batches:
            for text in batch.column("chunk").to_pylist():
                chunk = Chunk(**json.loads(text))
                yield from read_chunk(chunk, conf, sizes[chunk.source_id])

    return task


def read_chunk(chunk: Chunk, conf: ReaderConf, size: int) -> Batches:
    """One chunk's rows, cut by bytes; the last row carries its books."""
    rows = ReadRows(chunk)
    with Path(chunk.path).open("rb") as file:
        reader = ChunkReader(
            SourceLayout.from_dict(chunk.layout),
            chunk.source_id,
            chunk.start,
            chunk.end,
            chunk.first_line,
            ReaderSettings(keep=conf.keep, max_record_bytes=conf.max_record_bytes),
        )
        for piece in reader.read(_positioned(chunk, file, size)):
            rows.add(piece)
            if rows.is_full:
                yield rows.take()
    yield rows.take(reader.books)


def _positioned(chunk: Chunk, file: BinaryIO, size: int) -> Any:
    """The chunk's bytes as a stream that stands at its start."""
    if chunk.is_gzip:
        source = open_source(file, chunk.path)
        left = chunk.start
        while left > 0 and (skipped := source.read(min(BLOCK, left))):
            left -= len(skipped)
        return source
    file.seek(chunk.start)
    return io.BufferedReader(Limited(file, size - chunk.start), BLOCK)


def _read_exactly(stream: Any, wanted: int) -> bytes:
    pieces = []
    while wanted > 0 and (piece := stream.read(wanted)):
        pieces.append(piece)
        wanted -= len(piece)
    return b"".join(pieces)
