"""A day of healthy clients through the command itself, with a target that waits for alerts: none may come.

`python -m lab.soak.healthy HOURS FLEETS SEED`. A fleet is a group of three with its coordinator, a producer, a consumer of
KIP-848 and a Streams application, of drawn releases and levels; members come and go, nothing fails. Its lines are those of
the hours up to now, so that none is too old to be told of.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from lab.simulate import backoff, consumer848, memberships, tasks
from lab.simulate.day import HOUR_MS, VERSIONS, Scene, Unit, _alone, _played
from lab.simulate.line import LAYOUTS, Line, render
from lab.simulate.memberships import BROKER
from lab.simulate.process import Process
from lab.simulate.wired import NOON
from lab.soak.alerts import Inbox

CONF = """
alerts:
  targets: {{inbox: alertmanager+http://{address}}}
  max_age_hours: {hours}
"""


def plays(rng: random.Random, number: int) -> Iterable[Callable[[], Scene]]:
    """What each part of a fleet does for a while, all of it healthy."""

    def process(service: str, one: int = 0) -> Process:
        level = "DEBUG" if rng.random() < 1 / 3 else "INFO"
        name = f"{service}-{number}"
        return Process(name, f"{name}-{one}.log", rng.choice(VERSIONS), level=level)

    three = [process("orders", one) for one in range(3)]
    producer, streams = process("shop"), process("enricher")
    newer = replace(process("next"), version=rng.choice(consumer848.VERSIONS))

    def group() -> Scene:
        logs, _ = memberships.healthy(rng, three, 900_000, pace=(3_000, 9_000))
        broker = ("broker", f"broker-{number}.log")
        return {broker if unit == BROKER else unit: lines for unit, lines in logs.items()}, 900_000

    yield group
    yield lambda: _alone(producer, backoff.healthy(rng, producer, duration_ms=600_000, every_ms=8_000)[0])
    yield lambda: _alone(newer, consumer848.healthy(rng, newer, 600_000)[0])
    yield lambda: _alone(streams, tasks.healthy(rng, streams)[0])


def lines_of(rng: random.Random, hours: int, fleets: int, until: int) -> dict[Unit, list[Line]]:
    """The lines of each process, the last of them before `until` (ms)."""
    logs: dict[Unit, list[Line]] = {}
    moved = until - NOON - hours * HOUR_MS
    for number in range(fleets):
        for play in plays(rng, number):
            for unit, lines in _played(rng, play, hours * HOUR_MS):
                logs.setdefault(unit, []).extend(replace(line, at=line.at + moved) for line in lines)
    return logs


def soak(hours: int, fleets: int, seed: int) -> tuple[int, int, str]:
    """How many lines were read, how many alerts came, and what the run said."""
    rng = random.Random(seed)
    logs = lines_of(rng, hours, fleets, int(time.time() * 1000))
    with (
        tempfile.TemporaryDirectory(prefix="kipwatch-healthy-") as scratch,
        Inbox(random.Random(1)).open() as inbox,
    ):
        folder = Path(scratch)
        for (service, instance), lines in sorted(logs.items()):
            layout = "log4j" if service == "broker" else rng.choice(tuple(LAYOUTS))
            file = folder / "logs" / service / instance
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(render(lines, layout), encoding="utf-8")
        conf = folder / "conf.yaml"
        conf.write_text(CONF.format(address=inbox.address, hours=hours + 24), encoding="utf-8")
        told = subprocess.run(
            [sys.executable, "-m", "jobs.cli", "run", "--logs", str(folder / "logs"), "--lake", str(folder / "lake"),
             "--conf", str(conf)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return sum(map(len, logs.values())), sum(inbox.taken.values()), told.stdout + told.stderr


def main() -> None:
    hours, fleets, seed = (int(given) for given in [*sys.argv[1:], *("24", "4", "1")[len(sys.argv) - 1 :]])
    lines, alerts, said = soak(hours, fleets, seed)
    print(said)
    print(f"{hours} h, {fleets} fleets, {lines} lines: {alerts} alerts")
    sys.exit(alerts > 0)


if __name__ == "__main__":
    main()
