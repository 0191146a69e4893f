"""Progress for people: one line a step on a terminal, nothing where nobody watches."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


def tell(sentence: str) -> None:
    """What must not go unsaid, whoever watches."""
    print(f"kipwatch: {sentence}", file=sys.stderr, flush=True)


class Progress:
    """Says what a command is at. `seconds` keeps how long each step took."""

    def __init__(self, stream: TextIO | None = None, *, is_shown: bool | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._is_shown = self._stream.isatty() if is_shown is None else is_shown
        self.seconds: dict[str, float] = {}

    def say(self, text: str) -> None:
        """One line, on a terminal only."""
        if self._is_shown:
            print(text, file=self._stream, flush=True)

    def warn(self, text: str) -> None:
        """One line, wherever it goes: what was left out must not go unsaid."""
        print(text, file=self._stream, flush=True)

    @contextmanager
    def step(self, text: str) -> Iterator[None]:
        """A step, with its seconds behind it when it is over."""
        if self._is_shown:
            print(f"  {text} ...", end="", file=self._stream, flush=True)
        began = time.monotonic()
        try:
            yield
        finally:
            took = time.monotonic() - began
            self.seconds[text] = self.seconds.get(text, 0.0) + took
            if self._is_shown:
                print(f" {took:.1f} s", file=self._stream, flush=True)
