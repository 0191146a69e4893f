"""Work in packs of about the same size, for tasks that run at once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heapreplace

# Tasks that start last are as much smaller than those before.
LAST_PARTS = 3
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


def in_turn(items: Sequence[Item], at_once: int, enough: int | None) -> list[list[str]]:
    """Texts for tasks that start in this order, so many at once. enough: of sizes, for one task; None for no more tasks than
    run at once.

    Where there are more, those that start last are the smallest: they end together, whatever a byte turns out to cost.
    """
    sizes = dict[str, int]()
    for text, size in items:
        sizes[text] = sizes.get(text, 0) + size
    tasks = at_once if enough is None else max(at_once, -(-sum(sizes.values()) // enough))
    parts = LAST_PARTS if tasks > at_once else 1
    room = [1.0] * (tasks - at_once) + [1 / parts] * (at_once * parts)
    # How full each is, of its room; the emptiest is filled next, of equals the largest.
    filled = [(0.0, -of, number) for number, of in enumerate(room)]
    heapify(filled)
    packs: list[list[str]] = [[] for _ in room]
    for text, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        full, order, number = filled[0]
        packs[number].append(text)
        heapreplace(filled, (full + size / room[number], order, number))
    return [pack for pack in packs if pack]
