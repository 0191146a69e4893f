"""Kills a stream together with its Spark, again and again, and puts its checkpoint out of step: tables must be one batch's.

As lab.soak.kills, but each life is the command itself with a StreamingQuery, so a kill costs a start of Spark:
`python -m lab.soak.query_kills KILLS SEED` (`make soak`).
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conf.settings import load_conf
from jobs.streaming.stream import QUERY
from jobs.streaming.stream_query import CHECKPOINT
from lab.soak.kills import LOST, Files, finished, in_child, logs_of, lose
from lab.soak.rows import differences

# What becomes of the checkpoint between two lives. ahead: the lake is an earlier one, the checkpoint is not.
FATES = ("kept", "lost", "behind", "ahead")
CONF = """
stream: {max_bytes: 65536, flush_after: 1}
lake: {upkeep_plans: 2, keep_minutes: 1, checkpoint_interval: 10}
spark: {options: {spark.driver.memory: 512m}}
"""
LONGEST_START, LONGEST_LIFE, LONGEST_PLAN = 120.0, 8.0, 0.5  # s
AT_A_PLAN = 0.7  # of all kills
STREAM = [sys.executable, "-m", "jobs.cli", "stream", "--every", "1s"]


class Lake:
    """A lake that is streamed into, and what is kept of it to put its checkpoint out of step. kept: earlier states."""

    def __init__(self, folder: Path) -> None:
        self.root, self._kept = folder / "lake", folder / "kept"
        self._query = self.root / "_kipwatch" / QUERY

    def last_batch(self) -> int:
        """When its checkpoint was last told of a batch, ns; 0 for never."""
        offsets = self._query / CHECKPOINT / "offsets"
        return offsets.stat().st_mtime_ns if offsets.exists() else 0

    def has_plan(self) -> bool:
        """Whether a plan is being carried out."""
        return (self.root / "_kipwatch" / "plan.json").exists()

    def keep(self) -> None:
        """Remember it as it is."""
        shutil.rmtree(self._kept, ignore_errors=True)
        shutil.copytree(self.root, self._kept)

    def suffer(self, fate: str) -> bool:
        """Put the checkpoint out of step with the lake; gives whether there was anything to do it with."""
        checkpoint, old = self._query / CHECKPOINT, self._kept / "_kipwatch" / QUERY / CHECKPOINT
        if fate == "lost":
            shutil.rmtree(checkpoint, ignore_errors=True)
        elif fate == "behind" and old.exists():
            shutil.rmtree(checkpoint, ignore_errors=True)
            shutil.copytree(old, checkpoint)
        elif fate == "ahead" and old.exists() and checkpoint.exists():
            ahead = self.root.with_name("ahead")
            shutil.move(checkpoint, ahead)
            shutil.rmtree(self.root)
            shutil.copytree(self._kept, self.root)
            shutil.rmtree(checkpoint)
            shutil.move(ahead, checkpoint)
        else:
            return fate == "kept"
        return True


def lived(lake: Lake, command: list[str], chance: random.Random) -> None:
    """Start the stream, and kill it with its JVM: some time after it has made a plan, or after any batch has begun."""
    before, old = lake.last_batch(), lake.has_plan()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)

    def until(is_so: Callable[[], bool], longest: float = LONGEST_LIFE) -> None:
        over = time.monotonic() + longest
        while not is_so() and child.poll() is None and time.monotonic() < over:
            time.sleep(0.02)

    until(lambda: lake.last_batch() != before, LONGEST_START)
    if chance.random() < AT_A_PLAN:
        if old:  # the one that the last kill left is carried out first
            until(lambda: not lake.has_plan())
        until(lake.has_plan)
        time.sleep(chance.uniform(0, LONGEST_PLAN))
    else:
        time.sleep(chance.uniform(0, LONGEST_LIFE))
    if child.poll() is not None:
        raise RuntimeError(f"the stream ended with {child.returncode}")
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def soak(folder: Path, kills: int, seed: int) -> dict[str, Any]:
    """Stream what grows, killed so many times; gives what was seen, `differences` to one batch among it."""
    chance, began = random.Random(seed), time.monotonic()
    whole = logs_of()
    grown, all_of_it = Files(folder / "logs", whole), Files(folder / "whole", whole)
    all_of_it.deliver(1, 1)
    at_once = folder / "at-once"
    finished(in_child(lambda: all_of_it.triggers(at_once, load_conf())))
    conf, lake = folder / "conf.yaml", Lake(folder)
    conf.write_text(CONF, encoding="utf-8")
    command = [*STREAM, "--conf", str(conf), "--logs", str(grown.folder), "--lake", str(lake.root)]
    seen = {"kills": 0, "plans": 0, **dict.fromkeys((*FATES, *LOST), 0)}
    for part in range(1, kills + 1):
        grown.deliver(part, kills)
        lived(lake, command, chance)
        seen["kills"] += 1
        seen["plans"] += lake.has_plan()
        fate, what = chance.choice(FATES), chance.choice(LOST)
        seen[fate] += lake.suffer(fate)
        lose(lake.root, what)
        seen[what] += 1
        if chance.random() < 0.3:
            lake.keep()
        print(json.dumps(seen), file=sys.stderr, flush=True)
    grown.deliver(1, 1)
    subprocess.run([*command, "--available-now"], check=True, stdout=subprocess.DEVNULL)
    return seen | {
        "seconds": round(time.monotonic() - began),
        "differences": differences(at_once, lake.root),
    }


def main() -> None:
    """As many kills as given."""
    with tempfile.TemporaryDirectory() as folder:
        seen = soak(Path(folder), *map(int, sys.argv[1:]))
    print(json.dumps(seen))
    sys.exit(bool(seen["differences"]))


if __name__ == "__main__":
    main()
