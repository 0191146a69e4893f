"""Lines that begin records: all at once by RE2, as one at a time by `re`."""

import numpy as np
import pytest

from transforms.parse.layouts.detect import detect_layout
from transforms.parse.layouts.layout import SourceLayout, begins_of, mixed_layout
from transforms.parse.layouts.starts import starts_of
from transforms.parse.records.spanfilter import SpanFilter

LINES = (
    b"[2026-03-01 00:00:00,123] INFO x (org.apache.kafka.clients.Metadata)",
    b"2026/03/01 00:00:00 x", b"2026-03-01 x", b"\x1b[2m2026-03-01T00:00:00Z x", b"WARN  2026-03-01 00:00:00 x",
    b"1772323200000 x", b"[1772323200000] x", b"12:00:00,1 x", b"[12:00:00] x", b"INFO x", b"INFO: x", b"[main] INFO x",
    b"17 [main] DEBUG x", b"[WARN ] x", b'{"message":"x"}', b'{ "ts":1', b'{"printed":1}', b'\xef\xbb\xbf{"a":1}',
    b"", b" ", b"\tat com.example.A.b(A.java:1)", b"at com.example.A.b(A.java:1)", b"atlas began", b"\x0b x", b"\x00 x",
    b"Caused by: java.lang.Error: x", b"Suppressed: x", b"Wrapped by: a.B: x", b"... 14 more", b"... and so on", b"[...]",
    b"java.lang.IllegalStateException: x", b"java.lang.Error", b"Error: x", b"ErrorHandler began", b"hello",
    b"a" * 400 + b"Exception: x", b"\xc3\xa4\xff x", b"\r", b"ExceptionX",
)  # fmt: skip


LAYOUTS = {
    "plain": SourceLayout("plain", *starts_of("plain", (), "")),
    "mixed": mixed_layout(),
    "json": detect_layout(b'{"level":"INFO","logger":"a.B","message":"x"}\n' * 3),
    "time": detect_layout(b"12:00:00,1 INFO [main] org.apache.kafka.clients.Metadata - x\n" * 3),
    "level": detect_layout(b"17 [main] DEBUG org.apache.kafka.clients.Metadata - x\n" * 3),
    "quoted": detect_layout(b"> 2026-03-01 00:00:00 INFO [main] org.apache.kafka.clients.Metadata - x\n" * 3),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
def test_a_line_begins_a_record_by_either_pattern(layout):
    lines = [line + b"\n" for line in LINES]
    begins = begins_of(layout)
    one_by_one = [begins(line.decode("utf-8", "surrogateescape")) for line in lines]
    spans = SpanFilter(b"".join(lines), np.cumsum([0, *map(len, lines)]))
    at_once = set(spans.matching(rf"\A(?:{layout.start})").tolist())
    if layout.goes_on is not None:
        at_once -= set(spans.matching(rf"\A(?:{layout.goes_on})").tolist())
    assert [number in at_once for number in range(len(lines))] == one_by_one
    assert 0 < sum(one_by_one) < len(lines)


COLOURED = (
    "\x1b[2m2026-03-01T00:00:0{}.123+01:00\x1b[0;39m \x1b[33m WARN\x1b[0;39m \x1b[35m17\x1b[0;39m \x1b[2m---\x1b[0;39m "
    "\x1b[2m[ntainer#0-0-C-1]\x1b[0;39m \x1b[36morg.apache.kafka.clients.NetworkClient\x1b[0;39m \x1b[2m:\x1b[0;39m x",
    "\x1b[36m12:00:0{}.123\x1b[0;39m \x1b[1;31mERROR\x1b[0;39m [\x1b[34mmain\x1b[0m] org.apache.kafka.clients.Metadata - x",
    "\x1b[32m2026-03-01 00:00:0{},123\x1b[m \x1b[34mINFO \x1b[m [main] org.apache.kafka.clients.Metadata - x",
    "\x1b[34mINFO \x1b[0;39m \x1b[2m12:00:0{}.123\x1b[0;39m [main] \x1b[35morg.apache.kafka.clients.Metadata\x1b[0;39m - x",
)


@pytest.mark.parametrize("line", COLOURED)
def test_each_line_of_a_coloured_log_begins_a_record(line):
    """Else all of it is one record, of which a megabyte is kept."""
    lines = [line.format(second).encode() + b"\n" for second in range(8)]
    below = [b"\tat com.example.A.b(A.java:1)\n", b"Caused by: java.lang.Error: x\n"]
    layout = detect_layout(b"".join([*lines, *below]))
    spans = SpanFilter(b"".join([*lines, *below]), np.cumsum([0, *map(len, [*lines, *below])]))
    assert spans.matching(rf"\A(?:{layout.start})").tolist() == [*range(8)]
