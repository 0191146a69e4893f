"""An hour of fifty healthy clients, of versions 1.0 to 4.2, with the coordinators' logs: nobody is accused of anything.

At DEBUG a client says in a minute what it says in an hour at INFO, so a quarter of an hour it is.
"""

from random import Random

import pytest

from lab.simulate import backoff, batches, consumer848, memberships, tasks
from lab.simulate.judging import broken, story_of
from lab.simulate.line import LAYOUTS, Line, render
from lab.simulate.memberships import BROKER
from lab.simulate.process import Process
from lab.simulate.scraper import Scraped
from transforms.pure import Story

LENGTH_MS = {"INFO": 3_600_000, "DEBUG": 900_000}
ALL = (
    "1.0.2",
    "1.1.1",
    "2.0.1",
    "2.1.1",
    "2.2.2",
    "2.3.1",
    "2.4.1",
    "2.5.1",
    "2.6.3",
    "2.7.2",
    "2.8.2",
    "3.0.2",
    "3.1.2",
)
ALL += ("3.4.1", "3.5.2", "3.7.2", "3.8.1", "3.9.1", "4.0.1", "4.1.1", "4.2.1")
# Groups of three, two of them with the id of another one: of another cluster, or of another time.
GROUPS = (
    "order-service",
    "billing",
    "audit",
    "order-service",
    "shipping",
    "order-service",
    "returns",
    "search",
)
Fleet = dict[tuple[str, str], tuple[list[Line], str]]
Read = dict[tuple[str, str], Scraped]


def fleet(rng: Random, level: str) -> tuple[Fleet, Read]:
    """24 consumers in 8 groups, 4 of KIP-848, 12 producers, 4 that only send, 6 Streams applications.

    With what was scraped of the consumers in groups, and of the producers.
    """
    found: Fleet = {}
    read: Read = {}
    layouts = tuple(LAYOUTS)

    def process(service: str, number: int, versions: tuple[str, ...]) -> Process:
        return Process(service, f"{service}-{number}.log", versions[number % len(versions)], level=level)

    for number, group in enumerate(GROUPS):
        three = [process(f"{group}-{number}", number * 3 + one, ALL) for one in range(3)]
        logs, truth = memberships.healthy(rng, three, LENGTH_MS[level], pace=(3_000, 9_000))
        read |= truth.scraped
        layout = rng.choice(layouts)
        for unit, lines in logs.items():
            if unit == BROKER:
                found["broker", f"broker-{number}.log"] = lines, "log4j"
            else:
                found[unit] = lines, layout
    for number in range(4):
        one = process("next", number, consumer848.VERSIONS)
        found[one.service, one.instance] = (
            consumer848.healthy(rng, one, LENGTH_MS[level])[0],
            rng.choice(layouts),
        )
    for number in range(12):
        one = process("orders-api", number, batches.VERSIONS)
        lines, truth = batches.healthy(rng, one, LENGTH_MS[level], (1_000, 8_000))
        read |= truth.scraped
        found[one.service, one.instance] = lines, rng.choice(layouts)
    for number in range(4):
        one = process("feeder", number, ("1.0.2", "2.0.1", "3.5.2", "4.2.1"))
        found[one.service, one.instance] = (
            backoff.healthy(rng, one, duration_ms=LENGTH_MS[level], every_ms=6_000)[0],
            rng.choice(layouts),
        )
    for number in range(6):
        one = process("enricher", number, ("1.0.2", "2.4.1", "2.8.2", "3.5.2", "3.9.1", "4.2.1"))
        client = tasks.application(rng, **{"poll.ms": 10_000, "commit.interval.ms": 30_000})
        lines, _ = tasks.healthy(rng, one, duration_ms=LENGTH_MS[level], client=client)
        found[one.service, one.instance] = lines, rng.choice(layouts)
    return found, read


def judged(found: Fleet, read: Read) -> Story:
    return story_of({unit: render(lines, layout) for unit, (lines, layout) in found.items()}, read)


@pytest.mark.parametrize(("level", "events"), [("INFO", 1_000), ("DEBUG", 25_000)])
def test_an_hour_of_healthy_clients_accuses_nobody(level, events):
    found, read = fleet(Random(2026), level)
    assert sum(unit[0] != "broker" for unit in found) == 50
    assert len(read) == 36
    story = judged(found, read)
    assert len(story.events) > events
    assert not broken(story), [f"{one.rule_id}: {one.explanation}" for one in story.findings][:20]
