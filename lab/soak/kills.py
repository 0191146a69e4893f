"""Kills the process that streams, again and again, at moments drawn by chance; what it leaves must be one batch's tables.

A killed process is a fork of this one, which has imported everything and done nothing: a restart costs what a trigger costs.
Few lines come at a time, so that no trigger needs Spark. Run as `python -m lab.soak.kills files KILLS SEED`, or with
`topic` instead of `files`, or with `store`: files, and the lake in an object store (`make soak`).
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
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pyarrow.fs import FileSelector, FileSystem, FileType, LocalFileSystem
from pyspark.sql import SparkSession

from conf.settings import Conf, load_conf
from expectations.place import LakePlace, StorePlace
from jobs.engine.choice import Engines
from jobs.engine.engine import HERE, Engine
from jobs.inputs.places import filesystem
from jobs.pipeline import Input, open_lake, trigger
from jobs.progress import Progress
from jobs.streaming.stream import Stream
from lab.corpus import ROOT as RECORDINGS
from lab.soak.rows import differences
from lab.soak.topic_double import Paper, shipped
from lab.store import store_apart
from transforms.plans.run_result import RunResult
from transforms.plans.topics import topic_of

SCENARIOS = ("p62-slow-poll-42", "p572-process-timeout-38", "p580-exp-42")
LINES_OF_EACH = 1200
LONGEST_CHILD = 180  # s
HOUR_MS = 3_600_000
TOPIC = topic_of("kafka://paper:9092/logs", "--logs")
QUIET = Progress(is_shown=False)
# Things that may be lost with a process: what was planned, and what a plan has just put into the accounting.
LOST = ("nothing", "plan", "accounting")


class NoSession(Engines):
    """Engines of which none is Spark: whatever its size, a plan is carried out in this process."""

    is_elsewhere = False

    def of(self, size: int) -> Engine:
        """This process."""
        return HERE

    def session(self) -> SparkSession:
        """For topics that are lists."""
        return cast(SparkSession, None)


NO_SESSION = NoSession(load_conf().spark, QUIET)


def logs_of(scenarios: tuple[str, ...] = SCENARIOS) -> dict[str, bytes]:
    """The scenarios' first lines, by file."""
    found = {}
    for name in scenarios:
        for log in sorted((RECORDINGS / name).glob("*.app.log.gz")):
            lines = gzip.decompress(log.read_bytes()).splitlines(keepends=True)
            found[f"{name}/{log.stem}"] = b"".join(lines[:LINES_OF_EACH])
    return found


def parts_until(part: int, parts: int, size: int) -> int:
    """How much of so much has come by then."""
    return size * min(part, parts) // parts


@dataclass
class Files:
    """Files that grow. whole: their text, by name."""

    folder: Path
    whole: Mapping[str, bytes]

    def deliver(self, part: int, parts: int) -> None:
        """Write as much as has come by then."""
        for name, text in self.whole.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text[: parts_until(part, parts, len(text))])

    def triggers(self, lake: LakePlace, conf: Conf, flush_ms: int = 0) -> None:
        """Trigger after trigger until there is nothing new. flush_ms: how long open records are waited for."""
        given = Input(
            [str(self.folder)], most_bytes=conf.stream.max_bytes, may_vanish=True, flush_ms=flush_ms
        )
        until_nothing_is_new(lake, given, conf)


@dataclass
class Messages:
    """The same lines through a topic, as they were sent: shuffled over partitions, some twice."""

    sent: list[str]
    chance: random.Random
    paper: Paper = field(default_factory=lambda: Paper([[], [], []]))
    count: int = 0

    def deliver(self, part: int, parts: int) -> None:
        """Send as much as was sent by then."""
        until = parts_until(part, parts, len(self.sent))
        for message in self.sent[self.count : until]:
            self.paper.write(message, partition=self.chance.randrange(len(self.paper.partitions)))
        self.count = max(self.count, until)

    def triggers(self, lake: LakePlace, conf: Conf, flush_ms: int = 0) -> None:
        """As those of files."""
        with self.paper.read():
            until_nothing_is_new(lake, Input([], topics=[TOPIC], may_vanish=True, flush_ms=flush_ms), conf)


def run_over(lake: Path, *logs: Path | str, **how: Any) -> RunResult:
    """One run in this process. how: as Input has it."""
    conf, given = load_conf(), Input([str(one) for one in logs], **how)
    with open_lake(lake, conf) as opened:
        return trigger(NO_SESSION, opened, given, conf, QUIET, job="run")


def until_nothing_is_new(lake: LakePlace, given: Input, conf: Conf) -> None:
    """Trigger after trigger."""
    with open_lake(lake, conf) as opened:
        stream = Stream(NO_SESSION, opened, given, conf, QUIET)
        while (result := stream.once()) is None or result.read or result.left_messages:
            pass


def messages_of(whole: Mapping[str, bytes], chance: random.Random) -> list[str]:
    """Lines as shippers send them, of all files at once; some come later than others, and some twice."""
    sent = []
    for name, text in whole.items():
        lines = [json.dumps(line) for line in shipped(text.splitlines(keepends=True), f"/logs/{name}")]
        for number, line in enumerate(lines):
            late = chance.choice((0.0, 0.0, 0.0, 0.02))
            for _ in range(2 if chance.random() < 0.05 else 1):
                sent.append((number / len(lines) + (late + 0.002) * chance.random(), line))
    return [line for _, line in sorted(sent)]


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


