"""A simulated day through the stream, in cuts, late and twice, against one batch: `python -m lab.soak.days`.

Files: every log is rotated and renamed while it grows, stops at any byte, lags behind others, and some rotated parts come
only after younger ones, some also as compressed copies. Topic: its lines as a shipper sends them, with their place, shuffled
over partitions, some twice. What the stream leaves must be the tables of one run over all of it, and balance.
"""

import argparse
import gzip
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conf.settings import load_conf
from jobs.engine.choice import Engines
from jobs.pipeline import Input, open_lake, trigger
from jobs.progress import Progress
from jobs.storage.lake import LakeWriter
from lab.simulate.day import HOUR_MS, LogLine, hours_of
from lab.soak.kills import NO_SESSION
from lab.soak.rows import balanced_accounting, differences, rows_of
from lab.soak.topic_double import Paper, shipped
from transforms.plans.topics import topic_of

CONF = load_conf()
QUIET = Progress(is_shown=False)
TOPIC = topic_of("kafka://paper:9092/logs", "--logs")
# A rotated part that is held back comes when the next but one begins: with what others lag, and lines that their bytes bring
# before their time, never later than so many parts.
LATE_PARTS = 5
STARTED_EVERY = 5  # deliveries
# Lines that a shipper sends together, and which are late together: of more than a thousand gaps the oldest are given up.
BATCH = 100
SHOWN = ("bronze.log_records", "silver.client_events", "gold.violations", "gold.incidents")
Seen = dict[str, Any]


class Log:
    """One process's files in a folder: `app.log`, and what was rotated away, `app.log.1` the youngest."""

    def __init__(self, folder: Path, told: LogLine, chance: random.Random) -> None:
        self._folder, self._told, self._chance = folder, told, chance
        self._base = folder / told.unit[0] / told.unit[1]
        self._base.parent.mkdir(parents=True, exist_ok=True)
        self._newest = -1
        self._written = [0] * len(told.parts)
        self._held = {number for number in range(len(told.parts) - 2) if chance.random() < 0.3}
        self._reached = 0.0

    def grow(self, until: float) -> None:
        """Write on, up to so many parts; 2.5 is the middle of the third."""
        self._reached = max(self._reached, until)
        for number, part in enumerate(self._told.parts):
            if number >= self._reached:
                break
            if number in self._held and self._reached < number + 2:
                continue
            size = len(part) if self._reached >= number + 1 else int(len(part) * (self._reached - number))
            if part:
                self._write(number, part[:size])

    def _write(self, number: int, part: bytes) -> None:
        while self._newest < number:
            self._rotate()
        if len(part) > self._written[number]:
            self._file(number).write_bytes(part)
            if part == self._told.parts[number] and self._chance.random() < 0.2:
                copies = self._folder / "copies"
                copies.mkdir(exist_ok=True)
                name = f"{self._told.unit[0]}-{self._told.unit[1]}.{number}.gz"
                (copies / name).write_bytes(gzip.compress(part))
        self._written[number] = len(part)

    def _rotate(self) -> None:
        for number in range(self._newest + 1):  # the oldest has the largest number
            if self._file(number).exists():
                self._file(number).rename(self._named(self._newest + 1 - number))
        self._newest += 1

    def _file(self, number: int) -> Path:
        return self._named(self._newest - number)

    def _named(self, age: int) -> Path:
        return self._base.with_name(f"{self._base.name}.{age}") if age else self._base


def through_files(
    engines: Engines, folder: Path, told: Sequence[LogLine], part_ms: int, cuts: int, chance: random.Random
) -> Seen:
    """Stream files that grow, and compare with one batch over what they are in the end."""
    logs = folder / "logs"
    logs.mkdir()
    growing = [Log(logs, one, chance) for one in told]

    def deliver(cut: int) -> None:
        reached = max(len(one.parts) for one in told) * cut / cuts
        for log in growing:
            lag = chance.choice((0.0, 0.05, 0.2, 0.9)) if cut < cuts else 0.0
            log.grow(max(0.0, reached - lag))

    given = Input([str(logs)], may_vanish=True, lateness_ms=LATE_PARTS * part_ms)
    seen = streamed(folder / "streamed", given, cuts, deliver, chance)
    return seen | compared(engines, folder, Input([str(logs)]))


