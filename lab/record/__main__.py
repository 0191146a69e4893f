"""Record scenarios against a real broker: python -m lab.record [--into FOLDER] [--drawn SEED ...] NAME...

NAME: a scenario's name or its beginning; `--list` says which there are. `--drawn` records scenarios that nobody chose
(lab.record.drawn), to be scored by `python -m lab.score --pure --at FOLDER`. Needs Java 17, pip and Spark's resolver.
"""

import argparse
from pathlib import Path

from lab.corpus import ROOT
from lab.record.drawn import drawn
from lab.record.run import record
from lab.record.scenarios import SCENARIOS


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.record", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--into", type=Path, default=ROOT)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--drawn", type=int, nargs="+", default=[], metavar="SEED")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    chosen = [one for one in SCENARIOS if one.name.startswith(tuple(options.names))]
    chosen += [drawn(seed) for seed in options.drawn]
    for scenario in SCENARIOS if options.list else chosen:
        if options.list:
            print(f"{scenario.name}: {scenario.description}")
        else:
            print(f"{scenario.name} ({scenario.run_ms / 1000:.0f} s)", flush=True)
            print(f"  {record(scenario, options.into)}", flush=True)


if __name__ == "__main__":
    main()
