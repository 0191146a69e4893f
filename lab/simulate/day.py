"""Hours of a small fleet, as its logs have them: processes that start, bear a fault or none, end, and start again."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from lab.simulate import backoff, batches, consumer848, memberships, tasks
from lab.simulate.line import LAYOUTS, Line, render
from lab.simulate.memberships import BROKER
from lab.simulate.process import Process
from lab.simulate.wired import NOON

HOUR_MS = 3_600_000
VERSIONS = ("2.8.2", "3.5.2", "3.9.1", "4.0.1", "4.2.1")
Unit = tuple[str, str]
# A scene: what each of some processes wrote; how long it took, ms.
Scene = tuple[Mapping[Unit, list[Line]], int]


@dataclass(frozen=True)
class LogLine:
    """The log of one process. parts: its text, one after the other, of equally long times: as it is rotated."""

    unit: Unit
    parts: tuple[bytes, ...]


def hours_of(rng: Random, hours: int, fleets: int, parts: int) -> list[LogLine]:
    """So many hours. Each fleet has a group of three with its coordinator, a producer, a caller, a consumer of KIP-848 and a
    Streams application; a third of the processes log at DEBUG. parts: how often each log is rotated."""
    logs: dict[Unit, list[Line]] = {}
    for number in range(fleets):
        for play in _plays(rng, number):
            for unit, lines in _played(rng, play, hours * HOUR_MS):
                logs.setdefault(unit, []).extend(lines)
    layouts = {unit: "log4j" if unit[0] == "broker" else rng.choice(tuple(LAYOUTS)) for unit in sorted(logs)}
    return [
        LogLine(unit, tuple(_rotated(logs[unit], layout, hours, parts))) for unit, layout in layouts.items()
    ]


def _played(rng: Random, play: Callable[[], Scene], duration: int) -> Iterator[tuple[Unit, list[Line]]]:
    """Scene after scene, with pauses between them."""
    at = rng.randint(0, 600_000)
    while at < duration:
        logs, took = play()
        for unit, lines in logs.items():
            # A line that came after the scene's end is a part of it.
            yield unit, [line._replace(at=line.at + at) for line in lines if line.at + at < NOON + duration]
        at += took + rng.randint(180_000, 2_400_000)


def _plays(rng: Random, number: int) -> Iterable[Callable[[], Scene]]:
    def process(service: str, one: int = 0) -> Process:
        level = "DEBUG" if rng.random() < 1 / 3 else "INFO"
        name = f"{service}-{number}"
        return Process(name, f"{name}-{one}.log", rng.choice(VERSIONS), level=level)

    three = [process("orders", one) for one in range(3)]
    producer, caller, streams = process("shop"), process("audit"), process("enricher")
    newer = replace(process("next"), version=rng.choice(consumer848.VERSIONS))

    def is_well() -> bool:
        return rng.random() < 0.4

    def group() -> Scene:
        if is_well():
            (logs, _), took = memberships.healthy(rng, three, 900_000, pace=(3_000, 9_000)), 900_000
        else:
            (logs, _), took = memberships.faulty(rng, three), 240_000
        return {
            ("broker", f"broker-{number}.log") if unit == BROKER else unit: lines
            for unit, lines in logs.items()
        }, took

    def produce() -> Scene:
        told = (
            batches.healthy(rng, producer, 600_000, (1_000, 8_000))
            if is_well()
            else batches.faulty(rng, producer)
        )
        return _alone(producer, told[0])

    def call() -> Scene:
        return _alone(caller, backoff.faulty(rng, caller)[0])

    def poll() -> Scene:
        told = consumer848.healthy(rng, newer, 600_000) if is_well() else consumer848.faulty(rng, newer)
        return _alone(newer, told[0])

    def enrich() -> Scene:
        return _alone(streams, tasks.faulty(rng, streams)[0])

    return group, produce, call, poll, enrich


def _alone(process: Process, lines: list[Line]) -> Scene:
    took = max(line.at for line in lines) - NOON
    return {(process.service, process.instance): lines}, took


def _rotated(lines: list[Line], layout: str, hours: int, parts: int) -> Iterator[bytes]:
    length = hours * HOUR_MS // parts
    for number in range(parts):
        begin = NOON + number * length
        end = NOON + (number + 1) * length if number < parts - 1 else sys.maxsize
        yield render((line for line in lines if begin <= line.at < end), layout).encode()
