"""Sequences of retries: those with the most waits that are too short come first, whatever is read of the others."""

from pathlib import Path

import pytest

from dashboards.queries import LakeReader, waits
from dashboards.queries.base import Worst
from dashboards.queries.episodes import Scope
from tests.dashboards.episode_lake import OTHER, wait
from tests.dashboards.lake import episode_row, sha, write

# The shortest legal waits of the first failures are 80 and 160 ms.
HISTORIES = {
    "calm": (80, 160, 320),
    "one early": (80, 150),
    "two early": (70, 158, None),
    "grain": (79, 159),
    "long": (80, 160, 320, 640),
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("waits")
    rows = [
        wait(name, failures, waited, **(OTHER if name == "long" else {}))
        for name, history in HISTORIES.items()
        for failures, waited in enumerate(history, 1)
    ]
    for part in (rows[::2], rows[1::2]):  # a sequence may lie in several files
        write(lake, "silver.backoff_attempts", [episode_row(one) for one in part], "append")
    return lake


@pytest.mark.parametrize(
    ("most", "first"),
    [
        (9, ["two early", "one early", "long", "calm", "grain"]),
        (3, ["two early", "one early", "long"]),
        (1, ["two early"]),
    ],
)
def test_the_worst_come_first_and_all_are_counted(
    lake: Path, monkeypatch: pytest.MonkeyPatch, most: int, first: list[str]
) -> None:
    monkeypatch.setattr(waits, "_WORST", Worst("sequence_id", ("waited_ms", "shortest_ms", 1), most))
    found = waits.sequences(LakeReader(lake), Scope())
    assert [row["sequence_id"] for row in found.rows] == [sha(name) for name in first]
    assert found.total == len(HISTORIES)
    assert (found.rows[0]["short"], found.rows[0]["retries"], found.rows[0]["bounded"]) == (2, 3, 3)


def test_a_scope_leaves_the_others_out_of_rows_and_number(lake: Path) -> None:
    found = waits.sequences(LakeReader(lake), Scope(service="billing"))
    assert [(row["sequence_id"], row["retries"]) for row in found.rows] == [(sha("long"), 4)]
    assert found.total == 1


def test_a_commit_is_seen_at_once(tmp_path: Path) -> None:
    reader = LakeReader(tmp_path)
    for count in (1, 2):
        write(tmp_path, "silver.backoff_attempts", [episode_row(wait(f"s{count}", 1, 80))], "append")
        assert waits.sequences(reader, Scope()).total == count
