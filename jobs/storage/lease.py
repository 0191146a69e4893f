"""One writer a lake: a renewed lease among its control files."""

import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from jobs.storage.control_files import ControlFiles, Document
from transforms.errors import BadInput, LakeBusy


@dataclass(frozen=True, slots=True)
class Lease:
    """Who writes: its host and process, since when (s since the epoch), and what tells it from a later one of these."""

    host: str
    pid: int
    since: int = 0
    token: str = ""


TRIES = 5
LEASE = Document("lease.json", Lease, "only when no writer runs")


@contextmanager
def writer_lease(files: ControlFiles, seconds: int) -> Iterator[Callable[[], None]]:
    """Hold the lake while the block runs; renewed in the background. Gives what looks whether it is still held.

    Raises: LakeBusy (exit 2) naming the first writer, unless it is dead: its process is gone on this host, or
    the lease was not renewed for `seconds`. What is given raises it too, where another took a lease not renewed in time.
    BadInput for a lease that nobody can tell a writer from.
    """
    mine = Lease(socket.gethostname(), os.getpid(), int(time.time()), uuid.uuid4().hex)
    _take(files, mine, seconds)
    done = threading.Event()
    keeper = threading.Thread(target=_renew, args=(files, mine, done, seconds / 4), daemon=True)
    keeper.start()

    def check() -> None:
        if LEASE.load(files) != mine:
            raise LakeBusy(
                "the lease on the lake is lost, another writer may have it",
                where=files.lake,
                todo="see that one writer is left, and start it again",
            )

    try:
        yield check
    finally:
        done.set()
        keeper.join()
        with suppress(OSError):
            LEASE.withdraw(files, mine)


def _take(files: ControlFiles, mine: Lease, seconds: int) -> None:
    """Only one can win: who creates the lease where there is none, or replaces exactly the dead one that was found."""
    where = files.lake
    for _ in range(TRIES):
        if LEASE.create(files, mine):
            return
        found = None
        with suppress(OSError):  # which the next line tells
            found = files.read(LEASE.name)
        holder = LEASE.load(files)
        if found is None or holder is None:
            continue
        if not _is_alive(files, holder, seconds):
            if LEASE.replace(files, found, mine):
                return
            continue
        raise LakeBusy(
            f"another writer holds the lake (process {holder.pid} on {holder.host})",
            where=where,
            todo="wait for it to end, or stop it",
        )
    raise LakeBusy("another writer took the lake just now", where=where, todo="try again")


def _is_alive(files: ControlFiles, holder: Lease, seconds: int) -> bool:
    if holder.host == socket.gethostname() and not _answers(holder.pid):
        return False
    age = files.age(LEASE.name)
    return age is not None and age < seconds


def _answers(pid: int) -> bool:
    if pid <= 0:  # which ask about more than one process
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _renew(files: ControlFiles, mine: Lease, done: threading.Event, every: float) -> None:
    while not done.wait(every):
        with suppress(OSError):
            try:
                if LEASE.load(files) != mine:
                    return
            except BadInput:
                return
            files.touch(LEASE.name)
