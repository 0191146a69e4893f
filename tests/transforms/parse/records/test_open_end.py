"""Where a source's last record begins, told from its end: what a reader of the whole source says."""

import io
import json

import pytest

from transforms.parse.layouts.detect import detect_layout
from transforms.parse.records import open_end
from transforms.parse.records.open_end import open_from
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.spans import ReadSettings

KAFKA = "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
RECORDS = [
    f"[2026-01-01 00:00:00,000] INFO [Consumer clientId=c, groupId=g] Successfully joined group {KAFKA}",
    f"[2026-01-01 00:00:01,000] ERROR [Consumer clientId=c, groupId=g] Offset commit failed {KAFKA}\n"
    "org.apache.kafka.clients.consumer.CommitFailedException: the group has rebalanced\n"
    "\tat the.Application.run(Application.java:2)\n\n\t... 2 more",
    f"[2026-01-01 00:00:02,000] INFO [Consumer clientId=c, groupId=g] Successfully joined group {KAFKA}",
] * 3  # fmt: skip
BARE = "".join(f"{record}\n" for record in RECORDS)
LEVELS = BARE.replace("[2026-01-01 00:00:00,000] ", "").replace("[2026-01-01 00:00:01,000] ", "")
JSON_LINES = "".join(
    json.dumps(
        {"@timestamp": "2026-01-01T00:00:00Z", "level": "INFO", "logger_name": "a.B", "message": record}
    )
    + "\n"
    for record in RECORDS
)
DOCKER = "".join(
    json.dumps({"log": line + "\n", "stream": "stdout", "time": "2026-01-01T00:00:00Z"}) + "\n"
    for line in BARE.splitlines()
)
SETTINGS = ReadSettings(keep="all")


def resumed_at(data, layout):
    reader = ChunkReader(layout, "s", settings=SETTINGS)
    for _ in reader.read(io.BytesIO(data)):
        pass
    return reader.books.resume_offset


@pytest.mark.parametrize("first_look", [200, 64 * 1024], ids=["a little first", "all at once"])
@pytest.mark.parametrize(
    "text", [BARE, LEVELS, JSON_LINES, DOCKER], ids=["dated", "levels", "json", "docker"]
)
def test_wherever_it_is_cut(text, first_look, monkeypatch):
    monkeypatch.setattr(open_end, "FIRST_LOOK", first_look)
    whole = text.encode()
    layout = detect_layout(whole)
    for size in range(1, len(whole) + 1, 7):
        data = whole[:size]
        assert open_from(io.BytesIO(data), layout, size, SETTINGS) == resumed_at(data, layout), size


def test_no_more_than_the_end_is_read():
    class Counted(io.BytesIO):
        count = 0

        def read(self, size=-1, /):
            found = super().read(size)
            self.count += len(found)
            return found

    whole = (BARE * 3000).encode()
    stream = Counted(whole)
    last = whole.rindex(b"[2026")
    assert open_from(stream, detect_layout(whole[:65536]), len(whole), SETTINGS) == last
    assert stream.count <= open_end.FIRST_LOOK + 1


def test_of_two_containers_the_last_line_says_whose_record_waits():
    def line(text, container):
        return f"{container}  | {text}\n"

    whole = "".join(
        line(text, container)
        for container, record in zip("abab", RECORDS[:4], strict=True)
        for text in record.splitlines()
    )
    whole += line("\tat a late.Line(A.java:1)", "a")
    layout = detect_layout((whole * 5).encode())
    assert layout.wrappers
    data = whole.encode()
    third = data.index(b"a  | " + RECORDS[2].encode()[:40])
    assert open_from(io.BytesIO(data), layout, len(data), SETTINGS) == third


def test_what_does_not_grow_at_its_end_is_not_waited_for():
    newest_first = "\n".join(
        f"[2026-01-01 00:00:{second:02d},000] INFO x {KAFKA}" for second in range(59, 0, -1)
    )
    for data in (newest_first.encode() + b"\n", bytes(range(256)) * 8):
        assert open_from(io.BytesIO(data), detect_layout(data), len(data), SETTINGS) is None


def test_a_record_longer_than_what_is_kept_is_not_waited_for():
    settings = ReadSettings(keep="all", max_record_bytes=2000)
    data = (RECORDS[0] + "\n" + "\tat a.B.c(B.java:1)\n" * 5000).encode()
    assert open_from(io.BytesIO(data), detect_layout(data), len(data), settings) is None


@pytest.mark.parametrize("before", [b"", f"{RECORDS[1]}\n".encode()])
def test_what_stands_around_a_hole_of_zeros_is_read(before):
    data = before + bytes(90_000) + f"{RECORDS[0]}\n{RECORDS[2]}\n".encode()
    reader = ChunkReader(detect_layout(data), "s")
    records = list(reader.read(io.BytesIO(data)))
    assert [record.line - before.count(b"\n") for record in records[-2:]] == [1, 2]
    assert all(record.message.endswith("Successfully joined group") for record in records[-2:])
    assert all(record.logged_at for record in records)
    assert reader.books.total.bytes_read == len(data)
