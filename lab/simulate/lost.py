"""Simulated clients that keep their promises, with lines of their logs lost: nobody may be accused for it.

python -m lab.simulate.lost [--seeds N] [KIND...]   each broken_semantics finding that the whole log does not give

Lost are one line, all lines of a message (`grep -v`, or a release that words it otherwise), of three, of every other
one, a share of all lines, and all between two lines. A message that stands once is as likely to go as one that stands
a thousand times.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random

from lab.score.mutilated import printed
from lab.simulate import backoff, batches, consumer848, memberships, streams_loops, tasks
from lab.simulate.judging import broken_findings, story_of
from lab.simulate.line import Line, render
from lab.simulate.process import Process
from lab.simulate.truth import Truth
from transforms.rules.judge import Finding

VERSIONS = ("2.8.2", "3.5.2", "3.9.1", "4.0.1", "4.2.1")
LEVELS = ("INFO", "DEBUG")
SHARES = (0.02, 0.1, 0.3, 0.6)
MEMBERS = 3
WORDS = 6  # of a line's beginning, that tell its message
DIGITS = {ord(digit): "0" for digit in "123456789"}

Unit = tuple[str, str]
Logs = Mapping[Unit, list[Line]]
At = tuple[Unit, int]
Told = tuple[list[Line], Truth]


def accused_more(kind: str, seed: int) -> Iterator[str]:
    """What is said to be broken where lines are missing and not in the whole log, a sentence each."""
    rng = Random(f"{kind} {seed}")
    logs = KINDS[kind](rng)
    known = {found.rule_id for found in _broken(logs)}
    for how, gone in _losses(logs, rng):
        left = {
            unit: [line for n, line in enumerate(lines) if (unit, n) not in gone]
            for unit, lines in logs.items()
        }
        for found in _broken(left):
            if found.rule_id not in known:
                yield f"{kind} {seed}, without {how}: {found.rule_id}: {found.explanation}"


def _losses(logs: Logs, rng: Random) -> Iterator[tuple[str, set[At]]]:
    """What is lost in words, and the places of its lines."""
    every = [(unit, n) for unit, lines in logs.items() for n in range(len(lines))]
    messages: dict[str, list[At]] = {}
    for unit, n in every:
        messages.setdefault(_message(logs[unit][n]), []).append((unit, n))
    names = sorted(messages)

    def all_of(some: Iterable[str]) -> set[At]:
        return {at for name in some for at in messages[name]}

    for name in rng.choices(names, k=6):
        yield f"one of {name!r}", {rng.choice(messages[name])}
    for name in rng.choices(names, k=3):
        yield repr(name), all_of([name])
    for _ in range(3):
        three = rng.sample(names, min(len(names), 3))
        yield repr(three), all_of(three)
    yield "half of all messages", all_of(name for name in names if rng.random() < 0.5)
    for share in SHARES:
        yield f"{share:.0%} of all lines", {at for at in every if rng.random() < share}
    unit, first = rng.choice(every)
    last = rng.randrange(first, len(logs[unit]))
    yield f"lines {first} to {last}", {(unit, n) for n in range(first, last + 1)}


def _message(line: Line) -> str:
    return " ".join(line.text.split()[:WORDS]).translate(DIGITS)


def _broken(logs: Logs) -> list[Finding]:
    return broken_findings(story_of({unit: render(lines) for unit, lines in logs.items()}))


def _one(
    play: Callable[[Random, Process], Told], versions: tuple[str, ...] = VERSIONS
) -> Callable[[Random], Logs]:
    def played(rng: Random) -> Logs:
        process = Process("shop", "app.log", rng.choice(versions), level=rng.choice(LEVELS))
        return {("shop", "app.log"): play(rng, process)[0]}

    return played


def _group(rng: Random) -> Logs:
    processes = [
        Process("orders", f"orders-{n}.log", rng.choice(VERSIONS), level=rng.choice(LEVELS))
        for n in range(MEMBERS)
    ]
    return memberships.faulty(rng, processes)[0]


KINDS: dict[str, Callable[[Random], Logs]] = {
    "tasks": _one(tasks.faulty),
    "global thread": _one(streams_loops.global_faulty),
    "leader": _one(streams_loops.leader_faulty),
    "backoff": _one(backoff.faulty),
    "batches": _one(batches.faulty),
    "consumer": _group,
    "consumer of KIP-848": _one(consumer848.faulty, consumer848.VERSIONS),
}


def main() -> int:
    """Print what is accused; 1 where anything is."""
    parser = argparse.ArgumentParser(prog="python -m lab.simulate.lost", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    options = parser.parse_args()
    kinds, seeds = options.kinds or KINDS, range(options.seeds)
    return printed(said for kind in kinds for seed in seeds for said in accused_more(kind, seed))


if __name__ == "__main__":
    sys.exit(main())
