"""The benchmark is fair: its logs are what they claim, both sides give the same events. Nothing is timed."""

from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pytest

from jobs.conf import load_conf
from jobs.reading.read_rows import NEEDS_LIMIT
from lab.benchmarks.baseline import FIELDS, SCHEMA, type_events
from lab.benchmarks.checksums import of_script, sums_of
from lab.benchmarks.generate import Counts, generate
from lab.score.pure import records_in
from transforms.parse.messages import ProcessRef, events_of
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
