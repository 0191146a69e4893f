"""Each layout and envelope, on a sample from its library's documentation."""

import io
from pathlib import Path

import pytest

from transforms import yaml_text
from transforms.parse.layouts.detect import SourceHints, detect_layout
from transforms.parse.layouts.wrappers import WRAPPERS
from transforms.parse.lines.timestamps import iso
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.spans import ReadSettings
from transforms.records import LogRecord

SAMPLES = yaml_text.parse((Path(__file__).parent / "layout_samples/samples.yaml").read_text())


def first_record(data: bytes, hints: SourceHints | None = None) -> LogRecord:
    reader = ChunkReader(detect_layout(data, hints), "s", settings=ReadSettings(keep="all"))
    records = [piece for piece in reader.read(io.BytesIO(data)) if isinstance(piece, LogRecord)]
    assert reader.books.total.bytes_in_records == len(data)
    return min(records, key=lambda record: record.offset)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["name"])
def test_a_sample(sample):
    data = sample["text"].encode()
    wanted = sample["first"]
    assert detect_layout(data).name == sample["detected"]
    for text in (data, data.replace(b"\n", b"\r\n")):
        record = first_record(text)
        assert (iso(record.logged_at) if record.logged_at is not None else None) == wanted["at"]
        assert (record.level, record.logger) == (wanted["level"], wanted["logger"])
        assert record.message.startswith(wanted["message"])
        assert record.container == wanted.get("container")
        assert record.time_origin == wanted.get("origin", "logged" if wanted["at"] else "none")
        if "thread" in wanted:
            assert record.thread == wanted["thread"]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["name"])
def test_a_layout_can_be_declared(sample):
    data = sample["text"].encode()
    assert first_record(data, SourceHints(layout=sample["detected"])) == first_record(data)


def test_every_envelope_has_a_sample():
    shown = {part for sample in SAMPLES for part in sample["detected"].split("/")}
    assert (set(WRAPPERS) | {"json"}) - shown <= {"kubectl"}  # rendered in test_layouts


def test_an_unknown_layout_is_refused():
    with pytest.raises(
        ValueError, match=r"layout 'x/kafka' is not known: write it as its lines are.*docker_json/json"
    ):
        detect_layout(b"", SourceHints(layout="x/kafka"))
