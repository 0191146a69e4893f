"""The whole path over more and more of the recordings made large: seconds, and the memory of the largest process.

python -m lab.benchmarks.sizes [--megabytes 10 50 200 600 2000] [--script-up-to 200]

A process of its own for each size; all goes through Spark's workers, and what starts them is apart, as in `compare`. Memory
is the most that the largest process ever held: the driver, its JVM, or a worker.
"""

import argparse
import json
import subprocess
import sys
import time
from typing import Any

from lab.benchmarks.compare import FOLDER, bytes_of, logs_of, run_ours, run_script, warmed
from lab.benchmarks.memory import largest_of

SIZES = (10, 50, 200, 600, 2_000)
LOOK_S = 0.5


def main() -> int:
    """A line for each size, and its steps."""
    options = _options()
    if options.one:
        print(json.dumps(_one(options.one)))
        return 0
    print("   MB  kipwatch s     MB/s  largest process MB  script s")
    for megabytes in options.megabytes:
        found = _in_a_process(megabytes)
        script = (
            run_script("recorded", logs_of("recordings", megabytes))
            if megabytes <= options.script_up_to
            else None
        )
        rate = found["bytes"] / 1e6 / found["seconds"]
        print(
            f"{megabytes:5d} {found['seconds']:11.1f} {rate:8.2f} {found['most_mb']:19.0f}"
            f" {'' if script is None else f'{script:9.1f}'}",
            flush=True,
        )
        for text, seconds in found["steps"]:
            print(f"      {seconds:11.1f} s  {text}", flush=True)
    return 0


def _in_a_process(megabytes: int) -> dict[str, Any]:
    logs_of("recordings", megabytes)
    command = [sys.executable, "-m", "lab.benchmarks.sizes", "--one", str(megabytes)]
    ran = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    most: dict[int, float] = {}
    while ran.poll() is None:
        most |= largest_of(ran.pid)
        time.sleep(LOOK_S)
    assert ran.stdout is not None
    if ran.returncode:
        raise RuntimeError(f"the run over {megabytes} MB ended with {ran.returncode}")
    found: dict[str, Any] = json.loads(ran.stdout.read().splitlines()[-1])
    return found | {"most_mb": max(most.values())}


def _one(megabytes: int) -> dict[str, Any]:
    """A run over so much, in this process."""
    engines = warmed("recordings", megabytes)
    logs = logs_of("recordings", megabytes)
    clock, seconds = run_ours(engines, logs, FOLDER / "lake")
    return {"seconds": seconds, "bytes": bytes_of(logs), "steps": clock.steps}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.sizes", description=__doc__)
    parser.add_argument("--megabytes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--script-up-to", type=int, default=200, help="MB: the careful script beside it")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
