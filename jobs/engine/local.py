"""Tasks in this process, one after another: for little input nothing else is started."""

from collections.abc import Sequence

from expectations.place import LakePlace
from jobs.engine.engine import Item, Task
from jobs.engine.memory import give_back
from jobs.engine.staging import Schemas, Staged, put_aside, staged
from jobs.garbage import little_garbage


class LocalEngine:
    """See Engine."""

    slots = 1

    def run(
        self,
        items: Sequence[Item],
        task: Task,
        schemas: Schemas,
        folder: LakePlace,
        at_most: int | None = None,
    ) -> Staged:
        """See Engine."""
        with little_garbage():
            found = staged(schemas, put_aside(task(text for text, _ in items), schemas, folder))
        give_back(sum(map(found.count, found.files)))
        return found


HERE = LocalEngine()
