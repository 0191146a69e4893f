"""The benchmark is fair: its logs are what they claim, both sides give the same events. Nothing is timed."""

import gzip
import re
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from conf.settings import load_conf
from lab.benchmarks import amplify, families, recorded
from lab.benchmarks.baseline import FIELDS, NUMBERS, SCHEMA, Values, type_events
from lab.benchmarks.checksums import of_script, sums_of
from lab.benchmarks.generate import Counts, generate
from lab.corpus import ROOT, Recording
from lab.layouts.records import pool
from lab.layouts.render import kafka
from lab.layouts.score import events_in
from lab.score.pure import records_in
from transforms.events import ClientEvent
from transforms.parse.catalogue.compiled import MASK
from transforms.parse.catalogue.forms import catalogue
from transforms.parse.events.fields import whole as whole_of
from transforms.parse.events.messages import events_of
from transforms.parse.records.placing import ProcessRef
from transforms.timers.clients.control import NEEDS_LIMIT
from transforms.timers.clients.settings import UnitSettings, is_control


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counts]:
    folder = tmp_path_factory.mktemp("logs")
    return folder, generate(folder, megabytes=4)


def test_a_quarter_of_the_records_is_kafkas_and_a_tenth_of_the_lines_continues(
    logs: tuple[Path, Counts],
) -> None:
    _, counts = logs
    assert counts.kafka / counts.records == pytest.approx(0.25, abs=0.01)
    # the dumps at each start weigh more in a small log
    assert counts.continuations / counts.lines == pytest.approx(0.10, abs=0.03)


def test_the_same_seed_gives_the_same_bytes(logs: tuple[Path, Counts], tmp_path: Path) -> None:
    folder, counts = logs
    assert generate(tmp_path, megabytes=4) == counts
    for path in sorted(folder.rglob("*.log")):
        assert (tmp_path / path.relative_to(folder)).read_bytes() == path.read_bytes()


def test_both_sides_give_the_same_events(logs: tuple[Path, Counts], tmp_path: Path) -> None:
    folder, counts = logs
    for path in sorted(folder.rglob("*.log")):
        type_events(path, tmp_path / f"{path.parent.name}.parquet")
    ours = sums_of(pa.Table.from_pylist(_events(folder), schema=SCHEMA))
    theirs = of_script(tmp_path)
    assert theirs.differences(ours) == []
    assert sum(ours.counts.values()) == counts.kafka
    assert len(ours.counts) > 20


def test_two_events_that_swapped_a_value_are_seen(logs: tuple[Path, Counts]) -> None:
    folder, _ = logs
    events = _events(folder)
    before = sums_of(pa.Table.from_pylist(events, schema=SCHEMA))
    retries = [event for event in events if event["message_id"] == "producer-batch-retry"]
    first, second = retries[0], next(r for r in retries if r["partition"] != retries[0]["partition"])
    first["partition"], second["partition"] = second["partition"], first["partition"]
    after = sums_of(pa.Table.from_pylist(events, schema=SCHEMA))
    assert before.differences(after) == ["producer-batch-retry.partition differs"]


def _events(folder: Path) -> list[dict[str, object]]:
    found = []
    defaults = load_conf().defaults
    for path in sorted(folder.rglob("*.log")):
        service, instance = path.parent.name, path.name
        origin = ProcessRef(f"{service}/{instance}", str(path), service, instance)
        events = [event for record in records_in(path) for event in events_of(record, origin)]
        settings = UnitSettings.from_events(filter(is_control, events), (), defaults)
        for event in events:
            if event.kind == NEEDS_LIMIT:
                settings.complete(event)
            values = asdict(event)
            found.append({name: values[name] for name in FIELDS})
    return found


@pytest.fixture(scope="module")
def recorded_events() -> list[tuple[str, ClientEvent]]:
    """Records of some recordings in their own layout, and the one event of each."""
    names = ("p572-task-expire-35", "p580-exp-42", "p62-slow-poll-42", "p91-overlap-produce-poll-42")
    entries = pool(tuple(path for name in names for path in Recording(ROOT / name).logs))
    return [
        (kafka(entry).rstrip("\n"), found[0])
        for entry in entries
        if len(found := events_in(kafka(entry))) == 1
    ]


def test_the_extended_script_gives_the_same_on_recordings(
    recorded_events: list[tuple[str, ClientEvent]],
) -> None:
    assert len({event.message_id for _, event in recorded_events}) > 60
    for text, event in recorded_events:
        assert _said(recorded.event_of(text)) == _of_event(event), text


def test_every_family_stands_in_the_generated_lines_with_ids_of_its_own(tmp_path: Path) -> None:
    families.families(tmp_path, megabytes=1)
    texts = [(tmp_path / f"families-{number}" / "app.log").read_text() for number in range(families.FILES)]
    # What one draw leaves free may be another family's words: each family is drawn at least once a log.
    drawn = {
        str(event["message_id"])
        for text in texts
        for record in _records(text)[1]
        if (event := recorded.event_of(record))
    }
    assert {form.family.id for form in catalogue()} - drawn == set()
    assert not any(MASK.split("|")[0] in families._printed(form.regex.pattern) for form in catalogue())
    text = texts[0]
    begins, records = _records(text)
    told = {
        text.count("\n", 0, begin) + 1: (record, recorded.event_of(record))
        for begin, record in zip(begins, records, strict=True)
    }
    assert len(set(records)) == len(records)
    for event in events_in(text):
        record, said = told[event.line]
        assert _said(said) == _of_event(event), record


def _records(text: str) -> tuple[list[int], list[str]]:
    begins = [at.start() for at in re.finditer(r"^\[", text, re.M)]
    return begins, [text[begin:end].rstrip() for begin, end in pairwise([*begins, len(text)])]


def test_copies_of_recordings_share_no_client_and_no_day(tmp_path: Path) -> None:
    text = gzip.decompress((ROOT / "p62-slow-poll-42" / "consumer-b.app.log.gz").read_bytes())
    names = amplify._names([(tmp_path / "a.log", text)])[tmp_path.name]
    first, second = (amplify._copied(text, copy, names, 7) for copy in (0, 1))
    assert first.count(b"\n") == second.count(b"\n") == text.count(b"\n")
    assert b"clientId=consumer-b-c0," in first
    assert b"clientId=consumer-b-c0," not in second
    shared = set(first.splitlines()) & set(second.splitlines())
    assert all(line.startswith((b"\t", b" ")) for line in shared)


PLACE = ("event_id", "record_id", "source_id", "offset", "line", "happened_at", "service", "instance")
SAID = [name for name in FIELDS if name not in PLACE]


def _said(values: Values | None) -> dict[str, object]:
    assert values is not None
    whole = {name: values.get(name) for name in SAID}
    return {
        name: whole_of(value) if name in NUMBERS and value is not None else value
        for name, value in whole.items()
    }


def _of_event(event: ClientEvent) -> dict[str, object]:
    return {name: getattr(event, name) for name in SAID}
