"""How processes that write a lake, and Spark's tasks in Python, take their memory."""

import gc

import pyarrow as pa

from jobs.garbage import GARBAGE_AFTER

MANY_ROWS = 100_000


def of_a_writer() -> None:
    """Arrow's buffers come from the C library.

    Arrow's own allocator (mimalloc) asks for huge pages, and the kernel zeroes 2 MiB where a few bytes are written. A sixth
    of a run's CPU went there.
    """
    pa.set_memory_pool(pa.system_memory_pool())


def give_back(rows: int) -> None:
    """After so many rows were gone through: what was freed goes back to the machine.

    The C library keeps what lies between pieces in use, which after a hundred thousand clients was a third of all memory. To
    look for it takes some ms, which few rows are not worth.
    """
    if rows >= MANY_ROWS:
        pa.default_memory_pool().release_unused()


def of_a_task() -> None:
    """As a writer, and garbage is looked for more rarely."""
    of_a_writer()
    gc.set_threshold(GARBAGE_AFTER)
