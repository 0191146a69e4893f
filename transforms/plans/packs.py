"""Work in packs of about the same size, for tasks that run at once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

# What a task is given, such as a chunk as JSON or a path, and about how much there is to do for it.
Item = tuple[str, int]


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
