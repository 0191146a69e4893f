"""What-ifs against histories simulated anew under the other limit: `python -m lab.simulate.instead [--write FILE]`.

A history is simulated, its log judged, and each of its episodes asked what another limit would have made of it. Then the
same history is simulated with that limit: the same draws, slow polls, pauses and outages. Both must tell the same of the
episodes that begin in both.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from lab.simulate import batches, memberships, tasks
from lab.simulate.batches import Outage, Producer
from lab.simulate.judging import story_of
from lab.simulate.line import Line, render
from lab.simulate.process import Process
from lab.simulate.truth import Fact, Truth
from transforms.diagnose.reports import margins
from transforms.diagnose.reports.margins import DELIVERY, POLL, SESSION, TASK, Margin
from transforms.diagnose.reports.what_if import LOST, NEVER, UNTOLD, what_if
from transforms.timers.episodes import BatchLifetime, LivenessSession, TaskTimer

Logs = Mapping[tuple[str, str], list[Line]]
VERSIONS = ("2.8.2", "3.1.2", "3.5.2", "3.7.2")
FACTORS = (0.4, 0.7, 1.5, 2.5)
SLACK_MS = 1_500  # a history's clock and its log's begin a membership some ms apart
SEEDS = 25
# What a history calls the end that the setting's limit makes. A task whose thread dies is closed.
LOST_AS = {
    POLL: frozenset({"poll_expired", "rebalance_expired"}),
    SESSION: frozenset({"session_expired"}),
    DELIVERY: frozenset({"expired", "failed"}),
    TASK: frozenset({"expired", "closed"}),
}
HEAD = """# What-ifs, checked

Made by `python -m lab.simulate.instead --write docs/what-if.md`. {seeds} simulated histories of each setting are judged,
each of their episodes is asked what {factors} times the limit would have made of it, and the same history (the same
draws, slow polls, pauses and outages) is simulated anew with that limit. `told`: episodes that are in both and whose
what-if says kept or lost; `agree`: of these, those of which the other history says the same. `gone`: told, and no such
episode in the other history (it begins otherwise there). `untold`: the what-if says that no line tells, and why.

| setting | log at | told | agree | gone | untold |
|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Scene:
    """A setting with the histories that it decides. play(rng, level, limit): None leaves the limit as it is drawn."""

    setting: str
    play: Callable[[Random, str, int | None], tuple[Logs, Truth]]
    row: type
    ask: Callable[[list[dict[str, Any]]], Iterator[Margin]]


def _members(
    setting: str, faults: tuple[str, ...]
) -> Callable[[Random, str, int | None], tuple[Logs, Truth]]:
    def play(rng: Random, level: str, limit: int | None) -> tuple[Logs, Truth]:
        version = rng.choice(VERSIONS[1:])
        processes = [Process("shop", f"c{number}.log", version, level=level) for number in range(3)]
        return memberships.faulty(
            rng, processes, 400_000, None if limit is None else {setting: limit}, faults
        )

    return play


def _producer(rng: Random, level: str, limit: int | None) -> tuple[Logs, Truth]:
    process = Process("orders", "orders-producer.log", rng.choice(batches.VERSIONS), level=level)
    begins = rng.randint(5_000, 20_000)
    outages = [
        Outage(rng.choice(("error", "silent")), begins, begins + rng.randint(2_000, 40_000)),
        Outage("error", begins + 70_000, begins + 70_000 + rng.randint(500, 5_000)),
    ]
    settings = batches.settings(rng)
    paces = Random(rng.random())
    settings |= {} if limit is None else {DELIVERY: limit}
    producer = Producer(process, rng, settings, outages, paces=paces).run(250_000)
    lines, truth = batches.told(producer)
    return {("orders", "orders-producer.log"): lines}, truth


def _streams(rng: Random, level: str, limit: int | None) -> tuple[Logs, Truth]:
    process = Process("orders", "orders.log", rng.choice(VERSIONS), level=level)
    outages = tasks.drawn_outages(rng, process)
    drawn = rng.choice((3_000, 10_000, 25_000))
    client = tasks.application(rng, **{TASK: drawn})
    if limit is not None:
        client = replace(client, settings={**client.settings, TASK: limit})
    lines, truth = tasks.faulty(rng, process, client=client, outages=outages, duration_ms=90_000)
    return {("orders", "orders.log"): lines}, truth


