"""Simulated time: what is due runs in order; nothing else moves the clock."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Loop:
    """now: ms since the epoch, the one true time; each log has its own clock, which may be off."""

    now: int
    _due: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = field(default_factory=list)
    _asked: int = 0

    def after(self, ms: int, act: Callable[..., None], *args: Any) -> None:
        """Do it in so many ms; what is due in one ms happens in the order it was asked for."""
        self._asked += 1
        heapq.heappush(self._due, (self.now + max(ms, 0), self._asked, act, args))

    def run(self, until: int) -> None:
        """Let time pass, up to and with that instant."""
        while self._due and self._due[0][0] <= until:
            self.now, _, act, args = heapq.heappop(self._due)
            act(*args)
        self.now = until