def lose(lake: LakePlace, what: str) -> bool:
    """Take away what a crash may take. Gives whether a plan was being carried out."""
    system, root = _system_of(lake)
    plan, log = f"{root}/_kipwatch/plan.json", f"{root}/bronze/accounting/_delta_log"
    info = system.get_file_info(plan)
    is_planned = info.type == FileType.File and bool(info.size)  # a store's plan is emptied, not deleted
    if what == "plan" and info.type == FileType.File:
        system.delete_file(plan)
    names = {one.path for one in system.get_file_info(FileSelector(log, allow_not_found=True))}
    entries = sorted(name for name in names if name.endswith(".json"))
    # Upkeep's entries stay, and those that it made a checkpoint of: what it deletes was replaced minutes ago, and what did
    # that is on the disk by then.
    is_kept = len(entries) < 2 or f"{entries[-1].removesuffix('.json')}.checkpoint.parquet" in names
    if what == "accounting" and not is_kept:
        with system.open_input_stream(entries[-1]) as entry:
            is_plans = b'"txn"' in entry.read()
        if is_plans:
            system.delete_file(entries[-1])
    return is_planned


def _system_of(lake: LakePlace) -> tuple[FileSystem, str]:
    return filesystem(lake.url) if isinstance(lake, StorePlace) else (LocalFileSystem(), str(lake))


def soak(folder: Path, lakes: LakePlace, kills: int, seed: int, *, is_topic: bool = False) -> dict[str, Any]:
    """Stream what grows, killed so many times; gives what was seen, `differences` to one batch among it.

    lakes: where they lie. Clients of a store have threads, which a fork has not: this process makes none before its last
    fork.
    """
    chance = random.Random(seed)
    conf = load_conf()
    # Files are put together all the time, and nothing is kept longer than it is needed.
    lake_conf = replace(conf.lake, upkeep_plans=2, keep_minutes=0, checkpoint_interval=10)
    little = replace(conf.stream, max_bytes=65536, max_messages=700)
    conf = replace(conf, stream=little, lake=lake_conf)
    whole = logs_of()
    at_once, lake = lakes / "at-once", lakes / "lake"
    if is_topic:
        sent = messages_of(whole, chance)
        grown: Files | Messages = Messages(sent, chance)
        all_of_it: Files | Messages = Messages(sent, chance)
    else:
        grown, all_of_it = Files(folder / "logs", whole), Files(folder / "whole", whole)
    all_of_it.deliver(1, 1)
    began = time.monotonic()
    batch = replace(conf, stream=replace(conf.stream, max_bytes=1 << 30, max_messages=1 << 30))
    finished(in_child(lambda: all_of_it.triggers(at_once, batch)))
    longest = time.monotonic() - began
    seen = {"kills": 0, "plans": 0, **dict.fromkeys(LOST, 0)}
    planned = folder / "planned"
    part = 0
    while seen["kills"] < kills:
        part += 1
        grown.deliver(part, kills)
        flush_ms = chance.choice((0, HOUR_MS))
        child = in_child(lambda flush_ms=flush_ms: grown.triggers(lake, conf, flush_ms))
        time.sleep(chance.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        seen["kills"] += os.WIFSIGNALED(status)
        what = chance.choice(LOST)
        finished(in_child(lambda what=what: planned.write_text("yes" * lose(lake, what))))
        seen["plans"] += bool(planned.read_text())
        seen[what] += 1
    grown.deliver(1, 1)
    finished(in_child(lambda: grown.triggers(lake, conf)))
    return seen | {"seconds": round(time.monotonic() - began), "differences": differences(at_once, lake)}


def full_disk(folder: Path, room: tuple[int, ...] = (4_000, 30_000, 120_000)) -> dict[str, Any]:
    """Stream where no file may grow beyond so many bytes, then where it may; gives how it ended, and `differences`.

    A limit on files' size fails as a full disk does, at the write that goes over it, and needs no rights.
    """
    conf = load_conf()
    conf = replace(conf, stream=replace(conf.stream, attempts=2))
    logs = Files(folder / "logs", logs_of())
    logs.deliver(1, 1)
    finished(in_child(lambda: logs.triggers(folder / "at-once", conf)))
    lake = folder / "lake"
    ends = []
    for most in room:

        def in_little_room(most: int = most) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            logs.triggers(lake, conf)

        _, status = os.waitpid(in_child(in_little_room), 0)
        ends.append(os.waitstatus_to_exitcode(status))
    finished(in_child(lambda: logs.triggers(lake, conf)))
    return {"ends": ends, "differences": differences(folder / "at-once", lake)}


def main() -> None:
    """As many kills as given, of files, with `topic` of messages, with `store` in a store; or `full` for a full disk."""
    kind, *numbers = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        root, how = Path(folder), {"is_topic": kind == "topic"}
        lakes = StorePlace(stack.enter_context(store_apart())) if kind == "store" else root
        seen = full_disk(root) if kind == "full" else soak(root, lakes, *map(int, numbers), **how)
    print(json.dumps(seen))
    sys.exit(bool(seen["differences"]))


if __name__ == "__main__":
    main()
