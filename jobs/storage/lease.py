"""One writer a lake: a renewed lease in the lake's control folder."""

import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from jobs.errors import LakeBusy


@contextmanager
def writer_lease(control: Path, seconds: int) -> Iterator[Callable[[], None]]:
    """Hold the lake while the block runs; renewed in the background. Gives what looks whether it is still held.

    Raises: LakeBusy (exit 2) naming the first writer, unless it is dead: its process is gone on this host, or
    the lease was not renewed for `seconds`. What is given raises it too, where another took a lease not renewed in time.
    """
    control.mkdir(parents=True, exist_ok=True)
    path = control / "lease.json"
    mine: dict[str, object] = {
        "host": socket.gethostname(), "pid": os.getpid(), "since": int(time.time()), "token": uuid.uuid4().hex
    }  # fmt: skip
    _take(path, mine, seconds)
    done = threading.Event()
    keeper = threading.Thread(target=_renew, args=(path, mine, done, seconds / 4), daemon=True)
    keeper.start()

    def check() -> None:
        if _holder(path) != mine:
            raise LakeBusy(
                "the lease on the lake is lost, another writer may have it",
                where=str(control.parent),
                todo="see that one writer is left, and start it again",
            )

    try:
        yield check
    finally:
        done.set()
        keeper.join()
        if _holder(path) == mine:
            path.unlink(missing_ok=True)


def _take(path: Path, mine: dict[str, object], seconds: int) -> None:
    for _ in range(2):
        try:
            with path.open("x", encoding="utf-8") as lease:
                json.dump(mine, lease)
            return
        except FileExistsError:
            holder = _holder(path)
            if holder is None or not _is_alive(path, holder, seconds):
                path.unlink(missing_ok=True)
                continue
            raise LakeBusy(
                f"another writer holds the lake (process {holder['pid']} on {holder['host']})",
                where=str(path.parent.parent),
                todo="wait for it to end, or stop it",
            ) from None
    raise LakeBusy("another writer took the lake just now", where=str(path.parent.parent), todo="try again")


def _holder(path: Path) -> dict[str, object] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and {"host", "pid"} <= found.keys() else None


def _is_alive(path: Path, holder: dict[str, object], seconds: int) -> bool:
    if holder["host"] == socket.gethostname() and not _answers(int(str(holder["pid"]))):
        return False
    try:
        return time.time() - path.stat().st_mtime < seconds
    except FileNotFoundError:
        return False


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _renew(path: Path, mine: dict[str, object], done: threading.Event, every: float) -> None:
    while not done.wait(every):
        if _holder(path) != mine:
            return
        with suppress(OSError):
            os.utime(path)
