"""Resident memory of a process and of all that it started."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PAGE = 4096


def processes_of(pid: int) -> Iterator[int]:
    """A process and those below it; some end meanwhile."""
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        yield one
        with suppress(OSError):
            for tasks in Path(f"/proc/{one}/task").glob("*/children"):
                waiting += [int(child) for child in tasks.read_text().split()]


def megabytes_of(pid: int) -> float:
    """What all of them hold now, MB."""
    pages = 0
    for one in processes_of(pid):
        with suppress(OSError):
            pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
    return pages * PAGE / 1e6


def largest_of(pid: int) -> dict[int, float]:
    """The most that each of them ever held, MB, by process."""
    found = {}
    for one in processes_of(pid):
        with suppress(OSError):
            status = Path(f"/proc/{one}/status").read_text()
            most = next((line for line in status.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0 kB")
            found[one] = int(most.split()[1]) * 1024 / 1e6
    return found
