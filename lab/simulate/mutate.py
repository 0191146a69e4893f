"""Damaged histories: one line of a log dropped, moved, repeated or exchanged with the next, or a wait shortened.

Which promise a damaged history breaks, if any, is for the model to say (referee.py), never for what is tested.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from lab.simulate.line import Line

BEGINS = re.compile(r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})\] ([A-Z]+) ", re.MULTILINE)
LOGGER = re.compile(r" \(([\w.$]+)\)$", re.MULTILINE)
Lines = Sequence[Line]


@dataclass(frozen=True)
class Mutant:
    """A damaged history. how: the operation; line: the damaged line as it was."""

    how: str
    line: Line
    lines: list[Line]


def drop(lines: Lines, index: int) -> list[Line]:
    """The line was never written."""
    return [*lines[:index], *lines[index + 1 :]]


def move(lines: Lines, index: int, by_ms: int) -> list[Line]:
    """The line was written earlier or later, at its own time."""
    moved = lines[index]._replace(at=lines[index].at + by_ms)
    return sorted([*lines[:index], moved, *lines[index + 1 :]], key=lambda line: line.at)


def shorten(lines: Lines, index: int, by_ms: int) -> list[Line]:
    """What passed before the line was so much shorter: it and all after it come earlier."""
    gap = lines[index].at - lines[index - 1].at if index else 0
    by_ms = min(by_ms, gap)
    return [*lines[:index], *(line._replace(at=line.at - by_ms) for line in lines[index:])]


def repeat(lines: Lines, index: int, after_ms: int) -> list[Line]:
    """The line was written once more."""
    again = lines[index]._replace(at=lines[index].at + after_ms)
    return sorted([*lines, again], key=lambda line: line.at)


def reorder(lines: Lines, index: int) -> list[Line]:
    """The line and the next changed places; times stay."""
    if index + 1 >= len(lines):
        return list(lines)
    first, second = lines[index], lines[index + 1]
    return [*lines[:index], second._replace(at=first.at), first._replace(at=second.at), *lines[index + 2 :]]


OPERATIONS: dict[str, Callable[[Lines, int, Random], list[Line]]] = {
    "drop": lambda lines, index, _: drop(lines, index),
    "move": lambda lines, index, rng: move(lines, index, rng.choice((-3000, -300, -60, 60, 300, 3000))),
    "shorten": lambda lines, index, rng: shorten(lines, index, rng.choice((60, 300, 3000))),
    "repeat": lambda lines, index, rng: repeat(lines, index, rng.choice((0, 60, 3000))),
    "reorder": lambda lines, index, _: reorder(lines, index),
}


def mutants(lines: Lines, rng: Random, count: int, worth: Callable[[Line], bool]) -> list[Mutant]:
    """Some damaged histories of one history. worth: which lines to damage; others prove nothing."""
    chosen = [index for index, line in enumerate(lines) if worth(line)]
    found = []
    for _ in range(count if chosen else 0):
        index, how = rng.choice(chosen), rng.choice(tuple(OPERATIONS))
        found.append(Mutant(how, lines[index], OPERATIONS[how](lines, index, rng)))
    return found


def lines_of(log: str) -> list[Line]:
    """A recorded log in Kafka's default layout, as lines. Threads are not shown there."""
    starts = list(BEGINS.finditer(log))
    ends = [match.start() for match in starts[1:]] + [len(log)]
    return [
        _line(match, log[match.end() : end].rstrip("\n")) for match, end in zip(starts, ends, strict=True)
    ]


def _line(begin: re.Match[str], body: str) -> Line:
    day, ms, level = begin.groups()
    at = int(
        datetime.strptime(f"{day}+0000", "%Y-%m-%d %H:%M:%S%z").astimezone(UTC).timestamp()
    ) * 1000 + int(ms)
    found = LOGGER.search(body)
    if found is None:
        return Line(at, level, "unknown", "main", body)
    return Line(at, level, found[1], "main", body[: found.start()] + body[found.end() :])
