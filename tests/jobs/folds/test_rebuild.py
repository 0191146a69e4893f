"""Units and groups are judged into the same tables: neither's rows may stand in for the other's."""

from pathlib import Path

import pytest
from deltalake import DeltaTable

from conf.settings import Conf
from jobs.engine.choice import Engines
from jobs.pipeline import run
from jobs.progress import Progress
from lab.corpus import ROOT
from transforms.plans.packs import slots_of


def test_one_run_keeps_the_findings_of_units_and_of_groups(engines: Engines, conf: Conf, lake: Path) -> None:
    run(engines, lake, [str(ROOT / "p62-streams-slow-42")], [], conf, Progress(is_shown=False))
    found = DeltaTable(str(lake / "gold" / "violations")).to_pyarrow_table()
    scopes = found["scope_id"].to_pylist()
    assert {scope.startswith("group:") for scope in scopes} == {True, False}


@pytest.mark.parametrize(
    ("sized", "expected"),
    [
        ([("a", 9), ("b", 1), ("c", 5), ("d", 4)], {"a": 0, "c": 1, "d": 1, "b": 0}),
        ([("a", 2), ("b", 3), ("a", 2)], {"a": 0, "b": 1}),  # a group of two processes
        ([("a", 1)], {"a": 0}),
        ([], {}),
    ],
)
def test_partitions_hold_about_the_same_number_of_events(
    sized: list[tuple[str, int]], expected: dict[str, int]
) -> None:
    assert slots_of(sized, 2) == expected
