"""Tasks over items: packed by size, run here or by Spark, with the same rows."""

import subprocess
import sys
from pathlib import Path

import pytest

from jobs.engine.choice import Engines
from jobs.engine.engine import HERE
from lab.corpus import ROOT
from tests.jobs.engine.shouting import SCHEMA, shouting
from transforms.plans.packs import in_turn, packed, slots_of


@pytest.mark.parametrize(
    ("sizes", "slots", "at_most", "packs"),
    [
        pytest.param([], 2, 10, [], id="nothing"),
        pytest.param([1, 1, 1], 1, 10, [["a", "b", "c"]], id="all in one"),
        pytest.param([1, 1, 1, 1], 2, 10, [["a", "c"], ["b", "d"]], id="as many as run at once"),
        pytest.param([6, 6, 6], 1, 10, [["a", "c"], ["b"]], id="two are enough, and one has more"),
        pytest.param([50, 1, 1], 1, 10, [["a"], ["b"], ["c"]], id="a key is never cut"),
    ],
)
def test_packs(sizes: list[int], slots: int, at_most: int, packs: list[list[str]]) -> None:
    assert packed(list(zip("abcd", sizes, strict=False)), slots, at_most) == packs


def test_a_slot_holds_about_as_much_as_another() -> None:
    assert slots_of([("a", 5), ("b", 3), ("c", 2), ("a", 1)], 2) == {"a": 0, "b": 1, "c": 1}


@pytest.mark.parametrize(
    ("sizes", "enough", "packs"),
    [
        pytest.param([], 10, [], id="nothing"),
        pytest.param([5], 10, [["a"]], id="one item"),
        pytest.param([4, 3, 2, 1], None, [["a", "d"], ["b", "c"]], id="as many tasks as run at once"),
        pytest.param([4, 3, 2, 1], 10, [["a", "d"], ["b", "c"]], id="no more than needed"),
        pytest.param(
            [6, 6, 6, 2, 2, 2, 2, 2, 2],
            6,
            [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"], ["i"]],
            id="the last ones are the smallest",
        ),
    ],
)
def test_packs_in_turn(sizes: list[int], enough: int | None, packs: list[list[str]]) -> None:
    assert in_turn(list(zip("abcdefghi", sizes, strict=False)), 2, enough) == packs


@pytest.mark.parametrize("where", ["here", "by Spark"])
def test_every_engine_gives_the_same(by_spark: Engines, where: str, tmp_path: Path) -> None:
    engine = HERE if where == "here" else by_spark.of(0)
    made = engine.run([("a", 1), ("bb", 9), ("ccc", 2)], shouting, {"rows": SCHEMA}, tmp_path, at_most=4)
    assert sorted(made.of("rows").table()["text"].to_pylist()) == ["A", "BB", "CCC", "a", "bb", "ccc"]
    assert (made.count("rows"), sorted(made.notes["length"])) == (6, ["1", "2", "3"])
    assert engine.run([], shouting, {"rows": SCHEMA}, tmp_path).count("rows") == 0


def test_little_input_is_read_here(engines: Engines) -> None:
    assert engines.of(1 << 20) is HERE


def test_a_small_run_loads_no_spark(tmp_path: Path) -> None:
    logs = str(ROOT / "p62-slow-poll-42" / "consumer-b.app.log.gz")
    code = (
        "import sys\n"
        "from jobs.cli import app\n"
        f"app(['run', '--logs', {logs!r}, '--lake', {str(tmp_path / 'lake')!r}, '--json'], standalone_mode=False)\n"
        "assert 'pyspark' not in sys.modules\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
