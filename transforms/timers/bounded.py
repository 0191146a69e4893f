"""What a machine keeps is bounded, whatever a log holds: where one more comes to what is full, the oldest goes."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def oldest_of_full(kept: dict[K, V], most: int) -> tuple[K, ...]:
    """The oldest key of what holds `most` or more; none of what has room for one more."""
    return (next(iter(kept)),) if len(kept) >= most else ()


def make_room(kept: dict[K, V], most: int) -> tuple[V, ...]:
    """Take the oldest out of what holds `most` or more; gives what went."""
    return tuple(kept.pop(key) for key in oldest_of_full(kept, most))
