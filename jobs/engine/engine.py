"""Where tasks run: in this process, or by Spark. Tasks do all work on data; the driver plans and commits."""

from collections.abc import Callable, Iterator, Sequence

from expectations.place import LakePlace
from jobs.engine.memory import give_back
from jobs.engine.staging import Schemas, Staged, put_aside, staged
from transforms.plans.packs import Item
from transforms.tasks import Put

# Items in; (name of the rows, batch) or a note out.
Task = Callable[[Iterator[str]], Put]


class Engine:
    """Runs tasks over items in this process, one after another: for little input nothing else is started.

    Every engine gives the same rows and notes, in any order.
    """

    @property
    def slots(self) -> int:
        """How many tasks run at once; 1 where that is this process."""
        return 1

    def run(
        self,
        items: Sequence[Item],
        task: Task,
        schemas: Schemas,
        folder: LakePlace,
        at_most: int | None = None,
    ) -> Staged:
        """Run the task once over all items; its rows are in files under `folder` when this is over.

        folder: the driver and every task see it by this name, as they see the lake (LakeWriter.stage). at_most: so much of
        the items' sizes is enough for one task; None: no more tasks than run at once.
        """
        found = staged(schemas, put_aside(task(text for text, _ in items), schemas, folder))
        give_back(sum(map(found.count, found.files)))
        return found


HERE = Engine()
