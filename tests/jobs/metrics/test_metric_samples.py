"""Samples are added to what stands, in whatever order they come, and only what changes is written anew."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from deltalake import DeltaTable, Schema
from hypothesis import given, settings
from hypothesis import strategies as st

from expectations import TABLES
from expectations.rows import staged_schema
from jobs.engine.row_source import of_table
from jobs.metrics.samples import drop_before, oldest_kept, write_samples
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from transforms.arrow_rows import batch_of
from transforms.timers.samples.series_rows import SAMPLES

SECOND = 1000
DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True)
class File:
    """A source as it was read: a value at each of its seconds, in one unit."""

    source_id: str
    unit_id: str
    seconds: tuple[int, ...]

    @property
    def rows(self) -> list[dict[str, object]]:
        return [
            dict.fromkeys(staged_schema(SAMPLES).names)
            | {
                "sampled_at": second * SECOND,
                "source_id": self.source_id,
                "source": f"/{self.source_id}",
                "offset": number,
                "item": 0,
                "mbean": "m",
                "attribute": "a",
                "value": float(second),
                "clock": "process",
                "unit_id": self.unit_id,
            }
            for number, second in enumerate(self.seconds)
        ]


def read_in(lake: LakeWriter, *files: File, stale: frozenset[str] = frozenset()) -> bool:
    """What a run does with files it read; those of a source that was there before give way."""
    schema = staged_schema(SAMPLES)
    rows = [row for file in files for row in file.rows]
    table = pa.Table.from_batches([batch_of(schema, rows)] if rows else [], schema)
    units = sorted({file.unit_id for file in files})
    return write_samples(
        lake, of_table(table), units, dict.fromkeys(stale, 0), lake.next_commit("run"), lake.staging
    )


def empty_lake(folder: Path, most_rows: int = 500_000) -> LakeWriter:
    lake = LakeWriter(folder, most_rows=most_rows)
    lake.claim()
    DeltaTable.create(lake.path(SAMPLES), Schema.from_arrow(TABLES[SAMPLES].arrow_schema()))
    return lake


def told(lake: LakeWriter) -> list[tuple[str, int, str, int]]:
    """Unit, second, source and offset of every sample."""
    rows = read_arrow(lake.path(SAMPLES), ["unit_id", "sampled_at", "source_id", "offset"]).to_pylist()
    return sorted(
        (row["unit_id"], int(row["sampled_at"].timestamp()), row["source_id"], row["offset"]) for row in rows
    )


def rewritten(lake: LakeWriter) -> int:
    """Files that were taken out of the table, ever."""
    done = (entry.get("operationMetrics", {}) for entry in DeltaTable(lake.path(SAMPLES)).history())
    return sum(int(metrics.get("num_removed_files", 0)) for metrics in done)


@pytest.fixture
def here(tmp_path: Path) -> LakeWriter:
    return empty_lake(tmp_path / "lake")


def test_scrapes_in_files_of_their_own_are_added(here: LakeWriter) -> None:
    for number in range(5):
        assert read_in(here, File(f"s{number}", "u", (number,)))
    assert [second for _, second, _, _ in told(here)] == [0, 1, 2, 3, 4]
    assert rewritten(here) == 0


def test_a_file_that_grew_adds_its_tail(here: LakeWriter) -> None:
    read_in(here, File("s", "u", (1, 2)))
    read_in(here, File("s", "u", (1, 2, 3)), stale=frozenset({"s"}))
    assert len(told(here)) == 3
    assert rewritten(here) == 0


def test_what_is_read_again_as_it_was_changes_nothing(here: LakeWriter) -> None:
    read_in(here, File("s", "u", (1, 2)))
    before = DeltaTable(here.path(SAMPLES)).version()
    assert not read_in(here, File("s", "u", (1, 2)), stale=frozenset({"s"}))
    assert DeltaTable(here.path(SAMPLES)).version() == before


def test_a_collector_that_comes_first_takes_the_place(here: LakeWriter) -> None:
    read_in(here, File("t", "u", (1, 2, 3)), File("t", "v", (2,)))
    read_in(here, File("s", "u", (2, 5)))
    assert told(here) == [
        ("u", 1, "t", 0),
        ("u", 2, "s", 0),
        ("u", 3, "t", 2),
        ("u", 5, "s", 1),
        ("v", 2, "t", 0),
    ]
    assert rewritten(here) == 1


def test_a_source_that_gave_way_is_gone(here: LakeWriter) -> None:
    read_in(here, File("s", "u", (1, 9)), File("t", "u", (5,)))
    read_in(here, File("r", "u", (1,)), stale=frozenset({"s"}))
    assert told(here) == [("u", 1, "r", 0), ("u", 5, "t", 0)]


def test_a_plan_that_is_repeated_adds_nothing(here: LakeWriter) -> None:
    schema, commit = staged_schema(SAMPLES), here.next_commit("run")
    table = pa.Table.from_batches([batch_of(schema, File("s", "u", (1,)).rows)], schema)
    for _ in range(2):
        write_samples(here, of_table(table), ["u"], {}, commit, here.staging)
    assert len(told(here)) == 1


def test_old_samples_go_and_do_not_come_back(here: LakeWriter) -> None:
    read_in(here, File("s", "u", (1, 2, 3)))
    assert drop_before(here, 2_000_000) == 1
    assert drop_before(here, 2_000_000) == 0
    read_in(here, File("s", "u", (1, 2, 3, 4)), stale=frozenset({"s"}))
    assert [second for _, second, _, _ in told(here)] == [2, 3, 4]


def test_samples_are_old_by_the_newest_and_never_by_a_time_to_come(here: LakeWriter) -> None:
    assert oldest_kept(here, 1, now=9 * DAY) is None
    read_in(here, File("s", "u", (86_400 * 3,)))
    assert oldest_kept(here, 1, now=9 * DAY) == 2 * DAY
    assert oldest_kept(here, 1, now=2 * DAY) == 1 * DAY


def test_more_than_may_be_held_comes_in_parts(tmp_path: Path) -> None:
    lake = empty_lake(tmp_path / "lake", most_rows=8)
    hour = 3600
    long = tuple(range(0, 12 * hour, hour))
    assert read_in(lake, File("s", "u", long), *(File(f"t{n}", f"v{n}", (0, hour)) for n in range(5)))
    assert len(told(lake)) == 22
    # Another collector, which comes first by its name, has every second hour of the long one.
    assert read_in(lake, File("r", "u", long[::2]))
    of_long = [source for unit, _, source, _ in told(lake) if unit == "u"]
    assert of_long == ["r", "s"] * 6
    assert not read_in(lake, File("r", "u", long[::2]))


SECONDS = st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True).map(tuple)
FILES = st.builds(File, st.sampled_from("abc"), st.sampled_from("uv"), SECONDS)


@settings(max_examples=25)
@given(files=st.lists(FILES, min_size=1, max_size=4, unique_by=lambda file: file.source_id), data=st.data())
def test_the_order_and_the_cut_are_nothing(files: list[File], data: st.DataObject) -> None:
    """Each file comes once or twice, first without its end; the lake holds all at once, or two rows."""
    parts = [
        File(file.source_id, file.unit_id, file.seconds[:size])
        for file in files
        for size in {len(file.seconds), data.draw(st.integers(1, len(file.seconds)))}
    ]
    order = sorted(data.draw(st.permutations(parts)), key=lambda part: len(part.seconds))
    best: dict[tuple[str, int], tuple[str, int]] = {}
    for file in files:
        for number, second in enumerate(file.seconds):
            place = file.unit_id, second
            best[place] = min(best.get(place, ("z", 0)), (file.source_id, number))
    with TemporaryDirectory() as folder:
        lake, seen = empty_lake(Path(folder), data.draw(st.sampled_from([4, 500_000]))), set[str]()
        for part in order:
            read_in(lake, part, stale=frozenset({part.source_id} & seen))
            seen.add(part.source_id)
        assert told(lake) == sorted((*place, *found) for place, found in best.items())
