"""Answers kept while the table they were read from stands, so that many viewers of one page read it once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, Protocol, TypeVar


class Sized(Protocol):
    """What has a size, in bytes."""

    @property
    def size(self) -> int:
        """How much it holds."""


T = TypeVar("T", bound=Sized)


class Kept(Generic[T]):
    """The last answers, at most so many bytes of them in all. An answer asked for twice at once is made once."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = Lock()
        self._answers: OrderedDict[Hashable, Future[T]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The answer of this key, made now if it is not kept. One that fails is not kept, and fails for all who wait."""
        with self._lock:
            found = self._answers.get(key)
            mine: Future[T] | None = None
            if found is None:
                found = mine = self._answers[key] = Future()
            else:
                self._answers.move_to_end(key)
        if mine is not None:
            try:
                mine.set_result(make())
            except BaseException as failure:
                with self._lock:
                    del self._answers[key]
                mine.set_exception(failure)
            else:
                self._forget()
        return found.result()

    def _forget(self) -> None:
        """Drop what was asked for longest ago until the rest is small enough."""
        with self._lock:
            sizes = {key: one.result().size for key, one in self._answers.items() if one.done()}
            total = sum(sizes.values())
            for key in list(sizes)[:-1]:
                if total <= self.most:
                    return
                total -= sizes[key]
                del self._answers[key]
