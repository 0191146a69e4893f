"""Plays stories that chance draws, one after another: what one differs by is told, and its number plays it again."""

import argparse
import json
import random
import sys
from collections.abc import Callable
from typing import Any


def options(prog: str, *kinds: str) -> argparse.Namespace:
    """What is asked for: of which kind where there are several, how many, the seed; the number of one to be played alone."""
    parser = argparse.ArgumentParser(prog=prog)
    if kinds:
        parser.add_argument("kind", choices=kinds)
    parser.add_argument("stories", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--only", type=int)
    return parser.parse_args()


def play_all(given: argparse.Namespace, play: Callable[[int, random.Random], dict[str, Any]]) -> None:
    """So many stories from a seed on; ends with 1 where one differs. play: what is told of one that does, else {}."""
    numbers = range(given.stories) if given.only is None else (given.only,)
    differing = 0
    for number in numbers:
        if told := play(number, random.Random(f"{given.seed} {number}")):
            differing += 1
            print(json.dumps({"story": number, **told}, indent=1, default=str), flush=True)
    print(json.dumps({"stories": len(numbers), "differing": differing}))
    sys.exit(bool(differing))
