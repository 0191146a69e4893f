"""Tasks in this process, one after another: for little input nothing else is started."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from jobs.engine.engine import Item, Task
from jobs.engine.memory import GARBAGE_AFTER
from jobs.engine.staging import Schemas, Staged, put_aside, staged


class LocalEngine:
    """See Engine."""

    slots = 1

    def run(
        self, items: Sequence[Item], task: Task, schemas: Schemas, folder: Path, at_most: int | None = None
    ) -> Staged:
        """See Engine."""
        with _little_garbage():
            return staged(schemas, put_aside(task(text for text, _ in items), schemas, folder))


@contextmanager
def _little_garbage() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(max(GARBAGE_AFTER, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


HERE = LocalEngine()