SCENES = {
    POLL: Scene(POLL, _members(POLL, ("slow", "slow", "none")), LivenessSession, margins.of_memberships),
    SESSION: Scene(
        SESSION, _members(SESSION, ("frozen", "cut", "dies")), LivenessSession, margins.of_memberships
    ),
    DELIVERY: Scene(DELIVERY, _producer, BatchLifetime, margins.of_batches),
    TASK: Scene(TASK, _streams, TaskTimer, margins.of_task_timers),
}


def limits_of(rows: list[Margin]) -> int | None:
    """The limit that decided most of them; a lost one's before others."""
    known = Counter((one.limit_ms, one.is_lost) for one in rows if one.limit_ms)
    return max(known, key=lambda one: (one[1], known[one]), default=(None, False))[0]


def compared(scene: Scene, seed: int, level: str, factor: float) -> Counter[str]:
    """How the what-if of one history agrees: `agrees`, `differs`, `untold`, and `gone` (no such episode in the other)."""
    logs, truth = scene.play(Random(seed), level, None)
    story = story_of({unit: render(lines) for unit, lines in logs.items()}, truth.scraped)
    rows = [_row(one) for one in story.episodes if type(one) is scene.row]
    asked = [one for one in scene.ask(rows) if one.setting == scene.setting]
    limit = limits_of(asked)
    if limit is None:
        return Counter()
    other = int(limit * factor)
    _, anew = scene.play(Random(seed), level, other)
    subjects = {next(iter(row.values())): _subject(row) for row in map(_keyed, rows)}
    ends: Counter[str] = Counter()
    for told in what_if(asked, scene.setting, other).told:
        if told.outcome == UNTOLD:
            ends["untold"] += 1
        elif told.outcome != NEVER:
            fact = _same(told.margin, subjects[told.margin.subject_id], anew)
            is_lost = fact is not None and fact.outcome in LOST_AS[scene.setting]
            ends[
                "gone" if fact is None else "agrees" if is_lost == (told.outcome == LOST) else "differs"
            ] += 1
    return ends


def _row(episode: Any) -> dict[str, Any]:
    return {name: getattr(episode, name) for name in episode.__dataclass_fields__}


def _keyed(row: dict[str, Any]) -> dict[str, Any]:
    key = next(name for name in ("session_id", "batch_id", "timer_id") if name in row)
    return {key: row[key], **row}


def _subject(row: Mapping[str, Any]) -> str:
    """What a fact of the history calls it: a member by the beginning of its id."""
    if "task_id" in row:
        return str(row["task_id"])
    if "batch_id" in row:
        return f"{row['topic']}-{row['partition']}"
    return str(row["group_instance_id"] or row["client_id"])


def _same(margin: Margin, subject: str, anew: Truth) -> Fact | None:
    """The episode of the other history that began as this one; of a batch whose beginning no line tells, that ended so."""
    known = [one for one in anew.facts if one.kind != "rebalance" and one.subject.startswith(subject)]
    if margin.began_at is not None:
        near = [(abs(one.at - margin.began_at), one) for one in known]
    elif margin.until is not None:
        near = [(abs(one.ended_at - margin.until), one) for one in known if one.ended_at is not None]
    else:
        near = []
    apart, fact = min(near, key=lambda one: one[0], default=(SLACK_MS + 1, None))
    return fact if apart <= SLACK_MS else None


def page(counted: Mapping[tuple[str, str], Counter[str]], seeds: int) -> str:
    """The page: a row for each setting and level."""
    lines = []
    for (setting, level), ends in counted.items():
        both = ends["agrees"] + ends["differs"]
        share = f"{ends['agrees'] / both:.1%}" if both else "-"
        lines.append(f"| `{setting}` | {level} | {both} | {share} | {ends['gone']} | {ends['untold']} |")
    total = sum(counted.values(), Counter())
    both = total["agrees"] + total["differs"]
    lines.append(f"| all | | {both} | {total['agrees'] / both:.1%} | {total['gone']} | {total['untold']} |")
    return HEAD.format(seeds=seeds, factors=", ".join(map(str, FACTORS))) + "\n".join(lines) + "\n"


def all_of(seeds: int) -> dict[tuple[str, str], Counter[str]]:
    """Every setting at INFO and at DEBUG, over all seeds and factors."""
    return {
        (setting, level): sum(
            (compared(scene, seed, level, factor) for seed in range(seeds) for factor in FACTORS), Counter()
        )
        for setting, scene in SCENES.items()
        for level in ("INFO", "DEBUG")
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.simulate.instead", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--write", type=Path, help="the page to write, such as docs/what-if.md")
    arguments = parser.parse_args()
    text = page(all_of(arguments.seeds), arguments.seeds)
    if arguments.write is None:
        print(text)
    else:
        arguments.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
