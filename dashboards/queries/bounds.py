"""What one question of a page may take: a question beyond it is answered by a sentence, and never holds others up."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from threading import BoundedSemaphore, Thread

import pyarrow as pa

from dashboards.queries.reader import UnreadableError

AT_ONCE = 8  # questions that run at one time, those included that nobody waits for any more
NARROWER = "choose a service, a client or a shorter time"


class TooMuchError(UnreadableError):
    """A question that takes more than it may."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one question. memory_mb: for the engine to work with, and for its answer, each."""

    seconds: float = 20
    memory_mb: int = 1024
    rows: int = 5_000_000

    def too_long(self) -> TooMuchError:
        """What is said of a question that goes on."""
        return TooMuchError(f"it takes more than {self.seconds:g} s (dashboard.max_seconds): {NARROWER}")

    def too_large(self) -> TooMuchError:
        """What is said of a question that needs more memory."""
        return TooMuchError(f"it needs more than {self.memory_mb} MB (dashboard.max_memory_mb): {NARROWER}")

    def too_many(self) -> TooMuchError:
        """What is said of an answer of more rows."""
        return TooMuchError(f"it has more than {self.rows} rows (dashboard.max_rows): {NARROWER}")


class Clock:
    """Runs questions in threads of their own, of which nobody waits longer than he may."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._slots = BoundedSemaphore(AT_ONCE)

    def run(self, make: Callable[[], pa.Table]) -> pa.Table:
        """What it makes.

        Raises: TooMuchError after the time; what is made then is thrown away, and its thread counts until it ends.
        """
        ends_at = time.monotonic() + self._bounds.seconds
        if not self._slots.acquire(timeout=self._bounds.seconds):
            raise TooMuchError(f"{AT_ONCE} other questions take too long already: try again in a while")
        made: Future[pa.Table] = Future()

        def work() -> None:
            try:
                made.set_result(make())
            except BaseException as failure:
                made.set_exception(failure)
            finally:
                self._slots.release()

        Thread(target=work, daemon=True).start()
        try:
            return made.result(max(0.0, ends_at - time.monotonic()))
        except TimeoutError:
            raise self._bounds.too_long() from None


def collected(batches: pa.RecordBatchReader, bounds: Bounds) -> pa.Table:
    """All rows of an answer that is still being made, which ends as soon as it is too much."""
    return pa.Table.from_batches(_within(batches, bounds), batches.schema)


def _within(batches: pa.RecordBatchReader, bounds: Bounds) -> Iterator[pa.RecordBatch]:
    rows, size, ends_at = 0, 0, time.monotonic() + bounds.seconds
    for batch in batches:
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows > bounds.rows:
            raise bounds.too_many()
        if size > bounds.memory_mb << 20:
            raise bounds.too_large()
        if time.monotonic() > ends_at:
            raise bounds.too_long()
        yield batch
