"""What tasks do with files: probe heads, count lines, read chunks."""

import errno
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import BinaryIO

import pyarrow as pa

from conf.settings import ReaderConf, SourceHint
from expectations.rows import staged_schema
from jobs.engine.engine import Task
from jobs.inputs.places import open_input
from transforms.faults import OF_THE_MACHINE, fault_note
from transforms.parse.layouts.detect import SourceHints, detect_layout
from transforms.parse.layouts.layout import SourceLayout, unread_layout
from transforms.parse.records.open_end import open_from
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.spans import ReadSettings
from transforms.parse.records.streams import FINGERPRINT_BYTES, fingerprint, open_source, read_exactly
from transforms.plans.chunks import Chunk, Probe
from transforms.plans.limited import UNREADABLE, Limited
from transforms.plans.read_rows import ACCOUNTS, CHUNK, CONTROL, EVENTS, RECORDS, UNPARSED, ReadRows
from transforms.tasks import Note, Put

BLOCK = 1 << 20
# Names of notes.
PROBE, NEWLINES, LEFT_OUT, WENT = "probe", "newlines", "left out", "went"


REPLACED = "replaced"


class _Gone(io.BytesIO):
    """In the place of a file that can't be opened any more."""

    def read(self, _size: int | None = -1, /) -> bytes:
        """Nothing.

        Raises: OSError.
        """
        raise OSError(errno.ENOENT, "gone")


def _opened(path: str) -> BinaryIO:
    try:
        return open_input(path)
    except OSError:  # it went since it was looked at
        return _Gone()


def probing(hints: Mapping[str, SourceHint], conf: ReaderConf, ends: Mapping[str, int]) -> Task:
    """Task: paths in, probes out (notes).

    ends: of files whose open record is looked for, up to where; in bytes.
    """

    def task(paths: Iterator[str]) -> Iterator[Note]:
        for path in paths:
            try:
                yield Note(PROBE, json.dumps(asdict(probe(path, hints[path], conf, ends.get(path)))))
            except PermissionError:  # of an object: whoever may list may not read
                raise
            except OSError as error:
                yield Note(LEFT_OUT, json.dumps([path, f"can't be read ({error.strerror})"]))

    return task


def probe(path: str, hint: SourceHint, conf: ReaderConf, end: int | None) -> Probe:
    """Read a file's head: fingerprint, whether its bytes are encoded (gzip, UTF-16), layout with its evidence. Of its end
    as much as tells where its last record begins, if that is asked for."""
    open_at = None
    with open_input(path) as file:
        source = open_source(file)
        head = source.read(conf.head_bytes)
        try:
            layout = detect_layout(head, SourceHints(layout=hint.layout, time_zone=hint.time_zone))
            if end is not None and source.is_splittable:
                limited = open_source(Limited(file, end))
                open_at = open_from(limited, layout, end, ReadSettings(conf.keep, conf.max_record_bytes))
        except OF_THE_MACHINE:
            raise
        except Exception:
            if hint.layout or hint.time_zone:  # which may name what there isn't
                raise
            layout, open_at = unread_layout(), None
    return Probe(
        path=path,
        source_id=(own := fingerprint(head)),
        fingerprint=own,
        fingerprint_bytes=min(len(head), FINGERPRINT_BYTES),
        is_encoded=not source.is_splittable,
        layout=asdict(layout),
        open_at=open_at,
    )


def counting(chunks: Iterator[str]) -> Iterator[Note]:
    """Task: chunks in (JSON), number of their newlines out (notes: source_id, number of the chunk, newlines)."""
    for text in chunks:
        chunk = Chunk(**json.loads(text))
        yield Note(NEWLINES, json.dumps([chunk.source_id, chunk.number, _newlines(chunk)]))


def _newlines(chunk: Chunk) -> int:
    left = (chunk.end or 0) - chunk.start
    found = 0
    with _opened(chunk.path) as opened:
        file = Limited(opened, chunk.end or 0)
        file.seek(chunk.start)
        while left > 0 and (block := file.read(min(BLOCK, left))):
            found += block.count(b"\n")
            left -= len(block)
    return found


def reading(conf: ReaderConf, sizes: Mapping[str, int]) -> Task:
    """Task: chunks in (JSON); records, events, unparsed pieces (read_schemas) and accounts (notes) out.

    sizes: how far each source may be read, by source_id; bytes of the file as listed.
    """

    def task(chunks: Iterator[str]) -> Put:
        for text in chunks:
            chunk = Chunk(**json.loads(text))
            try:
                yield from read_chunk(chunk, conf, sizes[chunk.source_id])
            except OF_THE_MACHINE:
                raise
            except Exception as error:
                yield fault_note(chunk.source_id, error)

    return task


def read_chunk(chunk: Chunk, conf: ReaderConf, size: int) -> Put:
    """One chunk's rows, in batches cut by bytes; its account comes last. Nothing but a note of a file that went, or that
    another has taken the place of since it was looked at: that one is read by the next run, as itself.
    """
    rows = ReadRows(chunk, read_schemas())
    layout = SourceLayout.load(dict(chunk.layout))
    settings = ReadSettings(keep=conf.keep, max_record_bytes=conf.max_record_bytes)
    reader = ChunkReader(layout, chunk.source_id, chunk.start, chunk.end, chunk.first_line, settings)
    with _opened(chunk.path) as file:
        if problem := _is_other(file, chunk):
            yield Note(WENT, json.dumps([chunk.source_id, chunk.number, chunk.path, problem]))
            return
        for piece in reader.columns(open_source(Limited(file, size))):
            rows.add(piece)
            if rows.is_full:
                yield from rows.take()
    yield from rows.take()
    yield Note(ACCOUNTS, json.dumps(rows.account(reader.books)))


def _is_other(file: BinaryIO, chunk: Chunk) -> str | None:
    """Why an opened file is not the one that was looked at; None where it is. Read from its beginning afterwards."""
    if not chunk.fingerprint:  # planned by an earlier release
        return None
    try:
        head = read_exactly(open_source(file), chunk.fingerprint_bytes)
        file.seek(0)
    except OSError:
        return UNREADABLE
    return None if fingerprint(head) == chunk.fingerprint else REPLACED


def read_schemas() -> dict[str, pa.Schema]:
    """What a reading task puts aside. Events carry the number of their chunk, which their place in the order depends on."""
    events = staged_schema(EVENTS).append(CHUNK)
    return {
        RECORDS: staged_schema(RECORDS),
        UNPARSED: staged_schema(UNPARSED),
        EVENTS: events,
        CONTROL: events,
    }
