"""What is read and typed by column is what is read and typed line by line, in every column."""

import gzip
import io
from functools import cache
from pathlib import Path

import pytest

from lab.benchmarks.families import families
from lab.corpus import recordings
from transforms.events import ClientEvent
from transforms.parse.events.event_columns import EventColumns
from transforms.parse.events.messages import events_of
from transforms.parse.layouts.detect import SourceHints, detect_layout
from transforms.parse.records.placing import ProcessRef
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.record_columns import RecordColumns
from transforms.parse.records.streams import fingerprint
from transforms.records import LogRecord

PROCESS = ProcessRef("orders/a", "app.log", "orders", "a")
PLACED = {
    "service",
    "instance",
    "record_id",
    "unit_id",
    "source_id",
    "source",
    "offset",
    "line",
    "position",
}
PLACED |= {"ordered_at", "happened_at", "time_origin"}  # a row of an event has them from its record's
OF_EVENT = [name for name in ClientEvent.__slots__ if name not in PLACED]
MOST_BYTES = 25_000
HEAD = b"[2026-11-21 03:39:50,531] INFO [Consumer clientId=c, groupId=g] "
TAIL = b" (org.apache.kafka.clients.NetworkClient)\n"
ODD = (
    HEAD + b"Resetting generation due to: \x1b[1mx\x1b[0m" + TAIL,
    HEAD + b"a &lt;b&gt; c" + TAIL,
    HEAD + b"a [2026-11-21 03:39:51,000] INFO Kafka version: 3.9.0" + TAIL,
    HEAD + "café".encode() + TAIL,
    HEAD + b"password=hunter2secret" + TAIL,
    HEAD
    + b"Sending RequestHeader(apiKey=FETCH, apiVersion=17, clientId=c, correlationId=4) password=hunter2secret"
    + TAIL,
    b"[2026-11-21 03:39:50,531] INFO order 5 sent [Producer clientId=p] x (com.example.Orders)\n",
    b"[2026-02-31 03:39:50,531] INFO [Consumer clientId=c, groupId=g] x" + TAIL,
    b"[2026-11-21 03:39:50,531] WARN [Producer clientId=p] never said before" + TAIL,
    b"[2026-11-21 03:39:50,531] ERROR Expiring 3 record(s) for orders-0:120001 ms has passed since batch creation"
    + TAIL,
    # A program's own name may be that of a class of Kafka's.
    b"[2026-11-21 03:39:50,531] ERROR Error producing to Kafka: context deadline exceeded (Worker)\n",
    b"[2026-11-21 03:39:50,531] ERROR Error producing to Kafka: unexpected EOF (Sender)\n",
    b"[2026-11-21 03:39:50,531] INFO ProducerConfig values: \n\tclient.id = p\n\tsasl.jaas.config = hunter2secret\n"
    + TAIL,
    HEAD
    + b"Received HEARTBEAT response from node 1 for request with header RequestHeader(apiKey=HEARTBEAT): errorCode=27"
    + TAIL,
)


@cache
def recorded() -> list[tuple[str, bytes]]:
    """The beginning of every recording's every log."""
    logs = [path for recording in recordings() for path in recording.logs]
    return [
        (f"{path.parent.name}/{path.name}", gzip.decompress(path.read_bytes())[:MOST_BYTES]) for path in logs
    ]


def read(text: bytes, *, is_certain: bool) -> tuple[list[object], object]:
    """The pieces of a log and its books; is_certain: as it is read, or all of it the long way."""
    reader = ChunkReader(detect_layout(text, SourceHints()), fingerprint(text))
    if not is_certain:
        reader.certain.templates = []
    return list(reader.read(io.BytesIO(text))), reader.books


def assert_same(text: bytes) -> int:
    """Read and type a log both ways; the number of its events."""
    pieces, books = read(text, is_certain=True)
    assert (pieces, books) == read(text, is_certain=False)
    records = [piece for piece in pieces if isinstance(piece, LogRecord)]
    columns = RecordColumns()
    columns.add(records)
    typed = EventColumns(columns, [PROCESS] * len(records))
    events = [
        (number, event) for number, record in enumerate(records) for event in events_of(record, PROCESS)
    ]
    assert typed.record_of == [number for number, _ in events]
    told = typed.columns(OF_EVENT)
    for name in OF_EVENT:
        assert told[name] == [getattr(event, name) for _, event in events], name
    return len(events)


@pytest.mark.parametrize("part", range(4))
def test_recordings_are_the_same_by_column(part: int) -> None:
    """Every fourth log, so that workers share them."""
    assert sum(assert_same(text) for _, text in recorded()[part::4]) > 200


def test_every_family_is_the_same_by_column(tmp_path: Path) -> None:
    """Ids of their own in each line, and levels and clients of all sorts."""
    families(tmp_path, 1, seed=11)  # each family a dozen times
    assert sum(assert_same(path.read_bytes()) for path in sorted(tmp_path.rglob("*.log"))) > 4000


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_line_among_others_is_the_same(odd: bytes) -> None:
    """What the short way must leave to the long one."""
    usual = (
        HEAD
        + b"Cancelled in-flight FETCH request with correlation id 4 due to node 1 being disconnected"
        + TAIL
    )
    text = usual * 20 + odd + usual * 20
    assert assert_same(text) >= 40
    pieces, _ = read(text, is_certain=True)
    assert not any("hunter2secret" in piece.text for piece in pieces if isinstance(piece, LogRecord))
