"""Processes that take a part of the work on large logs: what they do is done here as well, if they can't.

Not multiprocessing: its workers run the caller's main module again, or share the locks of its threads.
"""

import copyreg
import gc
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from pathlib import Path
from threading import Condition, Thread
from types import TracebackType
from typing import Any, BinaryIO, Generic, Self, TypeVar, cast

from jobs.garbage import GARBAGE_AFTER

# A process takes as long to begin as it takes to read so much.
FROM_BYTES = 8 << 20
BYTES_OF_ONE = 4 << 20
MOST = 7
LOOKS = 5  # what runs for a moment is no load
# The caller's own path, whatever stands in the folder in which it was called.
_BEGIN = "import sys; sys.path[:] = sys.argv[1:]; from jobs.explain.helpers import serve; serve()"

T = TypeVar("T")


class Call(Generic[T]):
    """Something to be done, by whoever comes first."""

    def __init__(self, do: Callable[[], T], helpers: "Helpers") -> None:
        self._do, self._helpers = do, helpers
        self._answer: tuple[bool, T | None] | None = None

    def result(self) -> T:
        """What it gave; whatever it raises is raised here."""
        answer = self._helpers.answer_of(self)
        return self._do() if answer is None or not answer[0] else answer[1]  # type: ignore[return-value]


class Helpers:
    """Some processes, to be used as a context; they end with it. Calls are all asked for before the first is started."""

    def __init__(self, processes: int) -> None:
        self._left: list[Call[Any]] = []
        self._changed = Condition()
        self._processes = [process for process in (_begun() for _ in range(processes)) if process is not None]
        self._threads: list[Thread] = []

    @classmethod
    def for_bytes(cls, size: int) -> "Helpers":
        """As many as are worth their beginning for logs of so many bytes, and as there are cores that nobody uses."""
        return cls(min(MOST, _cores() - 1, _idle(), size // BYTES_OF_ONE) if size >= FROM_BYTES else 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._left.clear()
        for process in self._processes:
            process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            process.communicate()

    def __bool__(self) -> bool:
        return bool(self._processes)

    def ask(self, do: Callable[[], T]) -> Call[T]:
        """Have it done: what is asked for last is taken first. do: a call that can be pickled, with what it gives."""
        call = Call(do, self)
        self._left.append(call)
        return call

    def start(self) -> None:
        """Hand out what was asked for."""
        self._threads = [Thread(target=self._feed, args=(one,), daemon=True) for one in self._processes]
        for thread in self._threads:
            thread.start()

    def answer_of(self, call: Call[T]) -> tuple[bool, T | None] | None:
        """What a process answered, once it did; None where none has taken it, and then none will."""
        with self._changed:
            if call in self._left:
                self._left.remove(call)
                return None
            self._changed.wait_for(lambda: call._answer is not None)
            return call._answer

    def _feed(self, process: "subprocess.Popen[bytes]") -> None:
        to, of = cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout)
        is_there = True
        while is_there:
            with self._changed:
                if not self._left:
                    return
                call = self._left.pop()
            answer: tuple[bool, Any] = (False, None)
            try:
                _write(to, call._do)
                answer = pickle.load(of)
            except Exception:  # it is gone, or its answer was cut off, which loading may tell by any of them
                is_there = False
            with self._changed:
                call._answer = answer
                self._changed.notify_all()


def _cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _idle() -> int:
    """Cores without work at this moment, where the system tells: on others a helper costs more than it gives."""
    cores = os.cpu_count() or 1
    running = []
    try:
        for _ in range(LOOKS):
            running.append(
                int(Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0])
            )
            time.sleep(0.001)
    except (OSError, ValueError, IndexError):
        return cores
    return max(0, cores - min(running))


def _begun() -> "subprocess.Popen[bytes] | None":
    options = ["-I", *(["-B"] if sys.dont_write_bytecode else [])]
    try:
        return subprocess.Popen(
            [sys.executable, *options, "-c", _BEGIN, *map(os.path.abspath, sys.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, ValueError, TypeError):  # no such interpreter, no more processes: then it is done here
        return None


def serve() -> None:
    """What such a process does: calls come in, answers go out. Who asked makes a call again that failed, to fail there."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches it as well: it has nothing to say
    gc.set_threshold(GARBAGE_AFTER)
    calls, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    import jobs.explain.calls  # noqa: F401 (what is asked for, most often: until then there is time)

    while True:
        try:
            call = pickle.load(calls)
        except EOFError:
            return
        try:
            answer = (True, call())
        except Exception:
            answer = (False, None)
        _write(answers, answer)


def _write(to: BinaryIO, what: Any) -> None:
    """Pickled; of what there is much of, at a quarter of the price of its names."""
    pickler = pickle.Pickler(to, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table | _reducers()
    pickler.dump(what)
    to.flush()


@cache
def _reducers() -> dict[type, Any]:
    from transforms.diagnose.unexplained.source_read import ReadRecord  # here: helpers begin before it
    from transforms.events import ClientEvent

    of_event, of_record = attrgetter(*ClientEvent.__slots__), attrgetter(*ReadRecord.__slots__)
    return {
        ClientEvent: lambda event: (ClientEvent, of_event(event)),
        ReadRecord: lambda record: (ReadRecord, of_record(record)),
    }
