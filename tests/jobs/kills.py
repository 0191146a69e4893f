"""Kills the process that streams, again and again, at moments drawn by chance; what it leaves must be one batch's tables.

A killed process is a fork of this one, which has imported everything and done nothing: a restart costs what a trigger costs.
Few lines come at a time, so that no trigger needs Spark. Run as `python -m tests.jobs.kills KILLS SEED` (`make soak`).
"""

import gzip
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from pyspark.sql import SparkSession

from expectations.suites import warm_up
from jobs.conf import Conf, load_conf
from jobs.pipeline import Input, open_lake
from jobs.progress import Progress
from jobs.stream import Stream
from tests.corpus import ROOT as RECORDINGS
from tests.jobs.rows import differences

SCENARIOS = ("p62-slow-poll-42", "p572-process-timeout-38", "p580-exp-42")
LINES_OF_EACH = 1200
LONGEST_CHILD = 180  # s
HOUR_MS = 3_600_000
QUIET = Progress(is_shown=False)
# Things that may be lost with a process: what was planned, and what a plan has just put into the books.
LOST = ("nothing", "plan", "books")


class NoSession:
    """In the place of a session: asked how many slots there are, and for nothing else."""

    class conf:  # noqa: N801 (as Spark calls it)
        """Settings."""

        @staticmethod
        def get(_name: str) -> str:
            """One slot."""
            return "1"


NO_SESSION = cast(SparkSession, NoSession())


def logs_of(scenarios: tuple[str, ...] = SCENARIOS) -> dict[str, bytes]:
    """The scenarios' first lines, by file."""
    found = {}
    for name in scenarios:
        for log in sorted((RECORDINGS / name).glob("*.app.log.gz")):
            lines = gzip.decompress(log.read_bytes()).splitlines(keepends=True)
            found[f"{name}/{log.stem}"] = b"".join(lines[:LINES_OF_EACH])
    return found


def triggers(lake: Path, folder: Path, conf: Conf, flush_ms: int = 0) -> None:
    """Trigger after trigger until there is nothing new. flush_ms: how long open records are waited for."""
    given = Input([str(folder)], most_bytes=conf.stream.max_bytes, may_vanish=True, flush_ms=flush_ms)
    with open_lake(NO_SESSION, lake, conf) as opened:
        stream = Stream(NO_SESSION, opened, given, conf, QUIET)
        while (result := stream.once()) is None or result.read:
            pass


def in_child(work: Callable[[], None]) -> int:
    """Do it in a fork; gives the child's id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        signal.alarm(LONGEST_CHILD)  # rather an error than a test that hangs
        work()
        code = 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def finished(child: int) -> None:
    """Wait for a child that must do its work."""
    _, status = os.waitpid(child, 0)
    if status:
        raise RuntimeError(f"the stream ended with {os.waitstatus_to_exitcode(status)}")


def lose(lake: Path, what: str) -> None:
    """Take away what a crash may take."""
    if what == "plan":
        (lake / "_kipwatch" / "plan.json").unlink(missing_ok=True)
    entries = sorted((lake / "bronze" / "accounting" / "_delta_log").glob("*.json"))
    # Upkeep's entries stay: files that it deletes were replaced minutes ago, and what did that is on the disk by then.
    if what == "books" and len(entries) > 1 and '"txn"' in entries[-1].read_text():
        entries[-1].unlink()


def soak(folder: Path, kills: int, seed: int) -> dict[str, Any]:
    """Stream files that grow, killed so many times; gives what was seen, `differences` to one batch among it."""
    chance = random.Random(seed)
    conf = load_conf()
    # Files are put together all the time, and nothing is kept longer than it is needed.
    lake_conf = replace(conf.lake, upkeep_plans=2, keep_minutes=0, checkpoint_interval=10)
    conf = replace(conf, stream=replace(conf.stream, max_bytes=65536), lake=lake_conf)
    whole = logs_of()
    at_once, lake, grown = folder / "at-once", folder / "lake", folder / "logs"
    for name, text in whole.items():
        for root in (folder / "whole", grown):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "whole" / name).write_bytes(text)
    began = time.monotonic()
    batch = replace(conf, stream=replace(conf.stream, max_bytes=1 << 30))
    finished(in_child(lambda: triggers(at_once, folder / "whole", batch)))
    longest = time.monotonic() - began
    seen = {"kills": 0, "plans": 0, **dict.fromkeys(LOST, 0)}
    part = 0
    while seen["kills"] < kills:
        part = min(part + 1, kills)
        for name, text in whole.items():
            (grown / name).write_bytes(text[: len(text) * part // kills])
        flush_ms = chance.choice((0, HOUR_MS))
        child = in_child(lambda flush_ms=flush_ms: triggers(lake, grown, conf, flush_ms))
        time.sleep(chance.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        seen["kills"] += os.WIFSIGNALED(status)
        seen["plans"] += (lake / "_kipwatch" / "plan.json").exists()
        what = chance.choice(LOST)
        lose(lake, what)
        seen[what] += 1
    for name, text in whole.items():
        (grown / name).write_bytes(text)
    finished(in_child(lambda: triggers(lake, grown, conf)))
    return seen | {"seconds": round(time.monotonic() - began), "differences": differences(at_once, lake)}


def full_disk(folder: Path, room: tuple[int, ...] = (4_000, 30_000, 120_000)) -> dict[str, Any]:
    """Stream where no file may grow beyond so many bytes, then where it may; gives how it ended, and `differences`.

    A limit on files' size fails as a full disk does, at the write that goes over it, and needs no rights.
    """
    conf = load_conf()
    conf = replace(conf, stream=replace(conf.stream, attempts=2))
    for name, text in logs_of().items():
        (folder / "logs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "logs" / name).write_bytes(text)
    finished(in_child(lambda: triggers(folder / "at-once", folder / "logs", conf)))
    lake = folder / "lake"
    ends = []
    for most in room:

        def in_little_room(most: int = most) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            triggers(lake, folder / "logs", conf)

        _, status = os.waitpid(in_child(in_little_room), 0)
        ends.append(os.waitstatus_to_exitcode(status))
    finished(in_child(lambda: triggers(lake, folder / "logs", conf)))
    return {"ends": ends, "differences": differences(folder / "at-once", lake)}


def main() -> None:
    """As many kills as given, or `full` for a full disk."""
    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        seen = (
            full_disk(Path(folder)) if sys.argv[1] == "full" else soak(Path(folder), *map(int, sys.argv[1:3]))
        )
    print(json.dumps(seen))
    sys.exit(bool(seen["differences"]))


if __name__ == "__main__":
    main()
