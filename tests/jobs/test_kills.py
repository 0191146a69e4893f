"""What a crash leaves is finished by the next start: nothing lost, nothing doubled (lab.soak.kills does it)."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def told(*arguments: str) -> dict[str, Any]:
    """In a process of its own, which may fork."""
    done = subprocess.run(
        [sys.executable, "-m", "lab.soak.kills", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr[-2000:]
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen | {"said": done.stderr}


@pytest.mark.parametrize("kind", ["files", "topic"])
def test_killed_ten_times_it_gives_the_tables_of_one_batch(kind):
    """A hundred times in `make soak`."""
    seen = told(kind, "10", "1")
    assert seen["kills"] == 10
    assert seen["plans"] > 1  # how many there are follows from how fast the machine is
    assert min(seen["nothing"], seen["plan"], seen["accounting"]) > 0  # moments that left something to finish
    assert seen["differences"] == {}


def test_a_full_disk_is_said_and_loses_nothing():
    seen = told("full")
    assert all(seen["ends"])
    assert "triggers failed in a row" in seen["said"]
    assert seen["differences"] == {}
