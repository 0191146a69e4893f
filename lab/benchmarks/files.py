"""The same lines in a few files and in thousands: seconds of the whole path, and how many times the few take.

python -m lab.benchmarks.files [--megabytes 200] [--few 8] [--many 6000]

The recordings made large, cut where a record begins; a file is a process of its own. All goes through Spark's workers, and
what starts them is apart, as in `compare`.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from lab.benchmarks.compare import FOLDER, bytes_of, logs_of, run_ours, warmed

_BEGINS = re.compile(rb"^\[\d{4}-", re.MULTILINE)  # a record of any recording


def main() -> int:
    """A line for each number of files."""
    options = _options()
    whole = logs_of("recordings", options.megabytes)
    engines = warmed("recordings", options.megabytes)
    print("  files       MB   seconds")
    took = []
    for count in (options.few, options.many):
        logs = _in_files(whole, count)
        clock, seconds = run_ours(engines, logs, FOLDER / "lake")
        took.append(seconds)
        print(f"{sum(1 for _ in logs.iterdir()):7d} {bytes_of(logs) / 1e6:8.1f} {seconds:9.1f}", flush=True)
        for text, step in clock.steps:
            print(f"        {step:6.1f} s  {text}", flush=True)
    print(f"{took[1] / took[0]:.2f} times as long in many")
    return 0


def _in_files(whole: Path, count: int) -> Path:
    """The logs below a folder in about so many files of about the same size, kept between runs."""
    folder = whole.with_name(f"{whole.name}-in-{count}")
    if not folder.is_dir():
        unfinished = folder.with_suffix(".part")
        unfinished.mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(_parts(whole, bytes_of(whole) // count)):
            place = unfinished / f"service-{number:05d}"
            place.mkdir(exist_ok=True)
            (place / "app.log").write_bytes(text)
        unfinished.rename(folder)
    return folder


def _parts(whole: Path, size: int) -> Iterator[bytes]:
    held = b""
    for log in sorted(whole.rglob("*.log")):
        held += log.read_bytes()
        cuts = [0]
        while len(held) - cuts[-1] >= size and (begin := _BEGINS.search(held, cuts[-1] + size)):
            cuts.append(begin.start())
        yield from (held[begin:end] for begin, end in pairwise(cuts))
        held = held[cuts[-1] :]
    yield held


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.files", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--few", type=int, default=8)
    parser.add_argument("--many", type=int, default=6_000)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
