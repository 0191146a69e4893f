"""Where tasks run: one protocol, two engines. Tasks do all work on data; the driver plans, and commits what they wrote."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from expectations.place import LakePlace
from jobs.engine.staging import Put, Schemas, Staged

# What a task is given, such as a chunk as JSON or a path, and about how much there is to do for it.
Item = tuple[str, int]
# Items in; (name of the rows, batch) or a note out.
Task = Callable[[Iterator[str]], Put]


class Engine(Protocol):
    """Runs tasks over items. Every engine gives the same rows and notes, in any order.

    slots: how many tasks run at once; 1 where that is this process.
    """

    @property
    def slots(self) -> int:
        """See above."""

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


def slots_of(sized: Iterable[Item], most: int) -> dict[str, int]:
    """A slot for each key, all of about the same size: chance would often fill one twice."""
    sizes: dict[str, int] = defaultdict(int)
    for key, size in sized:
        sizes[key] += size
    load = [0] * min(len(sizes), most)
    slots = {}
    for key, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        slots[key] = load.index(min(load))
        load[slots[key]] += size
    return slots


def packed(sized: Sequence[Item], slots: int, at_most: int) -> list[list[str]]:
    """Keys in packs, as few as are enough for `slots` tasks, and none larger than `at_most` unless it is a single key."""
    total = sum(size for _, size in sized)
    by_slot: dict[int, list[str]] = defaultdict(list)
    wanted = max(slots, -(-total // at_most))
    for key, slot in slots_of(sized, wanted).items():
        by_slot[slot].append(key)
    return [by_slot[slot] for slot in sorted(by_slot)]
