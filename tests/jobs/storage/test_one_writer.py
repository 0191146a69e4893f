"""One writer a lake: of many that start together one holds it, whatever lies there."""

import json
import os
import subprocess
import sys
import time
from multiprocessing import get_context

import pytest

from jobs.storage.control_files import FolderFiles
from jobs.storage.lease import LEASE, writer_lease
from transforms.errors import LakeBusy

ROUNDS, WRITERS = 40, 4


def dead_pid() -> int:
    """A process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def race(root, rounds, barrier, held):
    """A writer that starts together with others, and says what it met in each round."""
    for number in range(rounds):
        files = FolderFiles(root / str(number) / "_kipwatch")
        barrier.wait()
        try:
            with writer_lease(files, 60):
                held.put((number, "held", ""))
                barrier.wait()  # all have tried before one lets go
        except LakeBusy as busy:
            held.put((number, "busy", str(busy)))
            barrier.wait()


@pytest.mark.parametrize("lies_there", ["nothing", "dead process", "not renewed", "older format"])
def test_of_writers_that_start_together_one_holds_the_lake(tmp_path, lies_there):
    pid = dead_pid()
    for number in range(ROUNDS):
        folder = tmp_path / str(number) / "_kipwatch"
        folder.mkdir(parents=True)
        if lies_there != "nothing":
            host = "elsewhere" if lies_there == "not renewed" else os.uname().nodename
            lease = {"host": host, "pid": pid}
            if lies_there != "older format":
                lease |= {"since": 1, "token": "old", "version": 1}
            (folder / "lease.json").write_text(json.dumps(lease))
            long_ago = time.time() - 3600
            os.utime(folder / "lease.json", (long_ago, long_ago))
    context = get_context("fork")
    barrier, held = context.Barrier(WRITERS), context.SimpleQueue()
    writers = [context.Process(target=race, args=(tmp_path, ROUNDS, barrier, held)) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    told = [held.get() for _ in range(ROUNDS * WRITERS)]
    for writer in writers:
        writer.join()
    for number in range(ROUNDS):
        met = [state for round_, state, _ in told if round_ == number]
        assert sorted(met) == ["busy"] * (WRITERS - 1) + ["held"], number
    assert all("another writer" in words for _, state, words in told if state == "busy")


def test_the_loser_says_who_holds_it(tmp_path):
    files = FolderFiles(tmp_path / "_kipwatch")
    with (
        writer_lease(files, 60),
        pytest.raises(LakeBusy, match=rf"process {os.getpid()} on "),
        writer_lease(files, 60),
    ):
        pytest.fail("two hold it")
    assert LEASE.load(files) is None


def test_who_lost_the_lease_does_not_take_the_others_away(tmp_path):
    files = FolderFiles(tmp_path / "_kipwatch")
    with writer_lease(files, 60):
        LEASE.save(files, LEASE.kind("other", 1, 2, "its own"))
    assert LEASE.load(files) == LEASE.kind("other", 1, 2, "its own")
