"""Every recording, written anew in every layout and envelope, gives the same records."""

import gzip
import io
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from lab.layouts.records import Entry
from lab.layouts.render import (
    LAYOUTS,
    WRAPPERS,
    Layout,
    kafka,
    write,
)
from transforms.parse.layouts.detect import SourceHints, detect_layout
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.spans import ReadSettings
from transforms.records import LogRecord

RECORDINGS = Path(__file__).parents[3] / "recordings"
LOGS = sorted(RECORDINGS.glob("p[0-9]*/*.log.gz"))
PER_LOG = 6  # records of each log, spread over it: with all logs every shape is met, in seconds a layout
MOST_READ = 1 << 18  # of a log: the few that are longer repeat themselves


def read(data: bytes, hints: SourceHints | None = None, keep: str = "all") -> tuple[str, list[LogRecord]]:
    layout = detect_layout(data[:65536], hints)
    reader = ChunkReader(layout, "source", settings=ReadSettings(keep=keep))
    pieces = list(reader.read(io.BytesIO(data)))
    assert reader.books.is_balanced
    assert all(isinstance(piece, LogRecord) for piece in pieces), pieces[:3]
    return layout.name, [piece for piece in pieces if isinstance(piece, LogRecord)]


@cache
def entries(path: Path) -> tuple[Entry, ...]:
    """Some records of a recording: its multi-line ones first of all, and others evenly."""
    with gzip.open(path) as log:
        head = log.read(MOST_READ)
    _, records = read(head[: head.rfind(b"\n") + 1])
    long = list(islice((record for record in records if "\n" in record.message), PER_LOG // 3))
    others = records[:: max(len(records) // PER_LOG, 1)][:PER_LOG]
    chosen = {record.offset: record for record in (*others, *long)}
    return tuple(
        Entry(r.logged_at or 0, r.level or "", r.logger or "", r.message) for _, r in sorted(chosen.items())
    )


def shown(entry: Entry, layout: Layout) -> tuple[object, ...]:
    return (
        entry.at if layout.has_date else None,
        entry.level,
        layout.logger(entry.logger) if layout.has_logger else None,
        entry.message,
    )


def seen(record: LogRecord) -> tuple[object, ...]:
    return (record.logged_at, record.level, record.logger, record.message)


def test_there_are_recordings():
    assert len(LOGS) >= 42


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_the_same_records_in_every_layout(layout):
    for path in LOGS:
        written = entries(path)
        _, records = read(write(written, layout).encode())
        assert [seen(record) for record in records] == [shown(entry, layout) for entry in written], path


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_the_same_records_in_every_envelope(wrapper):
    for path in LOGS:
        written = entries(path)
        text = write(written, Layout("kafka", kafka, "kafka"))
        name, records = read(WRAPPERS[wrapper](text).encode())
        assert name.split("/")[0] == wrapper.split()[0], path
        ours = [record for record in records if record.container != "postgres-1"]
        assert [seen(record) for record in ours] == [
            (entry.at, entry.level, entry.logger, entry.message) for entry in written
        ], path


def test_a_message_that_a_paste_broke_behind_its_prefix_stays_with_its_head():
    head = "2026-01-05T10:00:00.123  INFO  [Consumer clientId=consumer-a, groupId=g]\n"
    said = "Member consumer-a-1\nsending LeaveGroup request to coordinator due to the consumer is being closed\n\n"
    _, records = read((head + said + "2026-01-05T10:00:01.123  INFO  stopped\n").encode())
    assert [(one.line, one.logged_at is not None) for one in records] == [(1, True), (5, True)]


@pytest.mark.parametrize(
    ("times", "first"),
    [
        (["10:00:09", "10:00:05", "10:00:02"], "10:00:02"),
        (["2026-01-05 10:00:09", "2026-01-05 10:00:05", "2026-01-05 10:00:02"], "2026-01-05 10:00:02"),
        (["10:00:09", "10:00:05"], "10:00:09"),
        (["10:00:09", "10:00:05", "10:00:02", "10:00:03"], "10:00:09"),
    ],
)  # fmt: skip
def test_a_short_page_in_which_time_never_goes_on_is_newest_first(times, first):
    """One step back alone may be a clock's, or of a second excerpt."""
    layout = detect_layout("\n".join(f"{time} INFO n (org.apache.kafka.x.Y)" for time in times).encode())
    assert (times[-1] if layout.is_newest_first else times[0]) == first
