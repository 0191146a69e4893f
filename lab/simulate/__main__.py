"""Plant every defect again and again, and write how many of them were found: `python -m lab.simulate [--write FILE]`."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from lab.simulate import (
    backoff_defects,
    batches_defects,
    connections_defects,
    consumer848,
    coordinator848,
    memberships_defects,
    rdkafka_defects,
    tasks_defects,
    transactions_defects,
)
from lab.simulate.judging import broken, found, story_of
from lab.simulate.line import Line, render
from lab.simulate.truth import Truth

SEEDS = 25
UNIT = ("shop", "app.log")
Logs = Mapping[tuple[str, str], list[Line]]
HEAD = """# Planted defects

Made by `python -m lab.simulate --write docs/mutants.md`. Simulated clients and coordinators (`lab/simulate`,
written from the KIPs and Kafka's classes, sharing nothing with `transforms`) break one promise each, {seeds} times with
other histories, versions and settings. `found`: the rule that watches the promise said so. `falsely`: histories in
which another rule called something broken (`broken_semantics`) that was not.

| rule | planted | found | falsely |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """How often a defect was planted, found by its rule, and had somebody else accused."""

    rule_id: str
    planted: int
    found: int
    falsely: int


def defects() -> dict[str, Callable[[Random], tuple[Logs, Truth]]]:
    """All that can be planted, by the rule that must find it."""
    alone = {
        **tasks_defects.DEFECTS,
        **backoff_defects.DEFECTS,
        **batches_defects.DEFECTS,
        **consumer848.DEFECTS,
        **coordinator848.DEFECTS,
        **rdkafka_defects.OF_BACKOFF,
        **rdkafka_defects.OF_MEMBERS,
        **connections_defects.DEFECTS,
    }
    return {
        **{rule_id: _one_unit(plant) for rule_id, plant in alone.items()},
        **memberships_defects.DEFECTS,
        **transactions_defects.DEFECTS,
    }


def rows(seeds: int) -> Iterator[Row]:
    """One for each rule, by its id."""
    for rule_id, plant in sorted(defects().items()):
        told = [_judged(rule_id, *plant(Random(seed))) for seed in range(seeds)]
        yield Row(rule_id, seeds, sum(one for one, _ in told), sum(falsely for _, falsely in told))


def page(counted: list[Row], seeds: int) -> str:
    """The page, with a sum at its end."""
    lines = [f"| `{row.rule_id}` | {row.planted} | {row.found} | {row.falsely} |" for row in counted]
    planted, hit = sum(row.planted for row in counted), sum(row.found for row in counted)
    falsely = sum(row.falsely for row in counted)
    total = f"| all {len(counted)} | {planted} | {hit} ({hit / planted:.1%}) | {falsely} |"
    return HEAD.format(seeds=seeds) + "\n".join([*lines, total]) + "\n"


def _one_unit(plant: Callable[[Random], tuple[list[Line], Truth]]) -> Callable[[Random], tuple[Logs, Truth]]:
    def planted(rng: Random) -> tuple[Logs, Truth]:
        lines, truth = plant(rng)
        scraped = list(truth.scraped.values())
        return {UNIT: lines}, replace(truth, scraped={UNIT: scraped[0]} if scraped else {})

    return planted


def _judged(rule_id: str, logs: Logs, truth: Truth) -> tuple[bool, bool]:
    story = story_of({unit: render(lines) for unit, lines in logs.items()}, truth.scraped)
    return rule_id in found(story), bool(broken(story) - truth.violated - truth.departs)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.simulate", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--write", type=Path, help="the page to write, such as docs/mutants.md")
    arguments = parser.parse_args()
    text = page(list(rows(arguments.seeds)), arguments.seeds)
    if arguments.write is None:
        print(text)
    else:
        arguments.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
