"""CPU seconds of a piece of work, for tests that hold how its cost grows with its input (a square would be an attack)."""

import gc
import time
from collections.abc import Callable


def least_cpu_s(work: Callable[[], object], tries: int = 3) -> float:
    """The quickest of some runs, without the garbage collector, which may look at a whole process in the midst of one."""
    gc.disable()
    try:
        return min(_once(work) for _ in range(tries))
    finally:
        gc.enable()


def takes_less(work: Callable[[], object], limit_s: float, tries: int = 3) -> bool:
    """Whether it takes less than so many seconds: one quick run shows it, and only a slow one is tried again."""
    return any(least_cpu_s(work, tries=1) < limit_s for _ in range(tries))


def _once(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
