"""`make bench`: a careful single-process script, a plain one, and kipwatch on the same logs.

Two inputs: the recordings made large, and lines of every family with ids of their own. In neither do lines repeat more than
real ones do, so that nothing is won by remembering texts. First the typed events of the careful script and of kipwatch are
compared, field by field; times are printed only where all are equal. The plain script has no ids to compare. Start-up of
Spark is apart, and said: the session is made and warmed on a small log before the clock starts. All goes through Spark's
workers, however small it is.

Machines are not as fast in one minute as in the next, so both run in turns, and the median of the rounds counts.
"""

import argparse
import io
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median

from conf.settings import load_conf
from jobs.engine.choice import Engines
from jobs.pipeline import run
from jobs.progress import Progress
from lab.benchmarks.amplify import amplify
from lab.benchmarks.checksums import of_lake, of_script
from lab.benchmarks.families import families

FOLDER = Path(__file__).parents[2] / ".bench"
WARM_MEGABYTES = 20
ROUNDS = 3
SEED = 7
INPUTS = {"recordings": amplify, "families": families}
# The last step after which silver.client_events is complete.
EVENTS_TYPED = "writing records and events"


class Clock(Progress):
    """Notes how long each step of a run took; says nothing."""

    def __init__(self) -> None:
        super().__init__(is_shown=False)
        self.steps: list[tuple[str, float]] = []

    @contextmanager
    def step(self, text: str) -> Iterator[None]:
        """Time one step."""
        began = time.perf_counter()
        yield
        self.steps.append((re.sub(r"\d[\d,]*", "N", text), time.perf_counter() - began))

    @property
    def until_typed(self) -> float:
        """Seconds until every typed event was in Delta."""
        total = 0.0
        for text, seconds in self.steps:
            total += seconds
            if text.startswith(EVENTS_TYPED):
                return total
        raise RuntimeError(f"no step begins with {EVENTS_TYPED!r}: {[text for text, _ in self.steps]}")


def main() -> int:
    """Make the inputs (once), run all on each, compare, print; 1 where the answers differ."""
    options = _options()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # of a run of many minutes, also in a file
    began = time.perf_counter()
    engines = warmed(options.inputs[0], options.megabytes, options.seed)
    print(f"start-up   {time.perf_counter() - began:7.1f} s  session and a first small run")
    return max(_compared(engines, name, options) for name in options.inputs)


def _compared(engines: Engines, name: str, options: argparse.Namespace) -> int:
    """All on one input, in turns."""
    logs = logs_of(name, options.megabytes, options.seed)
    size = bytes_of(logs)
    print(f"{name}: {size / 1e6:.0f} MB of logs, seed {options.seed}")
    plain = run_script("plain", logs)
    print(f"plain      {_rate(size, plain)}  one process, the first pattern that matches, no ids")
    rounds = []
    for number in range(options.rounds):
        script = run_script("recorded", logs)
        clock, whole = run_ours(engines, logs, FOLDER / "lake")
        if number == 0:
            differences = of_script(FOLDER / "recorded").differences(of_lake(FOLDER / "lake"))
            if differences:
                print("the answers differ, so no times:", *differences[:40], sep="\n  ")
                return 1
        print(f"script     {_rate(size, script)}  one process, typed events to Parquet")
        print(f"kipwatch   {_rate(size, clock.until_typed)}  typed events in Delta, every field equal")
        print(f"kipwatch   {_rate(size, whole)}  whole path: records, events, timers, findings, checks")
        for text, seconds in clock.steps:
            print(f"             {seconds:5.1f} s  {text}")
        rounds.append((script / clock.until_typed, plain / clock.until_typed, script / whole))
    said = (
        "typed events, by the careful script",
        "typed events, by the plain one",
        "whole path, by the careful script",
    )
    for what, ratios in zip(said, zip(*rounds, strict=True), strict=True):
        least, most = min(ratios), max(ratios)
        print(f"{what}: {median(ratios):.2f} times its speed ({least:.2f} to {most:.2f})")
    return 0


def warmed(name: str, megabytes: int, seed: int = SEED) -> Engines:
    """Spark's workers for all that is read, after a first small run over an input of that name."""
    engines = Engines(replace(load_conf().spark, from_bytes=0), Clock())
    engines.session()
    run_ours(engines, logs_of(name, min(WARM_MEGABYTES, megabytes), seed), FOLDER / "warm-lake")
    return engines


def logs_of(name: str, megabytes: int, seed: int = SEED) -> Path:
    """The input of a name, kept between runs."""
    folder = FOLDER / f"{name}-{megabytes}-{seed}"
    if not folder.is_dir():
        unfinished = folder.with_suffix(".part")
        shutil.rmtree(unfinished, ignore_errors=True)
        INPUTS[name](unfinished, megabytes, seed)
        unfinished.rename(folder)
    return folder


def bytes_of(logs: Path) -> int:
    """Of all logs below a folder."""
    return sum(path.stat().st_size for path in logs.rglob("*.log"))


def run_script(name: str, logs: Path) -> float:
    """Seconds that a script took, as it says."""
    out = FOLDER / name
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", f"lab.benchmarks.{name}", str(logs), str(out)]
    told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=FOLDER.parent)
    return float(json.loads(told.stdout)["seconds"])


def run_ours(engines: Engines, logs: Path, lake: Path) -> tuple[Clock, float]:
    """A run into a new lake: its steps, and seconds in all."""
    shutil.rmtree(lake, ignore_errors=True)
    clock = Clock()
    began = time.perf_counter()
    run(engines, lake, [str(logs)], [], load_conf(), clock)
    return clock, time.perf_counter() - began


def _rate(size: int, seconds: float) -> str:
    return f"{seconds:7.1f} s {size / 1e6 / seconds:6.1f} MB/s"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.compare", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--inputs", nargs="+", choices=INPUTS, default=list(INPUTS))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
