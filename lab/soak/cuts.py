"""Cuts triggers off before a write of theirs, drawn by chance, in this process; what follows must be one batch's tables.

`kills` meets the moments that take long. Here each write is as likely as any other, and a story takes a second or two: so
what it takes two cuts for is met, too. Run as `python -m lab.soak.cuts files STORIES SEED`, or with `topic`. A story that
differs is told, and `--only NUMBER` plays it again.
"""

import random
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from shutil import rmtree
from typing import Any
from unittest.mock import patch

from conf.settings import load_conf
from jobs.storage.control_files import FolderFiles
from jobs.storage.lake import LakeWriter
from lab.soak.kills import HOUR_MS, LOST, Files, Messages, logs_of, lose, messages_of
from lab.soak.rows import differences
from lab.soak.stories import options, play_all

SCENARIO = "p62-slow-poll-42"
LINES_OF_EACH = 150
CUTS = (1, 2, 2, 3)  # of one story
# A trigger writes about so many times; one that is cut off later than that is not cut off.
WRITES = 20
PARTS = 4
# The lease is a process's, and this one goes on.
NOT_COUNTED = "lease.json"


class CutError(BaseException):
    """A process that ends in the middle."""


@dataclass(slots=True)
class Writes:
    """Every write of a lake, until a number of them."""

    left: int
    lock: threading.Lock = field(default_factory=threading.Lock)

    def before(self) -> None:
        """Another one is about to be made; from the cut on there is none."""
        with self.lock:
            self.left -= 1
            if self.left < 0:
                raise CutError


@contextmanager
def cut_after(writes: int) -> Iterator[None]:
    """So many writes are made, and no other."""
    counted = Writes(writes)

    def counting(made: Callable[..., Any], *, is_of_file: bool) -> Callable[..., Any]:
        def change(self: Any, *given: Any, **how: Any) -> Any:
            if not (is_of_file and given[0] == NOT_COUNTED):
                counted.before()
            return made(self, *given, **how)

        return change

    with ExitStack() as patched:
        for owner, name in ((FolderFiles, "write"), (FolderFiles, "delete"), (LakeWriter, "_write")):
            made = counting(getattr(owner, name), is_of_file=owner is FolderFiles)
            patched.enter_context(patch.object(owner, name, made))
        yield


@dataclass(frozen=True, slots=True)
class Cut:
    """One: how much has come by then (of PARTS), after how many writes, what is lost with it.

    flush_ms: how long open records are waited for.
    """

    part: int
    writes: int
    lost: str
    flush_ms: int


def story(chance: random.Random) -> list[Cut]:
    """Some cuts, one after another."""
    parts = sorted(chance.randrange(1, PARTS + 1) for _ in range(chance.choice(CUTS)))
    return [
        Cut(part, chance.randrange(WRITES), chance.choice(LOST), chance.choice((0, HOUR_MS)))
        for part in parts
    ]


@dataclass(frozen=True, slots=True)
class Stage:
    """Where stories are played: what comes in them, and the lake of one batch that each is held against."""

    root: Path
    is_topic: bool

    def prepare(self) -> None:
        """Make that lake."""
        everything = self._input(self.root / "whole", random.Random(0))
        everything.deliver(1, 1)
        everything.triggers(self.root / "at-once", load_conf())

    def play(self, number: int, cuts: Sequence[Cut], chance: random.Random) -> dict[str, Any]:
        """Differences to one batch, by table."""
        conf = load_conf()
        little = replace(conf.stream, max_bytes=16384, max_messages=150)
        conf = replace(conf, stream=little, lake=replace(conf.lake, upkeep_plans=2, checkpoint_interval=10))
        folder = self.root / str(number)
        grown, lake = self._input(folder / "logs", chance), folder / "lake"
        for cut in cuts:
            grown.deliver(cut.part, PARTS)
            with suppress(CutError), cut_after(cut.writes):
                grown.triggers(lake, conf, cut.flush_ms)
            lose(lake, cut.lost)
        grown.deliver(PARTS, PARTS)
        grown.triggers(lake, conf)
        found = differences(self.root / "at-once", lake)
        rmtree(folder)
        return found

    def _input(self, folder: Path, chance: random.Random) -> Files | Messages:
        whole = {
            name: b"".join(text.splitlines(keepends=True)[:LINES_OF_EACH])
            for name, text in logs_of((SCENARIO,)).items()
        }
        return Messages(messages_of(whole, chance), chance) if self.is_topic else Files(folder, whole)


def main() -> None:
    """So many stories from a seed on; ends with 1 where one differs."""
    given = options("lab.soak.cuts", "files", "topic")
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder), given.kind == "topic")
        stage.prepare()

        def play(number: int, chance: random.Random) -> dict[str, Any]:
            cuts = story(chance)
            found = stage.play(number, cuts, chance)
            return {"cuts": [asdict(cut) for cut in cuts], "differences": found} if found else {}

        play_all(given, play)


if __name__ == "__main__":
    main()
