"""How many histories a test draws: a few in each run, always the same ones; many others at length (`make soak`)."""

import os

from hypothesis import settings

AT_LENGTH = "KIPWATCH_DRAWN"  # how many times as many, by chance
TIMES = int(os.environ.get(AT_LENGTH, "1"))


def drawn(examples: int) -> settings:
    """The settings of a test whose histories are dear: a log each, read and judged."""
    return settings(max_examples=examples * TIMES, derandomize=TIMES == 1)
