"""A SELECT in a process of its own, that ends where it takes more time or memory than a setting allows.

Nothing in a process can be stopped from outside: a query that DataFusion runs is neither cancelled nor held to a size. So a
child runs it, and sends its rows as an Arrow stream; it is killed when its time is up, and the kernel refuses it memory.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from transforms.errors import BadInput

STILL_NEEDED = 64 * 1024 * 1024  # of address space, for what the child does beside the query
FAILED = 3  # the child's exit code for a query that fails by itself
MIB = 1024 * 1024
WHERE = "query"


@dataclass(frozen=True, slots=True)
class Bounds:
    """seconds: of the clock, from the start to the last row. memory_bytes: it may take. most_rows: it may give."""

    seconds: int
    memory_bytes: int
    most_rows: int


class QueryError(Exception):
    """The engine refused or failed; its words."""


class BoundedQuery:
    """A query that runs: its schema, then its batches. Used as a context, or read to its end.

    Raises: QueryError with the engine's words; BadInput with one sentence where a bound is met.
    """

    def __init__(self, tables: Mapping[str, str], sql: str, bounds: Bounds) -> None:
        """tables: where Delta tables lie, by the names that `sql` knows them by."""
        self._bounds = bounds
        self._is_late = False
        self._child = subprocess.Popen(
            [sys.executable, "-m", "jobs.sql.bounded"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._alarm = threading.Timer(bounds.seconds, self._too_late)
        self._alarm.daemon = True
        self._alarm.start()
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        with suppress(BrokenPipeError):
            self._child.stdin.write(
                json.dumps({"tables": dict(tables), "sql": sql, "memory_bytes": bounds.memory_bytes}).encode()
            )
            self._child.stdin.close()
        try:
            self._reader = pa.ipc.open_stream(self._child.stdout)
        except (pa.ArrowInvalid, OSError):
            raise self._why() from None
        self.schema: pa.Schema = self._reader.schema

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Its rows as they come. Raises: BadInput where they take more than they may; QueryError."""
        given = 0
        try:
            while True:
                try:
                    batch = self._reader.read_next_batch()
                except StopIteration:
                    break
                except (pa.ArrowInvalid, OSError):
                    raise self._why() from None
                left = self._bounds.most_rows - given
                given += batch.num_rows
                yield batch.slice(0, left)
                if given > self._bounds.most_rows:
                    raise _met(f"gives more than {self._bounds.most_rows} rows", "query.most_rows", "LIMIT")
            if self._child.wait() != 0:
                raise self._why()
        finally:
            self.close()

    def close(self) -> None:
        """End the child, whatever it does."""
        self._alarm.cancel()
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdout, self._child.stderr):
            if pipe is not None:
                pipe.close()

    def _too_late(self) -> None:
        self._is_late = True
        self._child.kill()

    def _why(self) -> Exception:
        """What ended the child."""
        assert self._child.stderr is not None
        said = self._child.stderr.read().decode("utf-8", "replace")
        code = self._child.wait()
        self.close()
        if self._is_late:
            return _met(f"takes longer than {self._bounds.seconds} s", "query.seconds", "a narrower WHERE")
        if code == FAILED and "memory" not in said.lower():
            return QueryError(said.strip())
        needs = f"needs more than {self._bounds.memory_bytes // MIB} MiB of memory"
        return _met(needs, "query.memory_bytes", "a narrower WHERE or fewer columns")


def _met(what: str, setting: str, instead: str) -> BadInput:
    return BadInput(f"the query {what}", where=WHERE, todo=f"give it {instead}, or raise {setting} in conf")


def main(asked: BinaryIO, out: BinaryIO) -> int:
    """In the child: run what is asked for on standard input, send Arrow's stream to standard output."""
    from deltalake import DeltaTable, QueryBuilder

    wanted = json.loads(asked.read())
    builder = QueryBuilder()
    try:
        for name, folder in wanted["tables"].items():
            builder.register(name, DeltaTable(folder, storage_options=_options(folder)))
        _limit_memory(wanted["memory_bytes"])
        reader = pa.RecordBatchReader.from_stream(builder.execute(wanted["sql"]))
        with pa.ipc.new_stream(out, reader.schema) as stream:
            for batch in reader:
                stream.write_batch(batch)
                out.flush()
    except BrokenPipeError:
        return 0
    except Exception as failure:  # deltalake raises its own, DataFusion's and pyarrow's kinds alike
        sys.stderr.write(str(failure) or type(failure).__name__)
        return FAILED
    return 0


def _options(place: str) -> dict[str, str] | None:
    """What deltalake is told of a store. Of a folder nothing: the contracts, which come with it, take long to load."""
    if "://" not in place:
        return None
    from expectations.place import options_of

    return options_of(place)


def _limit_memory(memory_bytes: int) -> None:
    """Above what the child has reserved already. Of systems without such a limit the time's is left."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        reserved = pages * resource.getpagesize()
        most = reserved + memory_bytes + STILL_NEEDED
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer, sys.stdout.buffer))
