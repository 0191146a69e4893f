"""How rarely Python looks for garbage in cycles, where many objects are made and none of them is in one."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# By Python's own threshold (700) looking for cycles takes a tenth of the time.
GARBAGE_AFTER = 200_000


@contextmanager
def little_garbage() -> Iterator[None]:
    """As long as this lasts; what the caller had set comes back."""
    before = gc.get_threshold()
    gc.set_threshold(max(GARBAGE_AFTER, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