def through_topic(
    engines: Engines, folder: Path, told: Sequence[LogLine], part_ms: int, cuts: int, chance: random.Random
) -> Seen:
    """Stream lines that a shipper sent, and compare with one batch over the same lines in order."""
    sent: list[tuple[float, str]] = []
    in_order = Paper()
    for one in told:
        begin = 0
        for number, part in enumerate(one.parts):
            lines = part.splitlines(keepends=True)
            messages = [json.dumps(line) for line in shipped(lines, f"/logs/{'/'.join(one.unit)}", begin)]
            in_order.write(*messages)
            for first in range(0, len(messages), BATCH):
                late = chance.choice((0.0, 0.1, 0.1, 2.0)) * chance.random()
                for count, message in enumerate(messages[first : first + BATCH], first):
                    at = number + count / len(messages) + late
                    times = 2 if chance.random() < 0.05 else 1
                    sent += [(at + 0.001 * chance.random(), message) for _ in range(times)]
            begin += len(part)
    sent.sort()
    paper = Paper([[], [], []])

    def deliver(cut: int) -> None:
        for _, message in sent[len(sent) * (cut - 1) // cuts : len(sent) * cut // cuts]:
            paper.write(message, partition=chance.randrange(3))

    given = Input([], topics=[TOPIC], may_vanish=True, lateness_ms=LATE_PARTS * part_ms)
    with paper.read():
        seen = streamed(folder / "streamed", given, cuts, deliver, chance)
    with in_order.read():
        return seen | compared(engines, folder, Input([], topics=[TOPIC]))


def streamed(
    root: Path, given: Input, cuts: int, deliver: Callable[[int], None], chance: random.Random
) -> Seen:
    """Triggers behind every delivery, of which most wait for open records; every few a stream is started again."""
    began = time.monotonic()
    seen = dict.fromkeys(("triggers", "late", "records", "failed_checks"), 0)

    def take(lake: LakeWriter, flush_ms: int) -> None:
        result = trigger(NO_SESSION, lake, replace(given, flush_ms=flush_ms), CONF, QUIET, job="stream")
        seen["failed_checks"] += result.failed_checks
        seen["triggers"] += 1
        seen["late"] += result.late
        seen["records"] += result.records

    for first in range(1, cuts + 1, STARTED_EVERY):
        with open_lake(root, CONF) as lake:
            for cut in range(first, min(first + STARTED_EVERY, cuts + 1)):
                deliver(cut)
                take(lake, chance.choice((HOUR_MS, HOUR_MS, 0)))
            if cut == cuts:
                take(lake, 0)
    return seen | {"stream_s": round(time.monotonic() - began)}


def compared(engines: Engines, folder: Path, given: Input) -> Seen:
    """One batch, and how its tables differ from the stream's."""
    began = time.monotonic()
    with open_lake(folder / "at-once", CONF) as lake:
        result = trigger(engines, lake, given, CONF, QUIET, job="run")
    found = differences(folder / "at-once", folder / "streamed")
    read = [accounts(folder / name) for name in ("at-once", "streamed")]
    return {
        "batch_s": round(time.monotonic() - began),
        "rows": {table: len(rows_of(folder / "at-once", table)) for table in SHOWN},
        "lines": read[0][0],
        "copies": read[1][1],
        "units": result.units,
        "failed_checks_of_batch": result.failed_checks,
        "differences": found
        | ({} if read[0][0] == read[1][0] else {"accounting": (read[0][0], read[1][0], [])}),
    }


def accounts(root: Path) -> tuple[int, int]:
    """Lines read, copies of others left out, and copies.

    Raises: AssertionError for accounting that does not balance.
    """
    rows = balanced_accounting(root)
    copies = sum(dict(row["dropped_by_reason"] or ()).get("duplicate", 0) for row in rows)
    return sum(row["lines_read"] for row in rows) - copies, copies


def day(
    engines: Engines, folder: Path, hours: int, fleets: int, parts: int, cuts: int, seed: int
) -> Iterator[Seen]:
    """Both ways; what was seen of each, `differences` among it."""
    rng = random.Random(seed)
    told = hours_of(rng, hours, fleets, parts)
    part_ms = hours * HOUR_MS // parts
    for name, through in (("files", through_files), ("topic", through_topic)):
        (folder / name).mkdir()
        yield {"through": name} | through(engines, folder / name, told, part_ms, cuts, rng)


def main() -> None:
    """A day, or as much as is asked for. The batch is Spark's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--fleets", type=int, default=1, help="of eight logs each")
    parser.add_argument("--parts", type=int, default=8, help="files of each log")
    parser.add_argument("--cuts", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    given = vars(parser.parse_args())
    engines = Engines(replace(CONF.spark, from_bytes=0), QUIET)
    is_equal = True
    with tempfile.TemporaryDirectory() as folder:
        for seen in day(engines, Path(folder), **given):
            print(json.dumps(seen), flush=True)
            is_equal &= not seen["differences"]
    engines.session().stop()
    sys.exit(not is_equal)


if __name__ == "__main__":
    main()
